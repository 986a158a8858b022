"""Directions of bones."""

from __future__ import annotations

from math import sqrt

import numpy as np

from ..math3d.quaternion import Floats
from ..model.skeleton import SkeletonModel


def bone_directions(model: SkeletonModel) -> Floats:
    """Return the unit direction of each joint's bones, (n, 3).

    Where bones branch off it is their mean; a leaf has that of its last bone.
    """
    size = 1e-12 * model.size
    found = np.zeros_like(model.offsets)
    for j in range(len(found) - 1, 0, -1):
        bone = model.offsets[j]
        if sqrt(bone @ bone) <= size:
            # a bone without length points where the next one does
            bone = found[j]
        length = sqrt(bone @ bone)
        if length > 0.0:
            found[model.parents[j]] += bone / length
    for j in range(len(found)):
        if sqrt(found[j] @ found[j]) < 1e-9:
            found[j] = found[model.parents[j]] if j else (0.0, 0.0, 1.0)
        found[j] /= sqrt(found[j] @ found[j])
    return found
