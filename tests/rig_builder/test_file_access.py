"""Which files a file may open: nearby ones, and those that the caller allows."""

from __future__ import annotations

import os
import re
import shutil
import zlib
from pathlib import Path
from types import SimpleNamespace

import panda3d.core as p3d
import pytest

import ikrig
from ikrig import AccessError, RigFileError, SettingError
from ikrig.cli import main
from ikrig.files.file_access import read_file
from ikrig.formats.load_robot import load_robot
from ikrig.scene.rig_builder import model_loader
from tests.scene.actor.stage import HUMANOID

ASSETS = Path(__file__).parents[2] / "assets"
STL = b"\0" * 80 + (0).to_bytes(4, "little")
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
BODIES = "bodies:\n  - {name: a, joints: [{name: j, kind: hinge}]}\n"


@pytest.fixture
def place(tmp_path):
    """Return a folder of files beside another one, ``elsewhere``, with the same."""
    for folder in ("game/rigs", "game/models", "elsewhere"):
        path = tmp_path / folder
        path.mkdir(parents=True)
        p3d.NodePath("box").write_bam_file(p3d.Filename(str(path / "box.bam")))
        (path / "robot.yaml").write_text(BODIES)
        (path / "mesh.obj").write_text(OBJ)
        (path / "part.xml").write_text("<mujocoinclude/>")
    return tmp_path


def write(place: Path, text: str, name: str = "rig.yaml") -> Path:
    path = place / "game" / "rigs" / name
    path.write_text(text.replace("ELSEWHERE", str(place / "elsewhere")))
    return path


def load(path: Path, model=None, **options):
    return ikrig.load_rig(path, model, p3d.NodePath("scene"), **options)


NEAR = [
    "model: box.bam\n", "model: ../models/box.bam\n", "model: models/panda-model\n",
    "model: models/panda-model\nanimations: {walk: models/panda-walk4}\n",
    "model: ../models/robot.yaml\n", "bodies: {b: {file: ../models/robot.yaml}}\n",
]  # fmt: skip
FAR = [
    ("model: ELSEWHERE/box.bam\n", 1, 8),
    ("model: ../../elsewhere/box.bam\n", 1, 8),
    ("model: ../rigs/../../elsewhere/../elsewhere/box.bam\n", 1, 8),
    ("model: ../../elsewhere/robot.yaml\n", 1, 8),
    ("model: link.bam\n", 1, 8),
    ("model: folder/box.bam\n", 1, 8),
    ("bodies: {b: {file: ELSEWHERE/robot.yaml}}\n", 1, 20),
    ("bodies: {b: {file: folder/robot.yaml}}\n", 1, 20),
    ("model: models/panda-model\nanimations: {walk: ELSEWHERE/box.bam}\n", 2, 14),
    # nothing is told of what is not there either
    ("model: ELSEWHERE/nothing.bam\n", 1, 8),
]


def linked(place: Path) -> Path:
    os.symlink(place / "elsewhere" / "box.bam", place / "game" / "rigs" / "link.bam")
    os.symlink(place / "elsewhere", place / "game" / "rigs" / "folder")
    return place


@pytest.mark.parametrize("text", NEAR)
def test_nearby_files_are_opened(place, text):
    load(write(place, text))


@pytest.mark.parametrize(("text", "line", "column"), FAR)
def test_rig_refuses_files_elsewhere(place, text, line, column):
    path = write(linked(place), text)
    with pytest.raises(RigFileError) as caught:
        load(path)
    (mistake,) = caught.value.diagnostics
    assert mistake[:2] == (line, column)
    # the path, what is allowed, and the fix
    there = str(place / "elsewhere")
    assert f" is {there}/" in mistake.message
    assert f"below {place / 'game'}," in mistake.message
    assert f"allow=['{there}']" in mistake.message
    assert f"--allow {there} " in mistake.message


@pytest.mark.parametrize("text", [row[0] for row in FAR if "nothing" not in row[0]])
def test_allowed_files_elsewhere_are_opened(place, text):
    path = write(linked(place), text)
    if "walk" in text:
        with pytest.raises(RigFileError, match="'walk' can't be loaded"):
            load(path, allow=[place / "elsewhere"])
        return
    load(path, allow=[str(place / "elsewhere")])


def test_files_named_by_the_caller_may_be_anywhere(place):
    there = place / "elsewhere"
    path = write(place, "name: mine\n")
    load(path, there / "box.bam")
    load(path, str(there / "robot.yaml"))
    moved = there / "rig.yaml"
    moved.write_text("model: box.bam\n")
    os.symlink(moved, place / "game" / "rigs" / "named.yaml")
    # names are seen from where the file itself is
    load(place / "game" / "rigs" / "named.yaml")


