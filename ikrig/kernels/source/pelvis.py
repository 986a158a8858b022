# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""The hips that carry legs, and the height that suits the feet."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if cython.compiled:
    from cython.cimports.ikrig.kernels.foot_step import FootStepKernel
    from cython.cimports.ikrig.kernels.spring_damper import SpringDamper
else:
    from .foot_step import FootStepKernel
    from .spring_damper import SpringDamper

COMPILED = cython.compiled

# fastest that hips sink so that a foot which stands can stay there [leg lengths / s]
FASTEST = 1.5


class PelvisKernel:
    """A joint that carries legs, and how far it goes up and down with the ground.

    Args:
        feet: The kernels of the feet that it carries.
    """

    def __init__(self, feet):
        self.feet = feet
        self.height = SpringDamper()
        self.reset()

    def reset(self):
        """Begin anew: what was before does not matter for the next frame."""
        self.up = 0.0
        self.known = 0
        self.x = self.y = 0.0
        self.height.reset(0.0)

    def follow(self, x, y, seconds, dt):
        """Go on for a time; feet that their legs can't reach let go.

        Args:
            x: Where the hips are, seen from above.
            y: As ``x``.
            seconds: How long they take to the height that suits the feet [s].
            dt: Time since the last call [s].
        """
        height = self.height
        count = len(self.feet)
        own = goal = shift = reach = 0.0
        most = least = 1e300
        leg = 0.0
        for foot_object in self.feet:
            foot: FootStepKernel = foot_object
            own = foot.plane_height(x, y)
            spot_x = foot.middle_x + foot.offset_x
            spot_y = foot.middle_y + foot.offset_y
            goal += (foot.sole_height - foot.plane_height(spot_x, spot_y)) / count
            if foot.leg > leg:
                leg = foot.leg
            if foot.step_height * foot.leg > reach:
                reach = foot.step_height * foot.leg
            high = foot.highest_hip()
            if high < most:
                most = high
            foot.high = high
            # with a slope or a lift they go without delay
            shift += (
                foot.slope_x * (x - self.x - foot.moved_x)
                + foot.slope_y * (y - self.y - foot.moved_y)
                + foot.moved_z
            ) / count
        if most < goal:
            goal = most
        goal = own + max(-reach, min(reach, goal))
        if self.known:
            height.shift(shift)
        else:
            height.reset(goal)
            self.known = 1
        self.x = x
        self.y = y
        before = height.value
        height.step(goal, seconds, dt)
        # a foot that stands takes them down, but no faster than a body falls to its
        # knees: what is missing then, the foot leaves the ground
        for foot_object in self.feet:
            foot = foot_object
            slow = before - FASTEST * foot.contact_weight * foot.leg * dt
            least = min(least, max(own + foot.high, slow))
        if height.value > least:
            height.value = least
            if dt > 0.0 and (least - before) / dt < height.speed:
                height.speed = max((least - before) / dt, -FASTEST * leg)
        if height.value > own + reach:
            height.value = own + reach
            height.speed = min(height.speed, 0.0)
        elif height.value < own - reach:
            height.value = own - reach
            height.speed = max(height.speed, 0.0)
        self.up = height.value - own
        for foot_object in self.feet:
            foot = foot_object
            foot.let_go(self.up)
