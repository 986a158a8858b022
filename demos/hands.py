"""A person whose hands use a corridor: wall, rail, door, torch and crate.

The clips walk and stand with empty hands. Two `Touch` find the wall and the rail on the
way, and let the palms slide along them. Two `Reach` take the door's handle, the torch
and the crate, close the fingers until they touch, and keep hold while the things move.
`LookAt` keeps the eyes on what the torch lights, and `FootPlacement` puts the feet on
the stairs. Drag the lit spot, and the torch follows with the hand and the eyes.

Order: 35
Keys:
    Space  play
    F      with and without IK
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import panda3d.core as p3d

import ikrig
from demos._shared import theme
from demos._shared.corridor import (
    DOOR,
    HOLDERS,
    SHELF,
    TABLE,
    TOP,
    Corridor,
    make_crate,
    make_torch,
)
from demos._shared.demo import Demo, Handle, Note, note_of_ik, smoothstep
from demos._shared.humanoid import humanoid_notes, load_humanoid, pose_walk
from demos._shared.pace import Pace
from ikrig.scene.viewer.orbit_camera import View

START, PACE = -0.9, Pace(0.95, 0.6)  # where it starts [m], and how it walks
AHEAD = 0.42, 0.24, 0.56  # stops so far before door, torch and table [m]
PUSH = 0.72  # how far it walks with the handle of the door in its hand [m]
LED, OPEN = 62.0, 104.0  # angles to which the door is led, and swings on [degrees]
CARRIED = p3d.LPoint3(-0.2, -0.38, 1.12)  # place of the torch, in the Actor's space
SPOT = p3d.LPoint3(9.6, 1.0, TOP + 1.35)


class Hands(Demo):
    """A corridor, and one who walks through it."""

    view = View(
        focus=(0.0, 0.0, 1.0),
        distance=4.2,
        heading=30,
        pitch=8,
        radius=6.0,
        fov=28,
        daylight=True,
    )
    picture = 10.0
    show_chains = False
    show_status = False

    def build(self) -> None:
        """Build the corridor and its things, and add all layers to the rig."""
        self.corridor = Corridor(self.stage, self.drawn)
        self.floor = lambda x, _y: self.corridor.height(x)
        self.actor = load_humanoid()
        self.actor.reparent_to(self.stage)
        self.actor.set_h(90.0)
        self.actor.set_blend(animBlend=True, frameBlend=True)
        self.torch, self.crate = make_torch(self.stage), make_crate(self.stage)
        self.lit = self.stage.attach_new_node("lit")
        self.lit.set_pos(SPOT)
        self.rig = rig = ikrig.ActorRig(self.actor)
        self.feet = ikrig.FootPlacement(rig, self.corridor.ground)
        self.touches = [
            ikrig.Touch(rig, "left_hand", self.corridor.walls),
            ikrig.Touch(rig, "right_hand", self.corridor.rail),
        ]
        self.left, self.right = (
            ikrig.Reach(rig, f"{side}_hand", weight=0.0, order=1)
            for side in ("left", "right")
        )
        self.look = ikrig.LookAt(rig, self.lit, weight=0.0, order=2)
        self.clip_notes = humanoid_notes()
        self._plan()
        self._at, self.ik = 0.0, True
        rig.start()

    def _plan(self) -> None:
        """Plan where it walks, and when its hands do what."""
        door, torch, table = AHEAD
        first, second = (x for x, _, _ in HOLDERS)
        stops = (
            # x, and for how long
            (DOOR - door, 1.0),
            (DOOR - door + PUSH, 0.3),
            (first - torch, 1.5),
            (second - torch, 1.4),
            (TABLE - table, 5.0),
        )
        self.walks: list[tuple[float, float]] = []
        x, time, arrivals = START, 0.4, []
        for stop, rest in stops:
            arrives = time + PACE.seconds(stop - x)
            self.walks.append((time, arrives))
            arrivals.append(arrives)
            time, x = arrives + rest, stop
        self.duration = time + 0.4
        self.pushed = self.walks[1][0], arrivals[1]
        self.carried = arrivals[2] + 0.9, arrivals[3] + 0.1
        self.lifted = arrivals[4] + 1.0
        left, right, look = self.left, self.right, self.look
        self.acts: list[tuple[float, Callable[[], None]]] = [
            (arrivals[0] - 0.2, partial(right.grab, self.corridor.handle)),
            (arrivals[1], right.release),
            (arrivals[2] - 0.1, partial(right.grab, self.torch)),
            (self.carried[0], partial(look.fade, 1.0)),
            (self.carried[1], partial(look.fade, 0.0)),
            (self.carried[1] + 0.8, right.release),
            (arrivals[4] - 0.1, partial(left.grab, self.crate, "left")),
            (arrivals[4] - 0.1, partial(right.grab, self.crate, "right")),
            (self.lifted + 2.4, left.release),
            (self.lifted + 2.4, right.release),
        ]

    def play(self, time: float) -> None:
        """Walk, and begin what the hands do at this time."""
        time %= self.duration
        if time < self._at:
            self._restart()
        for when, act in self.acts:
            if self._at < when <= time:
                act()
        self._at = time
        x = START + sum(PACE.gone(time, *walk) for walk in self.walks)
        pace = sum(PACE.share(time, *walk) for walk in self.walks)
        self.actor.set_pos(x, 0.0, self.corridor.height(x))
        pose_walk(self.actor, self.clip_notes, x - START, pace, time)

    def update(self, dt: float) -> None:
        """Move the door, the torch and the crate to where they are at this time."""
        time, corridor = self._at, self.corridor
        begin, end = self.pushed
        led = smoothstep((time - begin) / (end - begin))
        swing = 1.0 - math.exp(-3.0 * max(0.0, time - end - 0.15))
        corridor.door.set_h(LED * led + (OPEN - LED) * swing)
        self._move_torch(time)
        lift = smoothstep((time - self.lifted) / 1.1)
        put = smoothstep((time - self.lifted - 1.0) / 1.1)
        x, table, shelf = TABLE - 0.18, TOP + SHELF[0], TOP + SHELF[1]
        high = table + (shelf + 0.08 - table) * lift - 0.08 * put
        self.crate.set_pos(x + 0.1 * put, 0.0, high)
        self.crate.set_r(5.0 * math.sin(math.pi * lift) * (1.0 - put))

    def shot(self) -> tuple[p3d.LPoint3, p3d.LPoint3]:
        """Walk along beside the person."""
        x = self.actor.get_x()
        focus = p3d.LPoint3(x + 0.25, 0.0, 0.95 + TOP * smoothstep((x - 2.6) / 2.4))
        # from behind for as long as the door is between
        behind = smoothstep((x - DOOR + 2.8) / 1.8) * smoothstep((DOOR + 1.2 - x) / 1.3)
        return focus + p3d.LVector3(2.3 - 4.4 * behind, -3.6, 0.75), focus

    def chains(self) -> Sequence[tuple[str, ikrig.IKChain]]:
        """Return the chains of legs and arms."""
        return [(chain.leaf.get_name(), chain) for chain in self.rig.chains]

    def handles(self) -> Sequence[Handle]:
        """Return what the torch lights."""
        return (Handle(self.lit, "lit by the torch", radius=0.06),)

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        return {"f": self._toggle}

    def notes(self) -> Sequence[Note]:
        """Return what each hand does."""
        notes = [note_of_ik(self.ik)]
        for touch, reach in zip(self.touches, (self.left, self.right), strict=True):
            thing = reach.thing or touch.thing
            doing = "free" if thing is None else thing.get_name()
            if thing is not None:
                doing = f"{'holds' if reach.holds else 'at'} {doing}"
            colour = theme.MUTED if thing is None else theme.GOOD
            notes.append(Note(touch.chain.leaf.get_name(), doing, colour))
        return notes

    def close(self) -> None:
        """Remove the rig and the figure."""
        self.rig.detach()
        self.actor.cleanup()

    def _restart(self) -> None:
        self._at = 0.0
        self.left.release(0.0)
        self.right.release(0.0)
        self.look.weight = 0.0

    def _toggle(self) -> None:
        self.ik = not self.ik
        if self.ik:
            self.rig.start()
        else:
            self.rig.stop()

    def _move_torch(self, time: float) -> None:
        """Carry the torch from holder to holder, aimed at the lit spot."""
        begin, end = self.carried
        taken, put = smoothstep((time - begin) / 0.8), smoothstep((time - end) / 0.8)
        first, second = (p3d.LPoint3(*spot) for spot in HOLDERS)
        hand = self.stage.get_relative_point(self.actor, CARRIED)
        stands = first if time < 0.5 * (begin + end) else second
        carried = taken * (1.0 - put)
        place = stands + (hand - stands) * carried
        torch = self.torch
        torch.set_pos(place + p3d.LVector3(0, 0, 0.12 * math.sin(math.pi * carried)))
        torch.set_hpr(0, 0, 0)
        upright = torch.get_quat()
        torch.look_at(self.lit.get_pos(self.stage))
        turn = p3d.LQuaternion()
        turn.set_hpr((0.0, -90.0, 0.0))  # it shines along its z
        aimed = turn * torch.get_quat()
        torch.set_quat(_between(upright, aimed, carried))


def _between(a: p3d.LQuaternion, b: p3d.LQuaternion, share: float) -> p3d.LQuaternion:
    """Return a rotation between two, by normalised interpolation."""
    sign = -1.0 if a.dot(b) < 0.0 else 1.0
    mixed = p3d.LQuaternion(a * (1.0 - share) + b * (sign * share))
    mixed.normalize()
    return mixed
