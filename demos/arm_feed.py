"""An arm follows the packets of a robot controller, smoothed by a `JointFeed`.

A sender (`demos/senders/arm_feed.py`, here a separate process) sends joint angles as a
robot's controller would. The glass arm shows the newest packet. The solid arm shows the
pose that a `JointFeed` interpolates between packets: slightly later, but smooth. Send
invalid packets or kill the sender: the arm keeps its pose, and a message says why.
`python -m demos arm_feed 9870` waits for your own sender of radians at that UDP port;
with a file instead of a port, the demo plays that recording. Angles that the arm can't
have, such as degrees, are reported.

Order: 160
Keys:
    Space  play
    N      nonsense
    K      kill
    S      start
    A      axis
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np
import panda3d.core as p3d

import ikrig
from demos._shared import six_axis, table, theme
from demos._shared.banner import Banner
from demos._shared.demo import Button, Demo, Note, Slider, smoothstep
from demos._shared.feed_links import make_link
from demos._shared.frames import attach_frame
from demos._shared.ghosts import Ghost
from demos._shared.layout import Layout
from demos._shared.six_axis import AXES
from demos._shared.table import Table
from demos._shared.trace import History, Trace
from ikrig.scene.viewer.orbit_camera import View

DELAY = 0.25
EASE = 0.5  # time in which the arm joins the first packets [s]
SECONDS = 5.0  # of the chart
SINCE = 1.0  # time over which the rate is counted [s]
# the scripted movement: invalid packets, then no sender
NONSENSE, SILENCE = (3.0, 4.6), (7.0, 9.0)
GHOST = (0.30, 0.70, 1.0, 0.9)
LIVE, DEAD = (0.02, 0.72, 0.22, 1.0), (1.0, 0.05, 0.03, 1.0)
BRIGHT, DIM = p3d.LVecBase4(1.0), p3d.LVecBase4(0.62, 0.62, 0.62, 1.0)
WIDTH, COLUMNS = 182.0, (1.0,)


class ArmFeed(Demo):
    """The arm, its ghost, the feed, and its link to a sender.

    Attributes:
        link: The source of packets and its sender.
        feed: The feed that turns packets into a smooth motion.
    """

    view = View(
        focus=(0.45, 0.0, 1.12), distance=8.8, heading=-30, pitch=13, radius=3.6
    )
    duration = 11.0
    fills_picture = True
    picture = 9.1
    takes_file = True

    def build(self) -> None:
        """Make the arm, listen, and start the sender."""
        self.tree = six_axis.attach(self.stage)
        attach_frame(self.tree.body("tool"), 1.5, "tool frame")
        self.ghost = Ghost(self.overlay, GHOST)
        self.link = make_link(self.file, self.live, self.random)
        self.feed = ikrig.JointFeed(
            self.link.source,
            AXES,
            delay=DELAY,
            clock=self.link.clock,
            ranges=self.tree.model.joint_ranges,
        )
        self.feed.start()
        self.waits = self.file is not None
        if not self.waits:
            self.link.start()
        self.axis = 1
        self.shown, self.sent = History(SECONDS), History(SECONDS)
        self.bad: deque[float] = deque(maxlen=200)
        self._arrivals = deque([(self.link.clock(), 0)])
        self._counted = self.feed.counts
        self._last_bad = -math.inf
        self._first: float | None = None

    def play(self, time: float) -> None:
        """Send invalid packets for a while, then kill and restart the sender."""
        if self.waits:
            return
        time %= self.duration
        self.link.spoiling = NONSENSE[0] <= time < NONSENSE[1]
        if SILENCE[0] <= time < SILENCE[1]:
            self.link.kill()
        else:
            self.link.start()

    def update(self, dt: float) -> None:
        """Show the latest pose of the feed."""
        self.link.step(dt)
        now = self.link.clock()
        if self._first is None and self.feed.age < math.inf:
            self._first = now + self.feed.delay
        # from the pose without packets to the first one's
        share = 0.0 if self._first is None else smoothstep((now - self._first) / EASE)
        self.tree.set_qpos(share * self.feed.sample(now), clamp=False)
        self._note_arrivals(now)

    def update_visuals(self) -> None:
        """Show the newest packet as the ghost; a lamp shows whether packets arrive."""
        if self.feed.stale:
            self.ghost.hide()
        else:
            self.ghost.show(self.feed.newest, [self.tree.qpos])
        six_axis.set_lamp(self.tree, DEAD if self.feed.stale else LIVE)
        self.tree.root.set_color_scale(DIM if self.feed.stale else BRIGHT)

    @property
    def rate(self) -> float:
        """Number of valid packets in the last second."""
        (since, before), (now, count) = self._arrivals[0], self._arrivals[-1]
        return (count - before) / (now - since) if now > since else 0.0

    def sliders(self) -> Sequence[Slider]:
        """Return a slider for the feed's delay."""

        def set_delay(value: float) -> None:
            self.feed.delay = value

        return (Slider("delay", 0.0, 1.0, DELAY, set_delay, show="{:.2f} s"),)

    def buttons(self) -> Sequence[Button]:
        """Return the actions on the feed and its sender."""
        link = self.link
        return (
            Button("nonsense", self._spoil, lit=lambda: link.spoiling),
            Button("axis in chart", self._next_axis),
            Button("kill sender", self._kill, enabled=lambda: link.sending),
            Button(
                "start sender",
                self._start,
                enabled=lambda: link.can_send and not link.sending,
            ),
        )

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        return {
            "n": self._spoil,
            "k": self._kill,
            "s": self._start,
            "a": self._next_axis,
        }

    def notes(self) -> Sequence[Note]:
        """Return the state of the feed."""
        feed = self.feed
        word, colour = "live", theme.GOOD
        if feed.stale:
            word = "stale" if feed.counts["good"] else "waiting"
            colour = theme.BAD
        units = theme.WARN if feed.hint else theme.TEXT
        behind = np.degrees(np.abs(feed.newest - self.tree.qpos).max())
        age = f"{1000.0 * feed.age:.0f} ms" if feed.age < 1.0 else f"{feed.age:.1f} s"
        return (
            Note("feed", word, colour),
            Note("from", self.link.describe()),
            Note("angles in", "radians" if not feed.hint else "radians?", units),
            Note("packets per second", f"{self.rate:.0f}"),
            Note("last valid packet", age if feed.age < math.inf else "never", colour),
            Note("lag of solid arm", f"{behind:.1f}°"),
        )

    def draw_over(self, layout: Layout, panels: p3d.NodePath, timed: bool) -> None:
        """Make counters, chart and banner."""
        names = ["packets", *self.feed.counts]
        top = layout.bottom - 8.0 - table.height(len(names))
        rows = [(name, "") for name in names]
        self._table = Table(layout, panels, (20.0, top, WIDTH), COLUMNS, rows)
        left = 20.0 + WIDTH + 10.0
        chart = (left, layout.bottom - 118.0, layout.width - left - 20.0, 110.0)
        self._trace = Trace(layout, panels, chart, SECONDS)
        self._banner = Banner(layout, panels, bottom=layout.height - 70.0)

    def refresh(self) -> None:
        """Update counters, chart and banner."""
        counts = self.feed.counts
        self._table.set(0, [str(sum(counts.values()))])
        for i, (name, count) in enumerate(counts.items(), 1):
            colour = theme.GOOD if name == "good" else theme.WARN
            self._table.set(i, [str(count)], colour if count else theme.MUTED)
        values = [value for _, value in (*self.shown.samples, *self.sent.samples)]
        self._trace.draw(
            f"axis {AXES[self.axis]} [rad]:  packets, arm, dropped packets",
            self.link.clock(),
            min(values, default=0.0) - 0.1,
            max(values, default=0.0) + 0.1,
            line=self.shown.samples,
            dots=self.sent.samples,
            marks=self.bad,
        )
        self._banner.set(*self.warning())

    def close(self) -> None:
        """Stop the feed and the sender."""
        self.link.kill()
        self.feed.close()

    def warning(self) -> tuple[str, theme.Colour]:
        """Return the current error, in one line."""
        feed = self.feed
        if feed.age == math.inf:
            where = self.link.describe()
            return f"waiting for a sender at {where}, in radians", theme.WARN
        if feed.stale:
            return (
                f"STALE:  no valid packet for {feed.age:.1f} s; the pose is kept",
                theme.BAD,
            )
        if feed.hint:
            return feed.hint, theme.WARN
        if self.link.clock() - self._last_bad < 0.5:
            return f"dropped:  {feed.problem[:70]}", theme.WARN
        return "", theme.TEXT

    def _note_arrivals(self, now: float) -> None:
        """Store the chart's samples and count the rate."""
        counts = self.feed.counts
        dropped = sum(counts.values()) - counts["good"]
        before = sum(self._counted.values()) - self._counted["good"]
        self.shown.add(now, float(self.tree.qpos[self.axis]))
        if counts["good"] > self._counted["good"]:
            self.sent.add(now, float(self.feed.newest[self.axis]))
        if dropped > before:
            self.bad.append(now)
            self._last_bad = now
        while self.bad and self.bad[0] < now - SECONDS:
            self.bad.popleft()
        self._counted = counts
        self._arrivals.append((now, counts["good"]))
        while self._arrivals[0][0] < now - SINCE:
            self._arrivals.popleft()

    def _spoil(self) -> None:
        self.playing = False
        self.link.spoiling = not self.link.spoiling

    def _kill(self) -> None:
        self.playing = False
        self.link.kill()

    def _start(self) -> None:
        self.playing = False
        self.link.start()

    def _next_axis(self) -> None:
        self.axis = (self.axis + 1) % len(AXES)
        self.shown, self.sent = History(SECONDS), History(SECONDS)
