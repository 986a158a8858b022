"""What a foot is told: what its clip does next, and the settings of its figure."""

import cython

if not cython.compiled:
    from math import sqrt


class FootPlan:
    """What the clip does with a foot next, and how the foot keeps to it.

    Attributes:
        state: 1: the clip stands on it; 2: it swings; 0: that is not known.
        left, end: Time until that changes, from now and from the frame's end [s].
        whole: Time of the whole swing [s].
        x, y: Where the clip lands at the frame's end, if the figure stopped.
        half: Half of the time of that stance [s].
        turn: How fast its hips are turned [rad / s].
        way_x, way_y: From there to where the foot is in its middle.
        lock, lock_distance, foot_seconds, release_seconds, look_ahead: As in
            ``FootSettings``.
    """

    def __init__(self):
        self.reset()

    def reset(self):
        """Reset to the state before the first frame."""
        self.state = 0
        self.left = self.end = self.whole = self.x = self.y = 0.0
        self.half = self.way_x = self.way_y = self.turn = 0.0

    def clip_speed(self):
        """Return how fast the clip walks in this stance or the next one [units / s]."""
        if not self.half > 0.0:
            return 0.0
        return sqrt(self.way_x * self.way_x + self.way_y * self.way_y) / self.half
