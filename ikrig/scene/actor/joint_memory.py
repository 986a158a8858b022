"""JointMemory: writes an Actor's pose into its joints' own memory.

Panda3D has no call that sets the matrix of a joint: its update computes all of them
from clips and controls, which costs more than the IK. Where it is known to be safe, an
``ActorSkeleton`` writes matrices to where the update would write them, and calls the
engine's own functions for the rest: ``CharacterJoint::update_internals`` (net and
skinning matrix, exposed nodes, vertex transforms) and ``AnimControl::mark_channels``.
The Character's time of its last update then is this frame's, so that it does not update
itself once more when it is drawn. All that lasts for a frame: in the next one Panda3D
animates as ever. Controls are set as without this, so that any update in between gives
the same pose.

The two places, a matrix and a time, are looked for in objects of our own, by values
that are known, and tried out there, once a process. Only versions that were tested are
used, and only bytes that belong to the objects are read.
"""

from __future__ import annotations

import builtins
import ctypes
import os
import platform
import sys
from array import array
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import panda3d
import panda3d.core as p3d

from ...kernels import COMPILED, index_buffer
from ...kernels.joint_writer import JointWriter
from ...model.pose import Pose
from ..ik.node_transforms import matrices
from .clip_sampling import MATCH_FRAMES, MATCH_TOLERANCE

TESTED = "1.10.13", "1.10.14", "1.10.15", "1.10.16"
"""Versions of Panda3D of which the wheels for Linux on x86_64 were tested."""
JOINT_SIZE, CHARACTER_SIZE = 624, 408
"""Bytes of a CharacterJoint and of a Character in all of these."""
LIBRARY = "libpanda.so.1.10"
UPDATE = "_ZN14CharacterJoint16update_internalsEP10PartBundleP9PartGroupbbP6Thread"
MARK = "_ZN11AnimControl13mark_channelsEb"
ENVIRONMENT = "IKRIG_PORTABLE"


class PortableError(Exception):
    """Why joints are written by public calls only."""


class Layout(NamedTuple):
    """Where things are in the engine's memory."""

    value: int
    """Offset of the own matrix in a CharacterJoint."""
    updated: int
    """Offset of the time of the last update in a Character."""
    update: tuple[Any, int]
    """``update_internals`` and its address."""
    mark: tuple[Any, int]
    """``mark_channels`` and its address."""


class Figure:
    """A Character of our own, on which offsets are looked for and tried out.

    Args:
        k: A number; figures of different ones have no matrix in common.
    """

    def __init__(self, k: int) -> None:
        self.character = p3d.Character("ikrig")
        self.bundle: Any = self.character.get_bundle(0)
        self.group = p3d.PartGroup(self.bundle, "<skeleton>")
        self.joints: list[Any] = []
        self.parents: list[Any] = []
        above: Any = self.group
        for j in range(4):
            rest = _mat(k + 0.1 * j)
            joint = p3d.CharacterJoint(self.character, self.bundle, above, f"{j}", rest)
            joint.apply_freeze(p3d.TransformState.make_mat(_mat(k + 0.1 * j + 0.05)))
            self.parents.append(above)
            self.joints.append(joint)
            above = joint

    def writer(self, layout: Layout, numbers: Any) -> JointWriter:
        """Return what writes the joints."""
        joints = list(zip(self.joints, self.parents, strict=True))
        return _writer(layout, numbers, range(4), joints, self.bundle)


def _mat(x: float) -> p3d.LMatrix4f:
    """Return a matrix without shear that differs by x."""
    state = p3d.TransformState.make_pos_hpr_scale(
        (1.0 + x, 2.0 - x, 0.5 * x), (20.0 * x, 10.0 + x, 5.0 - x), (1.0, 1.0 + x, 2.0)
    )
    return p3d.LMatrix4f(state.get_mat())


def _bytes(thing: Any, size: int) -> bytes:
    return ctypes.string_at(thing.this, size)


def _numbers(mat: Any) -> bytes:
    return bytes(np.array(mat, np.float32))


def _hits(memory: bytes, wanted: bytes) -> set[int]:
    """Return the offsets at which some bytes are, in steps of a number."""
    last = len(memory) - len(wanted)
    return {i for i in range(0, last + 1, 4) if memory.startswith(wanted, i)}


def _only(found: set[int], what: str) -> int:
    if len(found) != 1:
        raise PortableError(f"{what} was found in {len(found)} places of an object")
    return found.pop()


