"""The part of the studio that knows Panda3D: models, the live rig, the window."""
