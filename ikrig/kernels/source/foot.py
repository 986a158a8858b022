"""One foot of an animated figure: it stands where it landed, or swings to its foothold.

It says where its ``Sole`` is placed. While the foot stands the sole's offset, twist,
height and slope change so that it stays; while it swings its ``Swing`` moves it.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from math import exp, sqrt, tan

    from .foot_pace import RESTS, WALK_SPEED, FootPace
    from .foot_plan import FootPlan
    from .sole import Sole, shortest
    from .spring_damper import SpringDamper
    from .swing import (
        FREE_SPEED,
        HELD_SPEED,
        MAX_TWIST,
        SETTLED,
        STANDS,
        Swing,
        ease,
        fall,
    )
    from .vectors import distance

# a foot lower than the first begins to stand, one higher than the second does no more
# [leg lengths]
HELD_HEIGHT = 0.015
FREE_HEIGHT = 0.035
# speed beyond which a foot that stands by the clip's plan does no more [speed of the
# clip]
PLANNED_SPEED = 1.25
# last part of a swing of the clip in which a foot that stands stays down
ENDS = 0.25
# time before it lands in which a foot comes down where its clip stops [s], and speed
# below which it does [leg lengths / s]
LANDS = 0.15
LAND_SPEED = 0.5
# distance from its animation at which it lifts off for that [leg lengths]
LEFT_BEHIND = 0.1
# parts of what a foot may be away: before its clip lifts it, shortly before that, where
# it waits for others to land, and after which a step begins once the figure stands
STRETCHED = 1.5
DRAGS = 1.45
WAITS = 1.3
SETTLES = 0.25
# least part of the twist that it may have that is left to it when its haste is counted
TWISTS = 0.2
# part of the distance to which a foot is held after which it steps, once the figure
# walks and no clip alone says when
EARLY = 0.2
# time for which a foot has stood that may step [s]
STOOD = 0.2
# least height in a swing of the clip [leg lengths], beyond this time at both ends [s]
DRAGGED = 0.028
DRAG_SECONDS = 0.06
# part of a slow swing that it takes to rise as high
DRAG_TIME = 0.11
# maximum height above the ground from which a foot that is to stand is put down
# [leg lengths]
MAX_PRESS = 0.06
# part of a swing in which a foot moves along with what it stood on
LEAVES = 0.25
# part of a swing that is left at least where one begins in the air
LATE = 0.25
# maximum extension of a leg [its length], unless it is animated longer
MAX_EXTENSION = 0.98
# length of a foot [leg lengths] beyond which distances count by the foot: figures may
# have feet longer than their legs
FOOT = 0.35
LONG = 2.0
# part of its clip's speed from which a figure goes as fast as its clip
FITS = 0.75


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
        self.plan = FootPlan()
        self.level = SpringDamper()
        self.swing = Swing(sole, self.pace, self.plan, self.level)
        self.press = SpringDamper()
        self.set_settings(0.5, 0.7, 1.0, 0.3, 0.15, 0.35, 0.25)
        self.carried_x = self.carried_y = self.carried_z = self.carried_yaw = 0.0
        # whether the figure flies, or has just landed, and how far it rose in a frame
        self.flew = 0
        self.risen = 0.0
        self.old_heading = self.old_lowest = 0.0
        self.hold = 0.0
        self.reset()

    def reset(self):
        """Reset to the state before the first frame."""
        self.sole.reset()
        self.pace.reset()
        self.plan.reset()
        self.swing.reset()
        self.level.reset(0.0)
        self.press.reset(0.0)
        self.at_start = 1
        self.planted = self.alone = self.waits = self.crossed = 0
        # the ground's owner that it moves along with
        self.stands_on = -1
        self.contact_weight = self.standing_time = 0.0
        self.rest_x = self.rest_y = self.rest_z = 0.0
        self.slack = self.least_slack = 0.0
        # as it is where it lands
        self.land_slack = 1e300

    def set_settings(self, step_height, max_tilt, lock, lock_distance, foot_seconds,
                     release_seconds, look_ahead):  # fmt: skip
        """Store the fields of ``FootSettings`` that concern a foot."""
        self.sole.step_height = step_height
        self.sole.steepest = tan(max_tilt)
        self.plan.lock = lock
        self.plan.lock_distance = lock_distance
        self.plan.foot_seconds = foot_seconds
        self.plan.release_seconds = release_seconds
        self.plan.look_ahead = look_ahead

    # -- what a figure tells and asks its feet -----------------------------------------

    def begin_frame(self, turn, dt):
        """Begin a frame of dt seconds, in which the figure turns at a speed [rad/s]."""
        # the plan is that of the frame's end
        self.plan.end = self.plan.left
        self.plan.left += dt
        self.pace.figure_turn = turn + self.plan.turn
        if not self.at_start:
            # as its corners lie: the leg may have lifted its heel since
            self.sole.set_rotation()

    def end_frame(self):
        """End a frame: note what the foot stands on, or is to.

        One that leaves still moves along with what it stood on until it is up.
        """
        if self.planted or self.swing.progress > LEAVES or self.stands_on < 0:
            self.stands_on = self.sole.owner
        self.sole.end_frame()

    def begin_piece(self, standing, count, haste, dt):
        """Begin a piece of a frame, at whose start that many feet stand.

        Args:
            standing: Number of feet that stand.
            count: Number of all feet.
            haste: Largest ``own_haste`` of all feet: those that step together land so.
            dt: Time of the piece [s].
        """
        self.alone = 1 if standing == self.planted else 0
        self.waits = 1 if standing < count else 0
        self.swing.haste = haste
        self.plan.left = max(self.plan.left - dt, 0.0)

    def end_height(self):
        """Return how high the foot stands, or is to land."""
        return self.rest_z if self.planted else self.swing.land_z

    def is_held(self):
        """Return whether the clip holds it up: it does not come down soon."""
        return 1 if self.pace.rests() and self.swing.left <= 0.0 else 0

    def is_held_up(self):
        """Return whether it is where it was to land while the clip begins a swing."""
        if (
            self.planted
            or self.swing.stepping
            or self.swing.progress < 1.0
            or self.plan.state != 2
        ):
            return 0
        return 1 if self.plan.left > LATE * self.plan.whole else 0

    def way_back(self, x, y):
        """Return how much its way to where it is animated leads to a point: up to 1."""
        dx = x - self.sole.middle_x - self.sole.offset_x
        dy = y - self.sole.middle_y - self.sole.offset_y
        size = self.sole.offset_x * self.sole.offset_x
        size += self.sole.offset_y * self.sole.offset_y
        size = sqrt(size * (dx * dx + dy * dy)) + 1e-9 * self.sole.leg * self.sole.leg
        return (dx * self.sole.offset_x + dy * self.sole.offset_y) / size

    def forget_sides(self):
        """Forget what ``keep_side`` found."""
        self.crossed = 0
        self.swing.push_x = self.swing.push_y = 0.0

    def keep_side(self, other: Foot, beside):
        """Find whether it crosses another one, or is to be pushed aside from it.

        On its side of it, that of their hips, as far as it is animated there.

        Args:
            other: The other foot.
            beside: Whether it is on the same hips.
        """
        x = self.sole.hip_x - other.sole.hip_x
        y = self.sole.hip_y - other.sole.hip_y
        size = sqrt(x * x + y * y)
        if not size > 0.01 * self.sole.leg:
            return
        x /= size
        y /= size
        if self.planted:
            u = self.sole.middle_x - other.sole.middle_x
            v = self.sole.middle_y - other.sole.middle_y
            side = u * x + v * y
            u += self.sole.offset_x - other.sole.offset_x
            v += self.sole.offset_y - other.sole.offset_y
            if side > 0.0 and u * x + v * y < 0.0:
                self.crossed = 1
            return
        # where it is, and where it lands
        u = -self.swing.apart_x
        v = -self.swing.apart_y
        far = self.sole.way_aside(other.sole, x, y, 1, u, v)
        if self.swing.stepping:
            x_now, y_now = self.sole.at()
            u += self.swing.land_x - x_now
            v += self.swing.land_y - y_now
            then = self.sole.way_aside(other.sole, x, y, 1, u, v)
            far = max(far, ease(self.swing.progress) * then)
        if far > 0.0:
            far -= max(0.0, self.sole.way_aside(other.sole, x, y, 0, 0.0, 0.0))
        # less where the figure's turn will take it farther away before its next step
        turn = (self.pace.figure_turn - self.plan.turn) * self.swing.step_seconds()
        u = turn * (self.sole.origin_y - self.sole.middle_y)
        v = turn * (self.sole.middle_x - self.sole.origin_x)
        most = self.plan.lock_distance * self.sole.leg - sqrt(u * u + v * v)
        if not beside and not self.pace.walks():
            # it counts which way
            u = self.swing.aim_x - u
            v = self.swing.aim_y - v
            along = u * x + v * y
            most = self.plan.lock_distance * self.hold
            square = most * most - u * u - v * v + along * along
            most = sqrt(max(square, 0.0)) - along
        far = min(far, most)
        if far > 0.0:
            self.swing.push_x += far * x
            self.swing.push_y += far * y

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
            if not self.planted and dt > 0.0:
                sinking = (self.old_lowest - self.sole.lowest) / dt
                self.swing.find_foothold(ground, sinking, dt)
            self.settle(ground, dt)
        for i in range(self.sole.count):
            self.old_weights[i] = self.sole.weights[i]
        self.old_lowest = self.sole.lowest
        self.old_heading = self.sole.heading
        self.pace.end_piece()
        self.swing.spot_x, self.swing.spot_y = self.sole.at()
        if self.planted:
            self.sole.keep_footprint(self.swing.land_x, self.swing.land_y)
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
        self.contact_weight = self.plan.lock * self.planted
        self.pace.relative_speed = self.sole.leg
        self.sole.survey(ground)
        self.sole.find_slope()
        self.sole.tilt_x.reset(self.sole.ground_x)
        self.sole.tilt_y.reset(self.sole.ground_y)
        self.sole.incline(self.plan.foot_seconds, self.contact_weight, 0.0)
        self.sole.survey(ground)
        x = self.sole.middle_x
        y = self.sole.middle_y
        self.level.reset(
            self.sole.floor if self.sole.has_ground else self.sole.plane_height(x, y)
        )
        self.sole.height = max(self.level.value, self.sole.needed)
        self.swing.stand(x, y, self.planted)
        self.least_slack = self.slack = 1e300
        self.sole.move_corners()
        self.sole.set_footprint(x, y)
        self.at_start = 0

    def carry(self, part):
        """Move all that is kept with what the foot stands on, or with its figure."""
        z = part * (self.risen if self.flew else self.carried_z)
        self.swing.carry(part * self.carried_x, part * self.carried_y, z)
        self.sole.height += z

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
        dx = dx - x - self.swing.moved_x
        dy = dy - y - self.swing.moved_y
        self.pace.measure(
            dx / dt,
            dy / dt,
            arm_x,
            arm_y,
            self.swing.moved_x,
            self.swing.moved_y,
            yaw / dt,
            dt,
        )
        stands = self.wants_to_stand(dt)
        if self.sole.flying:
            self.swing.stepping = 0
        if self.swing.stepping or self.sole.flying:
            stands = 0
        if stands and not self.planted:
            self.planted = 1
            self.standing_time = 0.0
            self.swing.progress = 1.0
            self.sole.lift = 0.0
            self.least_slack = 1e300
            self.swing.land_x = (
                self.sole.middle_x + self.sole.offset_x - self.plan.lock * dx
            )
            self.swing.land_y = (
                self.sole.middle_y + self.sole.offset_y - self.plan.lock * dy
            )
        elif self.planted and not stands:
            dragged: cython.bint = self.sole.lowest < FREE_HEIGHT * self.sole.leg
            dragged = dragged and self.plan.lock > 0.0 and self.standing_time >= STOOD
            dragged = dragged and not self.sole.flying
            if self.plan.state != 2 and dragged:
                # a blend of clips would drag it
                self.begin_step()
            else:
                self.release()
        elif self.is_held_up():
            # it goes on from there
            self.release()
        self.contact_weight = self.plan.lock * self.planted
        if self.planted:
            self.standing_time += dt
            before = self.sole.away()
            self.sole.offset_x -= self.plan.lock * dx
            self.sole.offset_y -= self.plan.lock * dy
            # a standing foot turns about the point that bears
            x, y, _ = self.sole.placed(bx, by, bz)
            twist = self.sole.twist - self.plan.lock * rotation
            self.sole.twist = min(MAX_TWIST, max(-MAX_TWIST, twist))
            self.sole.set_rotation()
            at_x, at_y, _ = self.sole.placed(bx, by, bz)
            self.sole.offset_x += x - at_x
            self.sole.offset_y += y - at_y
            # beyond its distance it slips
            most = self.plan.lock_distance * self.sole.leg
            if (
                self.plan.state == 1
                and self.pace.figure_speed > FITS * self.plan.clip_speed()
            ):
                most = self.plan.lock_distance * self.hold
            soon: cython.bint = self.plan.left < self.swing.step_seconds()
            clip_walks: cython.bint = self.plan.clip_speed() > 0.0
            if not clip_walks and not self.pace.walks():
                # it steps as soon as another one has landed
                most = WAITS * self.plan.lock_distance * self.hold
            elif self.plan.state == 1 and (soon or (self.waits and clip_walks)):
                # its clip lifts it soon, or others first
                most *= STRETCHED
            # what it may be away goes down no faster than the foot comes back
            most = max(most, before)
            away = self.sole.away()
            remaining = 1.0 if away <= most else most / away
            if self.plan.lock < 1.0:
                rate = (
                    (self.plan.lock - 1.0)
                    * SETTLED
                    / max(self.plan.release_seconds, 1e-3)
                )
                remaining *= exp(rate * dt)
                self.sole.twist *= remaining
            self.swing.land_x += (remaining - 1.0) * self.sole.offset_x
            self.swing.land_y += (remaining - 1.0) * self.sole.offset_y
            self.sole.offset_x *= remaining
            self.sole.offset_y *= remaining
        else:
            self.standing_time = 0.0
            self.swing.fly(dx, dy, dt)
        self.sole.set_rotation()

    def wants_to_stand(self, dt):
        """Return whether the foot is to stand, by the clip's plan or as it moves."""
        speed = self.pace.over_ground() / self.sole.leg
        low = self.sole.lowest / self.sole.leg
        if self.planted and self.alone:
            # while the others step it stays as long as it can
            away = self.sole.away()
            # rounding must not decide
            if away < 0.999 * self.plan.lock_distance * self.sole.leg:
                speed = min(speed, 0.5 * FREE_SPEED)
        if self.plan.state:
            # it may land within the frame, or early, where its clip stops
            over = self.sole.height + self.sole.lowest - self.swing.under
            slow: cython.bint = self.plan.left < LANDS and speed < LAND_SPEED
            slow = slow and not self.pace.walks()
            # one that its clip has left long ago follows it
            near: cython.bint = self.sole.away() < LEFT_BEHIND * self.sole.leg
            slow = slow and (near or not self.planted)
            if slow and low < HELD_HEIGHT and over < FREE_HEIGHT * self.sole.leg:
                return 1
            if (
                not self.planted
                and self.swing.progress < 1.0
                and self.swing.left > 0.5 * dt
            ):
                return 0
            # and lift off within it
            stays: cython.bint = self.planted and self.plan.state == 2
            early: cython.bint = self.plan.left > self.plan.whole
            # or the clip begins where it lands
            stays = stays and (early or self.plan.left < ENDS * self.plan.whole)
            # nor does it stay where it would be dragged along
            most = 0.999 * self.plan.lock_distance * self.sole.leg
            stays = stays and (self.sole.away() < most or not self.pace.walks())
            if self.plan.state == 1 or stays:
                # clips slide; but it does not stay behind a figure that is pushed
                pace = PLANNED_SPEED * self.plan.clip_speed() / self.sole.leg
                speed = min(speed, self.pace.figure_speed / self.sole.leg)
                # one that has just landed holds as long as it can, then it may step
                most = LEFT_BEHIND
                if self.standing_time < STOOD:
                    most = 0.999 * self.plan.lock_distance
                holds: cython.bint = self.swing.flying_time > 0.0 or self.planted
                holds = holds and self.sole.away() < most * self.sole.leg
                return 1 if holds or speed < max(FREE_SPEED, pace) else 0
            return 0
        if self.planted or self.pace.rests():
            return 1 if low < FREE_HEIGHT and speed < FREE_SPEED else 0
        return 1 if low < HELD_HEIGHT and speed < HELD_SPEED else 0

    def release(self):
        """Let go of the ground: a swing begins."""
        self.planted = 0
        self.swing.begin()
        if self.least_slack < 1e300:
            self.slack = self.least_slack

    def begin_step(self):
        """Start a step to the animated position."""
        self.release()
        self.swing.make_step()
        self.contact_weight = 0.0

    def own_haste(self):
        """Return how fast a standing foot goes as far away as it may [1 / s]."""
        x = self.pace.figure_x + self.pace.spin_x
        y = self.pace.figure_y + self.pace.spin_y
        room = MAX_TWIST
        if self.planted:
            room = max(TWISTS * room, room - abs(self.sole.twist))
        haste = abs(self.pace.mean_turn) / room
        most = self.plan.lock_distance * self.sole.leg
        if most > 0.0:
            haste = max(haste, sqrt(x * x + y * y) / most)
        return haste

    def wants_step(self):
        """Return how urgently the foot should step; 1 or more: at once.

        More than 0 only after it has stood for a while, and is not animated to walk.
        """
        if not self.planted or self.plan.lock <= 0.0 or self.standing_time < STOOD:
            return 0.0
        max_offset = self.plan.lock_distance * self.sole.leg
        if max_offset <= 0.0:
            return 0.0
        x = self.sole.offset_x
        y = self.sole.offset_y
        offset = self.sole.away()
        seconds = self.swing.step_seconds()
        vx = self.pace.figure_x + self.pace.spin_x
        vy = self.pace.figure_y + self.pace.spin_y
        if self.pace.walks():
            # from a stand into a walk
            if not self.plan.clip_speed() > 0.0:
                return offset / (EARLY * max_offset)
            # the clip lifts it soon
            if self.plan.state == 2 or self.plan.left < seconds:
                return 0.0
            vx = self.pace.mean_x
            vy = self.pace.mean_y
        elif self.crossed:
            return 1.0
        elif self.pace.stirs():
            # it stands in a clip that hardly walks, or that would drag it
            slow: cython.bint = self.plan.clip_speed() < WALK_SPEED * self.sole.leg
            drags: cython.bint = self.pace.figure_speed > RESTS * self.sole.leg
            drags = drags and offset > DRAGS * max_offset
            if self.plan.state != 1 or not (slow or drags):
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

    def settle(self, ground, dt):
        """Put a standing foot on the ground, and a swinging one on its way."""
        max_rise = self.swing.lift_speed() * dt + max(0.0, self.swing.rise_by_slope())
        # one that its clip pushes into the ground stays where it is
        top = self.old_lowest if self.planted else min(self.old_lowest, 0.0)
        max_rise += max(0.0, top - self.sole.lowest)
        before = self.sole.height
        x, y = self.sole.at()
        high = 0.0
        if self.planted:
            self.sole.survey(ground)
            self.sole.find_slope()
            self.sole.incline(self.plan.foot_seconds, self.contact_weight, dt)
            goal = self.sole.plane_height(x, y)
            if self.sole.has_ground:
                goal = self.sole.find_floor()
            self.level.step(goal, self.plan.foot_seconds, dt)
            stays: cython.bint = self.plan.state == 1 or (
                self.plan.state == 0 and self.pace.rests()
            )
            if self.sole.has_ground and stays and dt > 0.0:
                # clips may stand above the ground
                high = max(0.0, min(self.sole.lowest, MAX_PRESS * self.sole.leg))
                speed = abs(self.sole.lowest - self.old_lowest) / (self.sole.leg * dt)
                high *= self.plan.lock * fall(speed, RESTS, 3.0 * RESTS)
        else:
            if dt > 0.0:
                self.swing.climb(ground, dt)
            self.sole.survey(ground)
            self.swing.under = (
                self.sole.floor if self.sole.has_ground else self.swing.land_z
            )
            allowed = max(self.level.value, before + max_rise)
            if dt > 0.0 and self.sole.needed > allowed:
                self.swing.wait(ground, allowed)
            if self.sole.has_ground and self.plan.state == 2:
                # clips may drag a foot that is to swing
                rise = max(DRAG_SECONDS, DRAG_TIME * self.plan.whole)
                time = min(self.plan.left / DRAG_SECONDS, self.swing.flying_time / rise)
                self.sole.needed += DRAGGED * self.sole.leg * ease(time)
        self.press.step(high, self.plan.foot_seconds, dt)
        level = self.level.value - self.press.value
        height = max(level, self.sole.needed)
        most = before + max_rise
        if dt > 0.0 and height > most:
            # a fast figure comes to slopes that are steeper than it lifts its feet
            rise = self.sole.steepest * self.pace.figure_speed * dt
            height = min(height, max(max(level, most), before + rise))
        self.sole.height = height
        if height > self.level.value:
            # it drops no faster after it was lifted
            self.level.value = height
            self.level.speed = max(self.level.speed, 0.0)

    def rest(self):
        """Set where the foot rests for the hips: there, or between its footholds."""
        if self.planted:
            self.rest_x = self.swing.spot_x
            self.rest_y = self.swing.spot_y
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
            u = ease(self.swing.progress)
            self.rest_x = self.swing.start_x + u * (
                self.swing.land_x - self.swing.start_x
            )
            self.rest_y = self.swing.start_y + u * (
                self.swing.land_y - self.swing.start_y
            )
            self.rest_z = self.swing.start_z + u * (
                self.swing.land_z - self.swing.start_z
            )
