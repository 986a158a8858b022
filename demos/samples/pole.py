"""A pole: a leg of two bones bends its knee towards a second node."""

from direct.interval.IntervalGlobal import LerpPosInterval
from direct.showbase.ShowBase import ShowBase

import ikrig

base = ShowBase()
base.disable_mouse()
base.camera.set_pos_hpr(-4, -6, 0, -33, 0, 0)

hip = base.render.attach_new_node("hip")
knee = hip.attach_new_node("knee")
knee.set_pos(0, -0.05, -1)
ankle = knee.attach_new_node("ankle")
ankle.set_pos(0, 0.05, -1)

# The knee points at this node. Without a pole it stays on the current side.
knee_hint = base.render.attach_new_node("knee hint")
knee_hint.set_pos(3, 0, -1)

# soften: the leg straightens gradually instead of snapping straight.
leg = ikrig.IKChain(ankle, chain_length=2, pole=knee_hint, soften=0.1).start()

# Any node may be a target, and anything may move it, here an interval.
up, down = (0, -0.6, -0.9), (0, 0.3, -1.7)
LerpPosInterval(leg.target, 2.0, up, down, blendType="easeInOut").loop()

gizmos = ikrig.Gizmos(base.render, base.cam)
gizmos.add(leg)
gizmos.attach_mouse(base)

base.run()
