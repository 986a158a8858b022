"""Springs on a pose: against the specification, and what must hold at any rate."""

from __future__ import annotations

from array import array
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ikrig import BallLimit, BindError, ConeLimit, HingeLimit, SettingError
from ikrig.model.pose import Pose, chains_below
from ikrig.model.springs import Collider, Spring, SpringLimit, Springs
from tests.spring_oracle import Body, Joint, Scene

# exact in single precision: a limit has corners, which make much of little
CUBE = Rotation.create_group("O")
DOWN = (0.0, 0.0, -1.0)


def rows(turn, pos, scale=1.0):
    """A matrix for row vectors."""
    m = np.eye(4)
    m[:3, :3] = scale * turn.as_matrix().T
    m[3, :3] = pos
    return m


class Strands:
    """Strands of five joints below a head that moves below a body."""

    def __init__(self, seed=0, strands=2, unit=1.0):
        rng = np.random.default_rng(seed)
        self.names, self.parents, self.rest = ["body", "head"], [-1, 0], []
        for pos in ([0, 0, 0.3], [0, 0, 0.4]):
            self.rest.append(rows(CUBE[seed % 24], pos))
        self.strands = []
        for s in range(strands):
            strand = [f"hair{s}{k}" for k in range(5)]
            for k, name in enumerate(strand):
                self.parents.append(1 if k == 0 else len(self.names) - 1)
                self.names.append(name)
                pos = rng.normal(size=3)
                pos *= (0.1 if k == 0 else rng.uniform(0.04, 0.12)) / np.linalg.norm(
                    pos
                )
                self.rest.append(rows(CUBE[(7 * s + k) % 24], pos))
            self.strands.append(strand)
        for m in self.rest:
            m[3, :3] *= unit
        # what the pose holds, in single precision
        self.rest = [np.array(m, np.float32) for m in self.rest]
        self.pose = Pose(self.names, self.parents, self.rest)
        self.length = unit * 0.04

    def set(self, turns, pos=None):
        """Set the pose: body and head turned, the strands at rest."""
        self.pose.local[:] = self.rest
        for j, turn in enumerate(turns):
            self.pose.local[j, :3, :3] = turn.as_matrix().T @ self.rest[j][:3, :3]
        if pos is not None:
            self.pose.local[0, 3, :3] = pos
        self.pose.note_all()

    def net(self):
        return np.array([self.pose.net_matrix(name) for name in self.names])


def motion(t, speed=1.0):
    """Body and head on a smooth path."""
    t *= speed
    turns = (
        Rotation.from_rotvec([0.5 * np.sin(2.1 * t), 0.4 * np.sin(t), 1.3 * np.sin(t)]),
        Rotation.from_rotvec([0.6 * np.sin(3.0 * t), 0.3 * np.sin(5.0 * t), 0.2]),
    )
    pos = [np.sin(1.7 * t), 0.6 * np.sin(1.1 * t), 0.3 + 0.1 * np.sin(4.0 * t)]
    return turns, pos


BODIES = {
    "sphere": ("head", "sphere", [0.02, 0.0, 0.05], [0.0] * 3, 0.11),
    "capsule": ("head", "capsule", [0.0, 0.02, 0.0], [0.05, 0.1, 0.1], 0.07),
    "plane": ("body", "plane", [0.0, 0.0, -0.1], [0.1, 0.0, 1.0], 0.0),
    "inside": ("head", "inside sphere", [0.0, 0.0, 0.0], [0.0] * 3, 0.22),
    "pipe": ("head", "inside capsule", [0.0, 0.0, -0.1], [0.0, 0.1, 0.2], 0.2),
}
LIMITS = {
    "cone": SpringLimit("cone", 0.5),
    "narrow": SpringLimit("cone", 0.05, rotation=(0.9, 0.1, 0.3, 0.2)),
    "hinge": SpringLimit("hinge", 0.6, rotation=(0.8, 0.6, 0.0, 0.0)),
    "spherical": SpringLimit("spherical", 0.8, 0.3),
}


def collider(place, kind, offset, end, radius):
    values = {"joint": place, "offset": offset, "radius": radius}
    if kind == "plane":
        del values["radius"]
        values["normal"] = end
    elif "capsule" in kind:
        values["tail"] = end
    return Collider(**values, inside="inside" in kind)


