"""The street: all stand on its ground, look, reach, and none jumps."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
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
from ikrig.scene.viewer import display
from ikrig.scene.viewer.display import Screen, Surface


def opened(app: DemoApp) -> Street:
    demo = app.open(catalogue.find("street", catalogue.read()))
    assert isinstance(demo, Street)
    return demo


@pytest.fixture
def street(app: DemoApp) -> Street:
    return opened(app)


@dataclass
class Seen:
    """What an undisturbed street showed, a frame at a time."""

    people: list[Any] = field(default_factory=list)
    pandas: list[Any] = field(default_factory=list)
    heads: list[tuple[Any, Any]] = field(default_factory=list)
    hands: list[tuple[Any, Any]] = field(default_factory=list)
    deep: list[Any] = field(default_factory=list)


@pytest.fixture(scope="module")
def seen() -> Seen:
    display.configure()
    found = Seen()
    with DemoApp(Screen(Surface.NONE)) as app:
        street = opened(app)
        for frame in range(240):
            app.step()
            *people, pandas = (g.crowd.positions[g.shown, :2] for g in street.groups)
            found.people.append(np.concatenate(people[:4]))
            found.pandas.append(pandas)
            first = street.groups[1]
            found.heads.append(
                (first.crowd.joint_positions("Head"), first.shown.copy())
            )
            groups = street.groups[:4]
            found.hands.append(
                tuple(
                    np.concatenate([row[k] for row in map(hands_of, groups)])
                    for k in range(2)
                )
            )
            if frame % 4 == 0 and frame < 120:
                found.deep += [depth_of(street, g).max(1) for g in street.groups[:2]]
    return found


def hands_of(group: Any) -> tuple[Any, Any]:
    """Return where the hands of a group are, and whose are shown."""
    spots = [group.crowd.joint_positions(hand.name) for hand in group.hands]
    return np.concatenate(spots), np.tile(group.shown, 2)


def test_all_walk_and_the_slider_says_how_many(app: DemoApp, street: Street) -> None:
    slider, _ = street.sliders()
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


def test_the_slider_sets_a_budget(app: DemoApp, street: Street) -> None:
    _, slider = street.sliders()
    slider.apply(2.0)
    assert street.system.budget == 0.002
    app.step()
    assert street.spent > 0.0
    slider.apply(0.0)
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


def test_no_sole_is_in_the_ground(seen: Seen) -> None:
    assert np.concatenate(seen.deep).max() < 0.02


def test_without_ik_soles_are_in_steps_and_stones(app: DemoApp, street: Street) -> None:
    street.ik = 0.0
    deep = []
    for frame in range(60):
        app.step()
        if frame % 10 == 0:
            deep += [depth_of(street, g).max(1) for g in street.groups[:2]]
    assert (np.concatenate(deep) > 0.04).mean() > 0.02


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


def test_no_head_jumps(seen: Seen) -> None:
    for (before, were), (now, are) in pairwise(seen.heads):
        steps = np.linalg.norm(now - before, axis=1)[were & are]
        # 1.35 m/s, what the walk adds, and a turning back
        assert steps.max() < 3.5 * FRAME


def test_nobody_walks_through_pandas(seen: Seen) -> None:
    for people, pandas in zip(seen.people, seen.pandas, strict=True):
        to = np.abs(people[:, None] - pandas)
        assert not ((to[..., 0] < 0.6) & (to[..., 1] < 0.45)).any()


def test_nobody_walks_through_anybody(seen: Seen) -> None:
    for people in seen.people[::4]:
        apart = np.linalg.norm(people[:, None] - people, axis=2)
        # shoulders are 0.45 m wide
        assert apart[np.triu_indices(len(people), 1)].min() > 0.42


def test_no_hand_jumps_to_the_ball(seen: Seen) -> None:
    for k in range(3, len(seen.hands)):
        a, b, c, d = (spots for spots, _ in seen.hands[k - 3 : k + 1])
        both = np.all([shown for _, shown in seen.hands[k - 3 : k + 1]], axis=0)
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
