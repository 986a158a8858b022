"""A server: a character walks and holds a rail without a window, engine or ShowBase."""

from pathlib import Path

import ikrig

MODEL = Path(__file__).parents[2] / "assets" / "models" / "humanoid.bam"
STEP = 1 / 60

# Panda3D reads the file; from then on everything is plain arrays.
walker = ikrig.load_character(MODEL)
print(walker)
pose = walker.pose()  # the matrices of all joints, in one block of memory

# A source animates the pose: here the clips of the file, blended by their weights.
clips = walker.player(pose)
clips.play("walk", weight=0.8)
clips.play("idle", weight=0.2)

# Layers change it, one after the other. A goal is numbers, in the character's space.
hand = ikrig.PoseChain(pose, "RightHand", chain_length=2)
hand.goal.position[:] = -0.5, 0.1, 1.0  # a rail at its side
hand.goal.bend_to((-0.6, -2.0, 1.0))  # the elbow points backwards
layers = [hand]

# What reads the pose is up to you: a packet, a file, a crowd.
frames = []
for _ in range(120):
    clips.sample(pose, STEP)
    for layer in layers:
        layer.apply(pose, STEP)
    frames.append(pose.local.copy())  # (joints, 4, 4)

print(f"{len(frames)} frames; the hand is at {pose.net_matrix('RightHand')[3, :3]}")
