"""Robots and ragdolls as nested nodes, and what is drawn of them."""
