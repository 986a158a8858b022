"""Bends and triangles that close a chain's gap, compared with Newton steps in numpy."""

from __future__ import annotations

import numpy as np
import pytest

from tests import chain_oracle as oracle
from tests import reference
from tests.interpreted import interpreted_kernel
from tests.kernels.parts import (
    Frame,
    flat,
)

gap_closing = interpreted_kernel("gap_closing")
seeds = pytest.mark.parametrize("seed", range(40))


SCALES = (1.0, 1e-7, 1e7)
"""Sizes of chains [scene unit]: nothing but the gap depends on them."""


def random_bones(rng, n: int):
    lengths = rng.uniform(0.2, 1.5, n)
    dirs = np.array([oracle.unit(v) for v in rng.normal(size=(n, 3))])
    return dirs, lengths, oracle.unit(rng.normal(size=3))


@seeds
@pytest.mark.parametrize("far", [0.3, 0.9, 0.999])
def test_bent_chain_closes_its_gap(seed, far):
    rng = np.random.default_rng(seed)
    dirs, lengths, bend = random_bones(rng, 3 + seed % 5)
    skip = -1 if seed % 3 else seed % len(lengths)
    own = np.where(np.arange(len(lengths)) == skip, 0.0, lengths)
    reach, dead_zone = own.sum(), max(0.0, 2.0 * own.max() - own.sum())
    goal = dead_zone + far * (reach - dead_zone)
    goal = goal * oracle.unit(rng.normal(size=3))
    given, scale = flat(dirs), SCALES[seed % 4 % 3]
    left = gap_closing.close_gap_bend(
        *(given, flat(scale * lengths), len(lengths), skip),
        *(*(scale * goal), scale * reach, *bend),
    )
    left /= scale
    found = np.reshape(given, (-1, 3))
    assert np.allclose(
        found, oracle.leaned(dirs, lengths, skip, goal, reach, bend), atol=1e-6
    )
    assert left == pytest.approx(np.linalg.norm(own @ found - goal), abs=1e-9)


@pytest.mark.parametrize("bones", [3, 5, 20])
def test_close_gap_bend_reaches_with_small_rotations(bones):
    # Σ l u·d is nearly the largest of all poses that reach: compare with others
    rng = np.random.default_rng(bones)
    for _ in range(20):
        lengths = rng.random(bones) + 0.5
        start = reference.random_directions(rng, bones, 0.5)
        goal = (lengths @ start) * (1 + 0.1 * rng.random()) + 0.1 * rng.normal(size=3)
        if np.linalg.norm(goal) > 0.98 * lengths.sum():
            continue
        flat = start.ravel().tolist()
        left = gap_closing.close_gap_bend(
            flat, lengths.tolist(), bones, -1, *goal, lengths.sum(), 1.0, 0.0, 0.0
        )
        found = np.array(flat).reshape(-1, 3)
        assert left < 1e-10 * lengths.sum()
        assert np.allclose(lengths @ found, goal, atol=1e-9)
        assert np.allclose(np.linalg.norm(found, axis=1), 1.0)
        score = (lengths * (found * start).sum(axis=1)).sum()
        for _ in range(10):
            # turn bones i and j about their sum: another pose with the same tip
            i, j = rng.choice(bones, 2, replace=False)
            axis = lengths[i] * found[i] + lengths[j] * found[j]
            turn = reference.axis_angle(axis, rng.normal())
            other = found.copy()
            other[i], other[j] = turn @ found[i], turn @ found[j]
            assert (lengths * (other * start).sum(axis=1)).sum() <= score + 1e-9


