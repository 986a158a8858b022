"""A robot that mirrors the joint values that another program sends."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import ikrig
from demos._shared import theme
from demos._shared.demo import Note
from demos._shared.demo_error import DemoError
from demos._shared.sender import Sender

SHOWN = 90  # maximum length of a message in the banner


class Mirror:
    """Keeps a robot in the pose that its sender reports.

    Args:
        robot: The robot.
        sender: The source of packets and their units.

    Raises:
        DemoError: A joint is unknown, or the robot has none that can be sent.
        IkrigError: The source can't be opened; the message gives the reason.
    """

    def __init__(self, robot: ikrig.Robot, sender: Sender) -> None:
        model = robot.model
        single = [name for name, j in robot.joints.items() if j.kind.coordinates == 1]
        names = list(sender.joints) or single
        for name in names:
            if name not in single:
                known = ", ".join(single)
                raise DemoError(
                    f"--joints: {name!r} is not a joint with a single value; "
                    f"available: {known}"
                )
        if not names:
            raise DemoError(f"{model.name} has no joints with a single value")
        rows = [model.joint_index(name) for name in names]
        self._robot, self._sender = robot, sender
        self._coordinates = model.joint_qpos[rows]
        hinges = [n for n in names if robot.joints[n].kind is ikrig.JointKind.HINGE]
        self.source = sender.source()
        self.feed = ikrig.JointFeed(
            self.source,
            names,
            degrees=hinges if sender.unit == "degrees" else False,
            parse="csv" if sender.csv else "json",
            ranges=model.joint_ranges[rows],
            start=robot.qpos[self._coordinates].tolist(),
        )
        self.feed.start()
        if sender.record is not None:
            self.feed.record(sender.record)

    def step(self) -> None:
        """Show the current pose."""
        if self.feed.age < math.inf:
            qpos = self._robot.qpos
            qpos[self._coordinates] = self.feed.sample()
            # as measured, also beyond the ranges
            self._robot.set_qpos(qpos, clamp=False)

    def notes(self) -> Sequence[Note]:
        """Return rows for the panel."""
        feed, counts = self.feed, self.feed.counts
        word, colour = "live", theme.GOOD
        if feed.stale:
            word = "stale" if counts["good"] else "waiting"
            colour = theme.BAD
        units = f"{self._sender.unit}, {'numbers' if self._sender.csv else 'JSON'}"
        dropped = ", ".join(f"{k} {n}" for k, n in counts.items() if n and k != "good")
        return (
            Note("feed", word, colour),
            Note("from", self._sender.describe(self.source)),
            Note("packets are", units),
            Note("joints in them", str(len(feed))),
            Note("good", str(counts["good"])),
            Note("dropped", dropped or "0", theme.WARN if dropped else theme.TEXT),
        )

    def warning(self) -> tuple[str, theme.Colour]:
        """Return the current error, in one line."""
        feed = self.feed
        if feed.hint:
            fix = "without --degrees" if self._sender.degrees else "with --degrees"
            more = f" Start {fix}." if feed.hint.endswith("?") else ""
            return f"{feed.hint}{more}", theme.WARN
        if feed.age == math.inf:
            bad = f": {feed.problem[:SHOWN]}" if feed.problem else ""
            place = self._sender.describe(self.source)
            return f"waiting for a valid packet at {place}{bad}", theme.WARN
        if feed.stale:
            return f"STALE:  no valid packet for {feed.age:.1f} s", theme.BAD
        return "", theme.TEXT

    def furthest(self) -> float:
        """Return the largest joint difference between newest packet and shown pose."""
        shown = self._robot.qpos[self._coordinates]
        return float(np.abs(self.feed.newest - shown).max())

    def close(self) -> None:
        """Stop listening."""
        self.feed.close()
