"""Goals and poses that a frame reads and writes, compared with Panda3D."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig.scene.ik.node_transforms import matrices
from tests import reference
from tests.interpreted import interpreted_kernel

from .figures_of_nodes import Joints

node_frame, actor_frame = map(interpreted_kernel, ("node_frame", "actor_frame"))
seeds = pytest.mark.parametrize("seed", range(12))


def flat(rows) -> list[float]:
    return np.ravel(rows).tolist()


def quat(rng) -> np.ndarray:
    return reference.unit(rng.normal(size=4))


def anywhere(rng, parent, name: str, even: bool) -> p3d.NodePath:
    """A node somewhere, of some size; not even: sheared, too."""
    node = parent.attach_new_node(name)
    node.set_pos(*rng.normal(size=3))
    node.set_quat(p3d.LQuaternionf(*quat(rng)))
    node.set_scale(
        rng.uniform(0.5, 2.0) if even else p3d.LVector3f(*rng.uniform(1, 2, 3))
    )
    if not even:
        node.set_shear(*rng.uniform(-0.2, 0.2, 3))
    return node


class Stage:
    """Nodes above bones, a target and a pole elsewhere, and a goal that reads them."""

    def __init__(self, seed: int, kind, *, mode="target", even=True, pole=True) -> None:
        rng = self.rng = np.random.default_rng(seed)
        self.world = p3d.NodePath("world")
        self.space = anywhere(rng, self.world, "space", even)
        self.middle = anywhere(rng, self.space, "middle", even)
        self.root = anywhere(rng, self.middle, "root", even)
        self.bone = anywhere(rng, self.root, "bone", True)
        other = anywhere(rng, self.world, "other", even)
        self.target, self.pole = (anywhere(rng, other, x, True) for x in "tp")
        self.asked: list[str] = []
        self.effector = SimpleNamespace(
            orientation_mode=mode, offset=quat(rng).tolist(), pole=self.pole
        )
        actor = kind is actor_frame.ActorGoal
        self.joints = Joints("source", [self.middle, self.root], (-1, 0))
        # a clip plays: hands turn as it turns them
        self.joints.kernel.animated = True
        self.binding = SimpleNamespace(
            space=self.space if actor else self.root,
            figure=self.joints.kernel,
            above=1,
            beside=actor_frame.Beside(self.space, matrices(1)),
            nodes=[self.bone],
            uneven=False,
            read_target=self.read_target,
            read_pole=self.read_pole,
        )
        given = [self.binding, self.effector, self.target, self.pole if pole else None]
        given.append((*matrices(1), [0.0] * 10))
        if actor:
            self.turns = [quat(rng).tolist() for _ in range(3)]
            given += [flat(self.turns)]
        self.goal = kind(*given)

    def read_target(self, effector):
        assert effector is self.effector
        self.asked.append("target")
        return (1.0, 2.0, 3.0), (0.5, 0.5, -0.5, 0.5)

    def read_pole(self, pole):
        assert pole is self.pole
        self.asked.append("pole")
        return 4.0, 5.0, 6.0

    def read(self) -> bool:
        self.joints.read()
        return self.goal.read()

    @property
    def place(self) -> tuple:
        return self.goal.gx, self.goal.gy, self.goal.gz

    @property
    def bend(self) -> tuple:
        return self.goal.px, self.goal.py, self.goal.pz

    def turn(self) -> np.ndarray:
        """Return the target's rotation in root space, after the offset."""
        own = reference.matrix(tuple(self.target.get_quat(self.root)))
        return own @ reference.matrix(self.effector.offset)

    def found(self) -> np.ndarray:
        goal = self.goal
        return reference.matrix((goal.tw, goal.tx, goal.ty, goal.tz))


KINDS = node_frame.NodeGoal, actor_frame.ActorGoal


