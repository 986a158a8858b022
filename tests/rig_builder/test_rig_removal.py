"""What is removed with a rig, and what a failed load leaves behind."""

from __future__ import annotations

from pathlib import Path

import panda3d.core as p3d
import pytest

import ikrig

NODES = "nodes: {a: {}, b: {parent: a, pos: [0, 0, 1]}, c: {parent: b, pos: [0, 0, 1]}}"


PICTURES = ("look.png", "mask.png")


def card(folder: Path) -> tuple[Path, Path]:
    """A model of one picture with transparency from another, and the picture."""
    picture, model = folder / "look.png", folder / "card.bam"
    image = p3d.PNMImage(2, 2)
    names = [p3d.Filename.from_os_specific(str(folder / n)) for n in PICTURES]
    for name in names:
        image.write(name)
    texture = p3d.Texture()
    texture.read(names[0], names[1], 4, 0)
    node = p3d.NodePath(p3d.CardMaker("card").generate())
    node.set_texture(texture)
    node.write_bam_file(p3d.Filename.from_os_specific(str(model)))
    return model, picture


def test_model_of_the_file_is_removed_with_the_rig(tmp_path: Path):
    model, picture = card(tmp_path)
    path, scene = tmp_path / "rig.yaml", p3d.NodePath("scene")
    path.write_text(f"model: {model.name}\n{NODES}\nchains: {{c: {{leaf: c}}}}\n")
    rig = ikrig.load_rig(path, parent=scene)
    assert not scene.find("**/card").is_empty()
    # nothing that it was made of is written over
    made_of = {model, path, picture, picture.with_name("mask.png")}
    assert {file.resolve() for file in made_of} <= {
        source.resolve() for source in rig.sources
    }
    rig.remove()
    assert scene.get_num_children() == 0


def test_failed_load_leaves_nothing_behind(tmp_path: Path):
    model, _ = card(tmp_path)
    path, scene = tmp_path / "rig.yaml", p3d.NodePath("scene")
    path.write_text(f"model: {model.name}\n{NODES}\nchains: {{c: {{leaf: d}}}}\n")
    with pytest.raises(ikrig.RigFileError, match="leaf"):
        ikrig.load_rig(path, parent=scene)
    assert scene.get_num_children() == 0


@pytest.mark.parametrize("what", ["leaf", "target", "pole"])
def test_rig_without_one_of_its_nodes_is_not_written(what: str) -> None:
    scene = p3d.NodePath("scene")
    leaf = scene.attach_new_node("arm")
    for name in ("elbow", "hand"):
        leaf = leaf.attach_new_node(name)
        leaf.set_pos(0, 0.1, 1)
    target, pole = scene.attach_new_node("target"), scene.attach_new_node("pole")
    chain = ikrig.IKChain(leaf, 2, target, pole)
    {"leaf": leaf, "target": target, "pole": pole}[what].remove_node()
    with pytest.raises(ikrig.BindError, match=f"{what} of .* was removed"):
        ikrig.dump_rig(chain)
    if what == "target":
        with pytest.raises(ikrig.BindError, match=r"target of .* was removed"):
            chain.effectors[0].set_offset()
