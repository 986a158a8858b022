"""SpringBones on Actors, on nodes, in rig files and from VRM files."""

from __future__ import annotations

import json
import math

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig.formats.vrm import read_springs, springs_of
from ikrig.scene.actor.bone_tag import tag_avatar
from tests.scene.actor.stage import HUMANOID

NODES = [
    {"name": "hips", "children": [1]},
    {"name": "head", "translation": [0, 1, 0.1], "children": [2, 5]},
    {"name": "a", "translation": [0.1, 0.2, 0.3], "children": [3]},
    {"name": "b", "rotation": [0.6, 0, 0, 0.8], "translation": [0, -0.1, 0],
     "children": [4]},
    {"name": "c", "translation": [0, -0.2, 0.05]},
    {"name": "lone", "translation": [0, 0.3, 0]},
]  # fmt: skip
JOINT = {"hitRadius": 0.1, "stiffness": 0.7, "gravityPower": 0.2, "dragForce": 0.3}
VRM_1 = {
    "nodes": NODES,
    "extensions": {
        "VRMC_springBone": {
            "specVersion": "1.0",
            "colliders": [
                {"node": 1, "shape": {"sphere": {"offset": [1, 2, 3], "radius": 0.4}}},
                {"node": 0, "shape": {"capsule": {"radius": 0.2, "tail": [0, 1, 0]}}},
                {
                    "node": 0,
                    "shape": {"sphere": {"radius": 0, "offset": [0, -9e3, 0]}},
                    "extensions": {
                        "VRMC_springBone_extended_collider": {
                            "specVersion": "1.0-draft",
                            "shape": {"plane": {"normal": [0, 0, 1]}},
                        }
                    },
                },
            ],
            "colliderGroups": [{"colliders": [0]}, {"colliders": [1, 2]}],
            "springs": [
                {
                    "name": "hair",
                    "joints": [
                        {"node": 2, **JOINT, "gravityDir": [0, 0, 1]},
                        {
                            "node": 3,
                            "extensions": {
                                "VRMC_springBone_limit": {
                                    "specVersion": "1.0-draft",
                                    "limit": {"cone": {"angle": 0.5}},
                                }
                            },
                        },
                        {"node": 4},
                    ],
                    "colliderGroups": [1],
                    "center": 0,
                }
            ],
        }
    },
}
GROUP = {
    "bones": [2, 3, 5],
    "stiffiness": 2.0,
    "gravityPower": 0.1,
    "gravityDir": {"x": 0, "y": -1, "z": 0},
    "dragForce": 0.2,
    "hitRadius": 0.05,
    "center": -1,
    "colliderGroups": [0],
}
COLLIDERS_0 = {
    "node": 1,
    "colliders": [{"offset": {"x": 1, "y": 2, "z": 3}, "radius": 1}],
}
VRM_0 = {
    "nodes": NODES,
    "extensions": {
        "VRM": {
            "secondaryAnimation": {
                "boneGroups": [GROUP],
                "colliderGroups": [COLLIDERS_0],
            }
        }
    },
}
NAMES = [node["name"] for node in NODES]


def test_reads_vrm_1():
    springs, bodies = springs_of(read_springs(VRM_1), NAMES)
    hair = springs["hair"]
    assert hair.joints == ("a", "b")
    # the axes of an engine whose z is up
    assert np.allclose(hair.ends, [[0, 0, -0.1], [0, -0.05, -0.2]])
    assert hair.stiffness == (0.7, 1.0)
    assert hair.drag_force == (0.3, 0.5)
    assert hair.gravity_dir == ((0, -1, 0), (0, 0, -1))
    assert hair.center == "hips"
    assert hair.colliders == ("collider 1", "collider 2")
    assert hair.limits["b"] == ikrig.SpringLimit("cone", 0.5, up="z")
    ball, pipe, wall = bodies.values()
    assert (ball.joint, ball.offset, ball.radius) == ("head", (1, -3, 2), 0.4)
    assert (pipe.tail, pipe.radius) == ((0, 0, 1), 0.2)
    assert wall.normal == (0, -1, 0)


