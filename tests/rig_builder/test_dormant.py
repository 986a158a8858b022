"""Unused chains stay dormant in a rig file, and wake when they are used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from tests.scene.actor.people import locals_of, most_apart
from tests.scene.actor.stage import HUMANOID


def walker(scene: p3d.NodePath) -> Any:
    actor = Actor(str(HUMANOID))
    actor.reparent_to(scene)
    actor.set_blend(frameBlend=True)
    return actor


@pytest.fixture
def scene() -> p3d.NodePath:
    return p3d.NodePath("scene")


@pytest.fixture
def pair(scene: p3d.NodePath, tmp_path: Path) -> tuple[ikrig.ActorRig, ikrig.Rig]:
    """A rig of ``auto``, and the same from its file on an Actor beside."""
    rig = ikrig.ActorRig.auto(walker(scene), limbs={"left_hand": None})
    path = tmp_path / "rig.yaml"
    ikrig.dump_rig(rig, path)
    other = walker(scene)
    return rig, ikrig.load_rig(path, other, scene)


def apart(rig: ikrig.ActorRig, loaded: ikrig.Rig) -> float:
    """How far the poses are apart in some frames of the walk, at most."""
    found = []
    for time in (0.0, 0.31, 0.6):
        for actor in (rig.actor, loaded._contents.actor_rig.actor):
            actor.get_anim_control("walk").pose(time * 30.0)
        rig.update(1 / 60)
        loaded.solve()
        poses = [locals_of(x) for x in (rig.actor, loaded._contents.actor_rig.actor)]
        found.append(most_apart(*poses))
    return max(found)


def plain(scene: p3d.NodePath, time: float) -> dict[str, p3d.LMatrix4f]:
    actor = walker(scene)
    actor.get_anim_control("walk").pose(time * 30.0)
    actor.get_part_bundle("modelRoot").force_update()
    return locals_of(actor)


def test_unused_chain_leaves_the_animation_unchanged(pair, scene) -> None:
    rig, loaded = pair
    assert apart(rig, loaded) < 1e-6
    assert most_apart(plain(scene, 0.6), locals_of(rig.actor)) < 1e-6
    assert {chain.weight for chain in loaded.chains.values()} == {0.0}


@pytest.mark.parametrize("name", ["right_hand", "left_foot", "head"])
def test_moved_target_wakes_the_chain(pair, scene, name) -> None:
    rig, loaded = pair
    for chain in (rig[name], loaded.chains[name]):
        chain.target.set_pos(chain.target, 0.1, 0.02, 0.15)
    assert apart(rig, loaded) < 1e-4
    assert most_apart(plain(scene, 0.6), locals_of(rig.actor)) > 0.05
    awake = [key for key, chain in loaded.chains.items() if chain.weight == 1.0]
    assert awake == [name]


def test_reload_keeps_the_dormant_state(pair) -> None:
    _, loaded = pair
    loaded.chains["head"].target.set_z(3.0)
    loaded.chains["left_foot"].weight = 0.5
    loaded.solve()
    loaded.chains["left_foot"].weight = 0.0
    loaded.reload()
    loaded.solve()
    found = {name: chain._final_weight for name, chain in loaded.chains.items()}
    assert found == {"right_hand": 0, "left_foot": 0, "right_foot": 0, "head": 1.0}
    # off by the game's wish, and off for nobody has asked
    for name in ("left_foot", "right_hand"):
        loaded.chains[name].target.set_y(-0.5)
    loaded.solve()
    assert loaded.chains["left_foot"].weight == 0.0
    assert loaded.chains["right_hand"].weight == 1.0


def test_chains_on_nodes_cannot_be_dormant(scene, tmp_path) -> None:
    path = tmp_path / "rig.yaml"
    nodes = "nodes: {a: {}, b: {parent: a, pos: [0, 0, 1]}}\n"
    path.write_text(
        f"{nodes}chains: {{c: {{leaf: b, chain_length: 1, dormant: true}}}}"
    )
    with pytest.raises(
        ikrig.RigFileError, match=r"dormant: .* is not a joint of an Actor"
    ):
        ikrig.load_rig(path, parent=scene)
