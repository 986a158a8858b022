"""A limit that nothing but its own class knows: all of ikrig takes it."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians
from types import MappingProxyType

import numpy as np
import pytest

import ikrig
from ikrig import BindError, HingeLimit
from ikrig.formats.rig_file import Part, make_limit
from ikrig.formats.rig_file.sections import BEHAVIOUR, limit_part, new_limit
from ikrig.model.limits import LIMITS, Limit
from ikrig.records import Field, Record
from ikrig.scene.gizmos import limit_shapes
from ikrig.studio.document.adding import add_behaviour, add_chain
from ikrig.studio.document.changing import set_limit
from ikrig.studio.document.learning import learn_limits, limit_frames, sweep_of
from ikrig.studio.document.mirroring import mirror_chain, mirrored_limit
from ikrig.studio.document.studio_document import StudioDocument
from ikrig.value_shapes import Axis, Number
from tests import limit_oracle, reference

from .skeletons import person


@pytest.fixture
def sway():
    """A limit about one axis with the same bound in both directions."""

    @dataclass(frozen=True)
    class SwayLimit(Limit):
        kind = "sway"
        record = Record(
            "sway",
            "Rotation about one axis, as far to both sides.",
            {
                "axis": Field(Axis(), "The axis.", True),
                "most": Field(Number("an angle", 0.0), "The angle.", degrees=True),
            },
        )
        first = MappingProxyType({"axis": "x"})

        axis: tuple[float, float, float] | str
        most: float = 0.5

        def basic(self):
            return HingeLimit(self.axis, -self.most, self.most)

    yield SwayLimit
    del LIMITS["sway"]


def limited(limit):
    document = StudioDocument.new(person(), "", "person")
    document.do(add_chain, "LeftHand", name="left_hand")
    document.do(
        set_limit, ("chains", "left_hand"), "LeftForeArm", limit_part("", limit)
    )
    return document


def test_new_limit_is_written_with_its_values(sway):
    values = {"kind": "sway", "axis": (0.0, 0.6, 0.8), "most": 0.25}
    assert limit_part("arm", make_limit(Part("arm", dict(values)))).values == values
    assert limit_part("arm", sway("x", 0.5)).values == {"kind": "sway", "axis": "x"}
    assert make_limit(new_limit("arm", "sway")) == sway("x")


def test_new_limit_is_mirrored_by_its_record(sway):
    limit = sway((0.3, -0.5, 0.8), 0.4)
    document = limited(limit)
    document.do(mirror_chain, "left_hand")
    (there,) = document.parts.parts("chains")["right_hand"].parts("limits").values()
    assert (there.values["kind"], there.values["most"]) == ("sway", 0.4)
    rng = np.random.default_rng(3)
    across = np.diag([-1.0, 1.0, 1.0])
    own = mirrored_limit(limit_part("", limit), np.eye(3).tolist(), np.eye(3).tolist())
    other = make_limit(own).basic()
    for _ in range(50):
        turn = reference.axis_angle(limit.axis, rng.uniform(-1.0, 1.0))
        bone = reference.unit(rng.normal(size=3))
        before = limit_oracle.excess(limit.basic(), turn, bone)
        after = limit_oracle.excess(other, across @ turn @ across, across @ bone)
        assert after == pytest.approx(before, abs=1e-5)


def test_new_limit_holds_and_is_drawn(sway):
    model = ikrig.ChainModel([[0, 0, 0], [0, 0.1, 1], [0, 0, 2]])
    limit = sway("x", 0.3)
    solver = ikrig.FabrikSolver(model, {0: limit})
    solver.solve([1.0, 2.0, -1.0])
    turn = reference.matrix(solver.rotations[0])
    assert limit_oracle.excess(limit.basic(), turn, np.array([0.0, 0.1, 1.0])) < 1e-6
    assert limit_shapes._parts(limit.basic(), (0.0, 0.0, 1.0))
    (drawn,) = limit.ranges(np.array([0.0, 0.0, 1.0]))
    assert (drawn.lower, drawn.upper) == (-0.3, 0.3)


def test_new_limit_is_swept_but_not_learned(sway):
    document = limited(sway("x", 0.3))
    where = document.rig, ("chains", "left_hand"), "LeftForeArm"
    (limit,) = document.parts.parts("chains")["left_hand"].parts("limits").values()
    turns = sweep_of(limit_frames(*where), limit)
    angles = [np.arccos(np.clip((np.trace(t) - 1) / 2, -1, 1)) for t in turns]
    assert max(angles) == pytest.approx(0.3)
    motion = {"LeftForeArm": np.array([np.eye(3)] * 2)}
    with pytest.raises(BindError, match="not one that is learned"):
        document.do(learn_limits, ("chains", "left_hand"), motion, "LeftForeArm")


def test_new_limit_can_be_shown_and_changed(sway, studio):
    studio.key("enter")
    studio.frames(2)
    document, session = studio.session.document, studio.session
    owner = ("chains", "left_hand")
    document.do(set_limit, owner, "LeftForeArm", new_limit("LeftForeArm", "sway"))
    session.select("limits", "LeftForeArm", owner)
    studio.frames(5)
    assert not studio.app.faults
    (arc,) = studio.app.viewport.overlay.arcs
    assert (arc.lower, arc.upper) == (-0.5, 0.5)
    session.sweep()
    assert session.log[-1].kind == "note"


@pytest.mark.parametrize("kind", LIMITS)
def test_every_limit_can_be_begun(kind):
    limit = make_limit(new_limit("arm", kind))
    assert limit_part("arm", limit).values == new_limit("arm", kind).values
    assert all(abs(part.upper) <= radians(180) for part in limit.ranges(np.eye(3)[2]))


def test_studio_can_begin_every_behaviour():
    document = StudioDocument.new(person(), "", "person")
    for kind in BEHAVIOUR.kinds:
        assert document.do(add_behaviour, kind, "LeftHand")
