"""IKChain: measurements, rotations and robustness in real scene graphs."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import BindError, IKChain, IkrigError, SolveStatus
from tests import reference
from tests.scene.conftest import limb

PARENTS = {
    "identity": lambda node: None,
    "moved": lambda node: node.set_pos(3, -4, 5),
    "rotated": lambda node: node.set_hpr(20, 50, 70),
    "uniform": lambda node: node.set_scale(3.7),
    "non-uniform": lambda node: (node.set_hpr(20, 30, 40), node.set_scale(1, 2, 0.5)),
    "mirrored": lambda node: (node.set_hpr(5, 6, 7), node.set_scale(1, 1, -1)),
}

INSIDE = {
    "plain": (1, 1, 1, 1, 1),
    "scaled": (1.5, 0.7, 1, 2, (1, 3, 1)),
    "mirrored": (1, -1, (1, 1, -1), (-2, 2, 2), 1),
}


def linear(node: p3d.NodePath, root: p3d.NodePath) -> np.ndarray:
    """Linear part of a node's transform below root, column vectors."""
    m = node.get_mat(root)
    return np.array([[m.get_cell(c, r) for c in range(3)] for r in range(3)])


def turn_of(matrix: np.ndarray) -> np.ndarray:
    """Orthonormal part (maybe mirrored) of a matrix without shear."""
    return matrix / np.linalg.norm(matrix, axis=0)


def places(nodes, root) -> np.ndarray:
    return np.array([tuple(node.get_pos(root)) for node in nodes])


def test_chain_measures_its_bones(world):
    nodes = limb(world.attach_new_node("body"))
    chain = IKChain(nodes[-1], 3)
    assert chain.bones == nodes[1:]
    assert chain.root == nodes[0]
    assert chain.target.get_name() == "bone 4 Target"
    assert chain.target.get_parent() == chain.root
    assert chain.pole is None
    assert np.allclose(chain.bone_lengths, 1.0)
    assert chain.reach == pytest.approx(3.0)
    points = places(chain.bones, chain.root)
    assert np.allclose(chain.start_directions[:3], np.diff(points, axis=0), atol=1e-5)
    assert np.allclose(chain.start_directions[3], 0.0, atol=1e-5)
    for node, start in zip(chain.bones, chain.start_rotations, strict=True):
        expected = turn_of(linear(node, chain.root))
        assert np.allclose(reference.matrix(start), expected, atol=1e-5)
    # the target was made at the leaf: nothing to do
    assert chain.solve().converged
    assert np.allclose(places(chain.bones, chain.root), points, atol=1e-5)


@pytest.mark.parametrize("inside", INSIDE)
@pytest.mark.parametrize("parent", PARENTS)
def test_reaches_under_any_parent(world, parent, inside):
    root = world.attach_new_node("root")
    PARENTS[parent](root)
    nodes = limb(root, scales=INSIDE[inside])
    chain = IKChain(nodes[-1], 4, pole=root.attach_new_node("pole"))
    chain.pole.set_pos(9, 2, 1)
    lengths = chain.bone_lengths
    rng = np.random.default_rng(1)
    for _ in range(20):
        goal = reference.in_ball(rng, 0.9 * chain.reach, 0.4 * chain.reach)
        chain.target.set_pos(*(goal + chain.model.positions[0]))
        result = chain.solve()
        assert result.status is SolveStatus.CONVERGED
        gap = nodes[-1].get_pos(world) - chain.target.get_pos(world)
        assert gap.length() < 1e-5 * chain.reach * max(1, abs(root.get_sx()))
        points = places(nodes, root)
        measured = np.linalg.norm(np.diff(points, axis=0), axis=1)
        assert np.allclose(measured, lengths, rtol=1e-5, atol=1e-5)
        assert np.allclose(points, chain._solver.positions, atol=1e-5)


