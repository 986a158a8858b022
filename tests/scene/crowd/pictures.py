"""Pictures of crowds beside those of Actors, in a process with a renderer.

`python -m tests.scene.crowd.pictures [core | simplepbr [330]]` prints JSON; a renderer
that can't draw crowds is named in "skip".
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import numpy as np
import panda3d.core as p3d

SIZE = (200, 150)
FLOOR = (
    """#version 130
    in vec4 p3d_Vertex; uniform mat4 p3d_ModelViewMatrix, p3d_ProjectionMatrix;
    out vec4 eye;
    void main() { eye = p3d_ModelViewMatrix * p3d_Vertex;
                  gl_Position = p3d_ProjectionMatrix * eye; }""",
    """#version 130
    uniform struct { vec4 position; sampler2DShadow shadowMap; mat4 shadowViewMatrix; }
        p3d_LightSource[1];
    in vec4 eye; out vec4 pixel;
    void main() { pixel = vec4(vec3(textureProj(p3d_LightSource[0].shadowMap,
                      p3d_LightSource[0].shadowViewMatrix * eye)), 1.0); }""",
)
USERS = (
    """#version 120
    attribute vec4 p3d_Vertex; attribute vec2 p3d_MultiTexCoord0;
    attribute vec4 transform_weight; attribute vec4 transform_index;
    uniform mat4 p3d_ModelViewProjectionMatrix; uniform mat4 p3d_TransformTable[100];
    varying vec2 uv;
    void main() {
        mat4 m = p3d_TransformTable[int(transform_index.x)] * transform_weight.x
               + p3d_TransformTable[int(transform_index.y)] * transform_weight.y
               + p3d_TransformTable[int(transform_index.z)] * transform_weight.z
               + p3d_TransformTable[int(transform_index.w)] * transform_weight.w;
        gl_Position = p3d_ModelViewProjectionMatrix * (m * p3d_Vertex);
        uv = p3d_MultiTexCoord0;
    }""",
    """#version 120
    uniform sampler2D p3d_Texture0; varying vec2 uv;
    void main() { gl_FragColor = texture2D(p3d_Texture0, uv); }""",
)
INCLUDED = """#version 150
    %s
    in vec4 p3d_Vertex, p3d_Color; in vec3 p3d_Normal; in vec2 p3d_MultiTexCoord0;
    uniform mat4 p3d_ModelViewProjectionMatrix; uniform mat3 p3d_NormalMatrix;
    out vec3 normal; out vec2 uv; out vec4 colour;
    void main() {
        %s
        gl_Position = p3d_ModelViewProjectionMatrix * (skin * p3d_Vertex);
        uv = p3d_MultiTexCoord0;
    }"""
SKINNED = """mat4 skin = ikrig_skin();
        normal = p3d_NormalMatrix * ikrig_normal(skin, p3d_Normal);
        colour = p3d_Color * ikrig_color();"""
AS_GIVEN = """mat4 skin = mat4(1.0);
        normal = p3d_NormalMatrix * p3d_Normal; colour = p3d_Color;"""
NORMALS = """#version 150
    uniform sampler2D p3d_Texture0; in vec3 normal; in vec2 uv; in vec4 colour;
    out vec4 pixel;
    void main() {
        vec3 shade = 0.5 + 0.5 * normalize(normal);
        pixel = vec4(shade * texture(p3d_Texture0, uv).rgb * colour.rgb, 1.0);
    }"""


class Studio:
    """A posed panda, and the same pose as a palette, before one camera."""

    def __init__(self, core: bool) -> None:
        os.environ.setdefault("EGL_PLATFORM", "surfaceless")
        p3d.load_prc_file_data(
            "",
            f"""
            window-type offscreen
            load-display p3headlessgl
            audio-library-name null
            win-size {SIZE[0]} {SIZE[1]}
            background-color 0.2 0.3 0.4 1
            model-cache-dir
            notify-level-egldisplay fatal
            {"gl-version 3 2" if core else ""}
            """,
        )
        from direct.actor.Actor import Actor
        from direct.showbase.ShowBase import ShowBase

        self.base = ShowBase()
        self.actor = Actor("models/panda-model", {"walk": "models/panda-walk4"})
        self.model = Actor("models/panda-model", {"walk": "models/panda-walk4"})
        self.actor.set_scale(0.01)
        self.actor.set_h(35.0)
        self.actor.reparent_to(self.base.render)
        self.actor.pose("walk", 7)
        for k in (4, 9, 16, 23, 30):
            name = self.actor.get_joints()[k].get_name()
            node = self.actor.control_joint(None, "modelRoot", name)
            node.set_hpr(node.get_hpr() + p3d.LVecBase3(15.0, 10.0 - k, k))
        hat = self.base.loader.load_model("models/box")
        hat.reparent_to(self.actor.expose_joint(None, "modelRoot", "Bone_jaw01"))
        hat.set_pos_hpr(0, 0, 60, 20, 30, 40)
        hat.set_scale(60)
        hat.set_color(1, 0.4, 0.1)
        self.actor.get_part_bundle("modelRoot").force_update()
        self.base.cam.set_pos(6, -11, 5)
        self.base.cam.look_at(0, 0, 3)
        self.floor = self.base.render.attach_new_node("floor")
        card = p3d.CardMaker("floor")
        card.set_frame(-8, 8, -8, 8)
        self.floor.attach_new_node(card.generate()).set_p(-90)
        self.floor.set_shader(p3d.Shader.make(p3d.Shader.SL_GLSL, *FLOOR))
        self.floor.hide()

    @property
    def joints(self) -> list[Any]:
        return list(self.actor.get_joints())

    def palette(self) -> np.ndarray:
        """Return the matrices of all joints to the scene, computed by Panda3D."""
        above = self.actor.find("**/+Character").get_mat(self.base.render)
        rows = []
        for joint in self.joints:
            mat = p3d.LMatrix4f()
            p3d.JointVertexTransform(joint).get_matrix(mat)
            rows.append(np.array(mat * above, np.float32).reshape(4, 4).T[:3])
        return np.array(rows)

    def picture(self, name: str = "") -> np.ndarray:
        for _ in range(2):
            self.base.task_mgr.step()
        texture = self.base.win.get_screenshot()
        if name and "IKRIG_PICTURES" in os.environ:
            image = p3d.PNMImage()
            texture.store(image)
            image.write(p3d.Filename(f"{os.environ['IKRIG_PICTURES']}/{name}.png"))
        data = np.frombuffer(memoryview(texture.get_ram_image()), np.uint8)
        return data.reshape(SIZE[1], SIZE[0], -1)[:, :, :3].astype(int)


def start_simplepbr() -> Any:
    import simplepbr

    # Mesa's software renderer crashes on its arrays of shadow maps, also without crowds
    new = "330" in sys.argv
    return simplepbr.init(
        msaa_samples=0,
        enable_shadows=False,
        use_330=new,
        enable_hardware_skinning=new,
    )


def main() -> None:
    core, simplepbr = ("core" in sys.argv), ("simplepbr" in sys.argv)
    try:
        studio = Studio(core)
    except OSError as error:
        print(json.dumps({"skip": str(error)}))
        return
    from ikrig import Crowd
    from ikrig.errors import GraphicsError
    from ikrig.scene.crowd import INCLUDE
    from ikrig.scene.crowd.draw import CrowdDrawing

    names = [joint.get_name() for joint in studio.joints]
    try:
        crowd = CrowdDrawing(studio.actor, names, 3, studio.base.render)
    except GraphicsError as error:
        print(json.dumps({"skip": str(error)}))
        return
    render = studio.base.render
    mine = studio.palette()
    away = mine.copy()
    away[:, :, 3] += (1000.0, 0.0, 0.0)
    poses = np.stack([away, mine, away])
    out: dict[str, Any] = {"calls": crowd.calls}

    def compare(name: str) -> None:
        studio.actor.hide()
        crowd.root.hide()
        empty = studio.picture()
        studio.actor.show()
        actor = studio.picture(f"{name}_actor")
        studio.actor.hide()
        crowd.root.show()
        crowd.write(poses)
        mine = studio.picture(f"{name}_crowd")
        out[name] = {
            "covered": int((actor != empty).any(axis=2).sum()),
            "off": int((np.abs(actor - mine).max(axis=2) > 2).sum()),
        }

    def light(node: p3d.Light) -> p3d.NodePath:
        path = render.attach_new_node(node)
        render.set_light(path)
        return path

    if simplepbr:
        # its shader reads the camera's place, which a task of its sets
        start_simplepbr()
        sun = p3d.DirectionalLight("sun")
        sun.set_color((2.0, 1.8, 1.5, 1))
        light(sun).set_hpr(30, -50, 0)
        crowd.set_shader(render.get_shader())
        compare("simplepbr")
        before = studio.picture()
        crowd.colors[1] = 0.1, 0.8, 0.2, 1
        crowd.write(poses)
        now = studio.picture("simplepbr_colour")
        out["coloured"] = int((np.abs(now - before).max(axis=2) > 10).sum())
        print(json.dumps(out))
        return
    if core:
        compare("plain")
        print(json.dumps(out))
        return
    compare("plain")
    ambient = p3d.AmbientLight("ambient")
    ambient.set_color((0.2, 0.2, 0.3, 1))
    light(ambient)
    compare("ambient")
    sun = p3d.DirectionalLight("sun")
    sun.set_color((0.9, 0.8, 0.6, 1))
    light(sun).set_hpr(30, -50, 0)
    compare("directional")
    lamp = p3d.PointLight("lamp")
    lamp.set_color((0.2, 0.4, 0.8, 1))
    lamp.set_attenuation((0.5, 0.1, 0.02))
    light(lamp).set_pos(4, -3, 4)
    compare("point")
    material = p3d.Material()
    material.set_specular((0.6, 0.5, 0.4, 1))
    material.set_shininess(12)
    material.set_emission((0.05, 0.0, 0.1, 1))
    material.set_diffuse((0.7, 0.9, 0.8, 1))
    render.set_material(material)
    compare("material")
    fog = p3d.Fog("fog")
    fog.set_color(0.6, 0.7, 0.8)
    fog.set_linear_range(8, 16)
    render.set_fog(fog)
    compare("fog")
    fog.set_exp_density(0.05)
    compare("exponential fog")
    render.clear_fog()
    render.clear_material()
    render.set_color_scale(0.5, 0.7, 1.0, 0.6)
    render.set_transparency(p3d.TransparencyAttrib.M_alpha)
    compare("transparent")
    render.clear_transparency()
    render.clear_color_scale()
    studio.actor.set_color_scale(0.3, 0.8, 0.6, 1)
    crowd.colors[1] = 0.3, 0.8, 0.6, 1
    compare("colours")
    studio.actor.clear_color_scale()
    crowd.colors[1] = 1

    # a member and the Actor in its place, also of a model in a colour of its own
    crowd.root.hide()
    studio.actor.hide()
    empty = studio.picture()
    studio.model.set_color_scale(1.0, 0.9, 0.8, 1)
    promoting = Crowd(studio.model, 2, render)
    promoting.scales = 0.01, 0.01
    promoting.positions[1] = 0.0, 1.0, 0.0
    promoting.play("walk", phase=0.3)
    promoting.visible[0] = False
    promoting.drawing.colors[1] = 0.4, 0.9, 0.6, 1
    for name in ("promoted", "repainted"):
        promoting.update(0.0)
        member = studio.picture(f"{name}_before")
        promoting.promote(1)
        if name == "repainted":
            promoting.drawing.colors[1] = 0.9, 0.4, 0.6, 1
        promoting.update(0.0)
        actor = studio.picture(f"{name}_actor")
        if name == "repainted":
            promoting.demote(1)
            promoting.update(0.0)
            member = studio.picture(f"{name}_member")
        promoting.demote(1)
        out[name] = {
            "covered": int((member != empty).any(axis=2).sum()),
            "off": int((np.abs(actor - member).max(axis=2) > 2).sum()),
        }
    promoting.drawing.detach()
    crowd.root.show()

    # out of the joints' box by nothing that is drawn
    tight = studio.actor.get_tight_bounds()
    crowd.write(poses, [False, True, False])
    low, high = crowd.bounds()
    out["inside"] = bool(
        (low <= np.array(tight[0]) + 1e-4).all()
        and (high >= np.array(tight[1]) - 1e-4).all()
    )
    out["box"] = float(((high - low) / np.array(tight[1] - tight[0])).max())

    # shadows on a floor, which looks up the light's map
    render.clear_light()
    sun = p3d.DirectionalLight("sun")
    sun.set_shadow_caster(True, 512, 512)
    sun.get_lens().set_film_size(14, 14)
    sun.get_lens().set_near_far(1, 40)
    path = light(sun)
    path.set_pos(8, -6, 14)
    path.look_at(0, 0, 0)
    studio.floor.show()
    compare("shadow")
    floor = studio.picture("floor")
    out["shadow"]["dark"] = int((floor.max(axis=2) == 0).sum())
    studio.floor.hide()
    # what the member receives: its own shadow
    compare_with = studio.picture()
    render.set_shader_auto()
    crowd.write(poses)
    out["own shadow"] = int((compare_with - studio.picture("own") > 40).any(2).sum())
    render.set_shader_off()
    render.clear_shader()
    render.clear_light()

    # a shader of a game's, written for Panda3D's hardware skinning
    crowd.write(poses)
    before = studio.picture()
    crowd.set_shader(p3d.Shader.make(p3d.Shader.SL_GLSL, *USERS))
    crowd.write(poses)
    textured = studio.picture("users")
    skin = (before != textured).any(axis=2).sum()
    out["users"] = {"covered": out["plain"]["covered"], "changed": int(skin)}
    crowd.set_shader(None)

    # and one with the include, beside an Actor whose vertices Panda3D itself skins
    for root, parts in (
        (crowd, (INCLUDE, SKINNED)),
        (studio.actor, ("", AS_GIVEN)),
    ):
        shader = p3d.Shader.make(p3d.Shader.SL_GLSL, INCLUDED % parts, NORMALS)
        root.set_shader(shader)
    compare("include")
    studio.actor.clear_shader()
    crowd.set_shader(None)

    # a texture array: the picture of each slot is one colour
    array = p3d.Texture("array")
    array.setup_2d_texture_array(
        4, 4, 2, p3d.Texture.T_unsigned_byte, p3d.Texture.F_rgb
    )
    for k, colour in enumerate(((1, 0, 0), (0, 0, 1))):
        image = p3d.PNMImage(4, 4)
        image.fill(*colour)
        array.load(image, k, 0)
    crowd.set_textures(array)
    for slot in (0, 1):
        crowd.slots[1] = slot
        crowd.write(poses)
        seen = studio.picture(f"slot{slot}").reshape(-1, 3)
        out[f"slot {slot}"] = int(
            (seen == ((0, 0, 255), (255, 0, 0))[slot]).all(1).sum()
        )
    crowd.set_textures(None)
    crowd.write(poses, [True, False, True])
    hidden = studio.picture()
    out["hidden"] = int((hidden != hidden[0, 0]).any(axis=2).sum())
    crowd.detach()
    out["left"] = render.find_all_matches("**/crowd").get_num_paths()
    print(json.dumps(out))


if __name__ == "__main__":
    main()
