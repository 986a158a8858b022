"""Every key of a robot description with a non-default value: read and written again."""

from __future__ import annotations

from dataclasses import fields, replace
from math import inf, pi, radians

import numpy as np
import pytest
import yaml

from ikrig import (
    Body,
    Geom,
    Joint,
    JointKind,
    MeshFile,
    RigFileError,
    RobotModel,
    Site,
    load_robot,
)
from ikrig.formats.robot_yaml import dump_robot
from tests.random_robots import place, random_bodies, turn

ROBOT = """\
name: rich
bodies:
  - name: base
    pos: [1, 2, 3]
    quat: [0.6, 0, 0, 0.8]
    ipos: [0.1, 0.2, 0.3]
    iquat: [0.8, 0.6, 0, 0]
    joints:
      - {name: turn, kind: hinge, axis: [0, 0.6, 0.8], anchor: [0, 0, 0.25], \
range_deg: [-90, 45], qpos0_deg: 30, speed_deg: 60}
      - {name: lift, kind: slide, axis: y, anchor: [0, 0, 0.5], range: [-1, 2], \
qpos0: 0.5, speed: 0.25}
      - {name: free, kind: hinge, axis: x}
    geoms:
      - {name: hull, kind: box, size: [1, 2, 3], pos: [0, 0, 1], \
quat: [0, 1, 0, 0], rgba: [1, 0.5, 0.25, 0.125], texture: skin.png}
  - name: hand
    parent: base
    joints:
      - {name: grip, kind: hinge, axis: z, mimic: turn, multiplier: -2, offset_deg: 15}
      - {name: push, kind: slide, axis: x, mimic: lift, multiplier: 3, offset: 0.125}
    sites:
      - {name: tool, pos: [0, 0, 1], quat: [0, 0, 1, 0]}
    geoms:
      - {kind: mesh, mesh: parts/arm.obj, scale: [1, 2, -1], rgba: [0.5, 0.5, 0.5, 1]}
      - {kind: mesh, mesh: parts/arm.obj, rgba: [0.5, 0.5, 0.5, 1]}
  - name: wrist
    parent: hand
    joints:
      - {name: ball, kind: ball, range_deg: [0, 45]}
  - name: eye
    mocap: true
    pos: [0, 0, 2]
"""


@pytest.fixture
def robot(tmp_path):
    (tmp_path / "skin.png").write_bytes(b"")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    path = tmp_path / "rich.yaml"
    path.write_text(ROBOT)
    return path


def keys(value):
    """Every key of a description, without its unit."""
    if isinstance(value, list):
        return set().union(*map(keys, value))
    if isinstance(value, dict):
        own = {key.removesuffix("_deg") for key in value}
        return own.union(*map(keys, value.values()))
    return set()


def test_description_has_every_key():
    parts = (Body, Joint, Site, Geom)
    known = {field.name for kind in parts for field in fields(kind)}
    assert known - keys(yaml.safe_load(ROBOT)) == {"group", "collides"}


def test_every_key_is_read(robot):
    model = load_robot(robot)
    assert model.body_names == ("world", "base", "hand", "wrist", "eye")
    assert model.parents.tolist() == [-1, 0, 1, 2, 0]
    assert model.mocap_bodies == ("eye",)
    kinds = ("hinge", "slide", "hinge", "hinge", "slide", "ball")
    assert model.joint_kinds == tuple(map(JointKind, kinds))
    assert model.joint_names == ("turn", "lift", "free", "grip", "push", "ball")
    near = np.testing.assert_allclose
    near(model.body_pos[[1, 4]], [[1, 2, 3], [0, 0, 2]])
    near(model.body_quat[1], [0.6, 0, 0, 0.8])
    near(model.body_ipos[1], [0.1, 0.2, 0.3])
    near(model.body_iquat[1], [0.8, 0.6, 0, 0])
    x, y, z = np.eye(3)
    near(model.joint_axes[:5], [[0, 0.6, 0.8], y, x, z, x])
    near(model.joint_anchors[:2], [[0, 0, 0.25], [0, 0, 0.5]])
    assert not model.joint_anchors[2:].any()
    ends = model.joint_ranges
    near(ends[0], [-pi / 2, pi / 4])
    near(ends[1], [-1, 2])
    assert np.isinf(ends[2]).all()
    near(ends[5], [0, pi / 4])
    starts = [model.qpos0[model.joint_qpos[j]] for j in range(3)]
    near(starts, [radians(30), 0.5, 0])
    near(model.joint_speeds[:3], [radians(60), 0.25, np.inf])
    assert model.joint_drivers.tolist() == [-1, -1, -1, 0, 1, -1]
    near(model.joint_couplings[3:5], [[-2, radians(15)], [3, 0.125]])
    assert model.site_names == ("tool",) and model.site_bodies.tolist() == [2]
    near(model.site_pos, [[0, 0, 1]])
    near(model.site_quat, [[0, 0, 1, 0]])
    (hull,), (first, second) = model.geoms[1], model.geoms[2]
    assert (hull.name, hull.kind, hull.texture) == (
        *("hull", "box", robot.parent / "skin.png"),
    )
    near(hull.size, [1, 2, 3])
    near(hull.pos, [0, 0, 1])
    near(hull.quat, [0, 1, 0, 0])
    near(hull.rgba, [1, 0.5, 0.25, 0.125])
    mesh = robot.parent / "parts" / "arm.obj"
    assert first.mesh == MeshFile(mesh, (1, 2, -1)) and second.mesh == MeshFile(mesh)


