"""A network that guesses the pose of one arm, and how it is trained."""
