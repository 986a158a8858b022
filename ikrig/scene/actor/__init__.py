"""IK for skinned Actors, applied to the animated pose in each frame."""
