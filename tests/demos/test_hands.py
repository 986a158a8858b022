"""The demo of hands: palms stay on what they touch, and fingers on what they hold."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d

from demos._shared import catalogue
from demos._shared.app import FRAME, DemoApp
from demos._shared.corridor import RAIL, STAIRS, STEPS, TREAD, WALL, WALLED
from demos.hands import Hands
from ikrig.quality import Watch

TOP_STEP = STAIRS + STEPS * TREAD - 0.4
FEET = ("UpLeg", "Leg", "Foot", "ToeBase", "Hips")


def test_hands_stay_on_what_they_touch_and_hold(app: DemoApp) -> None:
    demo = app.open(catalogue.find("hands", catalogue.read()))
    assert isinstance(demo, Hands)
    things = {"handle": demo.corridor.handle, "torch": demo.torch, "crate": demo.crate}
    seen = Watch(demo.actor, ground=demo.floor, seconds=60.0)
    held: dict[tuple[str, str], list[list[float]]] = {}
    wall, rail, turned = [], [], {"handle": 0.0, "torch": 0.0, "crate": 0.0}
    for _ in range(round(demo.duration / FRAME) - 1):
        app.step()
        seen.update(FRAME)
        for side, reach in (("Left", demo.left), ("Right", demo.right)):
            hand = demo.rig.joint(f"{side}Hand")
            place = hand.get_pos(demo.stage)
            if reach.holds and reach.result and reach.result.converged:
                thing = reach.thing
                at = p3d.NodePath(hand).get_pos(thing)
                held.setdefault((side, thing.get_name()), []).append(list(at))
                turned[thing.get_name()] = max(
                    turned[thing.get_name()],
                    p3d.LQuaternion(thing.get_quat(demo.stage)).get_angle(),
                )
            elif side == "Left" and WALLED[0] + 0.2 < place[0] < WALLED[1] - 0.2:
                wall.append(list(place))
            elif side == "Right" and STAIRS + 0.3 < place[0] < TOP_STEP:
                rail.append(list(place))
    assert set(things) == {name for _, name in held}
    assert ("Left", "crate") in held and ("Right", "crate") in held
    for key, places in held.items():
        assert len(places) > 40, key
        # fingers close in the first frames, and a hand may slide on a bar then
        spread = np.ptp(np.array(places)[20:], axis=0)
        assert spread.max() < 0.002, key
    assert turned["handle"] > 50.0 and turned["torch"] > 60.0
    at_wall = np.array(wall)
    assert np.ptp(at_wall[:, 0]) > 2.0
    assert np.ptp(at_wall[:, 1]) < 0.005 and at_wall[0, 1] > WALL - 0.06
    at_rail = np.array(rail)
    assert np.ptp(at_rail[:, 0]) > 0.6 and np.ptp(at_rail[:, 1]) < 0.005
    assert abs(at_rail[0, 1] - RAIL) < 0.12
    slope = np.polyfit(at_rail[:, 0], at_rail[:, 2], 1)
    assert np.abs(np.polyval(slope, at_rail[:, 0]) - at_rail[:, 2]).max() < 0.005
    for spike in seen.reports()[0].spikes:
        assert spike.joint.endswith(FEET), str(spike)


def test_without_ik_hands_are_empty(app: DemoApp) -> None:
    demo = app.open(catalogue.find("hands", catalogue.read()))
    demo.keys()["f"]()
    for _ in range(150):
        app.step()
    # on the level, hands are as in the clips: beside the body
    hand = demo.rig.joint("LeftHand").get_pos(demo.actor)
    assert hand[2] < 1.0
    demo.keys()["f"]()
    for _ in range(40):
        app.step()
    assert demo.rig.joint("LeftHand").get_pos(demo.actor)[2] > 1.1
