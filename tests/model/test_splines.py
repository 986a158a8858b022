"""SplineChain: against curves and walks written out with numpy."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from ikrig import BindError, ModelError
from ikrig.kernels import buffer
from ikrig.model.pose import Pose
from ikrig.model.splines import SplineChain
from tests import curve_oracle as curves

CURVES = {
    "bend": [[0, 0, 0], [3, 1, 0], [5, 4, 2], [2, 6, 3], [0, 3, 5]],
    "straight": [[0, 0, 0], [0, 2, 0], [0, 7, 0], [0, 12, 0]],
    "there and back": [[0, 0, 0], [5, 0, 0], [0, 0.0, 0.0], [0, 5, 0]],
    "helix": [[2 * np.cos(0.7 * k), 2 * np.sin(0.7 * k), 0.35 * k] for k in range(20)],
    "short": [[0, 0, 0], [0.2, 0.1, 0], [0.3, 0.4, 0]],
    "equal points": [[0, 0, 0], [2, 1, 0], [2, 1, 0], [6, 0, 3], [9, 2, 1]],
}


def figure(n: int = 10) -> Pose:
    rng = np.random.default_rng(3)
    rest = np.tile(np.eye(4), (n, 1, 1))
    for k in range(n):
        axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        rest[k, :3, :3] = axes * np.sign(np.linalg.det(axes))
    rest[1:, 3, :3] = 0.3 * rng.normal(size=(n - 1, 3)) + [0.6, 0, 0.5]
    return Pose([f"j{k}" for k in range(n)], range(-1, n - 1), rest)


def nets(pose: Pose) -> np.ndarray:
    found: list[np.ndarray] = []
    for j, p in enumerate(pose.parents):
        own = pose.local[j].astype(float)
        found.append(own if p < 0 else own @ found[p])
    return np.array(found)


def dense(points, per: int = 4000, closed: bool = False) -> np.ndarray:
    """Return points of the curve: Barry and Goldman's pyramid, centripetal knots."""
    points = np.array(points, float)
    if closed:
        line = np.vstack([points[-1:], points, points[:2]])
    else:
        ends = 2 * points[0] - points[1], 2 * points[-1] - points[-2]
        line = np.vstack([ends[:1], points, ends[1:]])
    u, found = np.arange(per)[:, None] / per, []
    for p in (line[k : k + 4] for k in range(len(line) - 3)):
        gaps = np.maximum(np.sqrt(np.linalg.norm(np.diff(p, axis=0), axis=1)), 1e-9)
        t = np.append(0.0, np.cumsum(gaps))
        x = t[1] + u * (t[2] - t[1])

        def mix(a, b, i, j, x=x, t=t):
            return ((t[j] - x) * a + (x - t[i]) * b) / (t[j] - t[i])

        a = [mix(p[k], p[k + 1], k, k + 1) for k in range(3)]
        b = [mix(a[k], a[k + 1], k, k + 2) for k in range(2)]
        found.append(mix(b[0], b[1], 1, 2))
    return np.vstack([*found, line[-2:-1] if not closed else points[:1]])


def lengths(line: np.ndarray) -> np.ndarray:
    return np.append(0.0, np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1)))


def laid(points, pose=None, **settings) -> tuple[SplineChain, np.ndarray]:
    pose = figure() if pose is None else pose
    chain = SplineChain(pose, pose.names)
    closed = settings.pop("closed", False)
    chain.through(points, closed)
    for key, value in settings.items():
        setattr(chain, key, value)
    chain.apply(pose, 0.0)
    return chain, nets(pose)


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("offset", [0.0, 1.3])
def test_each_joint_is_at_the_first_point_a_bone_away(name, offset):
    before = nets(figure())[:, 3, :3]
    bones = np.linalg.norm(np.diff(before, axis=0), axis=1)
    chain, after = laid(CURVES[name], offset=offset)
    places = after[:, 3, :3]
    assert np.allclose(np.linalg.norm(np.diff(places, axis=0), axis=1), bones)
    line = dense(CURVES[name])
    along = 3.0 * line[-1] - 4.0 * line[-2] + line[-3]
    # straight on from its end
    line = np.vstack([line, line[-1] + along / np.linalg.norm(along) * [[0.0], [30]]])
    arcs = lengths(line)
    assert chain.length == pytest.approx(arcs[-3], rel=1e-6)
    head = np.array([np.interp(offset, arcs, line[:, k]) for k in range(3)])
    at, here = offset, head
    assert np.allclose(places[0], head, atol=2e-6 * arcs[-3])
    for bone, place in zip(bones, places[1:], strict=True):
        ahead = np.flatnonzero(
            (arcs > at) & (np.linalg.norm(line - here, axis=1) >= bone)
        )
        a, b = line[ahead[0] - 1], line[ahead[0]]
        size = arcs[ahead[0]] - arcs[ahead[0] - 1]
        low, high = max(0.0, (at - arcs[ahead[0] - 1]) / size), 1.0
        for _ in range(60):
            u = 0.5 * (low + high)
            near = np.linalg.norm(a + u * (b - a) - here) < bone
            low, high = (u, high) if near else (low, u)
        here = a + u * (b - a)
        at = arcs[ahead[0] - 1] + u * size
        assert np.allclose(place, here, atol=5e-6 * arcs[-3])


