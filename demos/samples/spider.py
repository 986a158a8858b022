"""Spider: six legs walk over steps below a body that the program moves."""

from direct.interval.IntervalGlobal import LerpPosInterval
from direct.showbase.ShowBase import ShowBase

import ikrig

base = ShowBase()
base.disable_mouse()
base.camera.set_pos_hpr(6, -7, 5, 41, -28, 0)


def ground(x: float, y: float) -> float:
    """Return the height of the ground."""
    return 0.15 * (round(x) % 2 + round(y) % 2)


mover = base.render.attach_new_node("mover")
body = mover.attach_new_node("body")
body.set_z(0.8)
legs = []
for angle in (40, 90, 140, 220, 270, 320):
    leg = body.attach_new_node(f"leg {angle}")
    leg.set_h(-angle)
    knee = leg.attach_new_node("knee")
    knee.set_pos(0, 0.7, 0.5)
    foot = knee.attach_new_node("foot")
    foot.set_pos(0, 0.5, -1.3)
    legs.append(ikrig.IKChain(foot, 2).start())
gait = ikrig.Gait(mover, legs, ground, body=body).start()

# your game moves it
LerpPosInterval(mover, 16, (0, 12, 0)).loop()

gizmos = ikrig.Gizmos(base.render, base.cam)
gizmos.add(*legs)
base.run()
