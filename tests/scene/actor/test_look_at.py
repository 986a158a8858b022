"""LookAt, checked on Panda3D's own drawn joints."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig

from .people import FRAMES, TIME, Person, angle, locals_of, make_actor, most_apart, net

JOINTS = (
    ("hips", None, (0, 0.02, 1.0), (30, 0, 90)),
    ("chest", "hips", (0.1, 0.2, 0.05), (0, 40, 10)),
    ("neck", "chest", (0.05, 0.15, 0.1), (15, 0, -70)),
    ("head", "neck", (0.02, 0.1, 0.02), (-100, 25, 0)),
    ("eye l", "head", (0.03, 0.05, 0.08), (0, 90, 35)),
    ("eye r", "head", (-0.03, 0.07, 0.05), (120, 0, 0)),
    ("hand", "chest", (0.6, 0, 0), (0, 0, 0)),
)
EYES = ("eye l", "eye r")
SHARES = {"chest": 1.0, "neck": 2.0, "head": 4.0}
AHEAD = p3d.LVector3f(0, -1, 0)


def wave(size: float, axis: int, phase: float = 0.0):
    rotations = [
        size * math.sin(2 * math.pi * (k / FRAMES + phase)) for k in range(FRAMES)
    ]
    return [tuple(turn if i == axis else 0.0 for i in range(3)) for turn in rotations]


CLIPS = {
    "nod": {"head": wave(25.0, 1), "hand": wave(40.0, 0)},
    "stir": {"hips": wave(6.0, 0), "chest": wave(5.0, 2, 0.3), "neck": wave(4.0, 1)},
}


class Stage(Person):
    """A person in a world, a target, and a clock."""

    def __init__(self, pose: str = "plain", **settings) -> None:
        super().__init__(JOINTS, CLIPS, ())
        POSES[pose](self.actor)
        self.rest = {name: net(self.actor, name) for name, *_ in JOINTS}
        settings = {"joints": SHARES, "eyes": EYES, **settings}
        self.look = ikrig.LookAt(self.rig, self.target, **settings)
        self.clip: str | None = None
        self.time = 0.0

    def put(self, yaw: float, pitch: float, distance: float = 3.0) -> None:
        """Put the target at angles [degree] from between the eyes at rest."""
        y, p = math.radians(yaw), math.radians(pitch)
        way = p3d.LVector3f(
            math.sin(y) * math.cos(p), -math.cos(y) * math.cos(p), math.sin(p)
        )
        place = self.eyes_at_rest() + way * distance
        self.target.set_pos(self.actor, place)

    def eyes_at_rest(self) -> p3d.LPoint3f:
        places = [self.rest[eye].get_row3(3) for eye in EYES]
        return p3d.LPoint3f((places[0] + places[1]) / 2)

    def frame(self, dt: float = TIME) -> None:
        self.time += dt
        if self.clip is not None:
            self.actor.pose(self.clip, int(self.time * FRAMES) % FRAMES)
        self.rig.update(dt)

    def facing(self, joint: str = "head") -> p3d.LVector3f:
        """Where a joint faces in the space of the Actor."""
        unrest = p3d.LMatrix4f(self.rest[joint])
        unrest.invert_in_place()
        way = net(self.actor, joint).xform_vec(unrest.xform_vec(AHEAD))
        way.normalize()
        return p3d.LVector3f(way)

    def missed(self, joint: str = "head") -> float:
        """How far a joint looks past the target, in the world [degree]."""
        at = self.rest[joint].get_row3(3) if joint in EYES else self.eyes_at_rest()
        unrest = p3d.LMatrix4f(self.rest[joint])
        unrest.invert_in_place()
        eye = net(self.actor, joint).xform_point(unrest.xform_point(p3d.LPoint3f(at)))
        way = self.world.get_relative_vector(self.actor, self.facing(joint))
        eye = self.world.get_relative_point(self.actor, eye)
        return math.degrees(angle(way, self.target.get_pos(self.world) - eye))

    def angles(self, joint: str = "head") -> tuple[float, float]:
        """Yaw to the left and pitch up of a joint against the Actor [degree]."""
        x, y, z = self.facing(joint)
        return (
            math.degrees(math.atan2(x, -y)),
            math.degrees(math.atan2(z, math.hypot(x, y))),
        )

    def roll(self) -> float:
        """How far the head leans to a side [degree]."""
        unrest = p3d.LMatrix4f(self.rest["head"])
        unrest.invert_in_place()
        side = net(self.actor, "head").xform_vec(
            unrest.xform_vec(p3d.LVector3f(1, 0, 0))
        )
        return math.degrees(math.asin(side[2] / side.length()))


def _turned(actor: Actor) -> None:
    actor.set_pos_hpr(10, -3, 2, 130, 20, 35)


POSES = {
    "plain": lambda actor: None,
    "turned": _turned,
    "large": lambda actor: (_turned(actor), actor.set_scale(70)),
    "mirrored": lambda actor: (_turned(actor), actor.set_scale(-0.3, 0.3, 0.3)),
    "uneven": lambda actor: (_turned(actor), actor.set_scale(1, 2, 0.6)),
}


@pytest.mark.parametrize("pose", POSES)
@pytest.mark.parametrize("yaw, pitch", [(0, 0), (50, 30), (-70, -35), (20, -45)])
def test_head_and_eyes_face_the_target(pose: str, yaw: float, pitch: float) -> None:
    stage = Stage(pose)
    stage.put(yaw, pitch)
    stage.run(2.0)
    for joint in ("head", *EYES):
        assert stage.missed(joint) < 0.1, joint


def test_eyes_converge_on_near_targets() -> None:
    stage = Stage()
    stage.put(10, -5, 0.25)
    stage.run(2.0)
    assert angle(stage.facing(EYES[0]), stage.facing(EYES[1])) > math.radians(8)
    for joint in ("head", *EYES):
        assert stage.missed(joint) < 0.1, joint


def test_eyes_arrive_within_an_eighth_of_a_second() -> None:
    stage = Stage()
    stage.put(0, 0)
    stage.run(2.0)
    stage.put(12, 0)
    found = []
    for _ in range(12):
        stage.frame(0.01)
        found.append((stage.missed(EYES[0]), stage.missed()))
    assert found[-1][0] == pytest.approx(0.05 * 12.0, abs=0.15)
    assert found[5][0] > 2.0
    assert found[-1][1] > 6.0


def test_joint_weights_distribute_the_rotation() -> None:
    stage = Stage(joints={"chest": 1, "neck": 0, "head": 3}, eyes=())
    stage.put(60, 0, 1000.0)
    stage.run(2.0)
    assert stage.angles("chest")[0] == pytest.approx(15.0, abs=0.1)
    assert stage.angles("neck")[0] == pytest.approx(15.0, abs=0.1)
    assert stage.angles("head")[0] == pytest.approx(60.0, abs=0.1)


def test_limits_apply_on_each_side() -> None:
    limits = ikrig.LookLimits(left=0.9, right=0.4, up=0.3, down=0.6)
    stage = Stage(limits=limits)
    sides = {
        (120, 0): (0.9, 0), (-120, 0): (-0.4, 0), (0, 60): (0, 0.3), (0, -60): (0, -0.6)
    }  # fmt: skip
    for goal, wanted in sides.items():
        stage.put(*goal, 1000.0)
        stage.run(2.5)
        assert np.radians(stage.angles()) == pytest.approx(wanted, abs=2e-3)


def test_limits_apply_during_the_motion() -> None:
    rng = np.random.default_rng(5)
    limits = ikrig.LookLimits(left=0.9, right=0.4, up=0.3, down=0.6)
    eye_limits = ikrig.LookLimits(0.3, 0.5, 0.2, 0.4)
    stage = Stage(limits=limits, eye_limits=eye_limits)
    for _ in range(40):
        stage.put(rng.uniform(-180, 180), rng.uniform(-85, 85), rng.uniform(0.3, 9))
        for _ in range(rng.integers(1, 25)):
            stage.frame()
            yaw, pitch = np.radians(stage.angles())
            assert -0.405 < yaw < 0.905
            assert -0.605 < pitch < 0.305
            for eye in EYES:
                assert angle(stage.facing(eye), stage.facing()) < math.hypot(0.5, 0.41)


def speeds(stage: Stage, move, seconds: float, joint: str = "head"):
    """Highest speed and change of speed [rad/s, rad/s²] of the gaze."""
    gazes = [stage.facing(joint)]
    for k in range(round(seconds / TIME)):
        move(k * TIME)
        stage.frame()
        gazes.append(stage.facing(joint))
    way = np.array([tuple(gaze) for gaze in gazes])
    speed = np.diff(way, axis=0) / TIME
    change = np.diff(speed, axis=0) / TIME
    return np.linalg.norm(speed, axis=1).max(), np.linalg.norm(change, axis=1).max()


def circle_behind(stage: Stage):
    return lambda t: stage.put(90 + 200 * t, 10)


def jump(stage: Stage):
    return lambda t: stage.put(*[(80, 30), (-80, -30), (179, 0), (-170, 5)][int(t) % 4])


def cross_overhead(stage: Stage):
    return lambda t: stage.put(5, 40 + 100 * t)


def jump_about(stage: Stage):
    rng = np.random.default_rng(2)
    return lambda t: stage.put(rng.uniform(-180, 180), rng.uniform(-90, 90))


@pytest.mark.parametrize("way", [circle_behind, jump, cross_overhead, jump_about])
@pytest.mark.parametrize("speed", [2.0, 6.0])
def test_head_does_not_snap_for_any_target_motion(way, speed: float) -> None:
    stage = Stage(speed=speed, seconds=0.5)
    stage.put(80, 0)
    stage.run(2.0)
    fastest, change = speeds(stage, way(stage), 4.0)
    assert fastest < 1.02 * speed + 0.05
    # as the spring promises: four times its rate times the speed, and turning round
    assert change < 4.0 * 4.744 / 0.5 * speed + speed * speed


def test_head_rotates_past_the_front() -> None:
    stage = Stage()
    stage.put(120, 0)
    stage.run(2.0)
    yaws = []
    for k in range(240):
        stage.put(120 + k, 0)
        stage.frame()
        yaws.append(stage.angles()[0])
    assert yaws[75] > 75  # it is behind the back now, on the other side
    assert yaws[-1] == pytest.approx(-360 + 120 + 239, abs=130)
    assert yaws[-1] < 0
    assert max(abs(np.diff(yaws))) < math.degrees(6.0) * TIME * 1.02
    assert min(map(abs, yaws)) < 6  # it passed the front


def test_head_does_not_oscillate_for_targets_behind() -> None:
    stage = Stage()
    stage.put(150, 0)
    stage.run(2.0)
    for k in range(300):
        stage.put(180 + 20 * math.sin(0.1 * k), 0)
        stage.frame()
        assert stage.angles()[0] > 75


def test_head_stays_level() -> None:
    stage = Stage()
    for goal in ((60, 30), (-60, -40), (30, 45)):
        stage.put(*goal)
        stage.run(2.0)
        assert abs(stage.roll()) < 0.1


def nod_of(stage: Stage) -> float:
    """How far a nod goes to both sides of its middle [degree]."""
    stage.clip = "nod"
    stage.run(4.0)
    gazes = []
    for _ in range(FRAMES):
        stage.frame()
        gazes.append(stage.facing())
    middle = sum(gazes, p3d.LVector3f(0))
    return math.degrees(max(angle(gaze, middle) for gaze in gazes))


def test_animated_nod_is_kept() -> None:
    animated = nod_of(Stage(weight=0.0))
    assert animated > 5
    for yaw in (0, 50):
        stage = Stage()
        stage.put(yaw, 0)
        assert nod_of(stage) == pytest.approx(animated, rel=0.05)
        # the eyes look at the target all the time
        for _ in range(FRAMES):
            stage.frame()
            assert max(stage.missed(eye) for eye in EYES) < 0.7
    stage = Stage(keep_motion=0.0)
    stage.put(0, 0)
    assert nod_of(stage) < 0.1 * animated


def path(rate: int) -> np.ndarray:
    """Yaw and pitch, six times a second, while target jumps and clip runs."""
    stage = Stage()
    stage.clip = "stir"
    found = []
    for k in range(3 * rate):
        t = k / rate
        stage.put(*[(70, 20), (-50, -20), (170, 0)][int(t)])
        stage.frame(1 / rate)
        if (k + 1) % (rate // 6) == 0:
            found.append(stage.angles())
    return np.array(found)


def test_frame_rates_agree() -> None:
    paths = [path(rate) for rate in (30, 60, 144)]
    whole = np.ptp(paths[2], axis=0).max()
    for other in paths[:2]:
        assert np.abs(other - paths[2]).max() < 0.01 * whole


def test_head_returns_to_the_animation_without_a_target() -> None:
    stage, other = Stage(), make_actor(JOINTS, CLIPS)
    stage.put(60, 20)
    stage.run(2.0)

    def forget(t: float) -> None:
        stage.look.target = None

    fastest, _ = speeds(stage, forget, 3.0)
    assert fastest < 6.0
    other.get_part_bundle("modelRoot").force_update()
    assert most_apart(locals_of(stage.actor), locals_of(other)) == 0.0


@pytest.mark.parametrize("loss", ["removed", "elsewhere", "too far"])
def test_removed_target_does_not_raise(loss: str, capfd) -> None:
    stage = Stage(forward=AHEAD)
    stage.put(60, 20)
    stage.run(2.0)
    if loss == "removed":
        stage.target.remove_node()
    elif loss == "elsewhere":
        stage.target.reparent_to(p3d.NodePath("elsewhere"))
    else:
        stage.target.set_x(1e30)
    fastest, _ = speeds(stage, lambda t: None, 3.0)
    assert fastest < 6.0
    assert math.hypot(*stage.angles()) < 0.1
    said = capfd.readouterr()
    assert (said.out + said.err).count("LookAt") == 1


def test_fades_are_smooth() -> None:
    stage = Stage(weight=0.0)
    stage.put(70, 0)
    stage.run(0.1)
    stage.look.fade(1.0, 0.5)
    fastest, _ = speeds(stage, lambda t: None, 0.52)
    assert fastest < 6.0
    assert stage.missed() < 0.5
    stage.look.fade(0.0, 0.5)
    fastest, _ = speeds(stage, lambda t: None, 1.0)
    assert fastest < 6.0
    assert stage.angles() == pytest.approx((0, 0), abs=1e-3)


def test_new_target_at_half_weight_is_approached_smoothly() -> None:
    stage = Stage(weight=0.5)
    stage.put(70, 0)
    stage.look.target = None
    stage.run(0.1)
    stage.look.target = stage.target
    fastest, _ = speeds(stage, lambda t: None, 2.0)
    assert fastest < 6.0
    assert stage.angles()[0] == pytest.approx(35.0, abs=1.5)


def test_stop_start_and_remove() -> None:
    stage = Stage()
    stage.put(60, 0)
    stage.run(2.0)
    stage.look.stop()
    stage.frame()
    assert stage.angles()[0] == pytest.approx(0.0, abs=1e-3)
    # it begins as at first, not where it ended
    first = Stage()
    first.look.stop()
    first.put(60, 0)
    first.look.start()
    stage.look.start()
    for _ in range(10):
        first.frame()
        stage.frame()
        assert stage.angles() == pytest.approx(first.angles(), abs=1e-3)
    stage.run(2.0)
    assert stage.missed() < 0.1
    stage.look.remove()
    stage.frame()
    assert stage.angles()[0] == pytest.approx(0.0, abs=1e-3)
    assert stage.rig.layers == ()


def test_facing_direction_and_eyes_are_found() -> None:
    # a figure whose file has it face +y
    parts = [
        ("body", None, (0, 0, 0), (0, 0, 0)),
        ("neck", "body", (0, 0, 1), (0, 0, 0)),
        ("head", "neck", (0, 0, 0.2), (0, 0, 0)),
        ("eye.R", "head", (0.1, 0.2, 0.1), (0, 0, 0)),
        ("eye.L", "head", (-0.1, 0.2, 0.1), (0, 0, 0)),
    ]
    actor = make_actor(parts)
    actor.reparent_to(p3d.NodePath("scene"))
    rig = ikrig.ActorRig(actor)
    ball = actor.get_top().attach_new_node("ball")
    ball.set_pos(0, 5, 1.3)
    ikrig.LookAt(rig, ball)
    for _ in range(200):
        rig.update(1 / 60)
    # it looks straight ahead already
    assert abs(rig.joint("head").get_h(actor)) < 0.5


def test_body_without_a_head_needs_joints() -> None:
    actor = make_actor([("root", None, (0, 0, 0), (0, 0, 0))])
    with pytest.raises(ikrig.BindError, match="no head was found"):
        ikrig.LookAt(ikrig.ActorRig(actor), None)


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"joints": {"chest": 1, "haed": 2}}, ["joints", "did you mean 'head'"]),
        ({"joints": {"head": 1, "chest": 1}}, ["'chest' is not below 'head'"]),
        ({"joints": {"head": -1}}, ["joints['head']", "-1"]),
        ({"joints": {"chest": 0, "head": 0}}, ["at least one"]),
        ({"joints": {}}, ["joints must be a dict of weights"]),
        ({"joints": "head"}, ["joints must be a dict of weights"]),
        ({"eyes": ("eye x",)}, ["eyes", "eye l"]),
        ({"eyes": ("hand",)}, ["'hand' is not below 'head'"]),
        ({"forward": (0, 0, 1)}, ["forward"]),
        ({"seconds": -1}, ["seconds", "-1"]),
        ({"speed": math.nan}, ["speed", "nan"]),
        ({"keep_motion": 2}, ["keep_motion", "0 to 1"]),
        ({"weight": 1.5}, ["weight", "1.5"]),
    ],
)
def test_errors_are_named(settings, words) -> None:
    with pytest.raises(ikrig.IkrigError) as caught:
        Stage(**settings)
    for word in words:
        assert word in str(caught.value)