@pytest.mark.parametrize("inside", INSIDE)
@pytest.mark.parametrize("parent", PARENTS)
def test_rotations_match_the_original_formulas(world, parent, inside):
    root = world.attach_new_node("root")
    PARENTS[parent](root)
    nodes = limb(root, scales=INSIDE[inside])
    start_turns = [turn_of(linear(node, root)) for node in nodes]
    start_points = places(nodes, root)
    target = root.attach_new_node("ball")
    target.set_pos(1, 1, 2)
    target.set_hpr(30, -20, 10)
    target_start = turn_of(linear(target, root))
    chain = IKChain(nodes[-1], 4, target)
    for pos, hpr in (((1, 1, 2), (30, -20, 10)), ((-1, 2, 1), (80, 40, -60))):
        target.set_pos(*pos)
        target.set_hpr(*hpr)
        assert chain.solve().converged
        points = places(nodes, root)
        for i in range(4):
            turn = reference.from_to(
                start_points[i + 1] - start_points[i], points[i + 1] - points[i]
            )
            found = turn_of(linear(nodes[i], root))
            assert np.allclose(found, turn @ start_turns[i], atol=2e-4)
        # leaf: R_target ⊗ start_rotation_target⁻¹ ⊗ start_rotations[leaf]
        turn = turn_of(linear(target, root)) @ np.linalg.inv(target_start)
        leaf = turn_of(linear(nodes[4], root))
        assert np.allclose(leaf, turn @ start_turns[4], atol=2e-4)


def test_chain_from_the_top_node():
    nodes = limb(p3d.NodePath("nowhere"))
    top = nodes[0]
    top.detach_node()
    chain = IKChain(nodes[-1], 4)
    assert chain.root.is_empty()
    chain.target.set_pos(1, 1, 2)
    assert chain.solve().converged
    assert (
        nodes[-1].get_pos(top) - top.get_relative_point(top, (0, 0, 0))
    ).length() > 1
    assert np.allclose(places([nodes[-1]], chain.root)[0], (1, 1, 2), atol=1e-5)


def test_ten_thousand_frames_repeat_exactly_without_drift(world):
    def run():
        root = world.attach_new_node("root")
        nodes = limb(root)
        chain = IKChain(nodes[-1], 4, snap_back_strength=0.0)
        pole = root.attach_new_node("pole")
        pole.set_pos(3, 9, 1)
        seen = []
        for frame in range(10_000):
            a = 0.01 * frame
            chain.pole = pole if frame % 2000 > 1000 else None
            chain.target.set_pos(2 * math.cos(a), 2 * math.sin(1.3 * a), 2)
            chain.target.set_h(frame)
            result = chain.update(1 / 60)
            assert math.isfinite(result.error)
            if frame % 500 == 0 or frame == 9999:
                seen.append([str(node.get_mat()) for node in nodes])
        lengths = np.linalg.norm(np.diff(places(nodes, root), axis=0), axis=1)
        assert np.allclose(lengths, 1.0, atol=1e-5)
        for node in nodes:
            assert node.get_quat().length() == pytest.approx(1.0, abs=1e-6)
        return seen

    assert run() == run()


def test_moved_and_scaled_bones_are_detected(world):
    nodes = limb(world)
    chain = IKChain(nodes[-1], 4)
    chain.target.set_pos(1, 1, 2)
    chain.solve()
    nodes[3].set_pos(0, 0, 1.5)
    assert chain.solve().converged
    assert np.allclose(chain.bone_lengths, [1, 1, 1.5, 1])
    nodes[1].set_scale(2)
    assert chain.solve().converged
    assert np.allclose(chain.bone_lengths, [1, 2, 3, 2])
    assert (nodes[-1].get_pos(world) - chain.target.get_pos(world)).length() < 1e-5
    # the first joint is where the chain begins: moving it is no new length
    nodes[0].set_pos(0.5, 0.5, 0.5)
    assert chain.solve().converged
    assert np.allclose(chain.bone_lengths, [1, 2, 3, 2])
    assert (nodes[-1].get_pos(world) - chain.target.get_pos(world)).length() < 1e-5
    nodes[2].set_scale(1, 2, 1)
    result = chain.solve()
    assert result.status is SolveStatus.INVALID_TARGET
    assert "scale" in result.detail
    nodes[2].set_scale(1)
    assert chain.solve().converged


REMOVALS = {
    "through its own handle": lambda node, world: node.remove_node(),
    "through another handle": lambda node, world: world.find(
        f"**/{node.get_name()}"
    ).remove_node(),
    "detached": lambda node, world: node.detach_node(),
    "to another scene": lambda node, world: node.reparent_to(p3d.NodePath("other")),
    "infinite": lambda node, world: node.set_pos(math.inf, 0, 0),
    "huge": lambda node, world: node.set_pos(3e38, 3e38, 3e38),
}


