"""CrowdDrawing: its pictures are those of Actors, and its meshes are the model's."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

from ikrig.errors import BindError, GraphicsError, ModelError, SettingError
from ikrig.scene.crowd.crowd_shader import skinned_by_palette
from ikrig.scene.crowd.draw import CrowdDrawing

LIKE_ACTORS = (
    "plain", "ambient", "directional", "point", "material", "fog", "exponential fog",
    "transparent", "colours", "promoted", "repainted", "shadow",
    "include",
)  # fmt: skip


def run(*words: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.scene.crowd.pictures", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if "skip" in found:
        pytest.skip(f"no OpenGL 3.2 to draw crowds with: {found['skip']}")
    return found


@pytest.fixture(scope="module")
def pictures() -> dict[str, Any]:
    return run()


@pytest.mark.parametrize("name", LIKE_ACTORS)
def test_picture_is_that_of_an_actor(pictures, name):
    seen = pictures[name]
    assert seen["covered"] > 10_000
    # pixels of an outline, where rounding decides who covers them
    assert seen["off"] <= 0.001 * seen["covered"]


def test_picture_of_a_core_context_is_that_of_an_actor():
    # no fixed pipeline there: Actors are not lit
    seen = run("core")["plain"]
    assert seen["covered"] > 10_000
    assert seen["off"] <= 0.001 * seen["covered"]


@pytest.mark.parametrize(("words", "most"), [("", 0.05), ("330", 0.001)])
def test_simplepbr_draws_members_as_actors_and_in_their_colours(words, most):
    pytest.importorskip("simplepbr")
    seen = run("simplepbr", words)
    assert seen["simplepbr"]["covered"] > 10_000
    # without "330" the processor skins Actors: highlights of other normals are off
    assert seen["simplepbr"]["off"] <= most * seen["simplepbr"]["covered"]
    assert seen["coloured"] > 0.5 * seen["simplepbr"]["covered"]


def test_members_cast_and_receive_shadows(pictures):
    assert pictures["shadow"]["dark"] > 1000
    assert pictures["own shadow"] > 200


def test_a_shader_for_hardware_skinning_draws_a_crowd(pictures):
    seen = pictures["users"]
    # without light and texture stages it draws what the crowd's own shader draws
    assert seen["changed"] <= 0.001 * seen["covered"]


def test_slots_choose_from_a_texture_array(pictures):
    covered = pictures["plain"]["covered"]
    assert abs(pictures["slot 0"] - covered) <= 0.01 * covered
    assert abs(pictures["slot 1"] - covered) <= 0.01 * covered


def test_only_visible_members_are_drawn(pictures):
    assert pictures["hidden"] == 0


def test_bounds_hold_all_vertices(pictures):
    assert pictures["inside"]
    assert pictures["box"] < 1.5


def test_a_drawing_is_one_call_a_mesh_and_goes(pictures):
    assert pictures["calls"] == 2
    assert pictures["left"] == 0


@pytest.fixture
def panda() -> Actor:
    return Actor("models/panda-model")


def names_of(actor: Actor) -> list[str]:
    return [joint.get_name() for joint in actor.get_joints()]


def palettes(actor: Actor, count: int) -> np.ndarray:
    joints = len(actor.get_joints())
    return np.tile(np.eye(3, 4, dtype=np.float32), (count, joints, 1, 1))


def shown_counts(crowd: CrowdDrawing) -> list[int]:
    return [
        0 if path.is_hidden() else path.get_instance_count()
        for path in crowd.root.get_children()
    ]


def test_vertices_keep_their_weights(panda):
    names = names_of(panda)
    crowd = CrowdDrawing(panda, names, 1, p3d.NodePath("scene"))
    data = crowd.root.find("**/+GeomNode").node().get_geom(0).get_vertex_data()
    old = panda.find("**/+GeomNode").node().get_geom(0).get_vertex_data()
    table = old.get_transform_blend_table()
    index = p3d.GeomVertexReader(data, "transform_index")
    weight = p3d.GeomVertexReader(data, "transform_weight")
    blend = p3d.GeomVertexReader(old, "transform_blend")
    for _ in range(old.get_num_rows()):
        wanted = table.get_blend(blend.get_data1i())
        mine = dict.fromkeys(names, 0.0)
        for joint, share in zip(index.get_data4i(), weight.get_data4(), strict=True):
            mine[names[joint]] += share
        for k in range(wanted.get_num_transforms()):
            name = wanted.get_transform(k).get_joint().get_name()
            mine[name] -= wanted.get_weight(k)
        assert max(map(abs, mine.values())) < 1e-5
    assert data.get_transform_blend_table() is None
    assert old.get_transform_blend_table() is not None


def test_a_thing_on_an_exposed_joint_goes_with_it(panda):
    names = names_of(panda)
    for name in (names[3], names[-1]):
        hat = panda.expose_joint(None, "modelRoot", name).attach_new_node("hat")
        hat.attach_new_node(p3d.CardMaker(f"on {name}").generate()).set_pos(1, 2, 3)
    panda.update(force=True)
    crowd = CrowdDrawing(panda, names, 1, p3d.NodePath("scene"))
    (node,) = {path.node() for path in crowd.root.find_all_matches("**/+GeomNode")}
    bundle, found = panda.get_part_bundle("modelRoot"), {}
    for geom in node.get_geoms():
        data = geom.get_vertex_data()
        if data.get_num_rows() == 4:
            joint = names[p3d.GeomVertexReader(data, "transform_index").get_data4i()[0]]
            skin = p3d.LMatrix4f()
            p3d.JointVertexTransform(bundle.find_child(joint)).get_matrix(skin)
            vertex = p3d.GeomVertexReader(data, "vertex").get_data3()
            found[joint] = skin.xform_point(vertex)
    assert found.keys() == {names[3], names[-1]}
    for name, place in found.items():
        card = panda.find(f"**/on {name}")
        first = card.node().get_geom(0).get_vertex_data()
        own = p3d.GeomVertexReader(first, "vertex").get_data3()
        there = card.get_mat(panda.find("**/+Character")).xform_point(own)
        assert (place - there).length() < 1e-2


def test_levels_of_detail_are_drawn_apart():
    scene = p3d.NodePath("scene")
    near, far = Actor("models/panda-model"), Actor("models/panda-model")
    character = near.find("**/+Character")
    lod = p3d.LODNode("lod")
    path = character.attach_new_node(lod)
    character.find("**/+GeomNode").copy_to(path)
    character.find("**/+GeomNode").reparent_to(path)
    lod.add_switch(20, 0)
    lod.add_switch(100, 20)
    far.cleanup()
    crowd = CrowdDrawing(near, names_of(near), 4, scene)
    assert crowd.switches == (20,)
    camera = scene.attach_new_node("camera")
    places = np.zeros((4, 3))
    places[:, 1] = 5, 19.5, 20.5, 60
    crowd.choose_levels(camera, places)
    crowd.write(palettes(near, 4))
    assert list(crowd.levels) == [0, 0, 0, 1]
    assert shown_counts(crowd) == [3, 1]
    # a level lasts until 5 % beyond its distance
    places[:, 1] = 22, 19.5, 20.5, 19.5
    crowd.choose_levels(camera, places)
    crowd.write(palettes(near, 4), [True, True, False, True])
    assert list(crowd.levels) == [1, 0, 0, 1]
    assert shown_counts(crowd) == [1, 2]


def test_long_crowds_are_drawn_in_batches(panda, monkeypatch):
    monkeypatch.setattr("ikrig.scene.crowd.draw.SAFE_TEXELS", 3 * 42 * 10)
    monkeypatch.setattr("ikrig.scene.crowd.draw._windows", tuple)
    crowd = CrowdDrawing(panda, names_of(panda), 25, p3d.NodePath("scene"))
    crowd.write(palettes(panda, 25))
    assert shown_counts(crowd) == [10, 10, 5]
    seen = np.ones(25, bool)
    seen[3:9] = False
    crowd.write(palettes(panda, 25), seen)
    assert shown_counts(crowd) == [10, 9, 0]


def test_wrong_shapes_and_models_are_named(panda):
    scene, names = p3d.NodePath("scene"), names_of(panda)
    crowd = CrowdDrawing(panda, names, 2, scene)
    with pytest.raises(ModelError, match=r"\(2, 41, 3, 4\), not \(2, 42, 3, 4\)"):
        crowd.write(palettes(panda, 2)[:, 1:])
    with pytest.raises(ModelError, match=r"visible has shape \(3,\)"):
        crowd.write(palettes(panda, 2), [True] * 3)
    with pytest.raises(BindError, match="Bone_neck"):
        CrowdDrawing(panda, [n for n in names if n != "Bone_neck"], 2, scene)
    with pytest.raises(BindError, match="no joints"):
        CrowdDrawing(p3d.NodePath("box"), names, 2, scene)
    with pytest.raises(ModelError, match="0 members"):
        CrowdDrawing(panda, names, 0, scene)
    for name, shape in (("colors", r"\(2, 4\)"), ("slots", r"\(2,\)"), ("levels", "")):
        with pytest.raises(SettingError, match=f"{name} must be {shape}"):
            setattr(crowd, name, np.ones((1, 3)))
    crowd.colors = [[1, 0, 0, 1], [0, 1, 0, 1]]
    assert crowd.colors.dtype == np.float32
    with pytest.raises(ModelError, match="no texture array"):
        crowd.set_textures(p3d.Texture("flat"))


def test_old_graphics_are_named(panda, monkeypatch):
    class Card:
        supports_glsl = True
        supports_geometry_instancing = True
        max_buffer_texture_size = 65536
        driver_shader_version_major, driver_shader_version_minor = 1, 20
        driver_renderer = "Old Card"

    class Window:
        get_gsg = Card

    monkeypatch.setattr("ikrig.scene.crowd.draw._windows", lambda: [Window])
    with pytest.raises(GraphicsError, match=r"GLSL 1.50, and 'Old Card' has GLSL 1.20"):
        CrowdDrawing(panda, names_of(panda), 2, p3d.NodePath("scene"))
    Card.driver_shader_version_major, Card.driver_shader_version_minor = 3, 30
    Card.supports_geometry_instancing = False
    with pytest.raises(GraphicsError, match="instances and buffer textures"):
        CrowdDrawing(panda, names_of(panda), 2, p3d.NodePath("scene"))


def test_a_shader_that_skins_nothing_is_refused():
    flat = p3d.Shader.make(p3d.Shader.SL_GLSL, "#version 150\n", "#version 150\n")
    with pytest.raises(GraphicsError, match="p3d_TransformTable"):
        skinned_by_palette(flat)


def test_without_shaders_the_processor_skins_a_few(panda, monkeypatch):
    class Card:
        supports_glsl = False
        driver_shader_version_major = driver_shader_version_minor = 0
        driver_renderer = "TinyGL"

    class Window:
        get_gsg = Card

    monkeypatch.setattr("ikrig.scene.crowd.draw._windows", lambda: [Window])
    scene = p3d.NodePath("scene")
    with pytest.raises(GraphicsError, match="'TinyGL' has no shaders"):
        CrowdDrawing(panda, names_of(panda), 4, scene)
    crowd = CrowdDrawing(panda, names_of(panda), 4, scene, software=2)
    panda.pose("walk", 0)
    node = panda.control_joint(None, "modelRoot", "Bone_neck")
    node.set_hpr(node.get_hpr() + p3d.LVecBase3(20, 30, 10))
    panda.get_part_bundle("modelRoot").force_update()
    rows = palettes(panda, 4)
    for k, joint in enumerate(panda.get_joints()):
        mat = p3d.LMatrix4f()
        p3d.JointVertexTransform(joint).get_matrix(mat)
        rows[:, k] = np.array(mat).reshape(4, 4).T[:3]
    crowd.write(rows, [False, True, True, True])
    bodies = crowd.root.find_all_matches("**/member")
    assert bodies.get_num_paths() == 2
    data = bodies[1].node().get_geom(0).get_vertex_data()
    skin = panda.find("**/+GeomNode").node().get_geom(0).get_vertex_data()
    skin = skin.animate_vertices(True, p3d.Thread.get_current_thread())
    for name in ("vertex", "normal"):
        mine, wanted = (p3d.GeomVertexReader(d, name) for d in (data, skin))
        apart = [
            (mine.get_data3() - wanted.get_data3()).length()
            for _ in range(skin.get_num_rows())
        ]
        assert max(apart) < (2e-3 if name == "vertex" else 1e-4)
    crowd.write(rows, [False, False, False, True])
    assert sum(body.is_hidden() for body in bodies) == 1
