"""How fast a body's joints may turn and move: as suits its goals and animation."""

import cython

if not cython.compiled:
    from .body_goals import (
        GOAL,
        LAST,
        LOCAL,
        NOW,
        PLACE,
        ROTATION,
        START,
        STARTED,
        TURN,
        TURN_WEIGHT,
        WEIGHT,
        BodyGoals,
    )
    from .buffers import doubles, pin
    from .quat_ops import conj_mul, mul, scale_rotation
    from .vectors import distance

# per joint in ``state``: deviation from the animation, w x y z; the last frame's
# animated rotation
STATE = 8

FREE = 5.0
"""How fast joints may turn in any case [rad/s]."""
LED = 15.0
"""How far they may turn besides where a goal moves by the figure's size [rad]."""
LED_TURN = 2.0
"""And where a goal or the animation turns, as a multiple of its turn."""
LED_WEIGHT = 1.5
"""And where a goal's weight changes, for a change by 1 [rad]."""
FREE_WAY = 0.3
"""How fast joints that no goal leads may move in any case / the figure's size [1/s]."""
LED_WAY = 0.17
"""How far they may move for each radian of those bounds / the figure's size: where all
limbs are nearly straight, the last millimetre would take any speed of the trunk."""
FADING = 0.05
"""Time in which that fades to a half [s]."""


class BodyPace:
    """How far a body's joints may turn and move in a frame.

    The nearest pose can be another one from one frame to the next, where a limb
    straightens or the figure may lean to either side. The way there is made in
    steps that suit how far goals and animation moved.

    Args:
        goals: The body's ``BodyGoals``.
        state: The body's buffer of what it keeps.
    """

    def __init__(self, goals: BodyGoals, state):
        self.goals = goals
        self._pinned = pin((state,))
        self.state = doubles(state)
        self.count = (len(state) - 16) // STATE
        # what is left of how far joints may turn as they are led [rad]
        self.budget = 0.0
        self.angle = self.way = 0.0

    def begin(self, dt):
        """Set how far joints may turn and move in this frame."""
        goal = self.goals.goal
        work = self.goals.work
        now = self.goals.now
        state = self.state
        size = self.goals.settings[0]
        led: cython.double = 0.0
        for g in range(self.goals.count):
            q = GOAL * g
            if g == self.goals.derived:
                continue
            led += LED_WEIGHT * abs(goal[q + WEIGHT] - goal[q + LAST + 7])
            led += LED_WEIGHT * abs(goal[q + TURN_WEIGHT] - goal[q + LAST + 8])
            if self.goals.carrier[g] < 0:
                # one that had no weight has not moved
                t = LED * distance(goal, q, goal, q + LAST) / size
                t *= min(goal[q + WEIGHT], goal[q + LAST + 7])
                conj_mul(work, 0, goal, q + LAST + 3, goal, q + TURN)
                turned = LED_TURN * scale_rotation(work, 0, 1.0, 10.0)
                turned *= min(goal[q + TURN_WEIGHT], goal[q + LAST + 8])
                led = max(led, max(t, turned))
        for k in range(self.count):
            if k:
                conj_mul(work, 0, state, STATE * k + 4, now, NOW * k)
            else:
                conj_mul(work, 0, state, 4, work, 56)
            led = max(led, LED_TURN * scale_rotation(work, 0, 1.0, 10.0))
        # a jump is followed at once
        self.budget = max(led, self.budget / (1.0 + dt / FADING))
        self.angle = FREE * dt + self.budget
        self.way = size * (FREE_WAY * dt + LED_WAY * self.budget)

    def excess(self):
        """Return how far a joint is from where the frame starts / how far it may be."""
        now = self.goals.now
        work = self.goals.work
        limb = self.goals.limb
        most = 0.0
        for k in range(self.count):
            o = NOW * k
            conj_mul(work, 0, now, o + START, now, o + ROTATION)
            most = max(most, scale_rotation(work, 0, 1.0, 10.0))
        # where thigh and shin turn apart, a knee turns by both
        for n in range(self.goals.limb_count):
            k = limb[5 * n + 1]
            o = NOW * k
            mul(work, 0, now, o, self.state, STATE * k)
            conj_mul(work, 4, work, 0, now, o + LOCAL)
            most = max(most, scale_rotation(work, 4, 1.0, 10.0))
        far: cython.double = 0.0
        for k in range(self.count):
            led: cython.bint = 0
            for n in range(self.goals.limb_count):
                q = GOAL * limb[5 * n + 4]
                if limb[5 * n] < k < limb[5 * n + 3]:
                    led = self.goals.goal[q + WEIGHT] > 0.0
            if not led:
                far = max(far, distance(now, NOW * k + STARTED, now, NOW * k + PLACE))
        return max(most / self.angle, far / self.way)
