"""Joint limits, the nearest branch, and results without a solution."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ikrig import ArmResult, SettingError, SolveStatus, SphericalWristArm
from tests.examples import examples
from tests.interpreted import interpreted_kernel

from .arms import ARTICLE, INDUSTRIAL, TURN, errors, random_chain


class SourceArm(SphericalWristArm):
    _kernel_type = interpreted_kernel("six_axis").SixAxisKernel


def random_limits(rng) -> tuple[np.ndarray, np.ndarray]:
    """Ranges of all kinds: narrow, more than a turn, off to one side."""
    lower = rng.uniform(-5.0, 2.0, 6)
    return lower, lower + rng.uniform(1.0, 8.0, 6)


def slow_choice(rows, near, lower, upper):
    """Every row by whole turns inside the limits; the nearest, and its distance."""
    best, distance = None, np.inf
    for row in rows:
        q = []
        for angle, now, low, high in zip(row, near, lower, upper, strict=True):
            rotations = angle + TURN * np.arange(-6, 7)
            inside = rotations[(rotations >= low - 1e-13) & (rotations <= high + 1e-13)]
            if inside.size:
                q.append(inside[np.abs(inside - now).argmin()])
        if len(q) == 6 and np.linalg.norm(q - near) < distance:
            best, distance = np.array(q), np.linalg.norm(q - near)
    return best, distance


@examples(100)
def test_nearest_branch_within_limits_is_chosen(seed):
    rng = np.random.default_rng(seed)
    chain = random_chain(rng)
    lower, upper = random_limits(rng)
    arm = chain.arm(lower=lower, upper=upper)
    for _ in range(10):
        position, rotation = chain.forward(rng.uniform(-np.pi, np.pi, 6))
        near = rng.uniform(lower - 1.0, upper + 1.0)
        result = arm.solve(position, rotation, near)
        # the rows themselves are proved in test_branches
        expected, distance = slow_choice(
            chain.arm().solve_all(position, rotation), near, lower, upper
        )
        if expected is None:
            assert result.status is SolveStatus.UNREACHABLE
            assert not result.converged
            assert result.branch == -1
            assert np.array_equal(result.q, near)
            assert result.blocked_by
            assert "limits exclude every branch" in result.detail
        else:
            assert result.status is SolveStatus.CONVERGED
            assert result.converged
            assert np.linalg.norm(result.q - near) == pytest.approx(distance, abs=1e-9)
            assert (result.q >= lower).all()
            assert (result.q <= upper).all()
            assert errors(chain, result.q, position, rotation) < 1e-12


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("ends", ["both", "lower", "upper"])
def test_roll_of_an_in_line_wrist_moves_from_joint_6_to_joint_4(seed, ends):
    rng = np.random.default_rng(seed)
    chain = random_chain(rng)
    pose = rng.uniform(-np.pi, np.pi, 6)
    pose[4] = (0.0, np.pi)[seed % 2]
    q = chain.own(pose)
    # a range that joint 6 is not in, by whole turns neither
    lower, upper = np.full(6, -30.0), np.full(6, 30.0)
    away, turns = rng.uniform(0.1, 5.0), TURN * rng.integers(0, 3)
    if ends == "upper":
        lower[5], upper[5] = -np.inf, q[5] - away - turns
    else:
        lower[5] = q[5] + away + turns * (1.0 if ends == "lower" else seed % 3 - 1.0)
        upper[5] = lower[5] + 1.0 if ends == "both" else np.inf
    kernel = SourceArm.opw(
        **chain.measures,
        signs=chain.signs,
        offsets=chain.offsets,
        lower=lower,
        upper=upper,
    )._kernel
    bits = 32 if q[5] < lower[5] else 2048
    for j in range(6):
        kernel.rows[j] = q[j]
    # where joint 4 may not turn nothing changes
    kernel.lower[3], kernel.upper[3] = q[3] - 1e-3, q[3] + 1e-3
    assert kernel.move_roll_to_joint_4(0, bits) == bits
    assert np.array_equal(kernel.rows[:6], q)
    kernel.lower[3], kernel.upper[3] = -30.0, 30.0
    assert kernel.move_roll_to_joint_4(0, bits) == 0
    now = np.array(kernel.rows[:6])
    assert lower[5] <= now[5] <= upper[5]
    assert np.array_equal(now[[0, 1, 2, 4]], q[[0, 1, 2, 4]])
    # it went the shorter way, and the tool is where it was
    ways = np.array([lower[5] - q[5], q[5] - upper[5]])
    shorter = (ways[np.isfinite(ways)] % TURN).min()
    assert abs(now[3] - q[3]) == pytest.approx(shorter, abs=1e-9)
    assert errors(chain, now, *chain.forward(q)) < 1e-9


def test_batch_equals_single_solves():
    rng = np.random.default_rng(2)
    arm = ARTICLE.arm(lower=[-2] * 6, upper=[2] * 6)
    position, rotation = ARTICLE.forward(rng.uniform(-2.5, 2.5, (60, 6)))
    position[::7] *= 3.0
    rotation[::11] = np.nan
    near = rng.uniform(-2, 2, 6)
    batch = arm.solve(position.reshape(5, 12, 3), rotation.reshape(5, 12, 3, 3), near)
    assert batch.status.shape == batch.branch.shape == (5, 12)
    assert batch.q.shape == (5, 12, 6)
    assert set(batch.status.ravel()) == {
        SolveStatus.CONVERGED,
        SolveStatus.UNREACHABLE,
        SolveStatus.INVALID_TARGET,
    }
    for i, (p, r) in enumerate(zip(position, rotation, strict=True)):
        one = arm.solve(p, r, near)
        at = divmod(i, 12)
        assert one.status is batch.status[at]
        assert one.branch == batch.branch[at]
        assert np.array_equal(one.q, batch.q[at])
        assert one.converged == batch.converged[at]


def test_branch_encodes_shoulder_elbow_and_wrist():
    arm = SphericalWristArm()
    position, rotation = arm.forward([0.3, 0.5, 1.0, 0.4, 0.6, 0.2])
    by_branch = arm.solve_all(position[None], rotation[None])[0]
    for back, other, flipped in itertools.product((0, 1), repeat=3):
        branch = 4 * back + 2 * other + flipped
        row = by_branch[branch]
        result = arm.solve(position, rotation, row)
        assert result.branch == branch
        assert np.array_equal(result.q, row)
        assert (abs(row[0]) > np.pi / 2) == back
        assert (row[2] < 0.0) == other
        assert (row[4] < 0.0) == flipped


def test_limits_are_named_by_the_nearest_branch():
    upper = np.full(6, np.pi)
    upper[2], upper[4] = 0.9, 0.5
    q = np.array([0.3, 0.5, 1.0, 0.4, 0.6, 0.2])
    arm = SphericalWristArm(lower=[-0.1] * 6, upper=upper)
    result = arm.solve(*SphericalWristArm().forward(q), q)
    assert isinstance(result, ArmResult)
    assert result.status is SolveStatus.UNREACHABLE
    assert [(b.joint, b.name, b.limit) for b in result.blocked_by] == [
        (2, "U", "upper"),
        (4, "B", "upper"),
    ]
    assert "U at 1, upper is 0.9; B at 0.6, upper is 0.5" in result.detail
    below = SphericalWristArm(lower=[0.35] * 6).solve(*arm.forward(q), q)
    assert [b.limit for b in below.blocked_by] == []
    assert below.converged
    narrow = SphericalWristArm(lower=[0.35] * 6, upper=[2] * 6)
    result = narrow.solve(*arm.forward(q), q)
    assert [(b.name, b.limit) for b in result.blocked_by] == [
        ("S", "lower"),
        ("T", "lower"),
    ]


# the nearer to a singular pose, the more of its angles a goal's last digits change
@pytest.mark.parametrize(
    ("least", "most", "exact"), [(0.02, 1.0, 1e-12), (5e-4, 0.02, 1e-9)]
)
def test_pose_at_the_limit_is_within_it(least, most, exact):
    rng = np.random.default_rng(3)
    tried = 0
    while tried < 250:
        q = rng.uniform(-2.5, 2.5, 6)
        if not least < INDUSTRIAL.margins(q).min() < most:
            continue
        tried += 1
        lower, upper = q - rng.uniform(0.1, 1, 6), q + rng.uniform(0.1, 1, 6)
        at_end = rng.integers(0, 3, 6)
        lower = np.where(at_end == 0, q, lower)
        upper = np.where(at_end == 1, q, upper)
        arm = INDUSTRIAL.arm(lower=lower, upper=upper)
        position, rotation = INDUSTRIAL.forward(q)
        result = arm.solve(position, rotation, near=rng.uniform(lower, upper))
        assert result.converged
        assert (result.q >= lower).all()
        assert (result.q <= upper).all()
        assert errors(INDUSTRIAL, result.q, position, rotation) < exact


@pytest.mark.parametrize("t5", [0.0, np.pi])
@pytest.mark.parametrize("chain", [ARTICLE, INDUSTRIAL])
def test_in_line_joint_4_helps_joint_6_into_its_limits(chain, t5):
    rng = np.random.default_rng(4)
    helped = 0
    for _ in range(500):
        t = rng.uniform(-np.pi, np.pi, 6)
        t[4] = t5
        q = chain.own(t)
        lower, upper = np.full((2, 6), [[-10.0], [10.0]])
        lower[[3, 5]] = q[[3, 5]] - rng.uniform(0.0, 1.5, 2)
        upper[[3, 5]] = q[[3, 5]] + rng.uniform(0.0, 1.5, 2)
        near = rng.uniform(lower, upper)
        near[[0, 1, 2, 4]] = q[[0, 1, 2, 4]]
        if chain.margins(q)[1] < 0.02:
            continue  # the elbow's rounding is more than the wrist's
        position, rotation = chain.forward(q)
        result = chain.arm(lower=lower, upper=upper).solve(position, rotation, near)
        assert result.converged
        assert (result.q >= lower).all()
        assert (result.q <= upper).all()
        assert errors(chain, result.q, position, rotation) < 1e-12
        helped += abs(result.q[3] - near[3]) > 1e-9
    assert helped > 50


def test_out_of_reach_is_reported():
    arm = SphericalWristArm()
    result = arm.solve([30, 0, 0], np.eye(3), near=[1, 2, 3, 4, 5, 6])
    assert result.status is SolveStatus.UNREACHABLE
    assert result.detail == "out of reach"
    assert result.q.tolist() == [1, 2, 3, 4, 5, 6]
    assert arm.solve_all([30, 0, 0], np.eye(3)).shape == (0, 6)


@pytest.mark.parametrize(
    ("position", "rotation", "near", "detail"),
    [
        ([np.nan, 0, 0], np.eye(3), np.zeros(6), "position is not finite"),
        ([1e308, 0, 0], np.eye(3), np.zeros(6), "position is not finite"),
        ([9, 0, 9], np.full((3, 3), np.inf), np.zeros(6), "rotation is not finite"),
        ([9, 0, 9], 2 * np.eye(3), np.zeros(6), "rotation is not a rotation"),
        ([9, 0, 9], np.diag([1, 1, -1]), np.zeros(6), "rotation is not a rotation"),
        ([9, 0, 9], np.eye(3), np.full(6, np.inf), "near is not finite"),
    ],
)
def test_invalid_pose_is_reported(position, rotation, near, detail):
    arm = SphericalWristArm()
    result = arm.solve(position, rotation, near)
    assert result.status is SolveStatus.INVALID_TARGET
    assert result.detail.startswith(detail)
    assert arm.solve_all(position, rotation, near).shape == (0, 6)
    path = arm.solve_path([position], [rotation], near)
    assert path.status is SolveStatus.INVALID_TARGET
    assert path.stopped_at == 0


@pytest.mark.parametrize("seed", range(4))
def test_any_single_number_that_is_wrong_is_noticed(seed):
    rng = np.random.default_rng(seed)
    arm, near = SphericalWristArm(), rng.uniform(-1.0, 1.0, 6)
    position, rotation = arm.forward(rng.uniform(-1.0, 1.0, 6))

    def refused(**changes) -> bool:
        given = {"position": position, "rotation": rotation, "near": near} | changes
        status = arm.solve(**given).status
        return status is SolveStatus.INVALID_TARGET

    assert not refused()
    for i in range(3):
        for bad in (np.nan, np.inf, -1e301):
            assert refused(position=np.where(np.arange(3) == i, bad, position))
        for j in range(3):
            off = np.zeros((3, 3))
            off[i, j] = rng.choice([-1.0, 1.0])
            # products of single precision are rotations but for so much
            assert not refused(rotation=rotation + 1e-6 * off)
            assert refused(rotation=rotation + 1e-3 * off)
            off[i, j] = np.nan
            assert refused(rotation=rotation + off)
        # a mirror is none, along any axis
        assert refused(rotation=rotation @ np.diag(np.where(np.arange(3) == i, -1, 1)))
    for i in range(6):
        own = np.arange(6) == i
        for bad in (np.nan, np.inf, 1.1e6, -1.1e6):
            assert refused(near=np.where(own, bad, near))
        for good in (9e5, -9e5):
            assert not refused(near=np.where(own, good, near))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], np.eye(3)), r"position must be numbers of shape \(..., 3\)"),
        (([1, 2, 3], np.eye(4)), r"rotation must be numbers of shape \(..., 3, 3\)"),
        (([1, 2, 3], np.eye(3), [0] * 5), r"near must be numbers of shape \(..., 6\)"),
        (("abc", np.eye(3)), "position must be numbers"),
        ((np.zeros((4, 3)), np.zeros((5, 3, 3))), "same leading axes"),
    ],
)
def test_wrong_shapes_are_named(arguments, message):
    arm = SphericalWristArm()
    for method in (arm.solve, arm.solve_all):
        with pytest.raises(SettingError, match=message):
            method(*arguments)


def test_wrong_limits_are_named_and_no_number_of_an_arm_can_be_changed():
    with pytest.raises(SettingError, match="joint U must be two angles"):
        SphericalWristArm(lower=[0, 0, 1, 0, 0, 0], upper=[0.5] * 6)
    with pytest.raises(SettingError, match="joint S must be two angles"):
        SphericalWristArm(lower=[np.nan, 0, 0, 0, 0, 0])
    with pytest.raises(SettingError, match=r"upper must be 6 numbers, not \[1, 2\]"):
        SphericalWristArm(upper=[1, 2])
    with pytest.raises(SettingError, match=r"upper must be 6 numbers, .*\(2, 6\)"):
        SphericalWristArm(upper=np.zeros((2, 6)))
    arm = SphericalWristArm(lower=[-1] * 6)
    for numbers in (arm.lower, *SphericalWristArm.solve.__defaults__):
        with pytest.raises(ValueError, match="read-only"):
            numbers[0] = 3
