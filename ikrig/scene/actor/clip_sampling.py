"""ClipSampler: an Actor's animated pose, read from its clips instead of its joints.

Panda3D animates all joints that are not controlled, together. To get the animated pose
of a controlled joint, it must be released, the character updated, and all controls set
again: two updates a frame. Reading the clips directly needs only one.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np
import panda3d.core as p3d
from numpy.typing import NDArray

from ...kernels import COMPILED, index_buffer, zeros
from ...kernels.clip_blend import ROW, ClipBlend
from ...model.pose import Pose
from ..ik.node_transforms import matrices

if TYPE_CHECKING:
    # a server that samples clips loads no engine's Python
    from direct.actor.Actor import Actor

Control = Any
"""An ``AnimControl``, or a channel: the engine's stub lacks what is read of them."""
MAX_CACHED_FRAMES = 512
"""Maximum number of a clip's frames in memory; others are read again."""
MATCH_FRAMES = 3
"""Frames in which a set of clips is compared with Panda3D's own result."""
MATCH_TOLERANCE = 1e-5
"""Largest difference that counts as equal, relative to the largest number."""


class ClipTable:
    """Frames of a clip, each read when it is first shown. Actors of a model share it.

    Args:
        anim: The clip.
        channels: The channel of each joint, or None.
    """

    def __init__(self, anim: object, channels: Sequence[Control]) -> None:
        # keeps alive what the key refers to
        self.anim = anim
        self.channels = channels
        self.rows: dict[int, object] = {}
        """Rows that have been read, by frame; whole ones by -1 - frame."""

    def row(self, frame: int, linear: bool) -> object:
        """Return a frame, read when it was shown first."""
        key = -1 - frame if linear else frame
        found = self.rows.get(key)
        if found is None:
            if len(self.rows) >= MAX_CACHED_FRAMES:
                self.rows.clear()
            found = self.rows[key] = self.read(frame, linear)
        return found

    def read(self, frame: int, linear: bool) -> array[float]:
        """Return a frame in the layout that the kernel blends, read anew."""
        count = len(self.channels)
        mats, numbers = _read.get(count) or _read.setdefault(count, matrices(count))
        mat, scale, shear = p3d.LMatrix4f(), p3d.LVecBase3f(), p3d.LVecBase3f()
        rest: list[float] = []
        for j, channel in enumerate(self.channels):
            if channel is None:
                mats[j] = _NOTHING
                rest += (0.0,) * 7
                continue
            if linear:
                # whole, with scale and shear
                channel.get_value(frame, mat)
            else:
                channel.get_value_no_scale_shear(frame, mat)
                channel.get_scale(frame, scale)
                channel.get_shear(frame, shear)
            mats[j] = mat
            rest += (*scale, *shear, 1.0)
        rows = np.empty((count, ROW), np.float32)
        found = np.asarray(numbers).reshape(count, 4, 4)
        rows[:, :12] = found[:, :, :3].reshape(count, 12)
        rows[:, 12:] = np.reshape(rest, (count, 7))
        return array("f", rows.tobytes())


_tables: WeakValueDictionary[object, ClipTable] = WeakValueDictionary()


_read: dict[int, tuple[p3d.PTA_LMatrix4f, memoryview[float]]] = {}
"""Where frames are read to, by their number of joints."""
_NOTHING = p3d.LMatrix4f(*(0.0,) * 16)


_scratch: dict[int, object] = {}
"""Where samplers add up rows, by their size; all share one."""