@seeds
def test_chain_that_cannot_bend_forms_a_triangle(seed):
    rng = np.random.default_rng(seed)
    n = 2 + seed % 4
    lengths = rng.uniform(0.2, 1.5, n)
    # along an axis, where no rounding leads off the line
    line = np.eye(3)[seed % 3]
    bend = oracle.unit(oracle.squared(rng.normal(size=3), line))
    # all on one line, some of them backwards, and the goal on it, too
    dirs = np.outer(np.where(np.arange(n) % 2, -1.0, 1.0), line)
    goal = 0.5 * (max(0.0, 2 * lengths.max() - lengths.sum()) + lengths.sum()) * line
    goal *= (1.0, -1.0)[seed % 2]
    given, scale = flat(dirs), SCALES[seed % 5 % 3]
    left = gap_closing.close_gap_bend(
        *(given, flat(scale * lengths), n, -1),
        *(*(scale * goal), scale * lengths.sum(), *bend),
    )
    left /= scale
    found = np.reshape(given, (-1, 3))
    assert left == pytest.approx(np.linalg.norm(lengths @ found - goal), abs=1e-7)
    assert n > 2 or left < 1e-9
    expected = oracle.leaned(dirs, lengths, -1, goal, lengths.sum(), bend)
    assert np.allclose(found, expected, atol=1e-6)


@seeds
@pytest.mark.parametrize(
    "kind", ["any", "too bent", "too straight", "at the root", "on the line"]
)
def test_triangle_closes_the_gap(seed, kind):
    rng = np.random.default_rng(seed)
    n = 2 + seed % 4
    dirs, lengths, bend = random_bones(rng, n)
    pick = seed % n
    line = oracle.unit(rng.normal(size=3))
    goal = 0.7 * lengths.sum() * line
    if kind == "too bent":
        # together the others are shorter than what the goal asks for
        lengths[pick] = 0.4 * lengths.sum()
        dirs[:] = np.where(np.arange(n)[:, None] % 2, -1, 1) * dirs[0]
        dirs = np.array([oracle.unit(d) for d in dirs + 0.3 * rng.normal(size=(n, 3))])
        goal = 0.95 * lengths.sum() * line
    if kind == "too straight":
        # together the others are longer than what the goal allows
        lengths[pick] = 0.1
        dirs[:] = [oracle.unit(d) for d in dirs[0] + 0.2 * dirs]
        goal = 0.05 * line
    if kind == "at the root":
        goal = np.zeros(3)
        others = np.arange(n) != pick
        lengths[pick] = np.linalg.norm(lengths[others] @ dirs[others])
        bend = oracle.unit(oracle.squared(rng.normal(size=3), dirs[pick]))
    if kind == "on the line":
        # so that the others do not add up to nothing
        lengths[(pick + 1) % n] += 1.5
        dirs = np.outer(np.where(np.arange(n) % 2, -1.0, 1.0), line)
        others = np.arange(n) != pick
        rest = abs(lengths[others] @ dirs[others] @ line)
        goal = (abs(rest - lengths[pick]) + 0.3 * min(rest, lengths[pick])) * line
        bend = oracle.unit(oracle.squared(bend, line))
    given, scale = flat(dirs), SCALES[seed % 5 % 3]
    left = gap_closing.two_bone_close(
        *(given, flat(scale * lengths), n, pick),
        *(*(scale * goal), scale * lengths.sum(), *bend),
    )
    left /= scale
    found = np.reshape(given, (-1, 3))
    expected = oracle.triangle(dirs, lengths, pick, goal, lengths.sum(), bend)
    assert np.allclose(found, expected, atol=1e-6)
    assert left == pytest.approx(np.linalg.norm(lengths @ found - goal), abs=1e-8)


def test_impossible_triangle_is_reported():
    # bones that add up to nothing have no side; a bend along the line has none either
    lengths, up = [1.0, 1.0, 0.5], [0.0, 0.0, 1.0]
    given = flat([[0, 0, 1.0], [0, 0, -1.0], up])
    left = gap_closing.two_bone_close(given, flat(lengths), 3, 2, *up, 2.5, 1, 0, 0)
    assert left == pytest.approx(0.5)
    assert np.reshape(given, (-1, 3)).tolist() == [[0, 0, 1], [0, 0, -1], up]
    given = flat([up, up])
    left = gap_closing.two_bone_close(given, flat([1, 0.5]), 2, 0, 0, 0, 0.8, 1.5, *up)
    assert left == pytest.approx(1.0 + 0.5 + 0.8)
    # the goal is where the picked bone ends: nothing is left to turn the others to
    given = flat([[1.0, 0, 0], up])
    left = gap_closing.two_bone_close(
        given, flat([1, 0.5]), 2, 1, 0, 0, 0.5, 1.5, 0, 1, 0
    )
    found = np.reshape(given, (-1, 3))
    assert left == pytest.approx(
        np.linalg.norm([1, 0.5] @ found - [0, 0, 0.5]), abs=1e-9
    )


