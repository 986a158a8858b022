"""SplineIK on nodes, on Actors and in rig files."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor
from direct.showutil.Rope import Rope

import ikrig
from tests.scene.actor.stage import HUMANOID


@pytest.fixture
def figure(world):
    actor = Actor(HUMANOID)
    actor.reparent_to(world)
    yield actor
    actor.cleanup()


BEZIER = np.array([[0, 0, 0], [3, 0, 0], [3, 3, 0], [0, 3, 3]], float)


def beads(count: int = 8, length: float = 0.9) -> tuple[p3d.NodePath, list]:
    root = p3d.NodePath("root")
    node = root.attach_new_node("bead0")
    nodes = [node]
    for k in range(1, count):
        node = node.attach_new_node(f"bead{k}")
        node.set_pos(0, 0, length)
        nodes.append(node)
    return root, nodes


def places(nodes, root) -> np.ndarray:
    return np.array([node.get_pos(root) for node in nodes])


def bezier(u) -> np.ndarray:
    t = np.asarray(u, float)[:, None]
    rows = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
    return sum(row * point for row, point in zip(rows, BEZIER, strict=True))


def handles_of(root) -> list[p3d.NodePath]:
    nodes = [root.attach_new_node(f"handle{k}") for k in range(4)]
    for node, point in zip(nodes, BEZIER, strict=True):
        node.set_pos(*point)
    return nodes


def rope_of(root) -> Rope:
    rope = Rope()
    rope.setup(4, [{"node": root, "point": tuple(point)} for point in BEZIER])
    rope.reparent_to(root)
    return rope


def evaluator_of(root) -> p3d.NurbsCurveEvaluator:
    return rope_of(root).curve


def hermite_of(root) -> p3d.HermiteCurve:
    curve = p3d.HermiteCurve()
    slopes = 3 * (BEZIER[1] - BEZIER[0]), 3 * (BEZIER[3] - BEZIER[2])
    for k, point in enumerate((BEZIER[0], BEZIER[3])):
        curve.insert_cv(float(k))
        curve.set_cv_type(k, p3d.HC_FREE)
        curve.set_cv_point(k, p3d.LVecBase3f(*point))
        curve.set_cv_in(k, p3d.LVecBase3f(*slopes[k]))
        curve.set_cv_out(k, p3d.LVecBase3f(*slopes[k]))
    curve.recompute()
    return curve


CURVES = {
    "handles": lambda root: (handles_of(root), {"bezier": True}),
    "rope": lambda root: (rope_of(root), {}),
    "evaluator": lambda root: (evaluator_of(root), {}),
    "parametric": lambda root: (hermite_of(root), {}),
    "function": lambda root: (bezier, {}),
}


@pytest.mark.parametrize("kind", CURVES)
def test_every_kind_of_curve_is_the_same(kind):
    root, nodes = beads()
    curve, settings = CURVES[kind](root)
    spline = ikrig.SplineIK(nodes[0], ["bead0", "bead7"], curve, **settings)
    spline.rig.update(1 / 60)
    found = places(nodes, root)
    line = bezier(np.linspace(0, 1, 20001))
    size = np.linalg.norm(np.diff(line, axis=0), axis=1).sum()
    assert spline.length == pytest.approx(size, rel=1e-5)
    for place in found[:7]:
        assert np.linalg.norm(line - place, axis=1).min() < 1e-3
    assert np.allclose(np.linalg.norm(np.diff(found, axis=0), axis=1), 0.9, atol=1e-5)
    spline.stretch = True
    spline.rig.update(1 / 60)
    assert np.allclose(nodes[-1].get_pos(root), BEZIER[-1], atol=1e-3)


def test_curve_through_nodes_follows_them_in_any_space():
    root, nodes = beads()
    ship = root.attach_new_node("ship")
    ship.set_pos_hpr_scale((1, 2, 3), (40, 10, 5), (2, 2, 2))
    handles = [ship.attach_new_node(f"h{k}") for k in range(3)]
    for node, point in zip(handles, ((0, 0, 0), (1, 0, 0.5), (2, 1, 0)), strict=True):
        node.set_pos(*point)
    spline = ikrig.SplineIK(nodes[0], ["bead0"], handles, stretch=True)
    for _ in range(3):
        ship.set_h(ship.get_h() + 30)
        spline.rig.update(1 / 60)
        assert nodes[0].get_pos(root).almost_equal(handles[0].get_pos(root), 1e-4)
        assert nodes[-1].get_pos(root).almost_equal(handles[-1].get_pos(root), 1e-4)
    # nodes go back to their own pose without it
    spline.weight = 0.0
    spline.rig.update(1 / 60)
    assert np.allclose(places(nodes, root)[:, 2], np.arange(8) * 0.9, atol=1e-5)


def test_handles_are_drawn_and_dragged(caplog):
    root, nodes = beads()
    camera = root.attach_new_node(p3d.Camera("cam"))
    spline = ikrig.SplineIK(nodes[0], ["bead0"], handles_of(root))
    gizmos = ikrig.Gizmos(root, camera)
    gizmos.add(spline)
    gizmos.update()
    assert [end.get_name() for _, end in spline._lines()] == [
        f"handle{k}" for k in range(4)
    ]
    assert not caplog.records


def test_points_of_a_spline_are_in_a_space():
    root, nodes = beads()
    deck = root.attach_new_node("deck")
    deck.set_pos(0, 5, 0)
    path = ikrig.Spline(points=[(0, 0, 0), (4, 0, 0), (4, 4, 0)])
    spline = ikrig.SplineIK(nodes[0], ["bead0"], path, space=deck)
    spline.rig.update(1 / 60)
    assert nodes[0].get_pos(root).almost_equal(p3d.LPoint3f(0, 5, 0), 1e-5)
    spline.offset = 1.0
    spline.rig.update(1 / 60)
    assert nodes[0].get_pos(deck).x == pytest.approx(1.0, abs=0.1)


def test_full_turns_of_the_end_add_up():
    root, nodes = beads()
    knob = root.attach_new_node("knob")
    knob.set_pos_hpr((0, 0, 7), (25, 0, 0))
    path = ikrig.Spline(points=[(0, 0, 0), (0, 0, 4), (0, 0, 9)])
    spline = ikrig.SplineIK(nodes[0], ["bead0", "bead7"], path, end=knob)
    spline.rig.update(1 / 60)
    assert nodes[6].get_h(root) == pytest.approx(0.0, abs=1e-3)
    for turn in range(1, 73):
        knob.set_h(25 + 10 * turn)
        spline.rig.update(1 / 60)
    # two turns over six bones: 120 degrees each
    assert nodes[3].get_h(nodes[2]) == pytest.approx(120.0, abs=1e-2)


def test_handles_of_a_spine_leave_an_actor_as_it_is(figure):
    rig = ikrig.ActorRig(figure)
    joints = ["Hips", "Head"]
    handles = ikrig.SplineIK.handles(rig, joints, 3)
    names = ["Hips", "Spine1", "Head"]
    nodes = [rig.joint(name) for name in names]
    before = [node.get_mat(figure) for node in nodes]
    spline = ikrig.SplineIK(rig, joints, handles)
    rig.update(1 / 60)
    for node, mat in zip(nodes, before, strict=True):
        assert (node.get_pos(figure) - mat.get_row3(3)).length() < 0.02
    handles.get_child(2).set_x(0.5)
    rig.update(1 / 60)
    assert nodes[-1].get_x(figure) > 0.2
    spline.remove()
    rig.update(1 / 60)
    assert (nodes[-1].get_pos(figure) - before[-1].get_row3(3)).length() < 1e-5


def test_in_rig_files(world, tmp_path):
    file = tmp_path / "rig.yaml"
    file.write_text(
        f"""
