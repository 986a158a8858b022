"""Robots and ragdolls as nested nodes, and their geometry."""
