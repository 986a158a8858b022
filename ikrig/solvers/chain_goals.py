"""ChainGoals: gives settings and the goal of a frame to a chain's kernels."""

from __future__ import annotations

from typing import ClassVar

from ..checks import checked_instance
from ..errors import SettingError
from .chain_workspace import ChainWorkspace
from .joint_motion import apply_motion
from .joint_space import JointSpace
from .settings import SolveSettings


class ChainGoals(ChainWorkspace):
    """A chain's pose, its settings and its goals."""

    orientation_counts: ClassVar[bool] = False
    """Whether ``orientation_weight`` 0 counts as 1."""

    def _apply(self, settings: SolveSettings) -> None:
        checked_instance(settings, SolveSettings, "settings", SettingError)
        if self._joints is not None:
            apply_motion(self._joints, settings, self.model)
        kernel = self._kernel
        self._settings = settings
        self._tolerance = (
            1e-3 * kernel.reach if settings.tolerance is None else settings.tolerance
        )
        kernel.tolerance = self._tolerance
        kernel.iterations = settings.iterations
        kernel.weight = settings.weight
        kernel.soften = settings.soften
        kernel.snap_back = settings.snap_back_strength or 0.0
        # without limits each frame then decides, as a pole may come and go
        kernel.choose_start = settings.snap_back_strength is None and not self._limited
        kernel.stretch = settings.stretch
        kernel.max_step = settings.max_step or 0.0
        kernel.twist_spread = settings.twist_spread
        kernel.roll_from_parent = settings.roll_from == "parent"

    def _aim(self, joints: JointSpace, orientation_weight: float) -> None:
        """Set the frame's goal in the joint space."""
        kernel, goal = self._kernel, joints.buffers["goal"]
        goal[0], goal[1], goal[2] = kernel.gx, kernel.gy, kernel.gz
        kernel.aim_leaf(self._limited and self._animated)
        weights = joints.buffers["weights"]
        weights[0], weights[1] = 1.0, orientation_weight
        joints.kernel.scale = kernel.lengthening
        joints.kernel.stuck = joints.kernel.uncounted = 0
        joints.note_goals(kernel.snap_back)

    def _orientation_weight(self, settings: SolveSettings, use_tip: bool) -> float:
        """Return the weight of the leaf's rotation in the solve."""
        if not use_tip:
            return 0.0
        return settings.orientation_weight or float(self.orientation_counts)

    def _aim_tool(self, joints: JointSpace, counts: bool) -> None:
        """Make the joints bring the tip itself to the goal if its rotation counts."""
        kernel, buffers = self._kernel, joints.buffers
        if not kernel.tipped:
            return
        tool = self._limit_tip_offset().tolist() if counts else (0.0, 0.0, 0.0)
        for c in range(3):
            buffers["tool"][c] = tool[c]
            if counts:
                buffers["goal"][c] += self._buffers["tip_offset"][c]
