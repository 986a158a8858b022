"""Positions of the panels: one layout for every size of window."""

from __future__ import annotations

from typing import NamedTuple

LANES = 560.0  # minimum width for buttons and keys of a clip [pixel at scale 1]
LOW = 126.0  # height of buttons, slider and ruler of an animation


class Rect(NamedTuple):
    """A part of the window [pixel], from its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    def to_screen(self, x: float, y: float) -> tuple[float, float]:
        right, down = (x - self.x) / self.width, (y - self.y) / self.height
        return 2.0 * right - 1.0, 1.0 - 2.0 * down

    def to_window(self, x: float, y: float) -> tuple[float, float]:
        right, down = (x + 1.0) / 2.0, (1.0 - y) / 2.0
        return self.x + right * self.width, self.y + down * self.height


class Layout:
    def __init__(
        self,
        width: float,
        height: float,
        ui_scale: float,
        *,
        bare: bool = False,
        viewing: bool = False,
        tall: bool = False,
    ) -> None:
        fit = min(width / 1280.0, height / 720.0)
        self.scale = ui_scale * min(max(fit**0.5, 0.72), 1.6)
        s = self.scale
        top = round(38 * s)
        left = round(min(max(0.205 * width, 130 * s), 300 * s))
        right = round(min(max(0.235 * width, 165 * s), 340 * s))
        fraction, most = (0.40, 360) if tall else (0.27, 270)
        bottom = round(min(max(fraction * height, 105 * s), most * s))
        middle = height - top
        # the viewport keeps two fifths of the window at any text size
        wide = left + right
        if wide > 0.6 * width:
            left, right = (round(part * 0.6 * width / wide) for part in (left, right))
        # with large text, the lower panel needs the whole width
        low = width - left - right < LANES * s
        bottom = min(max(bottom, round(LOW * s)), round(0.42 * middle))
        if low and tall:
            bottom = round(0.55 * middle)
        if viewing:
            top = left = right = 0
            middle, bottom = height, min(round(118 * s), round(0.45 * height))
        if bare:
            top = left = right = bottom = 0
            middle = height
        between = width - left - right
        beside = middle - bottom if low else middle
        self.top = Rect(0, 0, width, top)
        self.left = Rect(0, top, left, beside)
        self.right = Rect(width - right, top, right, beside)
        self.bottom = Rect(left, height - bottom, between, bottom)
        if low and not (viewing or bare):
            self.bottom = Rect(0, height - bottom, width, bottom)
        self.view = Rect(left, top, between, middle - bottom)
