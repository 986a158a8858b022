"""Invalid MJCF and URDF files: refused in one sentence, and quickly."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from ikrig import IkrigError, ModelError
from ikrig.formats import xml_limits
from ikrig.formats.load_robot import load_robot

MJCF = "<mujoco><worldbody>{}</worldbody></mujoco>"
BODY = '<body><joint/><geom size="1"/>{}</body>'
HOSTILE = {
    "bodies": (MJCF.format(BODY.format("") * 16_000), "more than 800 bodies"),
    "links": ("<robot name='r'>" + "<link name='l'/>" * 3000 + "</robot>",
     "more than 800"),
    "repeated": (MJCF.format(f'<replicate count="100000">{BODY}</replicate>'),
     "more than 800 bodies"),
    "repeated again":
     (MJCF.format('<replicate count="100">' * 2 + BODY + "</replicate>" * 2),
      "more than 800 bodies"),
    "a cloth": (MJCF.format('<flexcomp count="999 999 9"/>'), "more than 800 bodies"),
    "elements": (MJCF.format("<site/>" * 200_000), "more than 100000 elements"),
    "deep": (MJCF.format("<body>" * 9000 + "</body>" * 9000),
     "nested more than 400 levels"),
    "a deep URDF": ("<a>" * 9000 + "</a>" * 9000, "nested more than 400 levels"),
    "megabytes": ("<!--" + "x" * (17 << 20), "not a regular file of at most 16 MB"),
    "a bomb": (
        '<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">'
        + "".join(
            f'<!ENTITY {new} "{f"&{old};" * 10}">'
            for old, new in zip("abcdefgh", "bcdefghi", strict=True)
        )
        + ']><mujoco model="&i;"/>',
        "limit on input amplification|unsupported",
    ),
    "a file as entity":
     ('<!DOCTYPE l [<!ENTITY a SYSTEM "/etc/passwd">]><mujoco model="&a;"/>', "entity"),
    "repeated sites": (MJCF.format('<replicate count="300000"><site/></replicate>'),
     "more than 100000 elements"),
    "a picture":
     ('<mujoco><asset><texture builtin="flat" width="30000"/></asset></mujoco>',
      "texture is too large"),
    "heights": ('<mujoco><asset><hfield nrow="20000" ncol="20000"/></asset></mujoco>',
     "hfield is too large"),
    "a smooth mesh": (
        '<mujoco><asset><mesh builtin="supersphere" params="4000 1 1"/></asset>'
        "</mujoco>",
        "mesh is too large",
    ),
    "folders times names": (
        "<mujoco>"
        + "".join(f'<compiler meshdir="{i}"/>' for i in range(5000))
        + "".join(f'<mesh file="{i}"/>' for i in range(5000))
        + "</mujoco>",
        "more than 20000 folders",
    ),
    "empty": ("", "no element found"),
    "no number": (MJCF.format(f'<body pos="nan 0 0">{BODY}</body>'), "finite"),
    "in itself": ('<mujoco><include file="robot.xml"/></mujoco>', "already included"),
}  # fmt: skip


def refused(path: Path, message: str | None = None) -> str:
    """Return the error of a file that is refused."""
    with pytest.raises(ModelError, match=message) as caught:
        load_robot(path)
    return str(caught.value)


@pytest.mark.parametrize("name", HOSTILE)
def test_invalid_files_give_one_sentence(name, tmp_path, monkeypatch):
    # MuJoCo writes a log
    monkeypatch.chdir(tmp_path)
    text, message = HOSTILE[name]
    path = tmp_path / "robot.xml"
    path.write_text(text)
    error = refused(path, message)
    assert error.startswith(f"{path}: ")
    assert len(error.splitlines()) == 1


def many(count: int, kind: str = "x") -> str:
    bodies = "".join(f'<body name="{kind}{i}"/>' for i in range(count))
    return f'<mujoco model="{kind}"><worldbody>{bodies}</worldbody></mujoco>'


SEVERAL = {
    "included": ('<mujoco><include file="a.xml"/><include file="b.xml"/></mujoco>',
     {"a": many(500), "b": many(500, "y")}, "more than 800 bodies"),
    "attached": (
        '<mujoco><asset><model name="a" file="a.xml"/></asset><worldbody>'
        + "".join(f'<attach model="a" prefix="{i}"/>' for i in range(9))
        + "</worldbody></mujoco>",
        {"a": many(100)},
        "more than 800 bodies",
    ),
    "attached to what is attached": (
        '<mujoco><asset><model name="b" file="b.xml"/><model name="a" file="a.xml"/>'
        "</asset><worldbody>"
        + "".join(f'<attach model="a" prefix="{i}"/>' for i in range(9))
        + "</worldbody></mujoco>",
        {
            "a": '<mujoco><asset><model name="b" file="b.xml"/></asset><worldbody>'
            + "".join(f'<attach model="b" prefix="{i}"/>' for i in range(9))
            + "</worldbody></mujoco>",
            "b": many(20),
        },
        "more than 800 bodies",
    ),
    "files": (
        "<mujoco>"
        + "".join(f'<include file="{i}.xml"/>' for i in range(120))
        + "</mujoco>",
        {str(i): "<mujoco/>" for i in range(120)},
        "more than 100 files",
    ),
}  # fmt: skip


TIMED = """
import sys
from time import process_time
from ikrig.errors import ModelError
from ikrig.formats.load_robot import load_robot
for path in sys.argv[1:]:
    times = []
    for _ in range(2):
        begin = process_time()
        try:
            load_robot(path)
        except ModelError:
            times.append(process_time() - begin)
    print(min(times))
