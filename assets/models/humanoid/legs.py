"""Feet on the ground: where a walking foot is, and the leg that takes it there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ikrig import ChainModel
from ikrig.solvers import TwoBoneSolver

from .curves import around, bridge
from .skeleton import Bone, Floats, Pose, about

SIDES = (("Left", 1.0), ("Right", -1.0))
SOLE_HEEL = np.array((0.102, 0.066, 0.0))  # where the boot leaves the ground behind


@dataclass(frozen=True)
class Gait:
    """How the feet of a walk go. Phases are shares of a round, from the heel strike.

    Attributes:
        frames: In one round of two steps.
        speed: Ahead [scene unit / s].
        flat: When the sole comes down, and when the heel rises.
        off: When the toes leave the ground.
        under: When the foot is below the body.
        pitch: The foot's angle, toes up, by phase [deg].
        curl: The toes' angle in the air, by phase [deg].
        lift: How high the ball rises over the way between [scene unit].
        early: Below 1 the foot is highest early in its swing.
        settle: How much of the ground's speed the foot has when it comes down.
        aside: Of the ball, from the middle [scene unit].
        turn: Toes out [deg].
        stretch: How far a leg may be stretched; 1 is straight.
    """

    frames: int
    speed: float
    flat: tuple[float, float]
    off: float
    under: float
    pitch: Sequence[tuple[float, float]]
    curl: Sequence[tuple[float, float]]
    lift: float
    early: float
    settle: float
    aside: float
    turn: float
    stretch: float


@dataclass(frozen=True)
class Foot:
    """A foot's place: its ball (3,), its turn (3, 3), and that of its toes (3, 3)."""

    ball: Floats
    turn: Floats
    toes: Floats


def step(gait: Gait, phase: float, bones: dict[str, Bone], rate: float) -> Foot:
    """Return the left foot at a phase; the figure walks on the spot."""
    u = phase % 1.0
    ball = bones["LeftToeBase"].place
    out = about((0, 0, 1), gait.turn)
    stride = gait.speed * gait.frames / rate

    def on_ground(u: float) -> Floats:
        """Return the ball's place while heel, sole or toes stand."""
        home = np.array((gait.aside, ball[1] + stride * (u - gait.under), ball[2]))
        if u < gait.flat[0]:
            # about the heel
            lever = ball - SOLE_HEEL
            home += out @ (_pitched(gait, u) @ lever - lever)
        return home

    if u < gait.off:
        place = on_ground(u)
    else:
        share = (u - gait.off) / (1.0 - gait.off)
        leave = (on_ground(gait.off) - on_ground(gait.off - 1e-5)) / 1e-5
        arrive = (on_ground(1e-5) - on_ground(0.0)) / 1e-5
        place = bridge(
            share,
            on_ground(gait.off),
            leave * (1.0 - gait.off),
            on_ground(0.0),
            arrive * (gait.settle * (1.0 - gait.off)),
        )
        s = share**gait.early
        place[2] += gait.lift * 16.0 * (s * (1.0 - s)) ** 2
    turn = out @ _pitched(gait, u)
    curled = about((1, 0, 0), -around(u, gait.curl))
    toes = out if gait.flat[1] <= u < gait.off else turn @ curled
    return Foot(place, turn, toes)


def _pitched(gait: Gait, u: float) -> Floats:
    return about((1, 0, 0), -around(u, gait.pitch))


class Legs:
    """Both legs, their knees placed by `ikrig`'s solver for two bones."""

    def __init__(self, bones: dict[str, Bone]) -> None:
        """Take the legs' lengths from the bind pose."""
        self._bones = bones
        self._solvers = {}
        for side, _ in SIDES:
            names = [side + part for part in ("UpLeg", "Leg", "Foot")]
            model = ChainModel([bones[name].place for name in names], names=names)
            self._solvers[side] = TwoBoneSolver(model)

    def reach(self, pose: Pose, side: str, foot: Foot) -> float:
        """Return how far a leg is stretched, 1 when it is straight."""
        hip = pose.place(side + "UpLeg")
        ankle = self._ankle(side, foot)
        longest = float(self._solvers[side].model.reach)
        return float(np.linalg.norm(ankle - hip)) / longest

    def place(self, pose: Pose, side: str, foot: Foot, knee: float = 0.0) -> None:
        """Turn a leg's joints so that the foot is where it belongs.

        Args:
            pose: Its hips are placed already.
            side: "Left" or "Right".
            foot: Where the foot belongs.
            knee: How far the knee points outwards [deg].
        """
        hip, ankle = pose.place(side + "UpLeg"), self._ankle(side, foot)
        sign = dict(SIDES)[side]
        ahead = pose.net("Hips") @ about((0, 0, 1), sign * knee) @ (0.0, -1.0, 0.0)
        solver = self._solvers[side]
        pole = 0.5 * (hip + ankle) + 2.0 * ahead
        solver.solve(ankle.tolist(), pole=pole.tolist(), root=hip.tolist())
        bind = [self._bones[side + part].place for part in ("UpLeg", "Leg", "Foot")]
        was, now = _frames(*bind), _frames(*solver.positions)
        above = pose.net("Hips")
        for part, before, after in zip(("UpLeg", "Leg"), was, now, strict=True):
            net = after @ before.T
            pose.turns[side + part] = above.T @ net
            above = net
        pose.turns[side + "Foot"] = above.T @ foot.turn
        pose.turns[side + "ToeBase"] = foot.turn.T @ foot.toes

    def _ankle(self, side: str, foot: Foot) -> Floats:
        ankle, ball = (self._bones[side + part].place for part in ("Foot", "ToeBase"))
        place: Floats = foot.ball + foot.turn @ (ankle - ball)
        return place


def mirrored(foot: Foot) -> Foot:
    """Return the same foot on the other side."""
    flip = np.diag((-1.0, 1.0, 1.0))
    return Foot(flip @ foot.ball, flip @ foot.turn @ flip, flip @ foot.toes @ flip)


def _frames(hip: Floats, knee: Floats, ankle: Floats) -> tuple[Floats, Floats]:
    """Return axes of thigh and shin: along the bone, and across the leg's plane."""
    across = np.cross(knee - hip, ankle - knee)
    across /= np.linalg.norm(across)
    frames = []
    for way in (knee - hip, ankle - knee):
        along = way / np.linalg.norm(way)
        frames.append(np.column_stack((across, along, np.cross(across, along))))
    return frames[0], frames[1]
