"""The studio: rig a character by clicking, see it move, save it.

``document`` is engine-free: the rig that is edited, its history, its files. All else
draws it in a window with Dear ImGui and needs ``pip install "panda3d-ikrig[studio]"``.
"""