@pytest.mark.parametrize("kind", curves.KINDS)
@pytest.mark.parametrize("stretched", [False, True])
def test_exact_on_curves_of_every_kind(kind, stretched):
    first = curves.KINDS.index(kind)
    for k in range(1, 3):
        # every eighth is stretched
        number = 8 * k + (not stretched)
        found = curves.judge(kind, first + len(curves.KINDS) * number)
        for name, value in found.items():
            assert value <= curves.BOUNDS[name], name


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("name", CURVES)
def test_stretch_ends_where_the_curve_does(name, closed):
    before = nets(figure())[:, 3, :3]
    _, after = laid(CURVES[name], stretch=inf, closed=closed)
    line = dense(CURVES[name], closed=closed)
    arcs = lengths(line)
    shares = lengths(before) / lengths(before)[-1] * arcs[-1]
    wanted = np.stack([np.interp(shares, arcs, line[:, k]) for k in range(3)], 1)
    assert np.allclose(after[:, 3, :3], wanted, atol=2e-6 * arcs[-1])


def test_stretch_has_a_limit():
    before = lengths(nets(figure())[:, 3, :3])[-1]
    for points, factor in ((CURVES["helix"], 1.2), (CURVES["short"], 1 / 1.2)):
        _, after = laid(points, stretch=1.2)
        bones = np.linalg.norm(np.diff(after[:, 3, :3], axis=0), axis=1)
        # joints are along the curve, so chords are shorter
        assert bones.sum() <= before * factor * (1 + 1e-6)
        assert bones.sum() >= before * factor * 0.9


def test_pinned_chain_runs_straight_to_the_curve():
    points = np.add(CURVES["bend"], [4.0, 0, 0])
    before = nets(figure())
    _, after = laid(points, pinned=True)
    assert np.allclose(after[0, 3], before[0, 3])
    gap = np.linalg.norm(points[0] - before[0, 3, :3])
    arcs = lengths(before[:, 3, :3])
    for k in np.flatnonzero(arcs < gap):
        along = points[0] * arcs[k] / gap
        assert np.allclose(after[k, 3, :3], along, atol=1e-5)


