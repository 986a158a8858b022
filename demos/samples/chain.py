"""A chain: an arm of three nodes reaches for a target that you drag."""

from direct.showbase.ShowBase import ShowBase

import ikrig

base = ShowBase()
base.disable_mouse()  # or Panda3D's mouse control sets the camera's position
base.camera.set_pos(0, -6, 1.5)

# Bones are plain nodes. Each one is placed relative to the one before it.
shoulder = base.render.attach_new_node("shoulder")
elbow = shoulder.attach_new_node("elbow")
elbow.set_pos(0.1, 0, 1)  # not quite straight, so that it knows which way to bend
hand = elbow.attach_new_node("hand")
hand.set_pos(-0.1, 0, 1)

# The leaf is the node that reaches; two bones above it turn.
arm = ikrig.IKChain(hand, chain_length=2)
arm.target.set_pos(0.6, 0.8, 1.4)  # the chain makes this node; or pass target=node
arm.start()  # solved once per frame from now on

# Nodes have no shape of their own: Gizmos draw bones and a target to drag.
gizmos = ikrig.Gizmos(base.render, base.cam)
gizmos.add(arm)
gizmos.attach_mouse(base)

base.run()
