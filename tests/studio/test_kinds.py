"""Every kind of limit and behaviour, from the registries: files, code, studio.

A new kind is tested here without a line of its own; ``tests/test_additions.py`` runs
this on a tree with one more of each.
"""

from __future__ import annotations

import ast
from pathlib import Path

import jsonschema
import numpy as np
import panda3d.core as p3d
import pytest
import yaml
from direct.actor.Actor import Actor

import ikrig
from ikrig.cli.summaries import describe_rig as describe
from ikrig.clip import CHANNELS
from ikrig.formats.rig_file import make_limit, rig_schema, rig_text
from ikrig.formats.rig_file.sections import BEHAVIOURS, COMMON, limit_part, new_limit
from ikrig.model.limits import LIMITS
from ikrig.records import Field, Named
from ikrig.studio.document.adding import add_behaviour, add_chain
from ikrig.studio.document.changing import set_limit, set_value
from ikrig.studio.document.edited_rig import same
from ikrig.studio.document.mirroring import mirror_chain, mirrored_limit
from ikrig.studio.document.rig_file import read_rig
from ikrig.studio.document.studio_document import StudioDocument
from ikrig.studio.view.model_reader import read_actor
from tests import limit_oracle, reference

HUMANOID = Path(__file__).parents[2] / "assets" / "models" / "humanoid.bam"
BY_KIND = list(BEHAVIOURS)
OWNER, JOINT = ("chains", "left_hand"), "LeftForeArm"
FIRST = {kind: make_limit(new_limit("", kind)) for kind in LIMITS}
# the oracle knows several axes only as x, y and z: see test_mirroring
MIRRORED = [
    kind
    for kind, limit in FIRST.items()
    if limit.ranges(np.eye(3)[2]) and not isinstance(limit.basic(), ikrig.AxesLimit)
]


@pytest.fixture
def world():
    return p3d.NodePath("world")


@pytest.fixture
def document(world):
    actor = Actor(str(HUMANOID))
    actor.reparent_to(world)
    document = StudioDocument.new(read_actor(actor, world), str(HUMANOID), "human")
    document.do(add_chain, "LeftHand", name="left_hand")
    return document


def checked(document, path):
    """The file of a document, after comparing it with the schema and the document."""
    text = rig_text(document.parts)
    jsonschema.validate(yaml.safe_load(text), rig_schema())
    path.write_text(text)
    assert same(read_rig(path), document.parts)
    return path


def built(document):
    """The Actor's rig that the exported code makes."""
    actor, space, world = Actor(str(HUMANOID)), {}, p3d.NodePath("other")
    actor.reparent_to(world)
    exec(compile(document.python, "built.py", "exec"), space)
    return space["build_rig"](actor, world)[0]


@pytest.mark.parametrize("kind", LIMITS)
def test_limits_from_the_menu_to_the_solver(kind, document, world, tmp_path):
    document.do(set_limit, OWNER, JOINT, new_limit(JOINT, kind))
    given = FIRST[kind]
    path = checked(document, tmp_path / "rig.yaml")
    if isinstance(given.basic(), ikrig.SlideLimit):
        with pytest.raises(ikrig.RigFileError, match="can't slide"):
            ikrig.load_rig(path, parent=world, allow=[HUMANOID.parent])
        return
    rig = ikrig.load_rig(path, parent=world, allow=[HUMANOID.parent])
    told = describe(path, None, [HUMANOID.parent])["chains"][0]["limits"]
    assert all(text.startswith(kind) for text in told.values())
    assert rig.chains["left_hand"].limits.get(JOINT, given) == given
    again = tmp_path / "again.yaml"
    ikrig.dump_rig(rig, again)
    (limit,) = read_rig(again).parts("chains")["left_hand"].parts("limits").values()
    assert make_limit(limit) == given
    (chain,) = built(document).layers
    # an Actor's joint that is fixed is part of the bone above
    fixed = isinstance(given.basic(), ikrig.FixedLimit)
    assert chain.limits == ({} if fixed else {JOINT: given})


@pytest.mark.parametrize("kind", LIMITS)
def test_every_value_of_a_limit_can_be_set(kind, document):
    document.do(set_limit, OWNER, JOINT, new_limit(JOINT, kind))
    path = ("chains", "left_hand", "limits", JOINT)
    values = limit_part("", FIRST[kind]).values
    for key, value in values.items():
        if key != "kind":
            document.do(set_value, (*path, key), value)
    (limit,) = document.parts.parts("chains")["left_hand"].parts("limits").values()
    assert limit.values == values


@pytest.mark.parametrize("ends", [{"lower": (-1.0, 0.0)}, {"upper": (0.5, 1.0)}])
def test_axes_may_be_open_to_one_side(ends, document, world, tmp_path):
    limit = ikrig.AxesLimit("xz", **ends)
    assert limit.values() == {"axes": ("x", "z"), **ends}
    document.do(set_limit, OWNER, JOINT, limit_part("", limit))
    path = checked(document, tmp_path / "rig.yaml")
    (chain,) = describe(path, None, [HUMANOID.parent])["chains"]
    assert "inf" in chain["limits"][JOINT]
    assert built(document).layers[0].limits == {JOINT: limit}


