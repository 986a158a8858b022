"""Warps: planted feet stay where they are at any speed and in any direction."""

from __future__ import annotations

from math import cos, pi, radians, sin

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig.scene.behaviours.sole import soles_of
from tests.bench.courses import Run, turn_steps
from tests.body_paths import HUMANOID
from tests.characters import catalog

LEG = 0.84
SPEED = 1.25
"""Of the walk of the humanoid, whose toes are planted in half of its frames."""


class Walk:
    """A figure that walks with warps, and what its joints do."""

    def __init__(self, *, stride: bool = True, scale: float = 1.0) -> None:
        self.world = p3d.NodePath("world")
        self.actor = Actor(str(HUMANOID))
        self.actor.reparent_to(self.world)
        self.actor.set_blend(frameBlend=True)
        self.actor.set_scale(scale)
        self.scale = scale
        self.clip = self.actor.get_anim_control("walk")
        self.rig = ikrig.ActorRig(self.actor)
        self.turn = self.stride = None
        if stride:
            self.turn = ikrig.OrientationWarp(self.rig)
            self.stride = ikrig.StrideWarp(self.rig)
        self.rig.joint("LeftToeBase")
        self.time, self.place = 0.0, np.zeros(2)

    def run(self, factor: float, angle: float, seconds: float, fps: float = 60.0):
        """Walk; return the places of joints in each frame, by name."""
        names = [s + j for s in ("Left", "Right") for j in ("ToeBase", "Foot", "Leg")]
        found = {name: [] for name in (*names, "Hips", "Head")}
        for _ in range(round(seconds * fps)):
            self.time += 1.0 / fps
            self.clip.pose(self.time * 60.0 % self.clip.get_num_frames())
            way = np.array((sin(angle), -cos(angle)))
            self.place += way * factor * SPEED * self.scale / fps
            self.actor.set_pos(*self.place.tolist(), 0.0)
            self.rig.update(1.0 / fps)
            for name, places in found.items():
                places.append(tuple(self.rig.joint(name).get_pos(self.world)))
        return {name: np.array(places) for name, places in found.items()}


def drift(feet, planted) -> float:
    """Return the farthest that toes go while they are planted."""
    farthest = 0.0
    for side in ("Left", "Right"):
        places = feet[f"{side}ToeBase"]
        runs = np.split(np.arange(len(places)), np.flatnonzero(~planted[side]))
        for run in runs:
            if len(run) > 4:
                stood = places[run[1:]]
                far = np.linalg.norm(stood - stood[0], axis=1).max()
                farthest = max(farthest, float(far))
    return farthest


def planted(fps: float, seconds: float, after: float):
    """Return when toes are planted in the clip, by the figure without warps."""
    walk = Walk(stride=False)
    walk.run(1.0, 0.0, after, fps)
    feet = walk.run(1.0, 0.0, seconds, fps)
    steps = {
        side: np.linalg.norm(np.diff(feet[f"{side}ToeBase"], axis=0), axis=1) * fps
        for side in ("Left", "Right")
    }
    return {side: np.append(step < 0.05, False) for side, step in steps.items()}


@pytest.mark.parametrize(
    ("factor", "degrees"),
    [(0.3, 0), (0.6, 40), (1.5, -90), (2.0, 0), (1.0, 90), (1.0, 180), (0.7, -140)],
)
def test_planted_feet_do_not_slide(factor: float, degrees: float) -> None:
    walk = Walk()
    walk.run(factor, radians(degrees), 1.5)
    feet = walk.run(factor, radians(degrees), 2.2)
    assert drift(feet, planted(60.0, 2.2, 1.5)) < 0.01 * LEG
    back = abs(degrees) > 90
    assert walk.stride.factor == pytest.approx(-factor if back else factor, abs=1e-3)
    turned = degrees - (180 if degrees > 0 else -180) if back else degrees
    assert walk.turn.angle == pytest.approx(radians(turned), abs=1e-3)
    assert walk.turn.backwards is back
    # the head keeps its heading, and so does what is above the chest
    head = walk.rig.joint("Head").get_quat(walk.actor)
    plain = Walk(stride=False)
    plain.run(1.0, 0.0, 3.7)
    turn = head * plain.rig.joint("Head").get_quat(plain.actor).conjugate()
    assert 2.0 * np.degrees(np.arccos(min(1.0, abs(turn[0])))) < 2.0
    # legs do not cross: each foot stays at its side of the way
    way = np.array((cos(radians(turned)), sin(radians(turned)), 0.0))
    apart = (feet["LeftFoot"] - feet["RightFoot"]) @ way
    assert apart.min() > 0.08


