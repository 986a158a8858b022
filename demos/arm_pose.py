"""All poses of a six-axis arm for one tool pose, solved in closed form.

The sliders set the position and rotation of the tool. Up to eight poses of the arm
reach it: the solid arm takes the one nearest to its current pose, and the others are
shown as glass. Choose another pose with its button or its number.

Order: 140
Keys:
    Space  play
    1-8    pose
    G      glass
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import panda3d.core as p3d

import ikrig
from demos._shared import six_axis, theme
from demos._shared.banner import Banner
from demos._shared.demo import Button, Demo, Handle, Note, Slider, wave
from demos._shared.frames import attach_frame
from demos._shared.ghosts import Ghost
from demos._shared.layout import Layout
from ikrig.math3d.quaternion import Floats
from ikrig.scene.viewer.orbit_camera import View

START = np.radians((0.0, 10.0, 80.0, 0.0, 45.0, 0.0))
# maxima of a joint that moves to a different pose [rad/s, rad/s²]
SPEED, ACCELERATION = 5.0, 60.0
REPEATS = 5  # number of solves; the fastest one is shown, without other load
DISTANCES = (("X", 4.0, 12.0), ("Y", -4.0, 4.0), ("Z", 4.0, 12.0))
TURNS = ("yaw", "pitch", "roll")
# names of the branches by their numbers, in the order of the buttons
BRANCHES = {
    0: "front, up",
    1: "front, up, flipped",
    2: "front, down",
    3: "front, down, flipped",
    6: "back, up",
    7: "back, up, flipped",
    4: "back, down",
    5: "back, down, flipped",
}
# branches of the scripted movement, and the end of each [s]
TOUR = ((3.4, 0), (5.2, 2), (7.0, 3), (14.0, 0))
COLOURS = (
    (0.25, 0.66, 1.0),
    (0.45, 0.86, 1.0),
    (0.36, 0.82, 0.42),
    (0.70, 0.93, 0.50),
    (0.95, 0.45, 0.72),
    (1.0, 0.68, 0.84),
    (0.62, 0.47, 1.0),
    (0.78, 0.70, 1.0),
)
DENSE, THIN = 0.95, 0.42  # ghosts of poses inside the joints' ranges, and outside


class ArmPose(Demo):
    """The article's arm, its target frame and eight ghosts.

    Attributes:
        position: Goal position of the tool, (3,) [the arm's unit].
        turn: Its yaw, pitch and roll, (3,) [deg].
        q: Joint angles of the chosen pose, (6,) [rad].
        result: The last result of the solver.
    """

    view = View(
        focus=(0.75, 0.0, 1.28), distance=7.0, heading=-24, pitch=13, radius=3.4
    )
    duration = 14.0
    picture = 4.6

    def build(self) -> None:
        """Make the arm, the target frame and the ghosts."""
        self.tree = six_axis.attach(self.stage)
        self.arm = six_axis.solver()
        self.q = START
        attach_frame(self.tree.body("tool"), 1.7, "tool frame")
        # a child of the arm, so that it has the unit of the sliders
        self.target = self.tree.root.attach_new_node("target")
        self.goal_frame = attach_frame(self.target, 2.2, "goal frame")
        self.ghosts = {
            k: Ghost(self.overlay, (*COLOURS[k], DENSE), rank)
            for rank, k in enumerate(BRANCHES)
        }
        self.glass = True
        self.rows: Floats = np.full((8, 6), np.nan)
        self.microseconds = 0.0
        self._speeds = np.zeros(6)
        self.position, self.turn = np.zeros(3), np.zeros(3)
        self.play(0.0)
        self.tree.set_qpos(self.q)

    def play(self, time: float) -> None:
        """Move the target through the sliders' ranges, and once out of reach."""
        far = max(0.0, wave(time, self.duration, -0.42)) ** 3
        position = (
            8.0 + 1.6 * wave(time, self.duration) + 4.5 * far,
            2.4 * wave(time, self.duration, 0.2),
            8.2 + 1.5 * wave(time, 0.5 * self.duration, 0.1) + 2.8 * far,
        )
        turn = (
            35.0 * wave(time, 0.5 * self.duration, 0.3) * (1.0 - far),
            38.0 + 30.0 * wave(time, self.duration, 0.05) + 40.0 * far,
            50.0 * wave(time, self.duration, 0.6),
        )
        self.put(position, turn)
        self.choose(next(k for until, k in TOUR if time % self.duration < until))

    def put(self, position: Sequence[float], turn: Sequence[float]) -> None:
        """Set the tool's goal position [the arm's unit] and its yaw, pitch, roll [deg].

        The pose changes at once; the shown arm moves to it.
        """
        self.position, self.turn = np.array(position, float), np.array(turn, float)
        self._solve()

    def update(self, dt: float) -> None:
        """Use a dragged target as the goal, and move the arm towards its pose."""
        place = self.target.get_pos()
        if place != self._placed:
            self.put(tuple(place), self.turn.tolist())
        shown = self.tree.qpos
        most = np.minimum(SPEED, self._speeds + ACCELERATION * dt) * dt
        moved = np.clip(self.q - shown, -most, most)
        self._speeds = np.abs(moved) / max(dt, 1e-6)
        self.tree.set_qpos(shown + moved)

    def update_visuals(self) -> None:
        """Show the other poses as ghosts."""
        shown = [self.tree.qpos]
        for k, ghost in self.ghosts.items():
            row = self.rows[k]
            if not self.glass or np.isnan(row[0]) or k == self.branch:
                ghost.hide()
                continue
            ghost.show(row, shown)
            ghost.dim(DENSE if self.allowed(k) is not None else THIN)
            shown.append(row)

    @property
    def branch(self) -> int:
        """Number of the arm's branch, -1 while the target is out of reach."""
        return int(self.result.branch)

    def allowed(self, k: int) -> Floats | None:
        """Return a branch's angles if the joints' ranges allow them, else None."""
        row, lower, upper = self.rows[k], self.arm.lower, self.arm.upper
        if np.isnan(row).any():
            return None
        # shift by whole turns into the range
        full = 2.0 * np.pi
        into = row + full * np.ceil((lower - 1e-9 - row) / full)
        row = np.where((row >= lower - 1e-9) & (row <= upper + 1e-9), row, into)
        return row if (row <= upper + 1e-9).all() else None

    def choose(self, k: int) -> None:
        """Choose a branch, if it has a pose now; the arm then stays in it."""
        row = self.allowed(k)
        if row is not None and k != self.branch:
            self.q = row
            self._solve()

    def handles(self) -> Sequence[Handle]:
        """Return the target frame."""
        return (Handle(self.target, "tool", radius=0.035),)

    def sliders(self) -> Sequence[Slider]:
        """Return the sliders for the tool's position and rotation."""
        rows = [
            Slider(
                label,
                low,
                high,
                self._value(i),
                partial(self._set, i),
                read=partial(self._value, i),
            )
            for i, (label, low, high) in enumerate(DISTANCES)
        ]
        return rows + [
            Slider(
                label,
                -90.0,
                90.0,
                self._value(3 + i),
                partial(self._set, 3 + i),
                show=lambda value: f"{round(value)}°",
                read=partial(self._value, 3 + i),
            )
            for i, label in enumerate(TURNS)
        ]

    def buttons(self) -> Sequence[Button]:
        """Return one button for each branch."""
        return [
            Button(
                # the second button of a row is the first with its wrist flipped
                f"{number}  {'flipped' if k % 2 else name}",
                partial(self._press, k),
                lit=partial(self._is_taken, k),
                enabled=partial(self._is_allowed, k),
                colour=(*COLOURS[k], 1.0),
            )
            for number, (k, name) in enumerate(BRANCHES.items(), 1)
        ]

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        numbers = {
            str(number): partial(self._press, k) for number, k in enumerate(BRANCHES, 1)
        }
        return {**numbers, "g": self._toggle_glass}

    def notes(self) -> Sequence[Note]:
        """Return the result and the joint angles."""
        found = int((~np.isnan(self.rows[:, 0])).sum())
        free = sum(map(self._is_allowed, BRANCHES))
        word, colour = "reached", theme.GOOD
        if not self.result.converged:
            word, colour = "unreachable", theme.BAD
        rows = [
            Note("status", word, colour),
            Note("pose", BRANCHES.get(self.branch, "–")),
            Note("solutions", f"{found}, {free} in range"),
            Note("worst error", f"{self._worst_error():.0e}" if found else "–"),
        ]
        if self.live:
            rows.append(Note("solve time", f"{self.microseconds:.1f} µs"))
        angles = np.degrees(self.q)
        return rows + [
            Note(f"axis {name}", f"{angle:.1f}°")
            for name, angle in zip(six_axis.AXES, angles, strict=True)
        ]

    def draw_over(self, layout: Layout, panels: p3d.NodePath, timed: bool) -> None:
        """Make a bar for the reason why the target can't be reached."""
        self._banner = Banner(layout, panels, bottom=layout.height - 70.0)

    def refresh(self) -> None:
        """Show the reason."""
        self._banner.set(self.failure_reason(), theme.BAD)

    def failure_reason(self) -> str:
        """Return the reason why the target can't be reached, or an empty text."""
        if self.result.converged:
            return ""
        if self.result.blocked_by:
            names = ", ".join(dict.fromkeys(b.name for b in self.result.blocked_by))
            return (
                f"UNREACHABLE:  every pose exceeds the range of a joint, here {names}"
            )
        wrist = self._wrist()
        away = math.dist(wrist, (0.0, 0.0, six_axis.LENGTHS[0]))
        _, upper, *fore = six_axis.LENGTHS[:4]
        least, most = abs(upper - sum(fore)), upper + sum(fore)
        return (
            f"UNREACHABLE:  the wrist would be {away:.1f} from axis L, "
            f"but must be {least:.0f} to {most:.0f}"
        )

    def _solve(self) -> None:
        """Find all poses, and choose one."""
        rotation = ikrig.rotation_from_ypr(*np.radians(self.turn))
        spent = math.inf
        for _ in range(REPEATS):
            start = time.perf_counter()
            self.result = self.arm.solve(self.position, rotation, self.q)
            spent = min(spent, 1e6 * (time.perf_counter() - start))
        self.microseconds += 0.1 * (spent - self.microseconds)
        self.q = self.result.q
        # a batch of one keeps the numbers of the branches
        self.rows = self.arm.solve_all(self.position[None], rotation, self.q)[0]
        self.rotation = rotation
        self.target.set_pos(*self.position)
        self.target.set_quat(six_axis.quat_of(rotation))
        self._placed = self.target.get_pos()
        if self.result.converged:
            self.goal_frame.clear_color()
        else:
            self.goal_frame.set_color(p3d.LColor(*theme.BAD), 1)

    def _wrist(self) -> Floats:
        hand = sum(six_axis.LENGTHS[4:])
        wrist: Floats = self.position - hand * self.rotation[:, 0]
        return wrist

    def _worst_error(self) -> float:
        """Return the largest error of all solutions, by forward kinematics."""
        found = self.rows[~np.isnan(self.rows[:, 0])]
        position, rotation = self.arm.forward(found)
        apart = np.abs(position - self.position).max()
        return float(max(apart, np.abs(rotation - self.rotation).max()))

    def _set(self, i: int, value: float) -> None:
        self.playing = False
        values = np.concatenate((self.position, self.turn))
        values[i] = value
        self.put(values[:3].tolist(), values[3:].tolist())

    def _value(self, i: int) -> float:
        return float(self.position[i] if i < 3 else self.turn[i - 3])

    def _is_taken(self, k: int) -> bool:
        return self.branch == k

    def _is_allowed(self, k: int) -> bool:
        return self.allowed(k) is not None

    def _press(self, k: int) -> None:
        self.playing = False
        self.choose(k)

    def _toggle_glass(self) -> None:
        self.glass = not self.glass
