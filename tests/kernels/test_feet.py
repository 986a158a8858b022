"""One frame of all feet of a figure, compared with numpy and scipy."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.interpreted import interpreted_kernel

frame, pose = (interpreted_kernel(name) for name in ("feet", "foot"))
seeds = pytest.mark.parametrize("seed", range(12))

# two legs of three and two bones on a body, and an arm between them in the list
PARENTS = (-1, 0, 1, 2, 3, 0, 0, 6, 7)
LEGS = ((1, 2, 3, 4), (6, 7, 8))
SOLES = ((4, 3, 4), (8, 8))
BODIES = (0, 5)


class Foot:
    """Records the calls of the frame on a foot, in order."""

    def __init__(self, name: str, calls: list, count: int = 2) -> None:
        self.name, self.calls, self.count = name, calls, count
        self.planted, self.wish, self.plan_left = 1, 0.0, 0.0
        self.share = 1.0
        self.hip_x = self.hip_y = self.hip_z = 0.0
        self.out_x = self.out_y = self.out_z = 0.0
        self.spot_x = self.spot_y = self.offset_x = self.offset_y = 0.0
        self.leg = 1.0

    def reset(self):
        self.calls.append((self.name, "reset"))

    def advance(self, ground, until, part, dt):
        self.calls.append((self.name, ground, until, part, dt, self.plan_left))

    def wants_step(self):
        return self.wish

    def begin_step(self):
        self.calls.append((self.name, "begin_step"))

    def bend(self, up, thigh, shin, dt):
        self.bent = up, thigh, shin, dt
        return self.share

    def swing(self, fraction, up, dt):
        self.swung = fraction, up, dt
        self.end_x, self.end_y, self.end_z = self.end

    def stay_out(self, ground, up, thigh, shin):
        assert (ground, (up, thigh, shin)) == ("ground", self.bent[:3])

    def peel(self, up):
        assert up == self.bent[0]

    def rotate_pole(self, x, y, z, up):
        self.knee = x, y, z, up
        self.out_x, self.out_y, self.out_z = 7.0, 8.0, 9.0

    def end_frame(self):
        self.calls.append((self.name, "end_frame"))


class Body:
    def __init__(self, calls: list) -> None:
        self.calls = calls

    def reset(self):
        self.calls.append(("body", "reset"))

    def survey(self, ground, x, y, until, part, dt):
        self.calls.append(("body", ground, x, y, until, part, dt))

    def follow(self, x, y, seconds, dt):
        self.calls.append(("body", x, y, seconds, dt))


def turn(rng) -> np.ndarray:
    return Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix()


def affine(linear, position) -> np.ndarray:
    """A matrix in rows, as Panda3D has it."""
    found = np.eye(4)
    found[:3, :3], found[3, :3] = linear, position
    return found


class Figure:
    """Joints with some shear in places, their kernel, and matrices by numpy."""

    def __init__(self, rng) -> None:
        self.calls: list = []
        self.feet = [Foot(f"foot {k}", self.calls, len(SOLES[k])) for k in range(2)]
        self.bodies = [Body(self.calls), Body(self.calls)]
        self.poses = [[0.0] * (pose.SOLE + 3 * len(sole)) for sole in SOLES]
        self.mats = np.array([
            affine(turn(rng) @ np.diag(rng.uniform(0.7, 1.4, 3)), rng.normal(size=3))
            for _ in PARENTS
        ])  # fmt: skip
        self.points = rng.normal(size=(5, 3))
        # upright enough, scaled and sheared
        lean = Rotation.from_rotvec([*rng.uniform(-0.5, 0.5, 2), rng.uniform(-3, 3)])
        shear = np.eye(3) + np.triu(rng.uniform(-0.3, 0.3, (3, 3)), 1)
        self.world = affine(shear @ lean.as_matrix() * 1.7, rng.normal(size=3))
        layout = []
        for leg, sole in zip(LEGS, SOLES, strict=True):
            layout += [len(leg) - 1, len(sole), *leg, *sole]
        self.flat, self.place = [0.0] * (16 * len(PARENTS)), [0.0] * 16
        self.goals, self.poles = [0.0] * 32, [0.0] * 8
        self.nets = [0.0] * (16 * len(PARENTS) + 24 * 2 + 4 * 2)
        self.kernel = frame.Feet(
            self.feet, self.poses, self.bodies, list(PARENTS), self.flat, self.place,
            [*layout, *BODIES], self.points.ravel().tolist(), self.goals, self.poles,
            self.nets, [-1, -1], [-1] * len(self.bodies), [0.0] * len(self.bodies),
            [0.0, 0.0],
        )  # fmt: skip
        self.calls.clear()

    def read(self) -> float:
        self.flat[:] = self.mats.ravel().tolist()
        self.place[:] = self.world.ravel().tolist()
        return self.kernel.read()

    def net(self, j: int) -> np.ndarray:
        above = self.world if PARENTS[j] < 0 else self.net(PARENTS[j])
        return self.mats[j] @ above

    def at(self, j: int) -> np.ndarray:
        return self.net(j)[3, :3]


@seeds
def test_read_sets_poses_of_joints_and_soles(seed):
    figure = Figure(np.random.default_rng(seed))
    normal = np.cross(figure.world[0, :3], figure.world[1, :3])
    assert figure.read() == pytest.approx(normal[2] / np.linalg.norm(normal))
    point = iter(figure.points)
    for now, leg, sole in zip(figure.poses, LEGS, SOLES, strict=True):
        places = np.array([figure.at(j) for j in leg])
        lengths = np.linalg.norm(np.diff(places, axis=0), axis=1)
        # its plane has that normal: z = -(nx x + ny y) / nz
        expected = [*places[0], *places[-1], *figure.world[3, :3]]
        expected += [*(-normal[:2] / normal[2]), 0.0, lengths.sum()]
        soles = []
        for j in sole:
            soles += (np.append(next(point), 1.0) @ figure.net(j))[:3].tolist()
        assert np.allclose(now[:13], expected) and np.allclose(now[pose.SOLE :], soles)
    # what is read again is the same, and every buffer as long as before
    before = [list(now) for now in figure.poses]
    figure.read()
    assert np.allclose(before[0], figure.poses[0]), "the heading has not turned"
    assert len(figure.nets) == 16 * len(PARENTS) + 56


def test_read_reports_poses_that_are_not_finite_or_not_upright():
    figure = Figure(np.random.default_rng(1))
    kept = figure.world.copy()
    for bad in (np.nan, np.inf, 0.0, 1e200):
        figure.world[:3, :3] = kept[:3, :3] * bad
        assert figure.read() == -2.0
    side = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    figure.world[:3, :3] = side
    before = [list(now) for now in figure.poses]
    assert figure.read() == 0.0 and figure.poses == before
    figure.world = kept
    figure.mats[7] *= np.nan
    assert figure.read() == -2.0
    figure.mats[7] = np.eye(4)
    figure.mats[7, 3, :3] = 1e301
    assert figure.read() == -2.0


@seeds
def test_heading_sums_the_twists_of_all_rotations(seed):
    rng = np.random.default_rng(seed)
    figure = Figure(rng)
    figure.read()
    headings = [0.0, 0.0]
    for _ in range(4):
        before = [figure.net(leg[-1])[:3, :3] for leg in LEGS]
        for leg in LEGS:
            # the ankle turns in the world by whatever it is
            step = Rotation.from_rotvec(rng.normal(size=3) * 0.5).as_matrix()
            joint, parent = figure.net(leg[-1]), figure.net(PARENTS[leg[-1]])
            joint[:3, :3] = joint[:3, :3] @ step.T
            figure.mats[leg[-1]] = joint @ np.linalg.inv(parent)
        figure.read()
        for k, leg in enumerate(LEGS):
            moved = np.linalg.solve(before[k], figure.net(leg[-1])[:3, :3])
            _, _, z, w = Rotation.from_matrix(moved.T).as_quat()
            turned = 2.0 * np.arctan2(z, w)
            headings[k] += turned - 2.0 * pi * round(turned / (2.0 * pi))
            assert figure.poses[k][11] == pytest.approx(headings[k])
    # one that has collapsed keeps it, and so does the frame after
    flat = figure.mats[8].copy()
    figure.mats[8, 2, :3] = figure.mats[8, 1, :3]
    figure.read()
    kept = figure.poses[1][11]
    figure.mats[8] = flat
    figure.read()
    assert figure.poses[1][11] == pytest.approx(kept)
    figure.kernel.reset()
    figure.read()
    assert figure.poses[0][11] == 0.0
    names = ("foot 0", "foot 1", "body", "body")
    assert figure.calls == [(name, "reset") for name in names]


def smooth(x: float, low: float, high: float) -> float:
    """1 up to low, 0 from high on."""
    u = min(1.0, max(0.0, (high - x) / (high - low)))
    return u * u * (3.0 - 2.0 * u)


class Knee:
    """The knee's bend, in vectors: its own, the previous one, or the toes."""

    def __init__(self, kept) -> None:
        self.kept = kept
        self.used = False

    def pole(self, hip, knee, ankle, toes, axes, leg):
        line = ankle - hip
        line /= np.linalg.norm(line)
        side = knee - hip - ((knee - hip) @ line) * line
        bent = np.linalg.norm(side) / leg
        # in the thigh's own axes, which may be of any length
        kept = self.kept @ axes
        if bent >= max(0.06, np.linalg.norm(kept) / leg):
            self.kept = np.array([side @ a / (a @ a) for a in axes])
            kept = side
        elif not kept.any():
            kept = toes - ankle
        own = 1.0 - smooth(bent, 0.02, 0.06)
        self.used |= own < 1.0
        kept = kept - (kept @ line) * line
        if np.linalg.norm(kept) > 1e-9 * leg:
            kept = kept / np.linalg.norm(kept) * (1.0 - own)
        else:
            own, kept = 1.0, 0.0 * kept
        way = kept + (own * side / np.linalg.norm(side) if own else 0.0)
        return knee + leg * way / np.linalg.norm(way)


