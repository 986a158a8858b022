"""load_character: the joints and clips of a model file, for use without an engine."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

import numpy as np
import panda3d.core as p3d

from ...character.character import Character, PoseClip
from ...errors import BindError, shown
from ...math3d.quaternion import Floats
from ..robot.geoms import nodes_below
from .actor_model import Joints, joints_of, model_of
from .clip_sampling import ClipTable

MOST_FRAMES = 100_000


def load_character(
    path: str | PathLike[str], clips: dict[str, str | PathLike[str]] | None = None
) -> Character:
    """Return the joints, the rest pose and the clips of a model file.

    Panda3D reads the file, without a window, a ShowBase or an Actor, and is not needed
    afterwards.

    Args:
        path: A model with joints: .bam, .egg, or another type that Panda3D can load.
        clips: Files of further clips, by name, as for an Actor.

    Raises:
        BindError: A file can't be loaded, has no joints, or none of these clips.
    """
    root = p3d.NodePath("character")
    model = _load(path)
    model.reparent_to(root)
    found = model.find("**/+Character")
    if found.is_empty():
        raise BindError(f"{shown(str(path))} has no joints: it is not a character")
    character = found.node()
    assert isinstance(character, p3d.Character)
    bundle = character.get_bundle(0)
    joints, parents, rest = read_joints(bundle)
    files = {name: _load(file) for name, file in (clips or {}).items()}
    made: dict[str, PoseClip] = {}
    for name, node in [("", model), *files.items()]:
        anims = [*nodes_below(node, p3d.AnimBundleNode)]
        if name and not anims:
            raise BindError(f"{shown(str((clips or {})[name]))} has no animation")
        for _, anim in anims:
            made[name or anim.get_name()] = _bind(bundle, anim, joints)
    return Character(list(joints), parents, rest, made)


def read_joints(
    bundle: p3d.PartBundle,
) -> tuple[Joints, list[int], Floats]:
    """Return joints by name, parents first, indices of parents, and the rest pose."""
    own = model_of(bundle).joints
    rest = np.reshape(own.rest_numbers, (-1, 4, 4))
    return joints_of(bundle), list(own.parents), rest


def _load(path: str | PathLike[str]) -> p3d.NodePath:
    place = Path(fspath(path))
    # else it is searched for on the model-path
    place = place.absolute() if place.exists() else place
    name = p3d.Filename.from_os_specific(str(place))
    options = p3d.LoaderOptions(p3d.LoaderOptions.LF_search)
    node = p3d.Loader.get_global_ptr().load_sync(name, options)
    if node is None:
        raise BindError(f"{shown(str(path))} can't be loaded: see the log of Panda3D")
    return p3d.NodePath(node)


def _bind(bundle: p3d.PartBundle, anim: p3d.AnimBundleNode, joints: Joints) -> PoseClip:
    flags = p3d.PartGroup.HMF_ok_part_extra | p3d.PartGroup.HMF_ok_anim_extra
    flags |= p3d.PartGroup.HMF_ok_wrong_root_name
    control = bundle.bind_anim(anim.get_bundle(), flags)
    if control is None:
        raise BindError(f"animation {anim.get_name()!r} does not fit the joints")
    return read_clip(control, joints)


def read_clip(control: p3d.AnimControl, joints: Joints) -> PoseClip:
    index = control.get_channel_index()
    channels = [
        joint.get_bound(index) if index < joint.get_max_bound() else None
        for joint in joints.values()
    ]
    anim = control.get_anim()
    count = anim.get_num_frames()
    if count > MOST_FRAMES:
        raise BindError(
            f"animation {anim.get_name()!r} has more than {MOST_FRAMES} frames"
        )
    table = ClipTable(anim, channels)
    frames = [table.read(k, linear=False) for k in range(count)]
    return PoseClip(frames, anim.get_base_frame_rate())
