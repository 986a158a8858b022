"""ClipSampler: an Actor's animated pose, read from its clips instead of its joints.

Panda3D animates all joints that are not controlled, together. To get the animated pose
of a controlled joint, it must be released, the character updated, and all controls set
again: two updates a frame. Reading the clips directly needs only one.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import panda3d.core as p3d

from ...kernels import COMPILED, zeros
from ...kernels.clip_blend import ROW, ClipBlend
from ..ik.node_binding import matrices

MAX_CACHED_FRAMES = 512
"""Maximum number of a clip's frames in memory; others are read again."""
MATCH_FRAMES = 3
"""Frames in which a set of clips is compared with Panda3D's own result."""
MATCH_TOLERANCE = 1e-5
"""Largest difference that counts as equal, relative to the largest number."""


class _ClipTable:
    """Frames of a clip, each read when it is first shown. Actors of a model share it.

    Args:
        anim: The clip.
        channels: The channel of each joint, or None.
    """

    def __init__(self, anim: Any, channels: Sequence[Any]) -> None:
        # keeps alive what the key refers to
        self.anim = anim
        self.channels = channels
        self.whole = None not in channels
        self._rows: dict[int, Any] = {}
        self._mats: dict[int, Any] = {}

    def row(self, frame: int) -> Any:
        """Return a frame in the layout that the kernel blends."""
        found = self._rows.get(frame)
        if found is None:
            found = _keep(self._rows, frame, self._read(frame))
        return found

    def mats(self, frame: int) -> Any:
        """Return a frame's matrices, 16 numbers each, as Panda3D computes them."""
        found = self._mats.get(frame)
        if found is None:
            mats: Any = p3d.PTA_LMatrix4f.empty_array(len(self.channels))
            mat = p3d.LMatrix4f()
            for j, channel in enumerate(self.channels):
                channel.get_value(frame, mat)
                mats[j] = mat
            found = _keep(self._mats, frame, memoryview(mats).cast("B").cast("f"))
        return found

    def _read(self, frame: int) -> Any:
        row = array("f", bytes(4 * ROW * len(self.channels)))
        mat, scale, shear = p3d.LMatrix4f(), p3d.LVecBase3f(), p3d.LVecBase3f()
        for j, channel in enumerate(self.channels):
            if channel is None:
                continue
            channel.get_value_no_scale_shear(frame, mat)
            channel.get_scale(frame, scale)
            channel.get_shear(frame, shear)
            numbers = [x for i in range(4) for x in mat.get_row3(i)]
            row[ROW * j : ROW * (j + 1)] = array("f", [*numbers, *scale, *shear, 1.0])
        return row


def _keep(frames: dict[int, Any], frame: int, value: Any) -> Any:
    if len(frames) >= MAX_CACHED_FRAMES:
        frames.clear()
    frames[frame] = value
    return value


_tables: WeakValueDictionary[Any, _ClipTable] = WeakValueDictionary()


_buffer: tuple[Any, Any] = matrices(64)


def _shared_buffer(count: int) -> tuple[Any, Any]:
    """Return a buffer for this number of matrices, shared by all samplers.

    Panda3D never frees 64 bytes of every view of such an array.
    """
    global _buffer
    if len(_buffer[0]) < count:
        _buffer = matrices(2 * count)
    return _buffer


