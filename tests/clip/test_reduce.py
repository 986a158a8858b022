"""Key reduction, checked at every original key by the slow reference."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

import ikrig
from ikrig import Clip, Key, Track

from .slow import component, key_slopes, rotation

FRAMES = np.arange(121) / 60


def rotations(seed: int = 0, most: float = 0.2) -> np.ndarray:
    """Quaternions of a limb that swings smoothly, (121, 4), with sides at random."""
    rng = np.random.default_rng(seed)
    waves = rng.uniform(0.2, 0.8, (2, 3)), rng.uniform(0, 6, (2, 3))
    vectors = most * np.sin(2 * np.pi * FRAMES[:, None, None] * waves[0] + waves[1])
    quats = np.roll(Rotation.from_rotvec(vectors.sum(1)).as_quat(), 1, axis=1)
    return quats * rng.choice([-1.0, 1.0], (len(quats), 1))


def angle(a: np.ndarray, b: np.ndarray) -> float:
    pair = [Rotation.from_quat(np.roll(q, -1)) for q in (a, b)]
    return float(np.degrees((pair[0].inv() * pair[1]).magnitude()))


def keyed(values: np.ndarray) -> dict[float, object]:
    return dict(zip(FRAMES.tolist(), values.tolist(), strict=True))


@pytest.mark.parametrize("curve", ["linear", "cubic"])
@pytest.mark.parametrize("tolerance", [0.1, 0.3, 1.0])
def test_rotations_stay_within_the_stated_error(curve: str, tolerance: float) -> None:
    quats = rotations()
    clip = Clip("swing", [Track("arm", "rotation", keyed(quats), curve)])
    small = ikrig.reduce_clip(clip, tolerance_deg=tolerance)
    track = small.track("arm", "rotation")
    times, values = list(track.keys), [key.value for key in track.keys.values()]
    assert times[0] == FRAMES[0] and times[-1] == FRAMES[-1]
    assert track.curve == curve
    curves = [curve] * (len(times) - 1)
    gaps = [
        angle(rotation(times, values, curves, t), q)
        for t, q in zip(FRAMES, quats, strict=True)
    ]
    print(curve, tolerance, len(times), max(gaps))
    # within what is allowed, and makes use of it
    assert 0.5 * tolerance < max(gaps) <= tolerance + 1e-6
    # keys are keys of the recording
    for t, value in zip(times, values, strict=True):
        assert tuple(value) == tuple(quats[np.flatnonzero(t == FRAMES)[0]].tolist())
    share = {0.1: 0.6, 0.3: 0.4, 1.0: 0.15}[tolerance]
    assert len(times) < share * len(FRAMES)


@pytest.mark.parametrize("curve", ["linear", "cubic"])
def test_positions_and_slides_stay_within_the_stated_error(curve: str) -> None:
    path = np.stack([np.sin(3 * FRAMES), FRAMES, 0.2 * np.cos(5 * FRAMES)], axis=1)
    clip = Clip(
        "way",
        [
            Track("ball", "target", keyed(path), curve),
            Track("door", "slide", keyed(path[:, 0]), curve),
            Track("lid", "angle", keyed(path[:, 2]), curve),
        ],
    )
    small = ikrig.reduce_clip(clip, tolerance_deg=0.3, tolerance=0.004)
    shown = {}
    for track in small.tracks:
        times = list(track.keys)
        assert len(times) < 60
        values = np.array([key.value for key in track.keys.values()])
        values = values.reshape(len(times), -1)
        curves = [curve] * (len(times) - 1)
        shown[track.part] = np.array(
            [
                [component(times, column, curves, t) for column in values.T]
                for t in FRAMES
            ]
        )
    assert np.linalg.norm(shown["ball"] - path, axis=1).max() <= 0.004 + 1e-9
    assert np.abs(shown["door"][:, 0] - path[:, 0]).max() <= 0.004 + 1e-9
    assert np.degrees(np.abs(shown["lid"][:, 0] - path[:, 2]).max()) <= 0.3 + 1e-9
    # without a length it is a thousandth of the way
    small = ikrig.reduce_clip(clip)
    found = np.array([small.sample(t)["ball", "target"] for t in FRAMES])
    assert (
        np.linalg.norm(found - path, axis=1).max() <= 1e-3 * np.ptp(path, axis=0).max()
    )


def test_a_loop_stays_smooth_where_it_closes() -> None:
    wave = np.stack([np.cos(np.pi * FRAMES), np.sin(np.pi * FRAMES), 0 * FRAMES], 1)
    wave[-1] = wave[0]
    clip = Clip("round", [Track("ball", "target", keyed(wave), "cubic")], wrap="loop")
    small = ikrig.reduce_clip(clip, tolerance=0.01)
    assert (small.wrap, small.duration) == ("loop", clip.duration)
    found = np.array([small.sample(t)["ball", "target"] for t in FRAMES])
    assert np.linalg.norm(found - wave, axis=1).max() <= 0.01 + 1e-9
    across = np.array([small.sample(2.0 + s)["ball", "target"] for s in (-1e-4, 1e-4)])
    steps = np.diff([across[0], wave[0], across[1]], axis=0)
    assert np.linalg.norm(steps[1] - steps[0]) < 0.1 * np.linalg.norm(steps[0])


def test_constant_tracks_keep_one_key_and_the_duration_stays() -> None:
    still = np.tile([0.5, 0.5, 0.5, 0.5], (121, 1))
    still[1::2] *= -1.0
    clip = Clip("still", [Track("arm", "rotation", keyed(still))], events=[(0.5, "x")])
    small = ikrig.reduce_clip(clip)
    assert list(small.tracks[0].keys) == [0.0]
    assert small.duration == 2.0
    assert small.events == clip.events
    assert angle(small.sample(1.3)["arm", "rotation"], still[0]) < 1e-9
    two = Clip(
        "two", [Track("a", "slide", {0: 1, 2: 1}), Track("b", "slide", {0: 1, 2: 3})]
    )
    assert [len(t.keys) for t in ikrig.reduce_clip(two).tracks] == [1, 2]
    assert ikrig.reduce_clip(Clip("nothing")).tracks == ()
    assert ikrig.reduce_clip(Clip("pose", [Track("a", "slide", {0: 1})])).duration == 0


def test_hand_made_curves_are_kept() -> None:
    """Steps, easings and paths mean what they say; weights change by nothing."""
    mixed = {0: 0.0, 0.5: Key(0.5, "step"), 1: 1.0, 2: 0.0}
    clip = Clip(
        "mine",
        [
            Track("a", "slide", mixed),
            Track("b", "slide", {0: 0, 1: 0.5, 2: 1.0}, "ease_in"),
            Track("c", "target", ikrig.Circle(centre=(0, 0, 0), radius=1.0)),
            Track("d", "weight", {0: 0, 0.5: 0.5, 1: 1, 1.5: 0.999, 2: 1}),
            Track("e", "slide", {0: 0, 0.5: 0.5, 1: 1, 1.5: 1.5, 2: 2}),
        ],
    )
    small = ikrig.reduce_clip(clip, tolerance_deg=10, tolerance=0.4)
    counts = [len(track.keys) for track in small.tracks]
    assert counts == [4, 3, 0, 4, 2]
    assert small.tracks[2].path is clip.tracks[2].path


def test_tolerances_are_checked() -> None:
    clip = Clip("nothing")
    for wrong in (-1, 181, float("nan"), "1", None):
        with pytest.raises(ikrig.ClipError, match="tolerance_deg must be degrees"):
            ikrig.reduce_clip(clip, tolerance_deg=wrong)
    for wrong in (-1, float("inf"), "1"):
        with pytest.raises(ikrig.ClipError, match="tolerance must be a length"):
            ikrig.reduce_clip(clip, tolerance=wrong)


def test_cubics_keep_the_error_between_keys_with_few_keys() -> None:
    """Against one that adds the worst key alone, time after time."""
    times = np.array([0.0, 0.3, 0.5, 1.1, 1.2, 1.9, 2.1, 2.6, 3.2, 3.3, 4.0])
    times = np.unique(np.concatenate([t + times for t in (0.0, 4.0, 8.0)]))
    halves = np.sort(np.append(times, (times[1:] + times[:-1]) / 2))
    counts = []
    for seed in range(12):
        rough = np.random.default_rng(seed).normal(scale=0.05, size=len(times))
        columns = np.array([np.sin(1.7 * times), np.cos(times), rough])
        full = _shown(times, columns, halves)
        allowed = 0.03 * (1 + seed % 4)
        keys = dict(zip(times.tolist(), columns.T.tolist(), strict=True))
        clip = Clip("way", [Track("ball", "target", keys, "cubic")])
        (track,) = ikrig.reduce_clip(clip, tolerance=allowed).tracks
        kept = np.isin(times, list(track.keys))
        shown = _shown(times[kept], columns[:, kept], halves)
        assert np.linalg.norm(shown - full, axis=0).max() <= allowed + 1e-12
        slow = np.zeros(len(times), bool)
        slow[[0, -1]] = True
        while True:
            shown = _shown(times[slow], columns[:, slow], halves)
            gaps = np.linalg.norm(shown - full, axis=0)
            if gaps.max() <= allowed:
                break
            away = np.abs(times - halves[gaps.argmax()]) + 1e9 * slow
            slow[away.argmin()] = True
        counts.append((kept.sum(), slow.sum()))
    fast, slow = np.sum(counts, axis=0)
    print(counts)
    assert fast <= slow


def _shown(times: np.ndarray, columns: np.ndarray, at: np.ndarray) -> np.ndarray:
    cubic = [True] * (len(times) - 1)
    return np.array(
        [
            CubicHermiteSpline(times, c, key_slopes(np.diff(c), times, cubic, False))(
                at
            )
            for c in columns
        ]
    )
