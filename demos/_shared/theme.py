"""Colours, text sizes and fonts of everything that is drawn over the scene."""

from __future__ import annotations

import math

import panda3d.core as p3d

import ikrig
from demos._shared.mesh import Material

Colour = tuple[float, float, float, float]

PANEL: Colour = (0.055, 0.065, 0.08, 0.72)
LINE: Colour = (1.0, 1.0, 1.0, 0.14)
TEXT: Colour = (0.93, 0.945, 0.96, 1.0)
FOCUS: Colour = (1.0, 0.56, 0.20, 0.22)
FAINT: Colour = (0.27, 0.29, 0.32, 1.0)
DISABLED: Colour = (0.42, 0.45, 0.49, 1.0)
MUTED: Colour = (0.60, 0.65, 0.71, 1.0)
ACCENT: Colour = (1.0, 0.56, 0.20, 1.0)
GOOD: Colour = (0.42, 0.86, 0.55, 1.0)
WARN: Colour = (1.0, 0.76, 0.28, 1.0)
BAD: Colour = (1.0, 0.40, 0.36, 1.0)

STATUS_COLOURS: dict[ikrig.SolveStatus, Colour] = {
    ikrig.SolveStatus.CONVERGED: GOOD,
    ikrig.SolveStatus.UNREACHABLE: WARN,
    ikrig.SolveStatus.STALLED: WARN,
    ikrig.SolveStatus.MAX_ITERATIONS: WARN,
    ikrig.SolveStatus.INVALID_TARGET: BAD,
}

POLE = (0.62, 0.52, 1.0)  # handles of poles

# paints shared by demos
ORANGE = Material((0.93, 0.36, 0.07), 0.34)
WHITE = Material((0.88, 0.88, 0.86), 0.38)
CHARCOAL = Material((0.105, 0.115, 0.13), 0.55)
SLATE = Material((0.20, 0.235, 0.275), 0.5)
RUBBER = Material((0.05, 0.052, 0.056), 0.75)
STEEL = Material((0.62, 0.64, 0.66), 0.28, 1.0)
DARK_STEEL = Material((0.27, 0.28, 0.30), 0.35, 1.0)
BRASS = Material((0.86, 0.66, 0.36), 0.3, 1.0)
GLOW = Material((1.0, 0.50, 0.14), 0.4, 0.0, 1.6)
GLOW_COOL = Material((0.25, 0.72, 1.0), 0.4, 0.0, 1.4)


class Fonts:
    """Panda3D's built-in font, rasterised at exactly the displayed sizes."""

    def __init__(self, scale: float) -> None:
        """Prepare fonts.

        Args:
            scale: Window pixels per layout pixel.
        """
        self._scale = scale
        self._made: dict[int, p3d.TextFont] = {}

    def get(self, size: float) -> p3d.TextFont:
        """Return the font for a text size in layout pixels."""
        pixels = max(6, round(size * self._scale))
        if pixels not in self._made:
            font = p3d.TextProperties.get_default_font().make_copy()
            if isinstance(font, p3d.DynamicTextFont):
                font.clear()
                font.set_scale_factor(1.0)
                # twice as large, so that letters keep their spacing when scaled down
                font.set_pixels_per_unit(2 * pixels)
                font.set_page_size(512, 512)
                font.set_native_antialias(True)
            self._made[pixels] = font
        return self._made[pixels]


def status_text(result: ikrig.SolveResult | None) -> tuple[str, Colour]:
    """Return a status as text and its colour."""
    if result is None:
        return "not solved", MUTED
    word = result.status.name.replace("_", " ").lower()
    return word, STATUS_COLOURS.get(result.status, TEXT)


def percent(share: float) -> str:
    """Return a short text for an error, given as a fraction of the reach."""
    if not math.isfinite(share):
        return "–"
    return f"{100.0 * share:.3f} %" if share >= 1e-5 else "< 0.001 %"
