"""What holds for every layer of a crowd that keeps something from frame to frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig.character.crowd_levels import LAYERS

from . import test_crowd_body as body
from . import test_crowd_springs as springs
from . import test_crowd_warps as warps
from .twins import TIME, follow, places_of, plain_of


class Kind(NamedTuple):
    """A layer of all members, and what leads it."""

    led: Callable[..., tuple[ikrig.Crowd, Any]]
    lead: Callable[..., None]
    arrays: Callable[[Any], list[Any]]
    """The arrays of numbers that it takes."""
    joints: tuple[str, ...]
    """Some of those that it moves."""
    gap: float
    """Largest difference of a promoted member [m]."""


KINDS = {
    "body": Kind(
        body.led,
        lambda crowd, layer, frame: body.lead(crowd, layer, frame + 40),
        lambda layer: [layer.weights, layer["left_hand"].targets],
        ("LeftHand", "Head", "Hips", "RightFoot"),
        1e-5,
    ),
    "springs": Kind(
        springs.led, springs.lead, lambda layer: [layer.weights], ("LeftHand",), 1e-5
    ),
    "warps": Kind(
        warps.led,
        warps.lead,
        lambda layer: [layer.weights],
        ("LeftHand", "Head", "LeftFoot", "RightToeBase"),
        1e-3,
    ),
}


@pytest.fixture(params=KINDS)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def test_they_do_not_depend_on_threads(name):
    kind, found = KINDS[name], []
    for threads in (1, 2):
        crowd, layer = kind.led(260)
        crowd.threads = threads
        for frame in range(20):
            kind.lead(crowd, layer, 5 * frame)
            crowd.update(TIME)
        found.append(places_of(crowd))
    assert np.array_equal(*found)


def test_they_go_on_where_a_promoted_member_is_and_was(name):
    kind = KINDS[name]
    pairs = [kind.led() for _ in range(2)]
    crowd, other = (pair[0] for pair in pairs)
    rig = None
    for frame in range(90):
        for pair in pairs:
            kind.lead(*pair, frame)
        if frame == 30:
            rig = crowd.promote(1)
        if frame == 60:
            crowd.demote(1)
            rig = None
        crowd.update(TIME)
        other.update(TIME)
        for joint in kind.joints:
            found = crowd.joint_positions(joint)[1]
            if rig is not None:
                found = np.array(rig.joint(joint).get_pos(crowd.parent))
            gap = np.abs(found - other.joint_positions(joint)[1]).max()
            assert gap < kind.gap, (frame, joint)


def test_a_level_without_them_leaves_poses_as_they_are(name):
    kind = KINDS[name]
    crowd, layer = kind.led()
    plain = plain_of(crowd)
    camera = p3d.NodePath(p3d.Camera("camera", p3d.PerspectiveLens()))
    camera.reparent_to(crowd.parent)
    camera.set_pos(6.0, -40.0, 1.0)
    others = [layer for layer in LAYERS if layer != name]
    crowd.camera = camera
    joint = kind.joints[0]
    for layers, is_plain in ((others, True), (LAYERS, False)):
        crowd.levels = [ikrig.CrowdLevel(layers=layers)]
        for frame in range(20):
            kind.lead(crowd, layer, 20 + frame)
            follow(plain, crowd)
            crowd.update(TIME)
            plain.update(TIME)
        away = crowd.joint_positions(joint) - plain.joint_positions(joint)
        assert (np.abs(away).max() < 1e-5) == is_plain


def test_one_that_is_not_finite_keeps_its_pose_and_others_follow(name):
    kind = KINDS[name]
    crowd, layer = kind.led()
    for frame in range(20):
        kind.lead(crowd, layer, frame)
        crowd.update(TIME)
    for array in kind.arrays(layer):
        before, kept = places_of(crowd), array[1].copy()
        array[1] = np.nan
        for _ in range(30):
            crowd.positions[:, 2] += 0.01
            crowd.update(TIME)
        after = places_of(crowd)
        assert np.flatnonzero(crowd.bad).tolist() == [1]
        assert np.array_equal(before[:, 1], after[:, 1])
        assert np.isfinite(after).all() and (before[:, 2] != after[:, 2]).any()
        array[1] = kept
        crowd.update(TIME)
        assert not crowd.bad.any()
