"""The street: all stand on its ground, look, reach, and none jumps."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest

from demos._shared import catalogue
from demos._shared.app import FRAME, DemoApp
from demos.street import COUNT, Street
from ikrig.scene.robot.geoms import read_column


@pytest.fixture
def street(app: DemoApp) -> Street:
    demo = app.open(catalogue.find("street", catalogue.read()))
    assert isinstance(demo, Street)
    return demo


def hands_of(group: Any) -> tuple[Any, Any]:
    """Return where the hands of a group are, and whose are shown."""
    spots = [group.crowd.joint_positions(hand.name) for hand in group.hands]
    return np.concatenate(spots), np.tile(group.shown, 2)


def test_all_walk_and_sliders_say_how_many_at_what_cost(
    app: DemoApp, street: Street
) -> None:
    slider, costs = street.sliders()
    for count in (COUNT, 40, 1000):
        slider.apply(count)
        app.step()
        shown = sum(int(group.crowd.visible.sum()) for group in street.groups)
        # some are beyond the gates
        assert 0.85 * count <= shown <= count
    before = street.groups[0].crowd.positions.copy()
    for _ in range(30):
        app.step()
    gone = np.linalg.norm(street.groups[0].crowd.positions - before, axis=1)
    assert 0.4 < np.median(gone) < 0.8
    costs.apply(2.0)
    assert street.system.budget == 0.002
    app.step()
    assert street.spent > 0.0
    costs.apply(0.0)
    assert street.system.budget is None


def soles_of(group: Any) -> tuple[Any, Any, Any]:
    """Return points of the soles' skin, their joints, and their weights."""
    found = []
    for part in group.drawing._parts:
        if part.level <= 0:
            names = "vertex", "transform_index", "transform_weight"
            found.append([read_column(part.geom.get_vertex_data(), x) for x in names])
    points, joints, weights = (np.concatenate(x) for x in zip(*found, strict=True))
    low = points[:, 2] < points[:, 2].min() + 0.02
    return points[low, :3], joints[low].astype(int), weights[low]


def depth_of(street: Street, group: Any) -> Any:
    """Return how deep points of soles are in the ground, (shown, points) [m]."""
    points, joints, weights = soles_of(group)
    mats = group.crowd.palette[group.shown][:, joints]
    points = np.hstack([points, np.ones((len(points), 1))])
    x, y, z = np.moveaxis(np.einsum("vk,nvkrc,vc->nvr", weights, mats, points), 2, 0)
    deep = np.maximum(street.ground.heights(x, y) - z, 0.0)
    # up, or sideways out of a step
    inside = deep > 0.01
    for r in (0.01, 0.02, 0.04, 0.08):
        for a in np.arange(8) * math.pi / 4:
            u, v = x[inside] + r * math.cos(a), y[inside] + r * math.sin(a)
            above = np.maximum(street.ground.heights(u, v) - z[inside], 0.0)
            deep[inside] = np.minimum(deep[inside], np.hypot(above, r))
    return deep


def deepest(app: DemoApp, street: Street, frames: int) -> Any:
    """Step frames and return how deep each person's soles were in some [m]."""
    deep = []
    for frame in range(frames):
        app.step()
        if frame % 4 == 0:
            deep += [depth_of(street, g).max(1) for g in street.groups[:2]]
    return np.concatenate(deep)


def test_soles_are_not_in_the_ground_as_they_are_without_ik(
    app: DemoApp, street: Street
) -> None:
    assert deepest(app, street, 120).max() < 0.02
    street.ik = 0.0
    assert (deepest(app, street, 60) > 0.04).mean() > 0.02


def test_people_look_at_the_tram(app: DemoApp, street: Street) -> None:
    street.playing = False
    street.tram.set_x(0.0)
    street.ball.set_pos(0.0, 0.0, 40.0)
    for _ in range(90):
        app.step()
    apart = []
    for group in street.groups[:4]:
        crowd = group.crowd
        able = group.shown & (group.looking > 0.95)
        head = crowd.palette[able, crowd.joints.index("Head"), :, :3]
        # it faces -y in the model
        face = -head[:, :, 1] / np.linalg.norm(head[:, :, 1], axis=1, keepdims=True)
        to = (crowd.look.targets - crowd.joint_positions("Head"))[able]
        to /= np.linalg.norm(to, axis=1, keepdims=True)
        ahead = crowd.headings[able] - 0.5 * math.pi
        turn = np.cos(ahead) * to[:, 0] + np.sin(ahead) * to[:, 1]
        angles = np.arccos(np.clip((face * to).sum(axis=1), -1.0, 1.0))
        # necks and backs do not turn further
        apart += np.degrees(angles[turn > 0.3]).tolist()
    assert len(apart) >= 6
    assert np.median(apart) < 12.0