def slide(name: str, factor: float, degrees: float) -> tuple[float, float]:
    """Return how far soles slide while they stand, with warps and in the clip.

    In legs: the farthest way of what is lowest, from the middle half of a stance on.
    Stances are those of the clip as a person sees them: (first, last) frame and side.
    """
    walk, side, rate, first, count, stances = STRANGERS[name]
    found = []
    for warped in (True, False):
        actor = catalog.load(name)
        actor.set_blend(frameBlend=True)
        clip, speed = actor.get_anim_control(walk), ikrig.clip_speed(actor, walk)
        rig = ikrig.ActorRig(actor)
        angle = 0.0
        if warped and degrees:
            ikrig.OrientationWarp(rig)
        if warped:
            ikrig.StrideWarp(rig)
            speed, angle = speed * factor, radians(degrees)
        soles = soles_of(rig.skeleton, stances, None)
        nodes = [[(rig.joint(j), at) for j, at in sole] for sole in soles]
        world = p3d.NodePath("world")
        actor.reparent_to(world)
        seen = []
        for k in range(round((2.5 + 2.0 * count / rate) * 60.0)):
            frame = k * rate / 60.0 % count
            clip.pose(first + frame)
            actor.set_pos(
                speed * k / 60.0 * sin(angle), -speed * k / 60.0 * cos(angle), 0
            )
            rig.update(1.0 / 60.0)
            points = [
                [tuple(world.get_relative_point(node, at)) for node, at in sole]
                for sole in nodes
            ]
            seen.append((frame, points))
        farthest = 0.0
        for foot, (begin, end) in enumerate(stances.values()):
            begun = None
            for frame, points in seen[150:]:
                if not begin <= frame <= end:
                    begun = None
                    continue
                now = np.array(points[foot])
                if begun is None:
                    begun = now
                ways = np.linalg.norm((now - begun)[:, :2], axis=1)
                farthest = max(farthest, float(ways.min()))
        found.append(farthest / side)
        actor.cleanup()
    return found[0], found[1]


# clip, leg, frames a second, first frame, frames of a round, when feet stand
STRANGERS = {
    "fox": ("Walk", 48.9, 30.0, 1, 21, {
        "b_RightHand_08": (13.0, 19.0), "b_LeftHand_011": (2.0, 9.0),
        "b_RightFoot02_022": (4.0, 11.0),
    }),
    "panda": ("walk", 387.0, 30.0, 0, 60, {
        "Bone_lr_foot": (4.0, 26.0), "Bone_rf_foot": (4.0, 26.0),
    }),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "factor", "degrees"),
    [("fox", 0.4, 0), ("fox", 2.0, 0), ("fox", 1.0, 90), ("panda", 0.5, 0)],
)
def test_what_a_clip_slides_by_is_taken_back(name, factor, degrees) -> None:
    if catalog.find_file(name) is None:
        pytest.skip(f"{name} is not at hand: {catalog.missing(name)}")
    ours, clips = slide(name, factor, degrees)
    assert clips > 0.03
    assert ours < 0.01


def test_legs_of_one_bone_are_refused() -> None:
    if catalog.find_file("robot") is None:
        pytest.skip(f"robot is not at hand: {catalog.missing('robot')}")
    rig = ikrig.ActorRig(catalog.load("robot"))
    for warp in (ikrig.StrideWarp, ikrig.OrientationWarp, ikrig.SlopeWarp):
        with pytest.raises(ikrig.BindError, match=r"thigh and a shin.*joint3, joint5"):
            warp(rig)


