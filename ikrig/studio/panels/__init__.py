"""The studio's panels: Dear ImGui over a ``StudioSession``, without Panda3D."""