model: {HUMANOID.as_posix()}
nodes:
  path: {{}}
  a: {{parent: path, pos: [0, 0, 1]}}
  b: {{parent: path, pos: [0.3, 0, 1.3]}}
  c: {{parent: path, pos: [0, 0, 1.6]}}
behaviours:
  back:
    kind: spline
    joints: [Hips, Head]
    curve: path
    stretch: 1.5
    twist_deg: 30
    pinned: true
"""
    )
    rig = ikrig.load_rig(file, parent=world, allow=[HUMANOID.parent])
    (spline,) = rig.actor_rig.layers
    assert spline.stretch == 1.5
    assert spline.twist == pytest.approx(np.radians(30))
    assert [node.get_name() for node in spline.curve_nodes] == ["a", "b", "c"]
    other = tmp_path / "other.yaml"
    spline.curve_nodes[1].set_x(0.4)
    ikrig.dump_rig(rig, other)
    again = ikrig.load_rig(other, parent=world, allow=[HUMANOID.parent])
    (copy,) = again.actor_rig.layers
    assert copy.pinned
    assert copy.joints == spline.joints
    assert copy.curve_nodes[1].get_x() == pytest.approx(0.4)


def test_a_rig_of_code_is_dumped_with_its_handles(figure, world, tmp_path):
    rig = ikrig.ActorRig(figure)
    group = ikrig.SplineIK.handles(rig, ["Hips", "Head"], 3, parent=world)
    ikrig.SplineIK(rig, ["Hips", "Head"], list(group.get_children()))
    file = tmp_path / "rig.yaml"
    ikrig.dump_rig(rig, file)
    text = file.read_text()
    for node in (group, *group.get_children()):
        assert f"{node.get_name()}:" in text


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_keeps_the_pose(bad):
    root, nodes = beads()
    points = bezier

    def curve(u):
        return points(u) + (bad if broken else 0.0)

    broken = False
    spline = ikrig.SplineIK(nodes[0], ["bead0"], curve)
    spline.rig.update(1 / 60)
    broken = True
    spline.rig.update(1 / 60)
    assert np.isfinite(places(nodes, root)).all()


def test_mistakes():
    root, nodes = beads()
    handles = handles_of(root)
    for joints, curve, settings, message in (
        (["bead9"], handles, {}, "no joint 'bead9'"),
        ("bead0", handles, {}, "joints must be a list"),
        (["bead5", "bead2"], handles, {}, "'bead2' is not below 'bead5'"),
        (["bead0"], handles[:1], {}, "two handles or more"),
        (["bead0"], handles[:3], {"bezier": True}, "4, 7, 10 ... handles, not 3"),
        (["bead0"], "handles", {}, "curve must be a list of nodes"),
        (["bead0"], [handles[0], None], {}, "curve must be a NodePath"),
        (["bead0"], handles, {"stretch": 0.5}, "stretch"),
        (["bead0"], handles, {"offset": np.nan}, "offset"),
    ):
        with pytest.raises(ikrig.IkrigError, match=message):
            ikrig.SplineIK(nodes[0], joints, curve, **settings)
    with pytest.raises(ikrig.SettingError, match="count"):
        ikrig.SplineIK.handles(nodes[0], ["bead0"], 9)
    with pytest.raises(ikrig.BindError, match="parent must be a NodePath"):
        ikrig.SplineIK.handles(nodes[0], ["bead0"], 3, parent="world")
    with pytest.raises(ikrig.BindError, match="space must be a NodePath"):
        ikrig.SplineIK(nodes[0], ["bead0"], handles, space="world")


def fail(u):
    raise KeyError("lost")


@pytest.mark.parametrize(
    "curve, words",
    [(fail, "lost"), (p3d.NurbsCurveEvaluator(), "points must be finite")],
)
def test_curves_that_fail_are_logged_once_and_keep_the_pose(
    figure, capfd, curve, words
):
    rig = ikrig.ActorRig(figure)
    ikrig.SplineIK(rig, ["Spine", "Head"], curve)
    before = rig.joint("Head").get_mat(figure)
    for _ in range(3):
        rig.update(1 / 60)
    assert rig.joint("Head").get_mat(figure).almost_equal(before, 1e-5)
    assert "".join(capfd.readouterr()).count(words) == 1


def test_ends_that_are_not_finite_are_logged_once(figure, world, capfd):
    rig = ikrig.ActorRig(figure)
    handles = ikrig.SplineIK.handles(rig, ["Spine", "Head"])
    end = world.attach_new_node("end")
    ikrig.SplineIK(rig, ["Spine", "Head"], handles, end=end)
    rig.update(1 / 60)
    end.set_h(np.inf)
    for _ in range(3):
        rig.update(1 / 60)
    said = "".join(capfd.readouterr())
    assert said.count("the rotation of end is not finite") == 1
    assert not rig.joint("Head").get_mat(figure).is_nan()
