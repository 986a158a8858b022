"""Sliding nodes, and nodes tagged with their joint, checked on the scene graph."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import (
    AxesLimit,
    BindError,
    ConeLimit,
    FixedLimit,
    HingeLimit,
    IKChain,
    IKTree,
    SlideLimit,
)
from tests.methods import METHODS
from tests.scene.conftest import gap

methods = pytest.mark.parametrize("method", METHODS)

ABOVE = {
    "plain": {},
    "moved and turned": {"pos": (3, -2, 5), "hpr": (50, 20, -70)},
    "scaled": {"scale": (2.5, 2.5, 2.5)},
    "scaled unevenly": {"scale": (2, 0.5, 1.3), "hpr": (10, 20, 30)},
    "mirrored": {"scale": (-1, 1, 1)},
    "all of it": {"pos": (1, 2, 3), "hpr": (100, 40, 10), "scale": (-2, 2, 2)},
}
# inside the chain scales must be even, but may mirror
INSIDE = {"plain": (1, 1, 1), "larger": (2, 2, 2), "mirrored": (-1.5, 1.5, 1.5)}

above = pytest.mark.parametrize("outer", ABOVE)
inside = pytest.mark.parametrize("inner", INSIDE)


def place_root(world, outer: str) -> p3d.NodePath:
    root = world.attach_new_node("root")
    how = ABOVE[outer]
    root.set_pos(*how.get("pos", (0, 0, 0)))
    root.set_hpr(*how.get("hpr", (0, 0, 0)))
    root.set_scale(*how.get("scale", (1, 1, 1)))
    return root


def scara(root, inner: str = "plain") -> list[p3d.NodePath]:
    """Two hinges about the vertical, a slide and a tool, turned any way in between."""
    carrier = root.attach_new_node("shoulder")
    carrier.set_pos(0.1, 0.2, 0.4)
    carrier.set_hpr(20, 0, 0)
    nodes = [carrier]
    for name, pos, hpr in (
        ("elbow", (0.7, 0, 0), (35, 0, 0)),
        ("quill", (0.6, 0, 0), (-15, 0, 0)),
        ("tool", (0.0, 0, -0.2), (0, 10, 0)),
    ):
        node = nodes[-1].attach_new_node(name)
        node.set_pos(*pos)
        node.set_hpr(*hpr)
        nodes.append(node)
    carrier.set_scale(*INSIDE[inner])
    return nodes


SCARA_LIMITS = {
    "shoulder": HingeLimit("z", -2.2, 2.2),
    "elbow": HingeLimit("z", -2.2, 2.2),
    "quill": SlideLimit("z", -0.5, 0.1),
    "tool": FixedLimit(),
}


@methods
@above
def test_only_sliding_nodes_are_moved(world, outer, method):
    root = place_root(world, outer)
    nodes = scara(root)
    places = [node.get_pos() for node in nodes]
    chain = IKChain(
        nodes[-1], 3, solver=method, limits=SCARA_LIMITS, iterations=60, max_step=None
    )
    rng = np.random.default_rng(4)
    start = nodes[-1].get_pos(root)
    for _ in range(5):
        way = p3d.LVector3f(*rng.uniform((-0.5, -0.5, -0.45), (-0.1, -0.2, 0.05)))
        chain.target.set_pos(root, start + way)
        assert chain.solve().converged
        assert gap(chain) <= 1.1e-3 * chain.reach
        for j in (0, 1, 3):
            assert nodes[j].get_pos() == places[j]
        moved = nodes[2].get_pos() - places[2]
        assert moved.xy.length() < 1e-6
        assert moved.z == pytest.approx(way.z, abs=2e-3)
        assert chain.joint_angles[2][0] == pytest.approx(moved.z, abs=1e-6)
        assert nodes[2].get_hpr().almost_equal(p3d.LVecBase3f(-15, 0, 0), 1e-3)


def test_moved_sliding_node_is_overwritten_and_keeps_its_zero(world):
    nodes = scara(world)
    chain = IKChain(nodes[-1], 3, solver="dls", limits=SCARA_LIMITS)
    chain.target.set_z(chain.target, -0.2)
    assert chain.solve().converged
    before, z = chain.model, nodes[2].get_z()
    nodes[2].set_z(0.7)
    nodes[0].set_h(50)
    assert chain.solve().converged
    assert chain.model is before
    assert nodes[2].get_z() == pytest.approx(z, abs=1e-3)
    assert chain.joint_angles[2][0] == pytest.approx(nodes[2].get_z(), abs=1e-6)
    # that is its zero still when another bone has become longer meanwhile
    nodes[1].set_x(0.8)
    assert chain.solve().converged
    assert chain.model is not before
    assert chain.bone_lengths[0] == pytest.approx(0.8, abs=1e-6)
    assert chain.bone_lengths[1] == pytest.approx(0.6, abs=1e-6)
    chain.target.set_z(chain.target, -9)
    chain.solve()
    assert nodes[2].get_z() == pytest.approx(-0.5, abs=1e-6)


def test_slides_stretch_with_their_bones(world):
    nodes = scara(world)
    chain = IKChain(nodes[-1], 3, solver="dls", limits=SCARA_LIMITS, stretch=0.2)
    chain.target.set_pos(9, 9, 0)
    result = chain.solve()
    assert result.lengthening == pytest.approx(1.2)
    assert nodes[2].get_x() == pytest.approx(0.72, abs=1e-6)
    chain.rebind()
    assert nodes[2].get_x() == pytest.approx(0.6, abs=1e-6)


@pytest.mark.parametrize("pinned", [True, False])
@above
def test_trees_with_slides(world, outer, pinned):
    root = place_root(world, outer)
    base = root.attach_new_node("base")
    base.set_pos(0.3, 0, 0.1)
    lift = base.attach_new_node("lift")
    lift.set_z(1)
    for side, x in (("l", -1), ("r", 1)):
        node = lift
        for name in ("upper", "lower", "hand"):
            node = node.attach_new_node(f"{name} {side}")
            node.set_pos(0.5 * x, 0.05, 0)
    limits = {"base": SlideLimit("y", -1, 1), "lift": SlideLimit("z", -0.3, 0.6)}
    body = IKTree(base, limits=limits, pinned=pinned, iterations=50)
    for effector in body.effectors:
        way = p3d.LVector3f(0, 0.6, 0.5)
        effector.target.set_pos(root, effector.target.get_pos(root) + way)
    for _ in range(3):
        result = body.solve()
    assert result.converged
    for effector in body.effectors:
        away = effector.leaf.get_pos(root) - effector.target.get_pos(root)
        assert away.length() < 3e-3
    z = lift.get_pos().z - 1
    assert -0.3 - 1e-6 <= z <= 0.6 + 1e-6
    assert body.joint_angles[1][0] == pytest.approx(z, abs=1e-6)
    if pinned:
        assert base.get_pos().xz == p3d.LPoint2f(0.3, 0.1)
        assert body.joint_angles[0][0] == pytest.approx(base.get_y(), abs=1e-6)
    # solved again it stands still
    places = [node.get_pos(root) for node in body.bones]
    body.solver = "dls"
    body.solve()
    for node, place in zip(body.bones, places, strict=True):
        assert (node.get_pos(root) - place).length() < 5e-3


# -- nodes that know their own joint ---------------------------------------------------


class Turning:
    """A joint that turns about an axis of its parent node; counts its own angle."""

    def __init__(self, node, axis, lower, upper):
        self.node, self.axis = node, p3d.LVector3f(*axis)
        self.axis.normalize()
        self.range = lower, upper
        self.start = p3d.LQuaternionf(node.get_quat())
        node.set_python_tag("ikrig-joint", self)

    @property
    def value(self) -> float:
        turn = self.start.conjugate() * self.node.get_quat()
        sine = turn.get_axis_normalized().dot(self.axis)
        assert abs(turn.get_angle_rad()) < 1e-3 or abs(abs(sine) - 1.0) < 1e-3
        angle = turn.get_angle_rad() * np.sign(sine)
        return float((angle + np.pi) % (2 * np.pi) - np.pi)

    @property
    def limit(self):
        lower, upper = (bound - self.value for bound in self.range)
        return HingeLimit(self.axis, lower, upper)


class Sliding:
    """The same for a slide."""

    def __init__(self, node, axis, lower, upper):
        self.node, self.axis = node, p3d.LVector3f(*axis)
        self.axis.normalize()
        self.range = lower, upper
        self.start = node.get_pos()
        node.set_python_tag("ikrig-joint", self)

    @property
    def value(self) -> float:
        moved = self.node.get_pos() - self.start
        along = moved.dot(self.axis)
        assert (moved - self.axis * along).length() < 1e-5
        return along

    @property
    def limit(self):
        lower, upper = (bound - self.value for bound in self.range)
        return SlideLimit(self.axis, lower, upper)


class Welded:
    limit = FixedLimit()


def knowing_arm(root, inner="plain"):
    nodes = scara(root, inner)
    joints = [
        Turning(nodes[0], (0.1, 0.2, 1), -1.5, 2.0),
        Turning(nodes[1], (0, 0.3, 1), -1.9, 1.2),
        Sliding(nodes[2], (0.3, 0.1, 1), -0.4, 0.25),
    ]
    nodes[3].set_python_tag("ikrig-joint", Welded())
    return nodes, joints


def pose_at_random(rng, joints) -> None:
    """Put the joints somewhere inside their ranges by the engine's own means."""
    for joint in joints:
        value = rng.uniform(*joint.range)
        if isinstance(joint, Turning):
            turn = p3d.LQuaternionf()
            turn.set_from_axis_angle_rad(value, joint.axis)
            joint.node.set_quat(joint.start * turn)
        else:
            joint.node.set_pos(joint.start + joint.axis * value)


