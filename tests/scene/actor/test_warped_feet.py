"""Feet that are placed after warps: on the ground, and no faster than in their clip."""

from __future__ import annotations

from math import radians

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig.quality import MEASURES
from ikrig.quality.gait import Gait, runs_of
from ikrig.scene.behaviours.sole import soles_of
from tests.bench.courses import Run, turn_steps
from tests.characters import catalog

LEG = 0.86
"""Of Ralph and of Eve, whose clips push feet up to 34 cm into the ground."""
STANDS = 2.0
"""Time after which all is settled [s]."""


class Walked:
    """What feet of Ralph or Eve did on a ramp: its lowest gap, steps of joints."""

    def __init__(
        self, name: str, walk: str, factor: float, fps: float, slope: float, warps: bool
    ) -> None:
        actor = catalog.load(name)
        actor.set_blend(frameBlend=True)
        world = p3d.NodePath("world")
        actor.reparent_to(world)
        clip, speed = actor.get_anim_control(walk), ikrig.clip_speed(actor, walk)
        rig = ikrig.ActorRig(actor)
        if warps:
            ikrig.StrideWarp(rig)
            ikrig.FootPlacement(rig, lambda x, y: -slope * y)
        sides = "Left", "Right"
        soles = soles_of(rig.skeleton, [f"{side}Ankle" for side in sides], None)
        points = [(rig.joint(joint), at) for sole in soles for joint, at in sole]
        joints = [rig.joint(s + j) for s in sides for j in ("Hip", "Knee", "Ankle")]
        gaps, turns = [], []
        for k in range(round((STANDS + 3.0) * fps)):
            frame = k * clip.get_frame_rate() / fps
            clip.pose(frame % (clip.get_num_frames() - 1))
            y = -speed * factor * k / fps
            actor.set_pos(0.0, y, -slope * y)
            rig.update(1.0 / fps)
            if k < STANDS * fps:
                continue
            places = [world.get_relative_point(*point) for point in points]
            gaps.append(min(place[2] + slope * place[1] for place in places))
            turns.append([tuple(joint.get_quat(actor)) for joint in joints])
        self.lowest = min(gaps)
        found = np.array(turns)
        same = np.abs((found[1:] * found[:-1]).sum(axis=-1)).min(axis=0)
        both = 2.0 * np.degrees(np.arccos(np.minimum(same, 1.0))).reshape(2, 3)
        self.steps = both.max(axis=0)
        """Largest turns of thighs, knees and ankles in a frame [degrees]."""
        actor.cleanup()


@pytest.mark.parametrize(
    ("name", "walk", "factor", "fps", "slope"),
    [
        ("eve", "run", 1.0, 60.0, 0.0),
        ("eve", "run", 1.0, 144.0, 0.3),
        ("ralph", "walk", 1.4, 144.0, 0.0),
        # its feet pass the hips near them
        ("ralph", "run", 1.4, 60.0, 0.0),
    ],
)
def test_feet_stay_out_of_the_ground_that_their_clip_pushes_them_into(
    name: str, walk: str, factor: float, fps: float, slope: float
) -> None:
    """As fast as the clip pushes them, before they stand and once they swing, too."""
    if catalog.find_file(name) is None:
        pytest.skip(f"{name} is not at hand: {catalog.missing(name)}")
    ours = Walked(name, walk, factor, fps, slope, True)
    clips = Walked(name, walk, factor, fps, 0.0, False)
    assert ours.lowest > -0.0125
    assert (ours.steps < 2.0 * clips.steps).all()