class ClipSampler:
    """Writes the animated pose of an Actor's joints in this frame, from its clips.

    It replaces Panda3D's own update only where both give the same: clips must be known
    to the Actor and blended linearly (``BT_normalized_linear``, the default, or
    ``BT_linear``), and the first frames of each set of clips are compared with
    Panda3D's result.

    Args:
        actor: The Actor.
        bundle: The part that has the joints.
        joints: The joints.
        moved: Which of them the rig controls; controls on others are the user's.
        pose: The pose to write.
        mats: The engine's matrices whose memory is that of the pose.
        numbers: Index of each joint in it.
    """

    def __init__(
        self,
        actor: Actor,
        bundle: p3d.PartBundle,
        joints: Sequence[p3d.CharacterJoint],
        moved: Sequence[bool],
        pose: Pose,
        mats: p3d.PTA_LMatrix4f,
        numbers: Sequence[int],
    ) -> None:
        self._actor = actor
        self._bundle = bundle
        self.joints = joints
        self._pose = pose
        self._mats = mats
        self._numbers = list(numbers)
        rows = zip(numbers, joints, moved, strict=True)
        self._uncontrolled = {j: joint for j, joint, own in rows if not own}
        size = ROW * len(joints)
        self._blend = ClipBlend(
            index_buffer(numbers),
            _scratch.setdefault(size, zeros(size)),
            pose.rest_numbers,
            pose.memory,
        )
        self._clips: dict[int, tuple[object, ClipTable]] = {}
        self._controls: dict[Any, Any] = actor.get_anim_control_dict()
        """The Actor's own table of its animations, which it changes in place."""
        self._match_counts: dict[object, int] = {}
        self.playing: list[tuple[Control, float]] = []
        """The clips that have an effect in this frame, and the weight of each."""
        self._only: Control = None
        """The one clip that has played last, if it was one."""
        self._blend_type = -1
        self._linear = self._smooth = False
        self._key: object = None
        """The clips and how they are blended; None: they can't be sampled."""
        self._now: object = None
        """What a sample in this frame depends on; None: it can't be told."""
        self.still = False
        """Whether a sample would be the last one again, but for ``is_overruled``."""
        self._sampled: object = None
        """What the last sample has depended on."""
        self._turn = 0
        self._bound = [joint.get_max_bound() for joint in joints]

    def is_overruled(self) -> bool:
        """Return whether others control a joint that the rig does not."""
        # ``any`` takes twice as long
        for joint in self._uncontrolled.values():
            if joint.get_forced_channel() is not None:
                return True
        return False

    def ready(self) -> bool:
        """Return whether this frame can be sampled; else call ``compare``.

        The clips that play are looked up again where they may have changed. A clip that
        was bound without the Actor is detected within as many frames as there are
        joints.
        """
        bundle, only, before = self._bundle, self._only, self.playing
        weight = 0.0
        if only is not None and not bundle.get_anim_blend_flag():
            # without blending there is one clip at most
            weight = bundle.get_control_effect(only)
        if weight == 0.0:
            self._look_up()
        elif weight != before[0][1]:
            self.playing = [(only, weight)]
        playing = self.playing
        blend = bundle.get_blend_type()
        if playing is not before or blend != self._blend_type:
            self._blend_type = blend
            self._linear = blend == bundle.BT_linear
            normal = blend == bundle.BT_normalized_linear
            self._key = None
            if COMPILED and (self._linear or normal):
                self._key = (self._linear, *[control.this for control, _ in playing])
        j = self._turn
        if j < len(self.joints):
            count = self.joints[j].get_max_bound()
            if count != self._bound[j]:
                self._bound[j] = count
                self._match_counts.clear()
                there = {control.this for control in self._loaded()}
                self._clips = {k: x for k, x in self._clips.items() if k in there}
            self._turn = j + 1
        else:
            self._turn = 0
        # none of what can't be sampled
        ready: bool = self._match_counts.get(self._key, 0) >= MATCH_FRAMES
        self._smooth = bundle.get_frame_blend_flag()
        now: tuple[object, ...] | None = None
        if ready:
            now = (self._key, self._smooth)
            for control, weight in playing:
                now += (control.get_full_fframe(), weight)
        self._now = now
        self.still = ready and now == self._sampled
        return ready

    def _look_up(self) -> None:
        bundle = self._bundle
        playing = []
        for control in self._loaded():
            if control.get_part() == bundle:
                weight = bundle.get_control_effect(control)
                if weight != 0.0:
                    playing.append((control, weight))
        self.playing = playing
        self._only = playing[0][0] if len(playing) == 1 else None

    def _loaded(self) -> Iterator[Control]:
        for parts in self._controls.values():
            for clips in parts.values():
                for clip in clips.values():
                    if clip.animControl is not None:
                        yield clip.animControl

    def sample(self) -> None:
        """Write this frame's matrices to the pose."""
        blend = self._blend
        if self.playing:
            smooth, first = self._smooth, True
            for control, weight in self.playing:
                known = self._clips.get(control.this)
                table = known[1] if known is not None else self._table(control)
                rows, linear = table.rows, self._linear
                frac = control.get_frac() if smooth else 0.0
                frame = control.get_frame()
                row = rows.get(-1 - frame if linear else frame)
                if row is None:
                    row = table.row(frame, linear)
                blend.add(row, weight * (1.0 - frac), first)
                first = False
                if frac != 0.0:
                    frame = control.get_next_frame()
                    row = rows.get(-1 - frame if linear else frame)
                    if row is None:
                        row = table.row(frame, linear)
                    blend.add(row, weight * frac, first)
            blend.finish(self._linear)
        else:
            blend.rest_all()
        self._sampled = self._now
        for j, joint in self._uncontrolled.items():
            channel: Control = joint.get_forced_channel()
            if channel is not None:
                # the user's own control or freeze of the joint
                mat = p3d.LMatrix4f()
                channel.get_value(0, mat)
                self._mats[j] = mat

    def forget(self) -> None:
        """Note that others have set the pose."""
        self._sampled = None

    def read(self) -> None:
        self._sampled = None
        mats = self._mats
        for j, joint in zip(self._numbers, self.joints, strict=True):
            mats[j] = joint.get_transform()

    def compare(self) -> None:
        """Set the pose to this frame's, and compare a sample with the joints.

        Panda3D has updated these. Where they differ, they are the pose, and this set of
        clips is not sampled any more.
        """
        self.read()
        matches = self._match_counts.get(self._key, 0)
        if self._key is None or matches < 0:
            return
        own = self._matrices()
        self.sample()
        found = self._matrices()
        size = np.abs(found).max(initial=0.0)
        if (np.abs(own - found) <= MATCH_TOLERANCE * size).all():
            self._match_counts[self._key] = matches + 1
            return
        self._match_counts[self._key] = -1
        self.read()

    def _matrices(self) -> NDArray[np.float32]:
        """Return a copy of the joints' matrices in the pose, (n, 4, 4)."""
        return self._pose.local[self._numbers]

    def _table(self, control: Control) -> ClipTable:
        index = control.get_channel_index()
        channels = [
            joint.get_bound(index) if index < joint.get_max_bound() else None
            for joint in self.joints
        ]
        anim: Control = control.get_anim()
        names = [
            joint.get_name() if channel is not None else ""
            for joint, channel in zip(self.joints, channels, strict=True)
        ]
        key = (anim.this, *names)
        table = _tables.get(key)
        if table is None:
            table = _tables[key] = ClipTable(anim, channels)
        self._clips[control.this] = (control, table)
        return table
