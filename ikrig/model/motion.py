"""Motion: the pose of a skeleton in every frame, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import array_of, entries, is_whole, texts
from ..copies import ReadOnly, keep
from ..errors import ModelError, SettingError, shown, suggest
from ..math3d.quaternion import Floats, conjugate, multiply, rotate, unit_rotations
from ..value_shapes import Flag, Number, Text, checked

if TYPE_CHECKING:
    from typing_extensions import Self

Soles = Mapping[str, Sequence[tuple[str, Sequence[float]]]]
FRAME_RATE = Number("frames per second from 0.1 to 1000", 0.1, 1000.0)
NO_TURN = (1.0, 0.0, 0.0, 0.0)


def _soles(soles: object, names: tuple[str, ...]) -> Soles:
    if soles is None:
        return {}
    given = soles if isinstance(soles, Mapping) else {None: None}
    found = {}
    for foot, points in given.items():
        pairs = [entries(pair) or () for pair in entries(points) or ()]
        if foot not in names or not all(
            len(pair) == 2 and pair[0] in names for pair in pairs
        ):
            raise ModelError(
                "soles must be pairs of a joint and a position by the name of a "
                f"foot's joint, not {shown(soles)}"
            )
        found[foot] = tuple(
            (joint, tuple(array_of(at, (3,), "a position of soles", ModelError)))
            for joint, at in pairs
        )
    return found


def _cuts(cuts: object, frames: int) -> dict[int, str]:
    if cuts is None:
        return {}
    if not isinstance(cuts, Mapping) or not all(
        is_whole(frame) and 0 <= frame < frames and isinstance(cause, str)
        for frame, cause in cuts.items()
    ):
        raise ModelError(
            f"cuts must be causes by the number of a frame, 0 to {frames - 1}, not "
            f"{shown(cuts)}"
        )
    return {int(frame): cause for frame, cause in cuts.items()}


def _notes(notes: object) -> tuple[str, ...]:
    found = entries(notes)
    if found is None or not all(isinstance(text, str) for text in found):
        raise ModelError(f"notes must be sentences, not {shown(notes)}")
    return tuple(found)


@dataclass(frozen=True, eq=False, kw_only=True)
class Motion(ReadOnly):
    """A skeleton and its pose in every frame: a capture, an Actor's clip, a recording.

        motion = ikrig.load_bvh("walk.bvh")
        motion.global_positions[:, motion.index("LeftToe")]

    z is up. Arrays are read-only.

    Args:
        names: Names of the joints, n, each once.
        parents: Index of each joint's parent, smaller than its own; -1 for roots.
        offsets: Position of each joint in its parent in the rest pose, (n, 3).
        rotations: Rotation of each joint in its parent, (frames, n, 4) w x y z.
        positions: Position of each joint in its parent, (frames, n, 3); of roots, their
            place in the world. Default: the offsets.
        times: Time of each frame [s], rising. Default: by ``fps``.
        fps: Frames per second, without ``times``.
        rest_rotations: Rotation of each joint in its parent in the rest pose, (n, 4).
            Default: none.
        name: For messages and menus.
        loop: Whether the first frame follows the last.
        soles: Points of each foot that stand on the ground, by the name of its last
            joint: pairs of a joint and a position in it. Default: found in the motion.
        cuts: What happened on purpose between a frame and the one before, by the number
            of the frame, such as ``{120: "teleport"}``.
        notes: What the file did not say and was assumed, one sentence each.

    Raises:
        ModelError: Names the argument, its value and what is allowed.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    offsets: Floats
    rotations: Floats
    positions: Floats
    times: Floats
    rest_rotations: Floats
    name: str = "motion"
    loop: bool = False
    soles: Soles = field(default_factory=dict)
    cuts: Mapping[int, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __init__(
        self,
        *,
        names: Sequence[str],
        parents: Sequence[int],
        offsets: ArrayLike,
        rotations: ArrayLike,
        positions: ArrayLike | None = None,
        times: ArrayLike | None = None,
        fps: float = 60.0,
        rest_rotations: ArrayLike | None = None,
        name: str = "motion",
        loop: bool = False,
        soles: Soles | None = None,
        cuts: Mapping[int, str] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        start = array_of(offsets, ("joints", 3), "offsets", ModelError)
        joints = len(start)
        if not joints:
            raise ModelError(f"offsets must be those of joints, not {shown(offsets)}")
        labels = texts(names, joints, "names", ModelError)
        if len(set(labels)) < joints:
            raise ModelError(
                f"names must be those of joints, each once, not {shown(names)}"
            )
        above = entries(parents)
        if (
            above is None
            or len(above) != joints
            or not all(is_whole(p) and -1 <= p < k for k, p in enumerate(above))
        ):
            raise ModelError(
                f"parents must be {joints} indices, -1 or below the joint's own, not "
                f"{shown(parents)}"
            )
        turns = array_of(rotations, ("frames", joints, 4), "rotations", ModelError)
        frames = len(turns)
        if not frames:
            raise ModelError("rotations must have at least one frame, not none")
        if positions is None:
            places = np.broadcast_to(start, (frames, joints, 3))
        else:
            places = array_of(positions, (frames, joints, 3), "positions", ModelError)
        if times is None:
            moments = np.arange(frames) / checked(FRAME_RATE, fps, "fps", ModelError)
        else:
            moments = array_of(times, (frames,), "times", ModelError)
            if not (np.diff(moments) > 0.0).all():
                raise ModelError(f"times must rise, not {shown(times)}")
        rest = np.tile(NO_TURN, (joints, 1))
        if rest_rotations is not None:
            rest = unit_rotations(rest_rotations, (joints, 4))
        keep(
            self,
            {
                "names": labels,
                "parents": tuple(map(int, above)),
                "offsets": start,
                "rotations": unit_rotations(turns, turns.shape),
                "positions": places,
                "times": moments,
                "rest_rotations": rest,
                "name": checked(Text(), name, "name", ModelError),
                "loop": checked(Flag(), loop, "loop", ModelError),
                "soles": _soles(soles, labels),
                "cuts": _cuts(cuts, frames),
                "notes": _notes(notes),
            },
        )

    @classmethod
    def from_world(
        cls,
        rotations: ArrayLike,
        positions: ArrayLike,
        *,
        rest: tuple[ArrayLike, ArrayLike] | None = None,
        parents: Sequence[int],
        **arguments: Any,
    ) -> Self:
        """Return the motion of joints whose places in the world are known.

        Args:
            rotations: Rotation of each joint in the world, (frames, n, 4).
            positions: Position of each joint in the world, (frames, n, 3).
            rest: Both in the rest pose, (n, 4) and (n, 3). Default: the first frame.
            parents: As in the class.
            arguments: As in the class.
        """
        turns, places = np.asarray(rotations, float), np.asarray(positions, float)
        first = (turns[0], places[0]) if rest is None else rest
        one, other = (np.asarray(array, float)[None] for array in first)
        still, offsets = _locals(one, other, parents)
        local, moved = _locals(turns, places, parents)
        return cls(
            parents=parents, offsets=offsets[0], rest_rotations=still[0],
            rotations=local, positions=moved, **arguments,
        )  # fmt: skip

    def with_changes(self, **changes: object) -> Self:
        """Return the motion with other values of these arguments of the class."""
        return type(self)(**{**self.__getstate__(), **changes})

    def between(self, first: int, end: int, step: int = 1) -> Self:
        """Return the frames from ``first`` to before ``end``, every ``step``-th."""
        cut = slice(first, end, step)
        frames = range(len(self))[cut]
        if not frames or step < 1:
            raise SettingError(
                f"frames {first} to {end} by {step} are none of {len(self)}"
            )
        return self.with_changes(
            rotations=self.rotations[cut],
            positions=self.positions[cut],
            times=self.times[cut] - self.times[first],
            cuts={-(-(k - frames[0]) // step): c for k, c in self.cuts.items()},
        )

    def __len__(self) -> int:
        return len(self.times)

    @property
    def fps(self) -> float:
        """Frames per second: those of the median frame."""
        return 1.0 / float(np.median(np.diff(self.times))) if len(self) > 1 else 60.0

    @property
    def duration(self) -> float:
        """Time from the first frame to the last [s]."""
        return float(self.times[-1] - self.times[0])

    def index(self, joint: str) -> int:
        """Return the index of a joint.

        Raises:
            ModelError: There is none of this name; names the nearest.
        """
        if joint not in self.names:
            known = suggest(joint, self.names)
            raise ModelError(f"{self.name} has no joint {joint!r}: {known}")
        return self.names.index(joint)

    @cached_property
    def _world(self) -> tuple[Floats, Floats]:
        return forward(self.rotations, self.positions, self.parents)

    @property
    def global_rotations(self) -> Floats:
        """Rotation of each joint in the world, (frames, n, 4)."""
        return self._world[0]

    @property
    def global_positions(self) -> Floats:
        """Position of each joint in the world, (frames, n, 3)."""
        return self._world[1]

    @cached_property
    def rest_positions(self) -> Floats:
        """Position of each joint in the rest pose, (n, 3)."""
        alone = self.rest_rotations[None], self.offsets[None]
        found: Floats = forward(*alone, self.parents)[1][0]
        return found


def forward(
    rotations: Floats, positions: Floats, parents: Sequence[int]
) -> tuple[Floats, Floats]:
    turns, places = rotations.copy(), positions.copy()
    for joint, above in enumerate(parents):
        if above >= 0:
            turned = rotate(turns[:, above], positions[:, joint])
            places[:, joint] = places[:, above] + turned
            turns[:, joint] = multiply(turns[:, above], rotations[:, joint])
    for array in (turns, places):
        array.setflags(write=False)
    return turns, places


def _locals(
    turns: Floats, places: Floats, parents: Sequence[int]
) -> tuple[Floats, Floats]:
    local, moved = turns.copy(), places.copy()
    for joint, above in enumerate(parents):
        if above >= 0:
            back = conjugate(turns[:, above])
            local[:, joint] = multiply(back, turns[:, joint])
            moved[:, joint] = rotate(back, places[:, joint] - places[:, above])
    return local, moved


def unique_names(names: Sequence[str]) -> list[str]:
    """Return names of which repeated ones end in .2, .3 and so on."""
    found: dict[str, None] = {}
    for name in names:
        others = (f"{name}.{k}" for k in count(2))
        found[
            name if name not in found else next(o for o in others if o not in found)
        ] = None
    return list(found)