"""


def test_each_is_refused_within_a_second_of_cpu_time(tmp_path):
    paths = []
    files = {name: (text, {}) for name, (text, _) in HOSTILE.items()}
    files |= {f"several {name}": row[:2] for name, row in SEVERAL.items()}
    for name, (text, others) in files.items():
        folder = tmp_path / name
        folder.mkdir()
        for other, inner in {"robot": text, **others}.items():
            (folder / f"{other}.xml").write_text(inner)
        paths.append(str(folder / "robot.xml"))
    # in a new process: this one may hold a gigabyte of other tests
    done = subprocess.run(
        [sys.executable, "-c", TIMED, *paths],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    times = dict(zip(files, map(float, done.stdout.split()), strict=True))
    assert {name: seconds for name, seconds in times.items() if seconds > 1.0} == {}


@pytest.mark.parametrize("name", SEVERAL)
def test_total_size_of_a_robots_files_is_bounded(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, others, message = SEVERAL[name]
    for other, inner in others.items():
        (tmp_path / f"{other}.xml").write_text(inner)
    (tmp_path / "robot.xml").write_text(text)
    refused(tmp_path / "robot.xml", message)


def test_attached_robot_is_read(tmp_path):
    text = (
        '<mujoco><asset><model name="a" file="a.xml"/></asset><worldbody>'
        '<attach model="a" prefix="l"/><attach model="a" prefix="r"/>'
        "</worldbody></mujoco>"
    )
    (tmp_path / "robot.xml").write_text(text)
    (tmp_path / "a.xml").write_text(many(300))
    assert len(load_robot(tmp_path / "robot.xml").body_names) > 600


@pytest.mark.parametrize("name", ["a\0.xml", "x" * 300, "no.xml", "robot.xml/no", "."])
def test_paths_that_are_not_files_are_reported(name, tmp_path):
    (tmp_path / "robot.xml").write_text("<mujoco/>")
    with pytest.raises(IkrigError):
        load_robot(f"{tmp_path}/{name}")
    with pytest.raises(IkrigError):
        load_robot(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_pipes_and_devices_do_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe.xml")
    for path in (tmp_path / "pipe.xml", Path("/dev/zero")):
        with pytest.raises(ModelError, match="not a regular file of at most"):
            load_robot(path)


def png(width: int, height: int) -> bytes:
    """The first bytes of a picture, and some more."""
    head = struct.pack(">I4sII", 13, b"IHDR", width, height)
    return b"\x89PNG\r\n\x1a\n" + head + bytes(100)


@pytest.mark.parametrize(
    ("sizes", "bad"),
    [
        ([(60_000, 60_000)], "60000 x 60000"),
        ([(1, 2**31)], "1 x 2147483648"),
        ([(7_000, 7_000)] * 3, "7000 x 7000"),
        ([(9_999, 9_999)], ""),
        ([(64, 64)] * 5, ""),
    ],
)
def test_pictures_that_decompress_too_large_are_refused(
    sizes, bad, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    names = [f"{k}.png" for k in range(len(sizes))]
    for name, size in zip(names, sizes, strict=True):
        (tmp_path / name).write_bytes(png(*size))
    textures = "".join(f'<texture name="{n}" file="{n}" type="2d"/>' for n in names)
    path = tmp_path / "robot.xml"
    body = f"<worldbody><body>{BODY}</body></worldbody>"
    path.write_text(f"<mujoco><asset>{textures}</asset>{body}</mujoco>")
    error = refused(path)
    # what is small enough is MuJoCo's to refuse, for it is no picture after all
    assert ("is too large" in error) == bool(bad)
    assert bad in error


@pytest.mark.parametrize("levels", [xml_limits.DEEPEST, xml_limits.DEEPEST + 1])
def test_nesting_is_refused_beyond_the_limit(tmp_path, levels):
    path = tmp_path / "robot.urdf"
    inner = levels - 1
    path.write_text("<robot>" + "<a>" * inner + "</a>" * inner + "</robot>")
    message = "more than 400 levels" if levels > 400 else "link"
    assert message in refused(path)


@pytest.mark.parametrize("beyond", [-1, 0, 1])
def test_files_are_read_whole_in_pieces_of_any_size(tmp_path, monkeypatch, beyond):
    path = tmp_path / "robot.urdf"
    links = "".join(f'<link name="l{k}"/>' for k in range(7))
    text = f"<robot>{links}</robot>"
    path.write_text(text)
    for count in range(1, 9):
        if len(text) % count == 0:
            monkeypatch.setattr(xml_limits, "PIECE", len(text) // count + beyond)
            assert "'l0', 'l1', 'l2', 'l3', 'l4', 'l5', 'l6'" in refused(path)


def repeated(inner: str, *counts: int, token: str = "replicate") -> str:
    for count in counts:
        inner = f'<{token} count="{count}">{inner}</{token}>'
    return inner


COUNTED = {
    "elements": ("MOST_ELEMENTS", "<a/><b><c/></b>", 4),
    "repeated elements": ("MOST_ELEMENTS", repeated("<a/>", 3), 5),
    "elements repeated in repetitions": ("MOST_ELEMENTS", repeated("<a/>", 3, 2), 10),
    "elements beside repetitions": ("MOST_ELEMENTS", repeated("", 9) + "<a/>", 3),
    "bodies": ("MOST_BODIES", "<body><body/></body><link/><site/>", 3),
    "repeated bodies": ("MOST_BODIES", repeated("<body/>", 3, 2) + "<body/>", 7),
    "a cloth": ("MOST_BODIES", '<flexcomp count="2 -3 4 9"/>', 24),
    "no number of a cloth": ("MOST_BODIES", '<flexcomp count="2 x"/><body/>', 2),
    "a composite": ("MOST_BODIES", repeated('<composite count="5"/>', 2), 10),
    "flat pictures": ("MOST_CELLS", '<texture type="2d" width="3" height="4"/>', 12),
    "a picture without height": ("MOST_CELLS", '<texture type="2d" width="3"/>', 0),
    "cubes": ("MOST_CELLS", '<texture width="3" height="9"/>' * 2, 108),
    "heights": ("MOST_CELLS", repeated('<hfield nrow="5" ncol="6"/>', 2), 60),
    "no heights": ("MOST_CELLS", '<hfield nrow="5"/><hfield ncol="5"/>', 0),
    "meshes": ("MOST_CELLS", '<mesh params="2 3 9"/><mesh params="3 2"/>', 18_000),
    "no pictures": ("MOST_CELLS", '<mesh/><texture/><hfield/><body width="9"/>', 0),
    "names in folders":
     ("MOST_POSITIONS",
      '<compiler meshdir="a" assetdir="b"/><mesh file="x"/><mesh file="y"/>', 6),
    "folders and names twice":
     ("MOST_POSITIONS",
      '<compiler meshdir="a" texturedir="a"/>' + '<mesh file="x"/>' * 2, 2),
    "attached bodies": ("MOST_BODIES",
     '<model file="one.xml"/><model file="three.xml"/>' + "<attach/>" * 2, 6),
    "included bodies": ("MOST_BODIES",
     '<include file="one.xml"/><include file="three.xml"/><body/>', 5),
    "files": ("MOST_FILES", '<model file="one.xml"/><include file="three.xml"/>', 3),
    "one file twice": ("MOST_FILES", '<model file="one.xml"/>' * 2, 2),
    "missing files": ("MOST_FILES", '<include file="none.xml"/>', 1),
    "pictures": ("MOST_PIXELS",
     '<texture file="3x4.png"/><texture fileright="5x6.png"/>', 42),
    "one picture twice": ("MOST_PIXELS", '<texture file="3x4.png"/>' * 2, 12),
    "a short picture": ("MOST_PIXELS",
     '<texture file="short.png"/><texture file="3x4.png"/>', 12),
}  # fmt: skip


@pytest.mark.parametrize("name", COUNTED)
def test_files_are_counted_exactly(name, tmp_path, monkeypatch):
    """As many as the limit are read, one more is refused; counted by hand."""
    limit, text, count = COUNTED[name]
    (tmp_path / "one.xml").write_text("<mujoco><body/></mujoco>")
    (tmp_path / "three.xml").write_text(f"<mujoco>{'<body/>' * 3}</mujoco>")
    for sizes in ((3, 4), (5, 6)):
        (tmp_path / "{}x{}.png".format(*sizes)).write_bytes(png(*sizes))
    (tmp_path / "short.png").write_bytes(png(9, 9)[:23])
    path = tmp_path / "robot.xml"
    path.write_text(f"<mujoco>{text}</mujoco>")
    monkeypatch.setattr(xml_limits, limit, count)
    xml_limits.RobotFiles(path, None)
    monkeypatch.setattr(xml_limits, limit, count - 1)
    with pytest.raises(ModelError, match=f"{count - 1}|too large"):
        xml_limits.RobotFiles(path, None)