def check_ranges(joints) -> None:
    for joint in joints:
        lower, upper = joint.range
        assert lower - 1e-4 <= joint.value <= upper + 1e-4


@above
@inside
def test_chains_use_limits_of_tagged_nodes(world, outer, inner):
    root = place_root(world, outer)
    nodes, joints = knowing_arm(root, inner)
    ghost, models = knowing_arm(root, inner)
    rng = np.random.default_rng(9)
    # bound in the middle of its ranges
    pose_at_random(rng, joints)
    chain = IKChain(nodes[-1], 3, solver="dls", iterations=200)
    assert set(chain.limits) == {"shoulder", "elbow", "quill", "tool"}
    assert chain.limits["tool"] == FixedLimit()
    hpr = nodes[-1].get_hpr()
    for _ in range(12):
        pose_at_random(rng, models)
        chain.target.set_pos(ghost[-1], 0, 0, 0)
        # fixed, it does not turn with its target
        chain.target.set_h(root, rng.uniform(0, 360))
        result = chain.solve()
        assert gap(chain) == pytest.approx(result.error, abs=1e-4)
        assert result.converged, result
        check_ranges(joints)
        assert nodes[-1].get_hpr().almost_equal(hpr, 1e-3)
    # what holds it back is at the end of its own range
    chain.target.set_pos(root, 50, 40, 30)
    blocked = chain.solve().blocked_by
    for joint, _, end in blocked:
        assert joints[joint].value == pytest.approx(
            joints[joint].range[end == "upper"], abs=1e-4
        )


