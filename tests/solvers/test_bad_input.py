"""Invalid limits, trees and custom solvers are refused with clear messages."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import (
    ChainModel,
    HingeLimit,
    IkrigError,
    SettingError,
    SkeletonModel,
    register_solver,
)
from ikrig.solvers import MultiEffectorSolver, make_solver, registry, solver_names

HINGE = HingeLimit("x", -1.0, 1.0)
NAMES = ("hip", "knee", "ankle", "toe")
CHAIN = ChainModel([[0, 0.1 * (i % 2), i] for i in range(4)], names=NAMES)
# two arms on a spine
TREE = SkeletonModel(
    [[0, 0, 0], [0, 0, 1], [-0.5, 0, 1], [-1, 0.1, 1], [0.5, 0, 1], [1, 0.1, 1]],
    [-1, 0, 1, 2, 1, 4],
    names=["pelvis", "spine", "arm l", "hand l", "arm r", "hand r"],
)
REST = TREE.positions[[3, 5]]

BAD_LIMITS = {
    "list": ([HINGE], "dict"),
    "limit": (HINGE, "dict"),
    "word": ("knee", "dict"),
    "number": (5, "dict"),
    "unknown": ({"elbow": HINGE}, "'elbow' is not a joint here; available: hip, knee"),
    "too high": ({4: HINGE}, "4 is not a joint here"),
    "too low": ({-5: HINGE}, "-5 is not a joint here"),
    "truth": ({True: HINGE}, "True is not a joint here"),
    "fraction": ({1.0: HINGE}, "1.0 is not a joint here"),
    "none": ({"knee": None}, "'knee' must have a HingeLimit"),
    "class": ({"knee": HingeLimit}, "'knee' must have a HingeLimit"),
    "name and index": (
        {"knee": HINGE, 1: HINGE},
        "1 is joint 1, knee, which already has",
    ),
    "two indices": ({1: HINGE, -3: HINGE}, "-3 is joint 1, knee, which already has"),
}


@pytest.mark.parametrize("what", BAD_LIMITS)
@pytest.mark.parametrize("name", ["fabrik", "dls"])
def test_limits_of_unknown_joints_are_named(what, name):
    limits, text = BAD_LIMITS[what]
    with pytest.raises(SettingError) as caught:
        make_solver(name, CHAIN, limits)
    assert text in str(caught.value)


def test_ambiguous_joint_name_is_refused():
    twins = ChainModel(CHAIN.positions, names=["hip", "knee", "knee", "toe"])
    with pytest.raises(SettingError, match="'knee' is the name of several joints"):
        make_solver("dls", twins, {"knee": HINGE})


@pytest.mark.parametrize("key", ["knee", 1, -3, np.int64(1), np.int32(-3)])
def test_joints_by_name_and_by_index_from_both_ends(key):
    solver = make_solver("dls", CHAIN, {key: HINGE})
    assert list(solver.joint_angles) == [1]


BAD_TREES = {
    "no effectors": ({"effectors": []}, "at least one, not []"),
    "a number": ({"effectors": 5}, "at least one, not 5"),
    "unknown": ({"effectors": ["foot"]},
     "'foot' is not a joint here; available: pelvis"),
    "fraction": ({"effectors": [3.0]}, "3.0 is not a joint"),
    "truth": ({"effectors": [True]}, "True is not a joint"),
    "twice": ({"effectors": ["hand l", 3]},
     "3 is joint 3, hand l, which is given twice"),
    "from the end": ({"effectors": [-1, 5]},
     "5 is joint 5, hand r, which is given twice"),
    "limits": ({"limits": [HINGE]}, "limits must be a dict"),
    "unknown method": ({"method": "fabrick"}, "did you mean 'fabrik'"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD_TREES)
def test_invalid_trees_are_refused(what):
    arguments, text = BAD_TREES[what]
    with pytest.raises(SettingError) as caught:
        MultiEffectorSolver(TREE, **arguments)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    "arguments",
    [
        {"goals": 5},
        {"goals": [[0, 0, 1]]},
        {"goals": [[0, 0], [1, 1]]},
        {"rotations": [None]},
        {"rotations": [5, 5]},
        {"weights": [1.0]},
        {"weights": ["1", 1.0]},
        {"orientation_weights": [1.0]},
        {"poles": []},
        {"poles": [None]},
        {"poles": [None, None, None]},
        {"root": 5},
        {"settings": None},
        {"settings": {"weight": 1.0}},
    ],
)
def test_arguments_of_the_wrong_shape_are_errors(arguments):
    with pytest.raises(SettingError, match=next(iter(arguments))):
        MultiEffectorSolver(TREE).solve(**{"goals": REST, **arguments})


@pytest.mark.parametrize(
    ("name", "factory", "text"),
    [
        ("fabrik", HINGE.__class__, "'fabrik'"),
        ("two words", HINGE.__class__, "'two words'"),
        ("", HINGE.__class__, "''"),
        (None, HINGE.__class__, "None"),
        ("mine", None, "not None"),
        ("mine", 5, "not 5"),
    ],
)
def test_invalid_solver_names_and_factories_are_refused(name, factory, text):
    with pytest.raises(SettingError) as caught:
        register_solver(name, factory)
    assert text in str(caught.value)
    assert "mine" not in solver_names()


@pytest.mark.parametrize("made", [None, 5, CHAIN])
def test_factory_that_returns_no_solver_is_refused_at_set_up(made, monkeypatch):
    monkeypatch.setattr(registry, "_factories", dict(registry._factories))
    register_solver("broken", lambda model, limits: made)
    with pytest.raises(IkrigError) as caught:
        make_solver("broken", CHAIN)
    text = str(caught.value)
    assert "'broken'" in text
    assert "set_pose" in text
