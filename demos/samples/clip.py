"""A clip: a file with keys moves the target of a rig, the arm follows by IK."""

from pathlib import Path

from direct.showbase.ShowBase import ShowBase

import ikrig

ASSETS = Path(__file__).resolve().parents[2] / "assets"

base = ShowBase()
base.disable_mouse()
base.camera.set_pos(0.6, -5, 1.4)

# A rig file names the parts, a clip says where they are at which second.
rig = ikrig.load_rig(ASSETS / "rigs/arm.yaml", parent=base.render).start()
player = ikrig.ClipPlayer(ASSETS / "clips/wave.yaml", rig).play()
player.speed = 0.5  # a negative speed plays it backwards

# The clip sends its own events, and the player one at the end.
base.accept("raised", print, ["the hand is up"])
base.accept("ikrig-clip-end", lambda ended: ended.play())

gizmos = ikrig.Gizmos(base.render, base.cam)
gizmos.add(rig.chains["arm"])
gizmos.attach_mouse(base)

base.run()