@pytest.mark.parametrize("fps", [30.0, 144.0])
@pytest.mark.parametrize("degrees", [60.0, -90.0])
def test_animal_whose_legs_hang_on_two_joints_turns_as_a_whole(degrees, fps) -> None:
    """The panda has no joint that carries hips and shoulders: its shape stays.

    It steps round within four seconds.
    """
    names = "Bone_lf_foot", "Bone_rf_foot", "Bone_lr_foot", "Bone_rr_foot"
    names += "Dummy_shoulders", "Dummy_hips", "Bone_skull"
    found = []
    for warped in (True, False):
        actor = catalog.load("panda")
        world = p3d.NodePath("world")
        actor.reparent_to(world)
        actor.set_blend(frameBlend=True)
        clip, speed = actor.get_anim_control("walk"), ikrig.clip_speed(actor, "walk")
        rig = ikrig.ActorRig(actor)
        angle = 0.0
        if warped:
            warp = ikrig.OrientationWarp(rig)
            angle = radians(degrees)
        places = []
        for k in range(round(5.0 * fps)):
            now = k / fps
            clip.pose(now * clip.get_frame_rate() % (clip.get_num_frames() - 1))
            actor.set_pos(sin(angle) * speed * now, -cos(angle) * speed * now, 0.0)
            rig.update(1.0 / fps)
            if now > 4.0:
                places.append([tuple(rig.joint(j).get_pos(actor)) for j in names])
        found.append(np.array(places))
    assert warp.angle == pytest.approx(radians(degrees), abs=2e-3)
    turned, plain = found
    size = np.linalg.norm(np.ptp(plain[0], axis=0))
    c, s = cos(radians(degrees)), sin(radians(degrees))
    turn = np.array([(c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0)])
    # about the same middle in all frames
    off = turned - plain @ turn
    assert np.ptp(off, axis=(0, 1)).max() < 0.005 * size
    middle = np.linalg.norm((turned - plain)[:, :4].mean(axis=(0, 1)))
    assert middle < 0.05 * size


# frames in which a person sees feet stand; legs
STANDING = {
    "ralph": (0.86, {"LeftAnkle": (1.2, 10.4), "RightAnkle": (17.2, 22.4)}),
    "eve": (0.86, {"LeftAnkle": (2.0, 19.0), "RightAnkle": (31.0, 44.5)}),
}


def slide_on_the_ground(name: str, factor: float) -> float:
    """Return how far what bears slides in a stance while it is on the ground [legs]."""
    leg, stances = STANDING[name]
    grounds: dict[str, float] = {}
    farthest = 0.0
    for pace in (0.0, factor):
        actor = catalog.load(name)
        actor.set_blend(frameBlend=True)
        clip, speed = actor.get_anim_control("walk"), ikrig.clip_speed(actor, "walk")
        rig = ikrig.ActorRig(actor)
        if pace:
            ikrig.StrideWarp(rig)
        world = p3d.NodePath("world")
        actor.reparent_to(world)
        soles = {foot: soles_of(rig.skeleton, [foot], None)[0] for foot in stances}
        nodes = {f: [(rig.joint(j), at) for j, at in sole] for f, sole in soles.items()}
        lows: dict[str, list[float]] = {foot: [] for foot in stances}
        slid = dict.fromkeys(stances, 0.0)
        before: dict[str, np.ndarray] = {}
        for k in range(360):
            frame = k * 24.0 / 60.0 % (clip.get_num_frames() - 1)
            clip.pose(frame)
            actor.set_y(-speed * (pace or 1.0) * k / 60.0)
            rig.update(1.0 / 60.0)
            for foot, (begin, end) in stances.items():
                if k < 150 or not begin <= frame <= end:
                    before.pop(foot, None)
                    slid[foot] = 0.0
                    continue
                now = np.array(
                    [tuple(world.get_relative_point(*node)) for node in nodes[foot]]
                )
                lows[foot].append(now[:, 2].min())
                last, before[foot] = before.get(foot), now
                if not pace or last is None:
                    continue
                low = np.minimum(now[:, 2], last[:, 2])
                if low.min() < grounds[foot] + 0.03 * leg:
                    ways = np.linalg.norm((now - last)[:, :2], axis=1)
                    slid[foot] += ways[low <= low.min() + 0.01 * leg].min()
                    farthest = max(farthest, slid[foot])
        if not pace:
            grounds = {foot: float(np.median(found)) for foot, found in lows.items()}
        actor.cleanup()
    return farthest / leg


