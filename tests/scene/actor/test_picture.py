"""The drawn pose is that of the same frame; in a process with a renderer."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest

PICTURE = '''
    import json, sys
    import numpy as np
    import panda3d.core as p3d
    hardware = sys.argv[1] == "hardware"
    SKINNED = """#version 130
    in vec4 p3d_Vertex; in vec3 p3d_Normal; in vec4 transform_weight;
    in uvec4 transform_index; out vec3 normal;
    uniform mat4 p3d_ModelViewProjectionMatrix; uniform mat4 p3d_TransformTable[100];
    void main() {
        mat4 m = p3d_TransformTable[transform_index.x] * transform_weight.x
               + p3d_TransformTable[transform_index.y] * transform_weight.y
               + p3d_TransformTable[transform_index.z] * transform_weight.z
               + p3d_TransformTable[transform_index.w] * transform_weight.w;
        gl_Position = p3d_ModelViewProjectionMatrix * m * p3d_Vertex;
        normal = mat3(m) * p3d_Normal;
    }"""
    LIT = """#version 130
    in vec3 normal; out vec4 color;
    void main() { color = vec4(0.5 + 0.5 * normalize(normal), 1); }"""
    p3d.load_prc_file_data("", f"""
        window-type offscreen
        load-display {"p3headlessgl" if hardware else "p3tinydisplay"}
        aux-display p3tinydisplay
        hardware-animated-vertices {int(hardware)}
        audio-library-name null
        win-size 320 240
        background-color 0 0 0 1
        model-cache-dir
        notify-level-egldisplay error
    """)
    from direct.showbase.ShowBase import ShowBase
    try:
        base = ShowBase()
    except Exception as error:
        print(json.dumps({"skip": str(error)}))
        sys.exit()
    if hardware and not base.win.get_gsg().get_supports_glsl():
        print(json.dumps({"skip": "no GLSL"}))
        sys.exit()
    from direct.actor.Actor import Actor
    from ikrig.scene.actor.actor_rig import ActorRig
    from tests.scene.actor.stage import geoms, net, place, skin

    clock = p3d.ClockObject.get_global_clock()
    clock.mode = p3d.ClockObject.M_non_real_time
    clock.dt = 1 / 60
    tex = p3d.Texture()
    base.win.add_render_texture(
        tex, p3d.GraphicsOutput.RTM_copy_ram, p3d.GraphicsOutput.RTP_color)
    base.disable_mouse()
    base.cam.set_pos_hpr(9, -9, 2, 45, 0, 0)
    actor = Actor("models/panda-model", {"walk": "models/panda-walk4"})
    actor.set_scale(0.005)
    actor.set_texture_off(1)
    def shader(skinned):
        vertex = SKINNED
        if not skinned:
            vertex = vertex.replace("* m * p3d", "* p3d").replace("mat3(m) * p", "p")
        return p3d.Shader.make(p3d.Shader.SL_GLSL, vertex, LIT)
    if hardware:
        attrib = p3d.ShaderAttrib.make(shader(True))
        actor.set_attrib(attrib.set_flag(p3d.ShaderAttrib.F_hardware_skinning, True))
    actor.reparent_to(base.render)
    sun = base.render.attach_new_node(p3d.DirectionalLight("sun"))
    sun.set_hpr(30, -40, 0)
    base.render.set_light(sun)
    actor.loop("walk")
    base.task_mgr.step()
    rig = ActorRig(actor)
    chain = rig.chain("Bone_rf_foot", 3)
    exposed = actor.expose_joint(None, "modelRoot", "Bone_rf_foot")
    base.task_mgr.add(
        lambda t: exposed.get_pos(base.render) and t.cont or t.cont, "early", sort=10)
    rig.start()

    seen = []

    def after(task):
        # the clock has ticked: what was drawn is in the joints until somebody asks
        seen.append(float(np.linalg.norm(
            net(actor, "Bone_rf_foot")[3, :3] - place(actor, chain.target))))
        return task.cont

    base.task_mgr.add(after, "after", sort=55)

    def shot():
        data = np.frombuffer(memoryview(tex.get_ram_image()), np.uint8)
        return data.reshape(240, 320, -1)[:, :, :3].astype(int)

    def changed(a, b):
        return int((np.abs(a - b).max(axis=2) > 24).sum())

    chain.target.set_pos(chain.target.get_pos() + (0.1, -0.3, 0.4))
    for _ in range(6):
        base.task_mgr.step()
    drawn, pose = shot(), skin(actor)
    foot = max(seen)

    # the same vertices as a plain mesh, in the Actor's place
    still = base.render.attach_new_node("still")
    for path, data in list(geoms(actor)):
        moved = p3d.GeomVertexData(
            data.animate_vertices(True, p3d.Thread.get_current_thread()))
        for i in range(path.node().get_num_geoms()):
            node = p3d.GeomNode("still")
            geom = path.node().get_geom(i).make_copy()
            geom.set_vertex_data(moved)
            node.add_geom(geom, path.node().get_geom_state(i))
            still.attach_new_node(node).set_transform(path.get_transform(base.render))
            still.set_state(path.get_net_state())
    if hardware:
        still.set_shader(shader(False), 2)
    actor.hide()
    base.task_mgr.step()
    base.graphics_engine.render_frame()
    out = {"same": changed(drawn, shot()), "foot": foot}
    still.hide()
    actor.show()
    chain.weight = 0.0
    base.task_mgr.step()
    base.graphics_engine.render_frame()
    out["ik"] = changed(drawn, shot())
    # out of sight no joint is computed by Panda3D itself
    chain.weight = 1.0
    chain.target.wrt_reparent_to(actor)
    actor.set_x(1000)
    seen.clear()
    for _ in range(5):
        base.task_mgr.step()
    out["away"] = max(seen)
    out["size"] = float(np.linalg.norm(np.ptp(pose, axis=0)))
    print(json.dumps(out))
'''


@pytest.mark.parametrize("skinning", ["software", "hardware"])
def test_drawn_pose_is_that_of_the_frame(skinning):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PICTURE), skinning],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    out = json.loads(done.stdout.splitlines()[-1])
    if "skip" in out:
        pytest.skip(f"Panda3D has no renderer here: {out['skip']}")
    assert out["ik"] > 100
    assert out["same"] < 0.01 * out["ik"]
    assert out["foot"] < 1e-5 * out["size"]
    assert out["away"] < 1e-5 * out["size"]