@seeds
def test_knee_pole_is_on_the_side_of_the_largest_bend(seed):
    rng = np.random.default_rng(seed)
    figure, knee = Figure(rng), Knee(seed % 5 % 2 * 0.01 * rng.normal(size=3))
    side = 16 * len(PARENTS) + 24 + 11
    figure.nets[side : side + 3] = knee.kept
    figure.mats[6:9, :3, :3] = [turn(rng) * x for x in rng.uniform(0.5, 2.0, 3)]
    bends = [0.0, 0.03, 0.01, 0.3, 0.045, 0.0, 0.02, 0.1]
    if seed % 2:
        bends = rng.permutation(bends)
    for k, bend in enumerate(bends):
        if k == 5 and seed % 3 == 0:
            figure.kernel.reset()
        # thigh and shin at an angle; now and then the whole leg turns
        figure.mats[6, :3, :3] = turn(rng) * rng.uniform(0.5, 2.0)
        thigh = np.array([0.0, 0.0, -1.0])
        shin = np.array([np.sin(bend * pi), 0.3 * bend, -np.cos(bend * pi)])
        figure.mats[7, 3, :3] = thigh
        figure.mats[8, 3, :3] = shin @ np.linalg.inv(figure.mats[7, :3, :3])
        figure.read()
        hip, joint, ankle = (figure.at(j) for j in LEGS[1])
        leg = np.linalg.norm(joint - hip) + np.linalg.norm(ankle - joint)
        toes = np.reshape(figure.poses[1][pose.SOLE :], (-1, 3)).mean(axis=0)
        axes = figure.net(6)[:3, :3]
        expected = knee.pole(hip, joint, ankle, toes, axes, leg)
        assert np.allclose(figure.poles[4:7], expected, atol=1e-6 * leg)
        assert figure.poles[7] == float(knee.used)
    # legs of three bones have poles of their own elsewhere
    assert figure.poles[:4] == [0.0] * 4