def both(figure, bodies=(), limit=None, center=None, **values):
    """The springs of a figure, and the same for the specification's pseudocode."""
    settings = {
        "stiffness": 1.2,
        "gravity_power": 0.4,
        "drag_force": 0.3,
        "hit_radius": 0.02,
        **values,
    }
    used = {name: BODIES[name] for name in bodies}
    limits = {} if limit is None else dict.fromkeys(figure.names[2:], LIMITS[limit])
    springs = {
        s[0]: Spring(
            s,
            center=center,
            limits={n: limits[n] for n in s if n in limits},
            **settings,
        )
        for s in figure.strands
    }
    colliders = {name: collider(*body) for name, body in used.items()}
    made = Springs(figure.pose, springs, colliders)
    scene = Scene(figure.parents, [m.T for m in figure.rest])
    index = figure.pose.index
    for strand in figure.strands:
        for a, b in pairwise(strand):
            shapes = [
                Body(index[at], kind, np.array(off), np.array(end), radius)
                for at, kind, off, end, radius in used.values()
            ]
            pull = settings["gravity_power"] * np.array(DOWN)
            joint = Joint(
                index[a], index[b], settings["stiffness"], pull,
                settings["drag_force"], settings["hit_radius"], shapes,
                -1 if center is None else index[center],
            )  # fmt: skip
            if limits:
                of = limits[a]
                w, x, y, z = of.rotation
                turn = Rotation.from_quat([x, y, z, w]).as_matrix()
                angles = [of.angle] + [of.yaw] * (of.kind == "spherical")
                joint.limit = (of.kind, *angles, turn)
            scene.joints.append(joint)
    return made, scene


CASES = [
    (tuple(BODIES), "cone", "head"),
    (tuple(BODIES), "spherical", None),
    ((), None, None),
    ((), None, "body"),
    *[((), name, None) for name in LIMITS],
    *[((name,), None, None) for name in BODIES],
]


@pytest.mark.parametrize(("bodies", "limit", "center"), CASES)
def test_equals_the_specification(bodies, limit, center):
    figure = Strands()
    made, scene = both(figure, bodies, limit, center)
    figure.set(*motion(0.0))
    scene.local[:2] = [m.T.astype(float) for m in figure.pose.local[:2]]
    scene.start()
    made.apply(figure.pose, 0.0)
    worst, swung = 0.0, 0.0
    for frame in range(1, 1001):
        figure.set(*motion(frame / 60.0))
        still = figure.net()
        scene.local[:2] = [m.T.astype(float) for m in figure.pose.local[:2]]
        scene.update()
        made.apply(figure.pose, 1.0 / 60.0)
        net = figure.net()
        for j in range(2, len(figure.names)):
            worst = max(worst, np.abs(net[j] - scene.world(j).T).max())
        swung = max(swung, np.abs(net - still).max())
    assert swung > 0.03, "nothing swings"
    assert worst < 1e-6


def run(times, bodies=("sphere", "capsule"), speed=1.0, unit=1.0, root=None, **values):
    """The joints' positions relative to the head, in world space, at times."""
    figure = Strands(unit=unit)
    made, _ = both(figure, bodies, **values)
    found, last = [], 0.0
    for t in (0.0, *times):
        turns, pos = motion(t, speed)
        figure.set(turns, unit * np.array(pos))
        m = np.eye(4) if root is None else root(t)
        made.given[:16] = array("f", np.array(m, np.float32).tobytes())
        made.apply(figure.pose, t - last)
        last = t
        net = figure.net() @ m
        found.append(net[2:, 3, :3] - net[1, 3, :3])
    return np.array(found[1:])


def steps_of(rate, seconds=8.0):
    return np.arange(1, int(rate * seconds) + 1) / rate


@cache
def sixty_a_second(bodies):
    return run(steps_of(60), bodies)


@pytest.mark.parametrize("rate", [20, 30, 144, 240, "irregular"])
@pytest.mark.parametrize("bodies", [(), ("sphere", "capsule")])
def test_same_at_any_rate(rate, bodies):
    if rate == "irregular":
        gaps = np.random.default_rng(3).uniform(0.005, 0.05, 400)
        times = np.cumsum(gaps)[np.cumsum(gaps) < 8.0]
    else:
        times = steps_of(rate)
    # compared with 60 frames a second between whose frames the motion is as smooth
    fine = sixty_a_second(bodies)
    there = run(times, bodies)
    grid, values = steps_of(60), fine.reshape(len(fine), -1)
    expected = np.array([np.interp(times, grid, column) for column in values.T])
    expected = expected.T.reshape(there.shape)
    # from the start they are pushed out of colliders
    off = (there - expected)[times > 0.5].reshape(-1, 2, 5, 3)
    bones = np.linalg.norm(np.diff(fine.reshape(-1, 2, 5, 3)[0], axis=1), axis=2)
    errors = np.linalg.norm(np.diff(off, axis=2), axis=3) / bones
    assert errors.max() < 0.02