def plain(value):
    """A description with numbers to six places."""
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return round(float(value), 6)
    return value


def test_every_key_survives_a_round_trip(robot):
    text = dump_robot(load_robot(robot), robot.parent / "again.yaml")
    assert plain(yaml.safe_load(text)) == plain(yaml.safe_load(ROBOT))
    # and from another folder
    (robot.parent / "far").mkdir()
    far = robot.parent / "far" / "rich.yaml"
    dump_robot(load_robot(robot), far)
    assert "../parts/arm.obj" in far.read_text() and "../skin.png" in far.read_text()
    mesh = load_robot(far).geoms[2][0].mesh
    assert mesh.path.resolve() == (robot.parent / "parts" / "arm.obj").resolve()


def with_ranges(rng, joint: Joint, leaders: list[str]) -> Joint:
    """A joint with a range that is open on no, one or both sides, and a speed."""
    if joint.kind not in ("hinge", "slide"):
        return joint
    lower, upper = sorted(rng.normal(size=2))
    ranges = (None, (lower, upper), (-inf, upper), (lower, inf))
    found = replace(
        joint,
        range=ranges[rng.integers(4)],
        speed=rng.choice([None, rng.uniform(0.1, 9.0)]),
        axis=rng.choice(["x", "y", "z"]) if rng.random() < 0.5 else joint.axis,
    )
    if leaders and rng.random() < 0.5:
        factor, added = rng.normal(size=2).tolist()
        found = replace(
            found, mimic=rng.choice(leaders), multiplier=factor, offset=added
        )
    elif found.mimic is None:
        leaders.append(joint.name)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_random_robots_survive_a_round_trip(tmp_path, seed):
    rng = np.random.default_rng(seed)
    bodies, leaders = [], []
    for body in random_bodies(rng, 9):
        joints = [with_ranges(rng, joint, leaders) for joint in body.joints]
        geoms = [
            Geom(
                rng.choice(["box", "sphere", "capsule"]),
                size=rng.uniform(0.1, 2.0, 3),
                pos=place(rng),
                quat=turn(rng),
                rgba=rng.random(4),
                name=f"geom {k}" if rng.random() < 0.5 else "",
            )
            for k in range(int(rng.integers(3)))
        ]
        bodies.append(replace(body, joints=joints, geoms=geoms))
    model = RobotModel(bodies, name=f"robot: {seed}")
    path = tmp_path / "robot.yaml"
    text = dump_robot(model, path)
    again = load_robot(path)
    assert dump_robot(again) == text
    for name, value in vars(model).items():
        other = getattr(again, name)
        if isinstance(value, np.ndarray):
            assert np.allclose(value, other, rtol=1e-12, atol=1e-12), name
        elif name not in ("geoms", "path"):
            assert value == other, name
    for mine, theirs in zip(model.geoms, again.geoms, strict=True):
        for one, other in zip(mine, theirs, strict=True):
            assert (one.kind, one.name) == (other.kind, other.name)
            for name in ("size", "pos", "quat", "rgba"):
                assert np.allclose(getattr(one, name), getattr(other, name)), name


@pytest.mark.parametrize(
    ("there", "instead", "message"),
    [
        ("quat: [0.6, 0, 0, 0.8]", "rpy_deg: [0, .inf, 0]", "rpy_deg must be 3 angles"),
        ("qpos0_deg: 30", "qpos0_deg: .inf", "qpos0_deg must be an angle in degrees"),
    ],
)
def test_only_ranges_may_be_infinite(robot, there, instead, message):
    assert there in ROBOT
    robot.write_text(ROBOT.replace(there, instead, 1))
    with pytest.raises(RigFileError, match=message):
        load_robot(robot)


@pytest.mark.parametrize(
    ("there", "instead", "message"),
    [
        ("range_deg: [-90", "range: [-90", "range of a joint that turns .in degrees."),
        ("qpos0_deg", "qpos0", "qpos0 of a joint that turns .* write qpos0_deg"),
        ("speed_deg", "speed", "speed of a joint that turns .* write speed_deg"),
        ("offset_deg", "offset", "offset of a joint that turns .* write offset_deg"),
        ("range: [-1", "range_deg: [-1", "range_deg of a joint that slides .in units"),
        ("qpos0: 0.5", "qpos0_deg: 5", "qpos0_deg of a joint that slides .* qpos0"),
        ("offset: 0.125", "offset_deg: 5", "offset_deg of a joint that slides"),
    ],
)
def test_units_that_do_not_match_the_joint_are_reported(robot, there, instead, message):
    robot.write_text(ROBOT.replace(there, instead, 1))
    with pytest.raises(RigFileError, match=message):
        load_robot(robot)