def test_reads_vrm_0():
    springs, bodies = springs_of(read_springs(VRM_0), NAMES)
    # b is below a, which is in the group too
    assert list(springs) == ["a", "lone"]
    assert springs["a"].joints == ("a", "b", "c")
    assert springs["a"].stiffness == 2.0
    last = np.array(springs["a"].ends[-1])
    assert np.linalg.norm(last) == pytest.approx(0.07)
    assert np.allclose(springs["lone"].ends, [[0, 0, 0.07]])
    (ball,) = bodies.values()
    # its z axis points the other way in the file
    assert ball.offset == (1, 3, 2)


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"extensions": {"VRM": {}}},
        {"extensions": {"VRMC_springBone": {"springs": [{"joints": [{"node": 99}]}]}}},
        {"extensions": {"VRMC_springBone": {"springs": 5}}, "nodes": NODES},
        {
            "extensions": {
                "VRM": {"secondaryAnimation": {"boneGroups": [{"bones": [9]}]}}
            }
        },
    ],
)
def test_broken_files_have_no_springs(broken):
    assert not read_springs(broken).get("springs")


def test_value_of_a_file_that_is_not_finite_is_named():
    data = json.loads(json.dumps(VRM_0))
    data["extensions"]["VRM"]["secondaryAnimation"]["boneGroups"][0]["stiffiness"] = (
        math.nan
    )
    with pytest.raises(ikrig.BindError, match="'a' in the model's file: stiffness"):
        springs_of(read_springs(data), NAMES)


@pytest.fixture
def figure(world):
    from direct.actor.Actor import Actor

    actor = Actor(HUMANOID)
    actor.reparent_to(world)
    yield actor
    actor.cleanup()


def swing(rig, actor, frames=120):
    """The hand's and a foot's places in the Actor, frame by frame."""
    found = []
    for k in range(frames):
        actor.set_pos(math.sin(0.1 * k), 0, 0)
        rig.update(1 / 60)
        found.append([rig.joint(x).get_pos(actor) for x in ("RightHand", "LeftFoot")])
    return np.array(found)


def test_on_an_actor(figure):
    rig = ikrig.ActorRig(figure)
    still = swing(rig, figure)
    springs = ikrig.SpringBones(rig, ["RightArm"], stiffness=0.5, gravity_power=0.5)
    moved = swing(rig, figure)
    assert np.ptp(still, axis=0).max() < 1e-4
    assert np.ptp(moved[:, 0], axis=0).max() > 0.1
    assert np.ptp(moved[:, 1], axis=0).max() < 1e-4
    assert springs.phase is ikrig.Phase.SECONDARY
    springs.weight = 0.0
    assert np.abs(swing(rig, figure) - still).max() < 1e-4
    springs.weight = 1.0
    springs.remove()
    assert np.abs(swing(rig, figure) - still).max() < 1e-4


def test_wind_and_colliders_on_nodes_of_the_scene(figure, world):
    rig = ikrig.ActorRig(figure)
    floor = world.attach_new_node("floor")
    floor.set_z(0.9)
    plane = ikrig.Collider(floor, normal=(0, 0, 1))
    springs = ikrig.SpringBones(
        rig, ["RightArm"], stiffness=0.0, gravity_power=0.5, colliders={"floor": plane}
    )
    for _ in range(300):
        rig.update(1 / 60)
    end = rig.joint("RightHand")
    # pushed out, then given its length: it sinks in by little
    assert end.get_z(world) > 0.88
    before = end.get_x(world)
    times = []
    springs.wind = lambda point, time: times.append(time) or (40.0, 0.0, 0.0)
    for _ in range(200):
        rig.update(1 / 60)
    assert end.get_x(world) > before + 0.1
    assert times[-1] == pytest.approx(200 / 60)
    springs.wind = lambda point, time: (math.inf, 0.0, 0.0)
    place = end.get_pos(world)
    rig.update(1 / 60)
    assert (end.get_pos(world) - place).length() < 2.0