def test_hands_reach_for_the_ball(app: DemoApp, street: Street) -> None:
    street.playing = False
    first = street.groups[0]
    app.step()
    (seen,) = first.shown.nonzero()
    who = int(seen[np.abs(first.crowd.positions[seen, 0]).argmin()])
    least = []
    for _ in range(60):
        # before the left shoulder of someone who walks
        ahead = first.crowd.headings[who] + first.facing + 0.5
        by = 0.4 * np.cos(ahead), 0.4 * np.sin(ahead), 1.2
        street.ball.set_pos(*(first.crowd.positions[who] + by))
        app.step()
        for group in street.groups[:4]:
            for hand, now in zip(group.hands, group.reaching, strict=True):
                those = group.shown & (now > 0.9)
                if those.any():
                    spots = group.crowd.joint_positions(hand.name)[those]
                    far = np.linalg.norm(spots - hand.targets[those], axis=1)
                    least.append(far.min())
    assert min(least) < 0.03


def test_none_jumps_or_walks_through_another(app: DemoApp, street: Street) -> None:
    groups, first = street.groups[:4], street.groups[1]
    heads, hands = [], []
    for frame in range(240):
        app.step()
        *people, pandas = (g.crowd.positions[g.shown, :2] for g in street.groups)
        heads.append((first.crowd.joint_positions("Head"), first.shown.copy()))
        spots, shown = zip(*map(hands_of, groups), strict=True)
        hands.append((np.concatenate(spots), np.concatenate(shown)))
        walking = np.concatenate(people[:4])
        to = np.abs(walking[:, None] - pandas)
        assert not ((to[..., 0] < 0.6) & (to[..., 1] < 0.45)).any()
        if frame % 4 == 0:
            apart = np.linalg.norm(walking[:, None] - walking, axis=2)
            # shoulders are 0.45 m wide
            assert apart[np.triu_indices(len(walking), 1)].min() > 0.42
    for (before, were), (now, are) in pairwise(heads):
        steps = np.linalg.norm(now - before, axis=1)[were & are]
        # 1.35 m/s, what the walk adds, and a turning back
        assert steps.max() < 3.5 * FRAME
    for k in range(3, len(hands)):
        a, b, c, d = (spots for spots, _ in hands[k - 3 : k + 1])
        both = np.all([shown for _, shown in hands[k - 3 : k + 1]], axis=0)
        # how much its way differs from those in the frames beside
        leap = np.linalg.norm((c - b) - 0.5 * ((b - a) + (d - c)), axis=1)
        assert leap[both].max() < 0.04


@pytest.mark.parametrize("beside", [["march", "walk"], ["idle"], []])
def test_a_character_walks_by_a_file_beside_its_own(
    app: DemoApp, tmp_path: Path, beside: list[str]
) -> None:
    loader, options = p3d.Loader.get_global_ptr(), p3d.LoaderOptions()
    panda = loader.load_sync("models/panda-model", options)
    p3d.NodePath(panda).write_bam_file(tmp_path / "bear.bam")
    walk = loader.load_sync("models/panda-walk4", options)
    for name in beside:
        p3d.NodePath(walk).write_bam_file(tmp_path / f"bear-{name}.bam")
    entry = catalogue.find("street", catalogue.read())
    demo = app.open(replace(entry, file=tmp_path / "bear.bam"))
    assert isinstance(demo, Street)
    mine = demo.groups[-1]
    assert list(mine.crowd.clips) == beside[-1:]
    app.step()
    before = mine.crowd.positions.copy()
    for _ in range(30):
        app.step()
    gone = np.linalg.norm(mine.crowd.positions - before, axis=1)[mine.shown]
    if beside:
        assert np.median(gone) > 0.3
    else:
        # who has no clips stands, and may step aside
        assert gone.max() < 0.3
