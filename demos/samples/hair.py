"""Hair: two braids swing on a head that turns; they are plain nodes."""

from direct.showbase.ShowBase import ShowBase

import ikrig

base = ShowBase()
base.disable_mouse()
base.camera.set_pos_hpr(0, -5, 0, 0, 0, 0)

head = base.loader.load_model("models/misc/sphere")
head.reparent_to(base.render)
head.hprInterval(2, (120, 0, 0), (-120, 0, 0), blendType="easeInOut").loop()

for side in (-1, 1):
    braid = head.attach_new_node(f"braid {side}")
    braid.set_pos(side, 0, 0.3)
    for k in range(5):
        bead = base.loader.load_model("models/misc/sphere")
        bead.set_name(f"bead {side} {k}")
        bead.set_scale(0.15)
        braid = braid.attach_new_node(f"braid {side} {k}")
        braid.set_pos(0, 0, -0.3)
        bead.reparent_to(braid)

names = [f"braid {side}" for side in (-1, 1)]
ball = {"head": ikrig.Collider(None, 1.0)}
ikrig.SpringBones(head, names, gravity_power=2, hit_radius=0.15, colliders=ball).start()
base.run()
