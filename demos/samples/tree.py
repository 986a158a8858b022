"""A tree: two hands that share a spine, each with its own target."""

from direct.showbase.ShowBase import ShowBase

import ikrig

base = ShowBase()
base.disable_mouse()
base.camera.set_pos(0, -6, 0.8)

hips = base.render.attach_new_node("hips")
chest = hips.attach_new_node("chest")
chest.set_z(0.8)
for side, x in (("left", -1), ("right", 1)):
    elbow = chest.attach_new_node(f"{side} elbow")
    elbow.set_pos(0.5 * x, -0.05, 0)
    elbow.attach_new_node(f"{side} hand").set_pos(0.5 * x, 0.05, 0)

# Every node without children becomes an effector with its own target. Two separate
# chains would each turn the chest their way; a tree finds one common solution.
body = ikrig.IKTree(hips)
body["left hand"].target.set_pos(-0.7, -0.4, 1.3)
body["right hand"].target.set_pos(0.9, -0.3, 0.6)
body["right hand"].weight = 0.5  # counts less if both can't be reached
body.start()

gizmos = ikrig.Gizmos(base.render, base.cam)
gizmos.add(body)
gizmos.attach_mouse(base)

base.run()
