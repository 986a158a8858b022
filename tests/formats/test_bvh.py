"""BVH files, judged by forward kinematics from their own angles, in plain loops."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

import ikrig
from ikrig.formats import bvh

AXES = "XYZ"

FILE = """HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT left knee
  {
    OFFSET 0 -40 5
    CHANNELS 1 Xrotation
    End Site
    {
      OFFSET 0 -45 0
    }
  }
  JOINT spine
  {
    OFFSET 0 90 0
    CHANNELS 3 Yrotation Zrotation Xrotation
  }
}
MOTION
Frames: 2
Frame Time: .0333333
1 2 3 10 20 30 -40 5 6 7
2 2 3 11 20 30 -50 5 6 8
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "walk.bvh"
    path.write_text(text, "utf-8")
    return path


# -- the oracle ------------------------------------------------------------------------


def turn(axis: str, degrees: float) -> list[list[float]]:
    s, c = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    return {
        "X": [[1, 0, 0], [0, c, -s], [0, s, c]],
        "Y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        "Z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    }[axis]


def times(a, b):
    return [
        [sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)
    ]


def plus(a, m, b):
    return [a[i] + sum(m[i][k] * b[k] for k in range(3)) for i in range(3)]


def places(joints, row) -> dict[str, list[float]]:
    """World positions of (name, parent, offset, channels), in the file's own axes."""
    world: dict[str, tuple] = {}
    values = iter(row)
    for name, parent, offset, channels in joints:
        at, own = list(offset), [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        for channel in channels:
            value = next(values)
            if channel.endswith("position"):
                at[AXES.index(channel[0])] = value
            else:
                own = times(own, turn(channel[0], value))
        if parent is None:
            world[name] = (own, at)
        else:
            above, origin = world[parent]
            world[name] = (times(above, own), plus(origin, above, at))
    return {name: at for name, (_, at) in world.items()}


def as_text(joints, rows, seconds: float) -> str:
    lines = ["HIERARCHY"]

    def add(name, parent, offset, channels, pad):
        kind = "ROOT" if parent is None else "JOINT"
        end = not channels and name.endswith("_end")
        lines.append(f"{pad}End Site" if end else f"{pad}{kind} {name}")
        lines.extend([f"{pad}{{", f"{pad}OFFSET {' '.join(map(str, offset))}"])
        if not end:
            lines.append(f"{pad}CHANNELS {len(channels)} {' '.join(channels)}")
        for child in joints:
            if child[1] == name:
                add(*child, pad + "\t")
        lines.append(f"{pad}}}")

    add(*joints[0], "")
    lines += ["MOTION", f"Frames: {len(rows)}", f"Frame Time: {seconds}"]
    lines += [" ".join(f"{v:.6f}" for v in row) for row in rows]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("up", ["y", "z"])
def test_joints_are_where_the_files_angles_put_them(tmp_path, seed, up):
    dice = random.Random(seed)
    joints: list[tuple] = []
    for k in range(9):
        # in the order of the file: each is below one of the last line
        line = [joints[-1][0]] if joints else []
        while line and joints[[j[0] for j in joints].index(line[-1])][1] is not None:
            line.append(joints[[j[0] for j in joints].index(line[-1])][1])
        parent = (
            dice.choice([n for n in line if not n.endswith("_end")]) if line else None
        )
        channels = [f"{a}rotation" for a in dice.sample(AXES, dice.randint(1, 3))]
        if k % 3 == 0:
            channels += [f"{a}position" for a in dice.sample(AXES, dice.randint(1, 3))]
            dice.shuffle(channels)
        offset = [round(dice.uniform(-30, 90), 3) for _ in AXES]
        joints.append((f"joint{k}", parent, offset, channels))
    joints.append(("joint8_end", "joint8", [1.0, 2.0, 3.0], []))
    rows = [
        [round(dice.uniform(-170, 170), 6) for j in joints for _ in j[3]]
        for _ in range(4)
    ]
    text = as_text(joints, rows, 0.02)
    motion = ikrig.load_bvh(write(tmp_path, text), scale=0.01, up=up)
    assert motion.fps == pytest.approx(50.0)
    assert motion.duration == pytest.approx(0.06)
    for frame, row in enumerate(rows):
        for name, (x, y, z) in places(joints, row).items():
            wanted = (x, -z, y) if up == "y" else (x, y, z)
            found = motion.global_positions[frame, motion.index(name)]
            np.testing.assert_allclose(found, 0.01 * np.array(wanted), atol=1e-8)


def test_what_a_file_says_and_what_is_guessed(tmp_path):
    motion = ikrig.load_bvh(write(tmp_path, FILE))
    assert motion.names == ("hips", "left knee", "left knee_end", "spine")
    assert motion.parents == (-1, 0, 1, 0)
    assert (len(motion), motion.name) == (2, "walk")
    assert motion.fps == pytest.approx(30.0, rel=1e-12)
    # 175 units are 1.75 m: centimetres
    rate, unit = motion.notes
    assert "30 frames per second" in rate
    assert "centimetres" in unit and "scale=0.01" in unit
    np.testing.assert_allclose(motion.rest_positions[2], (0, -0.05, -0.85), atol=1e-12)
    assert "centimetres" not in str(
        ikrig.load_bvh(motion_path(tmp_path), scale=2.0).notes
    )
    lying = ikrig.load_bvh(motion_path(tmp_path), up="z").notes
    assert any("up='y'" in note for note in lying)


def motion_path(folder: Path) -> Path:
    return folder / "walk.bvh"


@pytest.mark.parametrize(
    ("units", "scale", "word"),
    [(1.75, 1.0, "metres"), (68, 0.0254, "inches"), (1750, 0.001, "millimetres"),
     (30, 0.0564, "CMU")],
)  # fmt: skip
def test_units_are_guessed_from_the_size(tmp_path, units, scale, word):
    text = FILE.replace("0 -45 0", f"0 {40 - 0.5 * units} 0")
    text = text.replace("0 90 0", f"0 {0.5 * units} 0").replace("0 -40 5", "0 -40 0")
    if units < 40:
        text = text.replace("0 -40 0", "0 0 0").replace(
            f"0 {40 - 0.5 * units} 0", f"0 {-0.5 * units} 0"
        )
    motion = ikrig.load_bvh(write(tmp_path, text))
    assert word in motion.notes[-1] and f"scale={scale:g}" in motion.notes[-1]


def test_joints_of_one_name_are_told_apart(tmp_path):
    motion = ikrig.load_bvh(write(tmp_path, FILE.replace("spine", "left knee")))
    assert motion.names[3] == "left knee.2"
    assert any("'left knee.2'" in note for note in motion.notes)


ODD = {
    "tight colons": lambda text: text.replace(": ", ":"),
    "colons apart": lambda text: text.replace(":", " :"),
    "no colons": lambda text: text.replace(":", ""),
    "an end with a name": lambda text: text.replace("End Site", "End Site toe tip"),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "CR": lambda text: text.replace("\n", "\r"),
    "tabs and blank lines": lambda text: text.replace(" ", "\t") + "\n \n",
    "lower case": str.lower,
    "byte order mark": lambda text: "\ufeff" + text,
}


@pytest.mark.parametrize(
    ("name", "encoding"), [*((name, "utf-8") for name in ODD), ("CRLF", "utf-16")]
)
def test_files_of_other_programs_are_read(tmp_path, name, encoding):
    text = FILE.replace("left knee", "knee")
    motion = ikrig.load_bvh(write(tmp_path, text))
    path = tmp_path / "odd.bvh"
    path.write_bytes(ODD[name](text).encode(encoding))
    other = ikrig.load_bvh(path)
    assert other.names == motion.names and other.fps == motion.fps
    np.testing.assert_array_equal(other.global_positions, motion.global_positions)


BROKEN = {
    "no hierarchy": ("HIERARCHY", "HIER", 1, "'HIER' should be HIERARCHY"),
    "no frames": ("Frames: 2", "Frames: 0", 22, "0 frames"),
    "half a frame": ("Frames: 2", "Frames: 1.5", 22, "whole number"),
    "frames lost": ("Frames: 2", "Frames: 3", 25, "2 frames, but Frames is 3"),
    "frames too many": ("Frames: 2", "Frames: 1", 25, "frame 2, but Frames is 1"),
    "values lost": (" 5 6 7", " 5 6", 24, "frame 1 has 9 values, but there are 10"),
    "a value too many": (" 5 6 8", " 5 6 8 9", 25, "frame 2 has 11 values"),
    "not a number": (" 5 6 7", " 5 six 7", 24, "frame 1: 'six' is not a number"),
    "NaN": (" 5 6 8", " 5 nan 8", 25, "within ±1e+09, not nan"),
    "infinite": (" 5 6 8", " 5 inf 8", 25, "within ±1e+09, not inf"),
    "an offset's word": ("0 -40 5", "0 low 5", 8, "OFFSET of 'left knee': 'low'"),
    "no offset": ("    OFFSET 0 -40 5\n", "", 6, "'left knee' has no OFFSET"),
    "a channel's name": ("1 Xrotation", "1 Xrotatoin", 9, "did you mean 'Xrotation'"),
    "channels lost": ("1 Xrotation", "2 Xrotation", 10, "'End' is unknown"),
    "a joint not closed": ("    }\n  }\n", "    }\n", 20, "'motion' can't"),
    "no time": ("Frame Time: .0333333", "Frame Time:", 23, "Frame Time has no value"),
    "frame time 0": (".0333333", "0", 23, "from 0.001 to 10, not 0"),
    "nothing after": ("MOTION\n", "", 21, "'frames' can't stand here"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_errors_name_line_and_reason(tmp_path, name):
    old, new, line, words = BROKEN[name]
    assert old in FILE
    path = write(tmp_path, FILE.replace(old, new, 1))
    with pytest.raises(ikrig.MotionFileError) as caught:
        ikrig.load_bvh(path)
    (found,) = caught.value.diagnostics
    assert words in found.message
    assert found.line == line, found
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("cut", range(0, len(FILE) - 4, 7))
def test_files_that_were_cut_off_give_one_error(tmp_path, cut):
    with pytest.raises(ikrig.MotionFileError) as caught:
        ikrig.load_bvh(write(tmp_path, FILE[:cut]))
    assert len(caught.value.diagnostics) == 1


def test_sizes_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(bvh, "MOST_JOINTS", 3)
    with pytest.raises(ikrig.MotionFileError, match="more than 3 joints"):
        ikrig.load_bvh(write(tmp_path, FILE))
    monkeypatch.setattr(bvh, "MOST_JOINTS", 4)
    monkeypatch.setattr(bvh, "MOST_POSES", 7)
    with pytest.raises(ikrig.MotionFileError, match="whole number from 0 to 1, not 2"):
        ikrig.load_bvh(write(tmp_path, FILE))


def test_other_files_and_arguments_are_refused(tmp_path):
    with pytest.raises(ikrig.MotionFileError, match="No such file"):
        ikrig.load_bvh(tmp_path / "none.bvh")
    with pytest.raises(ikrig.MotionFileError, match="must be the path"):
        ikrig.load_bvh(3)  # type: ignore[arg-type]
    path = write(tmp_path, FILE)
    with pytest.raises(ikrig.SettingError, match="up must be one of y, z, not 'x'"):
        ikrig.load_bvh(path, up="x")
    with pytest.raises(ikrig.SettingError, match="scale must be a number above 0"):
        ikrig.load_bvh(path, scale=0.0)