def test_given_limits_override_tags(world):
    nodes, _ = knowing_arm(world)
    mine = HingeLimit("z", -0.1, 0.1)
    chain = IKChain(nodes[-1], 3, solver="dls", limits={"elbow": mine})
    assert chain.limits["elbow"] == mine
    assert isinstance(chain.limits["quill"], SlideLimit)
    wider = SlideLimit("z", -2, 2)
    chain.limits = {2: wider, -1: HingeLimit("z")}
    assert chain.limits[2] == wider
    assert "quill" not in chain.limits
    assert "tool" not in chain.limits
    # its own again
    assert chain.limits["elbow"].upper == pytest.approx(1.2)
    # what is shown can be set again, changed
    chain.limits = {**chain.limits, "elbow": mine}
    assert chain.limits["elbow"] == mine
    chain.limits = None
    assert isinstance(chain.limits["quill"], SlideLimit)


def test_mirrored_parent_mirrors_cones_and_axes(world):
    # the same region by a node's own limit below a mirror, and given in root space
    mirror = world.attach_new_node("above")
    first = mirror.attach_new_node("first")
    first.set_scale(-1, 1, 1)
    second = first.attach_new_node("second")
    third = second.attach_new_node("third")
    second.set_pos(0.1, 0.2, 1)
    third.set_pos(0, 0, 1)

    class Own:
        limit = ConeLimit((0.2, 0.4, 0.8, 1.2), twist=(-0.1, 0.3), up="y")

    second.set_python_tag("ikrig-joint", Own())
    chain = IKChain(third, 2)
    found = chain.limits["second"]
    # to the right of the mirrored is to the left
    assert found.half_angles == (0.8, 0.4, 0.2, 1.2)
    assert found.twist == (-0.3, 0.1)
    assert np.allclose(found.up, (0, 1, 0))
    Own.limit = AxesLimit("xz", (-0.1, -0.2), (0.3, 0.4))
    chain.rebind()
    found = chain.limits["second"]
    # a mirror across x keeps turns about x, and reverses the others
    assert np.allclose(found.axes, [(1, 0, 0), (0, 0, -1)])
    assert (found.lower, found.upper) == ((-0.1, -0.2), (0.3, 0.4))


def test_invalid_tags_are_named(world):
    nodes = scara(world)

    class Free:
        limit = None

    nodes[1].set_python_tag("ikrig-joint", Free())
    chain = IKChain(nodes[-1], 3)
    assert chain.limits == {}
    nodes[1].set_python_tag("ikrig-joint", "hinge")
    with pytest.raises(BindError, match=r"elbow.*limit.*'hinge'"):
        IKChain(nodes[-1], 3)
    with pytest.raises(BindError, match="elbow"):
        chain.rebind()
    assert chain.solve().converged