@pytest.mark.parametrize("kind", KINDS)
@seeds
def test_goals_match_panda3ds_transforms(kind, seed):
    stage = Stage(seed, kind)
    goal, root = stage.goal, stage.root
    actor = kind is actor_frame.ActorGoal
    for k in range(3):
        assert stage.read() is True
        assert stage.place == pytest.approx(tuple(stage.target.get_pos(root)), abs=2e-5)
        assert stage.bend == pytest.approx(tuple(stage.pole.get_pos(root)), abs=2e-5)
        expected = stage.turn()
        if actor:
            expected = expected @ reference.matrix(stage.turns[-1]).T
        assert goal.use_tip and np.allclose(stage.found(), expected, atol=1e-5)
        # Actors always count as moved
        assert stage.read() is actor
        if k == 0:
            stage.target.set_pos(*stage.rng.normal(size=3))
            stage.target.set_quat(p3d.LQuaternionf(*quat(stage.rng)))
        elif k == 1:
            stage.effector.offset[:] = quat(stage.rng).tolist()
    if not actor:
        for change in (stage.target.set_x, stage.pole.set_x):
            change(9.0)
            assert stage.read() is True and stage.read() is False
        for k in range(4):
            stage.effector.offset[k] += 1e-3
            assert stage.read() is True and stage.read() is False
    assert stage.asked == []


@seeds
def test_actor_goals_follow_moved_and_sheared_ancestors(seed):
    stage = Stage(seed, actor_frame.ActorGoal, mode="animation", even=False)
    for lead in (None, (0.5, -1.0, 2.0)):
        stage.goal.lead = lead
        stage.middle.set_pos(*stage.rng.normal(size=3))
        stage.root.set_hpr(*stage.rng.uniform(-180, 180, 3))
        stage.read()
        place = stage.target.get_pos(stage.root) + p3d.LVector3f(*(lead or (0, 0, 0)))
        assert stage.place == pytest.approx(tuple(place), abs=1e-4)
        bend = tuple(stage.pole.get_pos(stage.root))
        assert stage.bend == pytest.approx(bend, abs=1e-4)
        # turned as it is animated
        assert stage.goal.use_tip and stage.goal.tw == 1.0
    # without an inverse the binding is asked, and the lead counts all the same
    stage.middle.set_mat(p3d.LMatrix4f(*[0.0] * 15, 1.0))
    stage.read()
    assert stage.asked == ["target", "pole"]
    assert (stage.place, stage.bend) == ((1.5, 1.0, 5.0), (4.0, 5.0, 6.0))
    assert (stage.goal.tw, stage.goal.ty) == (0.5, -0.5) and stage.goal.use_tip


def unplain(target, how: str) -> None:
    if how == "sheared":
        target.set_shear(1e-3, 0, 0)
    elif how == "uneven":
        target.set_sz(target.get_sz() * 1.001)
    elif how == "no size":
        target.set_scale(1e-8)
    else:
        target.detach_node()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["sheared", "uneven", "no size", "away"])
def test_sheared_targets_are_left_to_the_binding(kind, how):
    for mode in ("target", "bone"):
        stage = Stage(3, kind, mode=mode, pole=False)
        unplain(stage.target, how)
        assert stage.read()
        if mode == "target" or how == "away":
            assert stage.asked == ["target"] and stage.place == (1.0, 2.0, 3.0)
            turn = stage.goal.tw, stage.goal.tx, stage.goal.ty, stage.goal.tz
            assert stage.goal.use_tip and turn == (0.5, 0.5, -0.5, 0.5)
        else:
            place = stage.target.get_pos(stage.root)
            assert stage.asked == [] and not stage.goal.use_tip
            assert stage.place == pytest.approx(tuple(place), abs=2e-5)


