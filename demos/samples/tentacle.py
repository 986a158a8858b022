"""Tentacle: beads along a curve through handles; drag them with the mouse."""

from direct.showbase.ShowBase import ShowBase

import ikrig

base = ShowBase()
base.disable_mouse()
base.camera.set_pos(3.5, -14, 0)

bead = root = base.render.attach_new_node("bead 0")
for k in range(1, 13):
    ball = base.loader.load_model("models/misc/sphere")
    ball.set_scale(0.4 - 0.025 * k)
    ball.reparent_to(bead)
    bead = bead.attach_new_node(f"bead {k}")
    bead.set_x(0.6)

handles = base.render.attach_new_node("handles")
for x, z in ((0, -2), (2, 1.5), (4.5, -1), (6.5, 1)):
    handles.attach_new_node(f"handle {x}").set_pos(x, 0, z)
tentacle = ikrig.SplineIK(root, ["bead 0", "bead 12"], handles, stretch=True).start()

gizmos = ikrig.Gizmos(base.render, base.cam)
gizmos.add(tentacle)
gizmos.attach_mouse(base)
base.run()
