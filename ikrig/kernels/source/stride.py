"""Goals of feet whose strides are longer or shorter than their clip's."""

import cython

if not cython.compiled:
    from math import acos, atan2, cos, exp, sin, sqrt

    from .buffers import doubles, ints, pin
    from .quat_ops import mul, rotate_vec

# numbers of a leg: the ball of the foot in its joint's space, and the joint from the
# ball as it stands: ahead, up; the ball's height then; and the axis to the left, in the
# joint's space
LEG = 9
# numbers of its state: hip, ball and the joint from the ball, 3 each; the foot's way
# ahead, 3; reach, pitch, how much of it is the heel's alone, how far it bears, and how
# far it is stretched in the clip
STATE = 17
# part of its length that a leg is stretched to
STRAIGHT = 0.995
# the same where it is as straight in the clip: knees that are straighter pull hips
STRAIGHTEST = 0.998
# most by which a heel is lifted so that a foot behind is reached [rad]
PEEL = 0.9
# most by which hips come down for a stride / length of the leg
LOWEST = 0.35
# share of the room to where a leg ends that a stride uses in full
FREE = 0.85
# part of a leg in the air over which it is stretched gradually
EASE = 0.08
# how far behind its hip a heel may go up in full / length of the leg
BEHIND = 0.2
# pitch of a foot from which it is flattened less [rad]
STEEP = 1.5
# height above the ground from which a foot need not be reached / length of the leg
SWINGS = 0.06
PI = 3.141592653589793


