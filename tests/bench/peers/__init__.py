"""ikrig and other IK libraries side by side in one run, on the same seeded work.

``python -m tests.bench.peers`` prints a table per work. Every answer is judged by
``PeerWork``'s own forward kinematics. A library joins by a file like those here and its
name in ``LIBRARIES``, a solver of ikrig's by a line in ``ours.py``.
"""

from __future__ import annotations

import os

# one thread for everybody: small matrices gain nothing from more, and a busy core
# then makes them many times slower; numpy reads this when it is loaded
os.environ["OMP_NUM_THREADS"] = "1"

from . import with_ikpy, with_mink, with_mujoco, with_pinocchio, with_pybullet, with_rtb

LIBRARIES = [
    with_mink.CANDIDATE,
    with_pinocchio.CANDIDATE,
    with_rtb.CANDIDATE,
    with_pybullet.CANDIDATE,
    with_mujoco.CANDIDATE,
    with_ikpy.CANDIDATE,
]