@pytest.mark.parametrize("kind", MIRRORED)
def test_mirrored_limits_allow_mirrored_turns(kind, document):
    limit = FIRST[kind]
    frame = tuple(map(tuple, np.eye(3)))
    other = make_limit(mirrored_limit(limit_part("", limit), frame, frame))
    across, rng = np.diag([-1.0, 1.0, 1.0]), np.random.default_rng(5)
    inside = 0
    for scale in np.linspace(0.1, 2.5, 80):
        bone = reference.unit(rng.normal(size=3))
        turn = limit_oracle.random_turn(rng, limit.basic(), bone)
        if scale > 1.0:
            turn = turn @ reference.axis_angle(rng.normal(size=3), scale)
        before = limit_oracle.excess(limit.basic(), turn, bone)
        after = limit_oracle.excess(
            other.basic(), across @ turn @ across, across @ bone
        )
        assert after == pytest.approx(before, abs=1e-5)
        inside += before < 1e-6
    assert 20 < inside < 80
    document.do(set_limit, OWNER, JOINT, limit_part("", limit))
    document.do(mirror_chain, "left_hand")
    assert document.parts.parts("chains")["right_hand"].parts("limits")


@pytest.mark.parametrize("kind", BY_KIND)
def test_behaviours_from_the_menu_to_the_frame(kind, document, world, tmp_path):
    document.do(add_behaviour, kind, "RightHand")
    assert COMMON.keys() <= BEHAVIOURS[kind].record.fields.keys()
    rig = ikrig.load_rig(
        checked(document, tmp_path / "rig.yaml"), parent=world, allow=[HUMANOID.parent]
    )
    behaviour = rig.behaviours[kind]
    assert type(behaviour) is BEHAVIOURS[kind]
    for _ in range(3):
        rig.solve()
    behaviour.weight = 0.25
    again = tmp_path / "again.yaml"
    ikrig.dump_rig(rig, again)
    values = read_rig(again).parts("behaviours")[kind].values
    own = document.parts.parts("behaviours")[kind].values
    assert values.pop("weight") == 0.25 and same(values, own)
    code = built(document)
    assert any(type(layer) is type(behaviour) for layer in code.layers)
    # written without a file, its entry makes the same again
    ikrig.dump_rig(code, again)
    assert read_rig(again).parts("behaviours")[kind].values["kind"] == kind


@pytest.mark.parametrize("kind", BY_KIND)
def test_weights_of_a_behaviours_joints_can_be_set(kind, document):
    document.do(add_behaviour, kind, "RightHand")
    own = document.parts.parts("behaviours")[kind]
    for key, field in BEHAVIOURS[kind].record.fields.items():
        if isinstance(field, Named) and isinstance(field.item, Field):
            for joint in own.parts(key):
                path = ("behaviours", kind, key, joint)
                document.do(set_value, path, 0.375)
                assert document.rig.value(path) == 0.375
                assert f"{joint}: 0.375" in document.text
                with pytest.raises(ikrig.SettingError, match="number"):
                    document.do(set_value, path, "much")


@pytest.mark.parametrize("kind", BY_KIND)
def test_behaviours_are_described(kind):
    made = BEHAVIOURS[kind]
    assert made.title and made.record.about.endswith(".")
    for field in made.record.fields.values():
        assert field.about.endswith(".")


def test_the_studio_names_no_kind():
    """A new one is in its lists because it is in the registries."""
    made = {**LIMITS, **BEHAVIOURS}.values()
    keys = {key for each in made for key in each.record.fields}
    # a hand is also the key of a behaviour, a slide also a channel
    kinds = {*LIMITS, *BEHAVIOURS} - keys - CHANNELS.keys()
    assert len(kinds) > 8
    folder = Path(ikrig.__file__).with_name("studio")
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            word = node.value if isinstance(node, ast.Constant) else None
            assert word not in kinds, f"{path.name}, line {node.lineno}: {word!r}"


def test_the_studio_shows_every_kind(studio):
    studio.key("enter")
    studio.frames(2)
    document, session = studio.session.document, studio.session
    document.do(add_chain, "LeftHand", name="left_hand")
    for kind in LIMITS:
        document.do(set_limit, OWNER, JOINT, new_limit(JOINT, kind))
        session.select("limits", JOINT, OWNER)
        studio.frames(3)
        if isinstance(FIRST[kind].basic(), ikrig.SlideLimit):
            # the scene refuses it, and keeps the limit before
            continue
        arcs = studio.app.viewport.overlay.arcs
        assert len(arcs) == len(FIRST[kind].ranges(np.eye(3)[2])), kind
    titles = {action.name for action in session.actions}
    for kind, made in BEHAVIOURS.items():
        assert f"Add {made.title}" in titles
        document.do(add_behaviour, kind, "RightHand")
        session.select("behaviours", kind)
        studio.frames(3)
    assert not studio.app.faults
