"""Shows rigs in a lit room: in a window, or as a video.

``display`` finds a graphics output, ``viewer_app`` is the application with its
``environment`` and ``orbit_camera``, ``clip_viewer`` shows a rig that plays a clip, and
``record_video`` and ``watch`` draw it.
"""

from __future__ import annotations

from .clip_viewer import Scene, record_video, watch
from .display import has_display

__all__ = ["Scene", "has_display", "record_video", "watch"]