def test_parent_folder_is_allowed_unless_it_is_the_root(tmp_path):
    assert ikrig.files.file_access.FileAccess("/rigs/arm.yaml").folders == (
        Path("/rigs"),
    )
    assert ikrig.files.file_access.FileAccess("/arm.yaml").folders == (Path("/"),)
    own = tmp_path.resolve()
    access = ikrig.files.file_access.FileAccess(own / "rigs" / "arm.yaml")
    assert access.folders == (own,)
    # a name that begins alike is another folder
    with pytest.raises(AccessError):
        access.check(f"{own}-more/arm.bam", "arm.bam")


@pytest.mark.parametrize("allow", ["models", Path("models"), 3, None, [3], ["nowhere"]])
def test_allow_takes_folders(place, allow):
    with pytest.raises(SettingError, match="allow"):
        load(write(place, "name: mine\n"), allow=allow)


def test_reload_opens_no_more_than_the_first_load(place):
    path = write(place, "model: box.bam\n")
    rig = load(path, watch=True)
    write(place, "model: ELSEWHERE/box.bam\n")
    rig.update(0.0)
    assert "may not open" in rig.errors
    assert rig.model is not None
    allowed = load(write(place, "name: x\n"), watch=True, allow=[place / "elsewhere"])
    write(place, "model: ELSEWHERE/box.bam\n")
    allowed.update(0.0)
    assert allowed.errors == "" and allowed.model is not None


def test_mounted_archives_are_opened(place):
    archive = p3d.Multifile()
    file = p3d.Filename(str(place / "models.mf"))
    archive.open_write(file)
    box = p3d.Filename.binary_filename(str(place / "elsewhere" / "box.bam"))
    archive.add_subfile("boxes/box_in_archive.bam", box, 0)
    archive.close()
    files = p3d.VirtualFileSystem.get_global_ptr()
    searched = p3d.get_model_path().get_directories()[-1] / "archive"
    read_only = p3d.VirtualFileSystem.MF_read_only
    files.mount(file, "/archive", read_only)
    files.mount(file, searched, read_only)
    try:
        rig = load(write(place, "model: archive/boxes/box_in_archive.bam\n"))
        assert "box" in str(rig.model)
        load(write(place, "model: /archive/boxes/box_in_archive.bam\n"))
        # a folder that is mounted is a folder like all others
        files.mount(p3d.Filename(str(place / "elsewhere")), "/mounted", 0)
        with pytest.raises(RigFileError, match="may not open"):
            load(write(place, "model: /mounted/box.bam\n"))
    finally:
        for point in ("/archive", "/mounted", searched):
            files.unmount(point)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("key", ["model: {}", "bodies: {{b: {{file: {}}}}}"])
@pytest.mark.parametrize("ending", ["bam", "egg", "yaml", "urdf"])
def test_pipes_do_not_block(place, key, ending):
    os.mkfifo(place / "game" / "rigs" / f"pipe.{ending}")
    with pytest.raises(RigFileError) as caught:
        load(write(place, key.format(f"pipe.{ending}")))
    assert len(caught.value.diagnostics) == 1
    with pytest.raises(RigFileError):
        load(write(place, "name: x\n"), place / "game" / "rigs" / f"pipe.{ending}")


# -- what robots refer to --------------------------------------------------------------

MJCF = """<mujoco>{}<worldbody><body><joint/><geom size="1"/>{}</body></worldbody>
</mujoco>"""
MESH = '<geom type="mesh" mesh="m"/>'
FAR_ROBOTS = {
    "mesh": ('<asset><mesh name="m" file="ELSEWHERE/mesh.obj"/></asset>', MESH),
    "meshdir": (
        '<compiler meshdir="ELSEWHERE"/><asset><mesh name="m" file="mesh.obj"/>'
        "</asset>",
        MESH,
    ),
    "include": ('<include file="../../elsewhere/part.xml"/>', ""),
    "include of what is not there": ('<include file="ELSEWHERE/no.xml"/>', ""),
    "texture":
     ('<asset><texture type="2d" name="t" file="ELSEWHERE/mesh.obj"/></asset>', ""),
    "cube":
     ('<asset><texture type="cube" name="t" fileup="ELSEWHERE/mesh.obj"/></asset>', ""),
    "height field":
     ('<asset><hfield name="h" size="1 1 1 1" file="ELSEWHERE/mesh.obj"/></asset>', ""),
    "link": ('<asset><mesh name="m" file="folder/mesh.obj"/></asset>', MESH),
}  # fmt: skip
URDF = """<robot name="r"><link name="a"><visual><geometry>
<mesh filename="{}"/></geometry></visual></link></robot>"""


