"""StickFigure: an Actor of plain bones that plays a Motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

from ...clip import Clip, Track, reduce_clip
from ...files.output_file import YAML, write_bytes
from ...formats.clip_yaml import dump_clip
from ...math3d.quaternion import Floats, from_to, rotate
from ...model.motion import Motion, forward
from ...quality.gait import Gait
from ..baking.bake_rig import add_channels, model_bytes, tables_of
from ..robot.geoms import make_geom

MODELS = (".egg", ".bam")
THICK, THICKEST = 0.12, 0.03
"""Width of a bone / its length, and at most / the figure's size."""
WIDE = 0.15
"""Half the width of a foot / its length."""
# a double pyramid along z, widest at a fifth of its length
POINTS = np.array(
    [(0, 0, 0), (1, 1, 0.2), (-1, 1, 0.2), (-1, -1, 0.2), (1, -1, 0.2), (0, 0, 1)],
    float,
)
SIDES = np.array(
    [(0, a, b) for a, b in ((2, 1), (3, 2), (4, 3), (1, 4))]
    + [(5, a, b) for a, b in ((1, 2), (2, 3), (3, 4), (4, 1))]
)


class StickFigure(Actor):
    """An Actor of plain bones that plays a motion as its clip of the same name.

        figure = ikrig.StickFigure(ikrig.load_bvh("walk.bvh"))
        figure.reparent_to(render)
        figure.loop("walk")

    Args:
        motion: The motion.

    Attributes:
        stance: The clip, and its frame in which all feet stand flat: for
            ``FootPlacement``, as the rest poses of captures seldom stand.
    """

    def __init__(self, motion: Motion) -> None:
        super().__init__(figure_node(motion))
        self.set_name(motion.name)
        self.stance = motion.name, Gait(motion).standing_frame
        # Panda3D's bounds are those of the rest pose, beyond which a figure that walks
        # away is not drawn. An arm's length is left for what moves it
        places = motion.global_positions.reshape(-1, 3)
        spare = 0.5 * np.ptp(motion.rest_positions, axis=0).max()
        low, high = places.min(axis=0) - spare, places.max(axis=0) + spare
        bounds = p3d.BoundingBox(p3d.LPoint3(*low), p3d.LPoint3(*high))
        character = self.find("**/+Character").node()
        character.set_bounds(bounds)
        character.set_final(True)


def figure_node(motion: Motion) -> p3d.NodePath:
    """Return the model of a figure with the motion as an animation of it."""
    root, character = p3d.ModelRoot(motion.name), p3d.Character(motion.name)
    bundle = character.get_bundle(0)
    skeleton = p3d.PartGroup(bundle, "<skeleton>")
    joints: list[p3d.CharacterJoint] = []
    for name, above, at, turn in zip(
        motion.names, motion.parents, motion.offsets, motion.rest_rotations, strict=True
    ):
        parent = joints[above] if above >= 0 else skeleton
        mat = _state(at, turn).get_mat()
        joints.append(p3d.CharacterJoint(character, bundle, parent, name, mat))
    skin = p3d.GeomNode("bones")
    skin.add_geom(_bones(motion, joints))
    character.add_child(skin)
    root.add_child(character)
    tables = {}
    for k, name in enumerate(motion.names):
        poses = zip(motion.positions[:, k], motion.rotations[:, k], strict=True)
        numbers = tables_of(np.array([_state(*pose).get_mat() for pose in poses]))
        # neither scale nor shear: without rounding they are no tables
        numbers[:, :6] = (1, 1, 1, 0, 0, 0)
        tables[name] = [v[:1] if (v == v[0]).all() else v for v in numbers.T]
    anim = p3d.AnimBundle(motion.name, motion.fps, len(motion))
    add_channels(anim, bundle, tables)
    root.add_child(p3d.AnimBundleNode(motion.name, anim))
    return p3d.NodePath(root)


