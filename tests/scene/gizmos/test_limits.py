"""Positions of limit regions, compared with the bones' matrices."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import AxesLimit, BallLimit, ConeLimit, FixedLimit, HingeLimit, IKChain
from ikrig.model.limits import Limit
from ikrig.scene.gizmos.limit_shapes import (
    BLOCKED_COLOR,
    CALM_COLOR,
    MARKED_COLOR,
    dial,
)

from .stage import PARENTS, Stage, all_calls, columns, net, parent_of, vertices
from .test_degenerate import RUINS

UP = np.array([0.0, 0.0, 1.0])
RADIUS = 0.52  # of a region, share of the bone's length


def make_chain(
    stage: Stage, limits: dict[str | int, Limit], above: p3d.NodePath | None = None
) -> IKChain:
    """Three bones of one unit along +z, in a frame that may be anything."""
    node = (above or stage.render).attach_new_node("root")
    for k, name in enumerate(("hip", "knee", "ankle", "toe")):
        node = node.attach_new_node(name)
        node.set_pos(0, 0, 1 if k else 0.2)
    chain = IKChain(node, 3, limits=limits, solver="dls", match_rotation=False)
    stage.gizmos.add(chain)
    return chain


def reach(stage: Stage, chain: IKChain, *point: float) -> None:
    chain.target.set_pos(chain.root, *point)
    chain.solve()
    stage.gizmos.update()


# -- what is drawn, with matrices that numpy multiplies


def geoms(stage: Stage, joint: str, kind: str = "limit") -> list[p3d.NodePath]:
    """Drawings of a joint; those of a second axis or of a twist come later."""
    # all is drawn twice
    passes = stage.render.find_all_matches("**/ikrig-gizmos/pass/regions")
    return list(passes[0].find_all_matches(f"rig/{joint}/**/{kind}"))


def drawn(
    stage: Stage, joint: str, which: int, kind: str = "limit"
) -> tuple[np.ndarray, np.ndarray]:
    """Points, world space, and alphas of one drawing."""
    node = geoms(stage, joint, kind)[which]
    points, colors, _ = columns(node.node().get_geom(0))
    points = np.c_[points, np.ones(len(points))]
    return (points @ net(node))[:, :3], colors[:, 3]


def start_frame(chain: IKChain, joint: int, points: np.ndarray) -> np.ndarray:
    """World points as seen from a joint, turned back with the bone before it."""
    bones = chain.bones
    away = np.c_[points, np.ones(len(points))] @ np.linalg.inv(net(chain.root))
    local = np.array(chain.root.get_mat(bones[0].get_parent()))  # identity
    above = np.eye(4)
    for bone in bones[:joint]:
        above = np.array(bone.get_mat()) @ above
    place = np.array(bones[joint].get_mat()) @ above
    away = (away @ np.linalg.inv(local))[:, :3] - place[3, :3]
    # all bones start without any turn, so the one before is turned by its matrix
    return away @ np.linalg.inv(above[:3, :3])


def angles_about(points: np.ndarray, axis: np.ndarray, zero: np.ndarray) -> np.ndarray:
    return np.arctan2(points @ np.cross(axis, zero), points @ zero)


@pytest.mark.parametrize("kind", PARENTS)
def test_fan_of_a_hinge_ends_at_its_bounds(stage: Stage, kind: str) -> None:
    lower, upper = -0.4, 1.3
    limits: dict[str | int, Limit] = {
        "hip": ConeLimit(1.2),
        "knee": HingeLimit("x", lower, upper),
    }
    chain = make_chain(stage, limits, parent_of(stage, kind))
    for point in ((0.4, 0.7, 1.9), (-0.6, -1.0, 1.8)):
        reach(stage, chain, *point)
        assert np.abs(np.array(chain.bones[0].get_quat())[1:]).max() > 0.1
        points, alphas = drawn(stage, "knee", 0)
        away = start_frame(chain, 1, points)
        assert np.abs(away[:, 0]).max() < 1e-5  # in the hinge's plane
        size = np.linalg.norm(away, axis=1)
        assert size.max() == pytest.approx(1.015 * RADIUS, rel=1e-4)
        seen = (alphas > 0.5) & (size > 0.9 * RADIUS)
        angle = angles_about(away[seen], np.array([1.0, 0, 0]), UP)
        # a line of some width stands at either end
        assert angle.min() == pytest.approx(lower, abs=0.025)
        assert angle.max() == pytest.approx(upper, abs=0.025)
        assert angle.min() <= lower + 1e-4 < upper - 1e-4 <= angle.max()


@pytest.mark.parametrize("kind", PARENTS)
def test_rim_of_a_cone_is_its_four_ellipses(stage: Stage, kind: str) -> None:
    right, up, left, down = half = (0.5, 1.1, 0.9, 0.3)
    limits: dict[str | int, Limit] = {
        "hip": ConeLimit(1.0),
        "knee": ConeLimit(half, up="y"),
    }
    chain = make_chain(stage, limits, parent_of(stage, kind))
    reach(stage, chain, 0.9, 0.6, 1.9)
    points, alphas = drawn(stage, "knee", 0)
    away = start_frame(chain, 1, points)
    size = np.linalg.norm(away, axis=1)
    assert size.max() == pytest.approx(RADIUS, rel=2e-3)
    # seen along +z with +y up, right is -x: forward × up
    sideways, upwards = -away[:, 0], away[:, 1]
    swing = np.arctan2(np.hypot(sideways, upwards), away[:, 2])
    turn = swing / np.maximum(np.hypot(sideways, upwards), 1e-12)
    x, y = turn * sideways, turn * upwards
    share = np.hypot(x / np.where(x >= 0, right, left), y / np.where(y >= 0, up, down))
    seen = (alphas > 0.2) & (size > 0.5 * RADIUS)
    assert share[seen].max() == pytest.approx(1.0, abs=5e-3)
    rim = seen & (np.abs(share - 1.0) < 1e-3)
    for reached, most in ((x, right), (y, up), (-x, left), (-y, down)):
        assert reached[rim].max() == pytest.approx(most, rel=1e-3)


@pytest.mark.parametrize("kind", PARENTS)
def test_needles_show_where_the_bones_are(stage: Stage, kind: str) -> None:
    limits: dict[str | int, Limit] = {
        "hip": ConeLimit(1.4, twist=(-1.0, 1.0), up="y"),
        "knee": AxesLimit("xy", (-1.2, -1.2), (1.2, 1.2)),
        "ankle": BallLimit(1.5),
    }
    chain = make_chain(stage, limits, parent_of(stage, kind))
    for point in ((0.9, 0.7, 2.2), (-1.1, 0.5, 1.4)):
        reach(stage, chain, *point)
        for joint, last in (("hip", 0), ("knee", 1), ("ankle", 0)):
            number = [bone.get_name() for bone in chain.bones].index(joint)
            points, _ = drawn(stage, joint, last, "needle")
            here, ahead = (net(bone)[3, :3] for bone in chain.bones[number:][:2])
            away = points - here
            along = ahead - here
            # the ball of the needle is at the bone's place on the rim
            miss = away - RADIUS * along
            assert np.linalg.norm(miss, axis=1).min() < 0.1 * np.linalg.norm(along)
            far = away[np.argsort(away @ along)[-50:]].mean(axis=0)
            off = far - (far @ along) / (along @ along) * along
            assert np.linalg.norm(off) < 0.03 * np.linalg.norm(along)
        # the hip's roll: its start's +y, turned as the hip is
        points, _ = drawn(stage, "hip", 1, "needle")
        away = np.c_[points, np.ones(len(points))] @ np.linalg.inv(net(chain.bones[0]))
        ball = away[np.argsort(away[:, 1])[-40:], :2].mean(axis=0)
        assert abs(ball[0]) < 0.02 * ball[1]


@pytest.mark.parametrize("limit", [BallLimit(2.5), ConeLimit(2.5)])
def test_needles_of_oblique_bones_show_where_they_are(stage, limit):
    node, names = stage.render.attach_new_node("root"), ("hip", "knee", "ankle", "toe")
    places = ((0, 0, 0.2), (0.3, 0.1, 1), (0.5, 0.4, 0.8), (0.1, -0.6, 0.7))
    for name, spot in zip(names, places, strict=True):
        node = node.attach_new_node(name)
        node.set_pos(*spot)
    limits = dict.fromkeys(names[:3], limit)
    chain = IKChain(node, 3, limits=limits, solver="dls", match_rotation=False)
    stage.gizmos.add(chain)
    reach(stage, chain, 1.0, -1.0, 1.0)
    for here, ahead, name in zip(chain.bones, chain.bones[1:], names, strict=False):
        points, _ = drawn(stage, name, 0, "needle")
        bone = net(ahead)[3, :3] - net(here)[3, :3]
        ball = points.mean(axis=0) - net(here)[3, :3]
        assert np.linalg.norm(np.array(here.get_quat())[1:]) > 0.1
        assert np.linalg.norm(np.cross(ball, bone)) < 0.02 * (bone @ bone)
        assert ball @ bone > 0


def test_ranges_of_more_than_a_turn_are_circles_with_their_ends() -> None:
    about = np.array([1.0, 0, 0])
    free, needle = dial(about, UP, -math.inf, math.inf)
    fan, same = dial(about, UP, math.radians(-270), math.radians(300))
    assert np.array_equal(needle.points, same.points)
    count = len(free.points)
    assert np.array_equal(fan.points[:count], free.points)
    edge = free.points[free.alphas > 0.9]
    around = np.sort(angles_about(edge, about, UP))
    assert np.diff([*around, around[0] + math.tau]).max() < 0.1
    assert np.linalg.norm(edge, axis=1).max() == pytest.approx(0.985)
    # a line from the middle to the rim at each end
    ends = fan.points[count:].reshape(2, -1, 3)
    for end, angle in zip(ends, (90, -60), strict=True):
        middle = end.mean(axis=0)
        assert np.linalg.norm(middle) == pytest.approx(0.5)
        seen = angles_about(middle[None], about, UP)
        assert seen == pytest.approx(math.radians(angle), abs=1e-6)
    # what only one angle bounds is a circle with one end
    assert len(dial(about, UP, 0.0, math.inf)[0].points) == count + len(ends[0])


@pytest.mark.parametrize("scale", [0.01, 1.0, 40.0])
def test_region_size_follows_the_bones(stage: Stage, scale: float) -> None:
    above = stage.render.attach_new_node("above")
    above.set_scale(scale)
    chain = make_chain(stage, {"knee": HingeLimit("x", -1.0, 1.0)}, above)
    reach(stage, chain, 0.3, 0.5, 2.0)
    points, _ = drawn(stage, "knee", 0)
    size = np.linalg.norm(points - net(chain.bones[1])[3, :3], axis=1).max()
    assert size == pytest.approx(1.015 * RADIUS * scale, rel=1e-3)


# -- blame


def colors(stage: Stage, joint: str) -> list[tuple[float, ...]]:
    return [tuple(node.get_color_scale()) for node in geoms(stage, joint)]


def test_blocking_limit_is_red(stage: Stage) -> None:
    chain = make_chain(
        stage,
        {
            "hip": ConeLimit(0.6, twist=(-0.5, 0.5)),
            "knee": HingeLimit("x", -0.3, 0.3),
            "ankle": ConeLimit(3.0, twist=(-2.0, 2.0)),
        },
    )
    calm = pytest.approx(CALM_COLOR, abs=0.01)
    hot = pytest.approx(BLOCKED_COLOR, abs=0.01)
    reach(stage, chain, 0.2, -0.3, 2.9)
    assert chain.result and chain.result.converged
    for joint in ("hip", "knee", "ankle"):
        assert all(color == calm for color in colors(stage, joint))
    reach(stage, chain, 0.0, -2.5, 0.0)
    assert chain.result
    blocked = {(name, limit) for _, name, limit in chain.result.blocked_by}
    assert ("hip", "cone") in blocked
    assert not {name for name, _ in blocked} & {"ankle"}
    assert colors(stage, "hip")[0] == hot
    assert colors(stage, "hip")[1] == calm
    assert (colors(stage, "knee")[0] == hot) is any(n == "knee" for n, _ in blocked)
    assert all(color == calm for color in colors(stage, "ankle"))
    reach(stage, chain, 0.2, -0.3, 2.9)
    assert colors(stage, "hip")[0] == calm


def test_only_the_blocking_axis_is_red(stage: Stage) -> None:
    limits: dict[str | int, Limit] = {"hip": AxesLimit("xz", (-0.3, -3.0), (0.3, 3.0))}
    for joint in ("knee", "ankle"):
        limits[joint] = FixedLimit()
    chain = make_chain(stage, limits)
    reach(stage, chain, 0.0, -2.5, 0.5)
    assert chain.result
    assert {end for _, _, end in chain.result.blocked_by} == {"axis 0 upper"}
    fans = colors(stage, "hip")
    assert fans[0] == pytest.approx(BLOCKED_COLOR, abs=0.01)
    assert fans[1] == pytest.approx(CALM_COLOR, abs=0.01)
    # a needle is solid and nearer to white by 0.45 of the way
    needles = [tuple(x.get_color_scale()) for x in geoms(stage, "hip", "needle")]
    for found, color in zip(needles, (BLOCKED_COLOR, CALM_COLOR), strict=True):
        light = [0.55 * part + 0.45 for part in color[:3]]
        assert found == pytest.approx((*light, 1.0), abs=0.01)


def test_blocking_ball_is_red(stage: Stage) -> None:
    limits: dict[str | int, Limit] = {"hip": BallLimit(0.3)}
    for joint in ("knee", "ankle"):
        limits[joint] = FixedLimit()
    chain = make_chain(stage, limits)
    for point, color in (((0.2, 0.1, 3.1), CALM_COLOR), ((3, 0, 0.2), BLOCKED_COLOR)):
        reach(stage, chain, *point)
        assert colors(stage, "hip") == [pytest.approx(color, abs=0.01)]


# -- the limit that an editor marks


@pytest.mark.parametrize("kind", PARENTS)
def test_arcs_of_the_marked_limit_are_where_it_is_drawn(stage, kind):
    half, bounds = (0.5, 1.1, 0.9, 0.3), (-0.4, 1.3)
    limits: dict[str | int, Limit] = {
        "hip": ConeLimit(half, twist=(-0.6, 0.5)),
        "knee": HingeLimit("x", *bounds),
        "ankle": BallLimit(0.7),
    }
    chain = make_chain(stage, limits, parent_of(stage, kind))
    regions, plain = stage.gizmos.regions, {}
    reach(stage, chain, 0.4, 0.7, 1.9)
    assert list(regions.arcs(stage.render)) == []
    for joint, count in (("hip", 3), ("knee", 1), ("ankle", 2)):
        place = [bone.get_name() for bone in chain.bones].index(joint)
        regions.marked = None
        stage.gizmos.update()
        plain = start_frame(chain, place, drawn(stage, joint, 0)[0])
        regions.marked = chain, place
        stage.gizmos.update()
        large, alphas = drawn(stage, joint, 0)
        assert start_frame(chain, place, large) == pytest.approx(1.5 * plain, abs=1e-4)
        assert colors(stage, joint)[0] in (
            pytest.approx(MARKED_COLOR, abs=0.01),
            pytest.approx(BLOCKED_COLOR, abs=0.01),
        )
        arcs = list(regions.arcs(stage.render))
        assert len(arcs) == count
        solid = large[alphas > 0.2]
        for arc in [arc for arc in arcs if not arc.range.rolls]:
            center, zero, side = map(np.array, arc[1:])
            assert center == pytest.approx(net(chain.bones[place])[3, :3], abs=1e-4)
            for angle in (arc.range.lower, arc.range.upper):
                end = center + math.cos(angle) * zero + math.sin(angle) * side
                size = np.linalg.norm(end - center)
                assert np.linalg.norm(solid - end, axis=1).min() < 0.05 * size
    regions.marked = None
    stage.gizmos.update()
    assert colors(stage, "ankle") != [pytest.approx(MARKED_COLOR, abs=0.01)]


def test_marked_limit_stays_while_held(stage: Stage) -> None:
    chain = make_chain(stage, {"knee": HingeLimit("x", -1.0, 1.0)})
    regions = stage.gizmos.regions
    reach(stage, chain, 0.4, 0.7, 1.9)
    regions.marked, regions.held = (chain, 1), True
    stage.gizmos.update()
    before = net(geoms(stage, "knee")[0])
    # a changed limit is drawn anew, and the joint moves
    chain.limits = {"knee": HingeLimit("x", -1.0, 0.2)}
    reach(stage, chain, -0.9, -0.4, 1.2)
    knee = net(chain.bones[1])[3, :3]
    assert np.linalg.norm(knee - before[3, :3]) > 0.1
    assert net(geoms(stage, "knee")[0]) == pytest.approx(before, abs=1e-6)
    assert next(regions.arcs(stage.render)).range.upper == 0.2
    regions.held = False
    reach(stage, chain, -0.9, -0.4, 1.21)
    assert net(geoms(stage, "knee")[0])[3, :3] == pytest.approx(knee, abs=0.05)


# -- coming and going


def count(stage: Stage) -> int:
    return len(geoms(stage, "*"))


def test_current_limits_are_drawn(stage: Stage) -> None:
    chain = make_chain(stage, {})
    reach(stage, chain, 0.5, 0.5, 2.0)
    assert count(stage) == 0
    chain.limits = {"hip": ConeLimit(1.0), -2: HingeLimit("x")}
    stage.gizmos.update()
    assert count(stage) == 2
    before = drawn(stage, "hip", 0)[0]
    chain.limits = {"hip": ConeLimit(0.2), "knee": FixedLimit()}
    chain.solve()
    stage.gizmos.update()
    assert count(stage) == 1  # a fixed joint has no region
    after = drawn(stage, "hip", 0)[0]
    assert np.ptp(after, axis=0)[0] < 0.5 * np.ptp(before, axis=0)[0]
    for solver in ("fabrik", "ccd", "dls"):
        chain.solver = solver
        chain.solve()
        stage.gizmos.update()
        assert count(stage) == 1
    chain.limits = {}
    stage.gizmos.update()
    assert count(stage) == 0


def test_limits_can_be_hidden(stage: Stage) -> None:
    chain = make_chain(stage, {"hip": ConeLimit(1.0)})
    reach(stage, chain, 0.5, 0.5, 2.0)
    assert count(stage) == 1
    stage.gizmos.limits = False
    stage.gizmos.update()
    assert count(stage) == 0
    stage.gizmos.limits = True
    stage.gizmos.update()
    assert count(stage) == 1
    stage.gizmos.remove(chain)
    stage.gizmos.update()
    assert count(stage) == 0


def test_unchanged_limits_are_not_read_again(stage: Stage) -> None:
    reads = []

    class Counted(IKChain):
        __slots__ = ()

        @property
        def rotations(self) -> np.ndarray:
            reads.append(1)
            return super().rotations

    bones = make_chain(stage, {}).bones
    chain = Counted(bones[-1], 3, limits={"hip": ConeLimit(1.0)})
    stage.gizmos.add(chain)
    reach(stage, chain, 0.5, 0.5, 2.0)
    first = len(reads)
    nodes = [node.node() for node in geoms(stage, "*")]
    for _ in range(3):
        chain.solve()
        stage.gizmos.update()
    assert len(reads) == first > 0
    chain.root.set_h(30)
    stage.gizmos.update()
    assert len(reads) == first + 1
    assert [node.node() for node in geoms(stage, "*")] == nodes  # moved, not redrawn


@pytest.mark.parametrize("ruin", RUINS)
def test_unsolvable_limited_chain_does_not_raise(stage, ruin):
    chain = make_chain(
        stage,
        {
            "hip": ConeLimit((0.1, 3.0, 0.2, 1.0), twist=(-7.0, 7.0), up=(0, 0, 1)),
            "knee": HingeLimit("z", 0.0, 0.0),
            "ankle": AxesLimit("xyz"),
            "toe": HingeLimit("x", -9.0, 40.0),
        },
    )
    reach(stage, chain, 0.5, 0.5, 2.0)
    ruin(chain)
    for _ in range(2):
        chain.solve()
        all_calls(stage, 0.1, 0.1)
    assert np.isfinite(vertices(stage)).all()
    for node in geoms(stage, "*"):
        assert np.isfinite(net(node)).all()
