"""Reach kernels: held poses follow spring laws, leaning spines the law of cosines."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ikrig.kernels import hand_reach, index_buffer, zeros
from ikrig.scene.ik.node_transforms import matrices

from .figures_of_nodes import Figure, Framed

DT, RATE, SECONDS, MOST = 1 / 60, 5.0, 4.744 / 5.0, 3.0
ARM, SPINE = (6, 7, 8), (0, 1)


class Hold:
    """A held pose: what it follows, and where it is."""

    def __init__(self, position, rotation: Rotation) -> None:
        self.room = zeros(25)
        self.kernel = hand_reach.PoseHold(self.room)
        self._follow(position, rotation)
        self.kernel.start()

    def _follow(self, position, rotation: Rotation) -> None:
        x, y, z, w = rotation.as_quat()
        for k, value in enumerate((*position, w, x, y, z)):
            self.room[7 + k] = float(value)

    def step(self, position, rotation, most=MOST, dt=DT, carried=False) -> None:
        self._follow(position, rotation)
        self.kernel.step(most, carried, SECONDS, dt)

    @property
    def position(self) -> np.ndarray:
        return np.array(self.room[:3])

    @property
    def rotation(self) -> Rotation:
        w, x, y, z = self.room[3:7]
        return Rotation.from_quat([x, y, z, w])


def about_z(angle: float) -> Rotation:
    return Rotation.from_rotvec([0.0, 0.0, angle])


def passed(time: float) -> float:
    """Return the rest of a jump of 1 after a time, critically damped."""
    return (1.0 + RATE * time) * exp(-RATE * time)


@pytest.mark.parametrize("angle, jumps", [(19.0 * DT, False), (21.0 * DT, True)])
def test_fast_rotation_of_the_goal_is_smoothed(angle, jumps) -> None:
    hold = Hold((1, 2, 3), about_z(0.3))
    target = about_z(0.3 + angle)
    for k in range(1, 30):
        hold.step((1, 2, 3), target)
        off = (hold.rotation * target.inv()).magnitude()
        assert off == pytest.approx(angle * passed(k * DT) if jumps else 0.0, abs=1e-9)
        assert np.allclose(hold.position, (1, 2, 3))


@pytest.mark.parametrize("far, jumps", [(0.95 * MOST * DT, False), (4.0, True)])
def test_jump_of_the_goal_is_smoothed(far, jumps) -> None:
    hold = Hold((0, 0, 0), about_z(0.0))
    for k in range(1, 30):
        hold.step((0, far, 0), about_z(0.0))
        expected = far * passed(k * DT) if jumps else 0.0
        assert far - hold.position[1] == pytest.approx(expected, abs=1e-9)
    # while that passes it goes on with what moves
    before = hold.position[1] - far
    hold.step((0, far + 0.5 * MOST * DT, 0), about_z(0.0))
    assert abs(hold.position[1] - far - 0.5 * MOST * DT) <= abs(before) + 1e-9


@pytest.mark.parametrize("degrees", [10.0, 100.0, 170.0])
def test_jumping_hold_starts_at_its_pose_and_settles(degrees) -> None:
    turn = Rotation.from_rotvec(np.radians(degrees) * np.array([0.6, 0.0, 0.8]))
    hold = Hold((0, 0, 0), Rotation.identity())
    hold.step((1, 2, 3), turn, 1.0, 1e-6)
    assert np.abs(hold.position).max() < 1e-4
    assert hold.rotation.magnitude() < 1e-4
    turned = []
    for _ in range(60):
        hold.step((1, 2, 3), turn, 1.0)
        assert np.linalg.norm(hold.room[3:7]) == pytest.approx(1.0)
        turned.append(np.degrees(hold.rotation.magnitude()))
    assert turned == sorted(turned)
    left = passed(1.0 + 1e-6)
    assert turned[-1] == pytest.approx(degrees * (1.0 - left), rel=1e-6)
    assert np.linalg.norm(hold.position - [1, 2, 3]) == pytest.approx(14**0.5 * left)


def reach(figure: Figure):
    """Return a kernel, and the buffer of its pose."""
    pose = zeros(25)
    made = hand_reach.ReachKernel(
        figure.nets,
        index_buffer(ARM),
        hand_reach.PoseHold(pose),
        pose,
        matrices(1),
        zeros(9),
    )
    return Framed(figure.joints, made), pose


def shoulder(figure: Figure) -> np.ndarray:
    return figure.net(ARM[0])[3, :3]


def arm_length(figure: Figure) -> float:
    spots = [figure.net(j)[3, :3] for j in ARM]
    return float(np.linalg.norm(np.diff(spots, axis=0), axis=1).sum())


def test_reach_weight_falls_beyond_reach() -> None:
    figure = Figure()
    made, pose = reach(figure)
    target = figure.top.attach_new_node("target")
    made.target = figure.reader(target)
    arm, start = arm_length(figure), shoulder(figure)
    made.help = 0.3 * arm
    most = 1.3 * arm
    for radius in (-1.5, 0.9 * most, 3.0 * most):
        last = 1.5 * most if radius < 0.0 else radius
        full = min(most, 0.98 * last)
        for far in np.linspace(0.5 * arm, 1.1 * last, 15):
            target.set_pos(*(start - np.array([0.0, far, 0.0])).tolist())
            made.reset()
            reached = made.step(radius, 0.0, True, DT)
            u = min(1.0, max(0.0, (last - far) / (last - full)))
            share = u * u * (3.0 - 2.0 * u)
            assert made.reach_weight() == pytest.approx(share, abs=1e-5)
            assert reached == (share > 1e-4)
            assert np.allclose(pose[:3], tuple(target.get_pos()))
    made.target = None
    made.reset()
    assert not made.step(-1.5, 0.3, True, DT) and made.error == 0


def test_removed_and_invalid_targets_are_reported() -> None:
    figure = Figure()
    made, _ = reach(figure)
    target = figure.top.attach_new_node("target")
    target.set_pos(0.2, -0.5, 1.5)
    made.target = figure.reader(target)
    assert made.step(-1.5, 0.3, True, DT) and made.error == 0
    target.set_pos(1e30, 0.0, 0.0)
    # the hand goes on from where it was, and lets go gradually
    assert made.step(-1.5, 0.3, False, DT) and made.error == 2
    target.remove_node()
    for _ in range(120):
        going = made.step(-1.5, 0.3, False, DT)
        assert made.error == 1
    assert not going
