"""Frames of a reach, compared with one written in matrices of numpy and scipy."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest
from scipy.spatial.transform import Rotation

from ikrig.kernels import hand_reach, index_buffer, zeros
from ikrig.scene.ik.node_transforms import matrices

from .figures_of_nodes import Figure, Framed

ARM = (6, 7, 8)
NONE, FOUND, REMOVED, NOT_FINITE = -1, 0, 1, 2


def reach(figure: Figure):
    """Return a kernel, and the buffer of its pose."""
    pose = zeros(25)
    made = hand_reach.ReachKernel(
        figure.nets,
        index_buffer(ARM),
        hand_reach.PoseHold(pose),
        pose,
        matrices(1),
    )
    return Framed(figure.joints, made), pose


def sprung(state: np.ndarray, goal, seconds: float, dt: float) -> np.ndarray:
    """Values and speeds (2, n) after a time on critically damped springs."""
    if seconds <= 0.0:
        return np.stack((np.broadcast_to(goal, state[0].shape), 0.0 * state[1]))
    rate = 4.744 / seconds
    law = [[1.0 + rate * dt, dt], [-rate * rate * dt, 1.0 - rate * dt]]
    away = state - [[goal], [0.0]]
    return np.exp(-rate * dt) * np.array(law) @ away + [[goal], [0.0]]


def rotation_of(quat) -> Rotation:
    w, x, y, z = quat
    return Rotation.from_quat([x, y, z, w])


class Reach:
    """A reach for a target, with a body that brings the arm farther."""

    def __init__(self, helps: float) -> None:
        self.helps = helps
        self.reset()

    def reset(self) -> None:
        self.place: np.ndarray | None = None
        self.amount = np.zeros((2, 1))
        self.looked = False
        self.seen, self.late = None, np.zeros(3)

    def look(self, nets: np.ndarray) -> None:
        spots = nets[list(ARM), 3, :3]
        self.length = np.linalg.norm(np.diff(spots, axis=0), axis=1).sum()
        self.shoulder = spots[0]

    def step(self, nets, target, radius, seconds, at_once, dt, carried) -> bool:
        if not self.looked:
            self.look(nets)
        self.looked = False
        weight = 0.0
        if target is not None:
            place, turn = target
            self.late = np.zeros(3) if self.seen is None else place - self.seen
            if self.place is None:
                self.before = target
                self.place, self.turn = target
                self.offsets = np.zeros((2, 6))
            away = np.linalg.norm(place - self.before[0])
            angle = (self.before[1].inv() * turn).magnitude()
            if not carried and (away > 10.0 * self.length * dt or angle > 20.0 * dt):
                self.offsets[0, :3] = self.place - place
                self.offsets[0, 3:] = (turn.inv() * self.turn).as_rotvec()
            self.offsets = sprung(self.offsets, 0.0, seconds, dt)
            self.place = place + self.offsets[0, :3]
            self.turn = turn * Rotation.from_rotvec(self.offsets[0, 3:])
            self.before = target
            weight = self.weight_for(self.place, radius)
            if at_once:
                self.amount[:] = [[weight], [0.0]]
        self.seen = None
        self.amount = sprung(self.amount, weight, seconds, dt)
        return self.place is not None and max(weight, self.amount[0, 0]) >= 1e-4

    @property
    def weight(self) -> float:
        value = self.amount[0, 0]
        return 1.0 if value > 1.0 - 1e-6 else max(0.0, value)

    def weight_for(self, place, radius) -> float:
        most = self.length + self.helps
        radius = -radius * most if radius < 0.0 else radius
        away = np.linalg.norm(place - self.shoulder)
        most = min(most, 0.98 * radius)
        u = (
            np.clip((radius - away) / (radius - most), 0.0, 1.0)
            if radius > 0.0
            else 0.0
        )
        return float(u * u * (3.0 - 2.0 * u))

    def lead(self, nets, target, radius, at_once, dt, carried):
        """Return the weight, and the goal of a body that helps before the arm moves."""
        self.look(nets)
        self.looked = True
        if target is not None and (at_once or self.place is not None):
            self.seen = target[0]
        if self.place is None:
            if self.seen is None:
                return 0.0, None
            return self.weight_for(target[0], radius), target[0]
        if target is None:
            return self.weight, self.place
        moved = target[0] + self.late - self.before[0]
        if not carried and np.linalg.norm(moved) > 10.0 * self.length * dt:
            moved = np.zeros(3)
        left, speed = self.offsets[:, :3]
        return self.weight, self.place + moved + np.clip(
            dt * speed, -abs(left), abs(left)
        )


@pytest.mark.parametrize("seed", range(16))
def test_frames_are_those_of_the_reference(seed) -> None:
    rng = np.random.default_rng(seed)
    figure = Figure(plain=seed % 2 == 0)
    made, pose = reach(figure)
    made.help = helps = float(rng.choice([0.0, 0.4]))
    ours = Reach(helps)
    target = figure.top.attach_new_node("target")
    hand = figure.top.attach_new_node("hand")
    seconds = rng.choice([0.0, 0.3, 1.0])
    radius = float(rng.choice([-1.5, 0.0, 0.7, 3.0]))
    spot, state = np.zeros(3), FOUND
    for frame in range(30):
        figure.pose(rng, 0.05)
        if frame % 5 == 0:
            spot = np.array([0.2, -0.1, 1.5]) + rng.uniform(0.1, 1.2) * rng.normal(
                size=3
            )
            target.set_hpr(*rng.uniform(-180.0, 180.0, 3))
            state = int(rng.choice([NONE, FOUND, FOUND, FOUND, REMOVED, NOT_FINITE]))
        if frame == 15:
            made.reset()
            ours.reset()
        spot = spot + rng.uniform(-0.02, 0.02, 3)
        target.set_scale(*rng.uniform(0.5, 2.0, 3))
        target.set_h(target, rng.uniform(-8.0, 8.0))
        if state == REMOVED:
            target.detach_node()
        else:
            target.reparent_to(figure.top)
        target.set_pos(*(spot if state != NOT_FINITE else (1e30, 0.0, 0.0)))
        made.target = None if state == NONE else figure.reader(target)
        made.carried = carried = int(rng.random() < 0.3)
        at_once, dt = frame in (0, 15), float(rng.choice([1 / 30, 1 / 60, 1 / 144]))
        there = None
        if state == FOUND:
            there = np.array(target.get_pos()), rotation_of(target.get_quat())
        if rng.random() < 0.7:
            args = radius, at_once, dt
            weight, goal = ours.lead(figure.nets_now(), there, *args, carried)
            assert made.lead(*args) == pytest.approx(weight, abs=1e-5)
            if goal is not None:
                assert np.allclose(
                    (made.led_x, made.led_y, made.led_z), goal, atol=1e-5
                )
            if there is not None and rng.random() < 0.5:
                # another layer moves it before the hand goes there
                spot = spot + rng.uniform(-0.02, 0.02, 3)
                target.set_pos(*spot)
                there = np.array(target.get_pos()), there[1]
            # the body has moved the arm, which counts as before
            figure.pose(rng, 0.05)
        nets = figure.nets_now()
        seen = made.step(radius, seconds, at_once, dt)
        args = (radius, seconds, at_once, dt, carried)
        assert bool(seen) == ours.step(nets, there, *args)
        assert made.error == max(state, 0)
        assert made.reach_weight() == pytest.approx(ours.weight, abs=1e-5)
        if ours.place is not None:
            assert np.allclose(pose[:3], ours.place, atol=1e-5)
            assert (rotation_of(pose[3:7]).inv() * ours.turn).magnitude() < 1e-4
            assert made.place(hand.node(), p3d.TransformState.make_mat) == 0
            assert np.allclose(hand.get_pos(), ours.place, atol=1e-5)
            assert np.allclose(hand.get_scale(), 1.0, atol=1e-5)
            shown = rotation_of(hand.get_quat())
            assert (shown.inv() * ours.turn).magnitude() < 1e-3