class StrideKernel:
    """Leads feet along the way of an Actor, about the middle of where they stand.

    Args:
        figure: The pose, a ``PoseKernel``.
        joints: Indices of hip, knee and foot of each leg.
        shape: LEG numbers a leg.
        goals: Numbers of goals, of which the first 7 are position and rotation.
        places: Index in ``goals`` of each foot's goal, whose rotation is as animated.
        up: The vertical, 3.
        leads: How far each foot is ahead of the middle about which it is led, and what
            it is moved by so that it does not slide in the clip, 1 + 3 each.
        state: STATE numbers a leg, and 12 of scratch.
    """

    def __init__(self, figure, joints, shape, goals, places, up, leads, state):
        self.figure = figure
        self.count = len(places)
        buffers = {"joints": joints, "shape": shape, "goals": goals, "leads": leads}
        self._pinned = pin({**buffers, "places": places, "up": up, "state": state})
        self.joints = ints(joints)
        self.shape = doubles(shape)
        self.goals = doubles(goals)
        self.places = ints(places)
        self.frame = doubles(up)
        self.leads = doubles(leads)
        self.state = doubles(state)

    def lead(self, x, y, z, more, flat):
        """Lead the feet; return how far the hips must come down for it, at least 0.

        Args:
            x, y, z: The way of the Actor, a unit vector.
            more: By how much strides are longer, as a factor: -0.5 for half as long.
            flat: How flat feet are set down instead of rolling, 0 to 1.
        """
        net = self.figure.net
        frame = self.frame
        state = self.state
        shape = self.shape
        ux, uy, uz = frame[0], frame[1], frame[2]
        drop = 0.0
        for i in range(self.count):
            s = STATE * i
            leg = LEG * i
            hip = self.figure.at(self.joints[3 * i]) + 9
            knee = self.figure.at(self.joints[3 * i + 1]) + 9
            o = self.figure.at(self.joints[3 * i + 2])
            a, b, c = shape[leg], shape[leg + 1], shape[leg + 2]
            thigh = shank = span = 0.0
            for k in range(3):
                ball = a * net[o + k] + b * net[o + 3 + k] + c * net[o + 6 + k]
                ball += net[o + 9 + k]
                state[s + k] = net[hip + k]
                state[s + 3 + k] = ball + self.leads[4 * i + 1 + k]
                state[s + 6 + k] = net[o + 9 + k] - ball
                thigh += (net[knee + k] - net[hip + k]) ** 2
                shank += (net[o + 9 + k] - net[knee + k]) ** 2
                span += (net[o + 9 + k] - net[hip + k]) ** 2
            length = sqrt(thigh) + sqrt(shank)
            reach = STRAIGHT * length
            state[s + 16] = min(sqrt(span), STRAIGHTEST * length)
            state[s + 12] = max(reach, state[s + 16])
            lift = state[s + 6] * ux + state[s + 7] * uy + state[s + 8] * uz
            # where the toes point, level
            a, b, c = shape[leg + 6], shape[leg + 7], shape[leg + 8]
            x_left = a * net[o] + b * net[o + 3] + c * net[o + 6]
            y_left = a * net[o + 1] + b * net[o + 4] + c * net[o + 7]
            z_left = a * net[o + 2] + b * net[o + 5] + c * net[o + 8]
            hx = y_left * uz - z_left * uy
            hy = z_left * ux - x_left * uz
            hz = x_left * uy - y_left * ux
            size = sqrt(hx * hx + hy * hy + hz * hz)
            size = 1.0 / size if size > 1e-300 else 0.0
            state[s + 9] = hx * size
            state[s + 10] = hy * size
            state[s + 11] = hz * size
            away = self.within(s, x, y, z, more * self.leads[4 * i])
            state[s + 3] += away * x
            state[s + 4] += away * y
            state[s + 5] += away * z
            state[s + 13] = state[s + 14] = 0.0
            if flat > 0.0:
                along = 0.0
                for k in range(3):
                    along += state[s + 6 + k] * state[s + 9 + k]
                angle = atan2(lift, along) - atan2(shape[leg + 4], shape[leg + 3])
                if angle > PI:
                    angle -= 2.0 * PI
                elif angle < -PI:
                    angle += 2.0 * PI
                # a foot that points back would turn the other way beyond that
                steep = max(0.0, (abs(angle) - STEEP) / (PI - STEEP))
                self.pitch(s, flat * (1.0 - steep) * angle)
            ball = state[s + 3] * ux + state[s + 4] * uy + state[s + 5] * uz
            ball -= shape[leg + 5]
            low = min(ball, ball + lift - shape[leg + 4])
            bears = 1.0 - max(0.0, low) / (SWINGS * reach)
            bears = min(1.0, max(0.0, bears))
            state[s + 15] = bears
            if bears > 0.0:
                drop = max(drop, bears * self.missing(s))
        return drop

    def within(self, s, x, y, z, wanted):
        """Return how far a foot is led so that its leg reaches it from low hips."""
        state = self.state
        frame = self.frame
        q = STATE * self.count
        along = high = far = 0.0
        for k in range(3):
            state[q + 8 + k] = state[s + 6 + k]
        if wanted * (x * state[s + 9] + y * state[s + 10] + z * state[s + 11]) < 0.0:
            self.turn(s, PEEL)
            rotate_vec(state, q + 8, state, q, state[s + 6], state[s + 7], state[s + 8])
        for k in range(3):
            away = state[s + 3 + k] + state[q + 8 + k] - state[s + k]
            high -= away * frame[k]
            far += away * away
        along += (state[s + 3] + state[q + 8] - state[s]) * x
        along += (state[s + 4] + state[q + 9] - state[s + 1]) * y
        along += (state[s + 5] + state[q + 10] - state[s + 2]) * z
        aside = far - high * high - along * along
        high -= LOWEST * state[s + 12]
        room = state[s + 12] * state[s + 12] - high * high - aside
        room = (sqrt(room) if room > 0.0 else 0.0) - (along if wanted > 0.0 else -along)
        size = abs(wanted)
        if size <= FREE * room:
            return wanted
        if not room > 1e-9 * state[s + 12]:
            return 0.0
        size = room - (1.0 - FREE) * room * exp((FREE - size / room) / (1.0 - FREE))
        return size if wanted > 0.0 else -size

    def pitch(self, s, angle):
        """Turn a foot about its ball, the heel up by an angle."""
        state = self.state
        q = STATE * self.count
        self.turn(s, angle)
        rotate_vec(state, q + 8, state, q, state[s + 6], state[s + 7], state[s + 8])
        for k in range(3):
            state[s + 6 + k] = state[q + 8 + k]
        state[s + 13] += angle

    def back(self, leg, weight):
        """Return the rotation (w, x, y, z) that keeps toes as they were, or None."""
        state = self.state
        q = STATE * self.count
        if not state[STATE * leg + 14] > 0.0:
            return None
        self.turn(STATE * leg, -weight * state[STATE * leg + 14])
        return state[q], state[q + 1], state[q + 2], state[q + 3]

    def turn(self, s, angle):
        """Write the rotation of a foot by an angle, behind the states."""
        state = self.state
        frame = self.frame
        q = STATE * self.count
        hx, hy, hz = state[s + 9], state[s + 10], state[s + 11]
        k = sin(0.5 * angle)
        state[q] = cos(0.5 * angle)
        state[q + 1] = k * (frame[1] * hz - frame[2] * hy)
        state[q + 2] = k * (frame[2] * hx - frame[0] * hz)
        state[q + 3] = k * (frame[0] * hy - frame[1] * hx)

    def missing(self, s):
        """Return how far a leg's hip must come down, with the heel up if that helps."""
        state = self.state
        q = STATE * self.count
        drop = self.drop_for(s, state[s + 6], state[s + 7], state[s + 8])
        if drop > 0.0 and self.peel(s, 0.0, PEEL) > 0.0:
            self.turn(s, PEEL)
            rotate_vec(state, q + 8, state, q, state[s + 6], state[s + 7], state[s + 8])
            drop = min(
                drop, self.drop_for(s, state[q + 8], state[q + 9], state[q + 10])
            )
        return drop

    def drop_for(self, s, x, y, z):
        """Return how far a hip must come down for a joint at an offset of its ball."""
        state = self.state
        frame = self.frame
        x += state[s + 3] - state[s]
        y += state[s + 4] - state[s + 1]
        z += state[s + 5] - state[s + 2]
        high = -(x * frame[0] + y * frame[1] + z * frame[2])
        level = x * x + y * y + z * z - high * high
        reach = state[s + 12] * state[s + 12] - level
        return high - (sqrt(reach) if reach > 0.0 else 0.0)

    def peel(self, s, drop, most):
        """Return the angle by which a heel goes up until its leg reaches it.

        By the law of cosines in the foot's upright plane.

        Args:
            s: The leg's place in ``state``.
            drop: How far the hips have come down.
            most: Largest angle [rad].
        """
        state = self.state
        frame = self.frame
        ahead = up = far = size = product = bh = 0.0
        bu = drop
        for k in range(3):
            b = state[s + 3 + k] - state[s + k] + drop * frame[k]
            o = state[s + 6 + k]
            ahead += o * state[s + 9 + k]
            up += o * frame[k]
            bh += b * state[s + 9 + k]
            bu += (state[s + 3 + k] - state[s + k]) * frame[k]
            far += b * b
            size += o * o
            product += b * o
        lateral = product - bh * ahead - bu * up
        both = sqrt((bh * bh + bu * bu) * (ahead * ahead + up * up))
        reach = state[s + 12]
        wanted = 0.5 * (reach * reach - far - size) - lateral
        # a foot ahead comes down on its heel
        most *= min(1.0, -bh / (BEHIND * reach))
        if not most > 0.0 or not both > 0.0 or product - lateral <= wanted:
            return 0.0
        angle = atan2(up, ahead) - atan2(bu, bh)
        if angle > PI:
            angle -= 2.0 * PI
        elif angle < -PI:
            angle += 2.0 * PI
        if angle >= 0.0:
            return 0.0
        return max(0.0, min(most, angle + acos(max(-1.0, min(1.0, wanted / both)))))

    def place(self, drop):
        """Write the feet's goals, for hips that have come down by ``drop``."""
        state = self.state
        goals = self.goals
        frame = self.frame
        q = STATE * self.count
        for i in range(self.count):
            s = STATE * i
            g = self.places[i]
            angle = state[s + 15] * self.peel(s, drop, PEEL)
            if angle > 0.0:
                self.pitch(s, angle)
                state[s + 14] = angle
            self.turn(s, state[s + 13])
            for k in range(4):
                state[q + 4 + k] = goals[g + 3 + k]
            mul(goals, g + 3, state, q, state, q + 4)
            far = 0.0
            for k in range(3):
                away = state[s + 3 + k] + state[s + 6 + k] - state[s + k]
                away += drop * frame[k]
                goals[g + k] = away
                far += away * away
            # what a leg can't reach would draw the hips along
            far = sqrt(far)
            reach = state[s + 12]
            start = max(state[s + 16], reach * (1.0 - EASE * (1.0 - state[s + 15])))
            share = 1.0
            if far > start:
                room = max(reach - start, 1e-9 * reach)
                share = (reach - room * exp((start - far) / room)) / far
            for k in range(3):
                hip = state[s + k] - drop * frame[k]
                goals[g + k] = hip + share * goals[g + k]
        return 0