def test_targets_below_the_bones_are_left_to_the_binding():
    stage = Stage(4, node_frame.NodeGoal)
    stage.goal.check()
    assert stage.asked == []
    stage.target.reparent_to(stage.bone)
    stage.goal.check()
    assert stage.asked == ["target"]
    stage = Stage(4, actor_frame.ActorGoal)
    assert stage.goal.check() == 0
    stage.target.reparent_to(stage.bone)
    stage.read()
    assert stage.asked == ["target"]
    stage = Stage(4, actor_frame.ActorGoal)
    stage.binding.uneven = True
    stage.read()
    assert stage.asked == ["target"]
    # a target beside the bones is read the cheap way, until it hangs elsewhere
    stage = Stage(5, node_frame.NodeGoal, mode="bone", pole=False)
    stage.target.reparent_to(stage.root)
    reader = node_frame.NodeReader(stage.target, stage.root)
    assert reader.is_child and reader.read() == stage.target.get_transform()
    stage.target.reparent_to(stage.world)
    assert (
        reader.read() == stage.target.get_transform(stage.root) and not reader.is_child
    )
    stage.target.detach_node()
    assert reader.read() is None
    gone = node_frame.NodeReader(p3d.NodePath(), stage.root)
    assert gone.read() is None and not gone.is_child
    # without a node above, places are those in the scene
    free = node_frame.NodeReader(stage.pole, p3d.NodePath())
    assert free.read() == stage.pole.get_transform(p3d.NodePath())


def test_rotation_is_plain_without_uneven_scale_or_shear():
    goal = Stage(6, node_frame.NodeGoal).goal
    for size in (1.0, 3.0):
        for shear, *scales in (
            *((0.0, 1, 1, 1), (0.9e-5, 1, 1, 1), (0.0, 1, 1 + 0.9e-5, 1)),
            (0.0, 1, 1, 1 - 0.9e-5),
        ):
            goal.trs[7:10] = [size * x for x in scales]
            assert goal.is_plain(shear)
        for shear, *scales in (
            *((1.1e-5, 1, 1, 1), (0.0, 1, 1 + 1.1e-5, 1), (0.0, 1, 1, 1 - 1.1e-5)),
            *((0.0, 1, 1 - 1.1e-5, 1), (0.0, 1, 1, 1 + 1.1e-5), (0.0, -1, -1, -1)),
        ):
            goal.trs[7:10] = [size * x for x in scales]
            assert not goal.is_plain(shear)
    goal.trs[7:10] = [0.9e-6] * 3
    assert not goal.is_plain(0.0)
    goal.trs[7:10] = [1.1e-6] * 3
    assert goal.is_plain(0.0)


class Bones:
    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.root = p3d.NodePath("root")
        self.nodes = [anywhere(self.rng, self.root, "0", True)]
        self.nodes += [anywhere(self.rng, self.nodes[0], x, True) for x in "12"]
        self.parents = [-1, 0, 0]
        self.states = [node.get_transform() for node in self.nodes]


@seeds
def test_write_changes_rotations_only(seed):
    bones = Bones(seed)
    pose = node_frame.NodePose(bones)
    assert not pose.touched()
    turns = [quat(bones.rng).tolist() for _ in bones.nodes]
    places = [(node.get_pos(), node.get_scale()) for node in bones.nodes]
    assert pose.write([*flat(turns), np.nan], False) == 1
    for node, turn, (place, scale) in zip(bones.nodes, turns, places, strict=True):
        found = reference.matrix(tuple(node.get_quat()))
        assert np.allclose(found, reference.matrix(turn), atol=1e-5)
        assert node.get_pos().almost_equal(place, 1e-5)
        assert node.get_scale().almost_equal(scale, 1e-5)
    assert not pose.touched()
    # one of them moved by somebody else: kept if that is known, else put back
    for known in (True, False):
        bones.nodes[2].set_x(7.0)
        assert pose.touched()
        assert pose.write(flat(turns), known) == 1
        assert (bones.nodes[2].get_x() == pytest.approx(7.0)) is known
        assert not pose.touched()
        bones.nodes[2].set_x(3.0)
        pose.write(flat(turns), True)
    before = [node.get_transform() for node in bones.nodes]
    for k in range(12):
        bad = flat(turns)
        bad[k] = np.nan if k % 2 else np.inf
        assert pose.write(bad, False) == 0
    assert [node.get_transform() for node in bones.nodes] == before


def test_reparented_bone_is_detected_within_as_many_frames_as_bones():
    for k in range(3):
        bones = Bones(1)
        pose = node_frame.NodePose(bones)
        for _ in range(4):
            assert not pose.touched()
        state = bones.nodes[k].get_transform()
        bones.nodes[k].reparent_to(bones.root.attach_new_node("other"))
        bones.nodes[k].set_transform(state)
        found = [pose.touched() for _ in range(6)]
        assert True in found[:3]
        # and in every frame from then on
        assert all(found[found.index(True) :])


