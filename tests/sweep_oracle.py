"""The sweeps of FABRIK and CCD as in their papers: slow, with matrices.

Shares no code with ikrig. Joints are given as in ``limit_oracle``: start rotations are
none, so a joint's turn against its parent's is what its limit is about.
"""

from __future__ import annotations

import numpy as np

from ikrig import BallLimit, ConeLimit, FixedLimit, HingeLimit, SlideLimit
from tests import limit_oracle as oracle
from tests import reference


def fabrik_backward(points, lengths, goal) -> np.ndarray:
    """Joints (n + 1, 3) after reaching back from the goal, the root left alone."""
    points = np.array(points, float)
    points[-1] = goal
    for i in range(len(points) - 2, 0, -1):
        way = reference.unit(points[i] - points[i + 1])
        points[i] = points[i + 1] + lengths[i] * way
    return points


def fabrik_forward(points, lengths, root) -> np.ndarray:
    """Joints after reaching forward again from the root."""
    points = np.array(points, float)
    points[0] = root
    for i in range(1, len(points)):
        way = reference.unit(points[i] - points[i - 1])
        points[i] = points[i - 1] + lengths[i - 1] * way
    return points


def ccd_sweep(points, goal) -> np.ndarray:
    """Joints after each one, last to first, has pointed the tip at the goal."""
    points = np.array(points, float)
    for i in range(len(points) - 2, -1, -1):
        turn = reference.from_to(points[-1] - points[i], goal - points[i])
        points[i:] = points[i] + (points[i:] - points[i]) @ turn.T
    return points


def clamp(limit, turn, bone) -> np.ndarray:
    """The turn (3, 3) that a limit allows next to another."""
    if limit is None:
        return turn
    if isinstance(limit, (FixedLimit, SlideLimit)):
        return np.eye(3)
    if isinstance(limit, BallLimit):
        angle = reference.angle_between(np.eye(3), turn)
        if angle <= limit.most:
            return turn
        return reference.axis_angle(_axis(turn), limit.most)
    if isinstance(limit, HingeLimit):
        # the angle whose turn has most in common with this one
        quarters = [reference.axis_angle(limit.axis, k * np.pi / 2) for k in range(4)]
        angle = peak([np.trace(quarter.T @ turn) for quarter in quarters])
        return reference.axis_angle(limit.axis, into(angle, limit.lower, limit.upper))
    assert isinstance(limit, ConeLimit)
    right, up, bone = oracle.cone_frame(limit, bone)
    pointed = turn @ bone
    swing = np.arctan2(np.linalg.norm(np.cross(bone, pointed)), bone @ pointed)
    flat = np.array([pointed @ right, pointed @ up])
    flat *= swing / max(np.linalg.norm(flat), 1e-300)
    twist = oracle.about(bone, reference.from_to(pointed, bone) @ turn)
    if limit.twist is not None:
        twist = into(twist, *limit.twist)
    if oracle.edge(limit, *flat) > 1.0:
        flat = nearest_of_ellipse(limit, flat)
    towards = flat[0] * right + flat[1] * up
    back = reference.rotation_vector(np.cross(bone, towards))
    return back @ reference.axis_angle(bone, twist)


def peak(scores) -> float:
    """Where a sinusoid of an angle is highest, from its values at four quarters."""
    return float(np.arctan2(scores[1] - scores[3], scores[0] - scores[2]))


def into(angle: float, lower: float, upper: float) -> float:
    """The angle, or one that differs by whole turns, put into a range."""
    around = angle + 2.0 * np.pi * np.arange(-3, 4)
    best = around[np.maximum(lower - around, around - upper).argmin()]
    return float(np.clip(best, lower, upper))


def nearest_of_ellipse(limit, flat) -> np.ndarray:
    """The point next to ``flat`` on its quadrant of the ellipse, by looking at many."""
    signs = np.where(np.asarray(flat) >= 0.0, 1.0, -1.0)
    right, top, left, bottom = oracle.half_angles(limit)
    axes = np.array(
        [right if flat[0] >= 0.0 else left, top if flat[1] >= 0.0 else bottom]
    )
    low, high = 0.0, np.pi / 2.0
    for _ in range(12):
        angles = np.linspace(low, high, 101)
        points = axes * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        best = int(np.linalg.norm(points - np.abs(flat), axis=1).argmin())
        low, high = angles[max(best - 1, 0)], angles[min(best + 1, 100)]
    return signs * points[best]


