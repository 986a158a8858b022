"""Trackers: a figure follows the head and the hands of another one, as of a player."""

from pathlib import Path

from direct.actor.Actor import Actor
from direct.showbase.ShowBase import ShowBase
from direct.task import Task

import ikrig

ASSETS = Path(__file__).resolve().parents[2] / "assets"

base = ShowBase()
base.disable_mouse()
base.camera.set_pos_hpr(-2.2, -4.2, 1.4, -17, -6, 0)

figure, player = (Actor(ASSETS / "models/humanoid.bam") for _ in range(2))
room = base.render.attach_new_node("room")
for actor, x in ((figure, 0.0), (player, -1.6)):
    actor.set_blend(frameBlend=True)
    actor.reparent_to(base.render)
    actor.set_x(x)
player.loop("wave")

# In a game a headset moves these nodes; here they copy joints of the other figure.
trackers = [figure.attach_new_node(x) for x in ("Head", "LeftHand", "RightHand")]
joints = [player.expose_joint(None, "modelRoot", x.get_name()) for x in trackers]


def track(task: Task.Task) -> int:
    """Move the trackers to where the other figure has head and hands."""
    for node, joint in zip(trackers, joints, strict=True):
        node.set_mat(joint.get_mat(player))
    return task.cont


base.task_mgr.add(track, "track", sort=30)
rig = ikrig.ActorRig(figure).start()
body = ikrig.TrackedBody(rig, *trackers)
base.run()
