"""A character: the bundled panda walks and lifts one paw to a target."""

from direct.actor.Actor import Actor
from direct.showbase.ShowBase import ShowBase

import ikrig

base = ShowBase()
base.disable_mouse()
base.camera.set_pos_hpr(18, -20, 6, 40, -6, 0)

panda = Actor("models/panda-model", {"walk": "models/panda-walk4"})
panda.set_scale(0.01)  # this model is about 1000 units large
panda.reparent_to(base.render)
panda.loop("walk")

# auto() finds the limbs. Each stays as animated until you set its target or weight.
# Each Actor has one rig; start() runs it after the animation, in every frame.
rig = ikrig.ActorRig.auto(panda).start()
print(*rig.limbs.values(), sep="\n")  # the joints of each limb

ball = base.loader.load_model("models/misc/sphere")
ball.reparent_to(base.render)
ball.set_color(1, 0.4, 0.1)
ball.set_pos(1.5, -4.9, 2.2)
ball.set_scale(0.5)

paw = rig["left_front_foot"]
paw.target = ball
paw.fade(1.0, seconds=0.5)  # from the animation to the target, without a pop

base.run()
