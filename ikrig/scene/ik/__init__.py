"""IK on nodes: chains and trees, what they read and write, and their order."""
