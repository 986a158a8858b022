"""A rig file: nodes, a chain, its target and its pole come from YAML."""

from pathlib import Path

from direct.showbase.ShowBase import ShowBase

import ikrig

ASSETS = Path(__file__).resolve().parents[2] / "assets"

base = ShowBase()
base.disable_mouse()
base.camera.set_pos(0.6, -5, 1.4)

# With watch=True the file is reloaded whenever you save it: change a number in
# assets/rigs/arm.yaml while this runs. A file with errors is reported with line and
# column, and the rig stays as it was.
rig = ikrig.load_rig(ASSETS / "rigs/arm.yaml", parent=base.render, watch=True).start()

# Everything in the file is accessible by its name.
rig.targets["arm"].set_pos(0.8, 0.3, 2.0)
hand = rig.chains["arm"].leaf

gizmos = ikrig.Gizmos(base.render, base.cam)
gizmos.add(rig.chains["arm"])
gizmos.attach_mouse(base)

base.run()
