"""A robot feed: a six-axis arm mirrors the joint angles that another program sends.

To see it move, run this in a second terminal: python -m demos.senders.arm_feed
"""

from pathlib import Path

from direct.showbase.ShowBase import ShowBase
from direct.task import Task

import ikrig

ASSETS = Path(__file__).resolve().parents[2] / "assets"

base = ShowBase()
base.disable_mouse()
base.camera.set_pos_hpr(3.5, -4.5, 1.4, 38, -6, 0)

# load_robot reads URDF and MJCF files too
model = ikrig.load_robot(ASSETS / "models/six_axis.yaml")
robot = ikrig.Robot(model, base.render)  # its shapes, and one node for each joint

# JSON datagrams on a local port; a thread receives them.
source = ikrig.UdpSource(9870)
feed = ikrig.JointFeed(source, list(robot.joints)).start()


def mirror(task: Task.Task) -> int:
    """Show the latest pose; sample() never blocks and never raises."""
    if not feed.stale:
        # clamp=False: show measured values even beyond the model's ranges
        robot.set_qpos(feed.sample(), clamp=False)
    return Task.cont


base.task_mgr.add(mirror, "mirror")
base.run()
