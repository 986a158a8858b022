"""Bakes a clip on a rig to an animation that a plain Actor plays."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from math import degrees
from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d

from ...clip import Clip
from ...clip.reduce import DEGREES, LENGTH
from ...errors import BindError, Diagnostic, IkrigError, OutputError, SettingError
from ...files.output_file import check_output, write_bytes
from ...math3d.quaternion import Floats
from ...model.pose import nets_of
from ...value_shapes import checked
from ..actor.actor_model import joints_of
from ..ik.node_transforms import matrices
from ..rig_builder import sources_of
from ..rig_builder.model_loader import holds_model
from ..robot.geoms import nodes_below
from .offline_frames import Progress, frame_count, offline_frames
from .pose_recorder import PoseRecorder

KINDS = (".egg", ".bam", ".egg.pz", ".bam.pz")
FRACTIONS = (*(0.5**k for k in range(14)), 0.0)
"""Fractions of the tolerance that are tried for single channels."""
Tables = Mapping[str, list[Floats]]
"""Channels of joints, each in all frames, or once if it never changes."""


@dataclass(frozen=True)
class BakeReport:
    """The result of ``bake``."""

    path: Path
    """The file that was written."""
    frames: int
    """Number of frames."""
    fps: float
    """Frames per second."""
    joints: int
    """Number of joints that it moves or holds."""
    numbers: int
    """Number of their channels that change over time."""
    bytes: int
    """Size of the file."""
    bytes_unreduced: int
    """Size of the file with every channel stored in every frame."""
    error_deg: float
    """Largest error of a joint's rotation in the model, as read from the file [deg]."""
    error: float
    """Largest error of a joint's position in the model [the Actor's unit]."""

    def as_dict(self) -> dict[str, object]:
        """Return the report as JSON data."""
        return {**asdict(self), "path": str(self.path)}


def bake(
    rig: object,
    clip: Clip,
    path: str | Path,
    fps: float = 60.0,
    *,
    tolerance_deg: float = 0.1,
    tolerance: float | None = None,
    progress: Progress | None = None,
) -> BakeReport:
    """Write the motion that a clip gives an Actor to a file that needs no IK.

        rig = ikrig.load_rig("assets/rigs/humanoid.yaml")
        ikrig.bake(rig, ikrig.load_clip("wave.yaml"), "wave.bam")

    and in the game, which need not have ikrig:

        actor = Actor("humanoid.bam", {"wave": "wave.bam"})
        actor.play("wave")

    All joints are written, with IK, behaviours, and animations that the Actor plays
    meanwhile or the clip plays on it. Other parts, such as the morphs of a face, are
    not. Channels that hardly change are stored once, but none is left out: Panda3D
    would take a missing one from the other animation when it blends two. A loop's last
    frame is the one before its first.

    Args:
        rig: A rig, as ``ClipPlayer`` accepts, with an Actor.
        clip: The clip.
        path: The file: .bam or .egg, or compressed, .bam.pz or .egg.pz. It is replaced
            atomically: programs that watch it never read half of it.
        fps: Approximate frames per second, adjusted so that frames divide the clip.
        tolerance_deg: Largest error of a joint's rotation in the model [deg].
        tolerance: Largest error of its position in the model [the Actor's unit]. None:
            a 2000th of the size of its skeleton.
        progress: Called after each frame with the numbers of frames done and in all.

    Returns:
        A report of the file and its errors.

    Raises:
        BindError: There is no Actor, or the clip does not fit the rig.
        ClipError: ``clip`` is not a clip.
        SettingError: A number is out of range, or the Actor can't play .egg files.
        OutputError: The file can't be written, has another ending, or is one that the
            rig was loaded from.
    """
    _, seconds = frame_count(clip, fps)
    sources = {*sources_of(rig), *([clip.path] if clip.path else [])}
    target = check_output(path, endings=KINDS, sources=sources)
    path = Path(path)
    if holds_model(target):
        what = "contains a model, not an animation: choose another file name"
        raise OutputError(path, [Diagnostic(0, 0, what)])
    kind = next(kind for kind in KINDS if path.name.lower().endswith(kind))
    rotation = np.radians(
        checked(DEGREES, tolerance_deg, "tolerance_deg", SettingError)
    )
    if tolerance is not None:
        tolerance = checked(LENGTH, tolerance, "tolerance", SettingError)
    film = PoseRecorder(rig)
    if film.actor_rig is None:
        raise BindError(
            f"{rig!r} has no Actor, and only an Actor plays such files: record a clip "
            "instead, ikrig.record_clip(rig, clip)"
        )
    skeleton = film.actor_rig.skeleton
    if kind.startswith(".egg") and not is_sorted(skeleton.bundle):
        raise SettingError(
            f"{path.name}: Panda3D sorts the joints of .egg files by name, but the "
            f"joints of {film.actor_rig.actor.get_name()!r} are in a different order, "
            "so the animation would not match: bake to .bam"
        )
    for time in offline_frames(rig, clip, fps, progress):
        film.sample(time)
    mats, parents = np.array(film.frames, float), skeleton.model.joints.parents
    exact = {name: tables_of(mats[:, k]) for k, name in enumerate(skeleton.parents)}
    wanted = nets_of(mats[:, : len(parents)], parents)
    if tolerance is None:
        tolerance = film.close or 0.0
    full = {name: list(numbers.T) for name, numbers in exact.items()}
    bundle, rate = skeleton.bundle, 1.0 / seconds
    unreduced = len(file_bytes(kind, bundle, full, rate))

    def written(tables: Tables) -> tuple[bytes, Floats]:
        content = file_bytes(kind, bundle, tables, rate)
        return content, nets_of(read_frames(content, kind, bundle), parents)

    tables, content, off, away = _smallest(exact, wanted, written, rotation, tolerance)
    write_bytes(path, content, endings=KINDS, sources=sources)
    return BakeReport(
        path=path,
        frames=len(mats),
        fps=rate,
        joints=len(tables),
        numbers=sum(len(part) > 1 for parts in tables.values() for part in parts),
        bytes=len(content),
        bytes_unreduced=unreduced,
        error_deg=degrees(off),
        error=away,
    )


