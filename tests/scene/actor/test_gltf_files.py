"""glTF files that panda3d-gltf cannot open are opened, or refused with the reason."""

import json
import math
import os
import struct
import subprocess
import sys

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig.cli.summaries import model_lines as lines
from ikrig.formats.vrm import gaze_of, read_gaze
from ikrig.scene.rig_builder.gltf_files import load_under_one_node
from ikrig.scene.rig_builder.model_loader import load_file
from ikrig.scene.rig_builder.summary import summary
from tests.studio.vrm import UNLIKE, bones, build

from .stage import gap, net, only, place, size, skin
from .stage import update as force

pytest.importorskip("gltf", reason="panda3d-gltf is not installed")


def changed(path, change):
    """Write a file's description anew."""
    data = path.read_bytes()
    (size,) = struct.unpack("<I", data[12:16])
    gltf = json.loads(data[20 : 20 + size])
    change(gltf)
    text = json.dumps(gltf).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + size :]
    path.write_bytes(
        struct.pack("<4sII", b"glTF", 2, 20 + len(text) + len(rest))
        + struct.pack("<I4s", len(text), b"JSON")
        + text
        + rest
    )


def named(number, word):
    return word


def test_skin_beside_its_joints_moves(tmp_path):
    """The mesh is at the top, as the glTF validator wants it; no "skeleton"."""
    build(tmp_path / "figure.glb", named)
    changed(tmp_path / "figure.glb", lambda gltf: gltf["skins"][0].pop("skeleton"))
    (tmp_path / "figure.yaml").write_text(
        "model: figure.glb\nchains:\n  hand: {leaf: leftHand, chain_length: 2}\n"
    )
    rig = ikrig.load_rig(tmp_path / "figure.yaml", parent=p3d.NodePath("world"))
    try:
        hand = rig.chains["hand"]
        hand.target.set_pos(hand.target.get_pos() + p3d.LVector3(-0.1, 0.05, -0.1))
        rig.solve()
        assert hand.result.converged
        assert hand.result.error < 1e-4
    finally:
        rig.remove()


def test_joints_match_the_file(tmp_path):
    path = tmp_path / "figure.glb"
    build(path, named)
    changed(path, lambda gltf: gltf["skins"][0].pop("skeleton"))
    model = load_file(path.name, tmp_path)
    (character,) = model.find_all_matches("**/+Character")
    bundle = character.node().get_bundle(0)
    assert all(bundle.find_child(name) for name in bones())


@pytest.mark.parametrize(
    "extension", ["EXT_meshopt_compression", "KHR_draco_mesh_compression"]
)
def test_compressed_file_is_refused_by_name(tmp_path, extension):
    path = tmp_path / "figure.glb"
    build(path, named)
    changed(path, lambda gltf: gltf.update(extensionsRequired=[extension]))
    with pytest.raises(ikrig.BindError, match=rf"figure\.glb .*{extension}.* export"):
        load_file(path.name, tmp_path)


def test_gltf_1_file_is_refused_by_name(tmp_path):
    path = tmp_path / "old.gltf"
    path.write_text('{"asset": {"version": "1.0"}, "nodes": {"hips": {}}}')
    with pytest.raises(ikrig.BindError, match=r"old\.gltf .* glTF 1\.0, .* convert it"):
        load_file(path.name, tmp_path)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"glTF",
        b"glTF\1\0\0\0\0\0\0\0\1\0\0\0JSON{",
        b"glTF\2\0\0\0\0\0\0\0\377\377\377\377JSON{",
        b"[" * 100000,
        b'{"extensionsRequired": [{}], "skins": 3}',
    ],
)
def test_broken_file_is_refused(tmp_path, data):
    (tmp_path / "broken.glb").write_bytes(data)
    with pytest.raises(
        ikrig.BindError, match=r"^broken\.glb can't be loaded: .*Blender$"
    ):
        load_file("broken.glb", tmp_path)


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("accessors", "count", -1),
        ("accessors", "count", 10**9),
        ("accessors", "byteOffset", -8),
        ("accessors", "componentType", 5126.5),
        ("accessors", "type", "VEC9"),
        ("bufferViews", "byteOffset", -(10**6)),
        ("bufferViews", "byteLength", 10**12),
        ("bufferViews", "buffer", 3),
        ("nodes", "children", [0]),
        ("meshes", "primitives", 5),
    ],
)
def test_numbers_that_fit_nothing_are_refused(tmp_path, capfd, section, key, value):
    """The engine aborts on some of them when they get there, or hangs."""
    path = tmp_path / "figure.glb"
    build(path, named)
    changed(path, lambda gltf: gltf[section][0].update({key: value}))
    with pytest.raises(ikrig.BindError) as caught:
        load_file(path.name, tmp_path)
    output = capfd.readouterr()
    assert (output.out, output.err) == ("", "")
    (line,) = str(caught.value).splitlines()
    assert line.startswith("figure.glb can't be loaded: "), line


