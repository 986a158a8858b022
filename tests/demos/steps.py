"""The largest rotation of any joint between two frames, in the movement of each demo.

    python -m tests.demos.steps [NAME ...]

prints the largest step of each demo, the largest one where its movement ends and
begins again, and the largest jump of each joint that jumps. A jump is a step of more
than twice those of the frame before and the frame after, elsewhere in the movement.
All nodes of the stage and all joints of Actors count, at 60 frames a second, until one
second into the second round; nothing is drawn.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import panda3d.core as p3d

from demos._shared import catalogue
from demos._shared.app import FRAME, DemoApp
from demos._shared.catalogue import Entry
from ikrig.scene.viewer import display
from ikrig.scene.viewer.display import Screen, Surface

Quat = tuple[float, float, float, float]

SMALL = 1.5
"""Steps up to this are no jumps, whatever the frames beside them have [deg]: they move
the end of a limb of half the picture's height by ten of 720 pixels."""


class Step(NamedTuple):
    """The rotation of a joint from one frame to the next."""

    degrees: float
    joint: str
    frame: int
    """Number of the later frame; the first one of the movement is 0."""
    beside: float
    """The larger one of the steps before and after it [deg]."""

    @property
    def is_jump(self) -> bool:
        """Whether it is more than twice the steps beside it."""
        return self.degrees > max(SMALL, 2.0 * self.beside)

    def __str__(self) -> str:
        return (
            f"{self.degrees:5.1f} deg at {self.frame * FRAME:5.2f} s, beside it "
            f"{self.beside:4.1f}: {self.joint[-60:]}"
        )


class Steps(NamedTuple):
    """The steps of a movement."""

    largest: Step
    """The largest one, but for where the movement begins again."""
    restart: Step
    """The largest one where it begins again."""
    jumps: list[Step]
    """The jumps elsewhere, the largest first."""


def measure(app: DemoApp, entry: Entry) -> Steps:
    """Return the steps of a demo's movement."""
    demo = app.open(entry)
    again = round(demo.duration / FRAME)
    return find_steps(
        demo.stage, lambda _: app.step(), again + round(1.0 / FRAME), again
    )


def find_steps(
    stage: p3d.NodePath, move: Callable[[int], None], frames: int, again: int
) -> Steps:
    """Return the steps of what moves below a node.

    Args:
        stage: The node.
        move: Moves it to a frame, by number.
        frames: Number of frames.
        again: The frame at which the movement begins again.
    """
    rows: dict[str, int] = {}
    columns: list[dict[str, float]] = []
    before: dict[str, Quat] = {}
    for frame in range(frames):
        move(frame)
        now = dict(_rotations(stage))
        known = [name for name in now if name in before]
        a, b = (
            np.array([of[name] for name in known]).reshape(-1, 4)
            for of in (before, now)
        )
        half = np.arccos(np.minimum(1.0, np.abs(np.sum(a * b, axis=1))))
        columns.append(dict(zip(known, np.degrees(2.0 * half), strict=True)))
        for name in now:
            rows.setdefault(name, len(rows))
        before = now
    steps = np.zeros((len(rows), frames + 2))
    for frame, column in enumerate(columns, 1):
        steps[[rows[name] for name in column], frame] = list(column.values())
    names = list(rows)
    beside = np.maximum(steps[:, :-2], steps[:, 2:])
    steps = steps[:, 1:-1]

    def step(row: int, frame: int) -> Step:
        degrees, neighbour = float(steps[row, frame]), float(beside[row, frame])
        return Step(degrees, names[row], frame, neighbour)

    def largest(start: int, end: int) -> Step:
        row, frame = divmod(int(steps[:, start:end].argmax()), end - start)
        return step(row, start + frame)

    # with the frames beside it: the rounding of the time decides
    restart = largest(again - 1, again + 2)
    steps[:, again - 1 : again + 2] = 0.0
    suspects = np.argwhere(steps > np.maximum(SMALL, 2.0 * beside)).tolist()
    jumps = sorted((step(*pair) for pair in suspects), reverse=True)
    return Steps(largest(0, frames), restart, jumps)


def _rotations(stage: p3d.NodePath) -> Iterator[tuple[str, Quat]]:
    """Yield path and local rotation of every node, and of every joint of Actors."""
    nodes = [(node, "") for node in stage.children]
    seen: set[str] = set()
    while nodes:
        path, above = nodes.pop()
        name = f"{above}/{path.get_name()}"
        while name in seen:
            name += "+"
        seen.add(name)
        yield name, _quat(path.get_transform())
        node = path.node()
        if isinstance(node, p3d.Character):
            # its nodes are joints that are exposed or controlled
            bundle = node.get_bundle(0)
            bundle.force_update()
            for joint in _joints(bundle):
                local = p3d.TransformState.make_mat(joint.get_transform())
                yield f"{name}/{joint.get_name()}", _quat(local)
        else:
            nodes += [(child, name) for child in path.children]


def _quat(transform: p3d.TransformState) -> Quat:
    """Return a rotation, w x y z; the unit where a matrix has none."""
    w, x, y, z = (
        transform.get_norm_quat() if not transform.is_singular() else (1, 0, 0, 0)
    )
    return w, x, y, z


def _joints(group: p3d.PartGroup) -> list[p3d.CharacterJoint]:
    own = [group] if isinstance(group, p3d.CharacterJoint) else []
    children = (group.get_child(i) for i in range(group.get_num_children()))
    return own + [joint for child in children for joint in _joints(child)]


def main(names: list[str]) -> None:
    """Print the table."""
    display.configure()
    entries = catalogue.read()
    chosen = [catalogue.find(name, entries) for name in names] or entries
    with DemoApp(Screen(Surface.NONE)) as app:
        for entry in chosen:
            found = measure(app, entry)
            print(f"{entry.name:10} {found.largest}")
            print(f"{'':10} {found.restart}, at the restart")
            joints = [jump.joint for jump in found.jumps]
            for joint, count in Counter(joints).items():
                jump = found.jumps[joints.index(joint)]
                print(f"{'':10} {jump}, jumps: {count}")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
