"""Hands made by parameters are found: palm, thumb side, fingers and their names."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ikrig.character.figure import Figure
from ikrig.character.hands import find_hand, pinch
from ikrig.character.limb import Limb

NAMES = {
    "mixamo": ("Hand{}{}", ("Thumb", "Index", "Middle", "Ring", "Pinky")),
    "rigify": ("f_{}.0{}", ("thumb", "index", "middle", "ring", "pinky")),
    "bip": ("Finger{}{}", ("0", "1", "2", "3", "4")),
    "mmd": ("{}{}", ("親指", "人指", "中指", "薬指", "小指")),
    "none": ("b{}_{}", ("7", "3", "9", "1", "5")),
}
STANDARD = ("thumb", "index", "middle", "ring", "pinky")


def tube(start, end, radius, rng):
    """Points on a cylinder between two places."""
    start, end = np.asarray(start), np.asarray(end)
    way = (end - start) / np.linalg.norm(end - start)
    side = np.cross(way, rng.normal(size=3))
    side /= np.linalg.norm(side)
    turns, along = np.meshgrid(np.arange(8) * np.pi / 4, np.linspace(0, 1, 6))
    around = np.cos(turns)[..., None] * side
    around = around + np.sin(turns)[..., None] * np.cross(way, side)
    return (start + along[..., None] * (end - start) + radius * around).reshape(-1, 3)


def hand(
    side: str,
    style: str,
    *,
    fingers: int = 4,
    thumb: bool = True,
    joints: int = 3,
    turn: Rotation | None = None,
    skin: bool = True,
    bend: float = 0.0,
    thumb_at: tuple[float, float] = (0.03, -0.005),
) -> tuple[Figure, Limb, dict[str, np.ndarray]]:
    """A hand on a forearm, ahead +x, palm down, the thumb ahead (-y) if it is left."""
    rng = np.random.default_rng(3)
    form, words = NAMES[style]
    across = -1.0 if side == "left" else 1.0
    parents: dict[str, str | None] = {"arm": None, "wrist": "arm"}
    places = {"arm": np.array((-0.25, 0, 0)), "wrist": np.zeros(3)}
    skins = {"wrist": tube((0.0, 0, 0), (0.08, 0, 0), 0.012, rng)}

    def add(number, base, way, lengths, radius):
        above, place = "wrist", np.asarray(base, float)
        for k, length in enumerate(lengths):
            name = form.format(words[number], k + 1)
            parents[name], places[name] = above, place
            after = place + length * way
            skins[name] = tube(place, after, radius, rng)
            above, place = name, after
            way = Rotation.from_rotvec([0, bend, 0]).apply(way)

    for k in range(fingers):
        y = across * 0.02 * ((fingers - 1) / 2 - k)
        way = np.array((1.0, 0.1 * y / 0.03, 0.0))
        add(
            1 + k,
            (0.09, y, 0),
            way / np.linalg.norm(way),
            (0.04, 0.03, 0.02)[:joints],
            0.008,
        )
    if thumb:
        way = np.array((0.7, across * 0.65, -0.3))
        add(
            0,
            (thumb_at[0], across * 0.03, thumb_at[1]),
            way / np.linalg.norm(way),
            (0.04, 0.03),
            0.009,
        )
    turn = turn or Rotation.identity()
    figure = Figure(
        parents,
        {name: turn.apply(place) for name, place in places.items()},
        {name: turn.apply(points) for name, points in skins.items()} if skin else {},
    )
    limb = Limb(f"{side}_hand", "hand", side, ("arm", "wrist"), "given")
    truth = {"normal": (0, 0, -1), "forward": (1, 0, 0), "thumb": (0, across, 0)}
    return figure, limb, {k: turn.apply(v) for k, v in truth.items()}


def angle(a, b) -> float:
    return float(np.degrees(np.arccos(np.clip(np.dot(a, b), -1, 1))))


@pytest.mark.parametrize("style", NAMES)
@pytest.mark.parametrize("side", ["left", "right"])
def test_five_fingers_in_any_naming_and_any_axes(side, style):
    for seed in range(6):
        turn = Rotation.random(random_state=seed)
        figure, limb, truth = hand(side, style, turn=turn)
        found = find_hand(figure, limb)
        assert [finger.name for finger in found.fingers] == list(STANDARD)
        form, words = NAMES[style]
        for finger, word in zip(found.fingers, words, strict=True):
            assert finger.joints[0] == form.format(word, 1)
        assert angle(found.normal, truth["normal"]) < 10
        assert angle(found.forward, truth["forward"]) < 10
        assert angle(found.thumb_side, truth["thumb"]) < 10


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("joints", [1, 2, 3])
def test_any_number_of_fingers_and_joints(count, joints):
    figure, limb, truth = hand("left", "none", fingers=count, joints=joints)
    found = find_hand(figure, limb)
    assert [finger.name for finger in found.fingers] == list(STANDARD[: count + 1])
    assert {len(f.joints) for f in found.fingers if not f.is_thumb} == {joints}
    assert angle(found.normal, truth["normal"]) < 15


def test_mitten():
    figure, limb, truth = hand("right", "none", fingers=1)
    found = find_hand(figure, limb)
    assert [finger.name for finger in found.fingers] == ["thumb", "index"]
    assert found.fingers[0].joints[0] == "b7_1"
    assert angle(found.normal, truth["normal"]) < 45


def test_fingers_curl_to_the_palm_and_straighten():
    for bend in (0.0, 0.35):
        figure, limb, truth = hand("left", "mixamo", bend=bend)
        found = find_hand(figure, limb)
        for finger in found.fingers:
            if finger.is_thumb:
                continue
            way = np.subtract(finger.tip, figure.positions[finger.joints[0]])
            moved = np.cross(finger.axis, way)
            assert moved @ truth["normal"] > 0.5 * np.linalg.norm(moved)
            # bent about y by so much at each joint
            assert finger.straight[1:] == pytest.approx([-bend] * 2, abs=0.1)


def test_tips_and_spheres_are_where_the_skin_is():
    figure, limb, _ = hand("left", "mixamo")
    for finger in find_hand(figure, limb).fingers:
        start = figure.positions[finger.joints[-1]]
        length = 0.03 if finger.is_thumb else 0.02
        assert np.linalg.norm(np.subtract(finger.tip, start)) == pytest.approx(
            length, abs=0.004
        )
        radius = 0.009 if finger.is_thumb else 0.008
        for k, centre, found in finger.spheres:
            assert found == pytest.approx(radius, rel=0.15)
            gaps = np.linalg.norm(figure.skin[finger.joints[k]] - centre, axis=1)
            # none sticks out by more than the corners of the skin
            assert gaps.min() > 0.7 * radius


@pytest.mark.parametrize("ahead", [0.03, 0.05, 0.08])
def test_a_thumb_in_front_of_the_palm_holds_a_bar_off_it(ahead):
    # below the palm of z = -0.012, where a bar across its middle would be
    found = []
    for below in (0.005, -0.012):
        figure, limb, truth = hand("left", "mixamo", thumb_at=(ahead, below))
        palm = find_hand(figure, limb)
        found.append(float(np.dot(palm.centre, truth["normal"])))
    off = found[1] - found[0]
    if abs(ahead - palm.centre[0]) < 0.01:
        assert 0.003 < off < 0.005
    else:
        assert -1e-3 < off < 0.005


def test_claw_closes_on_its_middle():
    parents: dict[str, str | None] = {"arm": None, "hub": "arm"}
    places = {"arm": np.array((0, 0, 1.0)), "hub": np.zeros(3)}
    for k in range(3):
        out = np.array((np.cos(2.1 * k), np.sin(2.1 * k), 0))
        parents[f"c{k}"], parents[f"c{k}e"] = "hub", f"c{k}"
        places[f"c{k}"] = 0.1 * out - (0, 0, 0.05)
        places[f"c{k}e"] = 0.12 * out - (0, 0, 0.2)
    figure = Figure(parents, places)
    found = find_hand(figure, Limb("hub", "hand", "", ("arm", "hub"), "given"))
    assert len(found.fingers) == 3 and not found.finger("thumb")
    assert angle(found.normal, (0, 0, -1)) < 5
    for finger in found.fingers:
        base = figure.positions[finger.joints[0]]
        moved = np.cross(finger.axis, np.subtract(finger.tip, base))
        assert moved[:2] @ base[:2] < 0
        check_closed(finger, base)


def check_closed(finger, base) -> None:
    """A closed finger is as far from the middle line, -z, as it is thick."""
    turn, tip = Rotation.identity(), np.array(finger.points[0])
    for k, (a, b) in enumerate(pairwise(finger.points)):
        angle = finger.straight[k] + finger.full[k]
        turn *= Rotation.from_rotvec(angle * np.array(finger.axis))
        tip = tip + turn.apply(np.subtract(b, a))
    out = tip[:2] @ base[:2] / np.linalg.norm(base[:2])
    assert 0.8 < out / finger.spheres[-1][2] < 1.01


@pytest.mark.parametrize("uneven", [0.0, 0.08])
def test_two_jaws_of_a_pincer_meet_but_a_mitten_has_a_thumb(uneven):
    """Jaws are of one length at either side of the forearm, here along -z."""
    parents = {"arm": None, "hub": "arm"}
    places = {"arm": np.array((0, 0, 0.3)), "hub": np.zeros(3)}
    for name, x in (("a", 1.0), ("b", -1.0)):
        parents |= {name: "hub", f"{name}2": name, f"{name}3": f"{name}2"}
        places[name] = np.array((0.02 * x, 0, -0.1 + uneven * (x > 0)))
        places[f"{name}2"] = places[name] + (0.03 * x, 0, -0.05)
        places[f"{name}3"] = places[f"{name}2"] + (-0.03 * x, 0, -0.07)
    limb = Limb("left_hand", "hand", "left", ("arm", "hub"), "given")
    figure = Figure(parents, places)
    found = find_hand(figure, limb)
    if uneven:
        assert [finger.name for finger in found.fingers] == ["thumb", "index"]
        return
    assert [finger.name for finger in found.fingers] == ["", ""]
    assert angle(found.normal, (0, 0, -1)) < 5
    assert abs(found.thumb_side[1]) > 0.99
    for finger in found.fingers:
        check_closed(finger, figure.positions[finger.joints[0]])
    assert pinch(found) == {"curl": 1.0}


def test_a_hand_without_fingers_is_a_palm():
    figure = Figure(
        {"arm": None, "wrist": "arm"},
        {"arm": (0.3, 0, 1.4), "wrist": (0.6, 0, 1.4)},
        {"wrist": tube((0.6, 0, 1.4), (0.75, 0, 1.4), 0.02, np.random.default_rng(1))},
    )
    limb = Limb("left_hand", "hand", "left", ("arm", "wrist"), "given")
    found = find_hand(figure, limb)
    assert found.fingers == () and found.finger("index") is None
    # arms that are spread have their palms down
    assert angle(found.normal, (0, 0, -1)) < 20
    assert angle(found.forward, (1, 0, 0)) < 5
    assert 0.65 < found.centre[0] < 0.74


def test_weapons_in_a_hand_are_no_fingers():
    figure, limb, _ = hand("left", "mixamo")
    parents = {**figure.parents, "sword": "wrist", "sword_tip": "sword"}
    places = {**figure.positions, "sword": (0.07, 0, 0), "sword_tip": (0.07, 1, 0)}
    found = find_hand(Figure(parents, places, figure.skin), limb)
    assert [finger.name for finger in found.fingers] == list(STANDARD)
    assert "sword" not in {joint for f in found.fingers for joint in f.joints}
