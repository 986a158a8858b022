"""Templates of lines and bones that are swept along segments.

A corner's position is a fraction of the segment, plus half widths and pixels to the
left, plus pixels ahead. Pixel offsets make edges that fade over one pixel, and a dark
margin that keeps light lines readable on a light background.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_SHADE = 0.28  # alpha of the dark margin


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """A template of a line or a bone.

    Attributes:
        basis: Weights of start, end, half width left at both, pixel left at both,
            pixel ahead at both; (corners, 8).
        shades: Factors for RGBA, (corners, 4).
        triangles: Corner indices, (3 m,).
    """

    basis: npt.NDArray[np.float64]
    shades: npt.NDArray[np.float64]
    triangles: npt.NDArray[np.intp]


def _section(corners: list[tuple[float, ...]], triangles: list[int]) -> Section:
    """Return a template.

    Args:
        corners: Fraction of the segment, half widths left, pixels left, pixels ahead,
            brightness, alpha.
        triangles: Corner indices.
    """
    fraction, halves, left, ahead, tone, alpha = np.array(corners).T
    rest = 1.0 - fraction
    weights = [
        *(rest, fraction),
        *(halves * rest, halves * fraction),
        *(left * rest, left * fraction),
        *(ahead * rest, ahead * fraction),
    ]
    return Section(
        np.array(weights).T.copy(),
        np.array([tone, tone, tone, alpha]).T.copy(),
        np.array(triangles, np.intp),
    )


def _ribbon() -> Section:
    """Return a line: six columns from right to left, at the start and at the end."""
    columns = [
        # half widths, pixels, brightness, alpha
        (-1.0, -2.4, 0.0, 0.0),
        (-1.0, -0.5, 0.0, _SHADE),
        (-1.0, 0.5, 1.0, 1.0),
        (1.0, -0.5, 1.0, 1.0),
        (1.0, 0.5, 0.0, _SHADE),
        (1.0, 2.4, 0.0, 0.0),
    ]
    corners: list[tuple[float, ...]] = [
        (fraction, halves, pixels, 0.0, tone, alpha)
        for fraction in (0.0, 1.0)
        for halves, pixels, tone, alpha in columns
    ]
    triangles = [
        corner for k in range(5) for corner in (k, k + 1, k + 7, k, k + 7, k + 6)
    ]
    return _section(corners, triangles)


def _bone() -> Section:
    """Return a bone: four facets around a ridge, edged by five rings outwards."""
    waist, fill = 0.16, 0.62  # widest position, as a fraction of the length; alpha
    start, end = (0.0, 0.0), (1.0, 0.0)
    left, right, ridge = (waist, 1.0), (waist, -1.0), (waist, 0.0)
    facets = [
        # corners, brightness: light comes from the left
        ((start, left, ridge), 1.02),
        ((start, ridge, right), 0.7),
        ((left, end, ridge), 0.94),
        ((ridge, end, right), 0.62),
    ]
    rings = [
        # pixels outwards, brightness, alpha
        (-1.6, 1.0, 0.0),
        (-0.6, 1.0, 1.0),
        (0.4, 1.0, 1.0),
        (1.2, 0.0, _SHADE),
        (2.6, 0.0, 0.0),
    ]
    outline = [(start, 0, -1), (left, 1, 0), (end, 0, 1), (right, -1, 0)]
    corners: list[tuple[float, ...]] = [
        (*corner, 0.0, 0.0, tone, fill) for facet, tone in facets for corner in facet
    ]
    corners += [
        (*corner, pixels * leftwards, pixels * ahead, tone, alpha)
        for pixels, tone, alpha in rings
        for corner, leftwards, ahead in outline
    ]
    triangles = list(range(12))
    for inner in range(12, 12 + 4 * (len(rings) - 1), 4):
        for k in range(4):
            a, b = inner + k, inner + (k + 1) % 4
            triangles += [a, b, b + 4, a, b + 4, a + 4]
    return _section(corners, triangles)


RIBBON = _ribbon()
BONE = _bone()
