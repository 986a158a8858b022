"""Where feet stand that no animation moves: those of a tracked or reaching body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..math3d.quaternion import Floats

SECONDS = 0.3
"""Duration of a step [s]."""
SMALL, LARGE = 0.16, 0.5
"""Distance from a foot's place from which it steps while the body is slow, and from
which it does so while the other foot is in the air, in lengths of the leg."""
TURNED = 0.6
"""Turn of the body from which a foot follows [rad]."""
LEAD = 0.15
"""Time by which a foot is set down ahead of a moving body [s]."""
LIFT = 0.12
"""Height of a long step, in lengths of the leg."""
LITTLE = 0.12
"""Distance for which a body that reaches takes no step, in lengths of the leg."""
FARTHEST = 0.9
"""How far it steps at most, in lengths of the leg."""
SPEED = 4.0
"""How fast that distance changes [lengths of the leg/s]."""
STRIDE_SECONDS = 0.4
"""Duration of such a step [s]."""
LONGEST = 0.7
"""Length of a step from which it is not lifted higher, in lengths of the leg."""


@dataclass
class Step:
    """A foot: where it stands, and its step.

    Args:
        place: Where it is on the ground, or its distance from where it is animated.
        start: The place from which it steps.
        home: Its place beside the body: to the right and ahead.
        heading: Its direction [rad].
        turned: The direction from which it steps [rad].
        height: Its height above its place.
        part: How far its step is; 1: it stands.
    """

    place: Floats
    start: Floats
    home: Floats
    heading: float = 0.0
    turned: float = 0.0
    height: float = 0.0
    part: float = 1.0

    def swing(self, goal: Floats, leg: float, part: float) -> float:
        """Go on by a part of a step to a goal; return how far it is, eased.

        Args:
            goal: Where the step ends.
            leg: Length of a leg.
            part: What is added to ``part``.
        """
        t = self.part = min(1.0, self.part + part)
        eased = t * t * t * (10.0 - 15.0 * t + 6.0 * t * t)
        way = goal - self.start
        self.place = self.start + eased * way
        high = LIFT * min(1.0, 0.3 + float(np.linalg.norm(way)) / leg / LONGEST)
        high *= leg * float(np.sin(np.pi * t)) ** 2
        self.height = high if t < 1.0 else 0.0
        return eased


class Stepper:
    """Sets the feet of a body that moves, one after the other.

    A foot that stands does not move. It steps when the body is too far from where the
    foot should be, or has turned; it is set down ahead of a body that moves.

    Args:
        count: The number of feet. Set ``home`` of each before the first frame.
        leg: Length of a leg.
    """

    def __init__(self, count: int, leg: float) -> None:
        self.leg = leg
        self.feet = [Step(*np.zeros((3, 2))) for _ in range(count)]
        self.is_set = False
        self._body = np.zeros(2)
        self._speed = np.zeros(2)

    def reset(self) -> None:
        """Place the feet anew in the next frame."""
        self.is_set = False

    def update(self, body: Floats, heading: float, dt: float) -> None:
        """Move the feet.

        Args:
            body: Where the body is on the ground, (2,).
            heading: Its direction, from the second axis, anticlockwise [rad].
            dt: Time since the last frame [s].
        """
        homes = [body + turned(foot.home, heading) for foot in self.feet]
        far = np.linalg.norm(body - self._body) > 2.0 * self.leg
        if not self.is_set or far:
            self.is_set = True
            self._body, self._speed = body.copy(), np.zeros(2)
            for foot, home in zip(self.feet, homes, strict=True):
                foot.place, foot.heading = home, heading
                foot.height, foot.part = 0.0, 1.0
            return
        if dt > 0.0:
            part = min(1.0, dt / 0.12)
            self._speed += part * ((body - self._body) / dt - self._speed)
        self._body = body.copy()
        lead = LEAD * self._speed
        longest = 0.45 * self.leg / max(float(np.linalg.norm(lead)), 1e-9)
        lead *= min(1.0, longest)
        gaps = [
            float(np.linalg.norm(home + lead - foot.place)) / self.leg
            + 0.2 * max(0.0, abs(_angle(heading - foot.heading)) - 0.3)
            for foot, home in zip(self.feet, homes, strict=True)
        ]
        for k in np.argsort(gaps)[::-1]:
            foot = self.feet[k]
            if foot.part < 1.0:
                continue
            waits = any(other.part < 1.0 for other in self.feet)
            away = gaps[k] > (LARGE if waits else SMALL)
            off = not waits and abs(_angle(heading - foot.heading)) > TURNED
            if away or off:
                foot.part, foot.start, foot.turned = 0.0, foot.place, foot.heading
        for foot, home in zip(self.feet, homes, strict=True):
            if foot.part >= 1.0:
                continue
            eased = foot.swing(home + lead, self.leg, dt / SECONDS)
            foot.heading = foot.turned + eased * _angle(heading - foot.turned)


class Stance:
    """Steps of a body that stands, to where it reaches what it wants, and back.

    Args:
        feet: The names of the feet.
        leg: Length of a leg.
    """

    def __init__(self, feet: Sequence[str], leg: float) -> None:
        self.leg = leg
        self.feet = dict.fromkeys(feet, Step(*np.zeros((3, 3))))
        self.reset()

    def reset(self) -> None:
        """Put the feet back at once."""
        self.feet = {name: Step(*np.zeros((3, 3))) for name in self.feet}
        self._wanted = np.zeros(3)
        self.is_home = True

    def update(self, wanted: Floats, dt: float) -> None:
        """Step, one foot after the other.

        Args:
            wanted: How far the body should be from where it is animated, (3,).
            dt: Time since the last frame [s].
        """
        far = float(np.linalg.norm(wanted))
        least = LITTLE if self.is_home else 0.3 * LITTLE
        wanted = wanted * min(1.0, FARTHEST * self.leg / max(far, 1e-30))
        if far < least * self.leg:
            wanted = np.zeros(3)
        # feet in the air do not jump
        way = wanted - self._wanted
        most = SPEED * self.leg * dt / max(float(np.linalg.norm(way)), 1e-30)
        wanted = wanted if most >= 1.0 else self._wanted + most * way
        self._wanted = wanted
        feet = list(self.feet.values())
        if all(foot.part >= 1.0 for foot in feet):
            gaps = [float(np.linalg.norm(wanted - foot.place)) for foot in feet]
            k = int(np.argmax(gaps)) if gaps else 0
            is_back = not wanted.any()
            if gaps and gaps[k] > (1e-6 if is_back else LITTLE) * self.leg:
                feet[k].start, feet[k].part = feet[k].place, 0.0
        for foot in feet:
            if foot.part < 1.0:
                foot.swing(wanted, self.leg, dt / STRIDE_SECONDS)
        self.is_home = not wanted.any() and all(
            foot.part >= 1.0 and not foot.place.any() for foot in feet
        )


def turned(place: Floats, heading: float) -> Floats:
    c, s = np.cos(heading), np.sin(heading)
    return np.array((c * place[0] - s * place[1], s * place[0] + c * place[1]))


def _angle(angle: float) -> float:
    return float((angle + np.pi) % (2.0 * np.pi) - np.pi)
