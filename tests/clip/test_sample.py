"""Sampling: exact at keys, continuous, reversible, and equal to slow formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from ikrig import Circle, Clip, ClipError, Key, Track
from tests.clip import slow

CURVES = ("step", "linear", "cubic", "ease_in", "ease_out", "ease_in_out")
OWN = ((0.1, 0.9, 0.2, 1.0), (1.0, 0.0, 0.0, 1.0), (0.0, 1.5, 0.0, -0.5))
WIDTHS = {"angle": 1, "target": 3, "target_rotation": 4}


def make_track(rng, part, channel, count, curves, *, length=6.0, closed=False):
    """A track with a curve per key, and what it is made of."""
    times = np.sort(rng.choice(np.arange(1, 1000), count, replace=False)) * length / 1e3
    if closed:
        times[[0, -1]] = 0.0, length
    width = WIDTHS[channel]
    values = rng.normal(size=(count, width))
    # stretches that stay, and ones that go on the same way
    values[1:count:5] = values[0 : count - 1 : 5]
    if channel == "target_rotation":
        values /= np.linalg.norm(values, axis=1)[:, None]
    if closed:
        values[-1] = values[0]
    chosen = [curves[k] for k in rng.integers(len(curves), size=count)]
    plain = values[:, 0].tolist() if width == 1 else [tuple(v) for v in values.tolist()]
    keys = {
        time: Key(value, then)
        for time, value, then in zip(times.tolist(), plain, chosen, strict=True)
    }
    return Track(part, channel, keys), times.tolist(), values, chosen[:-1]


def gap(one, other) -> float:
    """Return the angle between two unit quaternions, whatever their signs."""
    return min(np.linalg.norm(one - other), np.linalg.norm(one + other))


def quaternions(rotations: Rotation) -> np.ndarray:
    return np.roll(rotations.as_quat(), 1, -1)


def clip_of(seed, counts=(2, 5, 40), curves=(*CURVES, *OWN), **more):
    rng = np.random.default_rng(seed)
    made = {
        (f"{channel} {count}", channel): make_track(
            rng, f"{channel} {count}", channel, count, curves, **more
        )
        for channel in WIDTHS
        for count in counts
    }
    return made, [track for track, *_ in made.values()]


@pytest.mark.parametrize("closed", [False, True])
def test_samples_match_slow_formulas(closed):
    made, tracks = clip_of(1, closed=closed)
    clip = Clip("c", tracks, wrap="loop" if closed else "once", duration=6.0)
    rng = np.random.default_rng(2)
    for t in [*rng.uniform(-1.0 if not closed else 0.0, 6.0, 300), 0.0, 3.0]:
        sample = clip.sample(t)
        assert len(sample) == len(made)
        for name, (_, times, values, curves) in made.items():
            if name[1] == "target_rotation":
                turn = slow.rotation(times, values, curves, t, closed)
                assert gap(sample[name], turn) < 1e-7, (name, t)
                assert abs(np.linalg.norm(sample[name]) - 1.0) < 1e-13
                continue
            expected = [
                slow.component(times, column, curves, t, closed) for column in values.T
            ]
            # near an easing that stands upright a rounding is a visible step
            off = np.abs(np.atleast_1d(sample[name]) - expected).max()
            assert off < 1e-5, (name, t)


def test_easings_match_css():
    rng = np.random.default_rng(3)
    for bezier in [*slow.CSS.values(), *rng.uniform(0.0, 1.0, (40, 4)).tolist()]:
        bezier = tuple(bezier)
        clip = Clip("c", [Track("p", "slide", {0: Key(0, bezier), 1: 1})])
        for x in (*np.linspace(0, 1, 17), 1e-9, 1 - 1e-9):
            off = clip.sample(x)["p", "slide"] - slow.bezier(bezier, x)
            # as steep as the easing is there, as much does the last digit of x matter
            wide = (
                slow.bezier(bezier, min(x + 1e-13, 1)),
                slow.bezier(bezier, max(x - 1e-13, 0)),
            )
            assert abs(off) <= 1e-13 + abs(wide[0] - wide[1])


@pytest.mark.parametrize("wrap", ["once", "loop", "ping_pong"])
def test_samples_are_exact_at_keys(wrap):
    made, tracks = clip_of(4)
    clip = Clip("c", tracks, wrap=wrap, duration=6.5)
    for name, (track, times, values, _) in made.items():
        for time, value in zip(times, values, strict=True):
            got = np.atleast_1d(clip.sample(time)[name])
            if name[1] == "target_rotation":
                # either sign is the rotation; it is the key's own to the bit
                got = got * np.sign(got @ value)
                value = (
                    value
                    if abs(value @ value - 1) < 1e-15
                    else value / np.sqrt((value * value).sum())
                )
            assert (got == value).all(), (name, time)
            assert track.keys[time].value is not None


def test_rotations_take_the_shorter_direction_without_sign_flips():
    angles = np.radians([0, 80, 160, 240, 320, 400])
    quats = quaternions(Rotation.from_rotvec(angles[:, None] * [0, 0, 1]))
    flips = np.array([1, -1, -1, 1, -1, 1])[:, None]
    keys = {i: tuple(q) for i, q in enumerate((quats * flips).tolist())}
    for curve in ("linear", "cubic", "ease_in_out"):
        clip = Clip("c").with_track("p", "rotation", keys, curve)
        rotations = np.array(
            [clip.sample(t)["p", "rotation"] for t in np.arange(0, 5, 0.01)]
        )
        assert (np.abs(np.diff(rotations, axis=0)).max(1) < 0.02).all()
        # 80° a second, and never the 280° round the other way
        angles = np.unwrap(2 * np.arctan2(rotations[:, 3], rotations[:, 0]))
        assert (np.diff(angles) > 0).all()
        assert angles[-1] == pytest.approx(np.radians(400), abs=0.02)


def test_cubics_are_smooth_and_do_not_overshoot():
    rng = np.random.default_rng(6)
    times = np.cumsum(rng.uniform(0.05, 0.2, 40))
    values = rng.choice([0.0, 0.3, 1.0], 40)
    quats = rng.normal(size=(40, 4))
    keys = dict(zip(times.tolist(), values.tolist(), strict=True))
    rotations = dict(zip(times.tolist(), map(tuple, quats.tolist()), strict=True))
    clip = Clip("c").with_track("p", "slide", keys, "cubic")
    clip = clip.with_track("p", "rotation", rotations, "cubic")
    h = 1e-6
    for i, t in enumerate(times[1:-1], start=1):
        before, here, after = (clip.sample(x) for x in (t - h, t, t + h))
        name = "p", "slide"
        left, right = here[name] - before[name], after[name] - here[name]
        assert left == pytest.approx(right, abs=2e-3 * h * 1e3)
        name = "p", "rotation"
        left, right = (
            (
                Rotation.from_quat(np.roll(a[name], -1)).inv()
                * Rotation.from_quat(np.roll(b[name], -1))
            ).as_rotvec()
            / h
            for a, b in ((before, here), (here, after))
        )
        assert np.allclose(left, right, atol=0.05), i
    for i in range(39):
        low, high = sorted(values[i : i + 2])
        for t in np.linspace(times[i], times[i + 1], 20):
            assert low - 1e-12 <= clip.sample(t)["p", "slide"] <= high + 1e-12


def test_closed_loop_is_smooth_at_its_seam():
    keys = {0: 0.0, 1: 1.0, 2: -1.0, 3: 0.0}
    clip = Clip("c", wrap="loop").with_track("p", "slide", keys, "cubic")
    values = [clip.sample(3 + t)["p", "slide"] for t in (-1e-5, 0.0, 1e-5)]
    assert values[2] - values[1] == pytest.approx(values[1] - values[0], rel=1e-3)
    assert values[2] - values[1] > 5e-6
    # played once it starts and ends at rest
    once = Clip("c").with_track("p", "slide", keys, "cubic")
    assert abs(once.sample(1e-5)["p", "slide"]) < 1e-8


def test_times_wrap_in_loops():
    keys = {-1: -1.0, 0: 0.0, 4: 4.0}
    once = Clip("c").with_track("p", "slide", keys)

    def at(clip, t):
        return clip.sample(t)["p", "slide"]

    assert [at(once, t) for t in (-2, -0.5, 1, 4, 9)] == [-1, -0.5, 1, 4, 4]
    loop = Clip("c", once.tracks, wrap="loop")
    assert [at(loop, t) for t in (-1, 0, 1, 4, 7, 41)] == [3, 0, 1, 0, 3, 1]
    back = Clip("c", once.tracks, wrap="ping_pong")
    assert [at(back, t) for t in (-1, 0, 3, 4, 5, 8, 13)] == [1, 0, 3, 4, 3, 0, 3]
    longer = Clip("c", once.tracks, duration=6)
    assert [at(longer, t) for t in (5, 6, 99)] == [4, 4, 4]
    still = Clip("c", wrap="loop").with_track("p", "slide", {0: 2.0})
    assert still.duration == 0 and at(still, 5) == 2.0
    assert len(Clip("empty").sample(3)) == 0
    for t in (np.nan, np.inf):
        with pytest.raises(ClipError, match="can't be sampled at"):
            once.sample(t)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32 - 1),
    wrap=st.sampled_from(["once", "loop", "ping_pong"]),
    count=st.integers(2, 90),
)
def test_samples_are_continuous_and_the_same_backwards(seed, wrap, count):
    smooth = CURVES[1:]
    made, tracks = clip_of(seed, counts=(count,), curves=smooth)
    clip = Clip("c", [*tracks, Track("round", "pole", Circle())], wrap=wrap, duration=6)
    rng = np.random.default_rng(seed)
    for _, times, *_ in made.values():
        for time in rng.choice(times, 3):
            here, before = clip.sample(time), clip.sample(time - 1e-9)
            assert np.abs(here.numbers - before.numbers).max() < 1e-4
            assert np.abs(here.positions - before.positions).max() < 1e-4
            dots = (here.rotations * before.rotations).sum(1)
            assert (dots > 1 - 1e-9).all()
    times = rng.uniform(-15, 15, 40)
    forwards = [clip.sample(t) for t in times]
    backwards = [clip.sample(t) for t in times[::-1]][::-1]
    for one, other in zip(forwards, backwards, strict=True):
        for kind in ("numbers", "positions", "rotations"):
            assert (getattr(one, kind) == getattr(other, kind)).all()


def test_samples_are_found_by_name_in_fixed_rows():
    clip = Clip("c", wrap="loop")
    clip = clip.with_track("b", "target", {0: (1, 2, 3)}).with_track(
        "a", "weight", {0: 1}
    )
    clip = clip.with_track("a", "target", {0: (4, 5, 6)})
    sample = clip.sample(0)
    assert list(sample) == [("b", "target"), ("a", "weight"), ("a", "target")]
    assert sample["a", "weight"] == 1.0 and isinstance(sample["a", "weight"], float)
    assert sample.positions.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert sample.numbers.tolist() == [1] and sample.rotations.shape == (0, 4)
    with pytest.raises(KeyError):
        sample["a", "pole"]
    # a sample is the caller's own
    sample.positions[:] = 0
    assert clip.sample(0)["a", "target"].tolist() == [4, 5, 6]
