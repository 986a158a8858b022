"""A player whose head and hands are tracked: what was recorded, and how it moved.

``python -m demos._shared.player`` writes the recording.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import panda3d.core as p3d

import ikrig
from demos._shared.demo import smoothstep
from demos._shared.humanoid import load_humanoid

RECORDING = Path(__file__).parents[2] / "assets" / "trackers" / "player.json"
FPS = 30
CLIPS = ("wave", "idle", "walk")
EACH, FADE = 4.0, 0.5  # time of a clip, and of the change to it [s]
TALL = 1.06  # the player's size beside the humanoid's
# axes of controllers in the hands that hold them, heading, pitch, roll
HELD = {"left_hand": (20.0, 0.0, 75.0), "right_hand": (-20.0, 0.0, -75.0)}


class Player:
    """The figure of the player, in the room's space.

    Args:
        parent: The node to attach it to.
    """

    def __init__(self, parent: p3d.NodePath) -> None:
        self.actor: Any = load_humanoid()
        self.actor.reparent_to(parent)
        rig = ikrig.ActorRig.auto(self.actor)
        limbs = {name: limb.joints[-1] for name, limb in rig.limbs.items()}
        rig.detach()
        part: Any = None
        self.joints: dict[str, Any] = {
            name: self.actor.expose_joint(part, "modelRoot", limbs[name])
            for name in ("head", *HELD)
        }
        self.heads = p3d.LQuaternionf(self.joints["head"].get_quat(self.actor))
        self.actor.set_blend(animBlend=True, frameBlend=True)

    def show(self, time: float) -> None:
        """Take the pose of a time [s]; below 0: that of the model file."""
        number, since = divmod(max(time, 0.0), EACH)
        part = smoothstep(since / FADE)
        names = [CLIPS[(int(number) + k) % len(CLIPS)] for k in (-1, 0)]
        for name in CLIPS:
            share = dict(zip(names, (1.0 - part, part), strict=True)).get(name, 0.0)
            self.actor.set_control_effect(name, share if time >= 0.0 else 0.0)
            rate = self.actor.get_frame_rate(name)
            count = self.actor.get_num_frames(name)
            control = self.actor.get_anim_control(name)
            control.pose(max(time, 0.0) * rate % max(count - 1, 1))
        self.actor.update(force=True)

    def poses(self) -> list[list[float]]:
        """Return headset and controllers: position and rotation, 7 numbers each."""
        found = []
        for name, joint in self.joints.items():
            turn = joint.get_quat(self.actor)
            if name == "head":
                # a headset looks along its y, as cameras do; the model looks along -y
                look = p3d.LQuaternionf()
                look.set_hpr((180.0, 0.0, 0.0))
                turn = look * self.heads.conjugate() * turn
            else:
                held = p3d.LQuaternionf()
                held.set_hpr(HELD[name])
                turn = held * turn
            place = joint.get_pos(self.actor) * TALL
            found.append([round(x, 4) for x in (*place, *turn.normalized())])
        return found


def read() -> tuple[float, list[str], list[list[list[float]]]]:
    """Return frames a second, names of trackers, and their poses in each frame.

    In the first frame the player stands as the model does, for ``calibrate``.
    """
    found: dict[str, Any] = json.loads(RECORDING.read_text())
    return found["fps"], found["names"], found["frames"]


def main() -> None:
    """Write the recording."""
    player = Player(p3d.NodePath("room"))
    frames = []
    for k in range(-1, round(len(CLIPS) * EACH * FPS)):
        player.show(k / FPS)
        frames.append(player.poses())
    RECORDING.parent.mkdir(exist_ok=True)
    rows = ",\n".join(json.dumps(frame) for frame in frames)
    names = json.dumps(list(player.joints))
    RECORDING.write_text(
        f'{{"fps": {FPS}, "names": {names}, "frames": [\n{rows}\n]}}\n'
    )
    print(f"{RECORDING.name}: {len(frames)} frames")


if __name__ == "__main__":
    main()
