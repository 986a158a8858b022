"""One foot of an animated figure: it stands where it landed, or swings to its foothold.

It says where its ``Sole`` is placed. While the foot stands the sole's offset, twist,
height and slope change so that it stays; while it swings they go, eased by the time
that is left, to what they are at the foothold, which is predicted and looked at before.
"""

import cython

if not cython.compiled:
    from math import exp, sqrt, tan

    from .foot_pace import RESTS, FootPace
    from .sole import Sole, shortest
    from .spring_damper import SpringDamper
    from .vectors import distance

# a foot lower than the first begins to stand, one higher than the second does no more
# [leg lengths]; the same for its speed over the ground [leg lengths / s]
HELD_HEIGHT = 0.015
FREE_HEIGHT = 0.035
HELD_SPEED = 0.8
FREE_SPEED = 1.5
# speed beyond which a foot that stands by the clip's plan does no more [speed of the
# clip]
PLANNED_SPEED = 1.25
# last part of a swing of the clip in which a foot that stands stays down
ENDS = 0.25
# time before it lands in which a foot comes down where its clip stops [s], and speed
# below which it does [leg lengths / s]
LANDS = 0.15
LAND_SPEED = 0.5
# maximum twist of a foot from its animation [rad]
MAX_TWIST = 1.0
# a step on the spot: how long it takes, and at least where the foot is soon beyond its
# distance again [s]; how high it is [leg lengths]
STEP_SECONDS = 0.45
QUICK_STEP = 0.35
STEP_HEIGHT = 0.05
# parts of its time in which it only goes up, or down, and in which it speeds up
STEP_RISES = 0.12
SPEEDS_UP = 0.2
# how far ahead such a step goes at most, and after how much it begins once the figure
# stands, slower than the last [leg lengths / s], and how far it may be away just before
# its clip lifts it, and where it waits for others to land; parts of what a foot may be
# away
STEP_AHEAD = 0.5
STRETCHED = 1.25
WAITS = 1.3
SETTLES = 0.25
STANDS = 0.03
# part of the distance to which a foot is held after which it steps, once the figure
# walks and no clip alone says when
EARLY = 0.2
# time for which a foot has stood that may step [s]
STOOD = 0.2
# rate times seconds after which a critically damped spring has 5 % of a distance left
SETTLED = 4.744
# number of stretches of a foot's way between which the ground is looked at
STRETCHES = 9
# number of places between which ground rises by a step at most, up to a foothold
HOPS = 6
# number of bisections to find how far a foot can go before a step
BISECTIONS = 4
# height over edges on the way [leg lengths]
CLEARANCE = 0.02
# least height in a swing of the clip [leg lengths], beyond this time at both ends [s]
DRAGGED = 0.0235
DRAG_SECONDS = 0.06
# part of a slow swing that it takes to rise as high
DRAG_TIME = 0.11
# maximum height above the ground from which a foot that is to stand is put down
# [leg lengths]
MAX_PRESS = 0.06
# least speed of a foot just off the ground [speed of the figure]
STRIDE_RATIO = 2.2
# maximum speed at which ground lifts a foot [leg lengths / s], and how far in the time
# of a swing, or as fast as the clip walks [leg lengths]; the latter is allowed in any
# case, however short the swing
MAX_LIFT_SPEED = 2.2
LIFT = 1.1
QUICK_LIFT = 0.8
# part of a swing that is left at least where one begins in the air
LATE = 0.25
# part of a swing in which it gets so fast
GENTLE = 0.1
# maximum extension of a leg [its length], unless it is animated longer
MAX_EXTENSION = 0.98
# length of a foot [leg lengths] beyond which distances count by the foot: figures may
# have feet longer than their legs
FOOT = 0.35
LONG = 2.0
# part of its clip's speed from which a figure goes as fast as its clip
FITS = 0.75
# how far a clip slides in half a stance before footholds are moved [leg lengths]
SLIDES = 0.1


def fall(value, low, high):
    """Return a smooth step from 1 at ``low`` down to 0 at ``high``."""
    fraction = (high - value) / (high - low)
    if fraction >= 1.0:
        return 1.0
    if fraction > 0.0:
        return fraction * fraction * (3.0 - 2.0 * fraction)
    return 0.0


def ease(fraction):
    """Return a smooth step from 0 at 0 up to 1 at 1."""
    return 1.0 - fall(fraction, 0.0, 1.0)


def glide(fraction):
    """Return a way from 0 at 0 to 1 at 1, soon and for long at its highest speed."""
    u = max(0.0, min(1.0, fraction))
    most = 1.0 / (1.0 - SPEEDS_UP)
    if u < SPEEDS_UP:
        return 0.5 * most * u * u / SPEEDS_UP
    if u > 1.0 - SPEEDS_UP:
        return 1.0 - 0.5 * most * (1.0 - u) * (1.0 - u) / SPEEDS_UP
    return most * (u - 0.5 * SPEEDS_UP)


