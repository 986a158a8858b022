"""The humanoid in assets/models: its file, its skin, its clips."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

from tests.character import humanoid
from tests.character.humanoid import CLIPS, NOTES

LEG = 0.841  # hip to ankle
GAITS = ("walk", "run")
SPINE = ["Hips", "Spine", "Spine1", "Spine2", "Neck", "Head"]
LIMBS = {
    "Shoulder": "Spine2",
    "Arm": "{}Shoulder",
    "ForeArm": "{}Arm",
    "Hand": "{}ForeArm",
    "UpLeg": "Hips",
    "Leg": "{}UpLeg",
    "Foot": "{}Leg",
    "ToeBase": "{}Foot",
    "Eye": "Head",
} | {
    f"Hand{finger}{k}": f"{{}}Hand{finger}1" if k == 2 else "{}Hand"
    for finger in ("Thumb", "Index", "Middle")
    for k in (1, 2)
}


@pytest.fixture(scope="module")
def actor(base):
    actor = humanoid.load()
    yield actor
    actor.cleanup()


@pytest.fixture(scope="module")
def bind(actor):
    """The skin in the bind pose, as it is stored."""
    return humanoid.column(humanoid.geom(actor).get_vertex_data(), "vertex")


@pytest.fixture(scope="module")
def blends(actor):
    return humanoid.weights(actor)


@pytest.fixture(scope="module")
def nets(actor):
    """Matrices of all joints in all frames, by clip, (frames, joints, 4, 4)."""
    joints = humanoid.joints(actor)

    def shot():
        return [humanoid.net(joint) for joint in joints.values()]

    return {clip: humanoid.film(actor, clip, shot) for clip in CLIPS}


def test_file_has_the_figure_and_all_clips(actor):
    assert set(actor.get_anim_names()) == CLIPS == set(NOTES["clips"])
    for clip, notes in NOTES["clips"].items():
        assert actor.get_num_frames(clip) == notes["frames"]
        assert actor.get_frame_rate(clip) == NOTES["rate"]
    assert (humanoid.FOLDER / "humanoid.bam").stat().st_size < 1_000_000


def test_joints_have_standard_names_and_parents(actor):
    parents = dict(zip(SPINE, [None, *SPINE[:-1]], strict=True))
    for side in ("Left", "Right"):
        for name, parent in LIMBS.items():
            parents[side + name] = parent.format(side)
    found = {}

    def walk(group, above):
        for child in group.get_children():
            joint = isinstance(child, p3d.CharacterJoint)
            if joint:
                found[child.get_name()] = above
            walk(child, child.get_name() if joint else above)

    walk(actor.get_part_bundle("modelRoot"), None)
    assert found == parents


def test_copies_parts_and_flattened_figures_play(actor):
    copy = Actor(other=actor)
    copy.loop("run")
    assert copy.get_current_anim() == "run"
    copy.flatten_strong()
    copy.loop("walk")
    assert copy.get_current_anim() == "walk"
    copy.cleanup()
    parts = humanoid.load()
    parts.make_subpart("legs", ["LeftUpLeg", "RightUpLeg"])
    parts.make_subpart("trunk", ["Spine"])
    parts.loop("walk", partName="legs")
    parts.loop("wave", partName="trunk")
    assert parts.get_current_anim("legs") == "walk"
    assert parts.get_current_anim("trunk") == "wave"
    parts.cleanup()


def test_figure_stands_at_zero_facing_minus_y_with_the_stated_height(bind, actor):
    assert bind[:, 2].min() == pytest.approx(0.0, abs=1e-6)
    assert bind[:, 2].max() == pytest.approx(1.75, abs=0.005)
    left = bind[bind[:, 0] > 0.0]
    assert left[:, 2].min() == pytest.approx(0.0, abs=1e-6)
    joints = humanoid.joints(actor)
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        gaze = humanoid.net(joints[side + "Eye"])
        assert gaze[1, :3] == pytest.approx((0.0, -1.0, 0.0), abs=1e-6)
        assert np.sign(gaze[3, 0]) == sign
        assert bind[bind[:, 2] < 0.05, 1].min() < -0.18


def test_every_bone_lies_along_its_y_axis(actor, nets):
    names = list(humanoid.joints(actor))
    shot = nets["idle"][0]
    for side in ("Left", "Right"):
        chains = ("Arm", "ForeArm", "Hand"), ("UpLeg", "Leg", "Foot", "ToeBase")
        for chain in chains:
            for name, child in pairwise(chain):
                joint, end = (shot[names.index(side + part)] for part in (name, child))
                way = end[3, :3] - joint[3, :3]
                assert _angle(way, joint[1, :3]) < 0.1


def test_skin_has_no_holes(actor, bind):
    triangles = humanoid.triangles(actor)
    place = np.unique(np.round(bind, 6), axis=0, return_inverse=True)[1].ravel()
    corners = place[triangles]
    ends = np.concatenate([corners[:, k] for k in ((0, 1), (1, 2), (2, 0))])
    ends = ends[ends[:, 0] != ends[:, 1]]
    there = np.unique(ends, axis=0, return_counts=True)
    back = np.unique(ends[:, ::-1], axis=0, return_counts=True)
    assert (there[0] == back[0]).all()
    assert (there[1] == back[1]).all()


def test_skin_weights_sum_to_1_and_are_few(blends):
    weights, names = blends
    assert np.abs(weights.sum(axis=1) - 1.0).max() < 1e-6
    assert (weights > 0.0).sum(axis=1).max() <= 4
    assert weights.min() >= 0.0
    # every joint but the eyes, which the visor hides, moves something
    idle = {name for name, most in zip(names, weights.max(axis=0), strict=True)
            if most == 0.0}  # fmt: skip
    assert idle == {"LeftEye", "RightEye"}


def test_skin_weights_change_smoothly(blends, actor):
    weights, _ = blends
    triangles = humanoid.triangles(actor)
    ends = np.concatenate([triangles[:, k] for k in ((0, 1), (1, 2), (2, 0))])
    change = np.abs(weights[ends[:, 0]] - weights[ends[:, 1]]).max(axis=1)
    assert change.max() < 0.65


def test_left_is_the_mirror_image_of_right(bind, blends):
    weights, names = blends
    other = [
        names.index(
            name.replace("Left", "*").replace("Right", "Left").replace("*", "Right")
        )
        for name in names
    ]
    # in the middle a weight may be rounded to one side
    middle = np.abs(bind[:, 0]) < 1e-6
    assert np.abs(weights - weights[:, other])[middle].max() <= 1.0 / 128.0
    whole = np.hstack((bind, weights))[~middle]
    image = np.hstack((bind * (-1.0, 1.0, 1.0), weights[:, other]))[~middle]
    # two sets of points are one when their shadows on many lines are
    lines = np.random.default_rng(5).normal(size=(whole.shape[1], 20))
    gap = np.abs(np.sort(whole @ lines, axis=0) - np.sort(image @ lines, axis=0))
    assert gap.max() < 1e-5


@pytest.mark.parametrize("clip", GAITS)
def test_the_second_step_mirrors_the_first(clip, nets, actor):
    names = list(humanoid.joints(actor))
    places = nets[clip][:, :, 3, :3]
    half = len(places) // 2
    for name in ("Arm", "Hand", "UpLeg", "Leg", "Foot", "ToeBase"):
        left, right = (
            places[:, names.index(side + name)] for side in ("Left", "Right")
        )
        image = np.roll(left, half, axis=0) * (-1.0, 1.0, 1.0)
        assert np.abs(image - right).max() < 2e-4


@pytest.mark.parametrize("clip", sorted(CLIPS))
def test_loops_close(clip, nets):
    """The step over the end is one as the steps within, in speed and in change."""
    places = nets[clip][:, :, 3, :3]
    step = np.roll(places, -1, axis=0) - places
    jolt = np.linalg.norm(np.roll(step, -1, axis=0) - step, axis=2)
    assert jolt[-2:].max() <= 1.05 * jolt[:-2].max()


@pytest.mark.parametrize("clip", sorted(CLIPS))
def test_joint_speeds_are_plausible(clip, nets):
    rate = NOTES["rate"]
    places, axes = nets[clip][:, :, 3, :3], nets[clip][:, :, :3, :3]
    speed = np.linalg.norm(np.roll(places, -1, axis=0) - places, axis=2) * rate
    between = np.einsum("fjab,fjcb->fjac", np.roll(axes, -1, axis=0), axes)
    cosine = (np.trace(between, axis1=2, axis2=3) - 1.0) / 2.0
    turn = np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))) * rate
    most_speed, most_turn = {
        "idle": (0.1, 15.0), "walk": (4.6, 600.0),
        "run": (6.0, 1250.0), "wave": (4.6, 800.0),
    }[clip]  # fmt: skip
    assert speed.max() < most_speed
    assert turn.max() < most_turn


@pytest.mark.parametrize("clip", sorted(CLIPS))
def test_knees_and_elbows_never_pop(clip, nets, actor):
    """No straight limb, and no bend that changes faster than a body's can."""
    names = list(humanoid.joints(actor))
    places = nets[clip][:, :, 3, :3]
    for limb in (("UpLeg", "Leg", "Foot"), ("Arm", "ForeArm", "Hand")):
        for side in ("Left", "Right"):
            a, b, c = (places[:, names.index(side + name)] for name in limb)
            bend = _angle(b - a, c - b)
            assert bend.min() > 4.0
            change = np.abs(np.roll(bend, -1) - bend) * NOTES["rate"]
            jolt = np.abs(np.diff(np.concatenate((change, change[:1]))))
            assert change.max() < 950.0
            assert jolt.max() < 450.0