def test_ankle_at_the_hip_leaves_the_pole_unchanged():
    rng = np.random.default_rng(2)
    figure = Figure(rng)
    figure.read()
    kept = list(figure.poles)
    figure.mats[8] = np.linalg.inv(figure.mats[7])
    figure.mats[8, 3, :3] += 1e-9
    figure.read()
    assert figure.poles == kept
    # toes on the line from hip to ankle give a straight leg no side
    figure.mats[7], figure.mats[8] = np.eye(4), np.eye(4)
    figure.mats[7, 3, 2] = figure.mats[8, 3, 2] = -1.0
    figure.mats[8, 3, 0] = 1e-3
    figure.kernel.point[9:15] = [0.0] * 6
    side = 16 * len(PARENTS) + 24 + 11
    figure.kernel.net[side : side + 3] = [0.0] * 3
    figure.read()
    hip, knee, ankle = (figure.at(j) for j in LEGS[1])
    side = (
        knee
        - hip
        - ((knee - hip) @ (ankle - hip))
        * (ankle - hip)
        / ((ankle - hip) @ (ankle - hip))
    )
    way = np.array(figure.poles[4:7]) - knee
    assert np.allclose(way / np.linalg.norm(way), side / np.linalg.norm(side))


@seeds
def test_floor_of_the_clips_is_a_plane_like_the_figures_own(seed):
    figure = Figure(np.random.default_rng(seed))
    figure.read()
    figure.kernel.set_floor(-0.3)
    normal = np.cross(figure.world[0, :3], figure.world[1, :3])
    # straight below its origin
    below = -0.3 * (figure.world[2, :3] @ normal) / normal[2]
    for foot in figure.feet:
        assert foot.stance == pytest.approx(below)


