"""A custom kind of rig is one class, which files, clips and gizmos accept."""

from __future__ import annotations

import panda3d.core as p3d
import pytest
import yaml

import ikrig
from ikrig.scene.animation.property_bindings import PropertyBindings
from ikrig.scene.ik.system import LayeredRig
from ikrig.scene.rig_builder.contents import contents_of, sources_of
from tests.scene.conftest import limb


class Pair(LayeredRig):
    """Two chains, solved one after the other."""

    title = "a pair"

    def __init__(self, *chains: ikrig.IKChain) -> None:
        self._system = None
        self._chains = chains
        self._figure = chains[0].root

    @property
    def layers(self):
        return self._chains

    def _named_components(self):
        return dict(zip(("left", "right"), self.layers, strict=True))

    def update(self, dt):
        for chain in self.layers:
            chain.update(dt)

    solve = update


@pytest.fixture
def pair(world):
    tops = [world.attach_new_node(name) for name in ("a", "b")]
    return Pair(*(ikrig.IKChain(limb(top)[-1], 4) for top in tops))


def test_files_clips_and_gizmos_accept_a_custom_rig(world, pair, tmp_path):
    text = ikrig.dump_rig(pair)
    chains = yaml.safe_load(text)["chains"]
    assert {name: chain["leaf"] for name, chain in chains.items()} == {
        name: pair.layers[k].effectors[0].leaf.get_name()
        for k, name in enumerate(("left", "right"))
    }
    bindings = PropertyBindings(pair)
    binding = bindings.binding("right", "target")
    binding.write([1.0, 2.0, 3.0])
    assert pair.layers[1].target.get_pos() == p3d.LPoint3f(1, 2, 3)
    assert bindings.is_current
    camera = world.attach_new_node(p3d.Camera("camera"))
    gizmos = ikrig.Gizmos(world, camera)
    gizmos.add(pair)
    gizmos.remove(pair)
    assert pair._components == pair.layers
    assert pair._named_layers() == list(pair._named_components().items())


def test_rig_with_invalid_layers_is_refused(world, pair):
    clip = ikrig.Clip("still", [ikrig.Track("left", "weight", {0: 1})])
    player = ikrig.ClipPlayer(clip, pair)
    camera = world.attach_new_node(p3d.Camera("camera"))
    with pytest.raises(ikrig.SettingError, match="gizmos can show"):
        ikrig.Gizmos(world, camera).add(player)
    with pytest.raises(ikrig.BindError, match="rig must be"):
        ikrig.dump_rig(player)


def test_parts_of_a_tree_are_its_effectors(world):
    nodes = limb(world)
    tree = ikrig.IKTree(nodes[0], {nodes[-1]: None}, pinned=True)
    parts = contents_of({"body": tree})
    assert parts.trees == {"body": tree}
    assert list(parts.effectors.values()) == list(tree.effectors)


def test_sources_of_rigs_are_their_files(world, tmp_path):
    path = tmp_path / "rig.yaml"
    path.write_text("nodes: {a: {}, b: {parent: a}}\n")
    rig = ikrig.load_rig(path, parent=world)
    assert sources_of(rig) == sources_of({"one": rig}) == {path}
