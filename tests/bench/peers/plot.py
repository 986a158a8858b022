"""Draws a table as a picture; nothing else here needs matplotlib."""

from __future__ import annotations

from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING

from .measure import Row
from .work import PeerWork

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OURS, OTHERS, INK = "#e8742c", "#8fa3b5", "#33414d"


def draw(work: PeerWork, rows: list[Row], file: Path) -> Path:
    """Save a picture: time per solve, success, iterations where published."""
    from matplotlib.figure import Figure

    size = (8.0, 1.1 + 0.32 * len(rows))
    figure = Figure(figsize=size, layout="constrained", facecolor="white")
    figure.suptitle(work.title, x=0.01, ha="left", color=INK, fontsize=12)
    if work.published:
        time, counts = figure.subplots(1, 2, sharey=True)
        draw_iterations(counts, rows)
    else:
        time = figure.subplots()
    draw_times(time, rows, brief=work.published)
    # the fastest on top
    time.invert_yaxis()
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=130)
    return file


def draw_times(axes: Axes, rows: list[Row], *, brief: bool) -> None:
    """Draw the medians, with a whisker to the slowest tenth, and the success."""
    _bars(axes, rows, [row.median for row in rows])
    ends = [max(row.median, row.slow) for row in rows]
    for row, end in zip(rows, ends, strict=True):
        axes.hlines(row.name, row.median, end, color=INK, linewidth=1.2)
        share = f"{100 * row.success:.3g} %"
        _label(axes, end, row, share if brief else f"{_time(row.median)}, {share}")
    _scale(axes, min(row.median for row in rows), max(ends), 0.25 if brief else 0.35)
    axes.xaxis.set_major_formatter(lambda us, _: _time(us))
    axes.set_xlabel("median time; line: to the slowest tenth; % solved")


def draw_iterations(axes: Axes, rows: list[Row]) -> None:
    """Draw the mean iterations beside the published ones."""
    _bars(axes, rows, [row.iterations for row in rows])
    ends = []
    for row in rows:
        then = row.candidate.published
        ends.append(max(row.iterations, then or 0.0))
        text = f"{row.iterations:.3g}"
        if then:
            axes.plot(then, row.name, "D", color=INK, markersize=5)
            text += f" (◆ {then:g})"
        _label(axes, ends[-1], row, text)
    _scale(axes, min(row.iterations for row in rows), max(ends), 0.4)
    axes.set_xlabel("mean iterations; ◆ as published")


def _bars(axes: Axes, rows: list[Row], sizes: list[float]) -> None:
    names = [row.name for row in rows]
    colours = [OURS if name.startswith("ikrig") else OTHERS for name in names]
    axes.barh(names, sizes, color=colours, height=0.62)


def _label(axes: Axes, x: float, row: Row, text: str) -> None:
    axes.annotate(
        text,
        (x, row.name),
        (7, 0),
        textcoords="offset points",
        va="center",
        color=INK,
        fontsize=9,
    )


def _scale(axes: Axes, least: float, most: float, room: float) -> None:
    # whole powers of ten on the left; on the right, room for words as a share
    left = floor(log10(least) - 0.05)
    axes.set_xscale("log")
    axes.set_xlim(10.0**left, 10.0 ** (left + (log10(most) - left) / (1.0 - room)))
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(which="minor", bottom=False)
    axes.tick_params(colors=INK, labelsize=9)
    axes.xaxis.label.set(color=INK, fontsize=9)


def _time(us: float) -> str:
    for size, unit in ((1e6, "s"), (1e3, "ms")):
        if us >= size:
            return f"{float(f'{us / size:.3g}'):g} {unit}"
    return f"{us:.3g} µs"
