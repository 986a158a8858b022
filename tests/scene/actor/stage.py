"""Actors on a manual clock, and their skin as Panda3D computes it.

Nothing here asks ikrig where anything is: joints and vertices are read from Panda3D.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor
from direct.task import Task

from ikrig import IKChain

RATE = 60.0
KINDS = ("single", "frame-blended", "two")
LIMBS = {
    # three bones each, from the joint above the thigh: mirrors and scales are in them
    "panda": (("Bone_lf_foot", "Bone_rf_foot", "Bone_lr_foot", "Bone_rr_foot"), 3),
    "humanoid": (("LeftHand", "RightHand", "LeftFoot", "RightFoot"), 2),
}
HUMANOID = Path(__file__).parents[3] / "assets" / "models" / "humanoid.bam"


class Stage:
    """A scene, its task manager and a clock that only ``step`` moves."""

    def __init__(self) -> None:
        self.task_mgr = Task.TaskManager()
        self.render = p3d.NodePath("render")
        self.clock = p3d.ClockObject.get_global_clock()
        self._mode = self.clock.mode
        self.clock.mode = p3d.ClockObject.M_non_real_time
        self.clock.dt = 1.0 / RATE
        # the same frames of clips, to the last bit, in whatever run
        self.clock.set_frame_time(0.0)
        self._made: list[Any] = []

    def step(self, frames: int = 1) -> None:
        """Run frames; afterwards the clock still shows the last one."""
        for _ in range(frames):
            self.clock.tick()
            self.task_mgr.step()
            # ShowBase's own task does this
            p3d.TransformState.garbage_collect()

    def body(self, name: str = "panda", kind: str = "single") -> Actor:
        """The bundled panda, with scales and a mirror in its joints, or our humanoid.

        It walks as ``walk`` says.
        """
        if name == "panda":
            files = {"walk": "models/panda-walk4", "other": "models/panda-walk4"}
            actor = self.add(Actor("models/panda-model", files), scale=0.005)
            walk(actor, kind, "other")
        else:
            actor = self.add(Actor(str(HUMANOID)))
            walk(actor, kind, "run")
        return actor

    def add(self, actor: Actor, scale: float = 1.0) -> Actor:
        """Put an Actor into the scene, to be cleaned up with the stage."""
        actor.reparent_to(self.render)
        actor.set_scale(scale)
        self._made.append(actor)
        return actor

    def node(self, at: p3d.NodePath, name: str = "target") -> p3d.NodePath:
        """A node in the scene, where another one is and turned as it is."""
        node = self.render.attach_new_node(name)
        node.set_pos_quat(at.get_pos(self.render), at.get_quat(self.render))
        return node

    def close(self) -> None:
        for actor in self._made:
            actor.cleanup()
        self.task_mgr.destroy()
        self.clock.mode = self._mode


def walk(actor: Actor, kind: str, other: str) -> None:
    """Play "walk" alone ("single"), frame-blended, or mixed with another clip."""
    if kind == "frame-blended":
        actor.set_blend(frameBlend=True)
    elif kind == "two":
        actor.enable_blend()
        actor.set_control_effect("walk", 0.4)
        actor.set_control_effect(other, 0.6)
        actor.set_play_rate(0.7, other)
        actor.loop(other, fromFrame=7)
    elif kind != "single":
        raise ValueError(kind)
    actor.loop("walk")


# -- what Panda3D has ------------------------------------------------------------------


def character(actor: Actor, part: str = "modelRoot") -> Any:
    return actor.get_part(part, actor.get_lod_names()[0])


def bundle(actor: Actor, part: str = "modelRoot") -> Any:
    return actor.get_part_bundle(part, actor.get_lod_names()[0])


def joint(actor: Actor, name: str, part: str = "modelRoot") -> p3d.CharacterJoint:
    return bundle(actor, part).find_child(name)


def net(actor: Actor, name: str, part: str = "modelRoot") -> np.ndarray:
    """A joint's net transform in Character space, (4, 4), row vectors."""
    m = p3d.LMatrix4f()
    joint(actor, name, part).get_net_transform(m)
    return np.array([tuple(row) for row in m.rows])


def nets(actor: Actor, part: str = "modelRoot") -> dict[str, np.ndarray]:
    names = [j.get_name() for j in actor.get_joints(part)]
    return {name: net(actor, name, part) for name in names}