class ClipSampler:
    """Reads the animated pose of an Actor's joints in this frame from its clips.

    It replaces Panda3D's own update only where both give the same: clips must be known
    to the Actor and blended by default (``BT_normalized_linear``), and the first frames
    of each set of clips are compared with Panda3D's result.

    Args:
        actor: The Actor.
        bundle: The part that has the joints.
        joints: The joints.
        moved: Which of them the rig controls; controls on others are the user's.
    """

    def __init__(
        self, actor: Any, bundle: Any, joints: Sequence[Any], moved: Sequence[bool]
    ) -> None:
        self._actor = actor
        self._bundle = bundle
        self._joints = joints
        self._uncontrolled = [
            (j, joint.get_forced_channel)
            for j, (joint, own) in enumerate(zip(joints, moved, strict=True))
            if not own
        ]
        count = len(joints)
        self.mats, self._numbers = matrices(max(count, 1))
        """The joints' matrices, each in its parent's space."""
        rest, self._rest = matrices(max(count, 1))
        for j, joint in enumerate(joints):
            rest[j] = joint.get_default_value()
        total = zeros(ROW * count)
        self._blend = ClipBlend(count, total, self._rest, self._numbers)
        self._clips: dict[int, tuple[Any, _ClipTable]] = {}
        self._match_counts: dict[Any, int] = {}
        self.playing: list[tuple[Any, float]] = []
        """The clips that have an effect in this frame, and the weight of each."""
        self._key: Any = None
        self._turn = 0
        self._bound = [joint.get_max_bound() for joint in joints]

    def ready(self) -> bool:
        """Return whether this frame can be sampled; else call ``compare``.

        The clips that play are looked up in each frame. A clip that was bound without
        the Actor is detected within as many frames as there are joints.
        """
        bundle = self._bundle
        effect = bundle.get_control_effect
        self.playing = playing = []
        for parts in self._actor.get_anim_control_dict().values():
            for clips in parts.values():
                for clip in clips.values():
                    control = clip.animControl
                    if control is not None and control.get_part() == bundle:
                        weight = effect(control)
                        if weight != 0.0:
                            playing.append((control, weight))
        if not COMPILED or bundle.get_blend_type() != bundle.BT_normalized_linear:
            self._key = None
            return False
        j = self._turn
        if j < len(self._joints):
            count = self._joints[j].get_max_bound()
            if count != self._bound[j]:
                self._bound[j] = count
                self._match_counts.clear()
                self._forget_unloaded()
            self._turn = j + 1
        else:
            self._turn = 0
        self._key = tuple([control.this for control, _ in playing])
        return self._match_counts.get(self._key, 0) >= MATCH_FRAMES

    def _forget_unloaded(self) -> None:
        """Discard clips that the Actor has unloaded."""
        there = {
            clip.animControl.this
            for parts in self._actor.get_anim_control_dict().values()
            for clips in parts.values()
            for clip in clips.values()
            if clip.animControl is not None
        }
        self._clips = {k: known for k, known in self._clips.items() if k in there}

    def sample(self) -> None:
        """Write this frame's matrices to ``mats``."""
        playing, smooth = self.playing, self._bundle.get_frame_blend_flag()
        if not playing:
            self._numbers[:] = self._rest
        elif len(playing) == 1 and not smooth and self._table(playing[0][0]).whole:
            control, _ = playing[0]
            self._numbers[:] = self._table(control).mats(control.get_frame())
        else:
            self._blend_clips(smooth)
        for j, forced in self._uncontrolled:
            channel = forced()
            if channel is not None:
                # the user's own control or freeze of the joint
                mat = p3d.LMatrix4f()
                channel.get_value(0, mat)
                self.mats[j] = mat

    def _blend_clips(self, smooth: bool) -> None:
        add = self._blend.add
        first = True
        for control, weight in self.playing:
            row = self._table(control).row
            frac = control.get_frac() if smooth else 0.0
            add(row(control.get_frame()), weight * (1.0 - frac), first)
            first = False
            if frac != 0.0:
                add(row(control.get_next_frame()), weight * frac, first)
        self._blend.finish()

    def compare(self) -> bool:
        """Sample, and return whether the result equals Panda3D's own update.

        If they differ in any frame, this set of clips is not sampled.
        """
        if self._key is None or self._match_counts.get(self._key, 0) < 0:
            return False
        self.sample()
        count = len(self._joints)
        mats, numbers = _shared_buffer(count)
        for j, joint in enumerate(self._joints):
            mats[j] = joint.get_transform_state().get_mat()
        found = np.asarray(self._numbers)[: 16 * count]
        own = np.asarray(numbers)[: 16 * count]
        size = np.abs(found).max(initial=0.0)
        same = bool((np.abs(own - found) <= MATCH_TOLERANCE * size).all())
        matches = self._match_counts.get(self._key, 0) + 1 if same else -1
        self._match_counts[self._key] = matches
        return same

    def _table(self, control: Any) -> _ClipTable:
        known = self._clips.get(control.this)
        if known is None:
            index = control.get_channel_index()
            channels = [
                joint.get_bound(index) if index < joint.get_max_bound() else None
                for joint in self._joints
            ]
            anim = control.get_anim()
            names = [
                joint.get_name() if channel is not None else ""
                for joint, channel in zip(self._joints, channels, strict=True)
            ]
            key = (anim.this, *names)
            table = _tables.get(key)
            if table is None:
                table = _tables[key] = _ClipTable(anim, channels)
            known = self._clips[control.this] = (control, table)
        return known[1]
