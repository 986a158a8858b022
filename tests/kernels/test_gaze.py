"""Gaze kernels: angles, limits, averages and rotations, compared with numpy."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest
from scipy.spatial.transform import Rotation

import ikrig
from ikrig.scene.ik.node_transforms import matrices
from tests import reference

from .figures_of_nodes import PARENTS, WAYS, Figure, indices, kernel, numbers

gaze = kernel("source", "gaze")
ways = pytest.mark.parametrize("way", WAYS)
seeds = pytest.mark.parametrize("seed", range(12))
NECK, HEAD, EYES, ARM, HAND = 2, 3, (4, 5), 6, 8
MIDDLE = (0.0, -0.1, 0.1)


def base(figure: Figure):
    return figure.gaze("gaze", [NECK, HEAD], [0.4, 0.6], 1, ())


def look(figure: Figure):
    eyes = 0, indices(figure.way, EYES), numbers(figure.way, MIDDLE)
    return figure.gaze("gaze_look", [NECK, HEAD], [0.4, 0.6], 1, (HEAD, *EYES), *eyes)


def aim(figure: Figure):
    return figure.gaze("gaze_aim", [1, ARM], [0.3, 0.7], 0, (), matrices(1))


def turned(rng) -> np.ndarray:
    return Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix()


def axes_of(made, o: int) -> np.ndarray:
    """Right, ahead and up of a frame, in rows."""
    return np.reshape(made.workspace[o : o + 9], (3, 3))


def direction(yaw: float, pitch: float) -> np.ndarray:
    # ahead is y, left is -x, up is z
    flat = np.cos(pitch)
    return np.array([-np.sin(yaw) * flat, np.cos(yaw) * flat, np.sin(pitch)])


@seeds
def test_frame_is_the_joints_rotation_without_mirroring(seed):
    rng = np.random.default_rng(seed)
    figure = Figure("source")
    made = base(figure)
    linear, size = turned(rng), rng.uniform(0.1, 9.0)
    mirror = rng.choice([1.0, -1.0])
    mat = np.eye(4)
    mat[:3, :3] = mirror * size * linear
    figure.paths[1].set_mat(p3d.LMatrix4f(*mat.ravel().tolist()))
    figure.joints.read()
    # at rest the joints are not turned: right is -x and ahead -y
    axes, rest = np.diag([-1.0, -1.0, 1.0]), np.eye(3)
    if seed % 2:
        axes, rest = turned(rng), turned(rng)
        made.kernel.facing[:18] = [*rest.ravel().tolist(), *axes.ravel().tolist()]
    made.kernel.set_frame(gaze.BODY, 0, 1)
    expected = axes @ rest @ linear
    found = axes_of(made, gaze.BODY)
    assert np.allclose(found, expected, atol=1e-6)
    w, x, y, z = made.workspace[9:13]
    assert np.allclose(Rotation.from_quat([x, y, z, w]).as_matrix().T, found, atol=1e-9)


def test_sheared_joint_keeps_forward_and_up():
    figure = Figure("source")
    made = base(figure)
    sheared = [[1.0, 0.4, 0.2], [0.0, 2.0, 0.0], [0.3, 0.5, 1.0]]
    rows = [x for row in sheared for x in (*row, 0.0)]
    figure.paths[1].set_mat(p3d.LMatrix4f(*rows, 0.0, 0.0, 0.0, 1.0))
    figure.joints.read()
    made.kernel.set_frame(gaze.BODY, 0, 1)
    up = np.array([0.3, 0.0, 1.0]) / np.hypot(0.3, 1.0)
    right = np.cross([0.0, 1.0, 0.0], up)
    expected = np.array([-right, [0.0, -1.0, 0.0], up])
    assert np.allclose(axes_of(made, gaze.BODY), expected, atol=1e-6)
    # one that is scaled to nothing counts as not turned
    figure.paths[1].set_mat(p3d.LMatrix4f(*[0.0] * 15, 1.0))
    figure.joints.read()
    made.kernel.set_frame(gaze.BODY, 0, 1)
    assert np.allclose(axes_of(made, gaze.BODY), np.diag([-1.0, -1.0, 1.0]))


@seeds
def test_yaw_and_pitch_match_their_direction(seed):
    rng = np.random.default_rng(seed)
    made = base(Figure("source"))
    frame = turned(rng)
    made.workspace[:9] = frame.ravel().tolist()
    yaw, pitch = rng.uniform(-math.pi, math.pi), rng.uniform(-1.57, 1.57)
    made.kernel.set_direction(gaze.BODY, yaw, pitch)
    found = np.array([made.kernel.dx, made.kernel.dy, made.kernel.dz])
    assert np.allclose(found, direction(yaw, pitch) @ frame)
    made.kernel.set_angles_in(gaze.BODY, *(3.0 * found).tolist())
    assert (made.kernel.yaw, made.kernel.pitch) == pytest.approx((yaw, pitch))


@seeds
def test_gaze_rotation_maps_one_gaze_to_the_other_and_stays_level(seed):
    rng = np.random.default_rng(seed)
    figure = Figure("source")
    made = base(figure)
    figure.pose(rng, 1.0)
    figure.joints.read()
    made.kernel.set_frame(gaze.BODY, 0, 1)
    frame = axes_of(made, gaze.BODY)
    a, b = ((rng.uniform(-3.0, 3.0), rng.uniform(-1.4, 1.4)) for _ in "ab")
    made.kernel.set_gaze_rotation(gaze.BODY, *a, *b)
    w, x, y, z = made.workspace[gaze.ROTATION : gaze.ROTATION + 4]
    turn = Rotation.from_quat([x, y, z, w]).as_matrix().T
    assert np.allclose(direction(*a) @ frame @ turn, direction(*b) @ frame)
    # what is level to the side of the one gaze is level to that of the other
    sides = [np.array([np.cos(yaw), np.sin(yaw), 0.0]) for yaw, _ in (a, b)]
    assert np.allclose(sides[0] @ frame @ turn, sides[1] @ frame)


@ways
def test_limits_apply_to_each_side_separately(way):
    made = base(Figure(way)).kernel
    made.store_limits(
        gaze.LIMITS, ikrig.LookLimits(left=0.4, right=0.3, up=0.2, down=0.1)
    )
    for given, middle, expected in (
        ((0.1, -0.05), (0.0, 0.0), (0.1, -0.05)),
        ((9.0, 9.0), (0.0, 0.0), (0.4, 0.2)),
        ((-9.0, -9.0), (0.0, 0.0), (-0.3, -0.1)),
        ((9.0, -9.0), (1.0, 2.0), (1.4, 1.9)),
        ((1.1, 2.1), (1.0, 2.0), (1.1, 2.1)),
    ):
        made.clamp(gaze.LIMITS, *given, *middle)
        assert (made.yaw, made.pitch) == pytest.approx(expected)


@ways
@pytest.mark.parametrize("limits", [(0.9, 0.9), (1.4, 1.3), (1.5, 0.2), (1.5707, 1.5)])
def test_steep_targets_reduce_yaw(way, limits):
    made = base(Figure(way)).kernel
    up, down = limits
    made.store_limits(gaze.LIMITS, ikrig.LookLimits(math.pi, math.pi, up, down))
    for yaw in (-2.0, 0.3, 3.0):
        for pitch in np.linspace(-0.5 * math.pi, 0.5 * math.pi, 41).tolist():
            made.target_yaw, made.target_pitch = yaw, pitch
            made.clamp_to_limits()
            steep = max(1.2, up if pitch > 0.0 else down)
            # from where it counts in full to straight above, where it does not
            share = min(1.0, (0.5 * math.pi - abs(pitch)) / (0.5 * math.pi - steep))
            expected = share * yaw, max(-down, min(up, pitch))
            assert (made.yaw, made.pitch) == pytest.approx(expected)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((-20, 30, 15), (40, -10, 50)),
        # on both sides of a half turn about each axis
        ((0, 170, 0), (0, 190, 0)),
        ((0, 0, 170), (0, 0, 190)),
        ((170, 0, 0), (190, 0, 0)),
    ],
)
def test_body_rotation_is_averaged(sign, before, after):
    figure = Figure("source")
    made = base(figure)
    figure.paths[1].set_hpr(*before)
    figure.joints.read()
    made.kernel.set_frame(gaze.BODY, 0, 1)
    start = np.array(made.workspace[9:13])
    figure.paths[1].set_hpr(*after)
    figure.joints.read()
    made.kernel.set_frame(gaze.BODY, 0, 1)
    end = np.array(made.workspace[9:13])
    end *= 1.0 if end @ start > 0.0 else -1.0
    # the same turn with the other sign is no other
    made.workspace[9:13] = (sign * start).tolist()
    made.kernel.average(0.25)
    expected = 0.75 * start + 0.25 * end
    expected /= np.linalg.norm(expected)
    assert abs(expected @ made.workspace[9:13]) == pytest.approx(1.0)
    x, y, z = expected[1:]
    frame = Rotation.from_quat([x, y, z, expected[0]]).as_matrix().T
    assert np.allclose(axes_of(made, gaze.BODY), frame)


@ways
@seeds
def test_without_delay_head_and_eyes_face_the_target(way, seed):
    rng = np.random.default_rng(seed)
    figure = Figure(way)
    made = look(figure).kernel
    figure.pose(rng, 0.1)
    target = figure.top.attach_new_node("target")
    target.set_pos(*rng.uniform((-1.0, -4.0, 1.0), (1.0, -2.0, 3.0)).tolist())
    made.target = figure.reader(target)
    wide = ikrig.LookLimits(1.5, 1.5, 1.5, 1.5)
    made.keep_motion = 0.0
    made.set_eyes(wide, 0.0)
    posed = [path.get_mat() for path in figure.paths]
    for _ in range(12):
        for path, mat in zip(figure.paths, posed, strict=True):
            path.set_mat(mat)
        assert made.step(wide, 0.0, 9.0, 1.0, True, 1 / 60) == 0
    nets = figure.nets_now()
    goal = np.array(tuple(target.get_pos()))
    eye = (np.append(MIDDLE, 1.0) @ nets[HEAD])[:3]
    for joint, start in ((HEAD, eye), *((j, nets[j][3, :3]) for j in EYES)):
        ahead = np.array([0.0, -1.0, 0.0]) @ nets[joint][:3, :3]
        to = goal - start
        assert ahead @ to == pytest.approx(np.linalg.norm(to), rel=1e-5), joint
    # neck and head are level to the side: nobody tilts the head to look
    moved = [not path.get_mat().almost_equal(m, 1e-6) for path, m in zip(
        figure.paths, posed, strict=True)]  # fmt: skip
    assert moved == [j in (NECK, HEAD, *EYES) for j in range(len(PARENTS))]


@ways
@seeds
@pytest.mark.parametrize("weight", [1.0, 0.4])
def test_without_delay_a_pointer_points_at_its_target(way, seed, weight):
    rng = np.random.default_rng(seed)
    figure = Figure(way, plain=seed % 2 == 0)
    made = aim(figure).kernel
    figure.pose(rng, 0.2)
    axis = np.array([0.2, -1.0, 0.1])
    pointer = figure.paths[HAND].attach_new_node("pointer")
    pointer.set_pos(0.0, -0.1, 0.02)
    made.pointer = figure.reader(pointer, figure.paths[ARM])
    made.set_axis(*axis.tolist())
    target = figure.top.attach_new_node("target")
    near = np.array(tuple(pointer.get_pos(figure.top)))
    ahead = np.array(
        tuple(figure.top.get_relative_vector(pointer, p3d.LVector3f(*axis)))
    )
    ahead /= np.linalg.norm(ahead)
    target.set_pos(*(near + 6.0 * ahead + rng.normal(size=3)).tolist())
    made.target = figure.reader(target)
    wide = ikrig.LookLimits(math.pi, math.pi, 1.57, 1.57)

    def miss() -> float:
        line = np.array(
            tuple(figure.top.get_relative_vector(pointer, p3d.LVector3f(*axis)))
        )
        to = np.array(tuple(target.get_pos(pointer)))
        to = np.array(
            tuple(figure.top.get_relative_vector(pointer, p3d.LVector3f(*to)))
        )
        cosine = line @ to / np.linalg.norm(line) / np.linalg.norm(to)
        return math.acos(min(1.0, cosine))

    before = miss()
    assert made.step(wide, 0.0, 9.0, weight, True, 1 / 60) == 0
    # seen from the first joint, not from the pointer, a part of the way is nearly one
    assert miss() == pytest.approx((1.0 - weight) * before, abs=0.05 * before + 2e-3)
    if weight == 1.0:
        assert miss() < 2e-3


@ways
def test_removed_and_invalid_targets_are_reported(way):
    figure = Figure(way)
    made = look(figure).kernel
    limits = ikrig.LookLimits()
    target = figure.top.attach_new_node("target")
    target.set_pos(1.0, -2.0, 2.0)
    made.target = figure.reader(target)
    step = (limits, 0.5, 6.0, 1.0, True, 1 / 60)
    assert made.step(*step) == 0 and made.is_active
    target.set_pos(1e38, 0.0, 0.0)
    assert made.step(*step) == 2
    target.set_pos(1.0, -2.0, 2.0)
    assert made.step(*step) == 0
    p3d.NodePath(target).remove_node()
    for _ in range(240):
        assert made.step(*step) == 1
    assert not made.is_active, "nothing is left of it"
    made.target = None
    assert made.step(*step) == 0
    pointing = aim(figure).kernel
    target = figure.top.attach_new_node("target")
    target.set_pos(1.0, -2.0, 2.0)
    pointing.target = figure.reader(target)
    pointer = figure.paths[HAND].attach_new_node("pointer")
    pointing.pointer = figure.reader(pointer, figure.paths[ARM])
    pointing.set_axis(0.0, -1.0, 0.0)
    assert pointing.step(*step) == 0
    pointer.detach_node()
    assert pointing.step(*step) == 3


@seeds
def test_look_starts_between_the_eyes_along_the_faces_direction(seed):
    rng = np.random.default_rng(seed)
    figure = Figure("source", plain=False)
    made = look(figure).kernel
    figure.pose(rng, 1.0)
    figure.joints.read()
    middle, ahead = rng.normal(size=(2, 3))
    made.middle[:] = middle.tolist()
    made.facing[gaze.FACING + 18 : gaze.FACING + 21] = ahead.tolist()
    net = figure.net(HEAD)
    made.set_look_point()
    assert np.allclose([made.ex, made.ey, made.ez], middle @ net[:3, :3] + net[3, :3])
    made.set_ahead(gaze.FACING, HEAD)
    found = np.array([made.dx, made.dy, made.dz])
    assert np.allclose(found, reference.unit(ahead @ net[:3, :3]))


STATE = ["gaze.along.value", "gaze.along.speed", "gaze.aside.value",
         "gaze.aside.speed", "target_yaw", "target_pitch"]  # fmt: skip
EYES_STATE = [f"eye_{name}" for name in STATE[:4]]
EYES_STATE += ["mean_right", "mean_ahead", "mean_up", "shift_x", "shift_y", "shift_z"]
AIM_STATE = ["distance.value", "distance.speed"]


@pytest.mark.parametrize(
    ("make", "names"), [(base, []), (look, EYES_STATE), (aim, AIM_STATE)]
)
def test_sum_of_the_state_has_every_part(make, names):
    made = make(Figure("source"))
    values = np.random.default_rng(1).normal(size=len(STATE + names) + 9)
    for name, value in zip(STATE + names, values, strict=False):
        *path, last = name.split(".")
        owner = made.kernel
        for part in path:
            owner = getattr(owner, part)
        setattr(owner, last, value)
    made.workspace[gaze.BODY : gaze.BODY + 9] = values[-9:].tolist()
    assert made.kernel.state_sum() == pytest.approx(values.sum())


@ways
def test_pose_that_is_not_finite_does_not_persist(way):
    figure = Figure(way)
    made = look(figure).kernel
    target = figure.top.attach_new_node("target")
    target.set_pos(1.0, -2.0, 2.0)
    made.target = figure.reader(target)
    step = (ikrig.LookLimits(), 0.5, 6.0, 1.0, False, 1 / 60)
    made.step(*step)
    figure.paths[1].set_pos(1e38, 1e38, 1e38)
    figure.paths[NECK].set_pos(3e38, 3e38, 3e38)
    for _ in range(3):
        made.step(*step)
    figure.paths[1].set_pos(0.0, 0.0, 0.3)
    figure.paths[NECK].set_pos(0.0, 0.0, 0.3)
    for _ in range(90):
        made.step(*step)
    assert np.isfinite(figure.nets_now()).all()
    assert np.isfinite([made.gaze.along.value, made.gaze.aside.value]).all()


@pytest.mark.parametrize("make", [look, aim])
def test_compiled_and_interpreted_give_the_same_bits(make):
    found = []
    for way in WAYS:
        rng = np.random.default_rng(3)
        figure = Figure(way, plain=False)
        made = make(figure).kernel
        target = figure.top.attach_new_node("target")
        made.target = figure.reader(target)
        if make is look:
            made.set_eyes(ikrig.LookLimits(0.6, 0.6, 0.4, 0.5), 0.12)
            made.keep_motion = 0.7
        else:
            pointer = figure.paths[HAND].attach_new_node("pointer")
            made.pointer = figure.reader(pointer, figure.paths[ARM])
            made.set_axis(0.1, -1.0, 0.2)
        for k in range(200):
            figure.pose(rng, 0.3)
            if k % 20 == 0:
                target.set_pos(*rng.uniform(-2.0, 3.0, 3).tolist())
            if k == 120:
                made.target = None
            if k == 150:
                made.target = figure.reader(target)
            dt = (1 / 60, 1 / 144, 0.5)[k % 3]
            made.step(ikrig.LookLimits(), 0.4, 6.0, 0.9, False, dt)
            found.append(figure.nets_now().tobytes())
    assert found[:200] == found[200:]