@pytest.mark.parametrize(
    ("name", "factor", "most"),
    [
        ("eve", 1.0, 0.01), ("eve", 1.5, 0.01), ("eve", 2.0, 0.1),
        ("ralph", 1.25, 0.02), ("ralph", 2.0, 0.25),
    ],
)  # fmt: skip
def test_feet_that_legs_cannot_keep_on_the_ground_leave_it(name, factor, most) -> None:
    if catalog.find_file(name) is None:
        pytest.skip(f"{name} is not at hand: {catalog.missing(name)}")
    assert slide_on_the_ground(name, factor) < most


# hip, knee, ankle, what moves all, its clip's frames a second and in a round
FIGURES = {
    "humanoid": ("LeftUpLeg", "LeftLeg", "LeftFoot", "Hips", 60.0, 64),
    "ralph": ("LeftHip", "LeftKnee", "LeftAnkle", "Skeleton", 24.0, 24),
    "eve": ("LeftHip", "LeftKnee", "LeftAnkle", "Skeleton", 24.0, 49),
}


def knee_and_hips(name: str, factor: float) -> tuple[float, float]:
    """Return the knee's largest step [deg] and the hips' acceleration [legs/s2]."""
    *joints, rate, frames = FIGURES[name]
    actor = catalog.load(name)
    actor.set_blend(frameBlend=True)
    speed, clip = ikrig.clip_speed(actor, "walk"), actor.get_anim_control("walk")
    rig = ikrig.ActorRig(actor)
    if factor != 1.0:
        ikrig.StrideWarp(rig)
    nodes = [rig.joint(joint) for joint in joints]
    seen = []
    for k in range(300):
        clip.pose(k * rate / 60.0 % frames)
        actor.set_y(-k * factor * speed / 60.0)
        rig.update(1.0 / 60.0)
        seen.append([tuple(node.get_pos(actor)) for node in nodes])
    hip, knee, ankle, hips = np.swapaxes(np.array(seen[150:]), 0, 1)
    thigh, shank = knee - hip, ankle - knee
    leg = sum(np.linalg.norm(bone[0]) for bone in (thigh, shank))
    bend = np.arctan2(
        np.linalg.norm(np.cross(thigh, shank), axis=1), (thigh * shank).sum(axis=1)
    )
    jolt = np.linalg.norm(np.diff(hips, 2, axis=0), axis=1).max() * 60.0**2
    actor.cleanup()
    return float(np.degrees(np.abs(np.diff(bend)).max())), float(jolt / leg)


@pytest.mark.parametrize("factor", [1.5, 2.0])
@pytest.mark.parametrize("name", FIGURES)
def test_long_strides_neither_draw_the_hips_nor_snap_knees(
    name: str, factor: float
) -> None:
    if catalog.find_file(name) is None:
        pytest.skip(f"{name} is not at hand: {catalog.missing(name)}")
    knee, jolt = knee_and_hips(name, factor)
    clip_knee, clip_jolt = knee_and_hips(name, 1.0)
    # a foot that goes so much farther in the same time
    assert knee < 1.6 * factor * clip_knee
    assert jolt < clip_jolt + 15.0


@pytest.mark.parametrize(("fps", "first"), [(30.0, 0), (60.0, 0), (60.0, 1)])
def test_strides_fit_while_clip_and_actor_get_faster(fps: float, first: int) -> None:
    """Alike: their ratio stays, and where the clip goes round, whichever way, too."""
    walk = Walk()
    frame, factors = 50.0, []
    for k in range(round(2.5 * fps)):
        pace = min(1.0, k / fps)
        frame += pace * 60.0 / fps
        walk.clip.pose(first + frame % (64 - first))
        walk.actor.set_y(walk.actor, -1.5 * SPEED * pace / fps)
        walk.rig.update(1.0 / fps)
        factors.append(walk.stride.factor)
    assert max(factors) < 1.51
    assert factors[-1] == pytest.approx(1.5, abs=1e-3)


def test_hips_rise_between_long_strides() -> None:
    heights = []
    for factor in (1.0, 1.5):
        walk = Walk(stride=factor > 1.0)
        walk.run(factor, 0.0, 2.0)
        heights.append(walk.run(factor, 0.0, 64.0 / 60.0)["Hips"][:, 2])
    drop = heights[0] - heights[1]
    # lowest where both feet stand
    assert 0.03 < drop.max() < 0.09
    assert drop.min() < 0.7 * drop.max()


