"""StudioApp: the studio's window."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from pathlib import Path

import panda3d.core as p3d
from direct.task.Task import Task
from imgui_bundle import imgui

from ...errors import IkrigError
from ...scene.viewer import display
from ...scene.viewer.display import Screen
from ...scene.viewer.orbit_camera import View
from ...scene.viewer.viewer_app import ViewerApp
from ..actions import actions_of
from ..panels import style
from ..panels.bottom import Bottom
from ..panels.dialogs import Dialogs
from ..panels.inspector import draw_inspector
from ..panels.layout import Layout, Rect
from ..panels.outliner import Outliner
from ..panels.top_bar import draw_top_bar
from ..session import StudioSession
from .gui_backend import GuiBackend
from .keys import run_keys
from .live_rig import LiveRig
from .open_file import KNOWN
from .overlay import mark_limit
from .stage import Stage
from .trial_stage import TrialStage
from .viewport import Viewport

LONGEST_FRAME = 0.1
FRAMES_TO_OPEN = 3  # until the text field of a dialog has the keyboard focus


def samples() -> dict[str, str]:
    assets = Path(__file__).parents[3] / "assets"
    found = {
        "Humanoid": assets / "models" / "humanoid.bam",
        "Robot arm of six axes": assets / "rigs" / "six_axis.yaml",
        "Creature with six legs": assets / "rigs" / "creature.yaml",
    }
    here = {name: str(path) for name, path in found.items() if path.is_file()}
    panda = p3d.Filename("models/panda-model.egg.pz")
    vfs = p3d.VirtualFileSystem.get_global_ptr()
    if vfs.resolve_filename(panda, p3d.get_model_path().get_value()):
        here["Panda"] = panda.to_os_specific()
    return here


class StudioApp(ViewerApp):
    def __init__(
        self,
        screen: Screen,
        size: tuple[int, int] = (1280, 720),
        ui_scale: float = 1.0,
        frame_time: float = 1.0 / 60.0,
    ) -> None:
        p3d.load_prc_file_data("ikrig studio", "window-title ikrig studio")
        super().__init__(screen, size, frame_time)
        try:
            self._set_up(ui_scale)
        except BaseException:
            self.destroy()
            raise

    def _set_up(self, ui_scale: float) -> None:
        self.ui_scale = ui_scale
        self.session = StudioSession()
        self.session.actions = actions_of(self.session)
        self.session.opener = self.open_file
        self.session.quit = self._quit
        self.session.frame_view = self.frame_model
        self.session.camera = lambda: (self.orbit.heading, self.orbit.pitch)
        self.win.set_clear_color(p3d.LColor(*style.COLOURS["back"]))
        self.look(View())
        self.stage = Stage(self)
        self.tests = self.session.tests = TrialStage(self.studio.stage)
        self.gui = GuiBackend(self)
        self.session.copy = self.gui.copy
        style.load_fonts()
        self._scale = 0.0
        self._held = False
        self.outliner, self.bottom = Outliner(), Bottom()
        self.dialogs = Dialogs(KNOWN, samples())
        self.viewport = Viewport(self, self.session, ui_scale)
        self.rig_time = 0.0  # average time of rigs per frame [s]
        self._began = 0.0
        self._cost = ""
        self._cost_at = 0.0
        self.faults: dict[str, str] = {}
        """Errors of the last frame, by where they occurred; normally empty."""
        self._tasks = [
            self.task_mgr.add(self._guarded(run), f"studio{run.__name__}", sort=sort)
            for sort, run in (
                (30, self._play),
                (39, self._before_rigs),
                (41, self._after_rigs),
                (42, self._gizmos),
                (44, self._panels),
            )
        ]
        p3d.ClockObject.get_global_clock().set_max_dt(LONGEST_FRAME)

    def open_file(self, path: Path) -> LiveRig:
        carrier = self.stage.carrier()
        if self.session.is_open:
            # it may be opened again
            self.session.live.document.unlock()
        try:
            live = LiveRig.open(path, carrier, viewing=self.session.viewing)
            live.sync()
        except IkrigError:
            carrier.remove_node()
            raise
        if self.session.is_open:
            self.session.live.close()
        self.tests.clear()
        self.stage.show(carrier, live)
        self.frame_model()
        return live

    def frame_model(self) -> None:
        size = self._layout().view
        self.stage.frame(max(size.width, 1.0) / max(size.height, 1.0))

    def close(self) -> None:
        for task in self._tasks:
            self.task_mgr.remove(task)
        self.session.exports.cancel()
        if self.session.is_open:
            self.session.live.close()
            self.session.live = None  # type: ignore[assignment]
        self.viewport.gizmos.destroy()
        self.gui.destroy()

    def _quit(self) -> None:
        """Exit in a separate task.

        ``close`` removes those of the studio, and Panda3D loses the exit of a task that
        was removed while it ran: the window stayed, and nothing drew it any more.
        """
        self.task_mgr.add(lambda task: self.userExit(), "studio-quit", sort=45)

    def finalizeExit(self) -> None:  # noqa: N802 (ShowBase's name)
        self.close()
        super().finalizeExit()

    def _layout(self) -> Layout:
        size = (self.win.get_x_size(), self.win.get_y_size())
        session = self.session
        return Layout(
            *size,
            self.ui_scale,
            bare=session.bare,
            viewing=session.viewing,
            tall=session.tab == "Timeline" and session.keying.clip is not None,
        )

    def _guarded(self, run: Callable[[], None]) -> Callable[[Task], int]:
        """Return a task that runs a function and logs its errors.

        An error that leaves a task would end the application, with unsaved work.
        """

        def task(task: Task) -> int:
            try:
                run()
                self.faults.pop(run.__name__, None)
            except Exception:
                fault = traceback.format_exc(limit=4)
                if fault != self.faults.get(run.__name__):
                    self.session.report(fault, "error")
                    print(fault, flush=True)
                self.faults[run.__name__] = fault
            return int(task.cont)

        return task

    def _play(self) -> None:
        session = self.session
        clock = p3d.ClockObject.get_global_clock()
        session.update()
        if session.is_open:
            live, dt = session.live, clock.get_dt()
            if live.sweeping is None:
                live.playback.update(dt)
            elif live.sweeping.update(dt):
                live.end_sweep()
            self.tests.update(live, dt)

    def _before_rigs(self) -> None:
        self._began = time.perf_counter()

    def _after_rigs(self) -> None:
        taken = time.perf_counter() - self._began
        self.rig_time += 0.1 * (taken - self.rig_time)

    def _gizmos(self) -> None:
        mark_limit(self.session, self.viewport.gizmos)
        if self.session.is_open:
            self.session.live.lead_dormant()
        self.viewport.gizmos.update()

    def _panels(self) -> None:
        layout = self._layout()
        if layout.scale != self._scale:
            self._scale = layout.scale
            style.apply(layout.scale)
        shown = self.session.dialog, self.session.live
        self._draw(layout)
        held, self._held = self._held, imgui.is_any_item_active()
        if held and not self._held and self.session.is_open:
            # all changes while one widget is held are one step
            self.session.document.end_drag()
        if shown != (self.session.dialog, self.session.live):
            # further typing belongs to the window that opens now
            self.gui.feed.pause(FRAMES_TO_OPEN)

    def _draw(self, layout: Layout) -> None:
        session = self.session
        size = (self.win.get_x_size(), self.win.get_y_size())
        run_keys(session, self.viewport)
        if not session.is_open:
            self.viewport.fit(Rect(0, 0, *size), size)
            self.dialogs.start(session)
            self.dialogs.draw(session)
            return
        self.viewport.fit(layout.view, size)
        self.stage.follow()
        if session.viewing and not session.bare:
            self.outliner.look(session)
            self.bottom.draw_timeline(session, layout.bottom)
        elif not session.bare:
            draw_top_bar(session, layout.top, self._cost_text())
            self.outliner.draw(session, layout.left)
            draw_inspector(session, layout.right)
            self.bottom.draw(session, layout.bottom)
        else:
            self.outliner.look(session)
        self.dialogs.draw(session)
        self.viewport.update(layout.scale, self.outliner)

    def _cost_text(self) -> str:
        clock = p3d.ClockObject.get_global_clock()
        now = clock.get_real_time()
        if now - self._cost_at > 0.5 or not self._cost:
            self._cost_at = now
            rate = clock.get_average_frame_rate()
            self._cost = f"{1e6 * self.rig_time:.0f} µs   {rate:.0f} fps"
        return self._cost


def run(
    path: Path | None, size: tuple[int, int], ui_scale: float, *, viewing: bool = False
) -> None:
    display.configure()
    screen = display.find(display.Surface.WINDOW)
    with StudioApp(screen, size, ui_scale) as app:
        app.session.viewing = viewing
        if path is not None and not app.session.open(path) and viewing:
            raise IkrigError(app.session.log[-1].text)
        app.run()