@pytest.mark.parametrize("name", FAR_ROBOTS)
def test_mjcf_robot_refuses_files_elsewhere(place, name):
    path = write(linked(place), MJCF.format(*FAR_ROBOTS[name]), "robot.xml")
    with pytest.raises(AccessError, match=r"elsewhere.*may not open.*--allow"):
        load_robot(path)
    with pytest.raises(RigFileError, match=r"file: .*elsewhere.*may not open.*--allow"):
        load(write(place, "bodies: {b: {file: robot.xml}}\n"))


def test_included_files_are_checked(place):
    inner = place / "game" / "models" / "inner.xml"
    mesh = place / "elsewhere" / "mesh.obj"
    inner.write_text(
        f'<mujocoinclude><asset><mesh name="m" file="{mesh}"/></asset></mujocoinclude>'
    )
    text = MJCF.format('<include file="../models/inner.xml"/>', MESH)
    path = write(place, text, "robot.xml")
    with pytest.raises(AccessError, match="elsewhere"):
        load_robot(path)
    assert len(load_robot(path, allow=[mesh.parent]).geoms[1]) == 2


@pytest.mark.parametrize("word", ["ELSEWHERE/mesh.obj", "package://elsewhere/far.obj"])
def test_urdf_robot_warns_of_files_elsewhere(place, word):
    (place / "elsewhere" / "far.obj").write_text(OBJ)
    path = write(place, URDF.format(word), "robot.urdf")
    refused = load_robot(path)
    assert not refused.geoms[1]
    assert re.search("elsewhere.*may not open.*--allow", refused.warnings[0])
    assert load_robot(path, allow=[place / "elsewhere"]).geoms[1]
    assert load(write(place, "name: x\n"), path, allow=[place / "elsewhere"]).model


@pytest.mark.parametrize("word", ["mesh.obj", "../models/mesh.obj"])
def test_robots_open_nearby_files(place, word):
    path = write(place, URDF.format(word), "robot.urdf")
    assert load_robot(path).geoms[1]
    asset = f'<asset><mesh name="m" file="{word}"/></asset>'
    path = write(place, MJCF.format(asset, MESH), "robot.xml")
    assert load_robot(path).geoms[1]
    load(write(place, "bodies: {b: {file: robot.xml}, c: {file: robot.urdf}}\n"))


# -- on the command line ---------------------------------------------------------------


@pytest.mark.parametrize("command", ["check", "info", "record", "bake", "convert"])
def test_commands_that_load_rigs_have_allow(place, capfd, command):
    there = place / "elsewhere"
    rig = write(place, "model: ELSEWHERE/humanoid.bam\nchains: {h: {leaf: LeftHand}}\n")
    (there / "humanoid.bam").write_bytes((ASSETS / "models/humanoid.bam").read_bytes())
    clip = write(place, "tracks: {h: {weight: {keys: {0: 1, 0.1: 1}}}}\n", "clip.yaml")
    out = place / ("out.bam" if command == "bake" else "out.yaml")
    words = {
        "check": [],
        "info": [],
        "record": [clip, "-o", out],
        "bake": [clip, "-o", out],
        "convert": ["--animation", "walk", "--fps", "2", "-o", out],
    }[command]
    line = [command, rig, *words]
    assert main([str(word) for word in line]) == 1
    assert f"--allow {there} on the command line" in capfd.readouterr().err
    assert main([str(word) for word in [*line, "--allow", there]]) == 0
    assert main([str(word) for word in [*line, "--allow", there / "no"]]) == 2


def test_videos_use_the_same_allowed_folders(place):
    from ikrig.scene.viewer import Scene

    rig = write(place, "model: ELSEWHERE/box.bam\n")
    scene = Scene(rig, ikrig.Clip(), None, 0.0, 1.0, allow=[place / "elsewhere"])
    assert scene.allow == [place / "elsewhere"]


def test_program_started_at_the_root_does_not_open_everything(tmp_path):
    folder = tmp_path / "game" / "rigs"
    folder.mkdir(parents=True)
    (tmp_path / "robot.yaml").write_text("bodies: [{name: arm}]")
    (folder / "rig.yaml").write_text(f"bodies: {{r: {{file: {tmp_path}/robot.yaml}}}}")
    path = p3d.get_model_path()
    try:
        path.append_directory(p3d.Filename(tmp_path.anchor))
        with pytest.raises(ikrig.IkrigError, match="may not open"):
            ikrig.load_rig(folder / "rig.yaml")
    finally:
        path.clear_local_value()