@cache
def layout() -> Layout | str:
    """Return where things are in the engine's memory, or why that is not known."""
    try:
        found = find_layout()
        try_out(found)
    except PortableError as error:
        return str(error)
    return found


def find_layout() -> Layout:
    """Look for the offsets, in objects of our own.

    Raises:
        PortableError: They are not known.
    """
    version = p3d.PandaSystem.get_version_string()
    system = f"{sys.platform} {platform.machine()}"
    if system != "linux x86_64" or ctypes.sizeof(ctypes.c_void_p) != 8:
        raise PortableError(f"it was not tested on {system}")
    if version not in TESTED or not p3d.PandaSystem.is_official_version():
        raise PortableError(f"it was not tested with Panda3D {version}")
    if p3d.LMatrix4 is not p3d.LMatrix4f:
        raise PortableError("this Panda3D keeps numbers in double precision")
    if not COMPILED:
        raise PortableError("the kernels are interpreted")
    update = _function(UPDATE, ctypes.c_bool, *[ctypes.c_void_p] * 3, "bb", "p")
    mark = _function(MARK, None, ctypes.c_void_p, "b")
    figures = [Figure(k) for k in range(1, 4)]
    before = [_bytes(figure.character, CHARACTER_SIZE) for figure in figures]
    now = p3d.ClockObject.get_global_clock().get_frame_time()
    values = set(range(JOINT_SIZE))
    times = set(range(CHARACTER_SIZE))
    for figure, old in zip(figures, before, strict=True):
        figure.character.update()
        figure.bundle.force_update()
        for joint in figure.joints[1:]:
            wanted = _numbers(joint.get_transform())
            values &= _hits(_bytes(joint, JOINT_SIZE), wanted)
        wanted = np.float64(now).tobytes()
        new = _bytes(figure.character, CHARACTER_SIZE)
        times &= _hits(new, wanted) - _hits(old, wanted)
    value = _only(values, "the matrix of a joint")
    return Layout(value, _only(times, "the time of an update"), update, mark)


def _function(name: str, result: Any, *given: Any) -> tuple[Any, int]:
    """Return one of the functions of the engine's library, and its address."""
    try:
        path = Path(panda3d.__path__[0]) / LIBRARY
        # only what is loaded already
        library = ctypes.CDLL(str(path), mode=getattr(os, "RTLD_NOLOAD", 4))
        found = getattr(library, name)
    except (OSError, AttributeError, IndexError) as error:
        raise PortableError(f"Panda3D's library does not have {name}") from error
    kinds: dict[Any, list[Any]] = {
        "b": [ctypes.c_int],
        "bb": [ctypes.c_int] * 2,
        "p": [ctypes.c_void_p],
    }
    found.restype = result
    found.argtypes = [x for g in given for x in (kinds.get(g) or [g])]
    return found, int(ctypes.cast(found, ctypes.c_void_p).value or 0)


def try_out(found: Layout) -> None:
    """Write and read back all that a frame writes, in objects of our own.

    Raises:
        PortableError: What the engine returns is not what was written.
    """
    if not (
        0 <= found.value <= JOINT_SIZE - 64 and 0 <= found.updated <= CHARACTER_SIZE - 8
    ):
        raise PortableError("an offset is outside of its object")
    figure = Figure(5)
    joint = figure.joints[2]
    skin = p3d.JointVertexTransform(joint)
    net, local = p3d.PandaNode("net"), p3d.PandaNode("local")
    joint.add_net_transform(net)
    joint.add_local_transform(local)
    figure.bundle.force_update()
    for each in figure.joints:
        own = _numbers(each.get_transform())
        if found.value not in _hits(_bytes(each, JOINT_SIZE), own):
            raise PortableError("a joint's matrix is not where it was found")
    fresh = Figure(6)
    note, now = _time(fresh.character, found), p3d.ClockObject.get_global_clock()
    figure.character.update()
    if (
        _time(figure.character, found).value != now.get_frame_time()
        or note.value == now.get_frame_time()
    ):
        raise PortableError("the time of an update is not where it was found")
    # nothing was written so far
    bound = p3d.LMatrix4f()
    skin.get_matrix(bound)
    bound = bound * _inverse(_net(joint))
    modified = skin.get_modified()
    mats, numbers = matrices(4)
    for j in range(4):
        mats[j] = _mat(7.0 + 0.1 * j)
    figure.writer(found, numbers).write(_thread())
    above = p3d.LMatrix4f(p3d.LMatrix4f.ident_mat())
    for j, each in enumerate(figure.joints):
        above = p3d.LMatrix4f(mats[j]) * above
        _check(each.get_transform(), mats[j], "a joint's matrix")
        _check(_net(each), above, "a net matrix")
    wanted = _net(joint)
    _check(net.get_transform().get_mat(), wanted, "an exposed joint")
    _check(local.get_transform().get_mat(), mats[2], "an exposed joint")
    skin.get_matrix(seen := p3d.LMatrix4f())
    _check(seen, bound * wanted, "a skinning matrix")
    if skin.get_modified() == modified:
        raise PortableError("vertices were not told of a joint that has moved")
    # the Character leaves its joints alone, for this frame
    # it has something to do at any time
    fresh.bundle.set_anim_blend_flag(True)
    fresh.bundle.set_blend_type(fresh.bundle.BT_linear)
    never, note.value = note.value, now.get_frame_time()
    rest = p3d.LMatrix4f(fresh.joints[0].get_transform())
    fresh.character.update()
    _check(fresh.joints[0].get_transform(), rest, "a joint that was written")
    note.value = never
    fresh.character.update()
    _check(fresh.joints[0].get_transform(), _mat(6.05), "a joint's matrix")
    _try_mark(found)


