"""The creature's steps: which feet are lifted when, and where they come down.

Two tripods by turns, as insects walk. A foot comes down where it belongs when the body
is in the middle of its time on the ground, so that no leg is stretched, and then it
stays: a key as it is lifted, one at the top, one as it lands.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import ikrig
from ikrig.math3d.quaternion import Floats, rotate

RIGS = Path(__file__).parents[2] / "rigs"
# front and hind foot of one side go with the middle one of the other
TRIPODS = (
    ("left front", "right middle", "left hind"),
    ("right front", "left middle", "right hind"),
)
WALKS = ((17.0, 23.8), (48.6, 51.4))
"""From when to when feet step [s]; the body should be at rest before and after."""
STEP = 0.4  # from the steps of a tripod to those of the other [s]
AIR = 0.34  # of that a foot is in the air [s]
LATER = 0.02  # a foot is lifted after the one before it [s]
HIGH, LOW = 0.19, 0.08  # lift of a long step and of one on the spot
TOUCH = {
    # a foot is lifted, wavers, and touches the ball
    "left front": {
        26.5: None,
        26.85: (0.46, -2.42, 0.45),
        27.25: (0.10, -2.20, 0.86),
        27.5: (0.15, -2.22, 0.80),
        27.85: (-0.21, -2.03, 1.05),
        28.05: (0.06, -2.18, 0.94),
        28.3: (0.44, -2.42, 0.42),
        28.6: None,
    }
}
"""What feet do besides, by second; None: they stand."""

Place = list[float]


def steps(clip: ikrig.Clip) -> dict[str, dict[str, dict[float, Place]]]:
    """Return the keys of the feet's targets, by foot and channel.

    Args:
        clip: With the way of the body, ``carrier``.
    """
    rig = ikrig.load_rig(RIGS / "show.yaml")
    home = {
        foot: np.array(rig.nodes[f"{foot} target"].get_pos())
        for tripod in TRIPODS
        for foot in tripod
    }
    rig.remove()
    feet = {foot: {0.0: _there(clip, WALKS[0][0], home[foot])} for foot in home}
    for start, end in WALKS:
        count = round((end - start) / STEP)
        for k in range(count):
            for i, foot in enumerate(TRIPODS[k % 2]):
                begin = start + k * STEP + i * LATER
                middle = min(begin + AIR + 0.5 * (2.0 * STEP - AIR), end)
                _step(feet[foot], begin, _there(clip, middle, home[foot]))
    for foot, keys in TOUCH.items():
        before = [t for t in feet[foot] if t < min(keys)]
        stands = feet[foot][before[-1]]
        for time, place in keys.items():
            feet[foot][time] = list(place) if place is not None else stands
    return {
        foot: {"target": {t: [round(x, 3) for x in keys[t]] for t in sorted(keys)}}
        for foot, keys in feet.items()
    }


def _there(clip: ikrig.Clip, time: float, home: Floats) -> Place:
    """Return where a foot belongs at a time."""
    values = clip.sample(time)
    turned = rotate(values["carrier", "rotation"], home)
    place: Place = (np.array(values["carrier", "position"]) + turned).tolist()
    return place


def _step(keys: dict[float, Place], begin: float, goal: Place) -> None:
    """Add the keys of a step from where a foot is."""
    start = keys[max(keys)]
    way = float(np.linalg.norm(np.subtract(goal, start)))
    top = np.add(start, goal) / 2.0
    top[2] += LOW + (HIGH - LOW) * min(1.0, way / 0.5)
    keys[round(begin, 2)] = start
    keys[round(begin + 0.5 * AIR, 2)] = top.tolist()
    keys[round(begin + AIR, 2)] = goal
