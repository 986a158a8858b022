"""The application that runs every demo: window, room, camera, panels, one clock."""

from __future__ import annotations

import time
from collections.abc import Callable

import panda3d.core as p3d
from direct.task.Task import Task

import ikrig
from demos._shared import focus
from demos._shared.catalogue import Entry
from demos._shared.controls import STEP, HandleControl
from demos._shared.demo import Demo, Handle, Rig
from demos._shared.hud import Hud
from demos._shared.layout import Layout
from demos._shared.mesh import set_plain_light
from demos._shared.script_ease import ScriptEase
from ikrig.scene.viewer.display import Screen
from ikrig.scene.viewer.orbit_camera import CameraMouse
from ikrig.scene.viewer.viewer_app import ViewerApp

FRAME = 1.0 / 60.0
LONGEST_FRAME = 1.0 / 20.0
MUCH_COVERED = 0.06  # of the picture's height, by keys along its lower edge


class DemoApp(ViewerApp):
    """Runs one demo at a time.

    Attributes:
        demo: The open demo.
        hud: The panels over it.
        drawing: Whether this frame is drawn.
        shot: Camera position and look-at point, world; None: those of the demo.
    """

    def __init__(
        self,
        screen: Screen,
        size: tuple[int, int] = (1280, 720),
        ui_scale: float = 1.0,
    ) -> None:
        """Open the window or buffer.

        Args:
            screen: From `display.find`.
            size: Width and height of the picture.
            ui_scale: Factor on the size of the panels.

        Raises:
            VideoError: The window cannot be opened.
        """
        super().__init__(screen, size, FRAME)
        set_plain_light(not self.studio.shaded)
        self.ui_scale = ui_scale
        self.demo: Demo | None = None
        self.entry: Entry | None = None
        self._seed = 0
        self._ease: ScriptEase | None = None
        self._was_playing = True
        self.hud: Hud | None = None
        self.gizmos: ikrig.Gizmos | None = None
        self.drawing = bool(self.win)
        self.shot: tuple[p3d.LPoint3, p3d.LPoint3] | None = None
        self.on_escape: Callable[[], None] = self.userExit
        self.on_resize: Callable[[], None] = self.draw_hud
        self._solve_start = 0.0
        self._solve_time = 0.0
        self._frames = 0
        self._chains_shown = True
        self._marked: list[Rig] = []
        self._window_size = size
        self._mouse: CameraMouse | None = None
        if self.win and self.real_time:
            self._mouse = CameraMouse(self, self.orbit, self._holds)
            self._bind_keys()
        self.task_mgr.add(self._before, "demo-before", sort=10)
        self.task_mgr.add(self._watch_start, "demo-watch", sort=39)
        self.task_mgr.add(self._watch_stop, "demo-watch", sort=41)
        self.task_mgr.add(self._after, "demo-after", sort=42)

    def __exit__(self, *error: object) -> None:
        """Close the demo and release the window."""
        self.close()
        super().__exit__(*error)

    def open(self, entry: Entry, seed: int = 0) -> Demo:
        """Close the open demo and open another."""
        self.close()
        demo = entry.load()(
            self.studio.stage,
            self.studio.overlay,
            seed=seed,
            drawn=bool(self.win),
            live=self.real_time,
            file=entry.file,
            allow=entry.allow,
            sender=entry.sender,
        )
        demo.build()
        demo.play(0.0)
        self.demo, self.entry, self._seed = demo, entry, seed
        self._ease, self._was_playing = None, True
        if self.win:
            self.look(demo.view)
            self._make_gizmos(demo)
            self.draw_hud()
            for key in {*focus.KEYS, *demo.keys()}:
                self.accept(key, self._key, [key])
                self.accept(f"{key}-repeat", self._key, [key])
        return demo

    def close(self) -> None:
        """Close the open demo and remove its panels."""
        if self.demo is None:
            return
        for key in {*focus.KEYS, *self.demo.keys()} - {"escape"}:
            self.ignore(key)
            self.ignore(f"{key}-repeat")
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
        watcher = self.mouseWatcherNode
        return Layout(self.pixel2d, size, self.dots, watcher, self.ui_scale)

    def step(self, *, draw: bool = True) -> None:
        """Advance one frame; frames that are not drawn cost next to nothing."""
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
        gizmos = ikrig.Gizmos(
            self.render, self.camera, lens_source=self.camNode, auto_update=False
        )
        self.gizmos = gizmos
        for handle in demo.handles():
            gizmos.add_handle(
                handle.node,
                color=(*handle.colour, 1.0),
                radius=handle.radius,
                label=handle.label,
                shape="diamond" if handle.pole else "sphere",
                rotates=handle.rotates,
            )
        self._chains_shown = demo.show_chains
        self._marked = []
        self._sync_gizmos()
        if self.real_time:
            gizmos.attach_mouse(self)

    def _sync_gizmos(self) -> None:
        """Show the current chains of the demo, which may have replaced some."""
        if self.gizmos is None or self.demo is None:
            return
        self.gizmos.frame = self.demo.frame
        wanted = [chain for _, chain in self.demo.chains()] * self._chains_shown
        if wanted == self._marked:
            return
        for chain in self._marked:
            self.gizmos.remove(chain)
        for chain in wanted:
            self.gizmos.add(chain)
        self._marked = wanted

    def _bind_keys(self) -> None:
        self.accept("escape", self._key, ["escape"])
        self.accept("r", self._reset)
        self.accept("f11", self._toggle_full_screen)
        self.accept("h", self._next_page)
        self.accept("b", self._toggle_chains)
        self.accept("space", self._toggle_play)
        self.accept("window-event", self._resized)

    def _key(self, name: str) -> None:
        """Pass a key to the focused control, the demo or the app, in this order."""
        if self.hud is not None and self.hud.focus.key(name):
            return
        action = self.demo.keys().get(name) if self.demo is not None else None
        if action is not None:
            action()
            if self.demo is not None and self.demo.redraw:
                self.demo.redraw = False
                self.draw_hud()
        elif name == "escape":
            self.on_escape()

    def _reset(self) -> None:
        """Open the demo again, or reset only the camera if the demo does not reset."""
        if self.demo is not None and self.entry is not None and self.demo.resets:
            self.open(self.entry, self._seed)
        else:
            self.orbit.reset()

    def _toggle_full_screen(self) -> None:
        window, size = self.win, self._window_size
        assert isinstance(window, p3d.GraphicsWindow)
        full = not window.is_fullscreen()
        if full:
            self._window_size = self.picture_size
            pipe = window.get_pipe()
            size = (pipe.get_display_width(), pipe.get_display_height())
        properties = p3d.WindowProperties()
        properties.set_fullscreen(full)
        properties.set_size(*size)
        window.request_properties(properties)

    def _next_page(self) -> None:
        if self.hud is not None:
            self.hud.next_page()

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
        self.on_resize()

    def draw_hud(self) -> None:
        """Lay out the panels for the current window size."""
        if self.demo is None or self.entry is None:
            return
        page = 0
        if self.hud is not None:
            page = self.hud.page
            self.hud.remove()
        self.hud = Hud(
            self.make_layout(),
            self.entry,
            self.demo,
            [HandleControl(h, self._key_axes, self._mark) for h in self._key_handles()],
            timed=self.real_time,
            page=page,
        )

    def _key_handles(self) -> list[Handle]:
        """Return the nodes that the keyboard can move: handles, targets and poles."""
        if self.gizmos is None:
            return []
        return [Handle(shown.node, shown.label) for shown in self.gizmos.handles]

    def _key_axes(self) -> tuple[p3d.LVector3, ...]:
        """Return how far one key press moves a handle: right, away, up; world."""
        assert self.demo is not None
        self.demo.playing = False
        return tuple(axis * (STEP * self.orbit.distance) for axis in self.orbit.axes())

    def _mark(self, handle: Handle | None) -> None:
        """Show which handle the keyboard moves."""
        if self.gizmos is not None:
            self.gizmos.marked = None if handle is None else handle.node

    def _keep_clear(self) -> None:
        """Keep the middle of the scene above the help bar, where that covers much."""
        covered = self.hud.covered if self.hud is not None else 0.0
        share = 0.5 * covered if covered > MUCH_COVERED else 0.0
        self.camLens.set_film_offset(0.0, -share * self.camLens.get_film_size().y)

    def _holds(self) -> bool:
        """Return whether the left button holds a handle."""
        return self.gizmos is not None and self.gizmos.dragging is not None

    def _before(self, task: Task) -> int:
        if self.demo is not None:
            clock = p3d.ClockObject.get_global_clock()
            dt = min(clock.get_dt(), LONGEST_FRAME) if self.real_time else FRAME
            if self.gizmos is not None and self.gizmos.dragging:
                self.demo.playing = False
            self._play(self.demo, dt)
            self.demo.update(dt)
        return task.cont

    def _play(self, demo: Demo, dt: float) -> None:
        """Run the script for one frame, easing handles that were dragged meanwhile."""
        resumed = demo.playing and not self._was_playing
        self._was_playing = demo.playing
        if not demo.playing:
            return
        nodes = {handle.node for handle in demo.handles()}
        if resumed:
            self._ease = ScriptEase(nodes)
        before = {node: node.get_transform() for node in nodes} if self._ease else {}
        demo.play(demo.time)
        demo.time += dt
        if self._ease is not None:
            self._ease.apply(before, dt)
            if self._ease.done:
                self._ease = None

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
        if self._mouse is not None:
            self._mouse.update()
        shot = self.shot or (self.demo.shot() if self.demo.playing else None)
        if shot is not None:
            self.orbit.place(*shot)
        self.orbit.apply(self.camera)
        self.demo.update_visuals()
        self._keep_clear()
        if self.gizmos is not None:
            self._sync_gizmos()
            self.gizmos.update()
        self._frames += 1
        if self.hud is not None and (not self.real_time or self._frames % 6 == 0):
            clock = p3d.ClockObject.get_global_clock()
            self.hud.update(self._solve_time, clock.get_average_frame_rate())
        return task.cont