@seeds
def test_gap_is_closed_by_the_chosen_finish(seed):
    rng = np.random.default_rng(seed)
    n = 2 + seed % 3
    frame = Frame(rng, n)
    least = frame.dead_zone / frame.reach
    goal = (least + 0.8 * (1.0 - least)) * frame.reach * oracle.unit(rng.normal(size=3))
    frame.aim_at(goal)
    places = oracle.laid_out(
        [oracle.unit(v) for v in rng.normal(size=(n, 3))], frame.lengths
    )
    frame.put("pos", places)
    frame.close()
    dirs = oracle.directions(places, frame.bend)
    lengths = frame.lengths
    if n == 2:
        dirs[1] = oracle.unit(goal - places[1])
        before = np.linalg.norm(lengths @ dirs - goal)
        dirs = oracle.triangle(dirs, lengths, 0, goal, frame.reach, frame.bend)
        assert frame.left < 1e-9 * frame.reach < before
    else:
        assert frame.left == pytest.approx(np.linalg.norm(places[-1] - goal))
        dirs = oracle.leaned(dirs, lengths, -1, goal, frame.reach, frame.bend)
    assert np.allclose(frame.get("dir", 3), dirs, atol=1e-6)
    expected = oracle.laid_out(dirs, lengths)
    assert np.allclose(frame.get("pos", 3), expected, atol=1e-6)


@pytest.mark.parametrize("case", [1, 2])
def test_straight_and_folded_chains(case):
    frame = Frame(np.random.default_rng(5), 4)
    frame.aim_at(0.8 * frame.reach * oracle.unit([1, 2, 3]))
    frame.case = case
    frame.straighten()
    sides = np.ones(4) if case == 1 else np.where(np.arange(4) == frame.longest, 1, -1)
    expected = np.outer(sides, frame.line)
    assert np.allclose(frame.get("dir", 3), expected)
    assert np.allclose(frame.get("pos", 3), oracle.laid_out(expected, frame.lengths))


@seeds
def test_bones_that_are_folded_back_turn_half_round_about_the_bend(seed):
    rng = np.random.default_rng(seed)
    line = oracle.unit(rng.normal(size=3))
    bend = oracle.unit(oracle.squared(rng.normal(size=3), line))
    # two bones that together point straight back, and one to a goal at full reach
    off = 0.4 * oracle.unit(rng.normal(size=3))
    others = np.array([-line + off, -line - off])
    lengths = np.linalg.norm(others, axis=1)
    others = np.array([oracle.unit(v) for v in others])
    dirs = np.vstack([oracle.unit(rng.normal(size=3)), others])
    lengths = np.array([1.3, *lengths])
    given = flat(dirs)
    left = gap_closing.two_bone_close(
        given, flat(lengths), 3, 0, *(3.3 * line), lengths.sum(), *bend
    )
    found = np.reshape(given, (-1, 3))
    assert np.allclose(lengths[1:] @ others, -2.0 * line)
    turned = 2.0 * (others @ bend)[:, None] * bend - others
    assert np.allclose(found, [line, *turned], atol=1e-6)
    assert left < 1e-6


@pytest.mark.parametrize("skip", [0, 1])
def test_bones_on_a_line_stay_when_one_is_to_be_left_alone(skip):
    up, bend = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    dirs, lengths = np.outer([1.0, -1.0, 1.0], up), np.array([1.0, 0.7, 0.8])
    own = np.where(np.arange(3) == skip, 0.0, lengths)
    given, goal = flat(dirs), 0.4 * up
    left = gap_closing.close_gap_bend(
        given, flat(lengths), 3, skip, *goal, own.sum(), *bend
    )
    assert np.reshape(given, (-1, 3)).tolist() == dirs.tolist()
    assert left == pytest.approx(np.linalg.norm(own @ dirs - goal))
