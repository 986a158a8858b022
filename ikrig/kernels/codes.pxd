# what a joint of a tree is, see ``joints``
cpdef enum:
    BALL
    AXES
    CONE
    FIXED
    SLIDE
    RANGED

# what a joint of a robot is, as ``JointKind`` lists them
cpdef enum:
    HINGE_JOINT
    SLIDE_JOINT
    BALL_JOINT
    FREE_JOINT

# where a chain's goal is: its bones are then bent, straight or folded
cpdef enum:
    INSIDE
    BEYOND
    TOO_NEAR

# what holds a shown pose back
cpdef enum:
    NOTHING
    BY_WEIGHT
    BY_STEP
    NOT_FINITE

# what is wrong with the goals of a frame
cpdef enum:
    READ
    NOT_PLAIN
    BAD_ROOT
    BAD_GOAL
    BAD_WEIGHT
    BAD_ROTATION
