"""Skeletons, limits and robots as data, and forward kinematics."""
