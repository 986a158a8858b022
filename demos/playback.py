"""A clip on a timeline: scrub, play, drag keys, and see its file change.

Rig and clip come from files. Pause and drag a target or a pole: this changes or adds
the key at the playhead, and its line in the file. You can also edit the file in your
own editor: saved changes appear at once. The file is a working copy in `out/playback`.
To open your own clip for one of the two rigs: `python -m demos playback FILE`.

Order: 80
Keys:
    Space  play
    Left Right  key to key
    K      key here
    Delete  delete key
    L      loop
    1 2    scenes
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import panda3d.core as p3d
from direct.actor.Actor import Actor

import ikrig
from demos._shared.clip_session import ClipSession
from demos._shared.clip_tools import ClipTools
from demos._shared.demo import Button, Demo, Note, Slider, smoothstep
from demos._shared.demo import Rig as Solved
from demos._shared.demo_error import DemoError
from demos._shared.humanoid import load_humanoid
from demos._shared.layout import Layout
from demos._shared.mesh import satin
from ikrig.clip.editing import KeyName
from ikrig.scene.animation import check_clip
from ikrig.scene.viewer.orbit_camera import View

ASSETS = Path(__file__).parents[1] / "assets"
FOLDER = Path("out", "playback")
# actions of the movement, and their start [s]
SCRIPT = (
    (0.0, "run"), (3.0, "scrub"), (4.1, "drag"), (6.0, "run"), (9.0, "scrub"),
    (10.1, "slide"), (11.7, "back"), (14.0, ""),
)  # fmt: skip
PULL = p3d.LVector3(-0.09, 0.17, 0.2)  # offset by which it drags a target
LATER = 0.4  # and a key [s]


@dataclass(frozen=True)
class Scene:
    """A rig, and a clip for it.

    Attributes:
        name: Text on its button.
        rig: File in ``assets/rigs``.
        clip: File in ``assets/clips``.
        model: Makes the model to rig, if the rig file has none.
    """

    name: str
    rig: str
    clip: str
    model: Callable[[], Actor] | None = None

    def load(self, stage: p3d.NodePath) -> ikrig.Rig:
        """Put the rig on the stage."""
        model = None
        if self.model is not None:
            model = self.model()
            model.reparent_to(stage)
        rig = ikrig.load_rig(ASSETS / "rigs" / self.rig, model, stage)
        for body in rig.bodies.values():
            satin(body.root)
        return rig


SCENES = (
    Scene("humanoid", "humanoid.yaml", "humanoid_clouds.yaml", load_humanoid),
    Scene("robot", "six_axis.yaml", "six_axis_square.yaml"),
)


class Playback(Demo):
    """A small animation tool over `ClipPlayer`.

    Attributes:
        session: The clip that is edited and played.
    """

    view = View(
        focus=(0.0, 0.0, 0.6), distance=5.3, heading=24, pitch=8, radius=2.2, fov=28
    )
    duration = SCRIPT[-1][0]
    picture = 5.3
    clean_gizmos = True
    show_status = False
    resets = False
    takes_file = True

    def build(self) -> None:
        """Open the first scene, or the one that fits the user's clip."""
        self._tools: ClipTools | None = None
        self._layout: Layout | None = None
        self._floor = 0.0
        self._was_playing, self._phase = False, -1
        scene, source = self._first()
        # pictures use a temporary copy; users keep theirs
        self._temporary = None if self.live else tempfile.TemporaryDirectory()
        self._open(scene, source)

    def play(self, time: float) -> None:
        """Play, scrub, drag a target, play, move a key, play backwards."""
        if self.live:
            return
        time %= self.duration
        k = max(i for i, (start, _) in enumerate(SCRIPT[:-1]) if start <= time)
        # a clip without targets to drag is only played
        k = k if self._targets() else 0
        (start, word), end = SCRIPT[k], SCRIPT[k + 1][0]
        begun, self._phase = k != self._phase, k
        share = smoothstep((time - start) / (end - start - 0.3))
        getattr(self, f"_show_{word}")(share, begun)

    def update(self, dt: float) -> None:
        """Play or pause, and reload the file when it was saved."""
        self.session.look()
        player = self.session.player
        if self.live and self.playing != self._was_playing:
            (self.session.play if self.playing else self.session.pause)()
        elif self.live and player.playing != self.playing:
            # the clip has ended
            self.playing = player.playing
        self._was_playing = self.playing
        if self._tools is not None:
            self._tools.age += dt

    def after_ik(self) -> None:
        """Set keys from dragged targets."""
        if not self.session.player.playing:
            self.session.take_drags()

    def update_visuals(self) -> None:
        """Update timeline, file and motion paths."""
        if self._layout is None:
            return
        if self._tools is None or self._tools.stale:
            self._make_tools(self._layout)
        assert self._tools is not None
        self._tools.show()

    def chains(self) -> Sequence[tuple[str, Solved]]:
        """Return the chains that the clip moves."""
        parts = {track.part for track in self.session.clip.tracks}
        chains = self.session.rig.chains
        return [(name, chain) for name, chain in chains.items() if name in parts]

    def sliders(self) -> Sequence[Slider]:
        """Return the slider for the speed."""

        def set_speed(value: float) -> None:
            self.session.player.speed = value

        return (
            Slider(
                "speed", -2.0, 2.0, 1.0, set_speed, step=0.1, show="{:+.1f}",
                read=lambda: self.session.player.speed,
            ),
        )  # fmt: skip

    def buttons(self) -> Sequence[Button]:
        """Return the actions on the clip."""
        return (
            *(
                Button(
                    scene.name, partial(self._change, scene),
                    lit=partial(lambda scene: self._scene is scene, scene),
                )
                for scene in SCENES
            ),
            Button("play", self._toggle, lit=lambda: self.session.player.playing),
            Button("loop", self._loop, lit=lambda: self.session.loops),
            Button(
                "key here", self._key_here,
                enabled=lambda: self.session.chosen is not None,
            ),
            Button(
                "delete key", self._delete,
                enabled=lambda: self.session.chosen is not None,
            ),
            Button(
                "record", lambda: self.session.record(),
                lit=lambda: self.session.recording,
            ),
            Button("original", lambda: self.session.revert()),
        )  # fmt: skip

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        return {
            "arrow_left": lambda: self._step(-1),
            "arrow_right": lambda: self._step(1),
            "delete": self._delete,
            "k": self._key_here,
            "l": self._loop,
            **{str(k): partial(self._change, s) for k, s in enumerate(SCENES, 1)},
        }

    def notes(self) -> Sequence[Note]:
        """Return clip, time and key."""
        session = self.session
        key = session.chosen
        return (
            Note("clip", session.clip.name),
            Note("time", f"{session.time:.2f} of {session.clip.duration:g}"),
            Note("key", f"{key.part} {key.time:g}" if key else "none"),
        )

    def draw_over(self, layout: Layout, panels: p3d.NodePath, timed: bool) -> None:
        """Make the timeline and the file's panel, which belong to every picture."""
        self._layout, self._floor = layout, layout.bottom
        layout.bottom = self._make_tools(layout).top

    def close(self) -> None:
        """Close the session and remove all files and nodes."""
        self._shut()
        if self._temporary is not None:
            self._temporary.cleanup()

    # -- scenes ------------------------------------------------------------------------

    def _first(self) -> tuple[Scene, Path]:
        """Return the first scene and its clip."""
        if self.file is None:
            return SCENES[0], ASSETS / "clips" / SCENES[0].clip
        clip, mistakes = ikrig.load_clip(self.file), []
        for scene in SCENES:
            rig = scene.load(self.stage)
            wrong = check_clip(clip, rig)
            _remove(rig)
            if not wrong:
                return scene, self.file
            mistakes.append(wrong[0])
        raise DemoError(f"{self.file} fits no rig of this demo: {'; '.join(mistakes)}")

    def _open(self, scene: Scene, source: Path) -> None:
        folder = Path(self._temporary.name) if self._temporary else FOLDER
        self._scene = scene
        rig = scene.load(self.stage).start()
        try:
            self.session = ClipSession(rig, source, folder)
        except OSError as error:
            raise DemoError(f"cannot write {folder / source.name}: {error}") from error
        self.session.go(0.0)
        self._was_playing = False

    def _shut(self) -> None:
        self.session.close()
        _remove(self.session.rig)
        if self._tools is not None:
            self._tools.remove()
            self._tools = None

    def _change(self, scene: Scene) -> None:
        if scene is not self._scene:
            self._shut()
            self._open(scene, ASSETS / "clips" / scene.clip)

    def _make_tools(self, layout: Layout) -> ClipTools:
        if self._tools is not None:
            self._tools.remove()
        self._tools = ClipTools(
            layout, self.overlay, self.session, self._halt, self._floor
        )
        return self._tools

    # -- the user's actions ------------------------------------------------------------

    def _toggle(self) -> None:
        self.playing = not self.playing

    def _halt(self) -> None:
        """Pause at once, because the user grabs something."""
        if self.live and self.playing:
            self.playing = self._was_playing = False
            self.session.pause()

    def _loop(self) -> None:
        self.session.toggle_loop()

    def _step(self, direction: int) -> None:
        self._halt()
        self.session.step(direction)

    def _delete(self) -> None:
        self.session.delete()

    def _key_here(self) -> None:
        self._halt()
        self.session.key_here()

    # -- the movement for pictures -----------------------------------------------------

    def _show_run(self, share: float, begun: bool) -> None:
        if begun:
            if self._phase == 0 and self.time > 0.0:
                self.session.revert()
            self.session.player.speed = 1.0
            self.session.play()

    def _show_scrub(self, share: float, begun: bool) -> None:
        if begun:
            self.session.pause()
            first = SCRIPT[self._phase + 1][1] == "drag"
            track = self._targets()[0 if first else -1]
            time = list(track.keys)[1 if first else -3]
            self._key = KeyName(track.part, track.channel, time)
            self._from = self.session.time
        self.session.go(self._from + (self._key.time - self._from) * share)

    def _show_drag(self, share: float, begun: bool) -> None:
        node = self.session.nodes()[self._key[:2]]
        if begun:
            self.session.choose(self._key)
            self._start = node.get_pos()
        node.set_pos(self._start + PULL * share)

    def _show_slide(self, share: float, begun: bool) -> None:
        if begun:
            self._from = self._key.time
            self.session.choose(self._key)
        time = round(self._from + LATER * share, 2)
        if time != self._key.time:
            self._key = self.session.move(self._key, time)

    def _show_back(self, share: float, begun: bool) -> None:
        if begun:
            self.session.player.speed = -1.0
            self.session.play()

    def _targets(self) -> list[ikrig.Track]:
        """Return the tracks of targets that the movement can edit."""
        return [
            track
            for track in self.session.clip.tracks
            if track.channel == "target" and len(track.keys) > 3
        ]


def _remove(rig: ikrig.Rig) -> None:
    """Remove a rig and its model from the stage."""
    rig.remove()
    if isinstance(rig.model, Actor):
        rig.model.cleanup()
        rig.model.remove_node()