@pytest.mark.parametrize("clip", sorted(CLIPS))
def test_planted_soles_stand_still_and_do_not_sink(clip, actor, bind, blends):
    weights, names = blends
    notes = NOTES["clips"][clip]
    shots = humanoid.film(actor, clip, lambda: humanoid.skin(actor))
    assert shots[:, :, 2].min() > -0.005 * LEG
    count = notes["frames"]
    for joint, stretches in notes["planted"].items():
        own = (weights[:, names.index(joint)] > 0.95) & (bind[:, 2] < 0.004)
        assert own.sum() > 8
        # a stretch that goes on over the end of the clip is one
        frames = [list(range(first, last + 1)) for first, last in stretches]
        if len(frames) == 2:
            frames = [frames[1] + [frame + count for frame in frames[0]]]
        (frames,) = frames
        assert len(frames) >= 4
        ahead = np.array((0.0, -notes["speed"] / NOTES["rate"], 0.0))
        soles = np.array([shots[k % count][own] + k * ahead for k in frames])
        slide = np.linalg.norm(soles - soles[0], axis=2).max()
        assert slide < 0.002 * LEG
        assert np.abs(soles[:, :, 2]).max() < 0.005 * LEG


@pytest.mark.parametrize("clip", GAITS)
def test_walk_has_double_support_and_run_has_flight(clip):
    notes = NOTES["clips"][clip]
    down = np.zeros(notes["frames"], int)
    for joint in ("LeftToeBase", "RightToeBase"):
        for first, last in notes["planted"][joint]:
            down[first : last + 1] += 1
    assert down.max() == (2 if clip == "walk" else 1)
    assert down.min() == (1 if clip == "walk" else 0)


