"""Limits and followers that nodes bring along as python tags."""

from __future__ import annotations

from types import SimpleNamespace

import panda3d.core as p3d
import pytest

from ikrig import BindError, FixedLimit, HingeLimit, IKChain, SlideLimit
from ikrig.scene.ik.joint_tags import TAG, read_follower_updates, read_limits


def row(world: p3d.NodePath, *tags: object, scale: float = 1.0) -> list[p3d.NodePath]:
    """Nodes one on the other, each with its tag, and a tip."""
    nodes, above = [], world
    for k, tag in enumerate((*tags, None)):
        above = above.attach_new_node(f"j{k}")
        above.set_pos(0, 0, 1)
        above.set_scale(scale if k == 0 else 1.0)
        if tag is not None:
            above.set_python_tag(TAG, tag)
        nodes.append(above)
    return nodes


def test_limits_are_those_of_tags_or_of_their_values(world) -> None:
    bare, held = HingeLimit("x", -1.0, 1.0), HingeLimit("y", -0.5, 0.5)
    nodes = row(world, bare, SimpleNamespace(limit=held), SimpleNamespace(limit=None))
    assert read_limits(nodes) == {0: bare, 1: held}
    chain = IKChain(nodes[-1], 3, solver="dls")
    assert set(chain.limits) == {"j0", "j1"}
    # limits of the chain go before those of its nodes
    own = HingeLimit("z", -0.2, 0.2)
    chain = IKChain(nodes[-1], 3, solver="dls", limits={"j1": own})
    assert chain.limits["j1"].axis == pytest.approx((0, 0, 1))
    assert chain.limits["j0"].axis == pytest.approx((1, 0, 0))


@pytest.mark.parametrize("wrong", [3, "hinge", SimpleNamespace(limit=(0, 1))])
def test_tags_without_a_limit_are_named(world, wrong) -> None:
    nodes = row(world, HingeLimit("x", -1.0, 1.0), wrong)
    with pytest.raises(BindError, match=r"python tag 'ikrig-joint' of world/j0/j1 .*"):
        IKChain(nodes[-1], 2, solver="dls")


@pytest.mark.parametrize("scale", [1.0, 0.5, -2.0])
def test_couplings_are_those_of_the_scaled_nodes(world, scale) -> None:
    """A slide's length is in units of its parent; an angle is one anywhere."""
    nodes = row(
        world,
        HingeLimit("x", -1.0, 1.0),
        SlideLimit("z", -0.5, 0.5),
        SlideLimit("x", follows=("j0", 0.25, 0.125)),
        HingeLimit("y", follows=("j1", 4.0, 0.5)),
        SlideLimit("z", follows=("j1", 3.0, 0.25)),
        scale=scale,
    )
    limits = IKChain(nodes[-1], 5, solver="dls").limits
    size = abs(scale)
    assert limits["j1"].upper == pytest.approx(0.5 * size)
    assert limits["j2"].follows == (0, *map(pytest.approx, (0.25 * size, 0.125 * size)))
    assert limits["j3"].follows == (1, pytest.approx(4.0 / size), 0.5)
    assert limits["j4"].follows == (1, *map(pytest.approx, (3.0, 0.25 * size)))


def test_followers_of_nobody_are_held(world) -> None:
    free = HingeLimit("x", -1.0, 1.0)
    nodes = row(world, free, HingeLimit("y", follows=("elsewhere", 2.0, 0.0)), free)
    assert IKChain(nodes[-1], 3, solver="dls").limits["j1"] == FixedLimit()
    # two of that name: neither is meant
    nodes = row(world, free, free, HingeLimit("y", follows=("j0", 2.0, 0.0)))
    nodes[1].set_name("j0")
    chain = IKChain(nodes[-1], 3, solver="dls")
    assert chain.limits["j2"] == FixedLimit()


def test_followers_elsewhere_are_led(world) -> None:
    led: list[tuple[str, list]] = []
    nodes = row(world, *(SimpleNamespace(limit=None, name=name) for name in "abc"))
    tags = [node.get_python_tag(TAG) for node in nodes[:3]]
    aside = SimpleNamespace(node=world.attach_new_node("aside"))
    inside = SimpleNamespace(node=nodes[2])
    tags[0].followers, tags[1].followers = [inside, aside], [inside]
    for tag in tags:
        tag.lead = lambda others, tag=tag: led.append((tag.name, others))
    for update in read_follower_updates(nodes):
        update()
    assert led == [("a", [aside])]