def mean_turn(rotations, shares, near) -> np.ndarray:
    """The mean of turns by their quaternions, each taken on the side of ``near``'s."""
    side = oracle.quaternion(near)
    total = np.zeros(4)
    for turn, share in zip(rotations, shares, strict=True):
        q = oracle.quaternion(turn)
        total += share * (q if q @ side >= 0.0 else -q)
    return reference.matrix(total)


class Tree:
    """Joints with limits and goals, in a pose.

    Args:
        model: A tree whose root is at the origin.
        limits: By joint index.
        bones: Each joint's bone, (n, 3): what its cone is about.
        turns: Rotations in root space, n of (3, 3).
        lengths: How far joints slide, by index.
        ends: The joints with goals.
        goals: Where they should be, (e, 3).
        goal_turns: How they should be turned, e of (3, 3).
        weights: How much place and turn count, (e, 2).
    """

    def __init__(
        self, model, limits, bones, rotations, lengths, ends, goals, goal_turns, weights
    ) -> None:
        self.parents, self.offsets = model.parents, np.array(model.offsets)
        self.size = 0.0
        self.limits, self.bones = limits, bones
        self.rotations, self.lengths = [np.array(t) for t in rotations], dict(lengths)
        self.ends, self.goals, self.goal_turns = ends, np.array(goals), goal_turns
        self.weights = np.asarray(weights, float)
        n = len(self.parents)
        self.pull, self.wants = np.zeros(n), np.zeros((n, 3))
        self.places = np.zeros((n, 3))
        self.forward()

    def way(self, j: int) -> np.ndarray:
        """From joint j's parent to it, as that one sees it."""
        limit = self.limits.get(j)
        if isinstance(limit, SlideLimit):
            return self.offsets[j] + self.lengths[j] * oracle.axis_of(limit.axis)
        return self.offsets[j]

    def above(self, j: int) -> np.ndarray:
        """The turn of joint j's parent."""
        k = self.parents[j]
        return np.eye(3) if k < 0 else self.rotations[k]

    def forward(self) -> None:
        for j, k in enumerate(self.parents):
            start = np.zeros(3) if k < 0 else self.places[k]
            self.places[j] = start + self.above(j) @ self.way(j)

    def keep_limit(self, j: int) -> None:
        """Put joint j's turn against its parent's into its limit."""
        above = self.above(j)
        turn = above.T @ self.rotations[j]
        self.rotations[j] = above @ clamp(self.limits.get(j), turn, self.bones[j])

    def put_length(self, j: int, length: float) -> None:
        limit = self.limits[j]
        self.lengths[j] = float(np.clip(length, limit.lower, limit.upper))

    # -- FABRIK ----------------------------------------------------------------------

    def asked_by_goals(self, j: int) -> list[tuple[np.ndarray, float]]:
        """Turns, with their shares, that goals ask of joint j."""
        return [
            (turn, weight)
            for end, turn, weight in zip(
                self.ends, self.goal_turns, self.weights[:, 1], strict=True
            )
            if end == j and weight > 0.0
        ]

    def aimed(self, child: int) -> np.ndarray:
        """The turn of a joint whose bone to a child points where that wants to be."""
        k = self.parents[child]
        bone = self.rotations[k] @ self.way(child)
        gap = self.wants[child] - self.places[k]
        if not bone.any() or not gap.any():
            return self.rotations[k]
        return reference.from_to(bone, gap) @ self.rotations[k]

    def backward(self) -> None:
        """From the goals to the root; turns as these passes leave them."""
        n = len(self.parents)
        self.pull, total = np.zeros(n), np.zeros((n, 3))
        proposed: dict[int, list] = {j: self.asked_by_goals(j) for j in range(n)}
        for end, goal, weight in zip(
            self.ends, self.goals, self.weights[:, 0], strict=True
        ):
            self.pull[end] += weight**2
            total[end] += weight**2 * goal
        for j in reversed(range(n)):
            if self.pull[j] == 0.0:
                continue
            self.wants[j] = total[j] / self.pull[j]
            if proposed[j]:
                rotations, shares = zip(*proposed[j], strict=True)
                self.rotations[j] = mean_turn(rotations, shares, self.rotations[j])
            k = self.parents[j]
            if k < 0:
                continue
            turn = self.aimed(j)
            if proposed[j] and self.limits.get(j) is not None:
                between = clamp(
                    self.limits[j], turn.T @ self.rotations[j], self.bones[j]
                )
                turn = self.rotations[j] @ between.T
            proposed[k].append((turn, self.pull[j]))
            total[k] += self.pull[j] * (self.wants[j] - turn @ self.way(j))
            self.pull[k] += self.pull[j]

    def outward(self, own) -> None:
        """From the root to the tips, every joint inside its limit.

        Those of which nobody wants anything keep their own turns.
        """
        for j, k in enumerate(self.parents):
            start = np.zeros(3) if k < 0 else self.places[k]
            limit = self.limits.get(j)
            if isinstance(limit, SlideLimit) and self.pull[j] > 0.0:
                seen = self.above(j).T @ (self.wants[j] - start) - self.offsets[j]
                self.put_length(j, seen @ oracle.axis_of(limit.axis))
            self.places[j] = start + self.above(j) @ self.way(j)
            proposed = [
                (self.aimed(child), self.pull[child])
                for child, parent in enumerate(self.parents)
                if parent == j and self.pull[child] > 0.0
            ] + self.asked_by_goals(j)
            if proposed:
                rotations, shares = zip(*proposed, strict=True)
                self.rotations[j] = mean_turn(rotations, shares, self.rotations[j])
                self.keep_limit(j)
            else:
                self.rotations[j] = self.above(j) @ own[j]

    def sweep_fabrik(self) -> None:
        own = own_turns(self.parents, self.rotations)
        self.backward()
        self.outward(own)

    # -- CCD, of a chain -------------------------------------------------------------

    def score(self) -> float:
        """Wang & Chen (1991), eq. 8: how well tip and goal agree, by their weights."""
        place, turn = self.weights[0]
        pivot = self.pivot
        agree = (self.places[-1] - pivot) @ (self.goals[0] - pivot)
        axes = np.trace(self.goal_turns[0].T @ self.rotations[-1])
        return float((place / self.size) ** 2 * agree + turn**2 * axes)

    def turn_after(self, j: int, turn) -> None:
        """Turn joint j and all after it by a turn in root space."""
        for k in range(j, len(self.rotations)):
            self.rotations[k] = turn @ self.rotations[k]
        self.forward()

    def sweep_ccd(self) -> None:
        last = len(self.parents) - 1
        for j in range(last, -1, -1):
            limit, own = self.limits.get(j), own_turns(self.parents, self.rotations)
            self.pivot = self.places[j].copy()
            if isinstance(limit, FixedLimit):
                continue
            if isinstance(limit, SlideLimit):
                axis = self.above(j) @ oracle.axis_of(limit.axis)
                gap = self.goals[0] - self.places[-1]
                self.put_length(j, self.lengths[j] + gap @ axis)
            elif isinstance(limit, HingeLimit):
                axis = self.above(j) @ oracle.axis_of(limit.axis)
                quarter = reference.axis_angle(axis, np.pi / 2)
                scores = []
                for _ in range(4):
                    scores.append(self.score())
                    self.turn_after(j, quarter)
                angle = oracle.about(limit.axis, own[j]) + peak(scores)
                angle = into(angle, limit.lower, limit.upper)
                own[j] = reference.axis_angle(limit.axis, angle)
            elif j == last:
                if self.weights[0, 1] > 0.0:
                    turn = self.above(j).T @ self.goal_turns[0]
                    own[j] = clamp(limit, turn, self.bones[j])
            else:
                turn = reference.from_to(
                    self.places[-1] - self.pivot, self.goals[0] - self.pivot
                )
                turn = self.above(j).T @ turn @ self.rotations[j]
                own[j] = clamp(limit, turn, self.bones[j])
            for k in range(len(own)):
                self.rotations[k] = self.above(k) @ own[k]
            self.forward()


def own_turns(parents, rotations) -> list[np.ndarray]:
    """Each joint's turn against its parent's."""
    return [
        turn if parent < 0 else rotations[parent].T @ turn
        for parent, turn in zip(parents, rotations, strict=True)
    ]


def _axis(turn) -> np.ndarray:
    """The axis of a turn, the short way."""
    w, *v = oracle.quaternion(turn)
    return reference.unit(v) * (1.0 if w >= 0.0 else -1.0)