def _try_mark(found: Layout) -> None:
    """See that a frame of a clip that was noted as shown is not shown once more."""
    figure = Figure(8)
    for joint in figure.joints:
        joint.clear_forced_channel()
    clip = p3d.AnimBundle("ikrig", 10.0, 4)
    group = p3d.AnimGroup(clip, "<skeleton>")
    channel: Any = p3d.AnimChannelMatrixXfmTable(group, "0")
    channel.set_table("x", p3d.PTA_stdfloat([0.0, 1.0, 2.0, 3.0]))
    control = figure.bundle.bind_anim(clip, 0xFF)
    if control is None:
        raise PortableError("a clip could not be bound to joints")
    control.pose(1)
    figure.bundle.force_update()
    top = figure.joints[0]
    _check(top.get_transform(), p3d.LMatrix4f.translate_mat(1, 0, 0), "a clip's frame")
    control.pose(2)
    mats, numbers = matrices(4)
    for j in range(4):
        mats[j] = _mat(9.0 + 0.1 * j)
    writer = figure.writer(found, numbers)
    writer.write(_thread())
    writer.note(control.this, figure.bundle.get_frame_blend_flag())
    figure.bundle.update()
    _check(top.get_transform(), mats[0], "a frame that was noted")
    figure.bundle.force_update()
    _check(top.get_transform(), p3d.LMatrix4f.translate_mat(2, 0, 0), "a clip's frame")


def _check(seen: Any, wanted: Any, what: str) -> None:
    if not p3d.LMatrix4f(seen).almost_equal(p3d.LMatrix4f(wanted), 1e-3):
        raise PortableError(f"{what} is not as it was written")


def _inverse(mat: Any) -> p3d.LMatrix4f:
    found = p3d.LMatrix4f()
    found.invert_from(mat)
    return found


def _net(joint: Any) -> p3d.LMatrix4f:
    mat = p3d.LMatrix4f()
    joint.get_net_transform(mat)
    return mat


def _thread() -> int:
    thread: Any = p3d.Thread.get_current_thread()
    return int(thread.this)


def _time(character: Any, found: Layout) -> Any:
    """Return the time of a Character's last update, live."""
    return ctypes.c_double.from_address(character.this + found.updated)


def _writer(
    found: Layout, numbers: Any, indices: Any, joints: list[Any], root: Any
) -> JointWriter:
    """Return what writes joints, given with what is above each, parents first."""
    at = [joint.this for joint, _ in joints]
    places = array("Q", [address + found.value for address in at])
    number = {address: k for k, address in enumerate(at, 1)}
    marks = [x for _, group in joints for x in (number.get(group.this, 0), 0)]
    return JointWriter(
        numbers,
        index_buffer(indices),
        [(ctypes.c_float * 16).from_address(place) for place in places],
        places,
        array("Q", at),
        array("Q", [group.this for _, group in joints]),
        root.this,
        found.update,
        found.mark,
        index_buffer(marks),
    )


def why_portable() -> str:
    """Return why no pose is written to joints' memory in this process; "": it is."""
    if os.environ.get(ENVIRONMENT, "0") not in ("", "0"):
        return f"{ENVIRONMENT} is set"
    found = layout()
    return found if isinstance(found, str) else ""


