"""The edited rig, without engine or window: selection, history, files."""
