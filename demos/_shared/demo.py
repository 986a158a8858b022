"""Base class of demos: a stage with chains, a movement, sliders and keys."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import panda3d.core as p3d

import ikrig
from demos._shared import theme
from demos._shared.layout import Layout
from demos._shared.sender import Sender
from ikrig.scene.viewer.orbit_camera import View

RIGS = Path(__file__).parents[2] / "assets" / "rigs"


@dataclass(frozen=True)
class Slider:
    """A value that the user can change while the demo runs.

    Attributes:
        label: Text next to it.
        low: Smallest value.
        high: Largest value.
        value: Value at the start.
        apply: Called with each new value.
        step: Values are multiples of it; 0 for any.
        show: Format of the value, or a function that returns its text.
        read: Returns the current value, if it can also be changed elsewhere.
    """

    label: str
    low: float
    high: float
    value: float
    apply: Callable[[float], None]
    step: float = 0.0
    show: str | Callable[[float], str] = "{:.2f}"
    read: Callable[[], float] | None = None

    def text(self, value: float) -> str:
        """Return the text for a value."""
        return (
            self.show.format(value) if isinstance(self.show, str) else self.show(value)
        )

    def snap(self, value: float) -> float:
        """Return the nearest allowed value."""
        if self.step > 0.0:
            value = self.low + round((value - self.low) / self.step) * self.step
        return max(self.low, min(self.high, value))


@dataclass(frozen=True)
class Button:
    """An action that the user can run.

    Attributes:
        label: Text on it.
        press: The action.
        lit: Whether it is highlighted as the chosen one.
        enabled: Returns whether it can be pressed now.
        colour: Colour of its mark, if it represents something in the picture.
    """

    label: str
    press: Callable[[], None]
    lit: Callable[[], bool] = lambda: False
    enabled: Callable[[], bool] = lambda: True
    colour: theme.Colour | None = None


@dataclass(frozen=True)
class Handle:
    """A node that the user can drag.

    Attributes:
        node: The node.
        label: Shown while the pointer is on it.
        colour: sRGB of the handle.
        radius: Size of the handle [scene unit].
        pole: Whether it is a pole; poles look different.
        rotates: Whether its rotation counts: a press then shows rings to rotate it.
    """

    node: p3d.NodePath
    label: str = ""
    colour: tuple[float, float, float] = (1.0, 0.55, 0.16)
    radius: float = 0.12
    pole: bool = False
    rotates: bool = False


Rig = ikrig.IKChain | ikrig.IKTree


class Note(NamedTuple):
    """A row of the panel.

    Attributes:
        label: Name of the value.
        value: The current value, as text.
        colour: Colour of the value.
    """

    label: str
    value: str
    colour: theme.Colour = theme.TEXT


def note_of_ik(on: bool) -> Note:
    """Return the row that says whether IK is on."""
    return Note("IK", "on", theme.GOOD) if on else Note("IK", "off", theme.MUTED)


class Demo:
    """One demo. Derive, set ``view``, fill in `build` and `play`.

    Each frame runs `play` (while nobody has touched anything), `update`, then the
    chains, then `after_ik`, then, if the frame is drawn, `update_visuals`.

    Attributes:
        view: Initial view of the camera.
        duration: Length of its movement, which then repeats [s].
        picture: Time of the catalogue's picture [s].
        show_chains: Whether bones are drawn over the picture.
        clean_gizmos: Whether bones and handles belong in the catalogue's picture.
        show_status: Whether the panel has rows for every chain.
        fills_picture: Whether `draw_over` needs the space of the other panels where
            the window is small.
        resets: Whether R rebuilds the demo; if not, R only resets the camera.
        takes_file: Whether it can show a file of the user's.
        file: The user's file, or None.
        allow: Further folders from which the file may load other files.
        takes_sender: Whether it can mirror another program's joint angles.
        sender: Their source, or None.
        stage: Root node of the scene; lit, casts shadows.
        overlay: Parent of translucent shapes: not lit, no shadows.
        drawn: Whether pictures are drawn of it.
        live: Whether it runs in real time in a window.
        redraw: Set by a key's action if sliders and panels must be made again.
        floor: Height of the ground at x and y; None: the level on which feet stand.
    """

    view = View()
    duration = 8.0
    picture = 2.0
    show_chains = True
    clean_gizmos = False
    show_status = True
    fills_picture = False
    resets = True
    takes_file = False
    takes_sender = False
    floor: Callable[[float, float], float] | None = None

    def __init__(
        self,
        stage: p3d.NodePath,
        overlay: p3d.NodePath,
        *,
        seed: int = 0,
        drawn: bool = True,
        live: bool = False,
        file: Path | None = None,
        allow: Sequence[Path] = (),
        sender: Sender | None = None,
    ) -> None:
        """Set the initial state; nodes are made in `build`.

        Args:
            stage: Root node of the scene.
            overlay: Parent of translucent shapes.
            seed: Seed of its random numbers.
            drawn: False if nothing is drawn at all.
            live: False if frames run as fast as possible.
            file: File to show; for demos that take files.
            allow: Further folders from which the file may load other files.
            sender: Source of joint angles; for demos that take them.
        """
        self.stage = stage
        self.overlay = overlay
        self.file = file
        self.allow = allow
        self.sender = sender
        self.drawn = drawn
        self.live = live
        self.random = np.random.default_rng(seed)
        self.time = 0.0
        self.playing = True
        self.redraw = False
        self._loaded: list[ikrig.Rig] = []
        self.started: list[Any] = []
        """Springs and curves on nodes, which ``close`` removes."""

    def build(self) -> None:
        """Make nodes, meshes and chains."""

    def load_rig(
        self,
        name: str,
        model: p3d.NodePath | None = None,
        parent: p3d.NodePath | None = None,
    ) -> ikrig.Rig:
        """Load a rig of `assets/rigs` and start it; `close` removes it again.

        In real time, it is reloaded whenever the file is saved.

        Args:
            name: Name of the file.
            model: Model to rig; that of the file by default.
            parent: Parent node; the stage by default.

        Raises:
            RigFileError: The file has errors; the message locates them.
        """
        path = RIGS / f"{name}.yaml"
        rig = ikrig.load_rig(path, model, parent or self.stage, watch=self.live)
        self._loaded.append(rig)
        return rig.start()

    def play(self, time: float) -> None:
        """Move targets along their scripted paths."""

    def update(self, dt: float) -> None:
        """Update whatever must change before the chains are solved."""

    def after_ik(self) -> None:
        """Update whatever depends on the solved pose."""

    def update_visuals(self) -> None:
        """Fit covers, skins and cables to the pose; called only for drawn frames."""

    def shot(self) -> tuple[p3d.LPoint3, p3d.LPoint3] | None:
        """Return camera position and look-at point, world; None: those of the user.

        Called for as long as the movement plays.
        """
        return None

    def chains(self) -> Sequence[tuple[str, Rig]]:
        """Return the solved components, with names for the panel."""
        return ()

    def handles(self) -> Sequence[Handle]:
        """Return the handles that can be dragged."""
        return ()

    @property
    def frame(self) -> Literal["world", "tool"]:
        """The node whose axes the rings and arrows of handles have."""
        return "world"

    def sliders(self) -> Sequence[Slider]:
        """Return the sliders on the right."""
        return ()

    def buttons(self) -> Sequence[Button]:
        """Return the buttons below the sliders, two in a row."""
        return ()

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys; `space` is the app's."""
        return {}

    def notes(self) -> Sequence[Note]:
        """Return further rows for the panel."""
        return ()

    def draw_over(self, layout: Layout, panels: p3d.NodePath, timed: bool) -> None:
        """Put texts and charts below ``panels``; `refresh` updates them.

        Args:
            layout: The drawing surface.
            panels: Parent of everything that the user can hide.
            timed: Whether to show solve times, which differ from run to run.
        """

    def refresh(self) -> None:
        """Update the texts and charts of `draw_over`."""

    def close(self) -> None:
        """Stop the chains and remove rigs; the app empties the stage."""
        for _, chain in self.chains():
            chain.stop()
        for rig in (*self.started, *self._loaded):
            rig.remove()


def smoothstep(t: float) -> float:
    """Ease from 0 to 1, with zero speed at both ends."""
    t = max(0.0, min(1.0, t))
    return t * t * t * (t * (6.0 * t - 15.0) + 10.0)


def wave(time: float, period: float, phase: float = 0.0) -> float:
    """Return a sine of ``time``; ``phase`` in whole cycles."""
    return math.sin(2.0 * math.pi * (time / period + phase))
