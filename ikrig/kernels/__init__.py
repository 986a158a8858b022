"""Scalar loops on flat float64 buffers: Python that Cython compiles when it can.

Only ``math``, ``cython`` (or its stand-in) and one another are imported here.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, MutableSequence

from . import (
    _source,  # noqa: F401 - first, for it may say where the others are found
    arm6,
    arm6_pick,
    bezier,
    ccd,
    chain,
    dls,
    fabrik,
    jacobian,
    joints,
    lean,
    matrices,
    pose,
    posture,
    rest,
    skeleton,
    spatial,
    start,
    steps,
    sweeps,
    tree,
    trig,
)

__all__ = ["COMPILED", "buffer", "index_buffer"]

_MODULES = (
    *(arm6, arm6_pick, bezier, ccd, chain, dls, fabrik, jacobian, joints, lean),
    *(matrices, pose, posture, rest, skeleton, spatial, start, steps, sweeps, tree),
    trig,
)
_STATES = {m.__name__: bool(m.COMPILED) for m in _MODULES}
COMPILED = all(_STATES.values())
"""Whether the kernels run as machine code; with IKRIG_INTERPRETED=1 they do not."""

if any(_STATES.values()) and not COMPILED:
    raise ImportError(
        "ikrig's kernels are compiled only in part (not: "
        + ", ".join(name for name, done in _STATES.items() if not done)
        + "); reinstall with: pip install --force-reinstall --no-deps -e ., or set "
        "IKRIG_INTERPRETED=1 to run them all as Python"
    )


def buffer(values: Iterable[float]) -> MutableSequence[float]:
    """Return numbers as a kernel works on them; their count stays while one does."""
    return array("d", values)


def index_buffer(values: Iterable[int]) -> MutableSequence[int]:
    """Return whole numbers as a kernel takes them."""
    return array("i", values)
