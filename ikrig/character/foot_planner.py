"""FootPlanner: moves the foot of an animated figure onto uneven ground.

The animation walks on a plane. Under each foot that plane is moved up or down and
tilted until it lies on the real ground, and shifted while the foot stands, so that it
stays where it is. No engine here: places are numbers in world space, z is up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import cos, exp, hypot, pi, remainder, sin, sqrt, tan

from ..errors import SettingError
from ..math3d.springs import SpringDamper, rate_from_settling_time
from ..math3d.timestep import sound_dt
from ..value_shapes import LARGEST, Number, checked
from .leg_pose import GroundPoint, LegPose, Point

__all__ = ["FootPlanner", "FootSettings", "Ground"]

Turn = tuple[Point, Point, Point]

LOW, HIGH = 0.015, 0.04
"""A foot lower than this holds on to the ground, one higher does not [leg lengths]."""
SLOW, FAST = 0.7, 1.7
"""The same of its speed against the ground [leg lengths / s]."""
MEMORY = 0.06
"""Over which time a foot's speed is averaged [s]."""
UNDER = 0.03
"""Ground lower than the highest under the foot by this tilts it less [leg lengths]."""
AHEAD = 4
"""In how many places the ground is looked at on a foot's way."""
MOST = {"lock": 1.0, "max_tilt": 1.4}
"""The largest values of settings that have one."""
STRAIGHT = 0.98
"""Most of its length that a leg is stretched, unless it is animated so."""
SLACK = 0.6
"""Share of ``lock_distance`` and of TWIST after which a foot begins to slip."""
TWIST = 1.0
"""Furthest that a foot may stay turned from its animation [rad]."""


@dataclass(frozen=True, kw_only=True)
class FootSettings:
    """How feet are placed. Lengths are in leg lengths, so that they fit any figure.

    Raises:
        SettingError: Names the setting, the value and the range.
    """

    step_height: float = 0.5
    """Ground higher or lower than the figure's own by more than this is left alone."""
    max_tilt: float = 0.7
    """Steepest that a foot is laid on the ground [rad]."""
    lock: float = 1.0
    """How firmly a foot that stands stays where it is, 0 to 1."""
    lock_distance: float = 0.3
    """How far it may stay behind its animation before it slips."""
    foot_seconds: float = 0.15
    """How long a foot takes to a new height or tilt of the ground [s]."""
    hips_seconds: float = 0.4
    """How long the hips take to the height that suits the feet [s]."""
    release_seconds: float = 0.35
    """How long a foot that leaves the ground takes back to its animated way [s]."""
    look_ahead: float = 0.25
    """How early a foot in the air sees a step in its way [s]."""

    def __post_init__(self) -> None:
        """Check every value."""
        for field in fields(self):
            most = MOST.get(field.name, LARGEST)
            words = "at least 0" if most == LARGEST else f"from 0 to {most:g}"
            shape = Number(f"a number {words}", 0.0, most)
            value = checked(shape, getattr(self, field.name), field.name, SettingError)
            object.__setattr__(self, field.name, value)


@dataclass(frozen=True)
class Ground:
    """What is under a spot: how high it is, and how it rises along x and y."""

    height: float
    slope: GroundPoint


