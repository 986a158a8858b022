"""Invalid parts of robots: one sentence for each, and values just within bounds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ikrig import (
    Body,
    Geom,
    Joint,
    JointKind,
    Mesh,
    MeshFile,
    ModelError,
    RobotModel,
    Site,
)
from tests import reference

TRIANGLE = np.eye(3), np.array([[0, 1, 2]], np.int32)


def geom(**changes) -> list[Body]:
    return [Body("arm", geoms=[Geom(**{"kind": "box", "size": (1, 1, 1), **changes})])]


def mesh(name="m", vertices=TRIANGLE[0], faces=TRIANGLE[1]) -> list[Body]:
    return geom(kind="mesh", mesh=Mesh(name, vertices, faces))


def file(path: object = Path("arm.obj"), scale: object = (1, 1, 1)) -> list[Body]:
    return geom(kind="mesh", mesh=MeshFile(path, scale))


def joint(**changes) -> list[Body]:
    return [Body("arm", joints=[Joint(**{"name": "elbow", **changes})])]


def joints(*kinds) -> list[Body]:
    row = [Joint(f"j{k}", kind) for k, kind in enumerate(kinds)]
    return [Body("arm", joints=row)]


OF = "of a geom of body 'arm'"
WRONG = [
    ([Body("world", pos=(0, 0, 1))],
     "the world can't move: it can have no joints, no mocap"),
    ([Body("world", quat=(0, 1, 0, 0))], "the world can't move"),
    ([Body("world", mocap=True)], "the world can't move"),
    ([Body("world", joints=[Joint("j")])], "the world can't move"),
    ([Body("a", parent="b"), Body("b")], "the parent of body 'a', 'b', is not listed"),
    ([Body("a", parent="a")], "the parent of body 'a', 'a', is not listed before it"),
    ([Body("a", parent="wrld")], "'wrld', is not a body; .* did you mean 'world'"),
    ([Body("a", parent=3)], "the parent of body 'a', 3, is not a body"),
    ([Body("a"), Body("a")], "two body entries are named 'a'"),
    ([Body("")], "the name of body 1 must be a non-empty string, not ''"),
    ([Body("a", mocap=1)], "mocap of body 'a' must be true or false, not 1"),
    ([Body("a", mocap=True, joints=[Joint("j")])], "'a' is a mocap body: its parent"),
    ([Body("a"), Body("b", parent="a", mocap=True)], "'b' is a mocap body: its parent"),
    (joints("free", "hinge"), "'arm' has a free joint: its parent .* no other joint"),
    (joints("hinge", "free"), "'arm' has a free joint"),
    ([Body("a"), Body("b", parent="a", joints=[Joint("j", "free")])], "has a free joi"),
    (joints("ball", "hinge"), "'arm' has a rotating joint after its ball joint"),
    (joints("ball", "slide", "hinge"),
     "'arm' has a rotating joint after its ball joint"),
    (joints("ball", "ball"), "'arm' has a rotating joint after its ball joint"),
    (geom(kind="bx"), f"kind {OF} is 'bx': did you mean 'box'"),
    (geom(kind=3), f"kind {OF} is 3: available:"),
    (geom(kind="mesh"), "a geom of body 'arm' of kind 'mesh' must have a mesh"),
    (geom(mesh=Mesh("m", *TRIANGLE)),
     "a geom of body 'arm' of kind 'box' must have no mesh"),
    (geom(name=3), f"name {OF} must be a string, not 3"),
    (geom(group=1.5), f"group {OF} must be a whole number, not 1.5"),
    (geom(group=True), f"group {OF} must be a whole number, not True"),
    (geom(collides=1), f"collides {OF} must be true or false, not 1"),
    (geom(kind="mesh", mesh="m"), f"mesh {OF} must be a Mesh or MeshFile, not 'm'"),
    (geom(texture="a.png"), f"texture {OF} must be a pathlib.Path, not 'a.png'"),
    (geom(size=(1, 1)), "size of geom of body 'arm' must be 3 finite numbers"),
    (geom(rgba=(1, 1, 1)), "rgba of geom of body 'arm' must be 4 finite numbers"),
    (geom(pos=(1, 1, np.nan)), "pos of geom of body 'arm' must be 3 finite numbers"),
    (geom(name="shell", size=(1, 1)),
     "size of geom of body 'arm' 'shell' must be 3 finite numbers"),
    (geom(quat=(0, 0, 0, 0)), "quat of geom of body 'arm' is a zero quaternion"),
    (mesh(name=3), "a mesh needs a non-empty name, not 3"),
    (mesh(vertices="abc"),
     "vertices of mesh 'm' must be finite numbers of shape .n, 3., not 'abc'"),
    (mesh(vertices=np.zeros(3)), "vertices of mesh 'm' must be finite"),
    (mesh(vertices=np.zeros((3, 2))), "vertices of mesh 'm' must be finite"),
    (mesh(vertices=np.full((3, 3), np.inf)), "vertices of mesh 'm' must be finite"),
    (mesh(faces="abc"),
     "faces of mesh 'm' must be indices of its 3 vertices, of shape .n, 3., not"),
    (mesh(faces=np.array([0, 1, 2])), "faces of mesh 'm' must be indices of its"),
    (mesh(faces=np.array([[0, 1]])), "faces of mesh 'm' must be indices of its"),
    (mesh(faces=np.array([[0, 1, 3]])), "faces of mesh 'm' must be indices of its"),
    (mesh(faces=np.array([[0, 1, -1]])), "faces of mesh 'm' must be indices of its"),
    (mesh(faces=np.array([[0, 1, 1.5]])), "faces of mesh 'm' must be indices of its"),
    (file(path="arm.obj"), "path of a mesh file must be a pathlib.Path, not 'arm.obj'"),
    (file(scale=(1, 1)), "scale of a mesh file must be three numbers that are not 0"),
    (file(scale="abc"), "scale of a mesh file must be three numbers that are not 0"),
    (file(scale=(1, 0, 1)), "scale of a mesh file must be three numbers"),
    (file(scale=(1, 1, np.nan)), "scale of a mesh file must be three numbers"),
    (file(scale=(1, 1, 2e15)), r"scale of a mesh file .* within ±1e\+15"),
    (joint(name=""), "the name of joint 0 must be a non-empty string, not ''"),
    ([Body("a", pos="here")], "pos of body 'a' must be 3 finite .*±1e.15, not 'here'"),
    ([Body("a", pos=(1, 2))], r"pos of body 'a' must be 3 finite.*\(1, 2\)"),
    ([Body("a", quat=(0, 0, 0, 0))], "quat of body 'a' is a zero quaternion"),
    ([Body("a", joints=[Joint("h"), Joint("h")])], "two joint entries are named 'h'"),
    (joint(kind="hing"), "kind of joint 'elbow' is 'hing': did you mean 'hinge'"),
    (joint(axis="w"), "axis of joint 'elbow' is 'w'"),
    (joint(axis=(0, 0, 0)), "axis of joint 'elbow' must have a direction"),
    (joint(range=(1,)), "range of joint 'elbow' must be two numbers"),
    (joint(kind="free", range=(0, 1)), "range of joint .* must be None for a free"),
    (joint(kind="ball", range=(-1, 1)), "must start at 0 for a ball"),
    (joint(kind="free", anchor=(0, 0, 1)), "anchor of .* must be 0 for a free joint"),
    (joint(kind="ball", qpos0=1), "qpos0 of joint 'elbow' must be 0"),
    (joint(qpos0=np.inf), "qpos0 of joint 'elbow' must be 1 finite"),
    (joint(anchor=(0, 0)), "anchor of joint .* must be 3 finite numbers"),
    (joint(range=(1, -1)), "range of joint 'elbow'"),
    (joint(mimic="elbw"), "mimic.*'elbw'"),
    ([Body("a", sites=[Site("")])],
     "the name of site 0 must be a non-empty string, not ''"),
    ([Body("a", sites=[Site("s"), Site("s")])], "two site entries are named 's'"),
    ([Body("a", sites=[Site("s", pos=(0, 0))])], "pos of site .* 3 finite numbers"),
    ([Body("a", ipos=(0, 0))], "ipos of body .* 3 finite numbers"),
    ([Body("a", iquat=(0, 0, 0, 0))], "iquat"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "parts", "message"),
    [
        ("joints", ["x"], "joints of body 'a': each must be a Joint, not 'x'"),
        ("joints", [Site("s")], "joints of body 'a': each must be a Joint, not Site"),
        ("sites", [Joint("s")], "sites of body 'a': each must be a Site, not Joint"),
        ("geoms", [Site("s")], "geoms of body 'a': each must be a Geom, not Site"),
        ("geoms", None, "geoms of body 'a' must be a list, not None"),
    ],
)
def test_body_refuses_what_is_no_part(key, parts, message):
    with pytest.raises(ModelError, match=message):
        Body("a", **{key: parts})


@pytest.mark.parametrize(
    ("bodies", "message"), WRONG, ids=[str(k) for k in range(len(WRONG))]
)
def test_invalid_parts_are_reported(bodies, message):
    with pytest.raises(ModelError, match=message):
        RobotModel(bodies)


def test_invalid_joint_kinds_and_default_poses():
    with pytest.raises(ModelError, match=r"'hinged' is not a kind .* mean 'hinge'"):
        JointKind("hinged")
    with pytest.raises(ModelError, match="3 is not a kind of joint: available: hinge"):
        JointKind(3)
    plain = Body("a"), Site("s"), Geom("box")
    assert {(part.quat, part.pos) for part in plain} == {((1, 0, 0, 0), (0, 0, 0))}
    assert plain[0].iquat == (1, 0, 0, 0) and plain[0].ipos == (0, 0, 0)


def test_unit_axes_are_kept_exactly():
    rng = np.random.default_rng(2)
    for axis in rng.normal(size=(60, 3)):
        model = RobotModel(joint(axis=tuple(axis)))
        once = model.joint_axes[0]
        assert np.allclose(once, axis / np.linalg.norm(axis), atol=1e-15)
        again = RobotModel(joint(axis=tuple(once))).joint_axes[0]
        if abs(np.linalg.norm(once) - 1.0) < 1e-15:
            assert again.tolist() == once.tolist()


def test_geom_poses_match_the_reference():
    rng = np.random.default_rng(3)
    geoms = [
        Geom("box", pos=rng.normal(size=3), quat=rng.normal(size=4)) for _ in range(5)
    ]
    bodies = [Body("a", geoms=geoms[:2]), Body("b", "a", geoms=geoms[2:])]
    positions, turns = RobotModel(bodies).geom_poses
    for geom, position, turn in zip(geoms, positions, turns, strict=True):
        assert np.allclose(position, geom.pos, atol=0)
        assert np.allclose(turn, reference.matrix(geom.quat), atol=1e-14)