def quick_turn(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the smallest rotation that turns one direction to another: rows."""
    axis, dot = np.cross(a, b), a @ b
    cross = np.array(
        [[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]]
    )
    return (np.eye(3) + cross + cross @ cross / (1.0 + dot)).T


@pytest.mark.parametrize("name", ["bend", "helix", "short", "straight"])
def test_bones_do_not_roll_about_the_curve(name):
    before = nets(figure())
    _, after = laid(CURVES[name])
    old, new = (np.diff(m[:, 3, :3], axis=0) for m in (before, after))
    old, new = (d / np.linalg.norm(d, axis=1)[:, None] for d in (old, new))
    turn = quick_turn(old[0], new[0])
    for k in range(len(old)):
        if k:
            turn = (
                quick_turn(old[k], old[k - 1]) @ turn @ quick_turn(new[k - 1], new[k])
            )
        assert np.allclose(before[k, :3, :3] @ turn, after[k, :3, :3], atol=1e-5)


def test_roll_and_twist_turn_about_the_bones():
    _, plain = laid(CURVES["bend"])
    _, turned = laid(CURVES["bend"], roll=0.3, twist=1.1)
    assert np.allclose(plain[:, 3], turned[:, 3], atol=1e-5)
    along = np.diff(plain[:, 3, :3], axis=0)
    shares = lengths(plain[:-1, 3, :3])
    shares /= shares[-1]
    for k, share in enumerate(shares):
        axis = along[k] / np.linalg.norm(along[k])
        angle = 0.3 + 1.1 * share
        change = np.linalg.inv(plain[k, :3, :3]) @ turned[k, :3, :3]
        assert np.trace(change) == pytest.approx(1 + 2 * np.cos(angle), abs=1e-4)
        sine = change[1, 2] - change[2, 1], change[2, 0] - change[0, 2]
        sine = np.array([*sine, change[0, 1] - change[1, 0]])
        assert np.allclose(sine, 2 * np.sin(angle) * axis, atol=1e-4)


def test_weight_0_keeps_the_pose_and_1_is_reached_gradually():
    before = nets(figure())
    _, none = laid(CURVES["helix"], weight=0.0)
    assert np.allclose(none, before, atol=1e-6)
    last = before
    for weight in np.linspace(0.0, 1.0, 41):
        _, now = laid(CURVES["helix"], weight=weight, stretch=inf)
        assert np.abs(now - last).max() < 0.8
        last = now


def test_led_handles_move_joints_no_further_than_they_bend():
    """10,000 frames of curves that wander, with lengths kept: no joint jumps."""
    rng = np.random.default_rng(5)
    pose = figure(8)
    chain = SplineChain(pose, pose.names)
    worst = 0.0
    for _ in range(20):
        phases, sizes = rng.uniform(0, 6.28, (5, 3)), rng.uniform(0.2, 0.8, (5, 3))
        places = np.arange(5)[:, None] * np.array([1.8, 0.2, 0.4])
        last = None
        for frame in range(500):
            points = places + sizes * np.sin(0.02 * frame + phases)
            pose.reset(0, pose.n)
            chain.through(points)
            chain.apply(pose, 0.0)
            now = nets(pose)
            if last is not None:
                worst = max(worst, np.abs(now - last).max())
            last = now
    # handles move by at most 0.016 a frame
    assert worst < 0.1


@pytest.mark.parametrize(("count", "bound"), [(3, 0.04), (5, 0.008), (10, 2e-5)])
def test_handles_of_a_pose_leave_it_as_it_is(count, bound):
    pose = figure()
    _, before = laid(10.0 * np.array([[0, 0, 0], [0.3, 0.1, 0.4], [0.8, 0, 0.5]]), pose)
    places = before[:, 3, :3]
    again = SplineChain(pose, pose.names)
    again.through(again.handles(count))
    again.apply(pose, 0.0)
    size = lengths(places)[-1]
    after = nets(pose)
    assert np.abs(after[:, 3, :3] - places).max() < bound * size


def test_bezier_and_function_are_the_same_curves():
    points = np.array([[0, 0, 0], [3, 0, 0], [4, 3, 0], [0, 5, 4]], float)

    def curve(u):
        t = u[:, None]
        return (
            (1 - t) ** 3 * points[0]
            + 3 * t * (1 - t) ** 2 * points[1]
            + 3 * t * t * (1 - t) * points[2]
            + t**3 * points[3]
        )

    found = []
    for use in ("bezier", "follow"):
        pose = figure()
        chain = SplineChain(pose, pose.names)
        chain.bezier(points) if use == "bezier" else chain.follow(curve)
        chain.apply(pose, 0.0)
        found.append(nets(pose))
    assert np.allclose(*found, atol=1e-4)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_what_is_not_finite_leaves_the_pose(bad):
    before = nets(figure())
    points = np.array(CURVES["bend"], float)
    points[2, 1] = bad
    pose = figure()
    chain = SplineChain(pose, pose.names)
    chain.through_flat(buffer(points.ravel().tolist()))
    chain.apply(pose, 0.0)
    assert np.array_equal(nets(pose), before)
    chain.through(CURVES["bend"])
    chain.offset = bad
    chain.apply(pose, 0.0)
    assert np.array_equal(nets(pose), before)
    chain.offset = 0.0
    chain.apply(pose, 0.0)
    assert np.array_equal(nets(pose), laid(CURVES["bend"])[1])


@pytest.mark.parametrize("stretch", [1.0, inf])
def test_laps_of_a_closed_curve_cost_nothing(stretch):
    chain, first = laid(CURVES["bend"], closed=True, stretch=stretch, offset=0.7)
    for laps in (1, -3, 1000):
        offset = 0.7 + laps * chain.length
        _, now = laid(CURVES["bend"], closed=True, stretch=stretch, offset=offset)
        assert np.allclose(now, first, atol=1e-5)
    for offset in (1e20, -1e29):
        _, now = laid(CURVES["bend"], closed=True, stretch=stretch, offset=offset)
        assert np.isfinite(now).all()


def test_errors_name_what_is_wrong():
    pose = figure()
    with pytest.raises(BindError, match=r"no joint 'j99'"):
        SplineChain(pose, ["j1", "j99"])
    with pytest.raises(BindError, match=r"'j2' is not below 'j4'"):
        SplineChain(pose, ["j4", "j2"])
    with pytest.raises(BindError, match="two joints"):
        SplineChain(pose, pose.names[-1:])
    chain = SplineChain(pose, pose.names)
    with pytest.raises(ModelError, match=r"4, 7, 10 ... control points, not 5"):
        chain.bezier(CURVES["bend"])
    with pytest.raises(ModelError, match="points must be 2 to 4096 points, not 1"):
        chain.through([[0, 0, 0]])
