"""The help bar: the keys of a demo, in lines along the lower edge."""

from __future__ import annotations

from collections.abc import Sequence

import panda3d.core as p3d

from demos._shared import theme
from demos._shared.demo import Demo
from demos._shared.layout import Label, Layout

SIZE, GAP, LINE = 13.0, 22.0, 21.0

Keys = Sequence[tuple[str, str]]


def keys_of(demo: Demo, own: Keys) -> Keys:
    """Return the keys that have a function in a demo, its own ones first."""
    keys = list(own)
    chains = bool(demo.chains())
    if chains or demo.handles():
        keys += [("Drag", "handle or orbit"), ("X Y Z", "axis")]
        keys.append(("Shift Alt", "floor, depth"))
    else:
        keys.append(("Drag", "orbit"))
    keys += [("Middle", "pan"), ("Wheel", "zoom")]
    if chains or demo.handles() or demo.sliders() or demo.buttons():
        keys.append(("Tab", "controls"))
    keys.append(("R", "reset"))
    if chains:
        keys.append(("B", "bones"))
    return [*keys, ("H", "panels"), ("F11", "full screen"), ("Esc", "back")]


def draw_help(layout: Layout, parent: p3d.NodePath, keys: Keys, margin: float) -> float:
    """Draw the bar and reserve its height in the layout; return that height."""
    limit = layout.width - 2.0 * margin
    lines: list[list[tuple[Label, Label, float]]] = [[]]
    used = 0.0
    # in front of the background, which is made once its height is known
    back, front = parent.attach_new_node("back"), parent.attach_new_node("keys")
    for key, text in keys:
        cap = layout.text(0.0, 0.0, key, size=SIZE, parent=front)
        word = layout.text(0.0, 0.0, text, size=SIZE, colour=theme.MUTED, parent=front)
        width = cap.width + 6.0 + word.width
        if lines[-1] and used + GAP + width > limit:
            lines.append([])
            used = 0.0
        used += width + (GAP if lines[-1] else 0.0)
        lines[-1].append((cap, word, width))

    height = LINE * len(lines) + 14.0
    top = layout.bottom = layout.height - height
    layout.panel(0.0, top, layout.width, height, back)
    for i, line in enumerate(lines):
        total = sum(width for *_, width in line) + GAP * (len(line) - 1)
        x, y = 0.5 * (layout.width - total), top + 22.0 + LINE * i
        for cap, word, width in line:
            cap.move(x, y, layout.scale)
            word.move(x + cap.width + 6.0, y, layout.scale)
            x += width + GAP
    return height
