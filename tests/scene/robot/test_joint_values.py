"""Values of joints, compared with brute force over full turns and with scipy."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest
from scipy.spatial.transform import Rotation

import ikrig
from ikrig import Body, Joint, Robot, RobotModel
from ikrig.scene.robot.joint_nodes import RobotJoint
from tests import reference

TURN = 2.0 * math.pi


def only(world: p3d.NodePath, *joints: Joint, **body) -> RobotJoint:
    """The first of a body's joints."""
    robot = Robot(RobotModel([Body("b", joints=joints, **body)]), world)
    return next(iter(robot.joints.values()))


def turned(joint: RobotJoint, rotation: Rotation) -> None:
    """Turn a joint's node as other code does."""
    x, y, z, w = rotation.as_quat()
    joint.node.set_quat(p3d.LQuaternionf(w, x, y, z))


@pytest.mark.parametrize("seed", range(8))
def test_angles_are_the_nearest_or_those_in_the_range(world, seed: int) -> None:
    rng = np.random.default_rng(seed)
    lower, upper = np.sort(rng.uniform(-12.0, 12.0, 2)).tolist()
    axis, start = reference.unit(rng.normal(size=3)), Rotation.random(rng=rng)
    x, y, z, w = start.as_quat()
    first = float(rng.uniform(lower, upper))
    joint = only(
        world,
        Joint("j", axis=axis.tolist(), range=(lower, upper), qpos0=first),
        quat=(w, x, y, z),
    )
    # also from beyond it, as measured values may be
    for last in (*rng.uniform(lower, upper, 12), *rng.uniform(-30, 30, 12)):
        joint.put([float(last)], clamp=False)
        assert joint.value == last
        seen = float(rng.uniform(-math.pi, math.pi))
        turned(joint, start * Rotation.from_rotvec((seen - first) * axis))
        turns = seen + TURN * np.arange(-8, 9)
        nearest = turns[np.abs(turns - last).argmin()]
        inside = turns[(turns >= lower) & (turns <= upper)]
        wanted = nearest
        if len(inside):
            wanted = inside[np.abs(inside - nearest).argmin()]
        assert joint.value == pytest.approx(wanted, abs=2e-5)


@pytest.mark.parametrize("kind", ["hinge", "slide"])
def test_rounding_leaves_no_value_beyond_its_range(world, kind: str) -> None:
    joint = only(world, Joint("j", kind, axis="z", range=(-1.0, 1.0)))
    # a ten thousandth, which single precision may cost
    for beyond, kept in ((5e-5, True), (1.5e-4, False)):
        for end in (-1.0, 1.0):
            at = end * (1.0 + beyond)
            joint.value = 0.9 * end
            if kind == "hinge":
                turned(joint, Rotation.from_rotvec([0, 0, at]))
            else:
                joint.node.set_z(at)
            assert joint.value == pytest.approx(end if kept else at, abs=2e-6)
            assert (joint.value == end) == kept
            limit = joint.limit
            assert limit.lower <= 1e-12 or not kept
            assert limit.upper >= -1e-12 or not kept


@pytest.mark.parametrize("most", [0.4, 1.5, 3.0, 3.1, math.pi, 4.0])
def test_balls_turn_as_far_as_their_range_in_every_direction(world, most):
    rng = np.random.default_rng(int(10 * most))
    start = Rotation.random(rng=rng)
    x, y, z, w = start.as_quat()
    joint = only(world, Joint("j", "ball", range=(0.0, most)), quat=(w, x, y, z))
    for _ in range(20):
        given = Rotation.from_rotvec(
            rng.uniform(0.05, 3.1) * reference.unit(rng.normal(size=3))
        )
        x, y, z, w = given.as_quat().tolist()
        # of any length and either sign
        size = rng.uniform(0.2, 5.0) * rng.choice([-1.0, 1.0])
        joint.value = [size * part for part in (w, x, y, z)]
        way = given.as_rotvec()
        angle = min(np.linalg.norm(way), most)
        wanted = Rotation.from_rotvec(angle * reference.unit(way))
        w, *xyz = joint.value
        found = Rotation.from_quat([*xyz, w])
        assert (found * wanted.inv()).magnitude() == pytest.approx(0.0, abs=1e-6)
        w, *xyz = joint.node.get_quat()
        shown = Rotation.from_quat([*xyz, w])
        assert (shown * (start * wanted).inv()).magnitude() < 1e-5
        limit = joint.limit
        if most >= math.pi:
            assert limit is None
        else:
            assert limit.most == pytest.approx(max(most - angle, 1e-4), abs=1e-6)
    # no rotation at all is none
    joint.value = (0.0, 0.0, 0.0, 0.0)
    x, y, z, w = start.as_quat()
    assert abs(np.dot(joint.node.get_quat(), (w, x, y, z))) == pytest.approx(1.0)


