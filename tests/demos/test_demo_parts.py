"""Shared parts of the demos that need no window."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import panda3d.core as p3d
import pytest

from demos import __main__
from demos._shared import catalogue, cli, mesh_shapes
from demos._shared.mesh import Part
from ikrig import OutputError
from ikrig.scene.viewer import picture
from ikrig.scene.viewer.orbit_camera import OrbitCamera, View


def near(a: p3d.LVecBase3, b: p3d.LVecBase3, tolerance: float = 1e-5) -> bool:
    return (a - b).length() < tolerance


# -- command line


def test_cli_parses_all_options() -> None:
    line = (
        "chain --offscreen --frames 5 --seed 3 --screenshot a.png --sheet b.png "
        "--tiles 6 --size 960x540"
    )
    options = cli.parse(line.split())
    assert options.name == "chain"
    assert options.offscreen
    assert (options.frames, options.seed, options.tiles) == (5, 3, 6)
    assert (options.screenshot, options.sheet) == (Path("a.png"), Path("b.png"))
    assert options.size == (960, 540)


def test_files_may_follow_options(tmp_path: Path) -> None:
    line = f"robot --offscreen --allow {tmp_path} arm.urdf --frames 5"
    options = cli.parse(line.split())
    assert options.name == "robot"
    assert options.file == Path("arm.urdf")
    assert options.allow == (tmp_path,)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ("chain --frames 0 --offscreen", "frames"),
        ("chain --frames many --offscreen", "many"),
        ("chain --size 12 --offscreen", "WxH"),
        ("chain --size 1x1 --offscreen", "WxH"),
        ("chain --screenshot a.png", "--offscreen"),
        ("chain --video a.mp4", "--offscreen"),
        ("--video a.mp4 --offscreen", "name of a demo"),
        ("chain --video a.mp4 --sheet a.png --offscreen", "can't be combined"),
        ("chain --video a.avi --frames 1 --offscreen", ".mp4"),
        ("chain --speed 3", "--speed"),
        ("chain robot_arm", "robot_arm"),
        ("robot arm.urdf --allow no/such", "is not a folder"),
    ],
)
def test_invalid_options_are_one_line(arguments, word, capsys):
    assert __main__.main(arguments.split()) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith("demos: ")
    assert word in line


# -- catalogue


def test_every_demo_has_a_line_and_keys() -> None:
    entries = catalogue.read()
    names = [entry.name for entry in entries]
    assert names[:4] == ["show", "character", "body", "walker"]
    assert names[-4:] == ["robot_arm", "arm_pose", "arm_joints", "arm_feed"]
    for entry in entries:
        assert 20 < len(entry.line) < 90
        assert "\n" not in entry.line
        assert ("Space", "play") in entry.keys


def test_every_demo_has_a_picture_for_the_browser() -> None:
    for entry in catalogue.read():
        image = p3d.PNMImage()
        assert image.read(p3d.Filename.from_os_specific(str(entry.thumbnail)))
        assert (image.get_x_size(), image.get_y_size()) == catalogue.THUMBNAIL_SIZE


def test_invalid_asset_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr("demos.panda_leg.MODEL", "models/no-such-panda")
    monkeypatch.setenv("IKRIG_DISPLAY", "no-such-library")
    assert __main__.main(["panda_leg", "--offscreen", "--frames", "1"]) == 2
    error = capsys.readouterr().err.strip().splitlines()
    assert error[-1].startswith("demos: panda_leg: cannot load models/no-such-panda")


# -- camera


def test_camera_looks_at_its_focus() -> None:
    orbit = OrbitCamera(View(focus=(1, 2, 3), distance=5, heading=40, pitch=25))
    camera = p3d.NodePath("camera")
    orbit.apply(camera)
    ahead = camera.get_quat().xform(p3d.LVector3.forward())
    assert near(camera.get_pos() + ahead * 5, orbit.focus, 1e-4)
    right, forward, up = orbit.axes()
    assert near(forward, ahead)
    assert near(right, camera.get_quat().xform(p3d.LVector3.right()))
    assert near(up, camera.get_quat().xform(p3d.LVector3.up()))


def test_orbit_keeps_focus_and_distance_and_stops_at_the_pole() -> None:
    orbit = OrbitCamera(View(focus=(0, 0, 1), distance=4))
    orbit.orbit(0.7, -30.0)
    assert orbit.pitch == OrbitCamera.PITCH_LIMITS[1]
    assert (orbit.position() - orbit.focus).length() == pytest.approx(4.0, abs=1e-5)


def test_pan_keeps_the_focus_plane_under_the_pointer() -> None:
    orbit = OrbitCamera(View(focus=(0, 0, 0), distance=10, heading=0, pitch=0, fov=60))
    orbit.pan(0.5, 0.25, aspect=2.0)
    half = 10 * math.tan(math.radians(30))
    assert near(orbit.focus, p3d.LPoint3(-half, 0, -0.25 * half), 1e-4)


def test_zoom_is_undone_by_zooming_back_and_reset_goes_home() -> None:
    orbit = OrbitCamera(View(distance=8, heading=10))
    orbit.zoom(3)
    assert orbit.distance < 8
    orbit.zoom(-3)
    assert orbit.distance == pytest.approx(8)
    orbit.zoom(500)
    assert orbit.distance == pytest.approx(0.15 * 8)
    orbit.orbit(1.0, 0.2)
    orbit.pan(1.0, 1.0)
    orbit.reset()
    assert (orbit.heading, orbit.distance) == (10, 8)
    assert near(orbit.focus, p3d.LPoint3(0, 0, 1))


# -- meshes


def volume(part: Part) -> float:
    a, b, c = (part.points[part.triangles[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (mesh_shapes.box(1, 2, 3), 6.0),
        (mesh_shapes.cylinder(1, 2, segments=200), 2 * math.pi),
        (mesh_shapes.sphere(1, segments=128), 4 / 3 * math.pi),
        (mesh_shapes.capsule(1, 2, segments=128), (4 / 3 + 2) * math.pi),
        (mesh_shapes.ring(2, 0.3, segments=200), 2 * math.pi**2 * 2 * 0.09),
        (
            mesh_shapes.tube([(0, 0, 0), (0, 0, 1), (0, 0, 2)], 1, sides=100),
            2 * math.pi,
        ),
        (mesh_shapes.link(3, 1, 1, 2), 2 * (math.pi + 6)),
        (mesh_shapes.box(1, 2, 3).scaled(-1, 1, 1), 6.0),
        (mesh_shapes.box(1, 2, 3).turned(20, 30, 40).moved(5, 6, 7), 6.0),
        (
            mesh_shapes.cylinder(1, 2, segments=200).between((1, 2, 3), (4, 4, 4)),
            6.2832,
        ),
    ],
)
def test_shapes_are_closed_and_face_outwards(part: Part, expected: float) -> None:
    assert volume(part) == pytest.approx(expected, rel=0.05)
    # every edge is used once in each direction
    place = np.unique(np.round(part.points, 6), axis=0, return_inverse=True)[1].ravel()
    t = place[part.triangles]
    t = t[(t[:, 0] != t[:, 1]) & (t[:, 1] != t[:, 2]) & (t[:, 2] != t[:, 0])]
    edges = np.vstack((t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]))
    seen = set(map(tuple, edges.tolist()))
    assert len(seen) == len(edges)
    assert seen == {(b, a) for a, b in seen}


# -- sheets, sliders, easing


def test_shrink_keeps_the_mean() -> None:
    big = np.random.default_rng(3).integers(0, 256, (72, 128, 3)).astype(np.uint8)
    small = picture.shrink(big, 48, 27)
    assert small.shape == (27, 48, 3)
    assert small.mean() == pytest.approx(big.mean(), abs=0.5)


def test_saved_png_reads_back(tmp_path: Path) -> None:
    image = np.random.default_rng(4).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    path = tmp_path / "new" / "x.png"
    picture.save(image, path)
    read = p3d.PNMImage()
    assert read.read(p3d.Filename.from_os_specific(str(path)))
    texture = p3d.Texture()
    texture.load(read)
    assert (picture.from_texture(texture) == image).all()


def test_unwritable_picture(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    image = np.zeros((2, 2, 3), np.uint8)
    with pytest.raises(OutputError, match=r"x\.png: "):
        picture.save(image, tmp_path / "f" / "x.png")
    with pytest.raises(OutputError, match=r"it must be \.png"):
        picture.save(image, tmp_path / "x.bmp")