def pose_of(bones: Bones, joints: Joints, numbers: list[int], above: list[int]):
    count = len(numbers)
    return actor_frame.ActorPose(
        bones, joints.kernel, numbers, above, [0.0] * (16 * count),
        [0.0] * (10 * count), [0.0] * (4 * count + 21), 1e-3,
    )  # fmt: skip


@seeds
def test_actor_joint_matrices_are_decomposed_and_composed(seed):
    bones = Bones(seed)
    joints = Joints("source", bones.nodes, bones.parents)
    pose = pose_of(bones, joints, [0, 1, 2], bones.parents)
    assert pose.touched() is True
    assert pose.read() < 1e-5
    places = [node.get_pos() for node in bones.nodes]
    for node, row in zip(
        bones.nodes, np.reshape(pose.animated_trs, (3, 10)), strict=True
    ):
        assert np.allclose(row[:3], node.get_pos(), atol=1e-6)
        turn = reference.matrix(tuple(node.get_quat()))
        assert np.allclose(reference.matrix(row[3:7]), turn, atol=1e-5)
        assert np.allclose(row[7:], node.get_scale(), rtol=1e-5)
    turns = [quat(bones.rng).tolist() for _ in bones.nodes]
    bad = flat(turns)
    bad[5] = np.nan
    before = [node.get_transform() for node in bones.nodes]
    assert pose.write(bad, True) == 0
    joints.write()
    pose.read()
    assert [node.get_transform() for node in bones.nodes] == before
    assert pose.write([*flat(turns), 9.0], True) == 1
    for longer in (1.0, 1.5):
        joints.write()
        for k, (node, turn) in enumerate(zip(bones.nodes, turns, strict=True)):
            found = reference.matrix(tuple(node.get_quat()))
            assert np.allclose(found, reference.matrix(turn), atol=1e-5)
            # all but the first are further from what they hang on
            place = places[k] * (longer if k else 1.0)
            assert node.get_pos().almost_equal(place, 1e-4)
        pose.read()
        assert pose.write_joints(flat(turns), 1.5) == 1


@seeds
def test_joints_between_two_bones_stay_as_animated(seed):
    bones = Bones(seed)
    above, below = bones.nodes[1:]
    passed = []
    for name in ("upper", "lower"):
        place, turn = bones.rng.normal(size=3), p3d.LQuaternionf(*quat(bones.rng))
        passed.append((passed[0] if passed else above).attach_new_node(name))
        passed[-1].set_pos_quat(p3d.LVector3f(*place), turn)
    below.reparent_to(passed[1])
    scale = below.get_scale()
    wanted = below.get_transform(above)
    kept = [node.get_mat() for node in passed]
    joints = Joints("source", [*bones.nodes[:2], *passed, below], (-1, 0, 1, 2, 3))
    pose = pose_of(bones, joints, [0, 1, 4], [-1, 0, 1])
    assert pose.read() < 1e-5
    row = pose.animated_trs[20:]
    assert np.allclose(row[:3], wanted.get_pos(), atol=1e-5)
    animated = reference.matrix(tuple(wanted.get_quat()))
    assert np.allclose(reference.matrix(row[3:7]), animated, atol=1e-5)
    turns = [quat(bones.rng).tolist() for _ in bones.nodes]
    assert pose.write(flat(turns), True) == 1
    joints.write()
    found = below.get_transform(above)
    assert found.get_pos().almost_equal(wanted.get_pos(), 1e-4)
    turned = reference.matrix(tuple(found.get_quat()))
    assert np.allclose(turned, reference.matrix(turns[2]), atol=1e-5)
    assert below.get_scale().almost_equal(scale, 1e-4)
    assert [node.get_mat() for node in passed] == kept
    # one without size can't be passed
    passed[0].set_scale(0.0)
    joints.read()
    pose.read()
    assert pose.write(flat(turns), True) == 0
