"""Line search shared by the methods on Jacobians and gradients."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..math3d.quaternion import Floats
from .joint_space import JointSpace, Linearization
from .settings import SolveSettings

LONGEST = 1.0
"""Maximum rotation of a joint in a step [rad]: the range of a linear model."""
STEADY = 1.0
"""The same for each fraction of the size that the goal is away, while goals move
slowly: a longer step downhill may lead to another pose altogether."""
INSIDE = 1.0 - 1e-6
"""Fraction of the tolerance at which a last step ends: just inside of it."""
HALVINGS = 12
"""Number of times that a step uphill is halved before the descent gives up."""


class StepRule(Protocol):
    """The rule by which a method chooses its steps."""

    def __call__(self, slope: Linearization, last: Floats | None) -> Floats:
        """Return the step (m) to take.

        Args:
            slope: The errors and their derivatives at the pose.
            last: The step that led here, (m), or None at the start.
        """


def line_search(
    space: JointSpace, settings: SolveSettings, tolerance: float, choose: StepRule
) -> int:
    """Iterate with the steps that a method chooses; return the iterations used.

    A step is shortened to ``LONGEST`` or by ``STEADY``, kept inside the limits and
    halved while it leads uphill. The last one goes only as far as needed to meet the
    tolerance, or the pose would jump whenever the number of steps changes.
    """
    kernel = space.kernel
    cost = kernel.measure()
    most = LONGEST
    if space.goal_continuous:
        most = min(LONGEST, STEADY * kernel.error / kernel.size)
    last: Floats | None = None
    used = 0
    while (
        cost < np.inf
        and used < settings.iterations
        and not space.reached(settings, tolerance)
    ):
        used += 1
        slope = space.slope()
        step = choose(slope, last)
        longest = space.longest_rotation(step)
        if not 0.0 < longest < np.inf:
            break
        step = np.clip(step * min(1.0, most / longest), slope.low, slope.high)
        kernel.keep()
        error, fraction = kernel.error, 1.0
        after = space.move(step)
        for _ in range(HALVINGS):
            if after < cost:
                break
            fraction *= 0.5
            kernel.restore()
            after = space.move(step, fraction)
        if not after < cost:
            kernel.restore()
            kernel.measure()
            break
        if kernel.error < INSIDE * tolerance < error:
            # go back to where the tip crossed the tolerance, and a bit further
            fraction *= (error - INSIDE * tolerance) / (error - kernel.error)
            kernel.restore()
            after = space.move(step, fraction)
        cost, last = after, fraction * step
    return used