@pytest.mark.parametrize("pieces", [1, 3])
def test_feet_and_hips_advance_in_pieces_of_a_frame(pieces):
    figure = Figure(np.random.default_rng(3))
    figure.read()
    starts = [figure.at(j)[:2] for j in BODIES]
    for dt in (0.3, 0.6):
        figure.world[3, :3] += (0.3, -0.2, 0.1)
        figure.mats[5, 3, :3] += 0.1
        figure.read()
        ends = [figure.at(j)[:2] for j in BODIES]
        figure.calls.clear()
        # a clip's plan is that of the frame's end
        figure.kernel.plan(1, 2, 0.2, 0.5, 1.0, 2.0, 3.0, 0.3, 0.1, -0.2, 0.3)
        foot = figure.feet[1]
        assert (foot.plan, foot.plan_whole) == (2, 0.5)
        spot = np.array([1.0, 2.0, 3.0, 1.0]) @ figure.world
        assert (foot.plan_x, foot.plan_y) == pytest.approx(tuple(spot[:2]))
        way = np.array([0.1, -0.2, 0.3, 0.0]) @ figure.world
        assert (foot.way_x, foot.way_y) == pytest.approx(tuple(way[:2]))
        assert foot.plan_half == 0.3
        figure.kernel.step("ground", pieces, 0.4, dt)
        assert foot.plan_end == 0.2
        calls, part = iter(figure.calls), 1.0 / pieces
        for n in range(pieces):
            until = pytest.approx((n + 1) * part)
            for foot in figure.feet:
                name, ground, to, share, time, left = next(calls)
                assert (name, ground, to) == (foot.name, "ground", until)
                assert (share, time) == pytest.approx((part, part * dt))
                planned = 0.2 if foot is figure.feet[1] else 0.0
                assert left == pytest.approx(planned + dt * (1.0 - (n + 1) * part))
            for a, b in zip(starts, ends, strict=True):
                at = pytest.approx(tuple(a + (b - a) * (n + 1) * part))
                name, ground, *spot, to, share, time = next(calls)
                assert (name, ground, tuple(spot), to) == ("body", "ground", at, until)
                assert (share, time) == pytest.approx((part, part * dt))
                name, *spot, seconds, time = next(calls)
                assert (name, tuple(spot), seconds) == ("body", at, 0.4)
                assert time == pytest.approx(part * dt)
        assert not list(calls)
        starts = ends


