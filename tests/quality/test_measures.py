"""The measures of ``ikrig.quality`` on motions whose values are known by hand.

The figure has a pelvis and two legs of 0.9 m, so that its lengths are those measured,
and feet with a toe at 0.2 m ahead. It stands on z = 0 and faces -y.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import ikrig
from ikrig import Motion
from ikrig.math3d.quaternion import multiply
from ikrig.quality import CAUSES, MEASURES, measure
from ikrig.quality.gait import Gait

SIDES = ("Left", "Right")
NAMES = [
    "Hips", "Spine", "Head",
    *(f"{s}{p}" for s in SIDES for p in ("UpLeg", "Leg", "Foot", "ToeBase")),
    *(f"{s}{p}" for s in SIDES for p in ("Arm", "ForeArm", "Hand")),
]  # fmt: skip
PARENTS = [-1, 0, 1, 0, 3, 4, 5, 0, 7, 8, 9, 1, 11, 12, 1, 14, 15]
SOLES = {
    f"{side}Foot": [(f"{side}Foot", (0.0, 0.0, -0.08)), (f"{side}ToeBase", (0, 0, 0))]
    for side in SIDES
}
LEG = 0.9


def offsets() -> np.ndarray:
    found = [(0, 0, 0.98), (0, 0, 0.3), (0, 0, 0.35)]
    for x in (0.1, -0.1):
        found += [(x, 0, 0), (0, -0.01, -0.45), (0, 0.01, -0.45), (0, -0.2, -0.08)]
    for x in (0.2, -0.2):
        found += [(x, 0, 0.25), (1.5 * x, 0, 0), (1.25 * x, 0, 0)]
    return np.array(found)


def standing(frames: int = 120, fps: float = 60.0, **changes) -> Motion:
    turns = np.tile((1.0, 0.0, 0.0, 0.0), (frames, len(NAMES), 1))
    places = np.tile(offsets(), (frames, 1, 1))
    given = {
        "names": NAMES,
        "parents": PARENTS,
        "offsets": offsets(),
        "rotations": turns,
        "positions": places,
        "fps": fps,
        "soles": SOLES,
    }
    return Motion(**{**given, **changes})


def rooted(path: np.ndarray, **changes) -> Motion:
    """The standing figure along a path (frames, 3)."""
    motion = standing(len(path), **changes)
    places = motion.positions.copy()
    places[:, 0] += path
    return motion.with_changes(positions=places)


def bent(joint: str, degrees: np.ndarray, **changes) -> Motion:
    """A joint turned about x."""
    motion = standing(len(degrees), **changes)
    turns = motion.rotations.copy()
    half = np.radians(degrees) / 2.0
    k = motion.index(joint)
    turns[:, k, 0], turns[:, k, 1] = np.cos(half), np.sin(half)
    return motion.with_changes(rotations=turns)


def value(motion: Motion, name: str, **given) -> float:
    found = measure(motion, **given)[name].value
    assert found is not None
    return found


def scaled(motion: Motion, factor: float) -> Motion:
    soles = {
        foot: [(j, tuple(factor * v for v in p)) for j, p in at]
        for foot, at in motion.soles.items()
    }
    return motion.with_changes(
        offsets=factor * motion.offsets,
        positions=factor * motion.positions,
        soles=soles,
    )


LEN = 2.0 * math.hypot(0.45, 0.01)
UNIT = LEG / LEN
"""Metres of the figure measured / metres of this one."""


def test_one_who_stands_is_perfect():
    report = measure(standing(), ground=0.0)
    assert report.ok and report.failed == ()
    assert report.feet == ("LeftFoot", "RightFoot")
    for name in (
        "skating",
        "drift",
        "penetration",
        "float",
        "jitter",
        "spikes",
        "turn",
    ):
        assert report[name].value == pytest.approx(0.0, abs=1e-9), name
    assert report["jerk"].found is None and report["jerk"].passed


@pytest.mark.parametrize("factor", [1e-3, 1.0, 400.0])
def test_drift_is_the_way_of_a_stance_in_legs(factor):
    path = np.zeros((120, 3))
    path[30:60, 0] = np.linspace(0.0, 0.03, 30)
    path[60:, 0] = 0.03
    motion = scaled(rooted(path), factor)
    assert value(motion, "drift") == pytest.approx(100.0 * 0.03 / LEN, rel=1e-6)
    report = measure(motion)
    assert report.failed == ("drift",)
    assert 57 <= report["drift"].found.frame <= 119


def test_feet_on_moving_ground_do_not_drift():
    path = np.zeros((120, 3))
    path[:, 1] = np.linspace(0.0, 0.5, 120)
    motion = rooted(path)
    belt = np.zeros((120, 1, 3))
    belt[:, 0, 1] = path[:, 1]
    under = dict.fromkeys(SOLES, belt)
    assert value(motion, "drift", ground=under) == pytest.approx(0.0, abs=1e-9)
    still = {foot: np.zeros(120) for foot in SOLES}
    # 0.25 m/s, so it stands; 0.5 m of way
    assert value(motion, "drift", ground=still) > 50.0


def side_by_side(apart: float, turn: float, high: float, width: float = 0.06) -> Motion:
    """Soles as wide, whose middles are so far apart; the right one turned and up."""
    motion = standing(60)
    edge = 0.5 * width
    sole = [(x, y, -0.08) for x in (-edge, edge) for y in (-0.2, 0.06)]
    soles = {f"{side}Foot": [(f"{side}Foot", p) for p in sole] for side in SIDES}
    places, turns = motion.positions.copy(), motion.rotations.copy()
    right = motion.index("RightFoot")
    # away from its thigh, which stays
    places[30:, right, 0] += 0.2 - apart
    places[30:, right, 2] += high
    half = math.radians(turn) / 2.0
    turns[30:, right, 0], turns[30:, right, 3] = math.cos(half), math.sin(half)
    return motion.with_changes(positions=places, rotations=turns, soles=soles)


@pytest.mark.parametrize(
    ("apart", "turn", "high", "deep"),
    [
        (0.07, 0.0, 0.0, 0.0),
        (0.05, 0.0, 0.0, 0.01),
        # its middle is 7 cm ahead of the joint that turns, 13 cm from both ends
        (0.05, 180.0, 0.0, 0.01),
        # the toes are 20 cm from there, on either side
        (0.20, -90.0, 0.0, 0.0),
        (0.20, 90.0, 0.0, 0.03),
        (0.05, 0.0, 0.2, 0.0),
    ],
)
def test_overlap_is_how_deep_a_sole_is_in_another(apart, turn, high, deep):
    motion = side_by_side(apart, turn, high)
    assert value(motion, "overlap") == pytest.approx(100.0 * UNIT * deep, abs=1e-6)
    assert value(motion, "overlap", source=motion) == 0.0


def test_crossing_is_how_far_feet_have_changed_sides():
    beside, crossed = side_by_side(0.05, 0.0, 0.0), side_by_side(-0.05, 0.0, 0.0)
    assert value(beside, "crossing") == 0.0
    assert value(crossed, "crossing") == pytest.approx(5.0 * UNIT, rel=1e-6)
    assert value(crossed, "crossing", source=beside) == value(crossed, "crossing")
    assert value(crossed, "crossing", source=crossed) == 0.0


@pytest.mark.parametrize("name", ["overlap", "crossing"])
def test_source_without_feet_takes_nothing_away(name):
    gait, bare = Gait(side_by_side(-0.05, 0.0, 0.0)), Gait(side_by_side(0.3, 0.0, 0.0))
    bare.feet = []
    found, alone = (MEASURES[name].find(gait, source) for source in (bare, None))
    assert found is not None and alone is not None and found.value == alone.value


def test_skating_is_the_share_of_frames_faster_than_half_a_metre_a_second():
    speeds = np.zeros(240)
    speeds[60:120] = 1.5
    path = np.zeros((240, 3))
    path[1:, 0] = np.cumsum(speeds[:-1]) / 60.0
    found = value(rooted(path), "skating", ground=0.0)
    # a quarter, give or take what the mean over a quarter of a second adds
    assert found == pytest.approx(25.0, abs=100.0 * 15 / 240)
    # the same in the air is none
    path[:, 2] = 0.3
    assert value(rooted(path), "skating", ground=0.0) == 0.0


@pytest.mark.parametrize(("speed", "share"), [(2.4, 0.0), (1.2, 25.0)])
def test_a_foot_that_overtakes_the_hips_swings_low(speed, share):
    time = np.clip(np.arange(120) / 60.0 - 0.5, 0.0, 0.5)
    motion = rooted(np.outer(time, (0.0, -1.2, 0.0)))
    places = motion.positions.copy()
    places[:, motion.index("RightUpLeg"), 1] += 1.2 * time
    places[:, motion.index("LeftUpLeg"), 1] -= (speed - 1.2) * time
    found = value(motion.with_changes(positions=places), "skating", ground=0.0)
    assert found == pytest.approx(share, abs=100.0 * 10 / 120 if share else 0.0)


def test_the_ground_of_feet_that_never_rest_is_where_they_mostly_are():
    path = np.outer(np.arange(120) / 60.0, (0.0, -0.8, 0.0))
    path[50:53, 2] = -0.04
    report = measure(rooted(path))
    assert report.level == pytest.approx(0.0, abs=1e-9)
    assert report["skating"].found.value > 80.0


@pytest.mark.parametrize("degrees", [0.0, 30.0])
def test_heels_are_found_below_feet_whose_toes_tremble(degrees):
    # as in captures: the toes' end is the lowest joint, and most often lifted
    start, fps = offsets(), 60.0
    names, parents = list(NAMES), list(PARENTS)
    for side in SIDES:
        toes = names.index(f"{side}ToeBase")
        start[toes, 2] = -0.05
        names.append(f"{side}ToeEnd")
        parents.append(toes)
    start = np.vstack((start, [(0.0, -0.07, -0.03)] * 2))
    turns = np.tile((1.0, 0.0, 0.0, 0.0), (300, len(names), 1))
    up = np.radians(-degrees * (np.arange(300) // 20 % 3 < 2)) / 2.0
    for side in SIDES:
        toes = names.index(f"{side}ToeBase")
        turns[:, toes, 0], turns[:, toes, 1] = np.cos(up), np.sin(up)
    motion = Motion(
        names=names, parents=parents, offsets=start, rotations=turns, fps=fps
    )
    for foot, sole in Gait(motion).soles.items():
        joint, heel = sole[0]
        assert motion.names[joint] == foot
        # the ankle is 8 cm above the floor
        np.testing.assert_allclose(heel, (0.0, 0.0, -0.08), atol=1e-6)


@pytest.mark.parametrize("depth", [0.004, 0.02])
def test_penetration_and_float_are_distances_from_the_ground_under_the_foot(depth):
    path = np.zeros((60, 3))
    for sign, name in ((-1.0, "penetration"), (1.0, "float")):
        path[:, 2] = sign * depth
        motion = rooted(path)
        assert value(motion, name, ground=0.0) == pytest.approx(100.0 * depth * UNIT)
        assert value(motion, name, ground=sign * depth) == pytest.approx(0.0, abs=1e-9)
        # a step under the left foot alone
        found = measure(motion, lambda x, y, h=sign * depth: h if x > 0 else 0.0)
        assert found[name].found.joint == "RightFoot"
        # without ground, it is where they stand
        assert measure(motion).level == pytest.approx(sign * depth)
        assert value(motion, name) == pytest.approx(0.0, abs=1e-9)


def test_hips_acceleration_is_that_of_the_path():
    time = np.arange(240) / 60.0
    path = np.zeros((240, 3))
    # 5 cm at 2 Hz: w^2 a, of the mean over twice a thirtieth of a second a little less
    path[:, 2] = 0.05 * np.sin(2.0 * math.pi * 2.0 * time)
    wanted = 0.05 * (2.0 * math.pi * 2.0) ** 2 * UNIT
    assert value(rooted(path), "hips_acceleration") == pytest.approx(wanted, rel=0.03)
    # of irregular frames the same
    times = np.cumsum(np.random.default_rng(3).uniform(0.004, 0.03, 480))
    path = np.zeros((480, 3))
    path[:, 0] = times**2
    found = value(rooted(path, times=times), "hips_acceleration")
    assert found == pytest.approx(2.0 * UNIT, rel=1e-6)


def test_with_a_source_only_what_is_added_counts():
    time = np.arange(240) / 60.0
    path = np.zeros((240, 3))
    path[:, 2] = 0.05 * np.sin(2.0 * math.pi * 2.0 * time)
    motion, twice = rooted(path), rooted(2.0 * path)
    own = value(motion, "hips_acceleration")
    report = measure(twice, source=motion)
    assert report["hips_acceleration"].value == pytest.approx(own, rel=1e-6)
    assert report["hips_acceleration"].limit == MEASURES["hips_acceleration"].sourced
    assert report["jerk"].value == pytest.approx(2.0, rel=1e-6)
    assert report["position_difference"].value == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_jitter_is_noise_and_not_motion(fps):
    frames = int(3 * fps)
    time = np.arange(frames) / fps
    smooth = np.zeros((frames, 3))
    smooth[:, 0] = 0.3 * np.sin(2.0 * math.pi * 1.5 * time)
    assert value(rooted(smooth, fps=fps), "jitter") < 0.05
    noise = np.random.default_rng(5).normal(scale=0.01, size=(frames, 3))
    # the root mean square of three axes, of the worst quarter of a second
    found = value(rooted(smooth + noise, fps=fps), "jitter")
    assert 0.7 < found / (100.0 * 0.01 * math.sqrt(3.0) * UNIT) < 2.0


def test_turn_and_difference_are_angles():
    degrees = np.linspace(0.0, 30.0, 61)
    motion = bent("LeftForeArm", degrees)
    report = measure(motion, source=standing(61))
    assert report["turn"].value == pytest.approx(0.5, rel=1e-6)
    assert report["turn"].found.joint == "LeftForeArm"
    mean = degrees.mean() / len(NAMES)
    assert report["rotation_difference"].value == pytest.approx(mean, rel=1e-6)


def test_contacts_are_compared_with_the_sources():
    up = np.zeros((100, 3))
    # in the air for 30 frames
    up[40:70, 2] = 0.2
    report = measure(rooted(up), ground=0.0, source=standing(100))
    assert report["contact_agreement"].value == pytest.approx(70.0, abs=2.0)
    assert not report["contact_agreement"].passed
    assert report["contact_flips"].value == pytest.approx(2.0 / (99 / 60.0), rel=1e-6)


# -- leaps -----------------------------------------------------------------------------

WAVES = 20.0 * np.sin(np.arange(180) / 12.0)
"""An arm that swings by up to 1.7 degrees a frame."""


def leap(motion: Motion, frame: int, cause: str, joint: str = "") -> None:
    report = measure(motion)
    (found,) = report.spikes
    assert (found.frame, found.cause) == (frame, cause), found
    assert joint in ("", found.joint)
    assert "spikes" in report.failed
    assert report["spikes"].value == 1.0


def test_what_swings_does_not_leap():
    assert measure(bent("LeftArm", WAVES)).spikes == ()
    # nor what stops dead, or turns round at once
    ramp = np.concatenate([np.arange(60) * 2.0, np.full(60, 118.0)])
    assert measure(bent("LeftArm", ramp)).spikes == ()
    assert measure(bent("LeftArm", np.abs(np.arange(120) - 60.0))).spikes == ()


def test_a_leap_for_a_frame_is_a_pop():
    pop = WAVES.copy()
    pop[100] += 12.0
    leap(bent("LeftArm", pop), 100, "pop", "LeftArm")
    # one that moves nothing by 2 cm is not seen
    pop = WAVES.copy()
    pop[100] += 1.5
    assert measure(bent("LeftArm", pop)).spikes == ()


@pytest.mark.parametrize(("degrees", "seen"), [(4.0, False), (12.0, True)])
def test_a_bone_that_turns_about_itself_leaps_by_its_skin(degrees, seen):
    motion = bent("LeftUpLeg", WAVES)
    twist = np.array(
        (np.cos(np.radians(degrees / 2)), 0, 0, np.sin(np.radians(degrees / 2)))
    )
    turns, k = motion.rotations.copy(), motion.index("LeftUpLeg")
    turns[100, k] = multiply(turns[100, k], twist)
    motion = motion.with_changes(rotations=turns)
    assert [s.joint for s in measure(motion).spikes] == ["LeftUpLeg"] * seen


def test_a_leap_that_is_announced_does_not_count():
    pop = WAVES.copy()
    pop[100:] += 25.0
    motion = bent("LeftArm", pop, cuts={100: "drops the cup"})
    report = measure(motion)
    (found,) = report.spikes
    assert found.cause == "drops the cup" and found.announced
    assert "spikes" not in report.failed


def test_a_joint_that_was_held_leaves_a_limit():
    held = WAVES.copy()
    held[60:90] = held[60]
    held[90:] += 15.0
    leap(bent("LeftArm", held), 90, "limit", "LeftArm")


def test_several_joints_that_stay_elsewhere_are_a_switch():
    motion = bent("LeftArm", WAVES)
    turns = motion.rotations.copy()
    half = math.radians(20.0) / 2.0
    for joint in ("RightArm", "RightForeArm", "RightHand"):
        turns[80:, motion.index(joint)] = (math.cos(half), 0.0, math.sin(half), 0.0)
    leap(motion.with_changes(rotations=turns), 80, "switch")


def test_a_figure_that_is_elsewhere_was_moved():
    path = np.zeros((120, 3))
    path[70:, 1] = 0.4
    leap(rooted(path), 70, "teleport", "Hips")


def test_a_loop_that_does_not_close_has_a_seam():
    open_end = np.linspace(0.0, 40.0, 120)
    motion = bent("LeftArm", open_end)
    assert measure(motion).spikes == ()
    leap(motion.with_changes(loop=True), 0, "seam", "LeftArm")
    whole = 20.0 * np.sin(2.0 * math.pi * np.arange(120) / 120.0)
    closed = bent("LeftArm", whole, loop=True)
    assert measure(closed).spikes == ()
    # also if its last frame is the first once more
    again = np.append(whole, whole[0])
    assert measure(bent("LeftArm", again, loop=True)).spikes == ()


def test_a_frame_that_is_lost_or_stands_is_late():
    time = np.arange(200) / 60.0
    path = np.zeros((200, 3))
    path[:, 1] = -3.0 * time
    motion = rooted(path)
    turns = motion.rotations.copy()
    for k, joint in enumerate(("LeftUpLeg", "RightUpLeg", "LeftArm", "RightArm")):
        half = np.radians(40.0 * np.sin(6.0 * time + 1.6 * k)) / 2.0
        turns[:, motion.index(joint), 0] = np.cos(half)
        turns[:, motion.index(joint), 1] = np.sin(half)
    motion = motion.with_changes(rotations=turns, soles={})
    assert measure(motion).spikes == ()
    kept = [k for k in range(200) if k != 90]
    lost = motion.with_changes(
        rotations=turns[kept],
        positions=motion.positions[kept],
        times=motion.times[:199],
    )
    leap(lost, 90, "late frame")
    places, stood = motion.positions.copy(), turns.copy()
    places[90], stood[90] = places[89], stood[89]
    leap(motion.with_changes(rotations=stood, positions=places), 90, "late frame")
    # one that took twice as long, and says so
    stamped = lost.with_changes(times=motion.times[kept])
    report = measure(stamped)
    assert {spike.cause for spike in report.spikes} <= {"late frame"}


def test_a_joint_that_turns_about_makes_no_late_frame():
    # the arms swing on as before; a hand turns as a captured thumb does
    time = np.arange(200) / 60.0
    motion = standing(200)
    turns = motion.rotations.copy()
    for joint, angle in (
        ("LeftArm", 40.0 * np.sin(6.0 * time)),
        ("RightArm", 40.0 * np.sin(6.0 * time + 1.6)),
        ("LeftHand", np.interp(np.arange(200), [98, 99, 100, 101], [0, 55, 175, 230])),
    ):
        half = np.radians(angle) / 2.0
        turns[:, motion.index(joint), 0] = np.cos(half)
        turns[:, motion.index(joint), 1] = np.sin(half)
    (spike,) = measure(motion.with_changes(rotations=turns)).spikes
    assert (spike.joint, spike.cause) == ("LeftHand", "switch")


def test_what_the_source_has_does_not_count():
    pop = WAVES.copy()
    pop[100] += 12.0
    source = bent("LeftArm", pop)
    report = measure(source, source=source)
    assert [spike.cause for spike in report.spikes] == ["clip"]
    assert "spikes" not in report.failed


# -- reports and arguments -------------------------------------------------------------


def test_every_measure_has_its_words_and_is_in_every_report():
    path = np.zeros((120, 3))
    path[60:, 0] = 0.4
    report = measure(rooted(path), source=standing(120))
    data = report.as_dict()
    assert list(data["measures"]) == list(MEASURES)
    page, text = report.page(), str(report)
    for name, each in MEASURES.items():
        assert each.text.endswith(".") and name == each.name
        assert name in page and each.text.replace("'", "&#x27;") in page
        assert name in text
    assert data["spikes"][0]["cause"] == "teleport" and not data["passed"]
    assert "<svg" in page and "src=" not in page and "href=" not in page
    for cause in CAUSES:
        assert cause in page


def test_limits_can_be_given():
    path = np.zeros((120, 3))
    path[30:60, 0] = np.linspace(0.0, 0.03, 30)
    path[60:, 0] = 0.03
    motion = rooted(path)
    assert not measure(motion).ok
    assert measure(motion, limits={"drift": 4.0}).ok
    assert measure(motion, limits={"drift": None}).ok
    assert measure(bent("LeftArm", WAVES), limits={"turn": 1.0}).failed == ("turn",)


WRONG = {
    "motion": ((3,), {}, "motion must be a Motion, not 3"),
    "limit": ((), {"limits": {"drfit": 1.0}}, "did you mean 'drift'"),
    "limit's value": ((), {"limits": {"drift": "1"}},
     "limit of drift must be a number"),
    "source": ((), {"source": 3}, "source must be a Motion"),
    "source's frames": ((), {"source": standing(7)}, "has 7 frames"),
    "ground": ((), {"ground": "flat"}, "ground must be a number, a function"),
    "ground's shape": ((), {"ground": {"LeftFoot": [0.0]}},
     "ground['LeftFoot'] must be"),
    "ground's holes": ((), {"ground": lambda x, y: math.nan}, "not finite everywhere"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_arguments_are_checked(name):
    given, named, words = WRONG[name]
    with pytest.raises(ikrig.SettingError) as caught:
        measure(*(given or (standing(20),)), **named)
    assert words in str(caught.value)


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 9])
def test_short_motions_are_measured(frames):
    assert measure(standing(frames), source=standing(frames)).ok
    alone = Motion(
        names=["a"], parents=[-1], offsets=[[0, 0, 0]],
        rotations=np.tile((1.0, 0, 0, 0), (frames, 1, 1)),
    )  # fmt: skip
    assert measure(alone).ok