def test_head_faces_forward(nets, actor):
    names = list(humanoid.joints(actor))
    for clip in ("idle", *GAITS):
        gaze = nets[clip][:, names.index("LeftEye"), 1, :3]
        assert _angle(gaze, np.array((0.0, -1.0, 0.0))).max() < 6.0


def test_file_matches_its_script(actor, bind, blends, nets, tmp_path):
    from assets.models.humanoid.__main__ import make

    make(tmp_path)
    notes = (tmp_path / "humanoid.json").read_text(encoding="utf-8")
    stored = (humanoid.FOLDER / "humanoid.json").read_text(encoding="utf-8")
    assert notes == stored
    fresh = humanoid.load(tmp_path / "humanoid.bam")
    data = humanoid.geom(fresh).get_vertex_data()
    assert np.abs(humanoid.column(data, "vertex") - bind).max() < 1e-5
    assert np.abs(humanoid.weights(fresh)[0] - blends[0]).max() < 1e-6
    assert (humanoid.triangles(fresh) == humanoid.triangles(actor)).all()
    joints = humanoid.joints(fresh)
    for clip in CLIPS:
        count = fresh.get_num_frames(clip)
        for frame in (0, count // 3, count - 1):
            fresh.pose(clip, frame)
            fresh.get_part_bundle("modelRoot").force_update()
            made = [humanoid.net(joint) for joint in joints.values()]
            assert np.abs(np.array(made) - nets[clip][frame]).max() < 1e-5
    fresh.cleanup()


def _angle(a, b):
    size = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return np.degrees(np.arccos(np.clip((a * b).sum(axis=-1) / size, -1.0, 1.0)))


def test_demos_colour_it_for_lighting_without_shaders(bind):
    from demos._shared import mesh
    from demos._shared.humanoid import humanoid_notes, load_humanoid

    assert humanoid_notes() == NOTES
    shades = {}
    for plain in (True, False):
        mesh.set_plain_light(plain)
        actor = load_humanoid()
        data = humanoid.geom(actor).get_vertex_data()
        assert (humanoid.column(data, "vertex") == bind).all()
        colours = p3d.GeomVertexReader(data, "color")
        shades[plain] = [tuple(colours.get_data4()) for _ in range(len(bind))]
        actor.cleanup()
    darkest = {plain: min(map(min, colours)) for plain, colours in shades.items()}
    assert darkest[False] < 0.05 < 0.2 < darkest[True]