@pytest.mark.parametrize(
    ("wishes", "first"),
    [
        ((0.5, 0.99), None),
        ((1.0, 0.0), "foot 0"),
        ((0.0, 1.0), "foot 1"),
        ((1.2, 1.1), "foot 0"),
        ((1.1, 1.2), "foot 1"),
    ],
)
def test_most_urgent_foot_steps_while_all_stand(wishes, first):
    figure = Figure(np.random.default_rng(4))
    for foot, wish in zip(figure.feet, wishes, strict=True):
        foot.wish = wish
    figure.kernel.step_on_the_spot()
    assert figure.calls == ([(first, "begin_step")] if first else [])
    figure.calls.clear()
    figure.feet[0].planted = 0
    figure.kernel.step_on_the_spot()
    assert figure.calls == []


@pytest.mark.parametrize(
    ("wishes", "offset", "first"),
    [
        ((1.0, 1.0), (0.2, 0.0), "foot 0"),
        ((1.0, 1.0), (-0.2, 0.1), "foot 1"),
        ((0.999, 1.0), (0.2, 0.1), "foot 0"),
        ((1.02, 1.0), (-0.2, 0.0), "foot 1"),
        ((1.2, 1.0), (-0.2, 0.0), "foot 0"),
        # where none is ahead the first one steps, whatever is rounded
        ((1.0, 1.0 + 1e-9), (0.0, 0.2), "foot 0"),
    ],
)
def test_of_feet_alike_the_one_ahead_steps(wishes, offset, first):
    figure = Figure(np.random.default_rng(4))
    for foot, wish, x in zip(figure.feet, wishes, (-0.1, 0.1), strict=True):
        foot.wish, foot.spot_x = wish, x
        foot.offset_x, foot.offset_y = offset
    figure.kernel.step_on_the_spot()
    assert figure.calls == [(first, "begin_step")]


@seeds
def test_goals_are_the_swung_ankles(seed):
    rng = np.random.default_rng(seed)
    figure = Figure(rng)
    figure.read()
    turns = []
    for foot in figure.feet:
        foot.share = float(rng.uniform(0.2, 1.0))
        foot.hip_x, foot.hip_y, foot.hip_z = rng.normal(size=3).tolist()
        foot.end = rng.normal(size=3).tolist()
        turns.append(rng.normal(size=(3, 3)))
        for k, x in enumerate(turns[-1].ravel().tolist()):
            setattr(foot, f"t{k}", x)
    # one knee needs to be told where to bend to
    figure.poles[:] = [*rng.normal(size=3), 0.0, *rng.normal(size=3), 1.0]
    before = np.reshape(figure.poles, (2, 4)).copy()
    ups = rng.normal(size=2).tolist()
    figure.calls.clear()
    figure.kernel.rise[:] = ups
    figure.kernel.finish("ground", 0.1)
    assert figure.calls == [(foot.name, "end_frame") for foot in figure.feet]
    goals = np.reshape(figure.goals, (2, 4, 4))
    for k, (foot, leg) in enumerate(zip(figure.feet, LEGS, strict=True)):
        # vectors in rows are turned from the left
        linear = figure.net(leg[-1])[:3, :3] @ turns[k].T
        assert np.allclose(goals[k], affine(linear, foot.end))
        assert foot.swung == (foot.share, ups[k], 0.1)
        lengths = np.linalg.norm(np.diff([figure.at(j) for j in leg], axis=0), axis=1)
        bent = ups[k], lengths[:-1].sum(), lengths[-1], 0.1
        assert foot.bent == pytest.approx(bent)
    assert figure.poles == [*before[0], 7.0, 8.0, 9.0, 1.0]
    assert figure.feet[1].knee == (*before[1, :3], ups[1])
