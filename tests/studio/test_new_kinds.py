"""A limit that the studio was not written for: it is right, or says that it isn't."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import BallLimit, BindError, SettingError
from ikrig.formats.rig_file import Part, limit_fields, make_limit
from ikrig.formats.rig_file.behaviour_fields import BEHAVIOUR
from ikrig.formats.rig_file.limit_fields import LIMIT, limit_part
from ikrig.formats.rig_file.record_types import Record
from ikrig.scene.gizmos import limit_shapes
from ikrig.studio.document import StudioDocument
from ikrig.studio.document.adding import add_behaviour, add_chain
from ikrig.studio.document.changing import NEW_LIMITS, set_limit
from ikrig.studio.document.learning import learn_limits, ranges_of
from ikrig.studio.document.mirroring import mirror_chain
from ikrig.value_shapes import Axis, Field, Number

from .skeletons import person


@dataclass(frozen=True)
class RollLimit:
    """Turns about an axis by as much to the left as the first angle says."""

    axis: tuple[float, float, float]
    left: float
    right: float

    def in_space(self, space):
        x, y, z = (space @ np.array(self.axis)).tolist()
        mirrors = np.linalg.det(space) < 0.0
        left, right = (self.right, self.left) if mirrors else (self.left, self.right)
        return replace(self, axis=(x, y, z), left=left, right=right)


ROLL = Record(
    "roll",
    "A new kind.",
    {
        "axis": Field(Axis(), "The axis.", True),
        "left": Field(Number(), "One angle.", True, degrees=True),
        "right": Field(Number(), "The other.", True, degrees=True),
    },
)
VALUES = {"kind": "roll", "axis": (1.0, 0.0, 0.0), "left": 0.25, "right": 0.5}


@pytest.fixture
def roll(monkeypatch):
    monkeypatch.setitem(limit_fields.TYPES, "roll", RollLimit)
    monkeypatch.setitem(LIMIT.kinds, "roll", ROLL)


def limited():
    document = StudioDocument.new(person(), "", "person")
    document.do(add_chain, "LeftHand", name="left_hand")
    document.do(set_limit, "chains/left_hand", "LeftForeArm", Part("", dict(VALUES)))
    return document


def test_new_limit_is_mirrored_by_its_own_rule(roll):
    document = limited()
    document.do(mirror_chain, "left_hand")
    (limit,) = document.parts.parts("chains")["right_hand"].parts("limits").values()
    assert limit.values["kind"] == "roll"
    assert (limit.values["left"], limit.values["right"]) == (0.5, 0.25)


def test_new_limit_is_written_with_its_values(roll):
    part = limit_part("arm", make_limit(Part("arm", dict(VALUES))))
    assert part.values == VALUES
    assert limit_part("arm", BallLimit(1.0)).values == {"kind": "ball", "most": 1.0}


def test_what_the_studio_cannot_do_with_it_is_an_error(roll):
    document = limited()
    with pytest.raises(BindError, match="limits of kind roll"):
        list(ranges_of(np.array([0.0, 0.0, 1.0]), Part("", dict(VALUES))))
    motion = {"LeftForeArm": np.array([np.eye(3)] * 2)}
    with pytest.raises(BindError, match="not one that is learned"):
        document.do(learn_limits, "chains/left_hand", motion, "LeftForeArm")


def test_gizmos_say_what_they_cannot_draw(roll, capfd):
    limit_shapes._parts.cache_clear()
    roll = RollLimit((1.0, 0.0, 0.0), 0.25, 0.5)
    for _ in range(3):
        assert limit_shapes._parts(roll, (0.0, 0.0, 1.0)) == []
    assert capfd.readouterr().err.count("no drawing for a RollLimit") == 1


def test_new_limit_can_be_shown_and_changed(roll, studio):
    studio.key("enter")
    studio.frames(2)
    document, session = studio.session.document, studio.session
    owner = "chains/left_hand"
    document.do(set_limit, owner, "LeftForeArm", Part("", dict(VALUES)))
    session.select("limit", "LeftForeArm", owner)
    studio.frames(5)
    assert not studio.app.faults
    session.sweep()
    assert "kind roll" in session.log[-1].text
    assert isinstance(studio.session.live.parent, p3d.NodePath)


def test_studio_can_begin_every_kind():
    """A new kind needs an entry there."""
    assert NEW_LIMITS.keys() == LIMIT.kinds.keys()
    document = StudioDocument.new(person(), "", "person")
    for kind in BEHAVIOUR.kinds:
        assert document.do(add_behaviour, kind, "LeftHand")


def test_behaviour_that_it_cannot_begin_is_named(monkeypatch):
    monkeypatch.setitem(BEHAVIOUR.kinds, "nod", BEHAVIOUR.kinds["feet"])
    document = StudioDocument.new(person(), "", "person")
    with pytest.raises(SettingError, match="can't begin a nod: write it as YAML"):
        document.do(add_behaviour, "nod", "LeftHand")