@pytest.mark.parametrize("kind", ["ball", "free"])
def test_quaternions_keep_their_sign_while_they_turn(world, kind: str) -> None:
    joint = only(world, Joint("j", kind))
    axis, last = reference.unit([1, -2, 0.5]), None
    for angle in np.arange(0.0, 4.0 * TURN, 0.7):
        # as the engine has it: of either sign
        x, y, z, w = Rotation.from_rotvec(angle * axis).as_quat()
        joint.node.set_quat(p3d.LQuaternionf(w, x, y, z))
        found = np.array(joint.value)[-4:]
        whole = [math.cos(0.5 * angle), *(math.sin(0.5 * angle) * axis)]
        assert found == pytest.approx(whole, abs=1e-5)
        assert last is None or found @ last > 0.0
        last = found


def test_nodes_that_are_nowhere_keep_their_last_values(world) -> None:
    for kind, value in (("hinge", 0.5), ("slide", 0.25), ("free", None)):
        joint = only(world, Joint("j", kind, axis="z"))
        if value is not None:
            joint.value = value
        before = np.array(joint.values)
        nowhere = p3d.LMatrix4f(p3d.LMatrix4f.ident_mat())
        nowhere.set_cell(0, 0, math.inf)
        nowhere.set_cell(3, 2, math.inf)
        joint.node.node().set_transform(p3d.TransformState.make_mat(nowhere))
        assert np.array_equal(joint.values, before)


@pytest.mark.parametrize(
    ("lead", "follower", "factor", "added", "kept"),
    [
        # a leader without ends gets those of its follower
        ((-math.inf, math.inf), (-1.0, 3.0), 2.0, 1.0, (-1.0, 1.0)),
        ((-math.inf, math.inf), (-1.0, 3.0), -2.0, 1.0, (-1.0, 1.0)),
        ((-math.inf, 0.5), (-1.0, 3.0), 0.5, 0.0, (-2.0, 0.5)),
        # by a hundredth of its own range it need not be narrower
        ((-1.0, 1.0), (-0.985, 2.0), 1.0, 0.0, (-1.0, 1.0)),
        ((-1.0, 1.0), (-0.975, 2.0), 1.0, 0.0, (-0.975, 1.0)),
        ((-1.0, 1.0), (-2.0, 0.985), 1.0, 0.0, (-1.0, 1.0)),
        ((-1.0, 1.0), (-2.0, 0.975), 1.0, 0.0, (-1.0, 0.975)),
        # and that much has to be left
        ((-1.0, 1.0), (0.985, 2.0), 1.0, 0.0, (-1.0, 1.0)),
        ((-1.0, 1.0), (0.975, 2.0), 1.0, 0.0, (0.975, 1.0)),
        # these leave it nothing
        ((-1.0, 1.0), (2.5, 3.0), 1.0, 0.0, (-1.0, 1.0)),
        ((-1.0, 1.0), (1.0, 1.5), 1.0, 0.0, (-1.0, 1.0)),
        # who never moves its follower keeps its range
        ((-1.0, 1.0), (-0.1, 0.1), 0.0, 0.0, (-1.0, 1.0)),
    ],
)
def test_ranges_are_narrowed_to_those_of_followers(
    world, lead, follower, factor, added, kept
):
    joints = [
        Joint("lead", axis="z", range=lead),
        Joint(*("wheel", "hinge", "y"), range=follower, mimic="lead", multiplier=factor,
              offset=added),
    ]  # fmt: skip
    robot = Robot(RobotModel([Body("b", joints=joints)]), world)
    joint, wheel = robot.joints.values()
    assert joint.range == pytest.approx(kept)
    low, high = sorted(factor * value + added for value in kept)
    inside = low > follower[0] - 0.02 and high < follower[1] + 0.02
    # as wide as before and yet kept: nothing to say
    said = [text for text in robot.warnings if "follows" in text]
    assert bool(said) == (not inside or kept != lead)
    for value in (-0.5, 0.25, 9.0, -9.0):
        joint.value = value
        assert joint.value == pytest.approx(min(max(value, kept[0]), kept[1]))
        assert wheel.value == pytest.approx(factor * joint.value + added)
        now = factor * joint.value + added - wheel.value
        assert wheel.limit.follows == ("lead", factor, pytest.approx(now, abs=1e-9))
    if factor:
        # whoever is set, both move
        joint.value = 0.1
        wheel.value = factor * kept[1] + added
        assert joint.value == pytest.approx(kept[1])
    else:
        wheel.value = 0.05
        assert wheel.value == 0.0


def test_limits_of_followers_say_how_far_they_are_behind(world) -> None:
    joint = only(
        world,
        Joint("lead", axis="z"),
        Joint("rod", "slide", "x", mimic="lead", multiplier=0.5, offset=0.25),
    )
    joint.value = 0.6
    (rod,) = joint.followers
    # other code has moved its node
    rod.node.set_x(rod.node.get_x() + 0.125)
    limit = rod.limit
    assert isinstance(limit, ikrig.SlideLimit)
    assert limit.follows == ("lead", 0.5, pytest.approx(-0.125, abs=1e-6))