class FootPlanner:
    """One foot on the ground, from frame to frame.

    Each frame ``aim`` says where to look at the ground, and ``settle`` takes what is
    there; then ``position`` says where a point of the animated foot belongs.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin anew: what was before does not matter for the next frame."""
        self.contact_weight = 0.0
        """How firmly it stands, 0 to 1."""
        self.sole_height = 0.0
        """How high the sole's middle is when the foot stands."""
        self.slope: GroundPoint = (0.0, 0.0)
        """How the sole lies when the foot stands: its rise along x and y."""
        self.planar_offset: GroundPoint = (0.0, 0.0)
        """How far it is from where the animation has it, seen from above."""
        self.twist = 0.0
        """How far it is turned from there, about the upright [rad]."""
        self.rotation: Turn = _turn(self.slope, self.slope, 0.0)
        """Tilt and twist together: rows of a matrix for column vectors."""
        self.platform_delta: Point = (0.0, 0.0, 0.0)
        """How far the ground has taken it along in the last frame."""
        self._stance: LegPose | None = None
        self._settings = FootSettings()
        self._begins = True
        self._drift: GroundPoint | None = None
        self._height = SpringDamper()
        self._rises = SpringDamper(), SpringDamper()
        self._corners: list[GroundPoint] = []
        self._path: list[tuple[float, GroundPoint]] = []

    @property
    def stance(self) -> LegPose:
        """The foot as it is animated in this frame."""
        assert self._stance is not None
        return self._stance

    @property
    def spot(self) -> GroundPoint:
        """Where the sole's middle is, seen from above."""
        x, y = self.stance.middle
        return x + self.planar_offset[0], y + self.planar_offset[1]

    @property
    def contact(self) -> Point:
        """The place that bears the foot."""
        x, y = self._spot_of(self.stance.bearing)
        return x, y, self.sole_height + self._rise(x, y)

    @property
    def goal(self) -> Point:
        """Where the ankle belongs."""
        return self.to_ground(self.stance.ankle)

    @property
    def longest(self) -> float:
        """How far the ankle may be from the hip [units]."""
        return max(self.stance.length, STRAIGHT * self.stance.leg)

    def to_ground(self, point: Point) -> Point:
        """Return where a point of the animated foot belongs."""
        (x, y), (p, q, r) = self._spot_of(point), self.rotation[2]
        mx, my = self.stance.middle
        mz = self.stance.plane.height((mx, my))
        z = p * (point[0] - mx) + q * (point[1] - my) + r * (point[2] - mz)
        return x, y, self.sole_height + z

    def hip_height(self, held: float) -> float:
        """Return how far the hip may go up until the leg is at its longest [units].

        Args:
            held: Share of ``planar_offset`` that is kept: 0 where the animation has the
                foot, 1 where it is held.
        """
        (x, y, z), (a, b, c) = self.stance.hip, self.goal
        loose = 1.0 - held
        a, b = a - loose * self.planar_offset[0], b - loose * self.planar_offset[1]
        high = self.longest**2 - (a - x) ** 2 - (b - y) ** 2
        return c + sqrt(max(high, 0.0)) - z

    def let_go(self, up: float) -> None:
        """Slip towards the animation as far as the leg would have to be too long.

        Args:
            up: How much higher the hip is than in the animation [units].
        """
        (x, y, z), (a, b, c) = self.stance.hip, self.goal
        p, q = self.planar_offset
        # from the hip to where the ankle would be without the offset
        a, b, c = a - p - x, b - q - y, c - z - up
        flat = self.longest**2 - c * c
        if (a + p) ** 2 + (b + q) ** 2 <= flat:
            return
        # the longest part of the offset that ends on the circle of the reach
        size, along = p * p + q * q, a * p + b * q
        inside = along * along - size * (a * a + b * b - flat)
        held = (sqrt(inside) - along) / size if size > 0.0 and inside > 0.0 else 0.0
        held = max(0.0, min(1.0, held))
        self.planar_offset = p * held, q * held
        self.contact_weight *= held
        self._corners = self._spots()
        self._middle = self.spot

    # -- a frame -----------------------------------------------------------------------

    def aim(
        self,
        stance: LegPose,
        platform_delta: Point,
        platform_yaw: float,
        settings: FootSettings,
        dt: float,
    ) -> list[GroundPoint]:
        """Hold on to the ground; return the spots where to look at it.

        Args:
            stance: The foot as it is animated.
            carried: How far the ground has taken it along since the last frame.
            spun: How far the ground has turned it, about the upright [rad].
            settings: How to place it.
            dt: Time since the last frame [s].
        """
        dt = sound_dt(dt)
        self._settings, self.platform_delta = settings, platform_delta
        before, self._stance = self._stance, stance
        self._path = []
        if before is None:
            self.slope = stance.plane.slope
            self._lay()
            self._corners = self._spots()
            return self._corners
        old = self._middle
        if dt > 0.0:
            self._hold(before, platform_delta, platform_yaw, dt)
        self._corners = self._spots()
        # along a slope it rises and falls as it goes
        x, y = self.spot
        direction = x - old[0] - platform_delta[0], y - old[1] - platform_delta[1]
        rise = self.slope[0] * direction[0] + self.slope[1] * direction[1]
        self._height.shift(rise + platform_delta[2])
        if dt > 0.0:
            self._look_ahead(before, direction, dt)
        return self._corners + [spot for _, spot in self._path]

    def _hold(
        self, before: LegPose, platform_delta: Point, platform_yaw: float, dt: float
    ) -> None:
        """Move a foot that stands against its own movement."""
        settings, stance = self._settings, self.stance
        # what bears now may not have before: half of each
        support_weights = [
            0.5 * (a + b)
            for a, b in zip(before.support_weights, stance.support_weights, strict=True)
        ]
        bearing = stance.borne(support_weights)
        x, y = _mean(support_weights, self._corners)
        turned = remainder(stance.heading - before.heading, 2.0 * pi) - platform_yaw
        new = self._spot_of(bearing)
        pace = (
            (new[0] - x - platform_delta[0]) / dt,
            (new[1] - y - platform_delta[1]) / dt,
        )
        # an animation without frame blending jumps and waits: so also its mean counts
        late = exp(-dt / MEMORY)
        self._drift = _between(pace, self._drift or pace, late)
        speed = min(hypot(*pace), hypot(*self._drift)) / stance.leg
        low = [_fall(s.lowest / stance.leg, LOW, HIGH) for s in (before, stance)]
        self.contact_weight = settings.lock * _fall(speed, SLOW, FAST) * 0.5 * sum(low)
        self._shift(
            -self.contact_weight * pace[0] * dt, -self.contact_weight * pace[1] * dt
        )
        # what turns while it stands turns about what bears
        x, y = self._spot_of(bearing)
        turned *= self.contact_weight
        if turned * self.twist < 0.0:
            # away from the animation: too far and it slips
            turned *= _fall(abs(self.twist), SLACK * TWIST, TWIST)
        self.twist = max(-TWIST, min(TWIST, self.twist - turned))
        self._lay()
        new = self._spot_of(bearing)
        self._shift(x - new[0], y - new[1])
        # what does not hold goes back to the animation
        loose = 1.0 - self.contact_weight
        left = (
            exp(-loose * rate_from_settling_time(settings.release_seconds) * dt)
            if loose
            else 1.0
        )
        self.twist *= left
        self.planar_offset = self.planar_offset[0] * left, self.planar_offset[1] * left

    def _shift(self, dx: float, dy: float) -> None:
        """Shift the foot; what would go too far slips."""
        x, y = self.planar_offset
        if x * dx + y * dy > 0.0:
            most = self.stance.leg * self._settings.lock_distance
            hold = _fall(hypot(x, y), SLACK * most, most) if most > 0.0 else 0.0
            dx, dy = hold * dx, hold * dy
        self.planar_offset = x + dx, y + dy

    def _look_ahead(self, before: LegPose, direction: GroundPoint, dt: float) -> None:
        """Find spots on the way of a foot in the air, as far as it comes there."""
        stance, horizon = self.stance, self._settings.look_ahead
        length = hypot(*direction)
        if length < 1e-6 * stance.leg:
            return
        sinking = (before.lowest - stance.lowest) / dt
        if sinking > 0.0:
            horizon = min(horizon, max(stance.lowest, 0.0) / sinking)
        ux, uy = direction[0] / length, direction[1] / length
        x, y = self.spot
        front = max((cx - x) * ux + (cy - y) * uy for cx, cy in self._corners)
        for k in range(1, AHEAD + 1):
            time = horizon * k / AHEAD
            far = front + time * length / dt
            self._path.append((time, (x + ux * far, y + uy * far)))

    def settle(self, grounds: Sequence[Ground | None], dt: float) -> None:
        """Stand on the ground.

        Args:
            grounds: What is at the spots; None: nothing.
            dt: Time since the last frame [s].
        """
        dt, settings, stance = sound_dt(dt), self._settings, self.stance
        count = len(self._corners)
        under = [
            (spot, ground, lift)
            for spot, ground, lift in zip(
                self._corners, grounds[:count], stance.heights, strict=True
            )
            if ground is not None and self._counts(spot, ground)
        ]
        self._incline([(spot, ground) for spot, ground, _ in under], dt)
        floors = [ground.height - self._rise(*spot) for spot, ground, _ in under]
        floor = max(floors, default=stance.plane.height(self.spot))
        goal = floor
        # a step on the way: by when the foot must be up, seen from how long it takes
        late = 2.0 / rate_from_settling_time(settings.foot_seconds)
        for (time, spot), ground in zip(self._path, grounds[count:], strict=True):
            if ground is None or not self._counts(spot, ground):
                continue
            weight = _fall(time, late, max(settings.look_ahead, late + 1e-6))
            step = ground.height - self._rise(*spot) - floor
            goal = max(goal, floor + weight * step)
        if self._begins:
            self._height.reset(goal)
            self._begins = False
        self._height.step(goal, settings.foot_seconds, dt)
        # never in the ground, however quick that would have to be
        needed = [f - lift for f, (_, _, lift) in zip(floors, under, strict=True)]
        self.sole_height = max([self._height.value, *needed])
        self._corners = self._spots()
        self._middle = self.spot

    def _incline(self, under: list[tuple[GroundPoint, Ground]], dt: float) -> None:
        """Lay the sole on the ground, by and by."""
        settings, stance = self._settings, self.stance
        slope = stance.plane.slope
        if under:
            tops = [ground.height - self._rise(*spot) for spot, ground in under]
            shares = [exp((top - max(tops)) / (UNDER * stance.leg)) for top in tops]
            whole = sum(shares)
            slope = _mean([s / whole for s in shares], [g.slope for _, g in under])
            steep, steepest = hypot(*slope), tan(settings.max_tilt)
            if steep > steepest:
                slope = slope[0] * steepest / steep, slope[1] * steepest / steep
        for follower, rise in zip(self._rises, slope, strict=True):
            if self._begins:
                follower.reset(rise)
            follower.step(rise, settings.foot_seconds, dt)
        old = self._spot_of(stance.bearing)
        self.slope = self._rises[0].value, self._rises[1].value
        self._lay()
        # what stands must not be moved by that
        new = self._spot_of(stance.bearing)
        self._shift(
            self.contact_weight * (old[0] - new[0]),
            self.contact_weight * (old[1] - new[1]),
        )

    # -- geometry ----------------------------------------------------------------------

    def _counts(self, spot: GroundPoint, ground: Ground) -> bool:
        """Whether ground is near enough to the figure's own to step there."""
        stance = self.stance
        most = self._settings.step_height * stance.leg
        return abs(ground.height - stance.plane.height(spot)) <= most

    def _rise(self, x: float, y: float) -> float:
        """Return how much higher the sole is at a spot than in its middle."""
        mx, my = self.spot
        return self.slope[0] * (x - mx) + self.slope[1] * (y - my)

    def _spot_of(self, point: Point) -> GroundPoint:
        """Return where a point belongs, seen from above."""
        return self._spots([point])[0]

    def _spots(self, points: Sequence[Point] | None = None) -> list[GroundPoint]:
        """Return where points belong, seen from above; by default the corners."""
        mx, my = self.stance.middle
        mz = self.stance.plane.height((mx, my))
        (a, b, c), (d, e, f), _ = self.rotation
        # one matrix and one shift for all
        x = mx + self.planar_offset[0] - a * mx - b * my - c * mz
        y = my + self.planar_offset[1] - d * mx - e * my - f * mz
        return [
            (x + a * p + b * q + c * r, y + d * p + e * q + f * r)
            for p, q, r in (self.stance.sole if points is None else points)
        ]

    def _lay(self) -> None:
        """Make the turn from the animation's plane to the sole's, and the twist."""
        self.rotation = _turn(self.stance.plane.slope, self.slope, self.twist)