def geoms(actor: p3d.NodePath) -> Iterator[tuple[p3d.NodePath, p3d.GeomVertexData]]:
    for path in actor.find_all_matches("**/+GeomNode"):
        for i in range(path.node().get_num_geoms()):
            data = path.node().get_geom(i).get_vertex_data()
            if data.get_transform_blend_table() is not None:
                yield path, data


def skin(actor: p3d.NodePath) -> np.ndarray:
    """All vertices as the renderer gets them now, (n, 3), Character space.

    ``animate_vertices`` is what culling calls; it moves no joint.
    """
    found = []
    for _, data in geoms(actor):
        moved = data.animate_vertices(True, p3d.Thread.get_current_thread())
        reader = p3d.GeomVertexReader(moved, p3d.InternalName.get_vertex())
        array = moved.get_array(reader.get_array())
        column = array.get_array_format().get_column(p3d.InternalName.get_vertex())
        raw = np.frombuffer(array.get_handle().get_data(), np.float32)
        raw = raw.reshape(-1, array.get_array_format().get_stride() // 4)
        start = column.get_start() // 4
        found.append(raw[:, start : start + 3].astype(float))
    return np.concatenate(found)


def hanging(actor: p3d.NodePath, fits: Callable[[frozenset[str]], bool]) -> np.ndarray:
    """Mask of the vertices of ``skin`` that hang on joints whose names fit."""
    found, name = [], p3d.InternalName.get_transform_blend()
    for _, data in geoms(actor):
        table = data.get_transform_blend_table()
        blends = []
        for i in range(table.get_num_blends()):
            blend = table.get_blend(i)
            count = blend.get_num_transforms()
            joints = frozenset(
                blend.get_transform(k).get_joint().get_name()
                for k in range(count)
                if blend.get_weight(k) > 0.0
            )
            blends.append(bool(joints) and fits(joints))
        array = data.get_array(data.get_format().get_array_with(name))
        column = array.get_array_format().get_column(name)
        raw = np.frombuffer(array.get_handle().get_data(), np.uint8)
        raw = raw.reshape(-1, array.get_array_format().get_stride())
        size = column.get_total_bytes()
        numbers = raw[:, column.get_start() :][:, :size].copy().view(f"u{size}")
        found.append(np.array(blends)[numbers.ravel()])
    return np.concatenate(found)


def only(actor: p3d.NodePath, *names: str) -> np.ndarray:
    """Mask of the vertices that hang on nothing but these joints."""
    return hanging(actor, lambda joints: joints <= set(names))


def size(points: np.ndarray) -> float:
    return float(np.linalg.norm(np.ptp(points, axis=0)))


def gap(a: np.ndarray, b: np.ndarray) -> float:
    """Largest distance between points of two lists."""
    return float(np.linalg.norm(a - b, axis=-1).max())


def place(actor: Actor, node: p3d.NodePath, part: str = "modelRoot") -> np.ndarray:
    """Where a node is, Character space."""
    space = p3d.NodePath(character(actor, part))
    return np.array(tuple(node.get_pos(space)))


def update(actor: Actor, part: str = "modelRoot") -> None:
    """Have an Actor without a rig computed for this frame."""
    bundle(actor, part).force_update()


def leg(actor: Actor, tip: str, bones: int, part: str = "modelRoot") -> list[str]:
    """Names of the joints from the first bone to the tip."""
    above: dict[str, str] = {}

    def look(group: p3d.PartGroup, parent: str) -> None:
        for child in group.get_children():
            above[child.get_name()] = parent
            look(child, child.get_name())

    look(bundle(actor, part), "")
    names = [tip]
    for _ in range(bones):
        names.append(above[names[-1]])
    return names[::-1]


def length(actor: Actor, names: list[str], part: str = "modelRoot") -> float:
    spots = [net(actor, name, part)[3, :3] for name in names]
    return float(np.linalg.norm(np.diff(spots, axis=0), axis=1).sum())


def draw_in(stage: Stage, actor: Actor, chain: IKChain, bones: int) -> None:
    """Put the target where the walk never leaves it out of reach."""
    tip = chain.leaf.get_name()
    root = net(actor, leg(actor, tip, bones)[0])[3, :3]
    space = p3d.NodePath(character(actor))
    near = 0.85 * net(actor, tip)[3, :3] + 0.15 * root
    chain.target.set_pos(space, *near.tolist())
