"""A glTF character through panda3d-gltf; built here: no registry package has one."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from direct.actor.Actor import Actor

from ikrig.scene.actor.actor_rig import ActorRig

from .stage import Stage, gap, net, only, place, size, skin
from .stage import update as force

pytest.importorskip("gltf", reason="needs panda3d-gltf (extra: gltf)")

# name, parent, place in it [m, y up]; a wrist and an ankle at the ends
JOINTS = [
    ("Hips", None, (0, 1.0, 0)),
    ("RightArm", 0, (-0.2, 0.5, 0)),
    ("RightForeArm", 1, (-0.3, 0, -0.02)),
    ("RightHand", 2, (-0.28, 0, 0.03)),
    ("RightUpLeg", 0, (-0.1, -0.05, 0)),
    ("RightLeg", 4, (0, -0.45, 0.03)),
    ("RightFoot", 5, (0, -0.42, -0.04)),
]
FRAMES = 9


def write_glb(path: Path) -> None:
    """Write a skin of one small box around each joint, and a clip that swings them."""
    blob = bytearray()
    views, accessors = [], []

    def add(values, kind: str, code: str, component: int) -> int:
        rows = np.array(values)
        data = np.asarray(rows, code).tobytes()
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(data)})
        accessor = {
            "bufferView": len(views) - 1,
            "componentType": component,
            "count": len(rows),
            "type": kind,
        }
        if kind in ("VEC3", "SCALAR") and code == "<f4":
            flat = rows.reshape(len(rows), -1)
            accessor["min"] = flat.min(0).tolist()
            accessor["max"] = flat.max(0).tolist()
        accessors.append(accessor)
        blob.extend(data)
        blob.extend(b"\0" * (-len(blob) % 4))
        return len(accessors) - 1

    spots = []
    for _, parent, offset in JOINTS:
        above = np.zeros(3) if parent is None else spots[parent]
        spots.append(above + np.array(offset))
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    faces = np.array(
        [
            (0, 1, 3, 2),
            (4, 6, 7, 5),
            (0, 4, 5, 1),
            (2, 3, 7, 6),
            (0, 2, 6, 4),
            (1, 5, 7, 3),
        ]
    )
    box = np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]]).ravel()
    points = np.concatenate([spot + 0.05 * corners for spot in spots])
    indices = np.concatenate([box + 8 * j for j in range(len(JOINTS))])
    owner = np.repeat(np.arange(len(JOINTS)), 8)[:, None]
    nothing = np.zeros((len(points), 3))
    inverse = np.tile(np.eye(4), (len(JOINTS), 1, 1))
    inverse[:, 3, :3] = -np.array(spots)
    attributes = {
        "POSITION": add(points, "VEC3", "<f4", 5126),
        "NORMAL": add(nothing + np.array([0, 0, 1]), "VEC3", "<f4", 5126),
        "JOINTS_0": add(np.hstack([owner, nothing]), "VEC4", "<u2", 5123),
        "WEIGHTS_0": add(np.hstack([owner * 0 + 1.0, nothing]), "VEC4", "<f4", 5126),
    }
    mesh = {"attributes": attributes, "indices": add(indices, "SCALAR", "<u2", 5123)}
    binds = add(inverse.reshape(-1, 16), "MAT4", "<f4", 5126)
    times = np.linspace(0, 1, FRAMES)
    clock = add(times, "SCALAR", "<f4", 5126)
    channels, samplers = [], []
    for j in range(len(JOINTS)):
        half = 0.2 * np.sin(2 * np.pi * times + j)
        rotations = np.stack([np.sin(half), 0 * half, 0 * half, np.cos(half)], 1)
        output = add(rotations, "VEC4", "<f4", 5126)
        samplers.append({"input": clock, "output": output})
        goal = {"node": j, "path": "rotation"}
        channels.append({"sampler": len(samplers) - 1, "target": goal})
    nodes = []
    for j, (name, _, offset) in enumerate(JOINTS):
        below = [k for k, joint in enumerate(JOINTS) if joint[1] == j]
        node = {"name": name, "translation": list(offset)}
        nodes.append({**node, "children": below} if below else node)
    nodes.append({"name": "Body", "mesh": 0, "skin": 0})
    nodes.append({"name": "Figure", "children": [0, len(JOINTS)]})
    scene = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [len(JOINTS) + 1]}],
        "nodes": nodes,
        "meshes": [{"primitives": [mesh]}],
        "skins": [{"joints": list(range(len(JOINTS))), "inverseBindMatrices": binds}],
        "animations": [{"name": "walk", "channels": channels, "samplers": samplers}],
        "buffers": [{"byteLength": len(blob)}],
        "bufferViews": views,
        "accessors": accessors,
    }
    text = json.dumps(scene).encode()
    text += b" " * (-len(text) % 4)
    with path.open("wb") as file:
        total = 12 + 8 + len(text) + 8 + len(blob)
        file.write(struct.pack("<4sII", b"glTF", 2, total))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", len(blob), b"BIN\0") + blob)


@pytest.mark.parametrize("frame_blend", [False, True])
def test_hand_and_foot_follow_targets(stage: Stage, tmp_path, frame_blend):
    file = tmp_path / "figure.glb"
    write_glb(file)
    actor, reference = (stage.add(Actor(str(file))) for _ in range(2))
    for body in (actor, reference):
        body.set_blend(frameBlend=frame_blend)
        body.loop("walk")
    stage.step(3)
    rig = ActorRig.auto(actor)
    tips = ("RightHand", "RightFoot")
    assert {chain.leaf.get_name() for chain in rig.chains} == set(tips)
    rig.start(stage.task_mgr)
    masks = [only(actor, tip) for tip in tips]
    assert all(mask.any() for mask in masks)
    starts = [rig[tip].target.get_pos() for tip in tips]
    for i in range(40):
        for tip, start in zip(tips, starts, strict=True):
            around = (0.05 * np.sin(i / 6), 0.05 * np.cos(i / 5), 0.06)
            inwards = (0.15, 0, 0) if tip == "RightHand" else (0, 0, 0)
            rig[tip].target.set_pos(start + around + inwards)
        stage.step()
        force(reference)
        for tip, mask in zip(tips, masks, strict=True):
            shift = place(actor, rig[tip].target) - net(reference, tip)[3, :3]
            wanted = skin(reference)[mask] + shift
            assert gap(skin(actor)[mask], wanted) < 1e-5 * size(skin(actor))
            assert np.linalg.norm(shift) > 0.01
