"""What a demo is: a stage with chains, a movement, sliders and keys."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

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
        label: What stands next to it.
        low: Smallest value.
        high: Largest value.
        value: Value at the start.
        apply: Called with each new value.
        step: Values are multiples of it; 0 for any.
        show: Format of the value, or a function from value to text.
        read: Where the value is now, when others change it too.
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
        """Return the value as it is shown."""
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
    """Something that the user can do.

    Attributes:
        label: What stands on it.
        press: Called when it is pressed.
        lit: Whether it is the one that is chosen.
        enabled: Whether it can be pressed now.
        colour: Of its mark, where it stands for something in the picture.
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
        node: What moves.
        label: Shown while the pointer is on it.
        colour: sRGB of the handle.
        radius: Size of the handle [scene unit].
        pole: Whether it is a pole; those look different.
        rotates: Whether its rotation counts: rings turn it, once it was pressed.
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
        label: What it is.
        value: How it is now.
        colour: Of the value.
    """

    label: str
    value: str
    colour: theme.Colour = theme.TEXT


class Demo:
    """One demo. Derive, set ``view``, fill in `build` and `play`.

    Each frame runs `play` (while nobody has touched anything), `update`, then the
    chains, then `after_ik`, then, if the frame is drawn, `dress`.

    Attributes:
        view: How to look at it.
        duration: Length of its movement, which then repeats [s].
        picture: The moment to show in the catalogue [s].
        show_chains: Whether bones are drawn over the picture.
        clean_gizmos: Whether bones and handles belong in the catalogue's picture.
        show_status: Whether the panel has rows for every chain.
        fills_picture: Whether `draw_over` needs the places of the other panels where
            the window is small.
        resets: Whether R builds it anew; else R moves the camera back alone.
        takes_file: Whether it can show a file of the user's.
        file: The user's file, or None.
        allow: Folders that it may have files opened from, besides its own.
        takes_sender: Whether it can mirror another program's joint angles.
        sender: Who sends them, or None.
        stage: Node to put everything below; lit, casts shadows.
        overlay: Node for what is of glass: not lit, no shadows.
        drawn: Whether anybody will see it.
        live: Whether somebody watches it, by the clock on the wall.
        redraw: Set by a key's action: sliders and panels are other ones now.
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
        """Make the demo's state; things are built in `build`.

        Args:
            stage: Node to put everything below.
            overlay: Node for what is of glass.
            seed: Same seed, same demo.
            drawn: False where there is no window at all.
            live: False where frames are taken as fast as they can be had.
            file: What to show; for demos that take files.
            allow: Folders that it may have files opened from, besides its own.
            sender: Who sends joint angles; for demos that take them.
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

    def build(self) -> None:
        """Make nodes, meshes and chains."""

    def load_rig(
        self,
        name: str,
        model: p3d.NodePath | None = None,
        parent: p3d.NodePath | None = None,
    ) -> ikrig.Rig:
        """Load a rig of `assets/rigs` and start it; `close` takes it out again.

        While somebody watches, it is read anew whenever the file is saved.

        Args:
            name: Of the file.
            model: What to rig; what the file says by default.
            parent: Node to hang it on; the stage by default.

        Raises:
            RigFileError: The file is wrong; says where.
        """
        path = RIGS / f"{name}.yaml"
        rig = ikrig.load_rig(path, model, parent or self.stage, watch=self.live)
        self._loaded.append(rig)
        return rig.start()

    def play(self, time: float) -> None:
        """Move targets along their scripted paths."""

    def update(self, dt: float) -> None:
        """Do what has to happen before the chains are solved."""

    def after_ik(self) -> None:
        """Do what follows the solved pose."""

    def dress(self) -> None:
        """Fit covers, skins and cables to the pose; only if the frame is drawn."""

    def shot(self) -> tuple[p3d.LPoint3, p3d.LPoint3] | None:
        """Return where the camera is and looks, world; None: wherever the user has it.

        Asked for as long as the movement plays.
        """
        return None

    def chains(self) -> Sequence[tuple[str, Rig]]:
        """Return what is solved, with names for the panel."""
        return ()

    def handles(self) -> Sequence[Handle]:
        """Return what can be dragged."""
        return ()

    @property
    def frame(self) -> Literal["world", "tool"]:
        """Whose axes rings and arrows of handles have."""
        return "world"

    def sliders(self) -> Sequence[Slider]:
        """Return the sliders on the right."""
        return ()

    def buttons(self) -> Sequence[Button]:
        """Return the buttons below the sliders, two in a row."""
        return ()

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return what the demo's own keys do; `space` is the app's."""
        return {}

    def notes(self) -> Sequence[Note]:
        """Return further rows for the panel."""
        return ()

    def draw_over(self, layout: Layout, panels: p3d.NodePath, timed: bool) -> None:
        """Put texts and charts below ``panels``; `refresh` keeps them true.

        Args:
            layout: Places them.
            panels: What the user can hide.
            timed: Whether to show how long solving took (differs run by run).
        """

    def refresh(self) -> None:
        """Bring up to date what `draw_over` drew."""

    def close(self) -> None:
        """Stop the chains and take out rigs; the app empties the stage."""
        for _, chain in self.chains():
            chain.stop()
        for rig in self._loaded:
            rig.remove()


def smoothstep(t: float) -> float:
    """Ease from 0 to 1 with no speed at both ends and in between no jerk."""
    t = max(0.0, min(1.0, t))
    return t * t * t * (t * (6.0 * t - 15.0) + 10.0)


def wave(time: float, period: float, phase: float = 0.0) -> float:
    """Return a sine of ``time``; ``phase`` in turns."""
    return math.sin(2.0 * math.pi * (time / period + phase))
