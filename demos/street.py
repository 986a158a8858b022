"""Hundreds walk kerbs, stairs and rubble, look at a tram and reach for a ball.

People of several builds and clothes, and pandas, as `Crowd`s: arrays in, one compiled
call a frame, one draw call a mesh. All play one walk made for flat ground; feet, eyes,
heads, chests and hands are IK, also on the lift in the road. With a FILE, a character
of yours walks among them.

Order: 40
Keys:
    Space  play
    F      with and without IK
    B      with and without a budget
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

import ikrig
from demos._shared import people, theme
from demos._shared.demo import Demo, Handle, Note, Slider, note_of_ik
from demos._shared.demo_error import DemoError
from demos._shared.layout import Layout
from demos._shared.mesh import Floats
from demos._shared.street_scene import (
    HIGH,
    LIFTED,
    LONG,
    RAIL,
    TRAM,
    StreetGround,
    make_ball,
    make_lift,
    make_tram,
)
from ikrig.scene.actor.actor_figure import limbs_of
from ikrig.scene.actor.actor_skeleton import skeleton_of
from ikrig.scene.rig_builder.model_loader import find_animations, load_file
from ikrig.scene.viewer import materials
from ikrig.scene.viewer.environment import light_crowd
from ikrig.scene.viewer.orbit_camera import View

COUNT, MOST = 300, 1200
BUDGET, MOST_BUDGET, BAR = 4.0, 20.0, 370.0  # [ms], and the width of its bar
LANES, PANDAS = 16, 2  # and the lane of the pandas
WIDE_STREET, ROOM = 10.1, 1.3  # of all lanes [m], and of the pandas' beside others'
SWAY, AWAY = 1.3, (9.0, 21.0)  # how far lanes lead over the kerbs, and where [m]
PACES = (1.05, 1.35)  # slowest and fastest lane [m/s]
KINDS = 4
FILE_SHARE = 0.35
PANDA = 1.0 / 560.0  # its approximate scale
NEAR_TRAM, NEAR_BALL, NEAR_EYE = 11.0, 1.45, 6.0
SOON, STAYS = 0.3, 1.2  # arms rise before it comes [s], and follow it farther away
SHOULDER, ARM = (0.0, 0.18, 1.37), 0.47  # where arms begin, and how far they reach [m]
ASIDE = (0.25, 0.1)  # how far before the chest and beside it hands are at least [m]
WIDE, OF_LENGTH = 0.3, 0.39  # half of the room that each takes [m], and of the long
PASSING, MOST_ASIDE = 3.0, 0.5  # from where people step aside, and how far [m]
BESIDE = 1.0  # from where they do so for those who do not come towards them [m]
SIDE, SIDEWAYS = 4.0, 0.45  # how quickly they begin to [1/s], and do it [m/s]
ROUNDS = 3  # how many give way in turn
# throws of the ball: time [s], from and to where, how high it rises [m]
THROW, THROWN, ARC = 3.0, 5.5, 0.7
CATCHES = -2.4, 0.8, -1.2, 1.5, -0.4, 1.1  # where across the street
FASTEST = 20.0  # speed of throws, at most [m/s]
BEFORE, SNATCH = 0.2, 3.0  # how far before a hand, and how fast it follows [m/s]
RIDE = 6.0  # time in which the lift rises and sinks [s]
GOLDEN = 0.6180339887498949
RISE = 7.0  # how quickly bodies rise to a step [1/s]
QUICK = 9.0  # how quickly interest comes and goes, and arms rise [1/s]
UNSEEN = 0.01  # a weight at which a hand's goal may jump
SAMPLES = np.linspace(-0.35, 0.35, 7)  # over which bodies rise before a step

_Made = tuple[Actor, str, float]
"""A model, the clip that it walks by, and its scale."""


class Street(Demo):
    """A street with a tram, and all who walk there."""

    view = View(
        focus=(0.0, 0.4, 0.9),
        distance=11.5,
        heading=-16,
        pitch=11,
        radius=10.0,
        fov=36,
        daylight=True,
    )
    duration = 18.0
    picture = 7.4
    show_chains = False
    takes_file = True

    def build(self) -> None:
        """Build the street, and put all on their lanes."""
        random = self.random
        self.ground = StreetGround(random)
        if self.drawn:
            self.ground.draw(self.stage, random)
        self.floor = lambda x, y: float(self.ground.heights(x, y))
        self.tram, self.ball = make_tram(self.stage), make_ball(self.stage)
        self.solids = self.ground.make_solids(self.stage)
        self.lift = make_lift(self.solids)
        self.walked, self.count, self.ik = 0.0, COUNT, 1.0
        self.ball_was = np.zeros(3)
        self.eye = np.full(3, 1e6)  # nowhere near until a frame is drawn
        # which lane everybody has, and where on it they start
        self.lane = lane = random.permutation(MOST) % LANES
        # more than these pandas would not fit behind each other
        (late,) = ((lane == PANDAS) & (np.arange(MOST) >= COUNT)).nonzero()
        lane[late] = (PANDAS + 1 + np.arange(len(late)) % (LANES - 1)) % LANES
        self.side = np.where(lane % 2, -1.0, 1.0)
        # with more room beside pandas
        gaps = np.ones(LANES - 1)
        gaps[PANDAS - 1 : PANDAS + 1] = ROOM
        places = np.append(0.0, np.cumsum(gaps)) / gaps.sum() - 0.5
        self.across = places[lane] * WIDE_STREET
        self.pace = random.uniform(*PACES, LANES)[lane]
        # however many there are, they are spread over their lanes
        rank = np.array([(lane[:k] == lane[k]).sum() for k in range(MOST)])
        self.start = (GOLDEN * rank + random.uniform(size=LANES)[lane]) % 1.0
        self.tempers = random.uniform(0.0, 1.0, MOST)
        self.groups = self._groups()
        # its frames are run by ``advance``
        self.system = ikrig.IKSystem(None)
        for group in self.groups:
            self.system.add(group.crowd)
        self.spent = 0.0

    def play(self, time: float) -> None:
        """Move the tram, the ball and the lift."""
        time %= self.duration
        self.tram.set_x(-34.0 + 68.0 * (time - 4.2) / 7.0)
        throw, part = divmod(time / THROW, 1.0)
        k, way = int(throw), 1.0 - 2.0 * (throw % 2.0)
        start, end = CATCHES[k % len(CATCHES)], CATCHES[(k + 1) % len(CATCHES)]
        rise = 4.0 * ARC * part * (1.0 - part)
        x, y = way * THROWN * (2.0 * part - 1.0), start + part * (end - start)
        self.ball.set_pos(x, y, 1.25 + rise)
        lift = 0.5 * LIFTED * (1.0 - math.cos(2.0 * math.pi * time / RIDE))
        self.ground.lift = lift
        self.lift.set_z(lift)

    def update(self, dt: float) -> None:
        """Move all along their lanes, and update their goals."""
        self.walked += dt
        ball = np.array(self.ball.get_pos())
        self.thrown = (ball - self.ball_was) / max(dt, 1e-3)
        # not where it was put there
        self.thrown *= np.linalg.norm(self.thrown) < FASTEST
        self.ball_was = ball
        for group in self.groups:
            group.walk()
        self._step_aside(dt)
        for group in self.groups:
            group.update(dt)
        start = perf_counter()
        self.system.update(dt)
        self.spent += 0.1 * (1e3 * (perf_counter() - start) - self.spent)

    def _step_aside(self, dt: float) -> None:
        """Let all who would meet pass each other; the wide push most."""
        x = np.concatenate([group.spots[0] for group in self.groups])
        # lanes bend together: beside each other on them
        y = np.concatenate([self.across[group.who] for group in self.groups])
        wide = np.concatenate([np.full(len(g.who), g.wide) for g in self.groups])
        (seen,) = np.concatenate([g.who < self.count for g in self.groups]).nonzero()
        way = np.concatenate([group.along for group in self.groups])
        order = seen[np.argsort(x[seen])]
        x, y, wide, way = x[order], y[order], wide[order], way[order]
        aside = np.zeros(len(x))
        # those who step aside push others
        for _ in range(ROUNDS):
            now, push = y + aside, np.zeros(len(x))
            for k in range(1, len(x)):
                away = x[k:] - x[:-k]
                if not (away < PASSING).any():
                    break
                # who walks beside or has passed is soon forgotten
                far = np.where(way[:-k] > way[k:], PASSING, BESIDE)
                ahead = np.clip(1.0 - away / far, 0.0, 1.0)
                one, other = wide[k:] ** 2, wide[:-k] ** 2
                across = now[k:] - now[:-k]
                close = np.maximum(wide[k:] + wide[:-k] - np.abs(across), 0.0)
                by = close * across / (np.abs(across) + 0.05)
                by *= ahead**2 * (3.0 - 2.0 * ahead) / (one + other)
                push[k:] += by * other
                push[:-k] -= by * one
            aside = np.clip(aside + push, -MOST_ASIDE, MOST_ASIDE)
        wanted = np.zeros(sum(len(group.who) for group in self.groups))
        wanted[order] = aside
        for group in self.groups:
            own, wanted = wanted[: len(group.who)], wanted[len(group.who) :]
            if self.walked > dt:
                way = np.clip(SIDE * (own - group.aside), -SIDEWAYS, SIDEWAYS)
                group.way += (way - group.way) * (1.0 - math.exp(-SIDE * dt))
                group.aside += group.way * dt
            else:
                # at first they have done so
                group.aside = own.copy()

    def update_visuals(self) -> None:
        """Choose levels of detail by the camera, and note where it is."""
        camera = self.stage.get_top().find("**/cam")
        self.eye = np.array(camera.get_pos(self.stage))
        for group in self.groups:
            if group.crowd.camera != camera:
                group.crowd.camera = camera

    def handles(self) -> Sequence[Handle]:
        """Return the ball."""
        return (Handle(self.ball, "ball", radius=0.2),)

    def sliders(self) -> Sequence[Slider]:
        """Return the slider for their number."""

        def set_count(value: float) -> None:
            self.count = round(value)

        return (
            Slider(
                "people", 10, MOST, COUNT, set_count, step=10, show="{:.0f}",
                read=lambda: self.count,
            ),
            Slider(
                "budget", 0, MOST_BUDGET, 0, self._set_budget, step=0.5,
                show=lambda value: f"{value:.1f} ms" if value else "none",
                read=lambda: 1e3 * (self.system.budget or 0.0),
            ),
        )  # fmt: skip

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        return {
            "f": self._toggle,
            "b": lambda: self._set_budget(0.0 if self.system.budget else BUDGET),
        }

    def notes(self) -> Sequence[Note]:
        """Return how many walk, look and reach."""
        looking = sum(int((g.looking[g.shown] > 0.5).sum()) for g in self.groups)
        reaching = sum(int((g.reaching > 0.5).sum()) for g in self.groups)
        return (
            note_of_ik(self.ik > 0.0),
            Note("looking", str(looking)),
            Note("reaching", str(reaching)),
        )

    def draw_over(self, layout: Layout, panels: p3d.NodePath, timed: bool) -> None:
        """Make the bar of the budget."""
        left, top = 20.0, layout.bottom - 48.0
        self._panel = panel = layout.panel(left, top, BAR + 20.0, 40.0, panels)
        self._text = layout.text(left + 10.0, top + 17.0, "", size=13.0, parent=panel)
        left, top = left + 10.0, top + 26.0
        layout.rectangle(left, top, BAR, 6.0, (1.0, 1.0, 1.0, 0.12), parent=panel)
        # it grows from its left edge
        self._bar = panel.attach_new_node("bar")
        self._bar.set_x(left)
        layout.rectangle(0.0, top, BAR, 6.0, (1.0, 1.0, 1.0, 1.0), parent=self._bar)

    def refresh(self) -> None:
        """Show what is used of the budget, and what is left out for it."""
        budget = 1e3 * (self.system.budget or 0.0)
        if not budget:
            self._panel.hide()
            return
        self._panel.show()
        detail = np.concatenate([g.crowd.detail[g.shown] for g in self.groups])
        last = len(self.groups[0].crowd.levels) - 1
        often, clips = int((detail == 0).sum()), int((detail == last).sum())
        seldom = int((detail > 0).sum()) - clips
        self._text.set(
            f"{self.spent:.1f} of {budget:.1f} ms:  {often} in each frame, "
            f" {seldom} seldom,  {clips} without IK"
        )
        part = min(self.spent / budget, 1.0)
        self._bar.set_sx(max(part, 1e-3))
        self._bar.set_color_scale(*(theme.GOOD if part < 1.0 else theme.WARN)[:3], 1.0)

    def close(self) -> None:
        """Remove the crowds."""
        for group in self.groups:
            group.drawing.detach()

    def _set_budget(self, budget: float) -> None:
        self.system.budget = 1e-3 * budget or None

    def _toggle(self) -> None:
        self.ik = 1.0 - self.ik

    def _groups(self) -> list[_Group]:
        makers: list[Callable[[], _Made]] = [
            partial(self._load_person, kind) for kind in range(KINDS)
        ]
        makers.append(self._load_panda)
        if self.file is not None:
            makers.append(self._load_file)
        chosen = self.random.integers(0, KINDS, MOST)
        if self.file is not None:
            chosen[self.random.uniform(size=MOST) < FILE_SHARE] = KINDS + 1
        chosen[self.lane == PANDAS] = KINDS
        return [
            _Group(self, np.flatnonzero(chosen == k), *make())
            for k, make in enumerate(makers)
        ]

    def _load_person(self, kind: int) -> _Made:
        return people.load_person(kind), "walk", 1.0

    def _load_panda(self) -> _Made:
        actor = Actor("models/panda-model", {"walk": "models/panda-walk4"})
        actor.set_shader_input("u_look", p3d.LVector4(1.0, 0.62, 0.0, 0.0))
        return actor, "walk", PANDA

    def _load_file(self) -> _Made:
        assert self.file is not None
        model = load_file(self.file.name, self.file.parent)
        if model is None or model.find("**/+Character").is_empty():
            raise DemoError(f"{self.file} is not a character: it has no joints")
        materials.finish(model, shaded=self.stage.get_shader() is not None)
        actor = Actor(model)
        clip = _find_walk(actor, self.file)
        low, high = model.get_tight_bounds() or (p3d.LPoint3(), p3d.LPoint3(1.0))
        size = high - low
        # animals by their length, people by their height
        scale = min(1.75 / max(size.z, 1e-6), 2.0 / max(min(size.x, size.y), 1e-6))
        if max(size.x, size.y) > 1.15 * size.z:
            scale = min(scale, 1.7 / max(size.x, size.y))
        people.add_levels(actor, scale)
        return actor, clip, scale


def _find_walk(actor: Actor, file: Path) -> str:
    """Return the clip that a character walks by, in its file or beside it."""
    for like in ("walk", "run", "idle", ""):
        names = sorted(n for n in actor.get_anim_names() if like in n.lower())
        beside = () if names else find_animations(file, like, keep=True)
        for name, path in beside:
            actor.load_anims({name: str(p3d.Filename.from_os_specific(str(path)))})
            return name
        if names:
            # "walk" before "walk_backward"
            return min(names, key=len)
    return ""


def _limbs(crowd: ikrig.Crowd, *names: str) -> list[Any]:
    """Return those of the limbs that a model has."""
    found = []
    for name in names:
        with suppress(ikrig.BindError):
            found.append(crowd.limb(name))
    return found


class _Group:
    """All who have one model."""

    def __init__(
        self, demo: Street, who: Any, actor: Actor, clip: str, scale: float
    ) -> None:
        self.demo, self.who = demo, who
        random, count = demo.random, len(who)
        self.crowd = crowd = ikrig.Crowd(actor, count, demo.stage)
        with skeleton_of(actor, "modelRoot") as skeleton:
            x, y, _ = limbs_of(skeleton).forward
        self.facing = math.atan2(y, x)
        assert crowd.drawing is not None
        self.drawing = crowd.drawing
        if demo.stage.get_shader() is not None:
            light_crowd(self.drawing)
        sizes = scale * random.uniform(0.86, 1.08, count)
        crowd.scales, self.size = sizes, sizes / scale
        shade = random.uniform(0.8, 1.0, (count, 1))
        tint = shade + random.normal(0.0, 0.02, (count, 3))
        self.drawing.colors[:, :3] = np.clip(tint, 0.6, 1.0)
        self.pace = demo.pace[who]
        if clip:
            own = 0.0
            # a character without legs plays its clip on the spot
            with suppress(ikrig.BindError):
                own = ikrig.clip_speed(actor, clip)
            speed = self.pace / (sizes * own) if own > 1e-3 * scale else 1.0
            phase = random.uniform(0.0, 1.0, count)
            crowd.play(clip, phase=phase, speed=speed, fade=0.0)
            if own <= 1e-3 * scale:
                self.pace = np.zeros(count)
        else:
            self.pace = np.zeros(count)
        self.hands = _limbs(crowd, "left_hand", "right_hand")
        self.feet: Any = None
        # a character may have no legs
        with suppress(ikrig.BindError):
            self.feet = crowd.feet
            self.feet.ground = demo.solids
        self.looking, self.reaching = np.zeros(count), np.zeros((2, count))
        self.looking_speed, self.reaching_speed = np.zeros(count), np.zeros((2, count))
        # of each hand, seen from its own
        self.goals = np.full((2, count, 3), (0.4, 0.0, 1.1))
        self.shown, self.height = np.zeros(count, bool), np.zeros(count)
        low, high = actor.get_tight_bounds() or (p3d.LPoint3(), p3d.LPoint3())
        across, along = high.x - low.x, high.y - low.y
        length = math.hypot(x * across, y * along)
        # one that stands still may do so with arms spread
        breadth = 0.0 if clip else math.hypot(y * across, x * along)
        self.wide = max(WIDE, scale * max(OF_LENGTH * length, 0.5 * breadth))
        self.aside, self.way = np.zeros((2, count))

    def update(self, dt: float) -> None:
        """Move them, and say what they look at and reach for."""
        demo, crowd, who = self.demo, self.crowd, self.who
        places = self._places(dt)
        crowd.positions[:] = places
        # unseen while they are beyond the gates
        self.shown = (np.abs(places[:, 0]) < 0.5 * LONG) & (who < demo.count)
        crowd.visible[:] = self.shown
        self._look(places, dt)
        self._reach(places, dt)
        if self.feet is not None:
            self.feet.weights[:] = demo.ik * self.shown

    def walk(self) -> None:
        """Find where on its lane each is."""
        demo, who = self.demo, self.who
        long = LONG + 4.0
        self.along = demo.side[who]
        gone = demo.start[who] * long + self.along * self.pace * demo.walked
        x = gone % long - 0.5 * long
        # straight in the middle; to the left and right, over the kerbs and back
        part = math.pi * np.clip((np.abs(x) - AWAY[0]) / (AWAY[1] - AWAY[0]), 0.0, 1.0)
        y = demo.across[who] - np.sign(x) * SWAY * np.sin(part) ** 2
        self.slope = -SWAY * math.pi / (AWAY[1] - AWAY[0]) * np.sin(2.0 * part)
        self.spots = np.stack((x, y))

    def _places(self, dt: float) -> Floats:
        demo, side = self.demo, self.along
        x, y = self.spots[0], self.spots[1] + self.aside
        # they turn to where they go
        slope = self.slope + side * self.way / np.maximum(self.pace, 0.3)
        ahead = np.stack((side, side * slope)) / np.hypot(1.0, slope)
        self.crowd.headings[:] = np.arctan2(ahead[1], ahead[0]) - self.facing
        spots = np.stack((x, y))[:, None] + ahead[:, None] * SAMPLES[:, None]
        heights = demo.ground.heights(*spots)
        # low enough for the lower foot
        height = 0.5 * (heights.mean(axis=0) + heights.min(axis=0))
        share = np.where(self.shown, 1.0 - math.exp(-RISE * dt), 1.0)
        self.height += (height - self.height) * share
        return np.column_stack((x, y, self.height))

    def _look(self, places: Floats, dt: float) -> None:
        demo, look, tempers = self.demo, self.crowd.look, self.demo.tempers[self.who]
        tram = np.array((float(demo.tram.get_x()), RAIL, HIGH + 1.7))
        # at the nearest window
        spot = np.clip(places[:, 0], tram[0] - 0.5 * TRAM, tram[0] + 0.5 * TRAM)
        far = np.hypot(places[:, 0] - spot, places[:, 1] - RAIL)
        at_tram = (far < NEAR_TRAM * (0.55 + 0.45 * tempers)) & (tempers > 0.12)
        ball = np.array(demo.ball.get_pos())
        at_ball = np.linalg.norm(places[:, :2] - ball[:2], axis=1) < 3.0
        to = demo.eye - places
        ahead = self.crowd.headings + self.facing
        before = np.cos(ahead) * to[:, 0] + np.sin(ahead) * to[:, 1] > 0.5
        at_eye = before & (np.linalg.norm(to, axis=1) < NEAR_EYE) & (tempers < 0.4)
        wanted = at_tram | at_ball | at_eye
        targets = np.broadcast_to(tram, places.shape).copy()
        targets[:, 0] = spot
        targets[at_eye & ~at_tram] = demo.eye
        targets[at_ball] = ball
        # who loses interest looks where it was
        look.targets[wanted] = targets[wanted]
        _follow(self.looking, self.looking_speed, wanted, dt)
        look.weights[:] = demo.ik * self.looking

    def _reach(self, places: Floats, dt: float) -> None:
        demo = self.demo
        ball = self._seen_by(np.array(demo.ball.get_pos()), places)
        soon = self._seen_by(np.array(demo.ball.get_pos()) + SOON * demo.thrown, places)
        ahead = self.crowd.headings + self.facing
        c, s = np.cos(ahead), np.sin(ahead)
        for hand, side, now, speed, goal in zip(
            self.hands, (1.0, -1.0), self.reaching, self.reaching_speed, self.goals,
            strict=False,
        ):  # fmt: skip
            near = np.where(now > 0.5, STAYS, 1.0) * NEAR_BALL
            wanted = np.zeros(len(now), bool)
            for at in (ball, soon):
                mine = (at[:, 0] > BEFORE) & (side * at[:, 1] > 0.0)
                wanted |= mine & (np.hypot(at[:, 0], at[:, 1]) < near)
            _follow(now, speed, wanted, dt)
            # as far as arms reach, neither behind the back nor across the chest
            own = ball * (1.0, side, 1.0)
            own[:, :2] = np.maximum(own[:, :2], ASIDE)
            way = own - np.multiply(SHOULDER, self.size[:, None])
            far = np.linalg.norm(way, axis=1) / (ARM * self.size)
            far = np.maximum(far, 1.0)
            own -= (1.0 - 1.0 / far)[:, None] * way
            own[:, 1] *= side
            # an arm follows as fast as arms do
            way = own - goal
            size = np.linalg.norm(way, axis=1) + 1e-9
            part = np.where(now < UNSEEN, 1.0, np.minimum(1.0, SNATCH * dt / size))
            goal += (wanted * part)[:, None] * way
            hand.targets[:, 0] = places[:, 0] + c * goal[:, 0] - s * goal[:, 1]
            hand.targets[:, 1] = places[:, 1] + s * goal[:, 0] + c * goal[:, 1]
            hand.targets[:, 2] = places[:, 2] + goal[:, 2]
            hand.weights[:] = demo.ik * now

    def _seen_by(self, place: Floats, places: Floats) -> Floats:
        """Return where a place is, ahead, left and above each."""
        to = place - places
        ahead = self.crowd.headings + self.facing
        c, s = np.cos(ahead), np.sin(ahead)
        before, left = c * to[:, 0] + s * to[:, 1], c * to[:, 1] - s * to[:, 0]
        return np.column_stack((before, left, to[:, 2]))


def _follow(values: Floats, speeds: Floats, goals: Any, dt: float) -> None:
    """Let values follow goals by critically damped springs: they begin gently."""
    left = math.exp(-QUICK * dt)
    away = values - goals
    push = (speeds + QUICK * away) * dt
    values[:] = goals + (away + push) * left
    speeds[:] = (speeds - QUICK * push) * left
