"""A chain: an arm of three nodes reaches for a target that you drag."""

from direct.showbase.ShowBase import ShowBase

import ikrig

base = ShowBase()
base.disable_mouse()  # otherwise Panda3D's mouse control moves the camera
base.camera.set_pos(0, -6, 1.5)

# Bones are plain nodes. Each position is relative to the node before it.
shoulder = base.render.attach_new_node("shoulder")
elbow = shoulder.attach_new_node("elbow")
elbow.set_pos(0.1, 0, 1)  # not quite straight: this sets the direction of the bend
hand = elbow.attach_new_node("hand")
hand.set_pos(-0.1, 0, 1)

# The leaf is the node that reaches for the target; the two bones above it turn.
arm = ikrig.IKChain(hand, chain_length=2)
arm.target.set_pos(0.6, 0.8, 1.4)  # the chain creates this node; or pass target=node
arm.start()  # solved once per frame from now on

# Nodes are invisible: Gizmos draw bones and a target to drag.
gizmos = ikrig.Gizmos(base.render, base.cam)
gizmos.add(arm)
gizmos.attach_mouse(base)

base.run()