def test_without_panda3d_gltf_a_file_is_refused(tmp_path):
    """Panda3D's own importer takes it, and makes no Actor of it."""
    path = tmp_path / "figure.glb"
    build(path, named)
    config = tmp_path / "config" / "Config.prc"
    config.parent.mkdir()
    config.write_text("loader-support-entry-points 0\nmodel-cache-dir\n")
    done = subprocess.run(
        [sys.executable, "-m", "ikrig", "info", str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PANDA_PRC_DIR": str(config.parent)},
    )
    assert done.returncode == 2 and not done.stdout, done
    assert done.stderr == (
        f"{path}: figure.glb can't be loaded: .glb files need panda3d-gltf: "
        'pip install "panda3d-ikrig[gltf]"\n'
    )


def as_vrm_0(gltf):
    """Have the bones as VRM 0.x lists them."""
    human = gltf["extensions"].pop("VRMC_vrm")["humanoid"]["humanBones"]
    rows = [{"bone": word, **bone} for word, bone in human.items()]
    gltf["extensions"]["VRM"] = {"humanoid": {"humanBones": rows}}


@pytest.mark.parametrize("change", [lambda gltf: None, as_vrm_0])
def test_vrm_bone_names_replace_meaningless_node_names(tmp_path, change):
    path = tmp_path / "avatar.vrm"
    build(path, moved=UNLIKE)
    changed(path, change)
    found = summary(path)
    called = {joint["name"]: joint["called"] for joint in found["joints"]}
    assert called == {f"J_{k:03d}": word for k, word in enumerate(bones())}
    limbs = {
        limb["name"]: [called[joint] for joint in limb["joints"]]
        for limb in found["limbs"]
    }
    assert limbs == {
        "left_hand": ["leftUpperArm", "leftLowerArm", "leftHand"],
        "right_hand": ["rightUpperArm", "rightLowerArm", "rightHand"],
        "left_foot": ["leftUpperLeg", "leftLowerLeg", "leftFoot"],
        "right_foot": ["rightUpperLeg", "rightLowerLeg", "rightFoot"],
        "head": ["neck", "head"],
    }
    assert not found["findings"]
    assert f"{found['joints'][0]['name']}: hips" in "\n".join(lines(found))
    # what was loaded and written by the engine has them too
    load_file(path.name, tmp_path).write_bam_file(str(tmp_path / "avatar.bam"))
    assert summary(tmp_path / "avatar.bam")["joints"] == found["joints"]


@pytest.mark.parametrize(
    "bones",
    [5, ["leftHand"], {"head": 3}, {"head": {"node": 999}}, [{"bone": "head"}], None],
)
def test_vrm_with_invalid_bones_is_opened_without_them(tmp_path, bones):
    path = tmp_path / "avatar.vrm"
    build(path)
    changed(
        path,
        lambda gltf: gltf["extensions"].update(
            VRMC_vrm={"humanoid": {"humanBones": bones}}
        ),
    )
    assert not any(joint["called"] for joint in summary(path)["joints"])


def test_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "gltf._converter", None)
    with pytest.raises(ikrig.MissingPackageError, match="vrm files need panda3d-gltf"):
        load_under_one_node(tmp_path / "figure.vrm")


def test_model_without_joints_looks_along_minus_y(tmp_path):
    stone = p3d.NodePath(p3d.ModelRoot("stone"))
    stone.attach_new_node("pebble")
    assert stone.write_bam_file(p3d.Filename.from_os_specific(str(tmp_path / "s.bam")))
    assert summary(tmp_path / "s.bam")["forward"] == [0.0, -1.0, 0.0]


def without_skin(gltf):
    """Give each bone a rigid part instead of the skin; the eyes are bones too."""
    del gltf["skins"]
    gltf["scenes"][0]["nodes"] = [0]
    gltf["nodes"].pop()
    for attribute in ("JOINTS_0", "WEIGHTS_0"):
        del gltf["meshes"][0]["primitives"][0]["attributes"][attribute]
    nodes, human = gltf["nodes"], gltf["extensions"]["VRMC_vrm"]["humanoid"]
    for word, x in (("leftEye", 0.03), ("rightEye", -0.03)):
        human["humanBones"][word] = {"node": len(nodes)}
        head = nodes[human["humanBones"]["head"]["node"]]
        head.setdefault("children", []).append(len(nodes))
        nodes.append({"name": f"J_{len(nodes)}", "translation": [x, 0.1, 0.08]})
    for node in nodes:
        node["mesh"] = 0


MAP = {"inputMaxValue": 90.0, "outputScale": 10.0}
LOOK = {
    "type": "bone",
    "offsetFromHeadBone": [0.0, 0.06, 0.1],
    "rangeMapHorizontalInner": {**MAP, "outputScale": 12.0},
    "rangeMapHorizontalOuter": MAP,
    "rangeMapVerticalUp": {**MAP, "outputScale": 8.0},
    "rangeMapVerticalDown": {**MAP, "outputScale": 9.0},
}


