"""Skeletons of robots, compared with their bodies and poses joint by joint."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from ikrig import (
    Body,
    FixedLimit,
    Joint,
    RobotModel,
    SettingError,
    Site,
    forward_kinematics,
)
from ikrig.model.robot_skeleton import RobotSkeleton
from tests import random_robots


def joints_of(model: RobotModel, body: int) -> list[int]:
    """The joints that move a body, from the root on; its own count."""
    found: list[int] = []
    while body > 0:
        own = range(model.body_joints[body], model.body_joints[body + 1])
        found[:0], body = own, int(model.parents[body])
    return found


def moved_parts(model: RobotModel) -> list[tuple[str, int]]:
    """Every site and body that a joint moves, and the body that carries it."""
    sites = zip(model.site_names, model.site_bodies.tolist(), strict=True)
    # a site's name goes before a body's
    parts = dict(enumerate(model.body_names))
    bodies = [(name, b) for b, name in parts.items() if name not in model.site_names]
    return [part for part in (*sites, *bodies) if joints_of(model, part[1])]


def place_of(model: RobotModel, pose, name: str) -> np.ndarray:
    if name in model.site_names:
        return pose.site_xpos[model.site_index(name)]
    return pose.xpos[model.body_index(name)]


@pytest.mark.parametrize("seed", range(30))
def test_skeleton_has_the_joints_above_its_effectors_where_they_are(seed):
    rng = np.random.default_rng(seed)
    model = RobotModel(random_robots.random_bodies(rng, int(rng.integers(2, 9))))
    parts = moved_parts(model)
    chosen = [parts[i] for i in rng.permutation(len(parts))[: rng.integers(1, 4)]]
    found = RobotSkeleton(model, [name for name, _ in chosen])
    paths = [joints_of(model, body) for _, body in chosen]
    rows = sorted(set().union(*paths))
    assert found.joints == tuple(model.joint_names[row] for row in rows)
    pose = forward_kinematics(model, model.qpos0)
    skeleton, parents = found.model, found.model.parents
    # a free joint is three slides and a ball
    kinds = [model.joint_kinds[row].value for row in rows]
    expected = [
        r
        for r, k in zip(rows, kinds, strict=True)
        for _ in range(1 + 3 * (k == "free"))
    ]
    roots = {path[0] for path in paths}
    places = [*pose.xanchor[rows], *(place_of(model, pose, n) for n, _ in chosen)]
    single = bool(np.ptp(places, axis=0).max() < 1e-9)
    base = [-1] * (len(roots) > 1 or single)
    assert found.rows == [*base, *expected, *[-1] * len(chosen)]
    first = np.array(places[0]) - [0.0, 0.0, float(single)]
    assert not base or np.allclose(skeleton.positions[0], first, atol=1e-12)
    for j, row in enumerate(found.rows):
        if row < 0:
            assert isinstance(found.limits[j], FixedLimit)
            continue
        assert np.allclose(skeleton.positions[j], pose.xanchor[row], atol=1e-12)
        # what is before it in its body's way from the root
        above = parents[j]
        own = joints_of(model, int(model.joint_bodies[row]))
        before = own[: own.index(row)]
        if above >= 0 and found.rows[above] == row:
            assert model.joint_kinds[row].value == "free"
        elif before:
            assert found.rows[above] == before[-1]
        else:
            assert above == (0 if base else -1)
    for (name, _), path, end in zip(chosen, paths, found.ends, strict=True):
        place = place_of(model, pose, name)
        assert np.allclose(skeleton.positions[end], place, atol=1e-12)
        # the last of a free joint's four
        assert parents[end] == max(j for j, r in enumerate(found.rows) if r == path[-1])
    names = [model.joint_names[row] if row >= 0 else "base" for row in found.rows]
    for name, end in zip(found.effectors, found.ends, strict=True):
        names[end] = name
    assert skeleton.names == tuple(names)


def test_a_follower_keeps_its_coupling_and_its_leader():
    lead = Joint("lead", axis="x", range=(-1.0, 2.0), qpos0=0.3)
    follow = Joint(
        "follow",
        axis="y",
        range=(-9.0, 9.0),
        qpos0=0.8,
        mimic="lead",
        multiplier=2.0,
        offset=0.2,
    )
    bodies = [
        Body("left", joints=[lead]),
        Body("right", joints=[follow], pos=(0, 0, 1), sites=[Site("tip", (0, 0, 1))]),
    ]
    model = RobotModel(bodies)
    found = RobotSkeleton(model, "tip")
    assert found.joints == ("lead", "follow")
    limit = found.limits[found.rows.index(model.joint_index("follow"))]
    assert (limit.lower, limit.upper) == (-inf, inf)
    name, factor, added = limit.follows
    assert (name, factor) == ("lead", 2.0)
    # from the start pose: 0.8 + y = 0.2 + 2 (0.3 + x)
    assert added == pytest.approx(2.0 * 0.3 + 0.2 - 0.8)


def test_unknown_effectors_are_answered_with_all_sites_and_bodies():
    bodies = [
        Body("arm", joints=[Joint("j")], sites=[Site("tip")]),
        Body("hand", "arm", sites=[Site("palm")]),
    ]
    # the world is no effector
    with pytest.raises(SettingError, match=r"'world': .*available: tip, palm, arm, h"):
        RobotSkeleton(RobotModel(bodies), "world")
