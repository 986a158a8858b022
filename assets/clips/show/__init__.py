"""Script that computes parts of the clips of the demo `show`."""