def test_long_strides_begin_with_no_joint_faster_than_they_go_on() -> None:
    """Hips come down before a leg needs it: heels went up by 27 degrees in a frame."""
    found = []
    for factor in (1.0, 1.5):
        run = Run("humanoid", "level", 60.0, factor > 1.0, stride=factor)
        motion = run.go()
        legs = [tuple(n.get_name() for n in c._binding.nodes) for c in run.feet.parts]
        found.append(turn_steps(motion, legs))
    clips, ours = found
    assert (ours < 2.1 * clips).all()


def test_hips_that_came_down_for_strides_rise_gradually() -> None:
    walk = Walk()
    walk.run(1.8, 0.0, 3.0)
    walk.actor.loop("idle")
    heights = []
    for _ in range(240):
        walk.actor.set_control_effect("walk", 0.0)
        walk.rig.update(1 / 60)
        heights.append(walk.rig.joint("Hips").get_z(walk.world))
    assert abs(walk.stride.factor - 1.0) < 1e-6
    # the clip itself changes at once, in the first frame
    assert np.abs(np.diff(heights[2:], 2)).max() * 60.0**2 < 12.0
    assert np.abs(np.diff(heights[2:])).max() < 0.01
    assert heights[-1] - heights[2] > 0.05


@pytest.mark.parametrize("factor", [1.5, 2.0])
def test_heels_that_peel_press_no_toes_into_the_ground(factor: float) -> None:
    walk, plain = Walk(), Walk(stride=False)
    lows = []
    for each, pace in ((walk, factor), (plain, 1.0)):
        sides = ("Left", "Right")
        soles = soles_of(each.rig.skeleton, [f"{side}Foot" for side in sides], None)
        nodes = [(each.rig.joint(j), at) for sole in soles for j, at in sole]
        each.run(pace, 0.0, 1.5)
        low = min(
            each.world.get_relative_point(node, at)[2]
            for _ in range(70)
            if each.run(pace, 0.0, 1 / 60)
            for node, at in nodes
        )
        lows.append(low)
    assert lows[0] > lows[1] - 0.005


@pytest.mark.parametrize(("fps", "scale"), [(30.0, 1.0), (144.0, 1.0), (60.0, 100.0)])
def test_frame_rate_and_scale_do_not_count(fps: float, scale: float) -> None:
    walk = Walk(scale=scale)
    walk.run(0.5, 0.5, 1.5, fps)
    feet = walk.run(0.5, 0.5, 2.2, fps)
    assert drift(feet, planted(fps, 2.2, 1.5)) < 0.01 * LEG * scale


def test_changes_are_gradual_and_without_effect_it_is_the_clip() -> None:
    walk, plain = Walk(), Walk(stride=False)
    same = walk.run(1.0, 0.0, 2.0), plain.run(1.0, 0.0, 2.0)
    for name, places in same[0].items():
        assert np.abs(places - same[1][name])[60:].max() < 1e-3, name
    last = {name: places[-1] for name, places in same[0].items()}
    for factor, angle in ((2.0, 0.0), (0.3, 0.5 * pi), (1.0, pi), (1.0, -0.4 * pi)):
        joints = walk.run(factor, angle, 1.0)
        for name, places in joints.items():
            line = np.vstack((last[name], places))
            speeds = np.linalg.norm(np.diff(line, axis=0), axis=1) * 60.0
            # toes swing at 5.6 m/s in the clip at its own speed
            assert speeds.max() < 12.0, (name, factor)
            last[name] = places[-1]
    walk.turn.weight = walk.stride.weight = 0.0
    walk.rig.update(1 / 60)
    plain.clip.pose(walk.clip.get_full_fframe())
    plain.actor.set_pos(walk.actor.get_pos())
    plain.rig.update(1 / 60)
    for name in last:
        ours, clips = (w.rig.joint(name).get_pos(w.world) for w in (walk, plain))
        assert (ours - clips).length() < 1e-4


