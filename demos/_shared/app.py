"""The application under every demo: window, room, camera, panels, one clock."""

from __future__ import annotations

import time
from collections.abc import Callable

import panda3d.core as p3d
from direct.task.Task import Task

import ikrig
from demos._shared.catalogue import Entry
from demos._shared.demo import Demo, Rig
from demos._shared.hud import Hud
from demos._shared.layout import Layout
from demos._shared.mesh import set_plain_light
from ikrig.scene.viewer.camera_mouse import CameraMouse
from ikrig.scene.viewer.display import Screen
from ikrig.scene.viewer.viewer_app import ViewerApp

FRAME = 1.0 / 60.0
LONGEST_FRAME = 1.0 / 20.0


class DemoApp(ViewerApp):
    """Runs one demo at a time.

    Attributes:
        demo: The open demo.
        hud: The panels over it.
        drawing: Whether this frame is drawn.
    """

    def __init__(self, screen: Screen, size: tuple[int, int] = (1280, 720)) -> None:
        """Open the window or buffer.

        Args:
            screen: From `display.find`.
            size: Width and height of the picture.

        Raises:
            VideoError: The window cannot be opened.
        """
        super().__init__(screen, size, FRAME)
        set_plain_light(not self.studio.shaded)
        self.demo: Demo | None = None
        self.entry: Entry | None = None
        self.hud: Hud | None = None
        self.gizmos: ikrig.Gizmos | None = None
        self.drawing = bool(self.win)
        self.on_escape: Callable[[], None] = self.userExit
        self._solve_start = 0.0
        self._solve_time = 0.0
        self._frames = 0
        self._chains_shown = True
        self._marked: list[Rig] = []
        self._mouse: CameraMouse | None = None
        if self.win and self.real_time:
            self._mouse = CameraMouse(self, self.orbit)
            self._bind_keys()
        self.task_mgr.add(self._before, "demo-before", sort=10)
        self.task_mgr.add(self._watch_start, "demo-watch", sort=39)
        self.task_mgr.add(self._watch_stop, "demo-watch", sort=41)
        self.task_mgr.add(self._after, "demo-after", sort=42)

    def __exit__(self, *error: object) -> None:
        """Close the demo and take everything down."""
        self.close()
        super().__exit__(*error)

    def open(self, entry: Entry, seed: int = 0) -> Demo:
        """Close the demo that is open and open another."""
        self.close()
        demo = entry.load()(
            self.studio.stage,
            self.studio.overlay,
            seed=seed,
            drawn=bool(self.win),
            live=self.real_time,
            file=entry.file,
        )
        demo.build()
        demo.play(0.0)
        self.demo, self.entry = demo, entry
        if self.win:
            self.look(demo.view)
            self._make_gizmos(demo)
            self.hud = Hud(self.make_layout(), entry, demo, timed=self.real_time)
            for key, action in demo.keys().items():
                self.accept(key, action)
        return demo

    def close(self) -> None:
        """Take the open demo down."""
        if self.demo is None:
            return
        for key in list(self.demo.keys()):
            self.ignore(key)
        if self.hud is not None:
            self.hud.remove()
            self.hud = None
        if self.gizmos is not None:
            self.gizmos.destroy()
            self.gizmos = None
        self.demo.close()
        self.demo = None
        self.studio.reset()

    def make_layout(self) -> Layout:
        """Return a new drawing surface over the whole window."""
        size = (self.win.get_x_size(), self.win.get_y_size())
        self.pixel2d.set_scale(2.0 / size[0], 1.0, 2.0 / size[1])
        return Layout(self.pixel2d, size, self.dots, self.mouseWatcherNode)

    def step(self, *, draw: bool = True) -> None:
        """Advance one frame; an undrawn one costs next to nothing."""
        self.drawing = draw and bool(self.win)
        if self.win:
            self.win.set_active(draw)
            self.studio.draw(draw)
        self.task_mgr.step()

    def show_gizmos(self, shown: bool) -> None:
        """Show or hide handles and bones."""
        if self.gizmos is not None:
            self.gizmos.visible = shown

    def _make_gizmos(self, demo: Demo) -> None:
        gizmos = ikrig.Gizmos(self.render, self.camera, lens_source=self.camNode)
        self.gizmos = gizmos
        for handle in demo.handles():
            gizmos.add_handle(
                handle.node,
                color=(*handle.colour, 1.0),
                radius=handle.radius,
                label=handle.label,
                shape="diamond" if handle.pole else "sphere",
            )
        self._chains_shown = demo.show_chains
        self._marked = []
        self._sync_gizmos()
        if self.real_time:
            gizmos.attach_mouse(self)

    def _sync_gizmos(self) -> None:
        """Show the chains that the demo has now; it may have replaced some."""
        if self.gizmos is None or self.demo is None:
            return
        wanted = [chain for _, chain in self.demo.chains()] * self._chains_shown
        if wanted == self._marked:
            return
        for chain in self._marked:
            self.gizmos.remove(chain)
        for chain in wanted:
            if isinstance(chain, ikrig.IKTree):
                self.gizmos.add_tree(chain)
            else:
                self.gizmos.add_chain(chain)
        self._marked = wanted

    def _bind_keys(self) -> None:
        self.accept("escape", lambda: self.on_escape())
        self.accept("r", self.orbit.reset)
        self.accept("h", self._toggle_panels)
        self.accept("b", self._toggle_chains)
        self.accept("space", self._toggle_play)
        self.accept("window-event", self._resized)

    def _toggle_panels(self) -> None:
        if self.hud is not None:
            self.hud.show_panels(not self.hud.panels_shown)

    def _toggle_chains(self) -> None:
        self._chains_shown = not self._chains_shown

    def _toggle_play(self) -> None:
        if self.demo is not None:
            self.demo.playing = not self.demo.playing

    def _resized(self, window: p3d.GraphicsWindow) -> None:
        self.windowEvent(window)  # type: ignore[arg-type]  # wrong in the stubs
        if window != self.win or window.is_closed():
            return
        size = (self.win.get_x_size(), self.win.get_y_size())
        if size == self.picture_size:
            return
        self.picture_size = size
        if self.hud is not None and self.demo is not None and self.entry is not None:
            self.hud.remove()
            self.hud = Hud(self.make_layout(), self.entry, self.demo)

    def _before(self, task: Task) -> int:
        if self.demo is not None:
            clock = p3d.ClockObject.get_global_clock()
            dt = min(clock.get_dt(), LONGEST_FRAME) if self.real_time else FRAME
            if self.gizmos is not None and self.gizmos.dragging:
                self.demo.playing = False
            if self.demo.playing:
                self.demo.play(self.demo.time)
                self.demo.time += dt
            self.demo.update(dt)
        return task.cont

    def _watch_start(self, task: Task) -> int:
        self._solve_start = time.perf_counter()
        return task.cont

    def _watch_stop(self, task: Task) -> int:
        spent = 1e6 * (time.perf_counter() - self._solve_start)
        self._solve_time += 0.1 * (spent - self._solve_time)
        return task.cont

    def _after(self, task: Task) -> int:
        if self.demo is None:
            return task.cont
        self.demo.after_ik()
        if not self.drawing:
            return task.cont
        self.demo.dress()
        if self._mouse is not None:
            self._mouse.update()
        shot = self.demo.shot() if self.demo.playing else None
        if shot is not None:
            self.orbit.place(*shot)
        self.orbit.apply(self.camera)
        if self.gizmos is not None:
            self._sync_gizmos()
            self.gizmos.update()
        self._frames += 1
        if self.hud is not None and (not self.real_time or self._frames % 6 == 0):
            self.hud.update(self._solve_time)
        return task.cont