def _smallest(
    exact: Mapping[str, Floats],
    wanted: Floats,
    written: Callable[[Tables], tuple[bytes, Floats]],
    rotation: float,
    length: float,
) -> tuple[Tables, bytes, float, float]:
    """Return the smallest channels within the tolerances, their file and its errors.

    Errors add up along a chain of joints, so each channel may have only a fraction of
    the tolerance, the largest that works. If none does, nothing is left out.

    Args:
        exact: Each joint's channels in all frames, (frames, 12).
        wanted: Transforms of all joints in the model, (frames, n, 4, 4).
        written: Returns the file of channels, and the transforms as read from it.
        rotation: Largest error of a joint's rotation in the model [rad].
        length: Largest error of its position.
    """
    for fraction in FRACTIONS:
        tables = {
            name: _reduced(numbers, fraction * rotation, fraction * length)
            for name, numbers in exact.items()
        }
        content, read = written(tables)
        off, away = _errors(wanted, read)
        if off <= rotation and away <= length:
            break
    return tables, content, off, away


def _reduced(numbers: Floats, rotation: float, length: float) -> list[Floats]:
    """Return a joint's channels, as one value each where the tolerance allows it.

    Args:
        numbers: Its channels in all frames, (frames, 12).
        rotation: Largest error of an angle [rad], and relative error of a scale.
        length: Largest error of a coordinate.
    """
    allowed = np.repeat([rotation, rotation, degrees(rotation), length], 3)
    low, high = numbers.min(axis=0), numbers.max(axis=0)
    fixed = 0.5 * (high - low) <= allowed
    # needless digits make text longer, and compress badly
    unit = 10.0 ** np.floor(np.log10(np.maximum(0.02 * allowed, 1e-9)))
    numbers = np.round(numbers / unit) * unit
    return [
        np.array([0.5 * (low[i] + high[i])]) if fixed[i] else numbers[:, i]
        for i in range(numbers.shape[1])
    ]


def _errors(wanted: Floats, found: Floats) -> tuple[float, float]:
    """Return the largest angle between axes [rad] and distance between positions.

    Args:
        wanted: Transforms of joints in the model, (..., 4, 4), rows as in Panda3D.
        found: The same, as read from the file.
    """
    axes, others = (_unit(mats[..., :3, :]) for mats in (wanted, found))
    gaps = np.linalg.norm(axes - others, axis=-1)
    rotation = float(2.0 * np.arcsin(np.minimum(0.5 * gaps, 1.0)).max())
    away = np.linalg.norm(wanted[..., 3, :3] - found[..., 3, :3], axis=-1)
    return rotation, float(away.max())


def _unit(vectors: Floats) -> Floats:
    sizes = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Floats = np.divide(
        vectors, sizes, out=np.zeros_like(vectors), where=sizes > 0.0
    )
    return unit


LETTERS = "ijkabchprxyz"
"""Panda3D's letters of a joint's numbers: scale, shear, angles [deg], position."""

PLAIN = dict.fromkeys(LETTERS, 0.0) | dict.fromkeys("ijk", 1.0)
"""Their values where a file has none."""


