"""Compares the motion of two versions of ikrig.

Each version records what it does, and the two records are compared:

    python -m tests.differential record before.npz
    python -m tests.differential record after.npz       # in the other checkout
    python -m tests.differential compare before.npz after.npz

For a change that moves code, or makes it faster, and must not change a pose.
"""