def test_of_the_models_file(figure, tmp_path):
    values = {
        "springs": {
            "arm": {"joints": ["RightArm"], "ends": [[0, 0, -0.3]], "colliders": []}
        },
        "colliders": {},
    }
    rig = ikrig.ActorRig(figure)
    with pytest.raises(ikrig.BindError, match=r"has no springs.*SpringBones\.auto"):
        ikrig.SpringBones(rig)
    with pytest.raises(ikrig.BindError, match=r"nothing that swings.*RightHand"):
        ikrig.SpringBones.auto(rig)
    tag_avatar(figure, values)
    assert list(ikrig.SpringBones(rig).springs) == ["arm"]
    ikrig.dump_rig(rig, tmp_path / "rig.yaml")
    rig.detach()
    loaded = ikrig.load_rig(tmp_path / "rig.yaml", model=figure)
    (springs,) = loaded.actor_rig.layers
    assert list(springs.springs) == ["arm"]


def test_on_nodes(world):
    root = world.attach_new_node("pole")
    node = root
    for k in range(4):
        node = node.attach_new_node(f"bone{k}")
        node.set_z(-0.25)
    springs = ikrig.SpringBones(root, ["bone0"], gravity_power=0.4, stiffness=0.2)
    ends = []
    for k in range(200):
        root.set_x(math.sin(0.15 * k))
        springs.rig.update(1 / 60)
        ends.append(node.get_pos(root))
    assert np.ptp(ends, axis=0)[0] > 0.3
    lengths = [bone.get_pos().length() for bone in root.find_all_matches("**/bone*")]
    assert np.allclose(lengths, 0.25, atol=1e-6)
    # a node that is moved from outside has a new pose
    root.find("bone0").set_pos(0, 0, 1)
    springs.rig.update(1 / 60)
    assert root.find("bone0").get_pos().almost_equal(p3d.LPoint3f(0, 0, 1), 1e-6)


def test_in_rig_files(figure, world, tmp_path):
    file = tmp_path / "rig.yaml"
    text = f"""
model: {HUMANOID.as_posix()}
behaviours:
  sway:
    kind: springs
    joints: [RightArm]
    stiffness: [1.5, 0.5]
    gravity_power: 0.3
    drag_force: 0.2
    colliders:
      chest: {{joint: Spine1, radius: 0.1, tail: [0, 0, 0.1]}}
    limits:
      RightArm: {{kind: cone, half_angles_deg: 40}}
"""
    file.write_text(text)
    rig = ikrig.load_rig(file, parent=world, allow=[HUMANOID.parent])
    (springs,) = rig.actor_rig.layers
    assert springs.colliders["chest"].tail == (0, 0, 0.1)
    (spring,) = (x for x in springs.springs.values() if x.joints[0] == "RightArm")
    assert spring.stiffness[:3] == (1.5, 0.5, 0.5)
    assert spring.limits["RightArm"] == ikrig.ConeLimit(math.radians(40))
    other = tmp_path / "other.yaml"
    ikrig.dump_rig(rig, other)
    again = ikrig.load_rig(other, parent=world, allow=[HUMANOID.parent])
    (copy,) = again.actor_rig.layers
    assert copy.springs == springs.springs
    assert copy.colliders == springs.colliders


def test_mistakes(figure, world):
    rig = ikrig.ActorRig(figure)
    for given, message in (
        (["RightArmm"], "RightArmm"),
        ([], "joints must be a list"),
        ("RightArm", "joints must be a list"),
        (["RightArm", "RightForeArm"], "'RightForeArm' is in two springs"),
    ):
        with pytest.raises(ikrig.BindError, match=message):
            ikrig.SpringBones(rig, given)
    with pytest.raises(ikrig.SettingError, match="stiffness"):
        ikrig.SpringBones(rig, ["RightArm"], stiffness=math.nan)
    with pytest.raises(ikrig.SettingError, match="wind"):
        ikrig.SpringBones(rig, ["RightArm"], wind=(math.nan, 0, 0))
    with pytest.raises(ikrig.BindError, match="rig must be"):
        ikrig.SpringBones(5, ["RightArm"])
    assert not rig.layers