def why_portable_for(character: Any, bundle: Any) -> str:
    """Return why the joints of a part are written by public calls only; "": no why."""
    why = why_portable()
    if why:
        return why
    if bundle.get_num_nodes() != 1 or character.get_num_bundles() != 1:
        return "several Characters share joints, or one has several parts"
    names = set()
    for group, _ in _groups(bundle):
        if type(group) is p3d.CharacterJoint:
            names.add(group.get_name())
        elif type(group) is not p3d.PartGroup:
            return f"it has a {type(group).__name__}, such as a morph target"
    if len(names) != sum(type(x) is p3d.CharacterJoint for x, _ in _groups(bundle)):
        return "joints have the same name"
    return why_threaded()


def why_threaded() -> str:
    """Return why the engine's threads rule it out; "": they don't."""
    engine = getattr(getattr(builtins, "base", None), "graphicsEngine", None)
    if engine is None:
        # asking for the global one would make it
        threads = p3d.ConfigVariableString("threading-model").get_value() != ""
    else:
        threads = not engine.threading_model.is_single_threaded()
    if threads or p3d.Thread.get_current_thread().get_pipeline_stage():
        return "another thread draws"
    return ""


def _groups(group: Any) -> Iterator[tuple[Any, Any]]:
    """Yield all below a group, and what each is a child of, parents first."""
    ahead = [(child, group) for child in reversed(group.get_children())]
    while ahead:
        found, above = ahead.pop()
        yield found, above
        ahead += [(child, found) for child in reversed(found.get_children())]


class JointMemory:
    """The memory of the joints of a part, which keeps all of these alive.

    Args:
        character: The Character.
        bundle: The part.
        pose: The pose to write.

    Raises:
        PortableError: It can't be used for this part.
    """

    def __init__(self, character: Any, bundle: Any, pose: Pose) -> None:
        why = why_portable_for(character, bundle)
        found = layout()
        if why or isinstance(found, str):
            raise PortableError(why)
        self._kept = [
            pair for pair in _groups(bundle) if type(pair[0]) is p3d.CharacterJoint
        ]
        self._joints = [joint for joint, _ in self._kept]
        self._character, self._bundle = character, bundle
        self._indices = [pose.index[joint.get_name()] for joint in self._joints]
        for joint in self._joints:
            own = _numbers(joint.get_transform())
            if ctypes.string_at(joint.this + found.value, 64) != own:
                raise PortableError("a joint's matrix is not where others have it")
        self._pose = pose
        self._writer = _writer(found, pose.memory, self._indices, self._kept, bundle)
        self._updated = _time(character, found)
        self._clock = p3d.ClockObject.get_global_clock()
        self._matches: dict[Any, int] = {}
        self.written = -1.0
        """The time of the last frame that was written, and not compared any more."""

    def write(self, playing: Any, key: Any) -> None:
        """Write the pose, as Panda3D's update would.

        Args:
            playing: The controls of the clips that play, and the weight of each.
            key: What they are known by. The first frames of each are compared.

        Raises:
            PortableError: The joints are not as Panda3D has them, which are right now.
        """
        matches = self._matches.get(key, 0)
        if matches < MATCH_FRAMES:
            self._compare()
            self._matches[key] = matches + 1
            return
        self._write()
        writer = self._writer
        smooth = self._bundle.get_frame_blend_flag()
        for control, _ in playing:
            writer.note(control.this, smooth)
        self.written = self._updated.value = self._clock.get_frame_time()

    def _write(self) -> None:
        self._writer.write(_thread())

    def _compare(self) -> None:
        """Write the pose, and compare the joints with what Panda3D makes of it."""
        self._write()
        own = self._read()
        self._bundle.force_update()
        found = self._read()
        size = np.abs(found).max(axis=(1, 2, 3), initial=0.0).reshape(2, 1, 1, 1)
        if not (np.abs(own - found) <= 10.0 * MATCH_TOLERANCE * size).all():
            raise PortableError("joints differ from Panda3D's own result")
        local = self._pose.local[self._indices]
        if not (np.abs(own[0] - local) <= MATCH_TOLERANCE * size[0]).all():
            raise PortableError("joints are not as they were written")

    def _read(self) -> Any:
        """Return the joints' own and net matrices, (2, n, 4, 4)."""
        own = [np.array(joint.get_transform()) for joint in self._joints]
        return np.array([own, [np.array(_net(joint)) for joint in self._joints]])