def tables_of(mats: Floats) -> Floats:
    """Return a joint's numbers in all frames, (frames, 12), from (frames, 4, 4)."""
    rows = []
    for mat in mats:
        scale, shear, hpr = p3d.LVecBase3(), p3d.LVecBase3(), p3d.LVecBase3()
        p3d.decompose_matrix(p3d.LMatrix3f(*mat[:3, :3].flat), scale, shear, hpr)
        rows.append([*scale, *shear, *hpr, *mat[3, :3]])
    numbers = np.array(rows)
    # unwrap angles, so that frames can be blended
    numbers[:, 6:9] = np.unwrap(numbers[:, 6:9], period=360.0, axis=0)
    return numbers


def file_bytes(kind: str, bundle: p3d.PartBundle, tables: Tables, fps: float) -> bytes:
    """Return the content of an animation file.

    Args:
        kind: ".egg" or ".bam"; with ".pz" behind it, compressed.
        bundle: The Actor's joints.
        tables: By joint name, the twelve numbers of LETTERS, each in all frames, or
            once if it never changes.
        fps: Frames per second.
    """
    frames = max(len(part) for parts in tables.values() for part in parts)
    anim = p3d.AnimBundle(bundle.get_name(), fps, frames)
    add_channels(anim, bundle, tables)
    root = p3d.ModelRoot("")
    root.add_child(p3d.AnimBundleNode(bundle.get_name(), anim))
    content = model_bytes(root, kind)
    return zlib.compress(content, 9) if kind.endswith(".pz") else content


def model_bytes(root: p3d.PandaNode, kind: str) -> bytes:
    """Return the content of a model file, ".egg" or ".bam"."""
    stream = p3d.StringStream()
    if kind.startswith(".egg"):
        # imported here: games without .egg files need not have the library
        from panda3d import egg

        data = egg.EggData()
        data.set_coordinate_system(p3d.get_default_coordinate_system())
        if not egg.save_egg_data(data, root) or not data.write_egg(stream):
            raise IkrigError(f"{root.get_name()!r} can't be written as an .egg file")
    else:
        p3d.NodePath(root).write_bam_stream(stream)
    return bytes(stream.data)


def is_sorted(group: p3d.PartGroup) -> bool:
    """Return whether joints are in the order in which Panda3D reads .egg files.

    It matches joints and animation by iterating over both in one order.
    """
    children = list(group.get_children())
    names = [child.get_name() for child in children]
    return names == sorted(names) and all(is_sorted(child) for child in children)


def read_frames(content: bytes, kind: str, bundle: p3d.PartBundle) -> Floats:
    """Return all joints' matrices in all frames of a file, as played, (f, n, 4, 4).

    Args:
        content: Content of the file.
        kind: Kind of file, as for ``file_bytes``.
        bundle: The Actor's joints; a copy of them plays it.
    """
    stream = p3d.StringStream(
        zlib.decompress(content) if kind.endswith(".pz") else content
    )
    if kind.startswith(".egg"):
        from panda3d import egg

        data = egg.EggData()
        data.read(stream)
        node = egg.load_egg_data(data)
    else:
        file = p3d.BamFile()
        file.open_read(stream)
        node = file.read_node()
    _, found = next(nodes_below(p3d.NodePath(node), p3d.AnimBundleNode))
    body = bundle.copy_subgraph()
    assert isinstance(body, p3d.PartBundle)
    joints = list(joints_of(body).values())
    for joint in joints:
        joint.clear_forced_channel()
    body.set_anim_blend_flag(False)
    body.set_frame_blend_flag(False)
    control = body.bind_anim(found.get_bundle(), -1)
    mats, numbers = matrices(len(joints))
    frames = []
    for frame in range(control.get_num_frames()):
        control.pose(frame)
        body.force_update()
        for k, joint in enumerate(joints):
            mats[k] = joint.get_transform()
        frames.append(np.array(numbers).reshape(-1, 4, 4))
    return np.array(frames, float)


def add_channels(
    above: p3d.AnimGroup, group: p3d.PartGroup, tables: Mapping[str, list[Floats]]
) -> None:
    for child in group.get_children():
        name = child.get_name()
        if isinstance(child, p3d.CharacterJoint):
            below: Any = p3d.AnimChannelMatrixXfmTable(above, name)
            for letter, values in zip(LETTERS, tables[name], strict=True):
                # Panda3D's defaults need no table
                if len(values) > 1 or values[0] != PLAIN[letter]:
                    below.set_table(letter, p3d.PTA_stdfloat(values.tolist()))
        else:
            below = p3d.AnimGroup(above, name)
        add_channels(below, child, tables)
