"""The swing of a foot: from where it left the ground to its foothold.

The foothold is predicted, from the clip's plan or as the foot moves, and its ground is
looked at before; until then what the foot was held off its animation by fades, and it
goes over the ground on its way.
"""

import cython

if not cython.compiled:
    from math import exp, sqrt

    from .foot_pace import FootPace
    from .foot_plan import FootPlan
    from .sole import Sole
    from .spring_damper import SpringDamper

# speed of a foot below which it may begin to stand, and beyond which it does not
# [leg lengths / s]
HELD_SPEED = 0.8
FREE_SPEED = 1.5
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
# how far ahead a foot lands at most [part of what it may be away]
STEP_AHEAD = 0.5
# and how far it is moved off an edge
BESIDE = 0.6
# a figure that is slower stands [leg lengths / s]
STANDS = 0.03
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
# least speed of a foot just off the ground [speed of the figure]
STRIDE_RATIO = 2.2
# maximum speed at which ground lifts a foot [leg lengths / s], and how far in the time
# of a swing, or as fast as the clip walks [leg lengths]; the latter is allowed in any
# case, however short the swing
MAX_LIFT_SPEED = 2.2
LIFT = 1.1
QUICK_LIFT = 0.8
# part of a swing in which it gets so fast
GENTLE = 0.1
# how fast a foot is pushed aside from another one at most [leg lengths / s]
PUSH = 4.0
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


