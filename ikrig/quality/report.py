"""measure: a motion's report, as text, as JSON and as a page with plots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from math import isfinite

import numpy as np

from ..checks import checked_instance, is_number
from ..errors import SettingError, shown, suggest
from ..math3d.quaternion import Floats
from ..model.motion import Motion
from .gait import Gait, Ground
from .measures import MEASURES, Found, Measure
from .spikes import CAUSES, Spike

WIDE, HIGH = 860, 120
COLOURS = ("#1f77b4", "#d95f02", "#2a9d5c", "#7b3fa0", "#8c6d31", "#c2185b")
MOST_POINTS = 1500
"""Maximum number of points of a plotted line."""


@dataclass(frozen=True)
class Result:
    """The value of one measure.

    Attributes:
        measure: The measure.
        limit: The limit that counted, or None.
        found: What was found; None where the motion lacks what the measure needs.
    """

    measure: Measure
    limit: float | None
    found: Found | None

    @property
    def passed(self) -> bool:
        """Whether the value is within the limit, or there is none of them."""
        return self.found is None or self.measure.passes(self.found.value, self.limit)

    @property
    def value(self) -> float | None:
        """The value in the measure's unit, or None."""
        return None if self.found is None else self.found.value


@dataclass(frozen=True)
class Report:
    """The quality of a motion.

    Attributes:
        motion: The motion.
        results: What each measure found, by its name.
        feet: Names of the feet that were found.
        level: Height of the ground where none was given, in the motion's unit.
    """

    motion: Motion
    results: Mapping[str, Result]
    feet: tuple[str, ...] = ()
    level: float | None = None

    def __getitem__(self, name: str) -> Result:
        return self.results[name]

    @property
    def ok(self) -> bool:
        """Whether every value is within its limit."""
        return not self.failed

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the measures whose value is not."""
        return tuple(n for n, result in self.results.items() if not result.passed)

    @property
    def spikes(self) -> tuple[Spike, ...]:
        """All leaps of joints, also those that do not count."""
        found = self.results["spikes"].found
        return found.spikes if found else ()

    def as_dict(self) -> dict[str, object]:
        """Return the report as plain data, for JSON."""
        motion = self.motion
        return {
            "motion": motion.name,
            "passed": self.ok,
            "frames": len(motion),
            "fps": round(motion.fps, 6),
            "seconds": motion.duration,
            "joints": len(motion.names),
            "feet": list(self.feet),
            "ground": self.level,
            "measures": {
                name: {
                    "value": _finite(r.value),
                    "unit": r.measure.unit,
                    "limit": r.limit,
                    "passed": r.passed,
                    "frame": r.found.frame if r.found else None,
                    "joint": r.found.joint if r.found else "",
                }
                for name, r in self.results.items()
            },
            "spikes": [spike._asdict() for spike in self.spikes],
        }

    def __str__(self) -> str:
        motion = self.motion
        feet = ", ".join(self.feet) or "no feet found"
        lines = [
            f"{motion.name}: {len(motion)} frames, {motion.fps:.4g} fps, "
            f"{len(motion.names)} joints; {feet}"
        ]
        for name, r in self.results.items():
            if r.found is None:
                continue
            mark = " " if r.passed else "!"
            where = "" if r.found.frame is None else f"frame {r.found.frame}"
            limit = "" if r.limit is None else f"{'<>'[r.measure.least]}= {r.limit:g}"
            lines.append(
                f"{mark} {name:20} {r.found.value:9.3g} {r.measure.unit:18} "
                f"{limit:8} {where} {r.found.joint[-40:]}".rstrip()
            )
        return "\n".join([*lines, *(f"  {spike}" for spike in self.spikes)])

    def page(self) -> str:
        """Return the report as an HTML page with a plot of each measure's frames."""
        rows, plots = [], []
        for name, r in self.results.items():
            if r.found is None:
                continue
            cells = [name, f"{r.found.value:.3g} {r.measure.unit}"]
            cells += ["" if r.limit is None else f"{r.limit:g}", r.measure.text]
            style = "" if r.passed else ' class="bad"'
            columns = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            rows.append(f"<tr{style}>{columns}</tr>")
            if r.found.series:
                plots.append(self._plot(name, r))
        leaps = "".join(f"<li>{escape(str(spike))}</li>" for spike in self.spikes)
        causes = "; ".join(f"{cause}: {words}" for cause, words in CAUSES.items())
        title = escape(f"Quality of {self.motion.name}")
        return (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}'
            f"</title><style>{STYLE}</style><h1>{title}</h1>"
            f"<p>{escape(str(self).partition(chr(10))[0])}</p><table><tr><th>measure"
            f"<th>value<th>limit<th>what it is</tr>{''.join(rows)}</table>"
            f"<h2>Leaps</h2><ul>{leaps or '<li>none</li>'}</ul><p>{escape(causes)}</p>"
            f"{''.join(plots)}</html>\n"
        )

    def _plot(self, name: str, result: Result) -> str:
        assert result.found is not None
        times = self.motion.times
        end = max(float(times[-1]), 1e-9)
        limit = result.limit if name != "skating" else None
        series = result.found.series
        peaks = [float(v.max(initial=0.0)) for v in series.values()]
        top = 1.1 * max([*peaks, limit or 0.0, 1e-9])
        marks = [
            f'<line x1="{WIDE * s.time / end:.1f}" x2="{WIDE * s.time / end:.1f}" '
            f'y1="0" y2="{HIGH}" class="leap"/>'
            for s in self.spikes
        ]
        if limit:
            y = HIGH * (1.0 - limit / top)
            marks.append(
                f'<line x1="0" x2="{WIDE}" y1="{y:.1f}" y2="{y:.1f}" class="limit"/>'
            )
        words = []
        for k, (joint, values) in enumerate(series.items()):
            colour = COLOURS[k % len(COLOURS)]
            marks.append(
                f'<polyline points="{_points(times / end, values / top)}" '
                f'stroke="{colour}"/>'
            )
            words.append(f'<span style="color:{colour}">{escape(joint)}</span>')
        unit = "m/s" if name == "skating" else result.measure.unit
        return (
            f"<h2>{name}</h2><p>{', '.join(words)}; up to {top:.3g} {escape(unit)}, "
            f'{end:.3g} s</p><svg viewBox="0 0 {WIDE} {HIGH}">{"".join(marks)}</svg>'
        )


