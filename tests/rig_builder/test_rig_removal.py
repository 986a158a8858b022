"""What is removed with a rig, and what a failed load leaves behind."""

from __future__ import annotations

from pathlib import Path

import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig.scene.rig_builder.summary import summary
from tests.scene.actor.stage import HUMANOID

RIG = Path(__file__).parents[2] / "assets/rigs/humanoid.yaml"
HAND = "chains: {hand: {leaf: LeftHand, chain_length: 2}}\n"
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


def test_given_actor_stays_in_the_scene(tmp_path: Path):
    actor, above = Actor(str(HUMANOID)), p3d.NodePath("scene")
    actor.reparent_to(above)
    path = tmp_path / "rig.yaml"
    path.write_text(HAND)
    rig = ikrig.load_rig(path, actor)
    rig.targets["hand"].set_pos(0.3, -0.4, 1.2)
    rig.solve()
    rig.remove()
    assert not actor.is_empty() and actor.get_parent() == above
    assert above.find("**/LeftHand Target").is_empty()
    # it can be rigged again
    assert ikrig.load_rig(path, actor).chains["hand"].solve().status


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


def test_actor_of_the_file_is_cleaned_up_with_the_rig():
    rig = ikrig.load_rig(RIG)
    actor = rig.actor_rig.actor
    assert actor.get_part_names()
    rig.remove()
    # what else would hold its joints, clips and geometry
    assert actor.is_empty() and not actor.get_part_names()


def test_failed_load_leaves_nothing_behind(tmp_path: Path):
    model, _ = card(tmp_path)
    path, scene = tmp_path / "rig.yaml", p3d.NodePath("scene")
    path.write_text(f"model: {model.name}\n{NODES}\nchains: {{c: {{leaf: d}}}}\n")
    with pytest.raises(ikrig.RigFileError, match="leaf"):
        ikrig.load_rig(path, parent=scene)
    assert scene.get_num_children() == 0


def test_model_size_is_reported(tmp_path: Path):
    found = summary(HUMANOID)
    assert len(found["size"]) == 3
    low, high = Actor(str(HUMANOID)).get_tight_bounds()
    assert found["size"] == pytest.approx([*(high - low)])
    assert {a["name"] for a in found["animations"]} >= {"walk", "run"}
    for animation in found["animations"]:
        frames, fps = animation["frames"], animation["fps"]
        # the last frame is where it ends, not one more step
        assert animation["seconds"] == pytest.approx((frames - 1) / fps)


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