def test_colliders_are_drawn_and_dragged(figure, world):
    rig = ikrig.ActorRig(figure)
    bodies = {
        "floor": ikrig.Collider(None, offset=(0, 0, 0.3), normal=(0, 0, 2)),
        "head": ikrig.Collider("Head", 0.1, (0, 0, 0.1)),
        "pipe": ikrig.Collider("Spine1", 0.1, (0, 0, 0), (0.1, 0, 0.2), inside=True),
    }
    springs = ikrig.SpringBones(
        rig, ["RightArm"], stiffness=0.0, gravity_power=0.5, colliders=bodies
    )
    camera = world.attach_new_node(p3d.Camera("camera"))
    camera.set_pos(0, -5, 1)
    gizmos = ikrig.Gizmos(world, camera, auto_update=False)
    gizmos.add(springs)
    rig.update(1 / 60)
    gizmos.update()
    knobs = {handle.label: handle.node for handle in gizmos.handles}
    assert set(knobs) == {"floor", "head", "pipe", "pipe tail"}
    (_, flat), (_, ball), (_, pipe) = springs._outlines()
    assert all(np.allclose(line[:, 2], 0.3) for line in flat[:1])
    for line in ball:
        assert np.allclose(np.linalg.norm(line - [0, 0, 0.1], axis=1), 0.1)
    axis = np.array([0.1, 0, 0.2])
    for line in pipe:
        along = np.clip(line @ axis / (axis @ axis), 0.0, 1.0)
        assert np.allclose(np.linalg.norm(line - along[:, None] * axis, axis=1), 0.1)
    for _ in range(200):
        rig.update(1 / 60)
    low = rig.joint("RightHand").get_z(world)
    knobs["floor"].set_z(world, 1.2)
    gizmos.update()
    assert springs.colliders["floor"].offset[2] == pytest.approx(1.2, abs=1e-5)
    assert springs._dragged(knobs["floor"]) == {
        ("colliders", "floor", "offset"): springs.colliders["floor"].offset
    }
    for _ in range(60):
        rig.update(1 / 60)
    assert rig.joint("RightHand").get_z(world) > max(1.15, low + 0.1)
    springs.remove()
    assert all(knob.is_empty() or not knob.has_parent() for knob in knobs.values())
    gizmos.destroy()


def test_a_dragged_collider_of_the_models_file_is_dumped(figure, world, tmp_path):
    tag_avatar(
        figure,
        {
            "springs": {
                "arm": {"joints": ["RightArm"], "ends": [[0, 0, -0.3]],
                        "colliders": ["body", "head"]}
            },
            "colliders": {
                "body": {"joint": "Spine", "radius": 0.2},
                "head": {"joint": "Head", "radius": 0.1},
            },
        },
    )  # fmt: skip
    rig = ikrig.ActorRig(figure)
    springs = ikrig.SpringBones(rig)
    knob = next(end for _, end in springs._lines() if end.get_name() == "body")
    knob.set_pos(0, 0, 0.125)
    assert springs._dragged(knob) == {
        ("colliders", "body", "joint"): "Spine",
        ("colliders", "body", "radius"): 0.2,
        ("colliders", "body", "offset"): (0.0, 0.0, 0.125),
        ("colliders", "body", "inside"): False,
    }
    ikrig.dump_rig(rig, tmp_path / "rig.yaml")
    rig.detach()
    loaded = ikrig.load_rig(tmp_path / "rig.yaml", model=figure)
    (copy,) = loaded.actor_rig.layers
    assert copy.colliders == springs.colliders
    assert "head" not in (tmp_path / "rig.yaml").read_text()