@pytest.mark.parametrize(
    ("name", "aside", "until", "times"),
    [
        # it stands in the middle of a step, and begins to walk backwards
        ("panda", 160.0, 3.0, 2.0),
        # whose feet go as far before its hips as behind
        ("ralph", 180.0, 10.0, 3.0),
        # which stands on a pose, no clip
        ("rebecca", 180.0, 10.0, 3.0),
    ],
)
def test_legs_that_walk_backwards_are_not_much_faster_than_in_their_clip(
    name: str, aside: float, until: float, times: float
) -> None:
    if catalog.find_file(name) is None:
        pytest.skip(f"{name} is not at hand: {catalog.missing(name)}")
    found = []
    for each in (0.0, aside):
        run = Run(name, "level", 60.0, each > 0.0, aside=each)
        motion = run.go()
        legs = [tuple(n.get_name() for n in c._binding.nodes) for c in run.feet.parts]
        if each:
            motion = motion.between(0, min(len(motion), round(until * 60.0)))
        found.append(turn_steps(motion, legs))
    clips, ours = found
    assert (ours < times * clips).all()


@pytest.mark.parametrize("aside", [-120.0, -60.0, 90.0])
def test_animals_that_turn_as_a_whole_have_time_for_it(aside: float) -> None:
    """The panda's hips are half a leg from its middle, and its walk is slow."""
    gaits = [
        Gait(Run("panda", "level", 60.0, each != 0.0, aside=each).go(), 0.0)
        for each in (0.0, aside)
    ]
    assert MEASURES["hips_acceleration"].find(gaits[1], gaits[0]).value < 10.0


@pytest.mark.parametrize("name", ["ralph", "eve"])
def test_walk_that_is_held_keeps_its_hips_where_they_are(name: str) -> None:
    """Its feet are apart along its way: they would cross, or have to step round."""
    if catalog.find_file(name) is None:
        pytest.skip(f"{name} is not at hand: {catalog.missing(name)}")
    run = Run(name, "level", 60.0, True, aside=-90.0)
    motion = run.go()
    assert run.rig.layers[0].angle == pytest.approx(radians(-90.0), abs=1e-3)
    # it stands still by then
    last = motion.between(len(motion) - 30, len(motion))
    assert np.ptp(last.global_positions, axis=0).max() < 1e-3 * LEG


@pytest.mark.parametrize("rate", [60.0, 30.0, 0.0])
@pytest.mark.parametrize("aside", [-30.0, -60.0, -90.0, -120.0])
def test_feet_keep_to_their_sides_at_starts_and_stops(
    aside: float, rate: float
) -> None:
    """Hips turn over feet that stand, and feet that swing go round those."""
    run = Run("humanoid", "level", rate, True, aside=aside)
    gait = Gait(run.go(), 0.0)
    assert MEASURES["overlap"].find(gait, None).value < 1.0
    crossing = MEASURES["crossing"].find(gait, None)
    assert crossing.value < 8.0
    crossed = np.any(list(crossing.series.values()), axis=0)
    # those that stand crossed step at once
    times = gait.motion.times
    for first, end in runs_of(crossed):
        assert times[end - 1] - times[first] < 0.2


@pytest.mark.parametrize(
    ("name", "stride", "aside"),
    [
        ("humanoid", 1.0, -60.0),
        ("humanoid", 1.0, 30.0),
        ("humanoid", 1.5, 0.0),
        ("humanoid", 2.0, 0.0),
        ("ralph", 1.0, 180.0),
        ("ralph", 1.0, -90.0),
        ("fox", 1.0, 60.0),
        ("fox", 1.0, -60.0),
        ("fox", 1.0, 90.0),
        ("fox", 1.0, -120.0),
    ],
)
def test_feet_of_a_walk_that_begins_or_stops_do_not_slide(
    name: str, stride: float, aside: float
) -> None:
    """Blends drag feet, hips turn, and strides turn round: those that stand stay."""
    if catalog.find_file(name) is None:
        pytest.skip(f"{name} is not at hand: {catalog.missing(name)}")
    run = Run(name, "level", 60.0, True, stride=stride, aside=aside)
    gait = Gait(run.go(), 0.0)
    assert MEASURES["skating"].find(gait, None).value == 0.0
    assert MEASURES["drift"].find(gait, None).value < 1.0
