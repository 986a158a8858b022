"""Shows rigs in a lit room: in a window, or as a video.

``display`` finds something to draw with, ``theatre`` is the application with its
``studio`` and ``camera``, ``show`` a rig that plays a clip there, ``film`` and
``watch`` draw it.
"""

from __future__ import annotations

from .clip_viewer import Scene
from .display import has_display
from .video import film
from .viewer_window import watch

__all__ = ["Scene", "film", "has_display", "watch"]