@pytest.mark.parametrize("scale", [0.01, 0.1, 10.0, 100.0])
@pytest.mark.parametrize("rate", [60, 47])
def test_same_at_any_scale(scale, rate):
    def grown(t):
        return np.diag([scale, scale, scale, 1.0])

    times = steps_of(rate, 4.0)
    plain = run(times, tuple(BODIES), limit="cone")
    found = run(times, tuple(BODIES), limit="cone", root=grown) / scale
    assert np.abs(found - plain).max() < 1e-4 * 0.1


def test_model_in_other_units_swings_alike():
    plain = run(steps_of(60, 3.0), ())
    # forces are in units of the model
    large = run(steps_of(60, 3.0), (), unit=100.0, stiffness=120.0, gravity_power=40.0)
    assert np.abs(large / 100.0 - plain).max() < 1e-5


def jump(t, at, m):
    return m if t > at else np.eye(4)


HUGE_TURN = rows(Rotation.from_rotvec([0.0, 0.0, 3.0]), [40.0, -7.0, 3.0])
GROWN = np.diag([50.0, 50.0, 50.0, 1.0])
SHRUNK = np.diag([0.02, 0.02, 0.02, 1.0])


@pytest.mark.parametrize("rate", [20, 60, 144])
@pytest.mark.parametrize("change", [HUGE_TURN, GROWN, SHRUNK])
def test_no_step_at_a_teleport(rate, change):
    times = steps_of(rate, 4.0)
    at = 2.0 + 0.1 / rate
    found = run(times, ("sphere",), root=lambda t: jump(t, at, change))
    turn = change[:3, :3]
    # as seen from the figure itself
    own = np.where((times > at)[:, None, None], found @ np.linalg.inv(turn), found)
    steps = np.linalg.norm(np.diff(own, axis=0), axis=2).max(axis=1)
    k = int(np.searchsorted(times, at)) - 1
    near = np.r_[steps[k - 3 : k], steps[k + 1 : k + 4]]
    assert steps[k] < 2.0 * near.max()


@pytest.mark.parametrize("gap", [0.2, 3.0, 1e9])
def test_no_step_at_a_late_frame(gap):
    # the motion goes on elsewhere
    times = np.concatenate([steps_of(60, 2.0), steps_of(60, 2.0) + 2.0 + gap])
    found = run_hitch(times, gap)
    steps = np.linalg.norm(np.diff(found, axis=0), axis=2).max(axis=1)
    k = 119
    near = np.r_[steps[k - 3 : k], steps[k + 1 : k + 4]]
    assert steps[k] < 2.0 * near.max()


def run_hitch(times, gap):
    """As ``run``, of a figure that is elsewhere after a gap, in the same motion."""
    figure = Strands()
    made, _ = both(figure, ("sphere",))
    found, last = [], 0.0
    for t in times:
        late = t > 2.0 + 1e-9
        turns, pos = motion(t - gap * late)
        figure.set(turns, np.array(pos) + late * np.array([min(gap, 9.0), 0.0, 0.0]))
        made.apply(figure.pose, t - last)
        last = t
        net = figure.net()
        found.append(net[2:, 3, :3] - net[1, 3, :3])
    return found


def test_moved_while_paused_they_move_along():
    figure = Strands()
    made, _ = both(figure, ())
    for frame in range(60):
        figure.set(*motion(frame / 60.0))
        made.apply(figure.pose, 1.0 / 60.0)
    before = figure.net()
    turns, pos = motion(1.0)
    figure.set(turns, pos)
    made.apply(figure.pose, 0.0)
    first = figure.net()
    for k in range(50):
        figure.set(turns, np.array(pos) + np.array([0.02 * k, 0.0, 0.0]))
        made.apply(figure.pose, 0.0)
    moved = figure.net()
    assert np.allclose(moved[2:, 3, 0] - first[2:, 3, 0], 0.98, atol=1e-5)
    assert np.allclose(moved[:, :3, :3], first[:, :3, :3], atol=1e-5)
    assert np.abs(first[2:, 3, :3] - before[2:, 3, :3]).max() < 0.05


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("bodies", [(), ("sphere",)])
def test_energy_never_grows_at_rest(seed, bodies):
    rng = np.random.default_rng(seed)
    figure = Strands(seed)
    values = {
        "stiffness": rng.uniform(0.0, 4.0),
        "gravity_power": rng.uniform(0.0, 2.0),
        "drag_force": rng.uniform(0.0, 0.9),
    }
    made, _ = both(figure, bodies, **values)
    for frame in range(40):
        figure.set(*motion(frame / 60.0, 3.0))
        made.apply(figure.pose, 1.0 / 60.0)
    swings = []
    for _ in range(600):
        figure.set(*motion(39 / 60.0, 3.0))
        rest = figure.net()
        made.apply(figure.pose, 1.0 / 60.0)
        net = figure.net()
        ends = [made.kernel.tail(i) for i in range(made.kernel.count)]
        swings.append((net[2:, 3, :3] - rest[2:, 3, :3], np.array(ends)))
    tails = np.array([ends for _, ends in swings])
    speeds = np.linalg.norm(np.diff(tails, axis=0), axis=2).max(axis=1)
    # by windows of two thirds of a second: what swings passes the middle in each
    peaks = speeds[:560].reshape(14, 40).max(axis=1)
    assert (np.diff(peaks) < 1e-3 * peaks[0]).all()
    assert peaks[-1] < 0.9 * peaks[0] + 1e-9


