"""Skeletons, limits and robots as data, and where a robot's joints put it."""
