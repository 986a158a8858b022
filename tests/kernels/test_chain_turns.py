"""Rotations of a chain's bones: limits and writing, compared with scipy."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ikrig import ChainModel
from tests import chain_oracle as oracle
from tests.kernels.parts import (
    Frame,
    same,
)

seeds = pytest.mark.parametrize("seed", range(40))


@seeds
def test_iteration_stops_when_the_tip_meets_the_tolerance(seed):
    rng = np.random.default_rng(seed)
    frame = Frame(rng, 3)
    goal = 0.7 * frame.reach * oracle.unit(rng.normal(size=3))
    frame.aim_at(goal)
    places = oracle.laid_out(rng.normal(size=(3, 3)), np.ones(3))
    frame.put("pos", places)
    frame.iterations = (20, 4, 0)[seed % 3]
    share = 0.6
    seen = [places]

    def sweep() -> None:
        seen.append(seen[-1] + share * (goal - seen[-1]))
        frame.put("pos", seen[-1])

    frame.sweep = sweep
    error = np.linalg.norm(places[-1] - goal)
    used = 0
    while error > frame.tolerance and used < frame.iterations:
        used += 1
        error *= 1.0 - share
    assert frame.iterate() == used == len(seen) - 1
    if error < frame.tolerance:
        last, before = seen[-1], seen[-2]
        larger = error / (1.0 - share)
        k = (frame.tolerance - error) / (larger - error)
        expected = last + k * (before - last)
        assert np.linalg.norm(expected[-1] - goal) == pytest.approx(frame.tolerance)
    else:
        expected = seen[-1]
    assert np.allclose(frame.get("pos", 3), expected)


@seeds
def test_bone_rotations(seed):
    rng = np.random.default_rng(seed)
    n = 1 + seed % 4
    frame = Frame(rng, n)
    if seed % 5 == 0 and n > 1:
        places = frame.get("points", 3)
        empty = seed % n
        places[empty + 1] = places[empty]
        frame = Frame(rng, n, places)
    frame.roll_from_parent = seed % 2
    frame.swing = seed // 2 % 2
    frame.twist_spread = (0.0, 0.7, 1.0)[seed % 3]
    swing = frame.some_turns(1)
    if frame.swing:
        frame.put("swing_rot", swing)
    dirs = oracle.directions(rng.normal(size=(n + 1, 3)), 0)
    frame.put("dir", dirs)
    rest = frame.get("rest_dir", 3)
    whole = oracle.rotation(swing[0]) if frame.swing else Rotation.identity()
    turns = oracle.bone_turns(
        rest, dirs, frame.lengths, whole, bool(frame.roll_from_parent)
    )
    frame.rotate_bones(0)
    same(frame.turns("solved_rot"), [*turns, turns[-1]], 1e-7)
    for roll in (0.3, 1.9, 2.5, -2.9):
        # rolled about the last bone, and a little off it; or nearly right back on it
        leaf = turns[-1] * Rotation.from_rotvec(roll * rest[-1])
        if roll == 2.5 and rest[-1].any():
            leaf = leaf * Rotation.from_rotvec(
                2.8 * oracle.unit(np.cross(rest[-1], [1, 2, 3]))
            )
        leaf = leaf * Rotation.from_rotvec(0.3 * rng.normal(size=3))
        frame.put("tip", np.roll(leaf.as_quat(), 1) * rng.choice([-1, 1]))
        frame.rotate_bones(1)
        expected = turns
        if frame.twist_spread:
            expected = oracle.shared_roll(
                turns, leaf, rest, frame.lengths, frame.twist_spread
            )
        same(frame.turns("solved_rot"), [*expected, leaf], 1e-7)


@seeds
def test_weight_and_max_step_limit_rotations(seed):
    rng = np.random.default_rng(seed)
    frame = Frame(rng, 3)
    last = [oracle.rotation(q) for q in frame.some_turns(4)]
    near = [q * Rotation.from_rotvec(0.2 * rng.normal(size=3)) for q in last]
    solved = near if seed % 2 else [oracle.rotation(q) for q in frame.some_turns(4)]
    frame.weight = (1.0, 0.4)[seed // 2 % 2]
    frame.max_step = (0.0, 2.0, 20.0)[seed % 3]
    frame.put("delta_rot", [np.roll(q.as_quat(), 1) for q in last])
    frame.put("solved_rot", [np.roll(q.as_quat(), 1) for q in solved])
    dt = 0.05
    held = frame.limit_step(dt)
    expected, code = solved, 0
    if frame.weight < 1.0:
        expected, code = [oracle.shrunk(q, frame.weight, inf) for q in solved], 1
        # the leaf's on its bone
        own = oracle.shrunk(solved[-2].inv() * solved[-1], frame.weight, inf)
        expected[-1] = expected[-2] * own
    if frame.max_step:
        expected, late = oracle.held_back(last, expected, frame.max_step * dt)
        code = 2 if late else code
    assert held == code
    same(frame.turns("delta_rot"), expected, 1e-7)


@seeds
@pytest.mark.parametrize("mirrored", [False, True])
def test_written_pose(seed, mirrored):
    rng = np.random.default_rng(seed)
    n = 1 + seed % 4
    frame = Frame(rng, n)
    if not mirrored:
        turns = frame.get("rest_rot", 4)
        frame.put("frames", np.vstack([frame.get("frames", 4)[:1], turns[:-1]]))
        frame.set_rest()
    frame.lengthening = 1.3
    turns = frame.some_turns(n + 1)
    frame.put("delta_rot", turns)
    frame.write()
    deltas = [oracle.rotation(q) for q in turns]
    rotations = [a * b for a, b in zip(deltas, frame.turns("rest_rot"), strict=True)]
    same(frame.turns("rot"), rotations)
    frames = frame.turns("mirror")
    parents = [Rotation.identity(), *rotations[:-1]]
    local = [
        (parent * own).inv() * turn
        for parent, own, turn in zip(parents, frames, rotations, strict=True)
    ]
    same(frame.turns("local"), local)
    dirs = [q.apply(v) for q, v in zip(deltas, frame.get("rest_dir", 3), strict=False)]
    places = oracle.laid_out(dirs, 1.3 * frame.lengths)
    assert np.allclose(frame.get("prev_pos", 3), places)
    # and how far it is off
    frame.tx, frame.ty, frame.tz = rng.normal(size=3).tolist()
    leaf = frame.some_turns(1)
    frame.put("tip", leaf)
    frame.orientation_error = 9.0
    frame.evaluate(0)
    away = places[-1] - [frame.tx, frame.ty, frame.tz]
    assert frame.error == pytest.approx(np.linalg.norm(away))
    assert frame.orientation_error == 0.0
    frame.evaluate(1)
    off = (oracle.rotation(leaf[0]).inv() * deltas[-1]).magnitude()
    assert frame.orientation_error == pytest.approx(off)


@seeds
def test_rotations_relative_to_the_limits_reference_pose(seed):
    rng = np.random.default_rng(seed)
    frame = Frame(rng, 3)
    frame.put("limit_rot", frame.some_turns(4))
    solved, between = frame.some_turns(4), frame.some_turns(4)
    frame.put("solved_rot", solved)
    frame.put("rest_to_anim", between)
    between = frame.turns("rest_to_anim")
    turns = [oracle.rotation(q) for q in solved]
    frame.to_limits()
    counted = [q * b for q, b in zip(turns, between, strict=True)]
    same(frame.turns("solved_rot"), counted)


def test_pose_that_is_not_finite_is_detected_and_reset():
    rng = np.random.default_rng(6)
    for name, at in (
        ("solved_rot", 5),
        ("solved_rot", 10),
        ("solved_rot", 7),
        ("solved_rot", 0),
        ("pos", 9),
        ("pos", 10),
        ("pos", 11),
    ):
        for bad in (np.nan, inf, 1e200):
            frame = Frame(rng, 3)
            frame.aim_at(0.8 * frame.reach * oracle.unit(rng.normal(size=3)))
            frame.put("solved_rot", frame.some_turns(4))
            assert frame.sound()
            frame.buffers[name][at] = bad
            assert frame.sound() == (name == "pos" and bad == 1e200)
    for name in ("bx", "by", "bz", "cx", "cy", "cz"):
        frame = Frame(rng, 3)
        frame.aim_at(0.8 * frame.reach * oracle.unit(rng.normal(size=3)))
        frame.put("solved_rot", frame.some_turns(4))
        setattr(frame, name, np.nan)
        assert not frame.sound()
    shown = frame.some_turns(4)
    frame.put("delta_rot", shown)
    frame.tx = frame.ty = frame.tz = 1.0
    frame.start_over(0)
    assert np.allclose(frame.get("pos", 3), frame.rest_places)
    chord, bend, _ = oracle.chord_and_bend(frame.rest_places, frame.reach)
    assert np.allclose([*frame.line, *frame.bend], [*chord, *bend])
    same(frame.turns("delta_rot"), [oracle.rotation(q) for q in shown])
    assert frame.sound()
    assert np.isfinite(frame.error)


def test_rotations_move_bones_and_are_displayed():
    rng = np.random.default_rng(7)
    for slides in (0, 1):
        frame = Frame(rng, 3)
        solved = frame.some_turns(4)
        frame.put("solved_rot", solved)
        joints = rng.normal(size=(4, 3))
        frame.put("joint_pos", joints)
        frame.slides = slides
        frame.update_directions()
        dirs = [
            oracle.rotation(q).apply(v)
            for q, v in zip(solved, frame.get("rest_dir", 3), strict=False)
        ]
        places = oracle.laid_out(dirs, frame.lengths)
        assert np.allclose(frame.get("dir", 3), dirs)
        assert np.allclose(frame.get("pos", 3), places)
        frame.commit()
        same(frame.turns("delta_rot"), [oracle.rotation(q) for q in solved])
        assert np.allclose(frame.get("prev_pos", 3), joints if slides else places)


def test_model_without_length_is_refused():
    with pytest.raises(ValueError, match="length"):
        ChainModel(np.zeros((3, 3)))