class Swing:
    """The way of a foot between two stances.

    Args:
        sole: The foot's ``Sole``, whose offset and twist change.
        pace: Its ``FootPace``.
        plan: Its ``FootPlan``.
        level: Height of the ground that it follows, which is raised.
    """

    def __init__(self, sole: Sole, pace: FootPace, plan: FootPlan, level: SpringDamper):
        self.sole = sole
        self.pace = pace
        self.plan = plan
        self.level = level
        self.reset()

    def reset(self):
        """Reset to the state before the first frame."""
        self.stepping = 0
        self.haste = self.rises = 0.0
        self.progress = self.left = self.begun = self.flying_time = 0.0
        self.aim_x = self.aim_y = self.aim_twist = 0.0
        self.beside = self.beside_x = self.beside_y = 0.0
        self.push_x = self.push_y = self.apart_x = self.apart_y = 0.0
        self.start_x = self.start_y = self.start_z = 0.0
        self.land_x = self.land_y = self.land_z = self.land_time = 0.0
        self.land_front = self.land_back = self.under = 0.0
        self.spot_x = self.spot_y = 0.0
        self.moved_x = self.moved_y = self.moved_z = 0.0

    def stand(self, x, y, planted):
        """Begin with a foot that stands at a point, or swings from there."""
        self.progress = 1.0 * planted
        self.begun = -1.0
        self.start_x = self.land_x = x
        self.start_y = self.land_y = y
        self.start_z = self.land_z = self.under = self.sole.height

    def carry(self, x, y, z):
        """Move all that is kept by so much, with what the foot stood on."""
        self.moved_x = x
        self.moved_y = y
        self.moved_z = z
        self.start_x += x
        self.start_y += y
        self.start_z += z
        self.land_x += x
        self.land_y += y
        self.level.shift(z)

    def begin(self):
        """Begin a swing where the foot is."""
        self.stand(self.spot_x + self.moved_x, self.spot_y + self.moved_y, 0)
        self.flying_time = 0.0
        self.aim_x = self.aim_y = self.aim_twist = 0.0
        self.beside = self.beside_x = self.beside_y = 0.0
        self.apart_x = self.apart_y = 0.0
        self.left = self.plan.release_seconds

    def make_step(self):
        """Make the swing that began a step to the animated position."""
        self.stepping = 1
        self.left = self.step_seconds()
        # one that walks off has no time for it, and one that hurries less
        quick = (self.left - QUICK_STEP) / (STEP_SECONDS - QUICK_STEP)
        self.rises = 0.0 if self.pace.walks() else STEP_RISES * quick

    def step_seconds(self):
        """Return how long a step on the spot takes: less for figures that turn fast."""
        if self.pace.walks():
            return self.plan.release_seconds
        return max(QUICK_STEP, min(STEP_SECONDS, 1.0 / (self.haste + 1e-300)))

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
        elif self.plan.state == 2:
            x = self.plan.way_x + self.plan.half * self.pace.figure_x
            y = self.plan.way_y + self.plan.half * self.pace.figure_y
        elif self.plan.state == 1:
            return
        size = sqrt(x * x + y * y)
        most = STEP_AHEAD * self.plan.lock_distance * self.sole.leg
        k = self.plan.lock * min(max(size - least, 0.0), most) / (size + 1e-300)
        twist = STEP_AHEAD * MAX_TWIST
        turn = self.plan.lock * max(-twist, min(twist, turn))
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
        if self.plan.state == 2:
            self.flying_time += dt
        elif self.progress >= 1.0:
            # until then it may still land
            self.flying_time = 0.0
        self.take_aim()
        if self.plan.state == 2 and not self.stepping:
            self.left = self.plan.left
        else:
            # a clip that stops leaves the foot where it is
            most = self.plan.release_seconds
            if self.stepping:
                # the figure may turn faster meanwhile
                most = (1.0 - self.progress) * self.step_seconds()
            self.left = min(max(self.left - dt, 0.0), most)
        last = self.progress
        self.progress += (1.0 - self.progress) * dt / (self.left + dt)
        if self.plan.state == 2 and not self.stepping and self.plan.whole > 0.0:
            # a foot that was released late has the rest of the clip's swing
            passed = 1.0 - self.plan.left / self.plan.whole
            if self.begun < 0.0:
                self.begun = min(max(0.0, passed - dt / self.plan.whole), 0.999)
            passed = (passed - self.begun) / (1.0 - self.begun)
            self.progress = max(last, passed)
        # a step on the spot goes straight up first, and straight down at last
        wait = self.rises if self.stepping else 0.0
        remaining = self.remaining(last, wait, dt)
        x = self.aim_x + self.beside_x + self.apart_x
        y = self.aim_y + self.beside_y + self.apart_y
        self.sole.offset_x = x + (self.sole.offset_x - x) * remaining
        self.sole.offset_y = y + (self.sole.offset_y - y) * remaining
        self.keep_apart(dt)
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
            if last >= 1.0 - wait and self.plan.state != 2:
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
                self.aim_x = self.sole.offset_x - self.apart_x
                self.aim_y = self.sole.offset_y - self.apart_y

    def keep_apart(self, dt):
        """Move it on to where it is as far aside as others push it."""
        x = self.push_x - self.apart_x
        y = self.push_y - self.apart_y
        size = sqrt(x * x + y * y)
        k = min(1.0, PUSH * self.sole.leg * dt / (size + 1e-300))
        self.apart_x += k * x
        self.apart_y += k * y
        self.sole.offset_x += k * x
        self.sole.offset_y += k * y

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
        return exp(-SETTLED * dt / max(self.plan.release_seconds, 1e-3))

    def find_foothold(self, ground, sinking, dt):
        """Predict where the foot lands, and look at the ground there.

        Args:
            ground: The ground.
            sinking: How fast its animation comes down.
            dt: Time of the step [s].
        """
        x, y = self.sole.at()
        self.land_time = self.left
        self.sole.turn_footprint()
        if self.plan.state == 2:
            # a step goes over into the clip's swing
            self.land_time = self.plan.left
            self.land_x = self.plan.x + self.plan.end * self.pace.figure_x
            self.land_y = self.plan.y + self.plan.end * self.pace.figure_y
            self.land_x += self.aim_x + self.apart_x
            self.land_y += self.aim_y + self.apart_y
            if not self.stepping:
                self.step_beside(ground)
        elif self.stepping:
            # the figure takes along where it steps to, and its turn
            vx = self.pace.figure_x
            vy = self.pace.figure_y
            self.land_x = self.sole.middle_x + self.apart_x
            self.land_y = self.sole.middle_y + self.apart_y
            if not self.pace.walks():
                vx += self.pace.spin_x
                vy += self.pace.spin_y
                self.land_x += self.aim_x
                self.land_y += self.aim_y
            self.land_x += self.left * vx
            self.land_y += self.left * vy
        elif self.plan.state == 1:
            # it lands within the frame, or was let go of
            self.land_x = self.sole.middle_x + self.aim_x + self.beside_x
            self.land_y = self.sole.middle_y + self.aim_y + self.beside_y
            self.land_x += self.apart_x
            self.land_y += self.apart_y
        else:
            time = self.plan.look_ahead
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
                    time,
                    min(self.plan.look_ahead, max(self.sole.lowest, 0.0) / sinking),
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
        if not self.sole.has_ground and not self.sole.flying:
            self.sole.survey_beside(ground, self.rise_on_the_way(ground, x, y))
        self.sole.find_slope()
        self.land_z = self.sole.landing_height(self.land_x, self.land_y)
        # by the time it lands, or a foot snaps to the slope of its next foothold
        seconds = max(self.plan.foot_seconds, self.land_time)
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
        if not way > self.plan.lock_distance * self.sole.leg:
            return
        ux /= way
        uy /= way
        shift = 0.0
        if self.sole.find_edge(ground, self.land_x, self.land_y, ux, uy):
            # less what the clip slides while it stands
            x = self.plan.way_x + self.plan.half * self.pace.figure_x
            y = self.plan.way_y + self.plan.half * self.pace.figure_y
            most = self.plan.lock_distance * self.sole.leg - sqrt(x * x + y * y)
            most = self.plan.lock * min(
                most, BESIDE * self.plan.lock_distance * self.sole.leg
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
        if self.plan.state == 0 and not self.stepping and self.plan.foot_seconds < time:
            # it may go on for long: soon it is over the line from here to there
            near = self.under + self.sole.slope_x * (x - self.spot_x - self.moved_x)
            near += self.sole.slope_y * (y - self.spot_y - self.moved_y)
            near += (self.land_z - near) * self.plan.foot_seconds / time
            rate = (near - z) / (dt + self.plan.foot_seconds)
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
            if self.plan.state == 0 and not self.stepping:
                speed = way
            step = self.sole.step_height * self.sole.leg
            last = 0.0
            for k in range(1, STRETCHES):
                u = (k + 0.0) / STRETCHES
                at = u * u * (3.0 - 2.0 * u) * way + u * (1.0 - u) * (1.0 - u) * speed
                if self.plan.state == 0 and not self.stepping:
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
        # it goes up and down with its figure, however fast that is
        ramp = self.sole.ramp_x * self.pace.figure_x
        ramp += self.sole.ramp_y * self.pace.figure_y
        rate = min(rate, max(speed + max(rise, 0.0) / dt, ramp))
        rate = max(rate, min(min(rise, 0.0) / dt - speed, ramp))
        if self.plan.state == 2 and not self.stepping:
            # a leg that is straight bends quickly: it begins gently
            rise = speed * dt / (GENTLE * self.plan.whole)
            rate = min(rate, max(self.level.speed, 0.0) + rise)
        self.level.speed = rate
        self.level.value = self.level.goal = z + rate * dt

    def lift_speed(self):
        """Return how fast ground lifts a swinging foot: slow clips lift it slowly."""
        if self.plan.state != 2 or self.stepping:
            return MAX_LIFT_SPEED * self.sole.leg
        pace = max(LIFT * self.sole.leg / self.plan.whole, self.plan.clip_speed())
        pace = min(MAX_LIFT_SPEED * self.sole.leg, pace)
        return max(pace, QUICK_LIFT * self.sole.leg / self.plan.whole)

    def rise_by_slope(self):
        """Return how far the ground's slope raised the foot on its way since last."""
        x, y = self.sole.at()
        x -= self.spot_x + self.moved_x
        y -= self.spot_y + self.moved_y
        return self.sole.slope_x * x + self.sole.slope_y * y

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
        most = 1.5 * self.plan.lock_distance * self.sole.leg
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
