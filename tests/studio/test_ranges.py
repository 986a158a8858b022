"""Limits learned from animations, swept and dragged, checked by the solver."""

from __future__ import annotations

from math import pi, radians
from pathlib import Path

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig import BindError
from ikrig.formats.rig_file import Part
from ikrig.studio.document.adding import add_chain
from ikrig.studio.document.changing import set_limit
from ikrig.studio.document.learning import learn_limits, limit_frames, sweep_of
from ikrig.studio.document.studio_document import StudioDocument
from ikrig.studio.view.model_reader import read_actor, read_motion

ASSETS = Path(__file__).parents[2] / "assets" / "models"


class Stage:
    def __init__(self, model, leaf, bones, anims=None):
        self.world = p3d.NodePath("world")
        self.actor = Actor(model, anims or {})
        self.actor.reparent_to(self.world)
        self.skeleton = read_actor(self.actor, self.world)
        self.motion = read_motion(self.actor)
        self.document = StudioDocument.new(self.skeleton, "", "test")
        self.document.do(add_chain, leaf, bones, name="chain")
        self.leaf, self.bones = leaf, bones

    def limits(self):
        return self.document.parts.parts("chains")["chain"].parts("limits")

    def largest_gap(self, **given):
        """Hold all animated poses by a chain with the limits; the largest gap."""
        from ikrig.formats.rig_file import make_limit

        limits = {joint: make_limit(part) for joint, part in self.limits().items()}
        rig = ikrig.ActorRig(self.actor)
        chain = rig.chain(self.leaf, chain_length=self.bones, limits=limits, **given)
        joint = self.actor.expose_joint(None, "modelRoot", self.leaf)
        worst = 0.0
        for name in self.actor.get_anim_names():
            for frame in range(0, self.actor.get_num_frames(name), 7):
                chain.weight = 0.0
                self.actor.pose(name, frame)
                rig.solve()
                place = joint.get_pos(self.world)
                chain.target.set_pos(self.world, place)
                chain.weight = 1.0
                rig.solve()
                worst = max(worst, chain.result.error)
        rig.detach()
        return worst / self.skeleton.size


@pytest.mark.parametrize(
    ("model", "anims", "leaf", "bones"),
    [
        (str(ASSETS / "humanoid.bam"), None, "LeftHand", 2),
        (str(ASSETS / "humanoid.bam"), None, "RightFoot", 2),
        ("models/panda-model", {"walk": "models/panda-walk4"}, "Bone_lr_foot", 3),
        ("models/panda-model", {"walk": "models/panda-walk4"}, "Bone_rf_foot", 3),
    ],
)
def test_learned_limits_contain_all_animated_poses(model, anims, leaf, bones):
    stage = Stage(model, leaf, bones, anims)
    stage.document.do(
        learn_limits, ("chains", "chain"), stage.motion, margin=radians(1.0)
    )
    assert len(stage.limits()) == bones
    learned = stage.largest_gap()
    assert learned < 2e-3
    # it is a limit: half of each range does not hold what the animations do
    for joint, limit in stage.limits().items():
        values = dict(limit.values)
        for key in ("range", "twist"):
            if key in values:
                values[key] = tuple(0.2 * x for x in values[key])
        if "half_angles" in values:
            values["half_angles"] = tuple(0.2 * x for x in values["half_angles"])
        stage.document.do(set_limit, ("chains", "chain"), joint, Part(joint, values))
    assert stage.largest_gap() > 3.0 * max(learned, 1e-4)


def test_learned_limit_keeps_its_kind_and_axis():
    stage = Stage(str(ASSETS / "humanoid.bam"), "LeftHand", 2)
    hinge = Part("", {"kind": "hinge", "axis": "x", "range": (-0.1, 0.1)})
    stage.document.do(set_limit, ("chains", "chain"), "LeftForeArm", hinge)
    stage.document.do(learn_limits, ("chains", "chain"), stage.motion, "LeftForeArm")
    values = stage.limits()["LeftForeArm"].values
    assert (values["kind"], values["axis"]) == ("hinge", "x")
    assert (
        values["range"] != (-0.1, 0.1) and values["range"][0] <= 0 <= values["range"][1]
    )
    assert list(stage.limits()) == ["LeftForeArm"]
    with pytest.raises(BindError, match="no animations"):
        stage.document.do(learn_limits, ("chains", "chain"), {})


@pytest.mark.parametrize(
    "values",
    [
        {"kind": "hinge", "axis": "z", "range": (-0.5, 1.2)},
        {"kind": "cone", "half_angles": (0.5, 0.4, 0.3, 0.2), "twist": (-0.3, 0.6)},
        {"kind": "ball", "most": 0.7},
        {
            "kind": "axes",
            "axes": ("x", "z"),
            "lower": (-0.4, -0.2),
            "upper": (0.3, 0.5),
        },
        {"kind": "fixed"},
    ],
)
def test_sweep_covers_exactly_the_range(values):
    stage = Stage("models/panda-model", "Bone_lr_foot", 3)
    joint = "Bone_lr_leg_lower"
    stage.document.do(set_limit, ("chains", "chain"), joint, Part("", values))
    frames = limit_frames(stage.document.rig, ("chains", "chain"), joint)
    turns = sweep_of(frames, stage.limits()[joint])
    angles = [np.arccos(np.clip((np.trace(t) - 1) / 2, -1, 1)) for t in turns]
    ends = []
    for key in ("range", "half_angles", "twist", "most", "lower", "upper"):
        found = values.get(key, ())
        ends += [abs(x) for x in (found if isinstance(found, tuple) else (found,))]
    assert max(angles) == pytest.approx(max(ends, default=0.0), abs=1e-6)
    peaks = [
        b for a, b, c in zip(angles, angles[1:], angles[2:], strict=False) if a < b > c
    ]
    # a ball has one angle for all four ways
    ends = ends * 4 if values["kind"] == "ball" else ends
    assert sorted(peaks) == pytest.approx(sorted(ends), abs=1e-6)
    assert max(np.abs(np.diff(angles)), default=0.0) < 0.2 and angles[-1] < 1e-9
    assert max(angles) < pi
