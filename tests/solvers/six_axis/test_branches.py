"""All branches of an arm, each verified by matrices."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import SettingError, SphericalWristArm

from .arms import ARTICLE, CHAINS, about, errors, wrapped

LIMIT = 1e-12

every_chain = pytest.mark.parametrize("name", CHAINS)


def random_angles(rng, count: int) -> np.ndarray:
    return rng.uniform(-np.pi, np.pi, (count, 6))


@every_chain
def test_forward_kinematics_matches_matrices(name):
    chain = CHAINS[name]
    q = random_angles(np.random.default_rng(1), 200).reshape(4, 50, 6)
    position, rotation = chain.arm().forward(q)
    assert position.shape == (4, 50, 3)
    assert rotation.shape == (4, 50, 3, 3)
    assert errors(chain, q, position, rotation).max() < 1e-14
    one = chain.arm().forward(q[2, 7])
    assert np.array_equal(one[0], position[2, 7])
    assert np.array_equal(one[1], rotation[2, 7])


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("shape", [(6,), (2, 6)])
def test_angles_that_are_not_finite_are_refused(bad, shape):
    q = np.zeros(shape)
    q[..., 3] = bad
    with pytest.raises(SettingError, match=r"q must be finite angles \[rad\], not"):
        ARTICLE.arm().forward(q)


def test_forward_kinematics_matches_the_articles_formulas():
    # the zero pose and the wrist centre as the article writes them
    arm = SphericalWristArm()
    position, rotation = arm.forward(np.zeros(6))
    assert position.tolist() == [0.0, 0.0, 20.0]
    assert rotation[:, 0].tolist() == [0.0, 0.0, 1.0]
    assert rotation[:, 2].tolist() == [1.0, 0.0, 0.0]
    l1, l2, l3, l4, l5, l6 = 4, 6, 3, 4, 2, 1
    z = np.array([0, 0, 1.0])
    for q in random_angles(np.random.default_rng(2), 50):
        first = about("z", q[0])[:3, :3]
        upper = first @ about("y", q[1])[:3, :3]
        fore = first @ about("y", q[1] + q[2])[:3, :3]
        wrist = l1 * z + l2 * upper @ z + (l3 + l4) * fore @ z
        hand = fore @ about("z", q[3])[:3, :3] @ about("y", q[4])[:3, :3]
        hand = hand @ about("z", q[5])[:3, :3]
        position, rotation = arm.forward(q)
        assert np.allclose(rotation[:, 0], hand @ z, atol=1e-14)
        assert np.allclose(rotation[:, 2], hand @ [1.0, 0, 0], atol=1e-14)
        assert np.allclose(position, wrist + (l5 + l6) * hand @ z, atol=1e-13)


@every_chain
def test_every_kind_of_arm_has_all_branches(name):
    chain = CHAINS[name]
    arm = chain.arm()
    rng = np.random.default_rng(5)
    q = random_angles(rng, 10_000)
    near = rng.uniform(-9, 9, (10_000, 6))
    position, rotation = chain.forward(q)
    rows = arm.solve_all(position, rotation, near)
    there = np.isfinite(rows[..., 0])
    count = there.sum(axis=1)
    # both elbows and wrists, or the shoulder's other side is out of reach
    assert set(count) <= {4, 8}
    worst = errors(chain, rows, position[:, None], rotation[:, None])[there].max()
    assert worst < LIMIT
    assert np.abs(rows - near[:, None])[there].max() <= np.pi + 1e-12
    found = np.abs(wrapped(rows - q[:, None])).max(axis=-1)
    assert np.nanmin(found, axis=1).max() < 1e-8
    for i in range(0, 10_000, 500):
        one = arm.solve_all(position[i], rotation[i], near[i])
        assert np.array_equal(one, rows[i][there[i]])


@pytest.mark.parametrize("t5", [0.0, np.pi])
@pytest.mark.parametrize(("name", "counts"), [("article", {6}), ("industrial", {3, 7})])
def test_singular_wrist(name, counts, t5):
    chain = CHAINS[name]
    rng = np.random.default_rng(6)
    canonical = random_angles(rng, 500)
    canonical[:, 4] = t5
    q = chain.own(canonical)
    near = rng.uniform(-4, 4, (500, 6))
    position, rotation = chain.forward(q)
    rows = chain.arm().solve_all(position, rotation, near)
    there = np.isfinite(rows[..., 0])
    assert set(there.sum(axis=1)) == counts
    assert (
        errors(chain, rows, position[:, None], rotation[:, None])[there].max() < LIMIT
    )
    # where axes 4 and 6 are in line, joint 4 stays where it was
    bent = np.sin(chain.signs[4] * rows[..., 4] - chain.offsets[4])
    free = there & (np.abs(bent) < 1e-12)
    assert free.any(axis=1).all()
    assert np.allclose(rows[..., 3][free], np.repeat(near[:, None, 3], 8, 1)[free])


def shoulder_singular(chain, rng, count: int) -> np.ndarray:
    """Angles with the wrist centre on axis 1."""
    m = chain.measures
    result = []
    while len(result) < count:
        t = rng.uniform(-np.pi, np.pi, 6)
        across = m["a2"] * np.cos(t[2]) + m["c3"] * np.sin(t[2])
        sine = -(m["a1"] + across) / m["c2"]
        if abs(sine) < 1.0:
            # here t[2] is the angle of both bones together
            t[1] = np.arcsin(sine)
            t[2] -= t[1]
            result.append(chain.own(t))
    return np.array(result)


@pytest.mark.parametrize("name", ["article", "industrial"])
def test_singular_shoulder(name):
    chain = CHAINS[name]
    rng = np.random.default_rng(9)
    q = shoulder_singular(chain, rng, 500)
    near = rng.uniform(-3, 3, (500, 6))
    assert np.abs(chain.wrist(q)[:, :2, 3]).max() < 1e-15 * chain.size
    position, rotation = chain.forward(q)
    rows = chain.arm().solve_all(position, rotation, near)
    there = np.isfinite(rows[..., 0])
    assert set(there.sum(axis=1)) == {8}
    assert errors(chain, rows, position[:, None], rotation[:, None]).max() < LIMIT
    # four rows keep joint 1, and four turn it round
    rotations = np.abs(rows[..., 0] - near[:, None, 0])
    assert np.allclose(np.sort(rotations, axis=1)[:, :4], 0.0, atol=1e-12)
    assert np.allclose(np.sort(rotations, axis=1)[:, 4:], np.pi)


@every_chain
@pytest.mark.parametrize("power", range(1, 18))
def test_branches_are_exact_near_singular_poses(name, power):
    chain = CHAINS[name]
    rng = np.random.default_rng(power)
    bend = np.arctan2(chain.measures["a2"], chain.measures["c3"])
    small = 10.0**-power
    q = random_angles(rng, 200)
    kinds = [chain.own(q) for _ in range(4)]
    for kind, (joint, place) in zip(
        kinds, [(4, 0), (4, np.pi), (2, -bend), (2, np.pi - bend)], strict=True
    ):
        kind[:, joint] += chain.signs[joint] * (place + small - q[:, joint])
    shoulder = shoulder_singular(chain, rng, 200)
    shoulder[:, 1] += small
    for kind in (*kinds, shoulder):
        position, rotation = chain.forward(kind)
        rows = chain.arm().solve_all(position, rotation)
        there = np.isfinite(rows[..., 0])
        assert there.any(axis=1).all()
        worst = errors(chain, rows, position[:, None], rotation[:, None])[there].max()
        assert worst < LIMIT