def test_wind_pushes_and_junk_does_not():
    figure = Strands()
    made, _ = both(figure, (), gravity_power=0.0)
    ends = []
    for wind in ((0.0, 0.0, 0.0), (3.0, 0.0, 0.0)):
        made.kernel.set_wind(*wind)
        for _ in range(240):
            figure.set(*motion(0.0))
            made.apply(figure.pose, 1.0 / 60.0)
        ends.append(figure.net()[2:, 3, :3])
    assert (ends[1][[4, 9], 0] > ends[0][[4, 9], 0] + 0.02).all()
    made.kernel.set_wind(1e300, -1e300, float("inf"))
    for _ in range(5):
        figure.set(*motion(0.0))
        made.apply(figure.pose, 1.0 / 60.0)
        assert np.isfinite(figure.net()).all()


def test_pose_that_is_not_finite_stays_and_does_no_harm():
    figure = Strands()
    made, _ = both(figure, ("sphere",))
    for frame in range(90):
        figure.set(*motion(frame / 60.0))
        if frame == 50:
            figure.pose.local[1, 3, 0] = np.nan
            figure.pose.note_all()
        before = figure.pose.local.copy()
        made.apply(figure.pose, 1.0 / 60.0)
        if frame == 50:
            assert np.array_equal(before, figure.pose.local, equal_nan=True)
        else:
            assert np.isfinite(figure.pose.local).all()


def test_weight_blends():
    figure = Strands()
    made, _ = both(figure, (), gravity_power=2.0)
    for _ in range(200):
        figure.set(*motion(0.0))
        made.apply(figure.pose, 1.0 / 60.0)
    full = figure.net()
    figure.set(*motion(0.0))
    still = figure.net()
    for weight in (0.0, 0.5):
        figure.set(*motion(0.0))
        made.weight = weight
        made.apply(figure.pose, 1.0 / 60.0)
        part = np.linalg.norm(figure.net()[2:7, 3] - still[2:7, 3])
        whole = np.linalg.norm(full[2:7, 3] - still[2:7, 3])
        assert abs(part / whole - weight) < 0.15
    assert np.allclose(made.kernel.tail(0), full[3, 3, :3], atol=1e-3)


UP, SIDE = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("limit", "pull", "expected"),
    [
        (SpringLimit("cone", 0.5), -UP, [0.0, np.cos(0.5), np.sin(0.5)]),
        (SpringLimit("hinge", 0.5), SIDE, UP),
        (SpringLimit("hinge", 0.5), -SIDE, UP),
        (SpringLimit("hinge", 0.5), -UP, [0.0, np.cos(0.5), np.sin(0.5)]),
        (SpringLimit("spherical", 0.5, 0.3), SIDE, [np.sin(0.3), np.cos(0.3), 0.0]),
        (SpringLimit("spherical", 0.5, 0.3), -UP, [0.0, np.cos(0.5), np.sin(0.5)]),
    ],
)  # fmt: skip
def test_limits_at_their_singular_directions(limit, pull, expected):
    rest = [np.eye(4), rows(Rotation.identity(), UP)]
    pose = Pose(["a", "b"], [-1, 0], rest)
    spring = Spring(
        ["a", "b"], stiffness=0.0, gravity_power=1e6, gravity_dir=pull, drag_force=1.0,
        limits={"a": limit},
    )  # fmt: skip
    made = Springs(pose, {"s": spring})
    made.apply(pose, 0.0)
    made.apply(pose, 1.0 / 60.0)
    # the pull is so strong that the bone would point there, up to 1e-4
    assert np.allclose(pose.net_matrix("b")[3, :3], expected, atol=1e-3)


