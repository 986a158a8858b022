"""Builds a VRM avatar: glTF binary with the VRM humanoid extension and skin.

python -m tests.studio.vrm avatar.vrm

Bones have names that say nothing ("J_000"...); the extension alone names them.
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import numpy as np

# VRM faces +z with y up; its own left is at +x
BONES = {
    "hips": ("", (0.0, 0.95, 0.0)),
    "spine": ("hips", (0.0, 1.1, 0.0)),
    "chest": ("spine", (0.0, 1.25, 0.0)),
    "neck": ("chest", (0.0, 1.45, 0.0)),
    "head": ("neck", (0.0, 1.55, 0.0)),
}
SIDE = {
    "Shoulder": ("chest", (0.06, 1.4, 0.0)),
    "UpperArm": ("Shoulder", (0.16, 1.4, 0.0)),
    "LowerArm": ("UpperArm", (0.42, 1.4, -0.02)),
    "Hand": ("LowerArm", (0.66, 1.4, 0.0)),
    "UpperLeg": ("hips", (0.09, 0.9, 0.0)),
    "LowerLeg": ("UpperLeg", (0.09, 0.5, 0.02)),
    "Foot": ("LowerLeg", (0.09, 0.08, 0.0)),
    "Toes": ("Foot", (0.09, 0.02, 0.12)),
}
# an arm up and to the front, the other one down; a leg lifted
UNLIKE = {
    "leftLowerArm": (0.3, 1.6, 0.1),
    "leftHand": (0.35, 1.8, 0.25),
    "rightLowerArm": (-0.2, 1.15, -0.05),
    "rightHand": (-0.25, 0.95, 0.1),
    "leftLowerLeg": (0.1, 0.6, 0.3),
    "leftFoot": (0.1, 0.3, 0.1),
    "leftToes": (0.1, 0.22, 0.2),
}
"""Places of bones in a pose that has no mirror."""


def bones():
    """Each bone's parent and place, by its name in VRM."""
    found = dict(BONES)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for name, (parent, (x, y, z)) in SIDE.items():
            above = parent if parent in BONES else side + parent
            found[side + name] = above, (sign * x, y, z)
    return found


def build(path, name=lambda k, word: f"J_{k:03d}", moved=None, frames=0) -> None:
    """Write the avatar.

    Args:
        path: The file.
        name: Returns the name of a node, from its number and its name in VRM.
        moved: Where bones are that are elsewhere: UNLIKE.
        frames: How many a clip has that swings all bones, in a second; 0: no clip.
    """
    table = {w: (p, (moved or {}).get(w, at)) for w, (p, at) in bones().items()}
    words = list(table)
    nodes = []
    for k, (word, (parent, place)) in enumerate(table.items()):
        above = table[parent][1] if parent else (0.0, 0.0, 0.0)
        offset = [a - b for a, b in zip(place, above, strict=True)]
        nodes.append({"name": name(k, word), "translation": offset})
        if parent:
            nodes[words.index(parent)].setdefault("children", []).append(k)
    points, joints, faces = [], [], []
    # a spindle from the bone above to this one, moved by that one
    bars = [
        (words.index(parent) if parent else k, table[parent or word][1], place)
        for k, (word, (parent, place)) in enumerate(table.items())
    ]
    above = {parent for parent, _ in table.values()}
    for k, (word, (_, (x, y, z))) in enumerate(table.items()):
        if word not in above:
            bars.append((k, (x, y, z), (x, y, z + 0.08)))
    for mover, start, end in bars:
        a, b = np.array(start), np.array(end)
        ring = [(0.04, 0, 0), (0, 0, 0.04), (-0.04, 0, 0), (0, 0.04, -0.04)]
        first = len(points)
        points += [a, b, *(0.5 * (a + b) + r for r in np.array(ring))]
        joints += [mover] * 6
        for i in range(4):
            j = (i + 1) % 4
            faces += [(first, first + 2 + i, first + 2 + j)]
            faces += [(first + 1, first + 2 + j, first + 2 + i)]
    inverse = [np.eye(4) for _ in words]
    for k, (_, place) in enumerate(table.values()):
        inverse[k][3, :3] = -np.array(place)
    arrays = [
        (np.array(points, "<f4"), 5126, "VEC3", 34962),
        (np.array([(j, 0, 0, 0) for j in joints], "<u2"), 5123, "VEC4", 34962),
        (np.array([(1, 0, 0, 0)] * len(points), "<f4"), 5126, "VEC4", 34962),
        (np.array(faces, "<u2").ravel(), 5123, "SCALAR", 34963),
        (np.array(inverse, "<f4"), 5126, "MAT4", None),
    ]
    times = np.linspace(0.0, 1.0, frames)
    swings = [0.05 * np.sin(2.0 * np.pi * times + k) for k in range(len(words))]
    rows = [np.stack([np.sin(h), 0 * h, 0 * h, np.cos(h)], 1) for h in swings]
    if frames:
        arrays.append((np.array(times, "<f4"), 5126, "SCALAR", None))
        arrays += [(np.array(row, "<f4"), 5126, "VEC4", None) for row in rows]
    data, views, accessors = b"", [], []
    for array, kind, shape, target in arrays:
        raw = array.tobytes()
        view = {"buffer": 0, "byteOffset": len(data), "byteLength": len(raw)}
        views.append({**view, **({"target": target} if target else {})})
        count = len(array)
        accessor = {"bufferView": len(views) - 1, "componentType": kind, "type": shape}
        accessors.append({**accessor, "count": count})
        data += raw + b"\0" * (-len(raw) % 4)
    accessors[0] |= {
        "min": arrays[0][0].min(axis=0).tolist(),
        "max": arrays[0][0].max(axis=0).tolist(),
    }
    if frames:
        accessors[5] |= {"min": [0.0], "max": [1.0]}
    body = {"name": "Body", "mesh": 0, "skin": 0}
    primitive = {
        "attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2},
        "indices": 3,
    }
    human = {word: {"node": k} for k, word in enumerate(words)}
    gltf = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, len(nodes)]}],
        "nodes": [*nodes, body],
        "meshes": [{"primitives": [primitive]}],
        "skins": [
            {"joints": list(range(len(words))), "inverseBindMatrices": 4, "skeleton": 0}
        ],
        "buffers": [{"byteLength": len(data)}],
        "bufferViews": views,
        "accessors": accessors,
        "extensionsUsed": ["VRMC_vrm"],
        "extensions": {
            "VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": human}}
        },
    }
    if frames:
        # one node above all, as exporters write it
        nodes = gltf["nodes"]
        nodes.append({"name": "Figure", "children": [0, len(nodes) - 1]})
        gltf["scenes"] = [{"nodes": [len(nodes) - 1]}]
        samplers = [{"input": 5, "output": 6 + k} for k in range(len(words))]
        goals = [{"node": k, "path": "rotation"} for k in range(len(words))]
        channels = [{"sampler": k, "target": goal} for k, goal in enumerate(goals)]
        clip = {"name": "walk", "channels": channels, "samplers": samplers}
        gltf["animations"] = [clip]
    text = json.dumps(gltf).encode()
    text += b" " * (-len(text) % 4)
    size = 12 + 8 + len(text) + 8 + len(data)
    path.write_bytes(
        struct.pack("<4sII", b"glTF", 2, size)
        + struct.pack("<I4s", len(text), b"JSON")
        + text
        + struct.pack("<I4s", len(data), b"BIN\0")
        + data
    )


if __name__ == "__main__":
    build(Path(sys.argv[1]))
