"""Forward kinematics and Jacobians against matrices and differences."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import (
    Body,
    Geom,
    Joint,
    ModelError,
    RobotModel,
    RobotState,
    Site,
    forward_kinematics,
)
from tests import random_robots, reference

SIZES = [2, 3, 5, 9, 17, 33, 60]

arm = RobotModel(
    [
        Body("upper", joints=[Joint("shoulder", axis="y")]),
        Body(
            "lower",
            parent="upper",
            pos=(0, 0, 2),
            joints=[Joint("elbow", axis="y"), Joint("roll", axis="z")],
            sites=[Site("hand", pos=(0, 0, 1))],
        ),
    ],
    name="arm",
)


def moved(rng, count: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(count, 3)), rng.normal(size=(count, 4))


def check(pose, found: dict[str, np.ndarray], row=()) -> None:
    for name, expected in found.items():
        actual = getattr(pose, name)[row]
        assert actual.shape == expected.shape
        assert np.allclose(actual, expected, rtol=0, atol=1e-12)
    turned = reference.matrices(pose.xquat[row])
    assert np.allclose(turned, found["xmat"], rtol=0, atol=1e-12)
    assert np.allclose(np.linalg.norm(pose.xquat[row], axis=-1), 1.0, atol=1e-14)


@pytest.mark.parametrize("count", SIZES)
def test_random_trees_match_matrices(count):
    rng = np.random.default_rng(count)
    bodies = random_robots.random_bodies(rng, count)
    model = RobotModel(bodies)
    state = RobotState(model)
    for qpos in random_robots.random_qpos(rng, bodies, 30):
        pos, quat = moved(rng, len(model.mocap_bodies))
        pose = forward_kinematics(model, qpos, mocap_pos=pos, mocap_quat=quat)
        check(pose, random_robots.forward(bodies, qpos, pos, quat))
        state.qpos[:], state.mocap_pos[:], state.mocap_quat[:] = qpos, pos, quat
        state.update()
        for name in random_robots.OUTPUTS:
            same = getattr(pose, name).tobytes() == getattr(state.pose, name).tobytes()
            assert same, name


@pytest.mark.parametrize("shape", [(), (7,), (2, 3), (0,)])
def test_poses_of_shapes_match_matrices(shape):
    rng = np.random.default_rng(6)
    parts = [
        [Geom("box", pos=rng.normal(size=3), quat=rng.normal(size=4)) for _ in range(n)]
        for n in (2, 0, 3)
    ]
    bodies = [
        Body("a", geoms=parts[0], joints=[Joint("ja", axis="y")]),
        Body("b", "a", (0, 0, 1), geoms=parts[1], joints=[Joint("jb", axis="x")]),
        Body("c", "b", (0, 1, 0), geoms=parts[2], joints=[Joint("jc", axis="z")]),
    ]
    pose = forward_kinematics(RobotModel(bodies), rng.normal(size=(*shape, 3)))
    assert pose.geom_xpos.shape == (*shape, 5, 3)
    assert pose.geom_xmat.shape == (*shape, 5, 3, 3)
    for k in np.ndindex(shape):
        row = 0
        for body, geoms in enumerate(parts, 1):
            for geom in geoms:
                turned, at = pose.xmat[k][body], pose.xpos[k][body]
                place, turn = pose.geom_xpos[k][row], pose.geom_xmat[k][row]
                wanted = turned @ reference.matrix(reference.unit(geom.quat))
                assert np.allclose(place, at + turned @ geom.pos, atol=1e-12)
                assert np.allclose(turn, wanted, atol=1e-12)
                row += 1


@pytest.mark.parametrize("shape", [(7,), (2, 3), (0,)])
def test_batch_equals_single_poses(shape):
    rng = np.random.default_rng(5)
    bodies = random_robots.random_bodies(rng, 12)
    model = RobotModel(bodies)
    qpos = random_robots.random_qpos(rng, bodies, int(np.prod(shape)))
    qpos = qpos.reshape(*shape, -1) if qpos.size else np.zeros((0, len(model.qpos0)))
    count = len(model.mocap_bodies)
    pos, quat = rng.normal(size=(*shape, count, 3)), rng.normal(size=(*shape, count, 4))
    batch = forward_kinematics(model, qpos, mocap_pos=pos, mocap_quat=quat)
    assert batch.xmat.shape == (*shape, 13, 3, 3)
    assert batch.site_xpos.shape == (*shape, len(model.site_names), 3)
    for row in np.ndindex(shape):
        single = forward_kinematics(
            model, qpos[row], mocap_pos=pos[row], mocap_quat=quat[row]
        )
        for many, one in zip(batch, single, strict=True):
            assert many[row].tobytes() == one.tobytes()
    # one place of the mocap bodies for all poses
    if batch.xpos.size:
        row = (0,) * len(shape)
        shared = forward_kinematics(
            model, qpos, mocap_pos=pos[row], mocap_quat=quat[row]
        )
        assert shared.xpos[row].tobytes() == batch.xpos[row].tobytes()


@pytest.mark.parametrize("rotations", [1.0, 1e2, 1e5, 1e6])
def test_angles_of_many_turns_stay_exact(rotations):
    rng = np.random.default_rng(int(rotations))
    model = RobotModel([Body("wheel", joints=[Joint("axle", axis="x")])])
    angle = 2 * np.pi * rotations * rng.uniform(-1, 1, (1000, 1))
    matrices = forward_kinematics(model, angle).xmat[:, 1]
    assert np.abs(matrices[:, 2, 1] - np.sin(angle[:, 0])).max() < 1e-14
    assert np.abs(matrices[:, 1, 1] - np.cos(angle[:, 0])).max() < 1e-14


def test_value_that_is_not_finite_affects_only_descendants():
    # nothing raises, in Python as little as compiled
    for bad in (np.nan, np.inf, -np.inf, 1e300):
        state = RobotState(arm, qpos=[0.5, bad, 0.0])
        assert np.isfinite(state.pose.xpos[:2]).all()
        assert np.isfinite(state.pose.xmat[:2]).all()
        if bad != 1e300:
            assert not np.isfinite(state.pose.xmat[2]).any()
    ball = RobotModel([Body("head", joints=[Joint("neck", "ball")])])
    assert (forward_kinematics(ball, np.zeros(4)).xmat[1] == np.eye(3)).all()


def test_random_trees_have_every_kind_of_joint():
    bodies = [
        body
        for count in SIZES
        for body in random_robots.random_bodies(np.random.default_rng(count), count)
    ]
    assert {joint.kind for body in bodies for joint in body.joints} == {
        *("hinge", "slide", "ball", "free")
    }
    assert any(body.mocap for body in bodies)
    assert max(len(body.joints) for body in bodies) >= 3


def columns(ahead, behind, point, turn, now, h):
    """Jacobian from the frames on both sides of each velocity, (velocities, ...)."""
    moved = (ahead[point] - behind[point]) / (2 * h)
    spin = (ahead[turn] - behind[turn]) / (2 * h) @ np.swapaxes(now[turn], -1, -2)
    turned = np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], axis=-1)
    return np.moveaxis(np.concatenate([moved, turned], axis=-1), 0, -1)


@pytest.mark.parametrize("count", SIZES)
def test_jacobians_equal_central_differences(count):
    rng = np.random.default_rng(100 + count)
    bodies = random_robots.random_bodies(rng, count)
    # a point of each body that is not its origin: the centre of mass
    model = RobotModel(bodies)
    qpos = random_robots.random_qpos(rng, bodies, 1)[0]
    state = RobotState(model, qpos=qpos)
    h = 1e-6
    ahead, behind = (
        {name: np.stack([at[name] for at in frames]) for name in frames[0]}
        for frames in (
            [
                random_robots.forward(bodies, random_robots.stepped(bodies, qpos, step))
                for step in side * h * np.eye(model.dof_count)
            ]
            for side in (1, -1)
        )
    )
    now = random_robots.forward(bodies, qpos)
    of_bodies = columns(ahead, behind, "xpos", "xmat", now, h)
    of_centres = columns(ahead, behind, "xipos", "ximat", now, h)
    for b, name in enumerate(model.body_names):
        assert np.allclose(state.jacobian(body=name), of_bodies[b], atol=1e-7)
        found = state.jacobian(body=name, point=now["xipos"][b])
        assert np.allclose(found, of_centres[b], atol=1e-7)
    of_sites = columns(ahead, behind, "site_xpos", "site_xmat", now, h)
    for s, name in enumerate(model.site_names):
        assert np.allclose(state.jacobian(site=name), of_sites[s], atol=1e-7)


def test_batch_jacobians_equal_single_ones():
    rng = np.random.default_rng(3)
    bodies = random_robots.random_bodies(rng, 10)
    model = RobotModel(bodies)
    qpos = random_robots.random_qpos(rng, bodies, 6).reshape(2, 3, -1)
    many = RobotState(model, (2, 3), qpos=qpos)
    points = rng.normal(size=(2, 3, 3))
    for given in (points, points[0, 0]):
        found = many.jacobian(body="body 9", point=given)
        assert found.shape == (2, 3, 6, model.dof_count)
        for row in np.ndindex(2, 3):
            one = RobotState(model, qpos=qpos[row])
            point = given if given.ndim == 1 else given[row]
            assert (one.jacobian(body="body 9", point=point) == found[row]).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: forward_kinematics(arm, [0, 0]),
         r"qpos must have the shape \(3,\), not \(2,\)"),
        (lambda: forward_kinematics(arm, 0.0),
         r"qpos must have the shape \(3,\), not \(\)"),
        (lambda: RobotState(arm, (4,), qpos=np.zeros((2, 3))),
         r"must have the shape \(4, 3\)"),
        (lambda: forward_kinematics(arm, ["a", 0, 0]), "qpos must be numbers"),
        (lambda: forward_kinematics(arm, np.zeros(3), mocap_pos=[[0, 0, 1]]),
         r"mocap_pos must have the shape \(0, 3\), not \(1, 3\)"),
        (lambda: RobotState(arm).jacobian(),
         "give either body or site, not None and None"),
        (lambda: RobotState(arm).jacobian(body="lower", site="hand"),
         "give either body or"),
        (lambda: RobotState(arm).jacobian(body="lowr"), "mean 'lower'"),
        (lambda: RobotState(arm).jacobian(site="hnd"), "mean 'hand'"),
        (lambda: RobotState(arm).jacobian(site="hand", point=[1, 2]),
         r"point must have the shape \(3,\), not \(2,\)"),
    ],
)  # fmt: skip
def test_invalid_calls_name_what_is_expected(call, message):
    with pytest.raises(ModelError, match=message):
        call()
