"""Skin of an Actor, as its Figure has it."""

from __future__ import annotations

import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig.scene.actor.actor_figure import figure_of, limbs_of
from ikrig.scene.behaviours.sole import soles_of

from .stage import HUMANOID, Stage


def address(transform: p3d.JointVertexTransform) -> int:
    return int(transform.this)  # type: ignore[attr-defined]


@pytest.mark.parametrize("order", [1, -1])
def test_skin_of_equal_weights_belongs_to_the_first_joint(order: int) -> None:
    actor = Actor(str(HUMANOID))
    skeleton = ikrig.ActorRig(actor).skeleton
    pair = list(skeleton.joints)[3:5]
    # a blend is sorted by address, which differs from run to run: try both orders
    made = [
        [p3d.JointVertexTransform(skeleton.joints[name]) for name in pair]
        for _ in range(100)
    ]
    first = max((firsts for firsts, _ in made), key=lambda it: order * address(it))
    second = min((others for _, others in made), key=lambda it: order * address(it))
    table = p3d.TransformBlendTable()
    for transforms in ((first, second), (second, first)):
        blend = p3d.TransformBlend()
        for transform in transforms:
            blend.add_transform(transform, 0.5)
        table.add_blend(blend)
    form = p3d.GeomVertexArrayFormat()
    form.add_column("vertex", 3, p3d.Geom.NT_float32, p3d.Geom.C_point)
    form.add_column("transform_blend", 1, p3d.Geom.NT_uint16, p3d.Geom.C_index)
    whole = p3d.GeomVertexFormat()
    whole.add_array(form)
    data = p3d.GeomVertexData(
        "skin", p3d.GeomVertexFormat.register_format(whole), p3d.Geom.UH_static
    )
    vertex = p3d.GeomVertexWriter(data, "vertex")
    index = p3d.GeomVertexWriter(data, "transform_blend")
    for k in range(table.get_num_blends()):
        vertex.add_data3(k, 0, 1)
        index.add_data1i(k)
    data.set_transform_blend_table(table)
    for path in actor.find_all_matches("**/+GeomNode"):
        path.remove_node()
    node = p3d.GeomNode("skin")
    node.add_geom(p3d.Geom(data))
    skeleton.space.get_parent().attach_new_node(node)
    assert list(figure_of(skeleton).skin) == [pair[0]]
    actor.cleanup()


def test_actors_of_a_model_share_their_figure(stage: Stage) -> None:
    one, two, moved, changed = (stage.body("humanoid") for _ in range(4))
    moved.set_pos(3, 1, 0)
    (node,) = [
        path.node()
        for path in changed.find_all_matches("**/+GeomNode")
        if path.node().get_geom(0).get_vertex_data().get_transform_blend_table()
    ][:1]
    writer = p3d.GeomVertexWriter(node.modify_geom(0).modify_vertex_data(), "vertex")
    writer.set_data3(0.1, 0.2, 0.3)
    rigs = [ikrig.ActorRig(actor) for actor in (one, two, moved, changed)]
    first, *others = (figure_of(rig.skeleton) for rig in rigs)
    assert [figure is first for figure in others] == [True, True, False]
    assert limbs_of(rigs[0].skeleton) is limbs_of(rigs[1].skeleton)
    assert soles_of(rigs[0].skeleton, ["LeftFoot"], None) == soles_of(
        rigs[1].skeleton, ["LeftFoot"], None
    )