def test_a_clip_that_ends_moves_no_foot_at_once() -> None:
    steps = []
    for stride in (True, False):
        walk = Walk(stride=stride)
        walk.actor.set_blend(animBlend=True, frameBlend=True)
        walk.actor.loop("idle")
        walk.run(0.3, 0.0, 1.3)
        last, largest = None, 0.0
        for k in range(60):
            share = max(0.0, 1.0 - k / 20.0)
            walk.actor.set_control_effect("walk", share)
            walk.actor.set_control_effect("idle", 1.0 - share)
            foot = walk.run(0.3 * share, 0.0, 1 / 60)["LeftFoot"][-1]
            if last is not None:
                largest = max(largest, float(np.linalg.norm(foot - last)))
            last = foot
        steps.append(largest)
    assert steps[0] < 1.2 * steps[1]


@pytest.mark.parametrize("dt", [0.0, 1e-9, 5.0, float("nan")])
def test_late_and_strange_frames_leave_a_finite_pose(dt: float) -> None:
    walk = Walk()
    walk.run(0.5, 1.0, 0.5)
    walk.actor.set_x(walk.actor, 3.0)
    walk.rig.update(dt)
    feet = walk.run(0.5, 1.0, 0.1)
    assert all(np.isfinite(places).all() for places in feet.values())
    assert abs(walk.stride.factor) <= 2.0 and abs(walk.turn.angle) <= 0.5 * pi + 1e-9


@pytest.mark.parametrize(("factor", "degrees"), [(0.4, 0.0), (1.6, 0.0), (1.0, 70.0)])
def test_feet_land_where_their_placement_expects_them(factor, degrees) -> None:
    walk = Walk()
    feet = ikrig.FootPlacement(walk.rig, lambda x, y: 0.0)
    walk.run(factor, radians(degrees), 2.0)
    expected, off = {}, []
    for _ in range(140):
        walk.run(factor, radians(degrees), 1 / 60)
        for foot in feet._planner.feet:
            if not foot.planted and 0.1 < foot.swing.left < 0.15:
                expected[foot] = foot.swing.land_x, foot.swing.land_y
            elif foot.planted and foot in expected:
                x, y = expected.pop(foot)
                off.append(np.hypot(foot.swing.spot_x - x, foot.swing.spot_y - y))
    assert len(off) > 3 and max(off) < 0.03 * LEG


@pytest.mark.parametrize("factor", [1.2, 1.5])
def test_starts_and_stops_do_not_skate(factor: float) -> None:
    run = Run("humanoid", "level", 60.0, True, stride=factor)
    motion = run.go()
    report = ikrig.quality.measure(motion, run.ground(motion))
    assert report["drift"].found.value < 1.0
    assert report["skating"].found.value < 4.0
    # those of the walk and the idle clip, blended
    assert report["hips_acceleration"].found.value < 10.0


def test_sideways_starts_and_stops_drag_no_foot() -> None:
    """Hips turn as far as the figure walks: they turned back while feet stood."""
    run = Run("humanoid", "level", 60.0, True, aside=-60.0)
    motion = run.go()
    report = ikrig.quality.measure(motion, run.ground(motion))
    assert report["drift"].found.value < 1.0
    assert report["skating"].found.value < 4.0


def test_feet_are_placed_after_warps_without_a_warning(capfd) -> None:
    walk = Walk()
    feet = ikrig.FootPlacement(walk.rig, lambda x, y: 0.1)
    found = walk.run(0.5, 0.0, 3.0)
    assert ":ikrig(warning)" not in capfd.readouterr().err
    assert set(feet.planted) == {"LeftFoot", "RightFoot"}
    toes = found["LeftToeBase"][-60:, 2]
    assert abs(toes.min() - 0.122) < 0.01


