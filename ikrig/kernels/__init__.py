"""Scalar loops on flat float64 buffers, in Python that Cython can compile.

``ikrig.kernels.X`` is the extension module made from ``source/X.py`` and ``X.pxd``;
where that is missing, or with ``IKRIG_INTERPRETED=1`` in the environment, it is
``ikrig.kernels.source.X`` itself. Kernels import only ``math``, ``cython`` (or a
stand-in) and one another.
"""

from __future__ import annotations

import os
import sys
from array import array
from collections.abc import Iterable, MutableSequence
from contextlib import suppress
from importlib.util import find_spec
from operator import index
from types import ModuleType
from typing import Any
from warnings import warn

__all__ = ["COMPILED", "KERNELS", "buffer", "index_buffer", "zeros"]

COMPILED = os.environ.get("IKRIG_INTERPRETED", "0") in ("", "0")
"""Whether the kernels run as machine code."""

_failure = None
# fmt: off
# isort: off
# tools that freeze programs read this list and need every name written out
if COMPILED:
    # code that kernels share; missing where each was compiled by itself
    with suppress(ImportError):
        from . import _cyutility
    try:
        from . import (
            actor_frame, angles, arm_clearance, bend_sides, bezier, body, body_goals,
            body_pace, body_tree, branch_bends, budget, buffers, ccd_sweep, chain,
            clip_blend, clip_paces, clip_plans, codes, crowd, crowd_body, crowd_clips,
            crowd_gaze, crowd_layers, crowd_springs, crowd_walk, damped_steps,
            direct_solve, fabrik_sweep, feet, foot, foot_ground, foot_pace, foot_plan,
            frame_update, gap_closing, gaze, gaze_aim, gaze_look, hand, hand_reach,
            hips, jacobian, joint_poses, joint_search, joints, leg, limited_sweeps,
            matrices, node_frame, pose, posture, quat_ops, rest_pose, robot_coordinates,
            robot_fk, six_axis, sole, spline, spring_damper, springs, stride, swing,
            tree_frame, vectors, walk,
        )
    except ImportError as error:
        COMPILED = False
        _failure = error
# isort: on
# fmt: on

if COMPILED:
    _home = sys.modules[__name__]
else:
    from . import source as _home
KERNELS: dict[str, ModuleType] = {
    name: value
    for name, value in list(vars(_home).items())
    if getattr(value, "__package__", None) == _home.__name__ and name[0] != "_"
}
"""Every kernel by its name, compiled or not."""

if _failure is not None:
    _made = [name for name in KERNELS if find_spec(f"{__name__}.{name}")]
    if _made:
        raise ImportError(
            "ikrig's kernels are compiled only in part, or can't be loaded: "
            f"{_failure} (there are: {', '.join(_made)}); reinstall with: "
            "pip install --force-reinstall --no-deps -e ., or set "
            "IKRIG_INTERPRETED=1 to run them all as Python"
        ) from _failure


def _outdated() -> list[str]:
    """Return the sources of a checkout that are newer than the kernels made of them.

    Elsewhere there are none: files of a wheel are as old as their copies.
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    if not (COMPILED and os.path.exists(f"{folder}/../../docs/package_page.py")):
        return []
    found = []
    for name, kernel in KERNELS.items():
        made = os.path.getmtime(str(kernel.__file__))
        for source in (f"{folder}/source/{name}.py", f"{folder}/{name}.pxd"):
            if os.path.getmtime(source) > made:
                found.append(os.path.basename(source))
    return found


if _newer := _outdated():
    warn(
        f"ikrig's kernels were compiled before {', '.join(_newer)} changed, and may "
        "not fit the rest of ikrig: compile them again with: pip install -e ., or set "
        "IKRIG_INTERPRETED=1 to run them all as Python",
        RuntimeWarning,
        stacklevel=1,
    )
if not COMPILED:
    globals().update(KERNELS)
    for _name, _kernel in KERNELS.items():
        sys.modules[f"{__name__}.{_name}"] = _kernel


def buffer(values: Iterable[float]) -> MutableSequence[float]:
    """Return a buffer for kernels: an array if compiled, else a list (faster)."""
    return array("d", values) if COMPILED else list(map(float, values))


_ZERO: Any = buffer((0.0,))


def zeros(count: int) -> MutableSequence[float]:
    """Return a buffer of ``count`` zeros."""
    values: MutableSequence[float] = _ZERO * count
    return values


def index_buffer(values: Iterable[int]) -> MutableSequence[int]:
    """Return a buffer of whole numbers for kernels."""
    return array("i", values) if COMPILED else list(map(index, values))
