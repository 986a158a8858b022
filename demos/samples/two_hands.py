"""Two hands on a staff: the second one slides along it to where its arm can reach."""

from math import sqrt
from pathlib import Path
from types import SimpleNamespace

from direct.actor.Actor import Actor
from direct.interval.IntervalGlobal import LerpPosInterval
from direct.showbase.ShowBase import ShowBase

import ikrig

base = ShowBase()
base.disable_mouse()
base.camera.set_pos_hpr(-2.5, -3.5, 1.6, -35, -7, 0)
figure = Actor(Path(__file__).resolve().parents[2] / "assets/models/humanoid.bam")
figure.reparent_to(base.render)
figure.loop("idle")
staff = base.render.attach_new_node("staff")
staff.set_hpr(0, 0, 60)
LerpPosInterval(staff, 3.0, (-0.1, -0.45, 1.0), (-0.5, -0.15, 1.1)).loop()
wood = base.loader.load_model("models/misc/rgbCube")
wood.reparent_to(staff)
wood.set_pos_hpr_scale(0, 0, 0.4, 0, 0, 0, 0.03, 0.03, 1.6)
rig = ikrig.ActorRig(figure).start()
rig.chain("right_hand", target=staff, orientation_mode="bone")
left = ikrig.Reach(rig, "left_hand", grip := staff.attach_new_node("grip"))


def slide(pose: ikrig.Pose, dt: float) -> None:
    """Keep the grip inside a sphere round the shoulder."""
    x, y, z = left.chain.bones[0].get_pos(staff)
    half = sqrt(max(0.0, (0.95 * left.reach_distance) ** 2 - x * x - y * y))
    grip.set_z(min(max(0.8, z - half), z + half))


layer = SimpleNamespace(order=0, started=True, apply=slide)
layer.reads, layer.writes = lambda: [staff, left.chain.root], lambda: [grip]
rig.add(layer, [])
base.run()