def test_avatar_of_rigid_parts_is_a_character(tmp_path, world):
    build(tmp_path / "hero.vrm")
    changed(tmp_path / "hero.vrm", without_skin)
    actor = Actor(p3d.Filename.from_os_specific(str(tmp_path / "hero.vrm")))
    actor.reparent_to(world)
    rig = ikrig.ActorRig.auto(actor)
    assert {limb.kind for limb in rig.limbs.values()} >= {"hand", "foot", "head"}
    hand = rig.chains[0]
    joint = hand.leaf.get_name()
    part = actor.find(f"**/{joint}").find("**/+GeomNode")
    goal = hand.target.get_pos(world) + p3d.LVector3(-0.1, 0.05, -0.1)
    hand.target.set_pos(world, goal)
    before = part.get_pos(world)
    rig.update(1 / 60)
    assert (hand.leaf.get_pos(world) - goal).length() < 1e-3
    # as the engine has it
    assert (part.get_pos(world) - goal).length() < 1e-3
    assert (before - goal).length() > 0.1


@pytest.mark.parametrize("kind", ["bone", "expression"])
def test_gaze_of_an_avatars_file(tmp_path, world, kind):
    def change(gltf):
        without_skin(gltf)
        gltf["extensions"]["VRMC_vrm"]["lookAt"] = {**LOOK, "type": kind}

    build(tmp_path / "hero.vrm")
    changed(tmp_path / "hero.vrm", change)
    actor = Actor(p3d.Filename.from_os_specific(str(tmp_path / "hero.vrm")))
    actor.reparent_to(world)
    rig = ikrig.ActorRig(actor)
    look = ikrig.LookAt(rig, world.attach_new_node("ball"))
    assert len(look._eyes) == 2
    limits = [math.degrees(x) for x in vars(look.eye_limits).values()]
    if kind == "bone":
        assert limits == pytest.approx([10.0, 10.0, 8.0, 9.0])
    else:
        assert look.eye_limits == ikrig.LookLimits(0.6, 0.6, 0.4, 0.5)
    given = ikrig.LookLimits(0.1, 0.2, 0.3, 0.4)
    assert ikrig.LookAt(rig, None, eye_limits=given).eye_limits == given


def test_gaze_of_vrm_0():
    first = {
        "firstPersonBoneOffset": {"x": 0, "y": 0.146, "z": 0.122},
        "lookAtTypeName": "Bone",
        "lookAtHorizontalInner": {"xRange": 90, "yRange": 10},
        "lookAtHorizontalOuter": {"xRange": 90, "yRange": 7},
        "lookAtVerticalDown": {"xRange": 90, "yRange": 4},
        "lookAtVerticalUp": {"xRange": 90, "yRange": 3},
    }
    found = gaze_of(read_gaze({"extensions": {"VRM": {"firstPerson": first}}}))
    # avatars of VRM 0.x face -z in the file, which is +y here
    assert found["offset"] == pytest.approx((0.0, 0.122, 0.146))
    assert np.degrees(found["range"]) == pytest.approx([7, 7, 3, 4])
    first["lookAtVerticalUp"]["yRange"] = math.nan
    assert set(gaze_of(read_gaze({"extensions": {"VRM": {"firstPerson": first}}}))) == {
        "offset"
    }
    assert gaze_of(read_gaze({"extensions": {"VRM": 5}})) == {}


@pytest.mark.parametrize("frame_blend", [False, True])
def test_hand_and_foot_follow_targets(stage, tmp_path, frame_blend):
    file = tmp_path / "figure.glb"
    build(file, named, frames=9)
    actor, reference = (stage.add(Actor(str(file))) for _ in range(2))
    for body in (actor, reference):
        body.set_blend(frameBlend=frame_blend)
        body.loop("walk")
    stage.step(3)
    rig = ikrig.ActorRig.auto(actor)
    tips = ("rightHand", "rightFoot")
    assert {chain.leaf.get_name() for chain in rig.chains} > set(tips)
    rig.start(stage.task_mgr)
    masks = [only(actor, tip) for tip in tips]
    assert all(mask.any() for mask in masks)
    starts = [rig[tip].target.get_pos() for tip in tips]
    for i in range(40):
        for tip, start in zip(tips, starts, strict=True):
            around = (0.05 * np.sin(i / 6), 0.05 * np.cos(i / 5), 0.06)
            inwards = (0.15, 0, 0) if tip == "rightHand" else (0, 0, 0)
            rig[tip].target.set_pos(start + around + inwards)
        stage.step()
        force(reference)
        for tip, mask in zip(tips, masks, strict=True):
            shift = place(actor, rig[tip].target) - net(reference, tip)[3, :3]
            wanted = skin(reference)[mask] + shift
            assert gap(skin(actor)[mask], wanted) < 1e-5 * size(skin(actor))
            assert np.linalg.norm(shift) > 0.01