@pytest.mark.parametrize("which", ["target", "pole"])
@pytest.mark.parametrize("how", REMOVALS)
def test_lost_targets_and_poles_leave_the_pose(world, which, how, capfd):
    nodes = limb(world.attach_new_node("root"))
    target, pole = (world.attach_new_node(n) for n in ("target", "pole"))
    target.set_pos(1, 1, 2)
    pole.set_pos(5, 0, 1)
    chain = IKChain(nodes[-1], 4, target, pole)
    assert chain.solve().converged
    before = [node.get_mat() for node in nodes]
    REMOVALS[how]({"target": target, "pole": pole}[which], world)
    for _ in range(3):
        result = chain.solve()
        if how == "huge":
            # a number, if a mad one
            assert math.isfinite(result.error) or result.detail
            continue
        assert result.status is SolveStatus.INVALID_TARGET
        assert result.detail
        assert [node.get_mat() for node in nodes] == before
    if how != "huge":
        # said once, not every frame
        text = "".join(capfd.readouterr())
        assert text.count("the pose is left unchanged") == 1
    fresh = world.attach_new_node("fresh")
    fresh.set_pos(1, 0.5, 2)
    setattr(chain, which, fresh)
    assert chain.solve().converged


def bad(build):
    with pytest.raises(IkrigError) as caught:
        build()
    return str(caught.value)


def test_set_up_errors_name_the_node_and_the_fix(world):
    nodes = limb(world)
    leaf = nodes[-1]
    text = bad(lambda: IKChain(leaf, 9))
    assert "bone 4" in text
    assert "only 5 ancestors" in text
    assert "chain_length is 9" in text
    assert "at least 1, not 0" in bad(lambda: IKChain(leaf, 0))
    assert "whole number, not 2.0" in bad(lambda: IKChain(leaf, 2.0))
    assert "leaf must be a NodePath" in bad(lambda: IKChain(p3d.NodePath()))
    assert "leaf must be a NodePath" in bad(lambda: IKChain(None))
    assert "target must be a NodePath" in bad(lambda: IKChain(leaf, 2, "ball"))
    other = p3d.NodePath("elsewhere")
    assert "elsewhere" in bad(lambda: IKChain(leaf, 2, other))
    assert "not in the same scene" in bad(lambda: IKChain(leaf, 2, pole=other))
    below = leaf.attach_new_node("glove")
    text = bad(lambda: IKChain(leaf, 2, below))
    assert "glove" in text
    assert "would move with it" in text
    nodes[2].set_scale(1, 2, 1)
    text = bad(lambda: IKChain(leaf, 4))
    assert "bone 2" in text
    assert "(1.0, 2.0, 1.0)" in text
    assert "child node" in text
    nodes[2].set_scale(1)
    nodes[2].set_shear(0.5, 0, 0)
    assert "shear" in bad(lambda: IKChain(leaf, 4))
    nodes[2].set_shear(0, 0, 0)
    nodes[2].set_scale(0.0001)
    for node in nodes[1:]:
        node.set_pos(0, 0, 0)
    assert "no length" in bad(lambda: IKChain(leaf, 4))
    assert issubclass(BindError, ValueError)


def test_straight_chain_bends_to_the_side_that_it_is_told(world):
    nodes = [world.attach_new_node("shoulder")]
    for name in ("elbow", "hand"):
        nodes.append(nodes[-1].attach_new_node(name))
        nodes[-1].set_z(1.0)
    chain = IKChain(nodes[-1], chain_length=2)
    chain.target.set_pos(0.0, 0.0, 1.5)
    for side in ((1.0, 0.0, 0.0), (-1.0, -1.0, 0.3)):
        chain.rebind()
        chain.bend_to(side)
        assert chain.solve().error < 1e-6
        elbow = np.array(nodes[1].get_pos(world))[:2]
        assert elbow / np.linalg.norm(elbow) == pytest.approx(
            np.array(side[:2]) / np.linalg.norm(side[:2]), abs=1e-4
        )
        for node in nodes:
            node.set_hpr(0, 0, 0)
    for junk in ((0.0, 0.0, 0.0), (1.0, 2.0), "up"):
        with pytest.raises(IkrigError, match="bend must be"):
            chain.bend_to(junk)
