"""A network that guesses the pose of one arm, and its training."""
