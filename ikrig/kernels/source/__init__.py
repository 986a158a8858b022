"""Sources of the kernels: compiled by Cython, or run as Python.

They are kept apart from the compiled modules because some tools that freeze programs
would use a module's ``.py`` instead of the ``.so`` beside it.

Each imports ``cython``. Where that is not installed, this stands in for it while they
are imported: uncompiled they need no more than a few names, all without effect.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

_modules: dict[str, Any] = sys.modules
_stand_in = SimpleNamespace(
    compiled=False,
    nogil=nullcontext(),
    gil=nullcontext(),
    cast=lambda kind, value: value,
)
try:
    import cython
except ImportError:
    _modules["cython"] = _stand_in
# fmt: off
# isort: off
try:
    # tools that freeze programs read this list and need every name written out
    from . import (
        actor_frame, angles, arm_clearance, bend_sides, bezier, body, body_goals,
        body_pace, body_tree, branch_bends, budget, buffers, ccd_sweep, chain,
        clip_blend, clip_paces, clip_plans, codes, crowd, crowd_body, crowd_clips,
        crowd_gaze, crowd_layers, crowd_springs, crowd_walk, damped_steps, direct_solve,
        fabrik_sweep, feet, foot, foot_ground, foot_pace, foot_plan, frame_update,
        gap_closing, gaze, gaze_aim, gaze_look, hand, hand_reach, hips, jacobian,
        joint_poses, joint_search, joints, leg, limited_sweeps, matrices, node_frame,
        pose, posture, quat_ops, rest_pose, robot_coordinates, robot_fk, six_axis, sole,
        spline, spring_damper, springs, stride, swing, tree_frame, vectors, walk,
    )
finally:
    if _modules["cython"] is _stand_in:
        del _modules["cython"]
