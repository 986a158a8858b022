"""Pose: a character's joints in one block of memory, without an engine."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import array_of, entries, is_whole, texts
from ..errors import BindError, ModelError, SettingError, shown, suggest
from ..kernels import index_buffer, zeros
from ..kernels.pose import PoseKernel
from ..math3d.quaternion import Floats, unit_rotations
from ..value_shapes import Number, checked

if TYPE_CHECKING:
    from typing_extensions import Self

FARTHEST = 1e18
"""Limit of the numbers of a rest pose: larger ones overflow single precision."""
GOAL = 13
"""Numbers of a goal, in the layout of the kernels."""
_COUNT = Number("a whole number from 1 to 100000", 1, 100_000, whole=True)


class PoseSource(Protocol):
    """Poses a character: clips, a recording, the state of a network."""

    def sample(self, pose: Pose, dt: float) -> None:
        """Write the joints' matrices for a frame of dt seconds, and ``note_all``."""


class Layer(Protocol):
    """Changes a pose in each frame: a chain, feet, a gaze."""

    def apply(self, pose: Pose, dt: float) -> object:
        """Change the pose for a frame of dt seconds. Must not raise."""


class PoseSink(Protocol):
    """Takes a pose that is finished: an Actor's joints, a recording, bytes."""

    def write(self, pose: Pose) -> None:
        """Write a pose."""


class PoseJoints:
    """The joints of poses: those of a model share them. Nothing is checked.

    Args:
        names: Their names, parents before children.
        parents: Index of each one's parent; -1: the skeleton itself.
        rest: Matrices in the rest pose, n x 16 numbers of any shape.
    """

    __slots__ = (
        "__weakref__", "_pinned", "above", "index", "names", "parents", "rest_numbers",
    )  # fmt: skip

    def __init__(
        self, names: Sequence[str], parents: Sequence[int], rest: ArrayLike
    ) -> None:
        self.names = tuple(names)
        self.index = {name: j for j, name in enumerate(names)}
        self.parents = tuple(parents)
        self.above = index_buffer(parents)
        self.rest_numbers = array("f", np.asarray(rest, np.float32).tobytes())
        # kernels point into both: while there are views, neither can grow and move
        self._pinned = memoryview(self.rest_numbers), np.asarray(self.above)


class Pose(PoseKernel):  # type: ignore[misc]
    """A character's joints: their matrices in their parents' spaces, one after another.

    Matrices are 4 x 4 in single precision and row by row, axes x, y, z and then the
    position, as in Panda3D: any scale and shear is kept, a frame of a clip is a copy,
    and an engine takes them as they are. ``at`` and what uses it compute a joint's net
    matrix, in the skeleton's space, when it is needed.

    Attributes:
        n: Number of joints.
        changes: Grows with each change.
        animated: Whether clips or other poses animate it in this frame. If not, hands
            turn with their bones.

    Args:
        names: The joints, parents before children.
        parents: Index of each joint's parent; -1: the skeleton itself.
        rest: Matrices of the joints in the rest pose, (n, 4, 4).

    Raises:
        ModelError: Names the argument, its value and what is allowed.
    """

    def __init__(
        self, names: Sequence[str], parents: Sequence[int], rest: ArrayLike
    ) -> None:
        mats = array_of(rest, ("joints", 4, 4), "rest", ModelError)
        if not (np.abs(mats) < FARTHEST).all():
            raise ModelError(f"rest must be numbers within {FARTHEST:g}: {shown(rest)}")
        labels = texts(names, len(mats), "names", ModelError)
        if len(set(labels)) < len(labels):
            raise ModelError(f"names must be different, not {shown(names)}")
        above = entries(parents)
        if (
            above is None
            or len(above) != len(mats)
            or not all(is_whole(p) and -1 <= p < j for j, p in enumerate(above))
        ):
            raise ModelError(
                "parents must be the index of a joint before it for each of "
                f"{len(mats)} joints, or -1, not {shown(parents)}"
            )
        joints = PoseJoints(labels, list(map(int, above)), mats)
        super().__init__(*self._buffers(joints, array("f", bytes(64 * len(mats) + 4))))

    @classmethod
    def of(cls, joints: PoseJoints, memory: object) -> Self:
        """Return the rest pose of joints, in a buffer of at least 16 n floats."""
        pose = cls.__new__(cls)
        PoseKernel.__init__(pose, *pose._buffers(joints, memory))
        return pose

    def _buffers(self, joints: PoseJoints, memory: Any) -> tuple[object, ...]:
        """Store joints; return the buffers of the kernel."""
        n = len(joints.names)
        self.joints = joints
        self.names = joints.names
        self.index = joints.index
        """Index of each joint, by name."""
        self.parents = joints.parents
        """Index of each joint's parent; -1: the skeleton itself."""
        self.memory = memory
        """The numbers of ``local``, flat."""
        self.rest_numbers = joints.rest_numbers
        """The matrices of the rest pose, flat."""
        memory[: 16 * n] = joints.rest_numbers
        marks = index_buffer(repeat(0, 3 * n + 1))
        return joints.above, memory, joints.rest_numbers, zeros(12 * n + 27), marks

    def replace(self, joints: PoseJoints, memory: object) -> None:
        """Replace the joints, all in the rest pose then.

        Layers keep working where a joint keeps its index.

        Args:
            joints: The joints.
            memory: A buffer of at least 16 n numbers in single precision.
        """
        self.use(*self._buffers(joints, memory))

    @property
    def local(self) -> NDArray[np.float32]:
        """Matrices of the joints in their parents' spaces, (n, 4, 4), live.

        Call ``note`` for a joint, or ``note_all``, after changing them.
        """
        return np.asarray(self.memory)[: 16 * self.n].reshape(-1, 4, 4)

    def net_matrix(self, joint: str) -> Floats:
        """Return a joint's matrix in the skeleton's space, (4, 4)."""
        found = np.identity(4)
        found[:, :3] = np.reshape(self.net_rows(self.index[joint]), (4, 3))
        return found


