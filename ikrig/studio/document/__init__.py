"""The edited rig, without engine or window: selection, history, files."""

from __future__ import annotations

from .clip_file import ClipFile
from .edited_rig import Edit, EditedRig, Selection
from .history import History, Step
from .python_code import python_code
from .skeleton_info import JointInfo, SkeletonInfo
from .studio_document import StudioDocument

__all__ = [
    "ClipFile",
    "Edit",
    "EditedRig",
    "History",
    "JointInfo",
    "Selection",
    "SkeletonInfo",
    "Step",
    "StudioDocument",
    "python_code",
]