def leans(
    walk: Walk, slope: float, fps: float = 60.0, steps: int = 1
) -> tuple[float, float]:
    """Return how far chest and head lean ahead of the clip on a slope [deg]."""
    plain = Walk(stride=False)
    for each, climbs in ((walk, True), (plain, False)):
        for k in range(round(3.0 * fps)):
            each.time += 1.0 / fps
            each.clip.pose(each.time * 60.0 % each.clip.get_num_frames())
            way = SPEED * (k // steps * steps) / fps
            each.actor.set_pos(0.0, -SPEED * k / fps, climbs * way * slope)
            each.rig.update(1.0 / fps)
    found = []
    for joint in ("Spine2", "Head"):
        ours, clips = (w.rig.joint(joint).get_quat(w.actor) for w in (walk, plain))
        turn = clips.conjugate() * ours
        angle = np.degrees(2.0 * np.arctan2(turn.get_i(), turn.get_r()))
        assert abs(turn.get_j()) < 0.01 and abs(turn.get_k()) < 0.01
        found.append(float(angle))
    return found[0], found[1]


@pytest.mark.parametrize("fps", [30.0, 60.0, 144.0])
@pytest.mark.parametrize("slope", [0.0, 0.36, -0.36, -3.0])
def test_a_trunk_leans_into_slopes(slope: float, fps: float) -> None:
    walk = Walk(stride=False)
    warp = ikrig.SlopeWarp(walk.rig)
    chest, head = leans(walk, slope, fps)
    angle = max(-40.107, min(40.107, float(np.degrees(np.arctan(slope)))))
    wanted = angle * (0.3 if slope > 0.0 else 0.5)
    assert np.degrees(warp.angle) == pytest.approx(wanted, abs=0.2)
    # the figure faces -y: forwards is a turn about x to the other side
    assert chest == pytest.approx(wanted, abs=0.3)
    assert head == pytest.approx(0.2 * wanted, abs=0.3)


def test_stairs_are_slopes_and_who_stands_on_a_lift_stands_upright() -> None:
    walk = Walk(stride=False)
    warp = ikrig.SlopeWarp(walk.rig)
    chest, _ = leans(walk, 0.4, steps=20)
    # of the mean, within what steps of 17 cm in a frame each move
    assert chest == pytest.approx(0.3 * np.degrees(np.arctan(0.4)), abs=1.0)
    for _ in range(240):
        walk.actor.set_z(walk.actor.get_z() + 0.02)
        walk.rig.update(1 / 60)
    assert abs(warp.angle) < 1e-3
    assert "slope_warp" in ikrig.dump_rig(walk.rig)


def test_mistakes_and_files() -> None:
    walk = Walk()
    text = ikrig.dump_rig(walk.rig)
    assert "orientation_warp" in text and "stride_warp" in text
    with pytest.raises(ikrig.SettingError, match="limits"):
        walk.stride.limits = (2.0, 0.3)
    with pytest.raises(ikrig.SettingError, match="limits"):
        ikrig.StrideWarp(walk.rig, limits=(0.0, 1.0))


def test_warps_share_what_they_measure_of_an_actor() -> None:
    # measured once a frame, whichever of them ask, or rest for a while
    walks = Walk(), Walk(stride=False)
    slope = ikrig.SlopeWarp(walks[0].rig)
    alone = ikrig.StrideWarp(walks[1].rig)
    for factor, stopped in (
        (0.5, None),
        (1.5, slope),
        (0.8, walks[0].turn),
        (1.2, None),
    ):
        for layer in (slope, walks[0].turn):
            layer.started = layer is not stopped
        for walk in walks:
            walk.run(factor, 0.0, 0.5)
        assert walks[0].stride.factor == pytest.approx(alone.factor, abs=1e-6)
    # once all rest, what was measured before does not count
    walks[0].stride.stop(), walks[0].turn.stop(), slope.stop()
    walks[0].run(1.0, 1.0, 0.2)
    walks[0].turn.start()
    walks[0].run(0.0, 0.0, 1.0 / 60.0)
    assert walks[0].turn.angle == 0.0


def test_clips_that_carry_their_figure_along_stay_as_they_are() -> None:
    """Their feet, which slide as their walk stops, are no business of warps."""
    motion = Run("humanoid", "level", 60.0, False).go()
    found = []
    for warped in (False, True):
        actor = ikrig.StickFigure(motion)
        rig = ikrig.ActorRig(actor)
        if warped:
            ikrig.OrientationWarp(rig)
            ikrig.StrideWarp(rig)
        clip = actor.get_anim_control(motion.name)
        nodes = [rig.joint(name) for name in ("LeftFoot", "RightFoot", "Hips")]
        places = []
        for k in range(clip.get_num_frames()):
            clip.pose(k)
            rig.update(1.0 / 60.0)
            places.append([tuple(node.get_pos(actor)) for node in nodes])
        found.append(np.array(places))
        actor.cleanup()
    assert np.abs(found[1] - found[0]).max() < 1e-5
