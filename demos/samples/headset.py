"""Headset: a figure follows a headset and controllers; without one, a recording."""

import json
from pathlib import Path

from direct.actor.Actor import Actor
from direct.showbase.ShowBase import ShowBase

import ikrig

ASSETS = Path(__file__).resolve().parents[2] / "assets"
base = ShowBase()
figure = Actor(ASSETS / "models/humanoid.bam")
figure.reparent_to(base.render)
played = json.loads((ASSETS / "trackers/player.json").read_text())


def show(frame: int) -> int:
    """Move the nodes as in a frame of the recording, and go on as a task."""
    for node, pose in zip(nodes, played["frames"][frame], strict=True):
        node.set_pos_quat(tuple(pose[:3]), tuple(pose[3:]))
    return 1


try:  # pip install panda3d-openxr
    import p3dopenxr.p3dopenxr as openxr  # type: ignore

    xr = openxr.P3DOpenXR()
    xr.init()
    nodes = [xr.hmd_anchor, xr.left_hand_anchor, xr.right_hand_anchor]
except Exception as error:
    print(f"no headset: {error}")
    base.camera.set_pos_hpr(-1.2, -4.2, 1.4, -16, -6, 0)
    nodes = [base.render.attach_new_node(name) for name in played["names"]]
    show(0)
    base.task_mgr.add(lambda task: show(1 + int(30 * task.time) % 360), sort=30)
body = ikrig.TrackedBody(ikrig.ActorRig(figure).start(), *nodes)
body.calibrate(height=1.85)  # the player stands as the figure does; space: once more
base.accept("space", body.calibrate)
base.run()
