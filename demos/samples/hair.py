"""Hair: a braid swings on a head that turns; its joints are plain nodes."""

from direct.showbase.ShowBase import ShowBase

import ikrig

base = ShowBase()
head = base.loader.load_model("models/misc/sphere")
head.reparent_to(base.render)
head.set_pos(0, 6, 0.5)
head.hprInterval(2, (120, 0, 0), (-120, 0, 0), blendType="easeInOut").loop()
braid = head
for k in range(6):
    braid = braid.attach_new_node(f"braid {k}")
    braid.set_pos(1.1 if k == 0 else 0, 0, 0.3 if k == 0 else -0.3)
    bead = base.loader.load_model("models/misc/sphere")
    bead.reparent_to(braid)
    bead.set_scale(0.15)
ikrig.SpringBones(head, ["braid 0"], gravity_power=2, hit_radius=0.15).start()
base.run()