@pytest.mark.parametrize(
    ("limit", "angle"),
    [(ConeLimit(0.4), 0.4), (BallLimit(0.3), 0.3), (HingeLimit("x", -0.2, 0.6), 0.6)],
)
def test_own_limits(limit, angle):
    figure = Strands(strands=1)
    strand = figure.strands[0]
    spring = Spring(strand, gravity_power=9.0, limits={strand[0]: limit})
    made = Springs(figure.pose, {"s": spring})
    rest = figure.net()
    bone = rest[3, 3, :3] - rest[2, 3, :3]
    largest = 0.0
    for frame in range(300):
        figure.set((Rotation.identity(), Rotation.identity()))
        if frame == 0:
            still = figure.net()
        made.kernel.set_wind(*(20.0 * np.sin([0.1 * frame, 0.07 * frame, 2.0])))
        made.apply(figure.pose, 1.0 / 60.0)
        net = figure.net()
        now = net[3, 3, :3] - net[2, 3, :3]
        bone = still[3, 3, :3] - still[2, 3, :3]
        cosine = now @ bone / np.linalg.norm(now) / np.linalg.norm(bone)
        largest = max(largest, np.arccos(min(1.0, cosine)))
        if isinstance(limit, HingeLimit):
            # the angle between bone and axis stays that of the plane across it
            assert abs(now[0]) < 1e-5
    if not isinstance(limit, HingeLimit):
        assert angle - 0.01 < largest < angle + 1e-5


def test_chains_below_a_joint():
    names = ["root", "a", "b", "c", "x", "y"]
    pose = Pose(names, [-1, 0, 1, 2, 1, 0], [np.eye(4)] * 6)
    assert chains_below(pose, "a") == [["a", "b", "c"], ["x"]]


A_HAIR = {"s": Spring(["hair00", "hair01"])}


@pytest.mark.parametrize(
    ("springs", "colliders", "message"),
    [
        ({"one": Spring(["hair00", "hair02"]), "two": Spring(["hair01", "hair03"])}, {},
         "joint 'hair01' is in two springs, 'one' and 'two'"),
        ({"s": Spring(["hair00", "hair10"])}, {}, "'hair10' is not below 'hair00'"),
        ({"s": Spring(["hair01", "hair00"])}, {}, "'hair00' is not below 'hair01'"),
        ({"s": Spring(["hair00", "hair00"])}, {}, "'hair00' is not below 'hair00'"),
        ({"s": Spring(["hair00", "har01"])}, {}, "no joint 'har01'.*'hair01'"),
        ({"s": Spring(["hair00"])}, {}, "one joint, 'hair00', and no bone"),
        (
            {
                "s": Spring(["hair00", "hair01"]),
                "t": Spring(["hair03", "hair04"], center="hair02"),
            },
            {},
            "center 'hair02' of spring 't' hangs from joint 'hair00'.*cycle",
        ),
        (A_HAIR, {"c": Collider("haed", 0.1)}, "collider 'c'.*no joint 'haed'.*'head'"),
        ({"s": Spring(["hair00", "hair01"], colliders=["bal"])},
         {"ball": Collider("head")}, "spring 's': there is no collider 'bal'.*'ball'"),
        ({"s": Spring(["hair00", "hair01"], limits={"head": ConeLimit(1.0)})}, {},
         "limits of spring 's': it has no joint 'head'"),
    ],
)  # fmt: skip
def test_mistakes_are_named(springs, colliders, message):
    with pytest.raises(BindError, match=message):
        Springs(Strands().pose, springs, colliders)


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        (Spring, {"joints": ["a", "b"], "stiffness": np.nan}, "stiffness of a Spring"),
        (Spring, {"joints": ["a", "b"], "stiffness": -1.0}, "stiffness of a Spring"),
        (Spring, {"joints": ["a", "b"], "drag_force": 2.0}, "drag_force .* 0 to 1"),
        (Spring, {"joints": ["a", "b"], "gravity_dir": [0, np.inf, 0]}, "gravity_dir"),
        (Spring, {"joints": ["a", "b"], "stiffness": [1, 2, 3]}, "one for each of 2"),
        (Spring, {"joints": []}, "joints of a Spring"),
        (Collider, {"joint": "a", "radius": -1.0}, "radius of a Collider"),
        (Collider, {"joint": "a", "offset": [0, 0]}, "offset of a Collider"),
        (Collider, {"joint": "a", "normal": [0, 0, 0]}, "normal of a Collider"),
        (Collider, {"joint": 5}, "joint of a Collider"),
    ],
)
def test_values_are_checked(kind, values, message):
    with pytest.raises(SettingError, match=message):
        kind(**values)
