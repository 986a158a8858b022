"""Members of a crowd, and Actors with rigs that get what these get."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

import ikrig

HUMANOID = Path(__file__).parents[3] / "assets" / "models" / "humanoid.bam"
PANDA = "models/panda-model"
MODELS = {
    "humanoid": (str(HUMANOID), None),
    "panda": (PANDA, {"walk": "models/panda-walk4"}),
}
TIME = 1 / 60


class Twin:
    """An Actor with a rig that gets what a member of a crowd gets."""

    def __init__(self, crowd: ikrig.Crowd, model: str, i: int) -> None:
        file, anims = MODELS[model]
        self.crowd, self.i = crowd, i
        self.world = p3d.NodePath("world")
        self.actor = Actor(file, anims or {})
        self.actor.reparent_to(self.world)
        self.actor.set_blend(animBlend=True, frameBlend=True)
        for name in self.actor.get_anim_names():
            self.actor.pose(name, 0)
        low, high = self.actor.get_tight_bounds()
        self.tall = high.z - low.z
        """Height of its skin, unscaled."""
        self.rig = ikrig.ActorRig(self.actor)
        self.goals: dict[str, tuple[Any, p3d.NodePath, Any]] = {}
        self.look: Any = None
        self.feet: Any = None

    def limb(self, name: str, pole: bool = False) -> None:
        target = self.world.attach_new_node(name)
        way = self.world.attach_new_node("pole") if pole else None
        self.goals[name] = self.rig.chain(name, target=target, pole=way), target, way

    def gaze(self) -> None:
        target = self.world.attach_new_node("seen")
        self.look = ikrig.LookAt(self.rig, target, weight=0.0)

    def frame(self, dt: float = TIME) -> None:
        crowd, i, actor = self.crowd, self.i, self.actor
        actor.set_pos(*crowd.positions[i])
        actor.set_h(math.degrees(crowd.headings[i]))
        actor.set_scale(crowd.scales[i])
        playing = crowd[i].playing
        for name in actor.get_anim_names():
            at, _, weight = playing.get(name, (0.0, 0.0, 0.0))
            actor.set_control_effect(name, weight)
            actor.get_anim_control(name).pose(at)
        for name, (chain, target, way) in self.goals.items():
            limb = crowd.limb(name)
            target.set_pos(*limb.targets[i])
            chain.weight = min(max(limb.weights[i], 0.0), 1.0)
            if way is not None:
                way.set_pos(*limb.poles[i])
        if self.look is not None:
            self.look.target.set_pos(*crowd.look.targets[i])
            self.look.weight = crowd.look.weights[i]
        self.rig.update(dt)
        actor.get_part_bundle("modelRoot").force_update()

    def places(self) -> np.ndarray:
        """Where Panda3D has the joints."""
        space = self.actor.find("**/+Character")
        mat, found = p3d.LMatrix4f(), []
        for joint in self.rig.skeleton.joints.values():
            joint.get_net_transform(mat)
            found.append(self.world.get_relative_point(space, mat.get_row3(3)))
        return np.array(found)

    def skinning(self) -> dict[str, np.ndarray]:
        """The matrices by which Panda3D moves the vertices of each joint."""
        found = {}
        space = self.actor.find("**/+Character")
        for path in space.find_all_matches("**/+GeomNode"):
            for geom in path.node().get_geoms():
                table = geom.get_vertex_data().get_transform_blend_table()
                for k in range(table.get_num_blends()):
                    blend = table.get_blend(k)
                    for t in range(blend.get_num_transforms()):
                        mat = p3d.LMatrix4f()
                        blend.get_transform(t).get_matrix(mat)
                        mat *= space.get_mat(self.world)
                        name = blend.get_transform(t).get_joint().get_name()
                        found[name] = np.array(mat)[:, :3].T
        return found

    @property
    def height(self) -> float:
        return self.tall * abs(float(self.crowd.scales[self.i]))

    def away(self) -> float:
        """How far a joint is from the member's at most, as a part of its height."""
        found = places_of(self.crowd)[:, self.i]
        return float(np.abs(found - self.places()).max() / self.height)


def make(model: str, count: int = 5, seed: int = 1) -> ikrig.Crowd:
    file, anims = MODELS[model]
    rng = np.random.default_rng(seed)
    crowd = ikrig.Crowd(
        file, count, p3d.NodePath("world"), animations=anims, draw=False
    )
    size = 0.005 if model == "panda" else 1.0
    crowd.positions[:] = 3.0 * rng.normal(size=(count, 3))
    crowd.headings[:] = rng.uniform(-4, 4, count)
    crowd.scales[:] = size * rng.uniform(0.5, 2.0, count)
    return crowd


def places_of(crowd: ikrig.Crowd) -> np.ndarray:
    """Return where all joints are, (joints, members, 3)."""
    return np.array([crowd.joint_positions(name) for name in crowd.names])


def plain_of(crowd: ikrig.Crowd) -> ikrig.Crowd:
    """Return a crowd without layers whose members are and play as those of another."""
    plain = make("humanoid", len(crowd))
    follow(plain, crowd)
    for name in ("clip", "time", "speed", "weight"):
        getattr(plain._batch, name)[:] = getattr(crowd._batch, name)
    return plain


def follow(plain: ikrig.Crowd, crowd: ikrig.Crowd) -> None:
    """Put members where those of another crowd are."""
    plain.positions, plain.headings = crowd.positions, crowd.headings
    plain.scales = crowd.scales
