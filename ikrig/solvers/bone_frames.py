"""Directions of bones."""

from __future__ import annotations

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
        length = np.linalg.norm(model.offsets[j])
        if length > size:
            found[model.parents[j]] += model.offsets[j] / length
        elif np.linalg.norm(found[j]) > 0.0:
            # a bone without length points where the next one does
            found[model.parents[j]] += found[j] / np.linalg.norm(found[j])
    for j in range(len(found)):
        if np.linalg.norm(found[j]) < 1e-9:
            found[j] = found[model.parents[j]] if j else (0.0, 0.0, 1.0)
        found[j] /= np.linalg.norm(found[j])
    return found
