"""Where robots and hand have their grips: on the ball while they hold it.

Then a grip has the very keys of the ball, so that both go the same way from key to key.
`POSES` is the rest: what an arm does with itself in between.
"""

from __future__ import annotations

from math import atan2, degrees

import numpy as np

import ikrig

FOOT = 1.05  # from the middle of the stage to an arm

Place = tuple[float, float, float]
Pose = tuple[float, Place, float]
"""Second, where the grip is, and how far up a cup points [deg]. Seen from above it
points away from the arm's foot, so that forearm and wrist stay in one plane. Where the
cup comes to point along the forearm, or past it, y is 0 and stays so: else the forearm
would have to turn right over."""
Keys = dict[float, list[float]]

# from when to when each has the ball
HOLDS = {
    "left": ((0.0, 5.6), (11.52, 40.2), (50.3, 60.0)),
    "right": ((5.1, 10.8), (46.96, 50.8)),
    "hand": ((39.7, 44.1), (44.66, 46.24)),
}
ASLEEP = (0.78, -0.30, 0.80), -60
POSES: dict[str, list[Pose]] = {
    "left": [
        (6.2, (-0.24, 0.0, 1.30), 0),
        (7.2, (-0.55, -0.18, 1.38), 9),
        (8.7, (-0.50, 0.0, 1.46), 9),
        (10.1, (-0.46, 0.0, 1.20), 30),
        (10.9, (-0.36, 0.0, 1.36), 58),
        (11.38, (-0.34, 0.0, 1.47), 58),
        (41.0, (-0.46, 0.18, 1.20), 0),
        (42.2, (-0.62, 0.02, 1.22), 6),
        (44.0, (-0.62, 0.02, 1.18), 6),
        (44.5, (-0.60, 0.02, 1.40), 21),
        (46.0, (-0.62, 0.02, 1.22), 6),
        (46.7, (-0.56, -0.06, 1.46), 21),
        (48.2, (-0.50, -0.12, 1.28), 6),
        (49.7, (-0.22, 0.0, 1.30), 0),
    ],
    "right": [
        (0.0, *ASLEEP),
        (2.4, *ASLEEP),
        (2.8, (0.80, -0.30, 0.76), -60),
        (3.6, (0.58, -0.14, 1.38), -12),
        (4.5, (0.22, 0.0, 1.30), 0),
        (11.1, (0.30, 0.0, 1.60), 58),
        (12.0, (0.52, 0.0, 1.36), 12),
        (14.0, (0.62, -0.30, 1.22), -6),
        (17.0, (0.70, -0.30, 1.20), -25),
        (20.5, (0.64, -0.42, 1.30), -45),
        (23.4, (0.60, -0.40, 1.34), -45),
        (27.8, (0.56, -0.40, 1.22), -45),
        (28.4, (0.72, -0.20, 1.48), -34),
        (29.4, (0.68, -0.26, 1.38), -33),
        (32.0, (0.66, -0.10, 1.32), -13),
        (36.0, (0.64, 0.06, 1.36), 0),
        (43.5, (0.60, 0.0, 1.30), 6),
        (44.4, (0.58, 0.0, 1.46), 15),
        (45.4, (0.58, 0.0, 1.28), 32),
        (46.3, (0.50, 0.0, 1.42), 58),
        (46.82, (0.49, 0.0, 1.52), 58),
        (51.7, (0.26, 0.0, 1.30), 0),
        (52.8, (0.56, -0.10, 1.56), 13),
        (54.2, (0.46, -0.46, 1.02), -50),
        (55.6, (0.46, -0.46, 1.00), -50),
        (57.2, (0.62, -0.20, 1.34), -14),
        (59.0, *ASLEEP),
        (60.0, *ASLEEP),
    ],
    "hand": [
        (38.3, (-0.30, 0.36, 1.00), 0),
        (39.3, (-0.25, 0.32, 1.11), 0),  # from below
        # it follows through ...
        (44.15, (-0.17, 0.24, 1.50), 0),
        (44.22, (-0.17, 0.245, 1.535), 0),
        (44.34, (-0.17, 0.25, 1.47), 0),
        (44.46, (-0.17, 0.25, 1.435), 0),
        # ... and comes up again, to go down with the ball
        (44.56, (-0.17, 0.245, 1.462), 0),
        (44.61, (-0.17, 0.24, 1.463), 0),
        (46.4, (-0.07, 0.20, 1.54), 0),  # follows through
        (46.7, (-0.02, 0.22, 1.40), 0),
        (47.4, (-0.20, 0.36, 1.00), 0),
    ],
}


def grips(clip: ikrig.Clip) -> dict[str, dict[str, Keys]]:
    """Return the keys of the grips, by part and channel.

    Args:
        clip: With the ball's way.
    """
    result = {}
    for side, poses in POSES.items():
        places = {time: list(place) for time, place, _ in poses}
        turns = {time: _turn(side, place, pitch) for time, place, pitch in poses}
        for channel, keys in (("position", places), ("rotation", turns)):
            times = clip.track("ball", channel).keys
            for start, end in HOLDS[side]:
                inside = {t for t in times if start < t < end}
                for time in {start, *inside, end}:
                    keys[time] = _ball(clip, channel, time)
        result[f"{side} grip"] = {
            "position": dict(sorted(places.items())),
            "rotation_deg": dict(sorted(turns.items())),
        }
    return result


def _ball(clip: ikrig.Clip, channel: str, time: float) -> list[float]:
    """Return where the ball is, or how it is turned [deg]."""
    values = np.array(clip.sample(time)["ball", channel])
    if channel == "position":
        return [round(x, 4) for x in values.tolist()]
    w, _, y, z = values.tolist()
    # it never rolls: a pitch, then a yaw
    pitch, yaw = 2.0 * atan2(y, w), 2.0 * atan2(z, w)
    return [0, _degrees(pitch), _degrees(yaw)]


def _turn(side: str, place: Place, pitch: float) -> list[float]:
    """Return roll, pitch and yaw of a grip [deg]."""
    if side == "hand":
        return [0, 0, 0]
    sign = 1.0 if side == "left" else -1.0
    yaw = atan2(sign * place[1], FOOT + sign * place[0])
    return [0, -sign * pitch + 0.0, _degrees(yaw)]


def _degrees(angle: float) -> float:
    """Return an angle as it is written; 0.0 has no sign."""
    return round(degrees(angle), 1) + 0.0