STYLE = (
    "body{font:15px sans-serif;margin:2em auto;max-width:900px;color:#222}"
    "td,th{text-align:left;padding:.2em .8em .2em 0;vertical-align:top}"
    ".bad td{color:#b00020;font-weight:600}svg{width:100%;background:#f4f4f4}"
    "polyline{fill:none;stroke-width:1.3}.limit{stroke:#b00020;stroke-dasharray:6 4}"
    ".leap{stroke:#b00020;opacity:.35}"
)


def _points(times: Floats, values: Floats) -> str:
    """Return a line's points; of many frames the largest value of each few."""
    few = max(1, -(-len(values) // MOST_POINTS))
    starts = np.arange(0, len(values), few)
    peaks = np.maximum.reduceat(values, starts)
    spots = zip(WIDE * times[starts], HIGH * (1.0 - peaks), strict=True)
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)


def _finite(value: float | None) -> float | None:
    return value if value is None or isfinite(value) else None


def measure(
    motion: Motion,
    ground: Ground | None = None,
    source: Motion | None = None,
    limits: Mapping[str, float | None] | None = None,
) -> Report:
    """Return the quality of a motion.

        report = ikrig.quality.measure(ikrig.load_bvh("walk.bvh"))
        print(report)
        assert report.ok, report.failed

    Args:
        motion: The motion.
        ground: Height of the ground: a number; a function of x and y; or a dict of
            arrays by foot, as in ``Report.feet``, of heights (frames) or of those below
            the points of its sole (frames, points), or with x and y of points of a
            moving ground (frames, points, 3). Default: the level on which the feet
            stand most.
        source: The motion that it was made from, frame by frame, such as the clip
            without IK.
        limits: Other limits than the measures' own, by name; None: any value passes.

    Raises:
        SettingError: An argument is invalid.
    """
    checked_instance(motion, Motion, "motion", SettingError)
    given = check_limits(limits)
    gait = Gait(motion, ground)
    other = None
    if source is not None:
        checked_instance(source, Motion, "source", SettingError)
        if len(source) != len(motion) or source.names != motion.names:
            raise SettingError(
                f"source must have the {len(motion)} frames and the joints of "
                f"{motion.name}, but {source.name} has {len(source)} frames and "
                f"{len(source.names)} joints"
            )
        other = Gait(source)
    results = {}
    for name, each in MEASURES.items():
        own = each.limit
        if other is not None and each.sourced is not None:
            own = each.sourced
        lacks = ("feet" in each.needs and not gait.feet) or (
            "source" in each.needs and other is None
        )
        found = None if lacks else each.find(gait, other)
        results[name] = Result(each, given.get(name, own), found)
    level = gait.level / gait.unit if ground is None and gait.feet else None
    return Report(motion, results, tuple(foot.name for foot in gait.feet), level)


def check_limits(limits: Mapping[str, float | None] | None) -> dict[str, float | None]:
    """Return limits by the names of measures."""
    given = dict(limits or {})
    for name, limit in given.items():
        if name not in MEASURES:
            known = suggest(name, MEASURES)
            raise SettingError(f"limit of {name!r}: there is no such measure: {known}")
        if limit is not None and not is_number(limit):
            raise SettingError(f"limit of {name} must be a number, not {shown(limit)}")
    return given
