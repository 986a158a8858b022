"""Inspector: the studio's panels over a running game."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from direct.directnotify.DirectNotifyGlobal import directNotify
from direct.showbase.DirectObject import DirectObject
from direct.task.Task import Task

from ...errors import BindError
from ...scene.behaviours.kinds import BEHAVIOURS
from ...scene.gizmos import Gizmos
from ...scene.ik.chain import IKChain
from ...scene.ik.system import IKSystem, LayeredRig
from ...scene.ik.tree import IKTree
from ...scene.rig_builder import dump_rig
from ..panels.layout import Rect
from .gui_backend import GuiBackend, check_packages

if TYPE_CHECKING:
    from ...scene.actor.actor_rig import ActorRig
    from ...scene.ik.component import IKComponent
    from ...scene.rig_builder import Rig
    from ..panels.live_panel import LiveEntry


class Inspector(DirectObject):
    """Shows and changes all running rigs of a game, over its own window.

        inspector = ikrig.Inspector(base)    # F1 shows and hides it

    Its panel lists every started chain, tree and behaviour with its status. Values
    take effect at once; targets and poles can be dragged; ``Save`` writes
    the rig to a YAML file. Hidden, it has no task and only listens for its key.

    Args:
        base: The running ShowBase, with a window drawn by OpenGL.
        key: The key that shows and hides it.
        shown: Whether it is shown at once.

    Raises:
        MissingPackageError: Dear ImGui is not installed.
        BindError: ``base`` is not the running ShowBase, or has no window.
        VideoError: The window has no shaders; when it is shown.
    """

    def __init__(self, base: Any, key: str = "f1", *, shown: bool = False) -> None:
        super().__init__()
        check_packages()
        if not getattr(base, "win", None):
            raise BindError(
                "base must be the running ShowBase with a window, not a "
                f"{type(base).__name__}"
            )
        self.base = base
        self.key = key
        self._gui: GuiBackend | None = None
        self._task: object = None
        self._gizmos: Any = None
        self._panel: Any = None
        self._known: tuple[object, ...] = ()
        self._fault = ""
        self._cost = 0.0
        self.accept(key, self.toggle)
        if shown:
            self.show()

    @property
    def shown(self) -> bool:
        """Whether it is shown."""
        return self._gui is not None

    def toggle(self) -> None:
        """Show or hide it."""
        if self.shown:
            self.hide()
        else:
            self.show()

    def show(self) -> None:
        """Show it, if it is hidden.

        Raises:
            VideoError: The window has no shaders.
        """
        if self._gui is not None:
            return
        from ..panels import style
        from ..panels.live_panel import LivePanel

        self._gui = GuiBackend(self.base)
        self._task = self.base.task_mgr.add(self._frame, "ikrig-inspector", sort=44)
        style.load_fonts()
        height = self.base.win.get_y_size()
        style.apply(min(max((height / 720.0) ** 0.5, 0.8), 1.6))
        self._panel = self._panel or LivePanel(_save)
        base = self.base
        self._gizmos = Gizmos(
            base.render, base.cam, lens_source=base.camNode, auto_update=False
        )
        self._known = ()

    def hide(self) -> None:
        """Hide it, if it is shown. Then only its key remains active."""
        if self._gui is None:
            return
        self.base.task_mgr.remove(self._task)
        self._gizmos.destroy()
        self._gui.destroy()
        self._gui = self._gizmos = None

    def destroy(self) -> None:
        """Hide it and stop listening for its key."""
        self.hide()
        self.ignore_all()

    def _frame(self, task: Task) -> int:
        """Draw the panel. Never raises: an error is logged once."""
        start = time.perf_counter()
        try:
            self._draw()
            self._fault = ""
        except Exception:
            fault = traceback.format_exc(limit=3)
            if fault != self._fault:
                directNotify.newCategory("ikrig").warning(f"the inspector: {fault}")
            self._fault = fault
        self._cost = 0.9 * self._cost + 0.1 * (time.perf_counter() - start)
        return int(task.cont)

    def _draw(self) -> None:
        entries = list(self._entries())
        parts = tuple(entry.part for entry in entries)
        if parts != self._known:
            self._known = parts
            self._gizmos.clear()
            self._gizmos.add(*parts)
        self._mouse()
        self._gizmos.update()
        self._panel.draw(entries, self.key, f"panel {self._cost * 1e3:.1f} ms")

    def _mouse(self) -> None:
        from imgui_bundle import imgui

        io, gizmos = imgui.get_io(), self._gizmos
        size = io.display_size
        window = Rect(0.0, 0.0, max(size.x, 1.0), max(size.y, 1.0))
        x, y = window.to_screen(io.mouse_pos.x, io.mouse_pos.y)
        if io.want_capture_mouse and gizmos.dragging is None:
            gizmos.leave()
        elif imgui.is_mouse_clicked(0):
            gizmos.press(x, y)
        elif imgui.is_mouse_down(0):
            gizmos.move(x, y)
        else:
            gizmos.release()
            gizmos.hover(x, y)

    def _entries(self) -> Iterator[LiveEntry]:
        """Yield all running parts, with the rig file or Actor that they belong to."""
        from ..panels.live_panel import LiveEntry
        from .status import status_word

        seen: set[int] = set()
        kinds = {"chain": IKChain, "tree": IKTree, **BEHAVIOURS}
        rigs = IKSystem.of(self.base.task_mgr).rigs
        known = [rig for rig in rigs if isinstance(rig, LayeredRig)]
        # rig files first, so that their layers are listed by the file's names
        for rig in sorted(known, key=lambda rig: rig.phase):
            for name, part in rig._named_layers():
                kind = next((k for k, c in kinds.items() if isinstance(part, c)), "")
                # layers that the game has added itself have no kind
                if kind and id(part) not in seen:
                    seen.add(id(part))
                    word = status_word(part)
                    yield LiveEntry(rig, rig._title, name, kind, part, word)


def _save(rig: Rig | ActorRig | IKComponent, path: str) -> str:
    dump_rig(rig, path)
    return f"Saved {path}"
