"""SplineChain: a chain of a pose along a curve, without an engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, isfinite

import numpy as np
from numpy.typing import ArrayLike

from ..checks import array_of
from ..errors import BindError, ModelError, shown
from ..kernels import buffer, index_buffer, zeros
from ..kernels.spline import SplineKernel, workspace_size
from ..math3d.quaternion import Floats
from .pose import Pose, chains_below, line_through

FUNCTION_POINTS = 257
"""Points at which a curve that is a function is sampled."""
MOST_POINTS = 4096
PIECE, SAMPLE = 12, 4
"""Numbers of a cubic and of a sample, in the layout of the kernel."""


class SplineChain:
    """A chain of joints that lies along a curve: a layer of a pose.

    Set the curve with ``through``, ``bezier`` or ``follow``, at any time; without one
    the chain stays as it is.

    Args:
        pose: The pose.
        joints: The first and last joint, or all; one: it and what is below, along the
            longest branch.

    Attributes:
        offset: Length along the curve at which the chain begins [unit of the pose].
        stretch: Largest factor of its length; 1: bones keep their lengths; ``inf``: as
            long as the curve.
        pinned: Whether the first joint stays where it is; the chain then runs straight
            to the start of the curve.
        roll: Angle about the curve at the first bone [rad].
        twist: Angle that is added up to the last bone [rad].
        weight: 0: as it is; 1: full effect.
        length: Length of the curve; 0 without one.

    Raises:
        BindError: A joint is unknown, or not below the one before; names it.
    """

    def __init__(self, pose: Pose, joints: Sequence[str]) -> None:
        if len(joints) == 1:
            joints = chains_below(pose, joints[0])[0]
        found = line_through(pose, joints, "joints")
        if len(found) < 2:
            raise BindError(f"a chain needs two joints or more, not {shown(joints)}")
        self._pose = pose
        self.joints = found
        self.offset, self.stretch, self.pinned = 0.0, 1.0, False
        self.roll, self.twist, self.weight = 0.0, 0.0, 1.0
        self.kernel = SplineKernel(
            pose, index_buffer(found), zeros(workspace_size(len(found)))
        )
        self._layout: tuple[int, bool] = (0, False)
        self._points: object = None
        self.length = 0.0

    def through(self, points: ArrayLike, closed: bool = False) -> None:
        """Set a curve through points: a Catmull-Rom curve with centripetal knots.

        C. Yuksel, S. Schaefer, J. Keyser, "Parameterization and applications of
        Catmull-Rom curves", Computer-Aided Design 43 (2011).

        Args:
            points: Two points or more, (n, 3) [unit of the pose].
            closed: Whether it returns from the last point to the first.
        """
        self.through_flat(_flat(points, 2), closed)

    def through_flat(self, flat: Sequence[float], closed: bool = False) -> None:
        """Set a curve ``through`` points in a buffer, which are not checked."""
        count = len(flat) // 3
        self._use(count if closed else count - 1, closed)
        self._note(flat, self.kernel.through)

    def bezier(self, points: ArrayLike) -> None:
        """Set a curve of cubic Bézier curves, each from the end of the one before.

        Args:
            points: Control points, (4, 3), and 3 more for each curve more.
        """
        flat = _flat(points, 4)
        count = len(flat) // 3
        if count % 3 != 1:
            raise ModelError(
                f"a Bézier curve has 4, 7, 10 ... control points, not {count}"
            )
        self.bezier_flat(flat)

    def bezier_flat(self, flat: Sequence[float]) -> None:
        """Set a ``bezier`` curve of points in a buffer, which are not checked."""
        self._use(len(flat) // 9, False)
        self._note(flat, self.kernel.bezier)

    def follow(
        self, curve: Callable[[Floats], ArrayLike], space: Floats | None = None
    ) -> None:
        """Set a curve that is a function, sampled at ``FUNCTION_POINTS`` points.

        Args:
            curve: Called with parameters from 0 to 1, (n,), returns points, (n, 3).
            space: Matrix of the space that they are in, (4, 4). Default: the pose's.
        """
        u = np.linspace(0.0, 1.0, FUNCTION_POINTS)
        points = array_of(curve(u), (FUNCTION_POINTS, 3), "curve(u)", ModelError)
        if space is not None:
            points = points @ space[:3, :3] + space[3, :3]
        self.through(points)

    def apply(self, pose: Pose, dt: float) -> None:
        if self.lay():
            self.kernel.write(self.roll, self.twist, self.weight)

    def lay(self) -> float:
        """Find where the chain lies; ``kernel.write`` moves it there.

        Returns:
            The factor of its length, or 0 where a number is not finite.
        """
        most = self.stretch
        if not self.length or not isfinite(self.offset):
            return 0.0
        least = 1.0 if most == 1.0 else (1e-6 if most == inf else 1.0 / most)
        found: float = self.kernel.lay(
            self.offset, least, 1e6 if most == inf else most, self.pinned
        )
        return found

    def handles(self, count: int) -> Floats:
        """Return points for a curve on which the chain lies as it does now.

        They are evenly along a curve through its joints; with a point for each joint,
        on these.

        Args:
            count: Number of points, 2 or more.

        Returns:
            Points, (count, 3) [unit of the pose]. The chain is without a curve then.
        """
        places = [
            self._pose.net_matrix(self._pose.names[j])[3, :3] for j in self.joints
        ]
        if count == len(places):
            return np.array(places)
        self.through(places)
        steps = np.linspace(0.0, self.length, count)
        found = np.array([self.kernel.along(step) for step in steps])
        self._layout, self.length = (0, False), 0.0
        return found

    def _use(self, pieces: int, closed: bool) -> None:
        if self._layout == (pieces, closed):
            return
        self._layout = pieces, closed
        per = max(4, min(24, 512 // pieces))
        samples = zeros(SAMPLE * (pieces * per + 1))
        self.kernel.use_curve(pieces, per, closed, zeros(PIECE * pieces), samples)
        self._points = None

    def _note(
        self, flat: Sequence[float], make: Callable[[Sequence[float]], float]
    ) -> None:
        """Make the curve of points, unless they are those of the last frame."""
        key = make.__name__, tuple(flat)
        if key == self._points:
            return
        self._points = key
        length = make(flat)
        self.length = length if isfinite(length) else 0.0


def _flat(points: ArrayLike, least: int) -> Sequence[float]:
    found = array_of(points, ("n", 3), "points", ModelError)
    if not least <= len(found) <= MOST_POINTS:
        raise ModelError(
            f"points must be {least} to {MOST_POINTS} points, not {len(found)}"
        )
    return buffer(found.ravel().tolist())