class Foot:
    """A foot from frame to frame.

    In each piece of a frame ``advance`` moves its sole; its ``Leg`` brings the ankle to
    where that is placed.

    Args:
        sole: Its ``Sole``.
    """

    def __init__(self, sole: Sole):
        self.sole = sole
        self.pace = FootPace(sole)
        # compiled this is an array of the object
        if not cython.compiled:
            self.old_weights = [0.0] * sole.count
        self.level = SpringDamper()
        self.press = SpringDamper()
        self.set_settings(0.5, 0.7, 1.0, 0.3, 0.15, 0.35, 0.25)
        self.carried_x = self.carried_y = self.carried_z = self.carried_yaw = 0.0
        self.old_heading = self.old_lowest = 0.0
        self.hold = 0.0
        self.reset()

    def reset(self):
        """Reset to the state before the first frame."""
        self.sole.reset()
        self.pace.reset()
        self.at_start = 1
        self.planted = self.stepping = self.alone = 0
        self.plan = 0
        self.haste = 0.0
        self.plan_left = self.plan_end = self.plan_whole = self.plan_x = self.plan_y = (
            0.0
        )
        self.plan_half = self.way_x = self.way_y = self.aim_x = self.aim_y = 0.0
        self.beside = self.beside_x = self.beside_y = 0.0
        self.contact_weight = 0.0
        self.flying_time = 0.0
        self.press.reset(0.0)
        self.progress = self.left = self.standing_time = self.begun = 0.0
        self.start_x = self.start_y = self.start_z = 0.0
        self.land_x = self.land_y = self.land_z = self.land_time = 0.0
        self.land_front = self.land_back = self.under = 0.0
        self.rest_x = self.rest_y = self.rest_z = 0.0
        self.spot_x = self.spot_y = 0.0
        self.rises = self.aim_twist = 0.0
        self.slack = self.least_slack = 0.0
        # as it is where it lands
        self.land_slack = 1e300
        self.level.reset(0.0)
        self.moved_x = self.moved_y = self.moved_z = 0.0

    def set_settings(self, step_height, max_tilt, lock, lock_distance, foot_seconds,
                     release_seconds, look_ahead):  # fmt: skip
        """Store the fields of ``FootSettings`` that concern a foot."""
        self.sole.step_height = step_height
        self.sole.steepest = tan(max_tilt)
        self.lock = lock
        self.lock_distance = lock_distance
        self.foot_seconds = foot_seconds
        self.release_seconds = release_seconds
        self.look_ahead = look_ahead

    # -- what a figure tells and asks its feet -----------------------------------------

    def begin_frame(self, turn, dt):
        """Begin a frame of dt seconds, in which the figure turns at a speed [rad/s]."""
        # the plan is that of the frame's end
        self.plan_end = self.plan_left
        self.plan_left += dt
        self.pace.figure_turn = turn
        if not self.at_start:
            # as its corners lie: the leg may have lifted its heel since
            self.sole.set_rotation()

    def begin_piece(self, standing, haste, dt):
        """Begin a piece of a frame, at whose start that many feet stand.

        Args:
            standing: Number of feet that stand.
            haste: Largest ``own_haste`` of all feet: those that step together land so.
            dt: Time of the piece [s].
        """
        self.alone = 1 if standing == self.planted else 0
        self.haste = haste
        self.plan_left = max(self.plan_left - dt, 0.0)

    def end_height(self):
        """Return how high the foot stands, or is to land."""
        return self.rest_z if self.planted else self.land_z

    def is_held(self):
        """Return whether the clip holds it up: it does not come down soon."""
        return 1 if self.pace.rests() and self.left <= 0.0 else 0

    def is_held_up(self):
        """Return whether it is where it was to land while the clip begins a swing."""
        if self.planted or self.stepping or self.progress < 1.0 or self.plan != 2:
            return 0
        return 1 if self.plan_left > LATE * self.plan_whole else 0

    def way_back(self, x, y):
        """Return how much its way to where it is animated leads to a point: up to 1."""
        dx = x - self.sole.middle_x - self.sole.offset_x
        dy = y - self.sole.middle_y - self.sole.offset_y
        size = self.sole.offset_x * self.sole.offset_x
        size += self.sole.offset_y * self.sole.offset_y
        size = sqrt(size * (dx * dx + dy * dy)) + 1e-9 * self.sole.leg * self.sole.leg
        return (dx * self.sole.offset_x + dy * self.sole.offset_y) / size

    # -- standing and swinging ---------------------------------------------------------

    def advance(self, ground, until, part, dt):
        """Advance to a time within the frame.

        Args:
            ground: The ground.
            until: The time, as a fraction of the frame; 1 is its end.
            part: Fraction of the frame since the last call.
            dt: Time since the last call [s].
        """
        self.sole.blend(until)
        if self.at_start:
            self.begin(ground)
        else:
            self.carry(part)
            if dt > 0.0:
                self.move(part * self.carried_yaw, dt)
            self.sole.move_corners()
            self.find_foothold(ground, dt)
            self.settle(ground, dt)
        for i in range(self.sole.count):
            self.old_weights[i] = self.sole.weights[i]
        self.old_lowest = self.sole.lowest
        self.old_heading = self.sole.heading
        self.pace.end_piece()
        self.spot_x, self.spot_y = self.sole.at()
        if self.planted:
            self.sole.keep_footprint(self.land_x, self.land_y)
        self.rest()

    def begin(self, ground):
        """Put the foot on the ground where it is animated."""
        self.sole.slope_x = self.sole.plane_x
        self.sole.slope_y = self.sole.plane_y
        self.sole.set_rotation()
        self.sole.move_corners()
        size = 0.0
        for i in range(self.sole.count):
            for k in range(i):
                away = distance(self.sole.points, 3 * i, self.sole.points, 3 * k)
                size = max(size, away)
        self.hold = max(self.sole.leg, min(size / FOOT, LONG * self.sole.leg))
        # its speed is not known yet: a foot that is down stands
        self.planted = 1 if self.sole.lowest < FREE_HEIGHT * self.sole.leg else 0
        self.contact_weight = self.lock * self.planted
        self.pace.relative_speed = self.sole.leg
        self.progress = 1.0 * self.planted
        self.begun = -1.0
        self.sole.survey(ground)
        self.sole.find_slope()
        self.sole.tilt_x.reset(self.sole.ground_x)
        self.sole.tilt_y.reset(self.sole.ground_y)
        self.sole.incline(self.foot_seconds, self.contact_weight, 0.0)
        self.sole.survey(ground)
        x = self.sole.middle_x
        y = self.sole.middle_y
        self.level.reset(
            self.sole.floor if self.sole.has_ground else self.sole.plane_height(x, y)
        )
        self.sole.height = max(self.level.value, self.sole.needed)
        self.start_x = self.land_x = x
        self.start_y = self.land_y = y
        self.start_z = self.land_z = self.under = self.sole.height
        self.least_slack = self.slack = 1e300
        self.sole.move_corners()
        self.sole.set_footprint(x, y)
        self.at_start = 0

    def carry(self, part):
        """Move all that is kept with what the foot stands on."""
        self.moved_x = part * self.carried_x
        self.moved_y = part * self.carried_y
        self.moved_z = part * self.carried_z
        self.start_x += self.moved_x
        self.start_y += self.moved_y
        self.start_z += self.moved_z
        self.land_x += self.moved_x
        self.land_y += self.moved_y
        self.level.shift(self.moved_z)
        self.sole.height += self.moved_z

    def move(self, yaw, dt):
        """Hold a standing foot against its animation, or swing it on."""
        # the corners that bear change: use the mean of old and new weights
        bx = by = bz = x = y = 0.0
        for i in range(self.sole.count):
            w = 0.5 * (self.old_weights[i] + self.sole.weights[i])
            bx += w * self.sole.points[3 * i]
            by += w * self.sole.points[3 * i + 1]
            bz += w * self.sole.points[3 * i + 2]
            x += w * self.sole.corners[2 * i]
            y += w * self.sole.corners[2 * i + 1]
        rotation = shortest(self.sole.heading - self.old_heading) - yaw
        dx, dy, _ = self.sole.placed(bx, by, bz)
        arm_x = dx - self.sole.offset_x - self.sole.origin_x
        arm_y = dy - self.sole.offset_y - self.sole.origin_y
        # how far the animation moves it over what it is on
        dx = dx - x - self.moved_x
        dy = dy - y - self.moved_y
        self.pace.measure(
            dx / dt, dy / dt, arm_x, arm_y, self.moved_x, self.moved_y, yaw / dt, dt
        )
        stands = self.wants_to_stand(dt)
        if self.stepping:
            stands = 0
        if stands and not self.planted:
            self.planted = 1
            self.standing_time = 0.0
            self.progress = 1.0
            self.sole.lift = 0.0
            self.least_slack = 1e300
            self.land_x = self.sole.middle_x + self.sole.offset_x - self.lock * dx
            self.land_y = self.sole.middle_y + self.sole.offset_y - self.lock * dy
        elif self.planted and not stands:
            dragged: cython.bint = self.sole.lowest < FREE_HEIGHT * self.sole.leg
            dragged = dragged and self.lock > 0.0 and self.standing_time >= STOOD
            if self.plan == 0 and dragged and not self.alone:
                # a blend of clips would drag it
                self.begin_step()
            else:
                self.release()
        elif self.is_held_up():
            # it goes on from there
            self.release()
        self.contact_weight = self.lock * self.planted
        if self.planted:
            self.standing_time += dt
            before = self.sole.away()
            self.sole.offset_x -= self.lock * dx
            self.sole.offset_y -= self.lock * dy
            # a standing foot turns about the point that bears
            x, y, _ = self.sole.placed(bx, by, bz)
            twist = self.sole.twist - self.lock * rotation
            self.sole.twist = min(MAX_TWIST, max(-MAX_TWIST, twist))
            self.sole.set_rotation()
            at_x, at_y, _ = self.sole.placed(bx, by, bz)
            self.sole.offset_x += x - at_x
            self.sole.offset_y += y - at_y
            # beyond its distance it slips
            most = self.lock_distance * self.sole.leg
            if self.plan == 1 and self.pace.figure_speed > FITS * self.clip_speed():
                most = self.lock_distance * self.hold
            if self.plan == 1 and self.plan_left < self.step_seconds():
                # the clip lifts it soon
                most *= STRETCHED
            elif self.plan == 0 and not self.pace.walks():
                # it steps as soon as another one has landed
                most = WAITS * self.lock_distance * self.hold
            # what it may be away goes down no faster than the foot comes back
            most = max(most, before)
            away = self.sole.away()
            remaining = 1.0 if away <= most else most / away
            if self.lock < 1.0:
                rate = (self.lock - 1.0) * SETTLED / max(self.release_seconds, 1e-3)
                remaining *= exp(rate * dt)
                self.sole.twist *= remaining
            self.land_x += (remaining - 1.0) * self.sole.offset_x
            self.land_y += (remaining - 1.0) * self.sole.offset_y
            self.sole.offset_x *= remaining
            self.sole.offset_y *= remaining
        else:
            self.standing_time = 0.0
            self.flying_time = self.flying_time + dt if self.plan == 2 else 0.0
            self.fly(dx, dy, dt)
        self.sole.set_rotation()

    def wants_to_stand(self, dt):
        """Return whether the foot is to stand, by the clip's plan or as it moves."""
        speed = self.pace.over_ground() / self.sole.leg
        low = self.sole.lowest / self.sole.leg
        if self.planted and self.alone:
            # while the others step it stays as long as it can
            away = self.sole.away()
            # rounding must not decide
            if away < 0.999 * self.lock_distance * self.sole.leg:
                speed = min(speed, 0.5 * FREE_SPEED)
        if self.plan:
            # it may land within the frame, or early, where its clip stops
            over = self.sole.height + self.sole.lowest - self.under
            slow: cython.bint = self.plan_left < LANDS and speed < LAND_SPEED
            slow = slow and not self.pace.walks()
            if slow and low < HELD_HEIGHT and over < FREE_HEIGHT * self.sole.leg:
                return 1
            if not self.planted and self.progress < 1.0 and self.left > 0.5 * dt:
                return 0
            # and lift off within it
            stays: cython.bint = self.planted and self.plan == 2
            early: cython.bint = self.plan_left > self.plan_whole
            # or the clip begins where it lands
            stays = stays and (early or self.plan_left < ENDS * self.plan_whole)
            if self.plan == 1 or stays:
                # clips slide; but it does not stay behind a figure that is pushed
                pace = PLANNED_SPEED * self.clip_speed() / self.sole.leg
                return 1 if speed < max(FREE_SPEED, pace) else 0
            return 0
        if self.planted or self.pace.rests():
            return 1 if low < FREE_HEIGHT and speed < FREE_SPEED else 0
        return 1 if low < HELD_HEIGHT and speed < HELD_SPEED else 0

    def clip_speed(self):
        """Return how fast the clip walks in this stance or the next one [units / s]."""
        if not self.plan_half > 0.0:
            return 0.0
        return sqrt(self.way_x * self.way_x + self.way_y * self.way_y) / self.plan_half

    def release(self):
        """Let go of the ground: a swing begins."""
        self.planted = 0
        self.progress = self.flying_time = 0.0
        self.begun = -1.0
        self.aim_x = self.aim_y = self.aim_twist = 0.0
        self.beside = self.beside_x = self.beside_y = 0.0
        self.left = self.release_seconds
        self.start_x = self.land_x = self.spot_x + self.moved_x
        self.start_y = self.land_y = self.spot_y + self.moved_y
        self.start_z = self.land_z = self.under = self.sole.height
        if self.least_slack < 1e300:
            self.slack = self.least_slack

    def begin_step(self):
        """Start a step to the animated position."""
        self.release()
        self.stepping = 1
        self.left = self.step_seconds()
        # one that walks off has no time for it, and one that hurries less
        quick = (self.left - QUICK_STEP) / (STEP_SECONDS - QUICK_STEP)
        self.rises = 0.0 if self.pace.walks() else STEP_RISES * quick
        self.contact_weight = 0.0

    def step_seconds(self):
        """Return how long a step on the spot takes: less for figures that turn fast."""
        if self.pace.walks():
            return self.release_seconds
        return max(QUICK_STEP, min(STEP_SECONDS, 1.0 / (self.haste + 1e-300)))

    def own_haste(self):
        """Return how fast a standing foot goes as far away as it may [1 / s]."""
        x = self.pace.figure_x + self.pace.spin_x
        y = self.pace.figure_y + self.pace.spin_y
        haste = abs(self.pace.mean_turn) / MAX_TWIST
        most = self.lock_distance * self.sole.leg
        if most > 0.0:
            haste = max(haste, sqrt(x * x + y * y) / most)
        return haste

    def take_aim(self):
        """Set how far from where it is animated the foot is to land.

        In the middle of its stance it is where it is animated then, however much the
        clip slides, or is slower than the figure, and however fast the figure turns.
        """
        least = SLIDES * self.sole.leg
        x = y = turn = 0.0
        if self.stepping:
            half = 0.5 * self.step_seconds()
            if not self.pace.walks():
                x = half * (self.pace.figure_x + self.pace.spin_x)
                y = half * (self.pace.figure_y + self.pace.spin_y)
                turn = half * self.pace.mean_turn
            least = half * STANDS * self.sole.leg
        elif self.plan == 2:
            x = self.way_x + self.plan_half * self.pace.figure_x
            y = self.way_y + self.plan_half * self.pace.figure_y
        elif self.plan == 1:
            return
        size = sqrt(x * x + y * y)
        most = STEP_AHEAD * self.lock_distance * self.sole.leg
        k = self.lock * min(max(size - least, 0.0), most) / (size + 1e-300)
        twist = STEP_AHEAD * MAX_TWIST
        turn = self.lock * max(-twist, min(twist, turn))
        # just before it lands it changes no more
        late = min(1.0, 4.0 * (1.0 - self.progress))
        self.aim_x += late * (k * x - self.aim_x)
        self.aim_y += late * (k * y - self.aim_y)
        self.aim_twist += late * (turn - self.aim_twist)

    def fly(self, dx, dy, dt):
        """Swing on: what the foot was held off by fades in the time that is left.

        A step leaves its footprint from rest, however fast the animation is there, and
        a swing as fast as the ground, where the animation does not go with that.

        Args:
            dx: How far the animation moves it over what it is on.
            dy: As ``dx``.
            dt: In this time [s].
        """
        self.take_aim()
        if self.plan == 2 and not self.stepping:
            self.left = self.plan_left
        else:
            # a clip that stops leaves the foot where it is
            most = self.release_seconds
            if self.stepping:
                # the figure may turn faster meanwhile
                most = (1.0 - self.progress) * self.step_seconds()
            self.left = min(max(self.left - dt, 0.0), most)
        last = self.progress
        self.progress += (1.0 - self.progress) * dt / (self.left + dt)
        if self.plan == 2 and not self.stepping and self.plan_whole > 0.0:
            # a foot that was released late has the rest of the clip's swing
            passed = 1.0 - self.plan_left / self.plan_whole
            if self.begun < 0.0:
                self.begun = min(max(0.0, passed - dt / self.plan_whole), 0.999)
            passed = (passed - self.begun) / (1.0 - self.begun)
            self.progress = max(last, passed)
        # a step on the spot goes straight up first, and straight down at last
        wait = self.rises if self.stepping else 0.0
        remaining = self.remaining(last, wait, dt)
        x = self.aim_x + self.beside_x
        y = self.aim_y + self.beside_y
        self.sole.offset_x = x + (self.sole.offset_x - x) * remaining
        self.sole.offset_y = y + (self.sole.offset_y - y) * remaining
        remaining = self.remaining(last, 0.0, dt)
        self.sole.twist = (
            self.aim_twist + (self.sole.twist - self.aim_twist) * remaining
        )
        self.sole.lift = 0.0
        u = self.progress
        after = glide((u - wait) / (1.0 - 2.0 * wait))
        part = (1.0 - after) * (1.0 - after)
        square = self.moved_x * self.moved_x + self.moved_y * self.moved_y
        if square > 0.0 and not self.stepping:
            behind = -(dx * self.moved_x + dy * self.moved_y) / square
            behind = part * max(0.0, min(1.0, behind))
            self.sole.offset_x += behind * self.moved_x
            self.sole.offset_y += behind * self.moved_y
        if self.stepping:
            if last >= 1.0 - wait and self.plan != 2:
                part = 1.0
            self.sole.offset_x -= part * dx
            self.sole.offset_y -= part * dy
            self.sole.lift = (
                16.0 * u * u * (1.0 - u) * (1.0 - u) * STEP_HEIGHT * self.sole.leg
            )
            # rounding must not decide
            if self.left < 0.5 * dt:
                self.stepping = 0
                self.progress = 1.0
                self.aim_x = self.sole.offset_x
                self.aim_y = self.sole.offset_y

    def remaining(self, last, wait, dt):
        """Return what remains of what the foot was held off by.

        Args:
            last: Progress before.
            wait: Part of the swing after which, and before whose end, it changes.
            dt: Time since then [s].
        """
        before = (last - wait) / (1.0 - 2.0 * wait)
        after = (self.progress - wait) / (1.0 - 2.0 * wait)
        before = glide(before) if self.stepping else ease(before)
        after = glide(after) if self.stepping else ease(after)
        if before < 0.999999:
            return (1.0 - after) / (1.0 - before)
        # after its time, too, what it had to wait for is made up for gradually
        return exp(-SETTLED * dt / max(self.release_seconds, 1e-3))

    def wants_step(self):
        """Return how urgently the foot should step; 1 or more: at once.

        More than 0 only after it has stood for a while, and is not animated to walk.
        """
        if not self.planted or self.lock <= 0.0 or self.standing_time < STOOD:
            return 0.0
        max_offset = self.lock_distance * self.sole.leg
        if max_offset <= 0.0:
            return 0.0
        x = self.sole.offset_x
        y = self.sole.offset_y
        offset = self.sole.away()
        seconds = self.step_seconds()
        vx = self.pace.figure_x + self.pace.spin_x
        vy = self.pace.figure_y + self.pace.spin_y
        if self.pace.walks():
            # from a stand into a walk
            if not self.clip_speed() > 0.0:
                return offset / (EARLY * max_offset)
            # the clip lifts it soon
            if self.plan == 2 or self.plan_left < seconds:
                return 0.0
            vx = self.pace.mean_x
            vy = self.pace.mean_y
        elif self.pace.stirs():
            return 0.0
        twist = abs(self.sole.twist)
        speed = sqrt(vx * vx + vy * vy)
        if speed < STANDS * self.sole.leg and self.standing_time > 0.5:
            return max(offset / max_offset, twist / MAX_TWIST) / SETTLES
        near: cython.bint = max(offset / max_offset, twist / MAX_TWIST) < SETTLES
        # as far as it will be after the step of another foot
        if offset > 0.0:
            offset += max(0.0, -(x * vx + y * vy) / offset) * seconds
        if twist > 0.0:
            twist += max(0.0, -self.pace.mean_turn * self.sole.twist / twist) * seconds
        # one that is near only goes with another
        need = max(offset / max_offset, twist / MAX_TWIST)
        return min(need, 0.99) if near else need

    # -- ground ------------------------------------------------------------------------

    def find_foothold(self, ground, dt):
        """Predict where a swinging foot lands, and look at the ground there."""
        if self.planted or dt <= 0.0:
            return
        x, y = self.sole.at()
        self.land_time = self.left
        self.sole.turn_footprint()
        if self.plan == 2:
            # a step goes over into the clip's swing
            self.land_time = self.plan_left
            self.land_x = self.plan_x + self.plan_end * self.pace.figure_x + self.aim_x
            self.land_y = self.plan_y + self.plan_end * self.pace.figure_y + self.aim_y
            if not self.stepping:
                self.step_beside(ground)
        elif self.stepping:
            # the figure takes along where it steps to
            self.land_x = self.sole.middle_x + self.left * self.pace.figure_x
            self.land_y = self.sole.middle_y + self.left * self.pace.figure_y
        elif self.plan == 1:
            # it lands within the frame, or was let go of
            self.land_x = self.sole.middle_x + self.aim_x + self.beside_x
            self.land_y = self.sole.middle_y + self.aim_y + self.beside_y
        else:
            time = self.look_ahead
            sinking = (self.old_lowest - self.sole.lowest) / dt
            vx = self.pace.mean_x
            vy = self.pace.mean_y
            if sinking > 0.0:
                # a foot that is quick does not land yet, however low it is
                speed = sqrt(
                    self.pace.speed_x * self.pace.speed_x
                    + self.pace.speed_y * self.pace.speed_y
                )
                time *= 1.0 - fall(speed / self.sole.leg, HELD_SPEED, 2.0 * FREE_SPEED)
                time = max(
                    time, min(self.look_ahead, max(self.sole.lowest, 0.0) / sinking)
                )
                # until then it slows down
                slow = fall(speed / self.sole.leg, FREE_SPEED, 2.0 * FREE_SPEED)
                vx *= 1.0 - 0.5 * slow
                vy *= 1.0 - 0.5 * slow
            else:
                # just off the ground it is slow yet, but will overtake the figure
                speed = sqrt(vx * vx + vy * vy)
                pace = STRIDE_RATIO * sqrt(
                    self.pace.figure_x * self.pace.figure_x
                    + self.pace.figure_y * self.pace.figure_y
                )
                if pace > speed:
                    vx = STRIDE_RATIO * self.pace.figure_x
                    vy = STRIDE_RATIO * self.pace.figure_y
            self.land_x = x + time * vx
            self.land_y = y + time * vy
            self.land_time = time
        dx = self.land_x - x
        dy = self.land_y - y
        way = sqrt(dx * dx + dy * dy) + 1e-300
        # the sole at the foothold
        self.sole.find_extent(dx, dy)
        self.land_front = self.sole.front / way
        self.land_back = self.sole.back / way
        self.sole.lay_footprint(self.land_x, self.land_y)
        self.sole.survey(ground)
        if not self.sole.has_ground:
            self.sole.survey_beside(ground, self.rise_on_the_way(ground, x, y))
        self.sole.find_slope()
        self.land_z = self.sole.landing_height(self.land_x, self.land_y)
        # by the time it lands, or a foot snaps to the slope of its next foothold
        seconds = max(self.foot_seconds, self.land_time)
        self.sole.incline(seconds, 0.0, dt)

    def rise_on_the_way(self, ground, x, y):
        """Return how far above the ramp the ground is that leads to the foothold.

        Args:
            ground: The ground.
            x: Where the foot is, seen from above.
            y: As ``x``.
        """
        k: cython.int
        level = self.under
        step = self.sole.step_height * self.sole.leg
        for k in range(1, HOPS + 1):
            px = x + k * (self.land_x - x) / HOPS
            py = y + k * (self.land_y - y) / HOPS
            if (
                ground.find_level(px, py, level + step)
                and ground.height >= level - step
            ):
                level = ground.height
        return level - self.sole.ramp_height(self.land_x, self.land_y)

    def step_beside(self, ground):
        """Move the foothold along its way off an edge, if there is room beside it.

        The edge is where heights under the middle of the sole jump, and the sole lands
        before it, or behind it if that is nearer.
        """
        ux = self.land_x - self.start_x
        uy = self.land_y - self.start_y
        way = sqrt(ux * ux + uy * uy)
        if not way > self.lock_distance * self.sole.leg:
            return
        ux /= way
        uy /= way
        shift = 0.0
        if self.sole.find_edge(ground, self.land_x, self.land_y, ux, uy):
            # less what the clip slides while it stands
            x = self.way_x + self.plan_half * self.pace.figure_x
            y = self.way_y + self.plan_half * self.pace.figure_y
            most = self.lock_distance * self.sole.leg - sqrt(x * x + y * y)
            most = self.lock * min(
                most, STEP_AHEAD * self.lock_distance * self.sole.leg
            )
            clearance = CLEARANCE * self.sole.leg
            front = self.sole.front
            back = self.sole.back
            size = front - back + clearance
            ahead = self.sole.edge_front - back + clearance
            behind = self.sole.edge_back - front - clearance
            if ahead <= most and self.sole.is_level(
                ground, self.land_x, self.land_y, self.sole.edge_front, size, ux, uy
            ):
                shift = ahead
            # it does not change its mind between two sides that are alike
            if shift > 0.0:
                most = min(most, ahead - self.beside)
            if -behind <= most and self.sole.is_level(
                ground, self.land_x, self.land_y, self.sole.edge_back, -size, ux, uy
            ):
                shift = behind
        # half way it is decided on which side, and just before it lands how far
        if self.progress < 0.5 or shift * self.beside > 0.0:
            self.beside += min(1.0, 4.0 * (1.0 - self.progress)) * (shift - self.beside)
        self.beside_x = self.beside * ux
        self.beside_y = self.beside * uy
        self.land_x += self.beside_x
        self.land_y += self.beside_y

    def climb(self, ground, dt):
        """Raise or lower a swinging foot in time for all ground up to its foothold.

        Against time its height is a taut rope over that ground: it goes straight to
        what it must be over first.
        """
        k: cython.int
        n: cython.int
        x, y = self.sole.at()
        z = self.level.value
        dx = self.land_x - x
        dy = self.land_y - y
        # from the end of this piece on, and the height is that at its start
        time = self.land_time
        clearance = CLEARANCE * self.sole.leg
        way = sqrt(dx * dx + dy * dy)
        rate = (self.land_z - z) / (dt + time)
        if self.plan == 0 and not self.stepping and self.foot_seconds < time:
            # it may go on for long: soon it is over the line from here to there
            near = self.under + self.sole.slope_x * (x - self.spot_x - self.moved_x)
            near += self.sole.slope_y * (y - self.spot_y - self.moved_y)
            near += (self.land_z - near) * self.foot_seconds / time
            rate = (near - z) / (dt + self.foot_seconds)
        if way > 0.02 * self.sole.leg:
            ux = dx / way
            uy = dy / way
            front = back = 0.0
            for i in range(self.sole.count):
                along = (self.sole.corners[2 * i] - x) * ux
                along += (self.sole.corners[2 * i + 1] - y) * uy
                front = max(front, along)
                back = min(back, along)
            # how it goes on from its speed; by the clip's plan it stops there
            speed = (x - self.spot_x - self.moved_x) * ux
            speed += (y - self.spot_y - self.moved_y) * uy
            speed = min(3.0 * way, max(0.0, speed * time / dt))
            if self.plan == 0 and not self.stepping:
                speed = way
            step = self.sole.step_height * self.sole.leg
            last = 0.0
            for k in range(1, STRETCHES):
                u = (k + 0.0) / STRETCHES
                at = u * u * (3.0 - 2.0 * u) * way + u * (1.0 - u) * (1.0 - u) * speed
                if self.plan == 0 and not self.stepping:
                    at = u * way
                # no edge lies between two of the places
                for n in range(2):
                    if n == 0:
                        t = min(at, way) + front + u * (self.land_front - front)
                    else:
                        t = last + back + u * (self.land_back - back)
                    px = x + t * ux
                    py = y + t * uy
                    top = self.sole.ramp_height(px, py)
                    if not ground.find_level(px, py, top + step):
                        continue
                    if abs(ground.height - top) <= step:
                        rise = self.sole.slope_x * ux + self.sole.slope_y * uy
                        height = ground.height - rise * (t - at)
                        height += clearance * ease(
                            (height - z - u * (self.land_z - z)) / clearance
                        )
                        rate = max(rate, (height - z) / (dt + u * time))
                last = at
        speed = self.lift_speed()
        rise = self.rise_by_slope()
        rate = min(rate, speed + max(rise, 0.0) / dt)
        rate = max(rate, min(rise, 0.0) / dt - speed)
        if self.plan == 2 and not self.stepping:
            # a leg that is straight bends quickly: it begins gently
            rise = speed * dt / (GENTLE * self.plan_whole)
            rate = min(rate, max(self.level.speed, 0.0) + rise)
        self.level.speed = rate
        self.level.value = self.level.goal = z + rate * dt

    def lift_speed(self):
        """Return how fast ground lifts a swinging foot: slow clips lift it slowly."""
        if self.plan != 2 or self.stepping:
            return MAX_LIFT_SPEED * self.sole.leg
        pace = max(LIFT * self.sole.leg / self.plan_whole, self.clip_speed())
        pace = min(MAX_LIFT_SPEED * self.sole.leg, pace)
        return max(pace, QUICK_LIFT * self.sole.leg / self.plan_whole)

    def rise_by_slope(self):
        """Return how far the ground's slope raised the foot on its way since last."""
        x, y = self.sole.at()
        x -= self.spot_x + self.moved_x
        y -= self.spot_y + self.moved_y
        return self.sole.slope_x * x + self.sole.slope_y * y

    def settle(self, ground, dt):
        """Put a standing foot on the ground, and a swinging one on its way."""
        max_rise = self.lift_speed() * dt + max(0.0, self.rise_by_slope())
        # one that its clip pushes into the ground stays where it is
        top = self.old_lowest if self.planted else min(self.old_lowest, 0.0)
        max_rise += max(0.0, top - self.sole.lowest)
        before = self.sole.height
        x, y = self.sole.at()
        high = 0.0
        if self.planted:
            self.sole.survey(ground)
            self.sole.find_slope()
            self.sole.incline(self.foot_seconds, self.contact_weight, dt)
            goal = self.sole.plane_height(x, y)
            if self.sole.has_ground:
                goal = self.sole.find_floor()
            self.level.step(goal, self.foot_seconds, dt)
            stays: cython.bint = self.plan == 1 or (
                self.plan == 0 and self.pace.rests()
            )
            if self.sole.has_ground and stays and dt > 0.0:
                # clips may stand above the ground
                high = max(0.0, min(self.sole.lowest, MAX_PRESS * self.sole.leg))
                speed = abs(self.sole.lowest - self.old_lowest) / (self.sole.leg * dt)
                high *= self.lock * fall(speed, RESTS, 3.0 * RESTS)
        else:
            if dt > 0.0:
                self.climb(ground, dt)
            self.sole.survey(ground)
            self.under = self.sole.floor if self.sole.has_ground else self.land_z
            allowed = max(self.level.value, before + max_rise)
            if dt > 0.0 and self.sole.needed > allowed:
                self.wait(ground, allowed)
            if self.sole.has_ground and self.plan == 2:
                # clips may drag a foot that is to swing
                rise = max(DRAG_SECONDS, DRAG_TIME * self.plan_whole)
                time = min(self.plan_left / DRAG_SECONDS, self.flying_time / rise)
                self.sole.needed += DRAGGED * self.sole.leg * ease(time)
        self.press.step(high, self.foot_seconds, dt)
        level = self.level.value - self.press.value
        height = max(level, self.sole.needed)
        most = before + max_rise
        if dt > 0.0 and height > most:
            height = max(level, most)
        self.sole.height = height
        if height > self.level.value:
            # it drops no faster after it was lifted
            self.level.value = height
            self.level.speed = max(self.level.speed, 0.0)

    def wait(self, ground, allowed):
        """Wait before a step in the way until the foot is up.

        Args:
            ground: The ground.
            allowed: How high the sole can be now.
        """
        from_x = self.spot_x + self.moved_x - self.sole.middle_x
        from_y = self.spot_y + self.moved_y - self.sole.middle_y
        way_x = self.sole.offset_x - from_x
        way_y = self.sole.offset_y - from_y
        most = 1.5 * self.lock_distance * self.sole.leg
        if from_x * from_x + from_y * from_y > most * most:
            return
        k: cython.int
        fraction = 0.0
        for k in range(BISECTIONS):
            # the farthest it can go is found by bisection
            half = 1.0 / (2 << k)
            self.sole.offset_x = from_x + (fraction + half) * way_x
            self.sole.offset_y = from_y + (fraction + half) * way_y
            self.sole.move_corners()
            self.sole.survey(ground)
            if self.sole.needed <= allowed:
                fraction += half
        # the last one that was tried may be too far
        self.sole.offset_x = from_x + fraction * way_x
        self.sole.offset_y = from_y + fraction * way_y
        self.sole.move_corners()
        self.sole.survey(ground)

    def rest(self):
        """Set where the foot rests for the hips: there, or between its footholds."""
        if self.planted:
            self.rest_x = self.spot_x
            self.rest_y = self.spot_y
            self.rest_z = self.sole.height
            # how far the animation would let the hip rise here
            x = self.sole.ankle_x - self.sole.hip_x
            y = self.sole.ankle_y - self.sole.hip_y
            reach = MAX_EXTENSION * self.sole.leg
            square = reach * reach - x * x - y * y
            slack = (
                sqrt(square if square > 0.0 else 0.0)
                + self.sole.ankle_z
                - self.sole.hip_z
            )
            if self.least_slack >= 1e300:
                self.land_slack = slack
            self.least_slack = min(self.least_slack, max(slack, 0.0))
        else:
            u = ease(self.progress)
            self.rest_x = self.start_x + u * (self.land_x - self.start_x)
            self.rest_y = self.start_y + u * (self.land_y - self.start_y)
            self.rest_z = self.start_z + u * (self.land_z - self.start_z)