def _fall(value: float, low: float, high: float) -> float:
    """Return 1 up to ``low``, 0 from ``high`` on, and what is between smoothly."""
    weight = min(1.0, max(0.0, (high - value) / (high - low)))
    return weight * weight * (3.0 - 2.0 * weight)


def _mean(shares: Sequence[float], spots: Sequence[GroundPoint]) -> GroundPoint:
    x = y = 0.0
    for weight, (a, b) in zip(shares, spots, strict=True):
        x += weight * a
        y += weight * b
    return x, y


def _between(a: GroundPoint, b: GroundPoint, weight: float) -> GroundPoint:
    return a[0] + (b[0] - a[0]) * weight, a[1] + (b[1] - a[1]) * weight


def _turn(a: GroundPoint, b: GroundPoint, twist: float) -> Turn:
    """Return a twist about the upright, then the smallest turn from a slope to another.

    Rows of a matrix for column vectors.
    """
    m = 1.0 / sqrt(1.0 + a[0] * a[0] + a[1] * a[1])
    n = 1.0 / sqrt(1.0 + b[0] * b[0] + b[1] * b[1])
    ax, ay, az, bx, by, bz = -a[0] * m, -a[1] * m, m, -b[0] * n, -b[1] * n, n
    # v is the axis times the sine: 1 + [v] + [v]² / (1 + cosine)
    x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    k = 1.0 / (1.0 + ax * bx + ay * by + az * bz)
    c, s = cos(twist), sin(twist)
    return (
        _row(1.0 - k * (y * y + z * z), k * x * y - z, k * x * z + y, c, s),
        _row(k * x * y + z, 1.0 - k * (x * x + z * z), k * y * z - x, c, s),
        _row(k * x * z - y, k * y * z + x, 1.0 - k * (x * x + y * y), c, s),
    )


def _row(x: float, y: float, z: float, c: float, s: float) -> Point:
    """Return a row of a turn after another one about the upright."""
    return x * c + y * s, y * c - x * s, z
