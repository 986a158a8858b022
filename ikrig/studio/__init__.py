"""The studio: rig a character by clicking, see it move, save it.

``document`` is engine-free: the edited rig, its history, its files. All else
draws it in a window with Dear ImGui and needs ``pip install "panda3d-ikrig[studio]"``.
"""