@pytest.mark.parametrize(("size", "most", "whole"), [(6, 6, True), (6, 5, False)])
@pytest.mark.parametrize("seen", [0, 3, 4, 5])
def test_growing_file_is_read_up_to_its_bound(
    tmp_path, monkeypatch, size, most, whole, seen
):
    path = tmp_path / "x.bin"
    path.write_bytes(b"abcdef")
    own = os.fstat

    def before(number):
        found = own(number)
        return SimpleNamespace(st_mode=found.st_mode, st_size=seen)

    monkeypatch.setattr(os, "fstat", before)
    if whole:
        assert read_file(path, most) == b"abcdef"
    else:
        with pytest.raises(OSError, match="not a regular file of at most"):
            read_file(path, most)


@pytest.mark.skipif(os.name == "nt", reason="needs files with holes")
def test_largest_file_has_64_megabytes(tmp_path):
    path = tmp_path / "x.bin"
    with path.open("wb") as stream:
        stream.truncate((64 << 20) + 1)
    with pytest.raises(OSError, match="not a regular file of at most 64 MB"):
        read_file(path)
    assert len(read_file(path, (64 << 20) + 1)) == (64 << 20) + 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_reading_leaves_no_file_open_and_waits_for_no_pipe(tmp_path):
    def next_number() -> int:
        number = os.open(os.devnull, os.O_RDONLY)
        os.close(number)
        return number

    path, pipe = tmp_path / "x.bin", tmp_path / "pipe"
    path.write_bytes(b"abc")
    os.mkfifo(pipe)
    before = next_number()
    for _ in range(3):
        assert read_file(path) == b"abc"
        for wrong in (pipe, tmp_path):
            with pytest.raises(OSError, match="not a regular file"):
                read_file(wrong)
    assert next_number() == before


def bomb(path, size):
    """Write a packed file that is small and has some bytes of blanks when unpacked."""
    pack = zlib.compressobj(1)
    head = b"<CoordinateSystem> { Z-up }\n"
    with path.open("wb") as file:
        file.write(pack.compress(head))
        for _ in range(size >> 20):
            file.write(pack.compress(b" " * (1 << 20)))
        file.write(pack.flush())


@pytest.mark.parametrize("text", ["../models/bomb.egg.pz", "bomb.egg"])
def test_packed_file_that_fills_the_memory_is_refused(place, monkeypatch, text):
    resource = pytest.importorskip("resource")
    path = p3d.DSearchPath(str(place / "game" / "models"))
    monkeypatch.setattr(
        p3d,
        "get_model_path",
        lambda: SimpleNamespace(get_value=lambda: path, get_directories=list),
    )
    bomb(place / "game" / "models" / "bomb.egg.pz", 520 << 20)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(RigFileError, match=r"model: bomb\.egg\.pz .* than 512 MB"):
        load(write(place, f"model: {text}\n"))
    # kilobytes
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 100_000


def test_packed_animation_is_measured_too(place, monkeypatch):
    monkeypatch.setattr(model_loader, "MOST_UNPACKED", 1 << 20)
    models = place / "game" / "models"
    shutil.copy(HUMANOID, models / "hero.bam")
    bomb(models / "walk.egg.pz", 2 << 20)
    rig = "model: ../models/hero.bam\nanimations: {walk: ../models/walk.egg.pz}\n"
    with pytest.raises(RigFileError, match=r"walk\.egg\.pz .* than 1 MB"):
        load(write(place, rig))


def test_every_refused_path_is_reported(place):
    far = place / "elsewhere" / "model.egg"
    far.write_text("")
    rig = write(
        place,
        f"model: {far}\nanimations:\n  walk: {far}\n  run: {far}\n"
        f"bodies:\n  arm: {{file: robot.yaml}}\nchains:\n  c: {{leaf: x, weight: 3}}\n",
    )
    write(
        place,
        f"name: r\nbodies:\n  - {{name: a, geoms: [{{kind: mesh, mesh: {far}}}]}}\n"
        "  - {name: b, geoms: [{kind: foo}]}\n",
        "robot.yaml",
    )
    with pytest.raises(RigFileError) as caught:
        load(rig)
    lines = [error.line for error in caught.value.diagnostics]
    assert lines == [1, 3, 4, 6, 8]
    with pytest.raises(RigFileError) as caught:
        load_robot(rig.with_name("robot.yaml"))
    assert [error.line for error in caught.value.diagnostics] == [3, 4]
