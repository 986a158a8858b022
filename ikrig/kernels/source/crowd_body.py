"""Whole bodies of a crowd's members, which follow a few handles."""

from __future__ import annotations

import cython

if not cython.compiled:
    from .actor_frame import GOAL as FOOT_GOAL
    from .actor_frame import GOAL_TURN, GOAL_TURNED, GOAL_WEIGHT
    from .body import BodyKernel
    from .body_goals import GOAL, REACHING, STRENGTH, TURN, TURN_WEIGHT, WEIGHT
    from .buffers import doubles, ints
    from .crowd import BODY, FEET
    from .crowd_layers import CrowdState
    from .quat_ops import unit
    from .vectors import put, put4

# how much a pinned handle wins against a target that is out of reach
PINNED = 4.0
# most iterations in a frame
ROUNDS = 12


class CrowdBody(CrowdState):
    """The body of each member, which follows its handles.

    Args:
        crowd: As for ``CrowdState``.
        kernel: The ``BodyKernel`` of the pose, with its settings.
        hips: The goal of hips that come down for hands; -1: none do.
        buffers: As for ``CrowdState``, with the kernel's state in "states"; "numbers",
            the kernel's of goals; "targets", 3 numbers a member, and "parts", their
            weights, of each goal in turn; for each goal whether it is "pinned", an arm
            ("arms") or one of the "trunk", and in "feet" the index of its foot, else
            -1; "placed": goals of feet, see ``PoseGoal``; and "grounded": their weights
            of members.
    """

    def __init__(self, crowd, kernel: BodyKernel, hips, buffers):
        super().__init__(BODY, crowd, kernel.size_of_state + 1, buffers)
        self.kernel = kernel
        self.hips = hips
        self.count = len(buffers["weights"])
        self.end_count = len(buffers["pinned"])
        self.goal = doubles(buffers["numbers"])
        self.target = doubles(buffers["targets"])
        self.part = doubles(buffers["parts"])
        self.pinned = ints(buffers["pinned"])
        self.arm = ints(buffers["arms"])
        self.trunk = ints(buffers["trunk"])
        self.foot = ints(buffers["feet"])
        self.placed = doubles(buffers["placed"])
        self.grounded = doubles(buffers["grounded"])
        self.on_feet = False

    def is_sound(self, i):
        """Return whether the goals of a member are finite."""
        total = self.weight[i]
        for g in range(self.end_count):
            e: cython.long = g * self.count + i
            part = self.part[e]
            if part != 0.0:
                total += part
                e *= 3
                total += self.target[e] + self.target[e + 1] + self.target[e + 2]
        # x - x is 0 or no number
        return total - total == 0.0

    def run(self, i, dt, layers):
        """Apply those layers from this on to member i."""
        # goals of feet that were not planned are another member's
        self.on_feet = layers & FEET and self.grounded[i] > 0.0
        CrowdState.run(self, i, dt, layers)

    def reset(self, i, o):
        """Let the body of a member start anew."""
        self.state[o] = 0.0

    def act(self, i, o, weight, dt):
        """Bring the body of a member to its goals."""
        led: cython.bint = False
        for g in range(self.end_count):
            if self.part[g * self.count + i] > 0.0:
                led = True
        if not led:
            self.reset(i, o)
            return
        if self.state[o] > 0.0:
            self.kernel.load(self.state, o)
        else:
            self.kernel.reset()
        if not self.kernel.read():
            return
        led_by = self.lead(i)
        if self.hips >= 0 and not self.pinned[self.hips] and led_by < 1.0:
            e: cython.long = self.hips * self.count + i
            zero = 0.0
            self.kernel.goals.crouch(
                self.hips, self.part[e] > 0.0, led_by, zero, zero, zero
            )
        rounds: cython.int = ROUNDS if self.kernel.is_warm else 3 * ROUNDS
        self.kernel.solve(rounds, dt)
        self.kernel.write(weight)
        self.kernel.store(self.state, o)
        total = 0.0
        for k in range(o, o + self.kernel.size_of_state):
            total += self.state[k]
        # a goal that is too far away, or a member too small, is not kept
        if total - total != 0.0:
            for k in range(o, o + self.kernel.size_of_state):
                self.state[k] = 0.0

    def lead(self, i):
        """Set the goals of a member; return the largest weight of the trunk's."""
        goal = self.goal
        led_by = 0.0
        for g in range(self.end_count):
            q = GOAL * g
            e: cython.long = g * self.count + i
            weight = self.part[e]
            weight = weight if weight < 1.0 else 1.0
            goal[q + WEIGHT] = goal[q + TURN_WEIGHT] = goal[q + REACHING] = 0.0
            goal[q + STRENGTH] = 1.0
            if weight > 0.0:
                self.enter(i, self.target, 3 * e)
                put(goal, q, self.x, self.y, self.z)
                put4(goal, q + TURN, 1.0, 0.0, 0.0, 0.0)
                goal[q + WEIGHT] = weight
                if self.arm[g]:
                    goal[q + REACHING] = 1.0
                if self.trunk[g] and weight > led_by:
                    led_by = weight
            elif self.pinned[g] or g == self.kernel.lock:
                self.kernel.goals.pin(g)
                goal[q + WEIGHT] = goal[q + TURN_WEIGHT] = 1.0
                if self.pinned[g]:
                    goal[q + STRENGTH] = PINNED
                    if self.on_feet and self.foot[g] >= 0:
                        self.place_foot(g)
        return led_by

    def place_foot(self, g):
        """Pin a goal where its foot is placed on the ground."""
        goal = self.goal
        feet = self.placed
        q = GOAL * g
        o = FOOT_GOAL * self.foot[g]
        weight = feet[o + GOAL_WEIGHT]
        part = weight * weight
        if not part > 0.0:
            return
        for k in range(3):
            goal[q + k] += part * (feet[o + k] - goal[q + k])
        if feet[o + GOAL_TURNED] > 0.0:
            total = 0.0
            for k in range(4):
                total += goal[q + TURN + k] * feet[o + GOAL_TURN + k]
            sign = 1.0 if total >= 0.0 else -1.0
            for k in range(4):
                old = goal[q + TURN + k]
                goal[q + TURN + k] = old + part * (sign * feet[o + GOAL_TURN + k] - old)
            unit(goal, q + TURN, goal, q + TURN)
