"""A clip: keys from a file move the target of a rig, and the arm follows by IK."""

from pathlib import Path

from direct.showbase.ShowBase import ShowBase

import ikrig

ASSETS = Path(__file__).resolve().parents[2] / "assets"

base = ShowBase()
base.disable_mouse()
base.camera.set_pos(0.6, -5, 1.4)

# A rig file defines the parts; a clip sets their positions over time.
rig = ikrig.load_rig(ASSETS / "rigs/arm.yaml", parent=base.render).start()
player = ikrig.ClipPlayer(ASSETS / "clips/wave.yaml", rig).play()
player.speed = 0.5  # a negative speed plays it backwards

# The clip sends its own events, and the player sends one at the end.
base.accept("raised", print, ["the hand is up"])
base.accept("ikrig-clip-end", lambda ended: ended.play())

gizmos = ikrig.Gizmos(base.render, base.cam)
gizmos.add(rig.chains["arm"])
gizmos.attach_mouse(base)

base.run()
