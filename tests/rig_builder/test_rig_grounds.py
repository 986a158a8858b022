"""Grounds named by a rig file or given by its loader, below real feet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
import yaml
from direct.actor.Actor import Actor

import ikrig
from ikrig.scene.rig_builder import behaviour_factory
from tests.scene.actor.people import net
from tests.scene.actor.stage import HUMANOID

SOLE = 0.085
"""How high an ankle is above flat ground [m]."""
FIELD = "heightfield: hills.npy, origin: [-2, -2], size: [4, 4], height: 0.5"


class Load:
    """The humanoid, rigged by a file of one behaviour."""

    def __init__(self, folder: Path, ground: str, **given: Any) -> None:
        self.scene = p3d.NodePath("scene")
        self.actor = Actor(str(HUMANOID))
        self.actor.reparent_to(self.scene)
        self.file = folder / "rig.yaml"
        self.file.write_text(f"behaviours:\n  steps: {{kind: feet, {ground}}}\n")
        self.rig = ikrig.load_rig(self.file, self.actor, **given)

    def ankle(self, joint: str = "LeftFoot") -> float:
        """How high Panda3D has an ankle after a while."""
        for _ in range(90):
            self.rig.actor_rig.update(1 / 60)
        return float(net(self.actor, joint).get_row3(3)[2])


def write_array(folder: Path) -> None:
    """Write ground that is 0.1 high everywhere."""
    np.save(folder / "hills.npy", np.full((5, 5), 0.1))


def test_array_ground_survives_a_round_trip(tmp_path: Path) -> None:
    write_array(tmp_path)
    load = Load(tmp_path, FIELD)
    assert load.ankle() == pytest.approx(SOLE + 0.05, abs=0.01)
    ground: Any = load.rig.behaviours["steps"].ground
    assert (ground.origin, ground.size) == ((-2.0, -2.0), (4.0, 4.0))
    text = ikrig.dump_rig(load.rig)
    assert (
        yaml.safe_load(text)["behaviours"]
        == yaml.safe_load(load.file.read_text())["behaviours"]
    )
    # a file elsewhere names it from there, and is not written over it
    (tmp_path / "other").mkdir()
    moved = tmp_path / "other" / "rig.yaml"
    ikrig.dump_rig(load.rig, moved)
    assert "../hills.npy" in moved.read_text()
    again = ikrig.load_rig(moved, Actor(str(HUMANOID)))
    assert again.behaviours["steps"].ground.height(0.0, 0.0) == pytest.approx(0.05)
    assert (tmp_path / "hills.npy").resolve() in {p.resolve() for p in load.rig.sources}


@pytest.mark.parametrize(("most", "channels"), [(255, 1), (65535, 1), (255, 3)])
def test_image_is_ground(tmp_path: Path, most: int, channels: int) -> None:
    image = p3d.PNMImage(3, 4, channels, most)
    image.fill(0.0)
    # upper left: least x, most y
    image.set_gray(0, 0, 1.0) if channels == 1 else image.set_xel(0, 0, 1.0)
    assert image.write(p3d.Filename.from_os_specific(str(tmp_path / "h.png")))
    load = Load(
        tmp_path, "heightfield: h.png, origin: [-1, -1.5], size: [2, 3], height: 2"
    )
    ground = load.rig.behaviours["steps"].ground
    assert ground.shape == (4, 3)
    assert ground.height(-1.0, 1.5) == pytest.approx(2.0)
    assert ground.height(-0.5, 1.5) == pytest.approx(1.0)
    assert ground.height(-1.0, -1.5) == ground.height(1.0, 1.5) == 0.0
    assert load.ankle() == pytest.approx(SOLE, abs=0.01)


def test_changed_height_file_is_reloaded(tmp_path: Path) -> None:
    write_array(tmp_path)
    load = Load(tmp_path, FIELD, watch=True)
    before = load.rig.behaviours["steps"]
    load.rig.reload()
    assert load.rig.behaviours["steps"] is before
    np.save(tmp_path / "hills.npy", np.full((6, 6), 0.2))
    load.rig.update(0.0)
    assert load.rig.behaviours["steps"] is not before
    assert load.ankle() == pytest.approx(SOLE + 0.1, abs=0.01)


@pytest.mark.parametrize("file", ["ground: nowhere", FIELD, "ground: 0.3", "weight: 1"])
def test_given_ground_replaces_that_of_the_file(tmp_path: Path, file: str) -> None:
    load = Load(tmp_path, file, grounds={"steps": lambda x, y: 0.1})
    assert load.ankle() == pytest.approx(SOLE + 0.1, abs=0.01)
    load.rig.behaviours["steps"].ground = ikrig.Heightfield(
        np.zeros((2, 2)), (-5, -5), (10, 10)
    )
    assert load.ankle() == pytest.approx(SOLE, abs=0.01)
    # as the file has it
    assert (
        yaml.safe_load(ikrig.dump_rig(load.rig))["behaviours"]
        == yaml.safe_load(load.file.read_text())["behaviours"]
    )


def test_given_ground_may_be_a_height(tmp_path: Path) -> None:
    load = Load(tmp_path, "weight: 1", grounds={"steps": 0.05})
    assert load.ankle() == pytest.approx(SOLE + 0.05, abs=0.01)


@pytest.mark.parametrize(
    ("grounds", "message"),
    [
        ({"stepps": 0.0}, "no behaviour 'stepps' with a ground.*'steps'"),
        (0.0, "grounds must be a dict of grounds by behaviour name.* not 0.0"),
    ],
)
def test_grounds_for_unknown_feet_are_refused(tmp_path, grounds, message):
    with pytest.raises(ikrig.BindError, match=message):
        Load(tmp_path, "ground: 0", grounds=grounds)


def test_invalid_given_ground_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ikrig.RigFileError, match=r"ground must be .* not 'level'"):
        Load(tmp_path, "ground: 0", grounds={"steps": "level"})


@pytest.mark.parametrize(
    ("ground", "message"),
    [
        ("heightfield: hils.npy", "heightfield: 'hils.npy': .*No such file"),
        ("heightfield: rig.yaml",
         "'rig.yaml' must have one of these endings: .npy, .png"),
        ("heightfield: broken.png", "'broken.png' is not an image"),
        ("heightfield: broken.npy", "'broken.npy': not a .npy file"),
        ("heightfield: line.npy", r"'line.npy': .*not float64 of shape \(9,\)"),
        ("heightfield: words.npy",
         "'words.npy': the array must have two dimensions.* not <U1"),
        ("heightfield: thin.npy", "'thin.npy': heights must be an array of at least 2"),
        ("heightfield: cut.npy", "'cut.npy': the .npy file is incomplete"),
        ("heightfield: huge.npy",
         "9000000 x 9000000 heights exceed the maximum of 4194304"),
        ("heightfield: ../../../etc/h.png", "heightfield: .* may not open"),
        ("heightfield: 3", "heightfield must be the path of an image or a .npy file"),
        (FIELD + ", ground: 0", "ground.*heightfield|heightfield.*ground"),
        (FIELD.replace("[4, 4]", "[4, 0]"), "size must be two numbers above 0"),
        ("size: [4, 4]", "size applies to a heightfield only"),
        (FIELD.replace("height: 0.5", "hight: 0.5"), "did you mean"),
    ],
)  # fmt: skip
def test_ground_errors_have_lines(tmp_path: Path, ground: str, message: str) -> None:
    write_array(tmp_path)
    (tmp_path / "broken.png").write_bytes(b"no image")
    (tmp_path / "broken.npy").write_bytes(b"no array")
    np.save(tmp_path / "line.npy", np.zeros(9))
    np.save(tmp_path / "thin.npy", np.zeros((1, 9)))
    np.save(tmp_path / "words.npy", np.full((2, 2), "x"))
    whole = (tmp_path / "hills.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(whole[:-9])
    with open(tmp_path / "huge.npy", "wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (9000000, 9000000)}
        np.lib.format.write_array_header_1_0(file, header)
    with pytest.raises(ikrig.RigFileError, match=message) as caught:
        Load(tmp_path, ground)
    assert [mistake.line for mistake in caught.value.diagnostics] == [2]


def test_size_of_an_image_is_bounded(monkeypatch) -> None:
    image, stream = p3d.PNMImage(5, 4, 1), p3d.StringStream()
    image.write(stream, "hills.png")
    monkeypatch.setattr(behaviour_factory, "MAX_HEIGHTS", 19)
    with pytest.raises(ikrig.BindError, match="4 x 5 heights exceed"):
        behaviour_factory._image(stream.get_data(), "hills.png")
