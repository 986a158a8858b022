"""CrowdBatch: poses all members of a crowd in one compiled call, without an engine."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import is_whole
from ..copies import Uncopied
from ..errors import ModelError, SettingError, shown, suggest
from ..kernels import COMPILED, buffer, index_buffer, zeros
from ..kernels.chain import ChainKernel
from ..kernels.clip_plans import ClipPlans
from ..kernels.crowd import CrowdKernel
from ..kernels.crowd_gaze import CrowdCarry, CrowdLean, CrowdLook
from ..kernels.crowd_layers import CrowdFeet, CrowdLeg, CrowdLimb
from ..kernels.crowd_springs import CrowdSprings
from ..kernels.feet import Feet
from ..kernels.foot_ground import CallGround
from ..kernels.gaze_look import LookKernel
from ..math3d.quaternion import Floats
from ..math3d.timestep import sound_dt
from ..model.pose import Goals, Pose, rest_nets
from ..model.skeleton import ChainModel
from ..model.springs import Collider, Spring, Springs
from ..solvers import FabrikSolver
from ..solvers.settings import DEFAULT
from ..value_shapes import Number, checked
from .character import FASTEST, Character
from .crowd_layer import BatchLayer, Kernels, Link, Place
from .crowd_levels import ALL, CrowdLevel, LevelTables
from .flat import flat

MOST = 1_000_000
"""Largest number of members."""
SLOTS, NUMBERS, PLAIN, PACED = 4, 16, 10, 5
"""Clips of a member, and numbers of a joint in rows, in the layout of the kernel."""
FULL, KEYS = 1, 2
"""Modes of members in the kernel: posed in each frame; between keys."""
LOOK_STATE, LIMITS = 36, 30
"""Numbers that a gaze keeps from frame to frame, and where its limits are, likewise."""
LARGEST = 1e15
"""Size from which a position, heading or scale counts as not finite."""
STEADY = 1e-5
"""Difference of scales, and size of a shear, that counts as none."""
LEAST_SHARED = 128
"""Members below which a second thread costs more than it saves."""


class CrowdBatch(Uncopied):
    """The poses of n characters that are alike, as arrays.

    All arrays are live: change them in place.

    Args:
        character: Joints and clips.
        count: Number of members, n.
        skin: The joints that skin uses, s of them; "" is the member itself. Default:
            all joints.
        unbind: Inverse of each one's net matrix in the pose in which the skin was
            bound, (s, 4, 4), rows are axes. Default: that of the rest pose.
        space: Matrix of the skeleton's space in a member's, (4, 4), rows are axes.
        margin: Distance by which skin stands out beyond the joints [units].

    Raises:
        ModelError: Arguments don't match.
        SettingError: The number of members is out of range.
    """

    def __init__(
        self,
        character: Character,
        count: int,
        *,
        skin: Sequence[str] | None = None,
        unbind: ArrayLike | None = None,
        space: ArrayLike | None = None,
        margin: float = 0.0,
    ) -> None:
        if not isinstance(character, Character):
            raise ModelError(f"character must be a Character, not {shown(character)}")
        whole = Number(f"a whole number from 1 to {MOST}", 1, MOST, whole=True)
        n: int = checked(whole, count, "count", SettingError)
        self.count = n
        self.character = character
        self.names = character.names
        self.joints = tuple(character.names if skin is None else skin)
        """The joints of the palette's matrices, in order."""
        rest = np.concatenate([rest_nets(character.pose()), np.identity(4)[None]])
        own = [self.index(name) if name else -1 for name in self.joints]
        turns = np.linalg.inv(rest[own]) if unbind is None else np.array(unbind, float)
        turns[:, :, 3] = 0.0, 0.0, 0.0, 1.0
        size = len(self.names)
        self.row_size = 12 * len(own) + 3 * size + 4
        self._lanes = -(-size // 4) * 4
        tables = _Tables(character, self._lanes)
        self._clips = {name: c for c, name in enumerate(character.clips)}
        self._plain = tables.plain
        top = np.identity(4) if space is None else np.asarray(space, float)
        self.space = top
        """Matrix of the skeleton's space in a member's, (4, 4)."""
        self.positions = np.zeros((n, 3))
        """Where members are, (n, 3) [units]."""
        self.headings = np.zeros(n)
        """Where they look, (n,) [rad]: 0 as the model does, positive to the left."""
        self.scales = np.ones(n)
        """Their sizes, (n,)."""
        self.visible = np.ones(n, bool)
        """Which of them are posed, (n,)."""
        self.palette = np.zeros((n, len(own), 3, 4), np.float32)
        """Skinning matrices for column vectors, (n, s, 3, 4)."""
        self.places = np.zeros((n, size, 3), np.float32)
        """Positions of all joints, (n, joints, 3)."""
        self.spheres = np.zeros((n, 4), np.float32)
        """A sphere around each member, (n, 4): centre and radius."""
        self.bad = np.zeros(n, np.intc)
        """1 for members whose numbers are not finite, which keep their last pose."""
        self.clip = np.zeros((n, SLOTS), np.intc)
        self.time = np.zeros((n, SLOTS))
        """Times of the clips of each member [frames]."""
        self.speed = np.ones((n, SLOTS))
        self.weight = np.zeros((n, SLOTS))
        """Weights of the clips of each member; 0: a free slot."""
        self._top = np.zeros(n, np.intc)
        self._rate = np.zeros(n)
        self._crowd: dict[str, NDArray[np.generic]] = {
            "rows": tables.rows,
            "scale": tables.scale,
            "clip_first": tables.first,
            "clip_frames": tables.frames,
            "clip_fps": tables.fps,
            "skinned": np.array(own, np.intc),
            "unbind": np.array(turns.swapaxes(1, 2), np.float32, order="C"),
            "space": np.array([*top[:, :3].ravel(), margin]),
            "positions": self.positions,
            "headings": self.headings,
            "scales": self.scales,
            "clip": self.clip,
            "time": self.time,
            "speed": self.speed,
            "weight": self.weight,
            "top": self._top,
            "rate": self._rate,
            "bad": self.bad,
            "palette": self.palette,
            "places": self.places,
            "spheres": self.spheres,
        }
        unspace = np.linalg.inv(top)[:, :3]
        self._crowd["unspace"] = np.array(unspace.ravel())
        self._clock = self._crowd["clock"] = np.zeros(1)
        self._crowd["begun"] = np.zeros(1, np.intc)
        self._layers: list[BatchLayer] = []
        self._skin, self._unbind, self._margin = skin, unbind, margin
        self.levels: LevelTables | None = None
        """Levels of detail; None: all are posed in each frame."""
        self._workers: list[_Worker] = []
        self._pool: ThreadPoolExecutor | None = None
        self.threads = 1

    def index(self, joint: object) -> int:
        if not isinstance(joint, str) or joint not in self.names:
            raise ModelError(
                f"there is no joint {shown(joint)}: {suggest(joint, self.names)}"
            )
        return self.names.index(joint)

    # -- clips -------------------------------------------------------------------------

    def play(
        self,
        name: str,
        members: object = None,
        phase: ArrayLike = 0.0,
        speed: ArrayLike = 1.0,
        fade: float = 0.2,
    ) -> None:
        """Play a clip in a loop; what plays already fades out meanwhile.

        Args:
            name: Name of the clip.
            members: Indices or a mask of members; None: all.
            phase: Where it starts, 0 to 1 of the clip; one number, or one for each.
            speed: As a multiple of its own speed; one number, or one for each.
            fade: Time of the cross-fade [s]; 0: at once.
        """
        c = self._clips.get(name) if isinstance(name, str) else None
        if c is None:
            raise SettingError(
                f"there is no clip {shown(name)}: {suggest(name, self._clips)}"
            )
        who = members_of(members, self.count)
        phases = _numbers(phase, "phase", len(who), 1.0)
        speeds = _numbers(speed, "speed", len(who), FASTEST)
        fade = checked(Number("", 0.0, 1e6), fade, "fade", SettingError)
        idle = self.weight[who].sum(axis=1) == 0.0
        slot = self.weight[who].argmin(axis=1)
        at_once = idle | (fade == 0.0)
        self.weight[who[at_once]] = 0.0
        self.clip[who, slot] = c
        frames, fps = self._crowd["clip_frames"][c], self._crowd["clip_fps"][c]
        moved = self._ahead(who) * speeds * fps
        self.time[who, slot] = ((phases % 1.0) * frames + moved) % frames
        self.speed[who, slot] = speeds
        # what is not there does not play
        self.weight[who, slot] = np.where(at_once, 1.0, 1e-300)
        self._top[who] = slot
        self._rate[who] = np.where(at_once, 0.0, 1.0 / fade if fade > 0.0 else 0.0)

    def playing(self, i: int) -> dict[str, tuple[float, float, float]]:
        """Return the clips of a member: time [frames], speed and weight, by name."""
        names = list(self._clips)
        return {
            names[self.clip[i, s]]: (
                float(self.time[i, s]),
                float(self.speed[i, s]),
                float(self.weight[i, s]),
            )
            for s in np.argsort(self.weight[i])
            if self.weight[i, s] > 0.0
        }

    def wind(self, i: int, dt: float) -> None:
        """Advance the clips of a member that others pose."""
        self._workers[0].kernel.wind(i, sound_dt(dt))

    @property
    def seconds(self) -> float:
        """The time of all frames together [s]."""
        return float(self._clock[0])

    # -- frames ------------------------------------------------------------------------

    @property
    def threads(self) -> int:
        return len(self._workers)

    @threads.setter
    def threads(self, count: int) -> None:
        if not is_whole(count) or not 1 <= count <= 64:
            raise SettingError(f"threads must be 1 to 64, not {shown(count)}")
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        del self._workers[count:]
        while len(self._workers) < count:
            worker = _Worker(self)
            self._workers.append(worker)
            self._link(worker)
            if self.levels is not None:
                worker.set_levels(self.levels)
        if count > 1 and COMPILED:
            self._pool = ThreadPoolExecutor(count - 1, "ikrig-crowd")

    def set_levels(self, levels: Sequence[CrowdLevel]) -> None:
        """Pose members by levels of detail from now on."""
        baked, reach = self._bake()
        self.levels = LevelTables(self.count, levels, baked, reach)
        for worker in self._workers:
            worker.set_levels(self.levels)

    def _bake(self) -> tuple[NDArray[np.float32], tuple[float, float, float]]:
        clips = list(self.character.clips.values())
        first = self._crowd["clip_first"]
        at = CrowdBatch(
            self.character,
            int(first[-1]) + 1,
            skin=self._skin,
            unbind=self._unbind,
            space=self.space,
            margin=self._margin,
        )
        for c, clip in enumerate(clips):
            frames = slice(first[c], first[c] + len(clip.frames))
            at.clip[frames, 0], at.weight[frames, 0] = c, 1.0
            at.time[frames, 0] = np.arange(len(clip.frames))
        at.update(0.0)
        parts = at.palette, at.places, at.spheres
        rows = np.hstack([part.reshape(at.count, -1) for part in parts])
        rest = at.places[-1]
        low, high = rest.min(axis=0), rest.max(axis=0)
        middle = float(low[2] + high[2]) / 2.0
        away = np.linalg.norm(at.spheres[:, :3] - (0.0, 0.0, middle), axis=1)
        far = float((away + at.spheres[:, 3]).max())
        return rows, (float((high - low).max()) + self._margin, middle, far)

    def settle(self, i: int) -> None:
        """Take back by how much a member's clips are ahead of what it shows.

        From then on it is posed in each frame, until its level is another.
        """
        if self.levels is None:
            return
        frames = self._crowd["clip_frames"][self.clip[i]]
        moved = self._ahead(i) * self.speed[i] * self._crowd["clip_fps"][self.clip[i]]
        self.time[i] = (self.time[i] - moved) % frames
        self.levels.mode[i], self.levels.shown[i] = FULL, ALL

    def _ahead(self, who: int | NDArray[np.signedinteger]) -> Floats | float:
        """Return by how much the clips of members are ahead of what they show [s]."""
        levels = self.levels
        if levels is None:
            return 0.0
        ahead = np.maximum(levels.span[who] - levels.since[who], 0.0)
        return np.where(levels.mode[who] == KEYS, ahead, 0.0)

    def add(self, layer: BatchLayer) -> None:
        """Add a layer, as an ``ActorRig`` runs them: spine, legs, arms, head."""
        self._layers.append(layer)
        self.relink()

    def relink(self) -> None:
        """Make the kernels of all layers anew, as after a change of their settings."""
        for worker in self._workers:
            self._link(worker)

    def _link(self, worker: _Worker) -> None:
        looks = [x for x in self._layers if isinstance(x, BatchLook)]
        feet = next((x for x in self._layers if isinstance(x, BatchFeet)), None)
        goals = Goals(1 if feet is None else feet.count)
        turned = {joint for look in looks for joint in look.turned}
        on = Link(worker.crowd, worker.pose, feet, goals, turned)
        made = [pair for layer in self._layers for pair in layer.make(on)]
        made.sort(key=itemgetter(0))
        kernels = dict(made)
        if Place.HIPS in kernels:
            kernels[Place.HIPS].warps = kernels.get(Place.WARPS)
        first: object = None
        for _, kernel in reversed(made):
            kernel.next = first
            first = kernel
        worker.kernel.first = first

    def update(self, dt: float, who: NDArray[np.intc] | None = None) -> None:
        """Pose members for a frame of dt seconds.

        Args:
            dt: Time since the last frame [s].
            who: Indices of members, (m,) of C's int. Default: those that are visible.
        """
        dt = sound_dt(dt)
        self._clock += dt
        order = np.flatnonzero(self.visible).astype(np.intc) if who is None else who
        total = len(order)
        if total == 0:
            return
        order = flat(order)
        self._crowd["begun"][0] = 0
        jobs = []
        asks = any(isinstance(x, BatchFeet) and x.asks for x in self._layers)
        if self._pool is not None and total >= LEAST_SHARED and not asks:
            jobs = [
                self._pool.submit(worker.kernel.run, order, total, dt)
                for worker in self._workers[1:]
            ]
        self._workers[0].kernel.run(order, total, dt)
        for job in jobs:
            job.result()


class _Worker:
    """A pose, on which members are posed one after the other, and its kernel."""

    def __init__(self, batch: CrowdBatch) -> None:
        character, lanes = batch.character, batch._lanes
        self.pose = Pose(character.names, character.parents, character.rest)
        scratch = {
            "mats": self.pose.memory,
            "total": array("f", bytes(4 * NUMBERS * lanes)),
            "nets": array("f", bytes(64 * self.pose.n + 64)),
            "row": array("f", bytes(4 * batch.row_size)),
            "one": array("d", bytes(8 * 19)),
        }
        self.crowd = {name: flat(values) for name, values in batch._crowd.items()}
        self.crowd["facing"] = zeros(2)
        self.kernel = CrowdKernel(self.pose, lanes, batch._plain, self.crowd, scratch)

    def set_levels(self, levels: LevelTables) -> None:
        buffers = {name: flat(values) for name, values in levels.buffers.items()}
        self.kernel.set_levels(buffers)


class BatchLimb:
    """A limb of all members, which reaches for a target of each.

    Args:
        count: Number of members.
        model: The bones in the rest pose, in the space of the joint above.
        joints: Index of each joint; the last is -1 where the bone before ends in none.
        above: Index of the joint above the first; -1: the skeleton.
        keeps: Whether the last joint keeps its rotation where no clip plays, too.
        end: End of the last bone in the space of its joint, where no joint is there.
    """

    def __init__(
        self,
        count: int,
        model: ChainModel,
        joints: Sequence[int],
        above: int,
        keeps: bool,
        end: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> None:
        self.targets = np.zeros((count, 3))
        self.weights = np.zeros(count)
        self.poles = np.zeros((count, 3))
        self.poled = np.zeros(1, np.intc)
        self.settings = DEFAULT.with_values(snap_back_strength=1.0)
        self.above, self.keeps, self.joints = above, keeps, list(joints)
        self._model, self._end = model, np.array(end, float)

    def solver(self) -> ChainKernel:
        solver = FabrikSolver(self._model)
        solver._apply(self.settings)
        # each frame starts from the animation, as an Actor's
        solver._kernel.swing = 1
        return solver._kernel

    def make(self, on: Link) -> Kernels:
        """Return a new kernel."""
        joints, numbers = index_buffer(self.joints), self.numbers(self.weights)
        rest = self.above, self.keeps, numbers
        limb = CrowdLimb(on.crowd, on.pose, self.solver(), joints, *rest)
        place = Place.HEAD_LIMBS if on.is_below_neck(self.above) else Place.LIMBS
        return [(place, limb)]

    def numbers(self, weights: object) -> dict[str, object]:
        """Return the buffers of a kernel, by name."""
        return {
            "targets": flat(self.targets),
            "weights": flat(weights),
            "poles": flat(self.poles),
            "poled": flat(self.poled),
            "end": flat(self._end),
        }


class BatchFeet:
    """Feet of all members, which stand on a ground.

    Args:
        count: Number of members.
        legs: The legs.
        kernels: The ``Feet`` of each member.
        tables: What clips do with them, as ``ClipPlans`` takes it.
        buffers: Further buffers of the kernel, by name.
    """

    def __init__(
        self,
        count: int,
        legs: Sequence[BatchLimb],
        kernels: list[Feet],
        tables: tuple[Floats, Floats],
        buffers: dict[str, object],
    ) -> None:
        self.weights = np.zeros(count)
        self.codes = np.zeros(count, np.intc)
        """What is wrong with the pose of each member; 0: nothing."""
        self.paced = np.full((count, SLOTS, PACED), -1.0)
        """What is known of the clip that each slot has played, see ``follow_clips``."""
        self.frame: list[object] = [None]
        """The ground of this frame; None: there is none."""
        self.tables = tables
        """What clips do with them: others count from ``CrowdBatch.relink`` on."""
        self._buffers = buffers
        self._legs, self._kernels = legs, kernels

    @property
    def asks(self) -> bool:
        """Whether the ground asks Python, which only one thread can do at a time."""
        return isinstance(self.frame[0], CallGround)

    @property
    def count(self) -> int:
        """The number of feet."""
        return len(self._legs)

    def ending(self, joint: int) -> int:
        """Return the index of the foot whose joint it is; -1: of none."""
        ends = [leg.joints[-1] for leg in self._legs]
        return ends.index(joint) if joint in ends else -1

    def make(self, on: Link) -> Kernels:
        """Return new kernels: of the hips, and of the legs, whose goals they write."""
        crowd, pose, goals = on.crowd, on.pose, on.goals
        legs: list[object] = []
        for k, leg in enumerate(self._legs):
            numbers = leg.numbers(self.weights)
            rest = leg.above, leg.keeps, numbers, goals.numbers, k
            joints = index_buffer(leg.joints)
            legs.append(CrowdLeg(crowd, pose, leg.solver(), joints, *rest))
        own = {"weights": self.weights, "codes": self.codes}
        buffers = {name: flat(x) for name, x in (own | self._buffers).items()}
        playing = {name: crowd[name] for name in ("clip", "time", "weight")}
        playing["paced"] = flat(self.paced)
        plans = ClipPlans(len(legs), *map(flat, self.tables), playing)
        for name in ("mats", "world"):
            buffers[name] = array("f", buffers[name])
        shared = self._kernels, self.frame, plans, buffers
        hips = CrowdFeet(crowd, pose, legs, goals.numbers, *shared)
        return [(Place.HIPS, hips), *((Place.LEGS, leg) for leg in legs)]


class BatchCarry:
    """Joints of all members that move along with a head, such as a jaw.

    Args:
        joints: Their indices.
        path: Indices of the joints from the carrying one up.
    """

    def __init__(self, joints: Sequence[int], path: Sequence[int]) -> None:
        self._joints, self._path = list(joints), list(path)

    def make(self, on: Link) -> Kernels:
        """Return new kernels: before and after the head turns."""
        scratch = zeros(33)
        joints, path = index_buffer(self._joints), index_buffer(self._path)
        first, last = (
            CrowdCarry(on.pose, joints, path, scratch, last) for last in (False, True)
        )
        return [(Place.FACE, first), (Place.CARRIED, last)]


class BatchLook:
    """The gaze of all members, which turns to a target of each.

    Args:
        count: Number of members.
        parts: Arguments of a ``LookKernel`` after the pose.
        limits: Limits of the gaze, ``LookLimits``.
        eyes: Limits of the eyes, and the time in which they turn [s].
        times: Time of a small turn [s], maximum speed [rad/s].
        keep_motion: Part of the animation's quick head movements that is kept.
    """

    def __init__(
        self,
        count: int,
        parts: Sequence[Any],
        limits: object,
        eyes: tuple[object, float],
        times: tuple[float, float],
        keep_motion: float,
    ) -> None:
        self.targets = np.zeros((count, 3))
        self.weights = np.zeros(count)
        self.states = np.zeros((count, LOOK_STATE))
        self.turned = list(parts[0])[parts[4] :]
        """Indices of the joints that turn after the spine."""
        self._parts, self._limits, self._eyes = parts, limits, eyes
        self._times, self._keep_motion = times, keep_motion

    def make(self, on: Link) -> Kernels:
        """Return new kernels: of the spine, and of neck, head and eyes."""
        kernel = LookKernel(on.pose, *self._parts)
        kernel.keep_motion = self._keep_motion
        kernel.store_limits(LIMITS, self._limits)
        kernel.set_eyes(*self._eyes)
        goals = {
            "targets": flat(self.targets),
            "weights": flat(self.weights),
            "states": flat(self.states),
            "times": buffer(self._times),
        }
        look = CrowdLook(on.crowd, kernel, goals)
        return [(Place.SPINE, CrowdLean(look)), (Place.HEAD, look)]


class BatchSprings:
    """Joints of all members that swing, such as hair.

    Args:
        count: Number of members.
        pose: A pose of the character.
        springs: The springs by name.
        colliders: What they don't enter, by name, on joints.

    Raises:
        BindError: As for ``Springs``.
    """

    def __init__(
        self,
        count: int,
        pose: Pose,
        springs: Mapping[str, Spring],
        colliders: Mapping[str, Collider],
    ) -> None:
        self.springs, self.colliders = springs, colliders
        self.weights = np.ones(count)
        self.wind = np.zeros(3)
        self.above = np.identity(4)[:, :3].copy()
        """Matrix of the crowd's space in the world, (4, 3), rows are axes."""
        made = self._on(pose)
        self.states = np.zeros((count, len(made.workspace) + 1))
        """What the springs of each member keep from frame to frame."""
        self.joints = [pose.names[j] for j in made.joints]
        """The joints that they move, parents first."""

    def _on(self, pose: Pose) -> Springs:
        return Springs(pose, self.springs, self.colliders)

    def make(self, on: Link) -> Kernels:
        """Return a new kernel."""
        made = self._on(on.pose)
        arrays = ("weights", "states", "above", "wind")
        buffers = {name: flat(getattr(self, name)) for name in arrays}
        buffers["world"] = array("f", bytes(64))
        springs = CrowdSprings(on.crowd, made.kernel, made.given, buffers)
        return [(Place.SPRINGS, springs)]


class _Tables:
    """The rows of all clips, as the kernel blends them."""

    def __init__(self, character: Character, lanes: int) -> None:
        n = len(character.names)
        clips = [
            np.asarray(clip.frames, np.float32).reshape(len(clip.frames), n, 19)
            for clip in character.clips.values()
        ]
        self.first = np.cumsum([0, *(len(x) for x in clips)]).astype(np.intc)
        self.frames = np.array([*(len(x) for x in clips), 1], np.intc)
        self.fps = np.array([*(x.fps for x in character.clips.values()), 1.0])
        rows = np.concatenate([*clips, np.zeros((1, n, 19), np.float32)])
        axes, scale = _axes_of(character.rest)
        moved = rows[:-1, :, 18] != 0.0
        still = ~moved.any(axis=0)
        # joints that no clip moves are as in the rest pose
        rows[:, still, :9] = axes[still].reshape(-1, 9)
        rows[:, still, 9:12] = character.rest[still, 3, :3]
        rows[:, still, 12:15] = scale[still]
        rows[:, still, 15:18] = 0.0
        first = rows[0, :, 12:15]
        spread = np.abs(rows[:-1, :, 12:15] - first)
        whole = np.einsum("ji,jik->jik", scale, axes)
        plain = (
            bool(clips)
            and bool((moved | still).all())
            and bool((spread <= STEADY * np.abs(first)).all())
            and bool((np.abs(rows[:-1, :, 15:18]) <= STEADY).all())
            and np.allclose(whole[still], character.rest[still, :3, :3], atol=STEADY)
        )
        self.plain = plain
        self.scale = np.array(first, np.float32)
        # a joint that is not there has axes, too
        whole = np.zeros((len(rows), lanes, 19), np.float32)
        whole[:, n:, [0, 4]] = 1.0
        whole[:, :n] = rows
        order = [3, 4, 5, 0, 1, 2, *range(9, 19)]
        if plain:
            whole[:, :, 12] = 0.0
            order = order[:PLAIN]
        # each 4 joints together, number by number
        blocks = whole[:, :, order].reshape(len(rows), lanes // 4, 4, len(order))
        self.rows = np.array(blocks.swapaxes(2, 3), order="C")


def _axes_of(mats: ArrayLike) -> tuple[Floats, Floats]:
    """Return the unit axes, (n, 3, 3), and the scales, (n, 3), of matrices."""
    axes = np.array(mats, float)[:, :3, :3]
    scale = np.linalg.norm(axes, axis=2)
    scale[np.linalg.det(axes) < 0.0, 2] *= -1.0
    size = np.where(scale == 0.0, 1.0, scale)
    return axes / size[:, :, None], scale


def members_of(members: object, count: int) -> NDArray[np.intp]:
    """Return indices of members: all, those of a mask, or those given."""
    if members is None:
        return np.arange(count)
    try:
        given = np.atleast_1d(np.asarray(members))
    except ValueError:
        # lists of different lengths
        given = np.empty(1)
    if given.dtype == bool and given.shape == (count,):
        return np.flatnonzero(given)
    whole = given.dtype.kind in "iu" or given.size == 0
    if not whole or given.ndim != 1 or not ((given >= 0) & (given < count)).all():
        raise SettingError(
            f"members must be indices below {count}, or a mask, not {shown(members)}"
        )
    return given.astype(int)


def copy_into(values: ArrayLike, to: NDArray[np.generic], name: str) -> None:
    try:
        given = np.asarray(values, to.dtype)
    except (TypeError, ValueError, OverflowError):
        given = np.empty(0)
    if given.shape != to.shape:
        raise SettingError(f"{name} must be {to.shape} numbers, not {shown(values)}")
    to[...] = given


class MemberArray:
    """An array of the batch or layer of an object; another is copied into it."""

    def __init__(self, owner: str) -> None:
        self._owner = owner

    def __set_name__(self, kind: type, name: str) -> None:
        self._name = name

    def __get__(self, of: object, kind: type | None = None) -> Any:
        return self if of is None else getattr(getattr(of, self._owner), self._name)

    def __set__(self, of: object, values: ArrayLike) -> None:
        copy_into(values, self.__get__(of), self._name)


def _numbers(value: ArrayLike, name: str, count: int, most: float) -> Floats:
    try:
        given = np.broadcast_to(np.asarray(value, float), (count,))
        sound = bool((np.abs(given) <= most).all())
    except (TypeError, ValueError, OverflowError):
        sound = False
    if not sound:
        raise SettingError(
            f"{name} must be a number within {most:g}, or one for each of {count} "
            f"members, not {shown(value)}"
        )
    return given
