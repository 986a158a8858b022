"""Numbers that stand for something, in kernels and outside; also in ``codes.pxd``."""

import cython

if not cython.compiled:
    # what a joint of a tree is, see ``joints``
    BALL, AXES, CONE, FIXED, SLIDE, RANGED = range(6)
    # what a joint of a robot is, as ``JointKind`` lists them
    HINGE_JOINT, SLIDE_JOINT, BALL_JOINT, FREE_JOINT = range(4)
    # where a chain's goal is: its bones are then bent, straight or folded
    INSIDE, BEYOND, TOO_NEAR = range(3)
    # what holds a shown pose back
    NOTHING, BY_WEIGHT, BY_STEP, NOT_FINITE = range(4)
    # what is wrong with the goals of a frame
    READ, NOT_PLAIN, BAD_ROOT, BAD_GOAL, BAD_WEIGHT, BAD_ROTATION = range(6)