def write_motion(motion: Motion, path: Path, **tolerances: float) -> None:
    """Write a motion: a figure with its clip (.egg, .bam), or a clip of joints (.yaml).

    Raises:
        OutputError: The file can't be written, or has another ending.
    """
    if path.suffix.lower() in YAML:
        tracks = []
        times = motion.times.tolist()
        for k, name in enumerate(motion.names):
            for channel, rest, values in (
                ("rotation", motion.rest_rotations[k], motion.rotations[:, k]),
                ("position", motion.offsets[k], motion.positions[:, k]),
            ):
                if np.abs(values - rest).max() > 1e-9:
                    keys = dict(zip(times, values.tolist(), strict=True))
                    tracks.append(Track(name, channel, keys, "cubic"))
        clip = Clip(motion.name, tracks, duration=motion.duration or None)
        dump_clip(reduce_clip(clip, **tolerances), path)
        return
    content = model_bytes(figure_node(motion).node(), path.suffix.lower())
    write_bytes(path, content, endings=MODELS)


def _state(place: Floats, turn: Floats) -> p3d.TransformState:
    position, rotation = p3d.LVecBase3f(*place), p3d.LQuaternionf(*turn)
    return p3d.TransformState.make_pos_quat_scale(position, rotation, (1, 1, 1))


def _soles(motion: Motion) -> list[tuple[int, Floats]]:
    """Return the points that feet stand on in the rest pose, each with its joint.

    Captured skeletons have no heels: without these their ankles would stand on the
    ground.
    """
    rest, found = motion.rest_positions, []
    turns = forward(motion.rest_rotations[None], motion.offsets[None], motion.parents)
    for foot, sole in Gait(motion).soles.items():
        places = np.array([rest[k] + rotate(turns[0][0, k], at) for k, at in sole])
        aside = np.zeros(3)
        if foot not in motion.soles:
            # a line below the joints: widened to a foot
            away = places - places[0]
            along = away[np.linalg.norm(away, axis=1).argmax()]
            across = np.cross(along, places[0] - rest[sole[0][0]])
            size = float(np.linalg.norm(across))
            if size > 0.0:
                aside = across * (WIDE * float(np.linalg.norm(along)) / size)
        for (joint, _), place in zip(sole, places, strict=True):
            found += [(joint, place - aside), (joint, place + aside)]
    return found


def _bones(motion: Motion, joints: list[p3d.CharacterJoint]) -> p3d.Geom:
    """Return a double pyramid for each bone, and to each point of a sole.

    Its upper joint moves it.
    """
    rest = motion.rest_positions
    size = float(np.ptp(rest, axis=0).max())
    rows, owners = [], []
    ends = [(above, rest[k]) for k, above in enumerate(motion.parents) if above >= 0]
    ends += _soles(motion)
    for above, end in ends:
        away = end - rest[above]
        length = float(np.linalg.norm(away))
        if length <= 1e-6 * size:
            continue
        wide = min(THICK * length, THICKEST * size)
        corners = rotate(from_to((0, 0, 1), away), POINTS * [wide, wide, length])
        sides = (corners + rest[above])[SIDES]
        flat = np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0])
        flat /= np.linalg.norm(flat, axis=1, keepdims=True)
        rows.append(np.dstack([sides, np.repeat(flat[:, None], 3, axis=1)]))
        owners += [above] * (3 * len(sides))
    moved = p3d.GeomVertexArrayFormat()
    moved.add_column("transform_blend", 1, p3d.Geom.NT_uint16, p3d.Geom.C_index)
    layout = p3d.GeomVertexFormat(p3d.GeomVertexFormat.get_v3n3())
    layout.add_array(moved)
    spec = p3d.GeomVertexAnimationSpec()
    spec.set_panda()
    layout.set_animation(spec)
    vertices = np.concatenate([*rows, np.zeros((0, 3, 6))]).reshape(-1, 6)
    geom = make_geom(
        p3d.GeomVertexFormat.register_format(layout),
        vertices.astype(np.float32),
        np.arange(len(owners)).reshape(-1, 3),
    )
    data, table = geom.modify_vertex_data(), p3d.TransformBlendTable()
    for bone in joints:
        table.add_blend(p3d.TransformBlend(p3d.JointVertexTransform(bone), 1.0))
    table.set_rows(p3d.SparseArray.lower_on(len(owners)))
    # Panda3D pads each row to four bytes
    handle = data.modify_array(1).modify_handle()
    handle.copy_data_from(np.array(owners, np.uint32).tobytes())
    data.set_transform_blend_table(table)
    return geom
