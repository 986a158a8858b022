"""The part of the studio that uses Panda3D: models, the live rig, the window."""