def nets_of(mats: ArrayLike, parents: Sequence[int]) -> Floats:
    """Return net matrices of joints, (..., n, 4, 4), from those in their parents."""
    nets = np.array(mats, float)
    for j, p in enumerate(parents):
        if p >= 0:
            nets[..., j, :, :] = nets[..., j, :, :] @ nets[..., p, :, :]
    return nets


def rest_nets(pose: Pose) -> Floats:
    """Return the net matrices of the joints in the rest pose, (n, 4, 4)."""
    return nets_of(np.reshape(pose.rest_numbers, (-1, 4, 4)), pose.parents)


class Goals:
    """What chains of a pose reach for, as numbers: one layer writes, the next reads.

    All are live views of ``numbers``, in the space of the skeleton: the one that net
    matrices of the pose refer to. At first each goal is at the origin, with neither
    rotation nor pole, and weight 1. Kernels write ``numbers``, 13 for each goal.

    Args:
        count: Number of goals.

    Raises:
        SettingError: It is not a number from 1 to 100000.
    """

    def __init__(self, count: int) -> None:
        checked(_COUNT, count, "count", SettingError)
        self.numbers = array("d", bytes(8 * GOAL * count))
        """All numbers, flat."""
        rows = np.asarray(self.numbers).reshape(-1, GOAL)
        self.positions = rows[:, :3]
        """Where the tips should be, (n, 3)."""
        self.weights = rows[:, 3]
        """Factors of the chains' weights, 0 to 1, (n,)."""
        self.rotations = rows[:, 4:8]
        """Rotations of the joints that reach, (n, 4) unit quaternions w x y z."""
        self.turned = rows[:, 8]
        """1 where the rotation counts, (n,); else the ``orientation_mode`` does."""
        self.poles = rows[:, 9:12]
        """Points that elbows or knees bend towards, (n, 3)."""
        self.poled = rows[:, 12]
        """1 where the pole counts, (n,); else they bend as animated."""
        self.weights[:] = 1.0
        self.rotations[:, 0] = 1.0

    def __len__(self) -> int:
        return len(self.weights)

    def __getitem__(self, k: int) -> Goal:
        return Goal(self, range(len(self))[k])


class Goal(NamedTuple):
    """One of the ``Goals`` that a layer writes."""

    goals: Goals
    k: int

    @property
    def position(self) -> Floats:
        """Where the tip should be, (3,), live; the others of ``Goals`` likewise."""
        found: Floats = self.goals.positions[self.k]
        return found

    def turn(self, rotation: ArrayLike | None) -> None:
        """Set the rotation of the joint that reaches, (4,) w x y z; None: none.

        Raises:
            ModelError: It is not a rotation.
        """
        goals, k = self.goals, self.k
        goals.turned[k] = float(rotation is not None)
        if rotation is not None:
            goals.rotations[k] = unit_rotations(rotation, (4,))

    def bend_to(self, pole: ArrayLike | None) -> None:
        """Set the point that elbow or knee bends towards, (3,); None: as animated.

        Raises:
            ModelError: It is not a point.
        """
        goals, k = self.goals, self.k
        goals.poled[k] = float(pole is not None)
        if pole is not None:
            goals.poles[k] = array_of(pole, (3,), "pole", ModelError)


def joint_index(pose: Pose, joint: object, what: str) -> int:
    if not isinstance(joint, str) or joint not in pose.index:
        raise BindError(
            f"{what}: there is no joint {shown(joint)}: {suggest(joint, pose.names)}"
        )
    return pose.index[joint]


def line_through(pose: Pose, joints: Sequence[str], what: str) -> list[int]:
    own = [joint_index(pose, joint, what) for joint in joints]
    line = own[:1]
    for above, j in pairwise(own):
        found, p = [j], pose.parents[j]
        while p != above and p >= 0:
            found.append(p)
            p = pose.parents[p]
        if p < 0:
            raise BindError(
                f"{what}: joint {pose.names[j]!r} is not below {pose.names[above]!r}, "
                "the one before it"
            )
        line += found[::-1]
    return line


def chains_below(pose: Pose, root: str) -> list[list[str]]:
    """Return the chains from a joint to the ends below it.

    The first goes on to the longest branch at each fork; the others begin at theirs.
    """
    children: dict[int, list[int]] = {}
    for j, p in enumerate(pose.parents):
        children.setdefault(p, []).append(j)
    depths: dict[int, int] = {}
    for j in reversed(range(pose.n)):
        depths[j] = 1 + max((depths[k] for k in children.get(j, ())), default=0)
    found, starts = [], [joint_index(pose, root, "joints")]
    while starts:
        line = [starts.pop(0)]
        while below := children.get(line[-1]):
            first = max(below, key=lambda k: depths[k])
            starts += [k for k in below if k != first]
            line.append(first)
        found.append([pose.names[j] for j in line])
    return found
