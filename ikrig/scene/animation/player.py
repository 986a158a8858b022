"""ClipPlayer: plays clips on a rig."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from direct.directnotify.DirectNotifyGlobal import directNotify
from direct.interval.Interval import Interval
from direct.showbase.MessengerGlobal import messenger

from ...clip import Clip, Event
from ...clip.clip import LATEST
from ...clip.mix import Mix
from ...copies import Uncopied
from ...errors import BindError, ClipFileError, SettingError, shown
from ...files.file_access import Signature, signature
from ...formats.clip_yaml import load_clip
from ...math3d.timestep import sound_dt
from ..checked_setting import Checked, flag, fraction, number
from ..fade import Fade, Fading
from ..ik.dependencies import note_change
from ..ik.phase import Phase, phase_of
from ..ik.system import IKSystem, Startable
from .property_bindings import Name, PropertyBinding, PropertyBindings

if TYPE_CHECKING:
    from typing_extensions import Self


class ClipApplier:
    """Writes mixed clips to a rig.

    Args:
        rig: A rig, as ``ClipPlayer`` accepts.

    Raises:
        BindError: It is not a rig.
    """

    def __init__(self, rig: object) -> None:
        self._bindings = PropertyBindings(rig, self._write_joints)
        self._rest: dict[Name, object] = {}
        """Value of each channel before a clip moved it."""
        # bind() sets these
        self._bound: dict[Name, PropertyBinding]
        self._mix: Mix
        self._unfit: str
        self._layers: tuple[list[ClipLayer], list[ClipLayer]]
        """The layers that were written last: base and over."""

    @property
    def rig(self) -> Any:
        return self._bindings.rig

    def check(self, clip: Clip) -> None:
        if not self._bindings.is_current:
            self._rebind()
        _, errors = self._bindings.find(clip)
        if errors:
            lines = [f"clip {clip.name!r}: {text}" for text in errors]
            raise BindError("\n".join(lines))

    def bind(self, layers: Sequence[ClipLayer]) -> None:
        """Find the bindings of all tracks, and their values without a clip."""
        self._bound, unfit = {}, []
        rest: dict[Name, object] = {}
        for layer in layers:
            bindings, errors = self._bindings.find(layer.clip)
            # a rig whose file was read again may lack parts
            unfit += errors
            self._bound |= bindings
            first = layer.clip.sample(0.0)
            for name in first:
                if name not in self._rest and name in bindings:
                    self._rest[name] = bindings[name].read()
                # settings that are None start at the clip's first value
                value = self._rest.get(name)
                rest.setdefault(name, first[name] if value is None else value)
        self._unfit = "\n".join(unfit)
        self._mix = Mix(rest)
        self._layers = [], []
        if self._bindings.pose is not None:
            self._bindings.pose.keep(self._bound)

    def write(self, base: Sequence[ClipLayer], over: Sequence[ClipLayer]) -> str:
        """Apply the clips at their current times; return an error message or "".

        Args:
            base: Clips from the lowest up; each fades out those below.
            over: Clips on top of them.
        """
        if not self._bindings.is_current:
            self._rebind()
            self.bind([*base, *over])
        self._layers = list(base), list(over)
        message = self._unfit
        for name, value in zip(self._mix.names, self._mixed(), strict=True):
            binding = self._bound.get(name)
            try:
                if binding is not None:
                    binding.write(value)
            except (BindError, AssertionError) as error:
                # Panda3D raises AssertionError for a node that is gone
                message = message or f"{name[1]} of {name[0]!r}: {error}"
        if self._bindings.pose is not None:
            try:
                self._bindings.pose.show()
            except (BindError, AssertionError) as error:
                message = message or str(error)
        return message

    def _mixed(self) -> list[object]:
        mix, (base, over) = self._mix, self._layers
        mix.begin()
        for i, layer in enumerate(base):
            mix.blend_over(layer.clip, layer.time, layer.weight, rest=i > 0)
        for layer in over:
            if layer.additive:
                mix.add(layer.clip, layer.time, layer.weight)
            else:
                mix.blend_over(layer.clip, layer.time, layer.weight, rest=False)
        return mix.values()

    def _write_joints(self) -> None:
        """Mix an Actor's joints again, on this frame's animated pose.

        It is not needed for a single clip, whose values replace the joints'.
        """
        base, over = self._layers
        pose = self._bindings.pose
        if pose is None or (len(base) < 2 and not over):
            return
        joints = [name for name in self._mix.names if pose.is_set(*name)]
        for name in joints:
            self._mix.set_rest(name, pose.now(*name))
        values = dict(zip(self._mix.names, self._mixed(), strict=True))
        for name in joints:
            self._bound[name].write(values[name])

    def _rebind(self) -> None:
        self.release_joints()
        self._bindings = PropertyBindings(self.rig, self._write_joints)

    def release_joints(self) -> None:
        if self._bindings.pose is not None:
            self._bindings.pose.release_joints()


FASTEST = 1e4
"""Maximum speed, of a player and of a layer relative to it."""


speed_of = partial(number, low=-FASTEST, high=FASTEST)


class ClipLayer(Fading, Uncopied):
    """A clip on top of a ``ClipPlayer``'s clip; ``add_layer`` makes it."""

    additive = Checked(flag)
    """Whether its change from its own start is added; else it replaces those below."""
    weight: Checked[float] = Checked(fraction)
    """Weight of its effect, 0 to 1; ``fade`` changes it gradually."""
    speed = Checked(speed_of)
    """Speed as a factor of the player's speed; negative: backwards."""

    def __init__(
        self, player: ClipPlayer, clip: Clip, weight: float, additive: bool
    ) -> None:
        self._clip = clip
        self.additive = additive
        self._player = player
        self._time = 0.0
        self._events_sent_to: float | None = None
        self.speed = 1.0
        self._fading: Fade | None = None
        self.weight = weight

    def __repr__(self) -> str:
        how = "added" if self.additive else "over"
        return f"<ClipLayer {self.clip.name} {how} by {self.weight:.3g}>"

    @property
    def clip(self) -> Clip:
        """The clip."""
        return self._clip

    @property
    def time(self) -> float:
        """Seconds since it began, over all repetitions."""
        return self._time

    @time.setter
    def time(self, time: float) -> None:
        self._time = _time(time, "time")
        self._events_sent_to = None

    def _skip(self, by: float) -> None:
        self._time, self._events_sent_to = _clamped(self._time + by), None

    def remove(self) -> None:
        """Remove it at once; ``fade`` to 0 first for a gradual end."""
        self._player.remove_layer(self)

    def _step(self, dt: float, by: float) -> list[Event]:
        """Advance by a frame; return the events that were passed."""
        self._step_fade(dt)
        by *= self.speed
        return self._advance(by) if by else []

    def _advance(self, by: float) -> list[Event]:
        """Advance by seconds of the clip; return the events that were passed.

        Events exactly at the start count only if the time was set before.
        """
        time = _clamped(self._time + by)
        clip, start = self.clip, self._events_sent_to
        events = []
        if start is None:
            start = self._time
            here = clip.local_time(start)
            events = [event for event in clip.events if event.time == here]
        self._time = self._events_sent_to = time
        return events + clip.events_between(start, time)


def _clamped(time: float) -> float:
    return min(max(time, -LATEST), LATEST)


_time = partial(number, low=-LATEST, high=LATEST)


class ClipPlayer(Startable, Uncopied):
    """Plays a clip on a rig: moves its targets, poles, settings and joints.

        rig = ikrig.load_rig("assets/rigs/arm.yaml").start()
        player = ikrig.ClipPlayer("assets/clips/wave.yaml", rig)
        player.play()

    It moves the parts that the clip has tracks for, in the same frame as the rig and
    before it. All other parts are free for intervals, dragging and the game. The pose
    depends on the time alone, not on how it was reached: ``player.time = 1.5`` scrubs.

    Positions and rotations are relative to the parent of the moved node, as ``pos`` and
    ``quat`` in a rig file.

    Args:
        clip: A ``Clip``, or the path of its file.
        rig: A ``Rig``, a ``Robot``, or chains and trees that were built in code: an
            ``IKChain``, an ``IKTree``, an ``ActorRig``, or a dict of the first two by
            their names in the clip.
        watch: Whether to read the clip's file again when it changes. Errors of the file
            are logged once (category ``ikrig``), and the last valid clip continues.

    Raises:
        BindError: The clip has tracks for parts that the rig does not have; lists all,
            with the nearest names. Or ``rig`` is not a rig.
        ClipFileError: The file has errors; lists all.
    """

    phase = Checked(phase_of, Phase.ANIMATE, changed=note_change)
    """It moves targets before any rig is solved."""
    watch = Checked(flag)
    """Whether the clip's file is read again when it changes."""
    speed = Checked(speed_of)
    """Playing speed: 2 is twice as fast, negative backwards, 0 stands still."""

    def __init__(
        self, clip: Clip | str | Path, rig: object, *, watch: bool = False
    ) -> None:
        self.watch = watch
        self.path: Path | None
        """The clip's file, if it was given as one."""
        clip, self.path, self._signature = _load(clip)
        self.errors = ""
        """Current errors, of the file or of the parts that the clip moves; or ""."""
        self._file_error = ""
        self._system: IKSystem | None = None
        self._paused = False
        self.speed = 1.0
        self._loop: bool | None = None
        self._applier = ClipApplier(rig)
        self._own = clip
        self._base = [ClipLayer(self, self._prepared(clip), 1.0, False)]
        self._layers: list[ClipLayer] = []
        self._bind()

    def __repr__(self) -> str:
        how = "playing" if self.playing else "paused"
        return f"<ClipPlayer {self.clip.name} {how} at {self.time:.3f} s>"

    # -- contents ----------------------------------------------------------------------

    @property
    def rig(self) -> Any:
        """The rig that it plays on."""
        return self._applier.rig

    @property
    def clip(self) -> Clip:
        """The clip. Set it to continue with a different one at the same time."""
        return self._own

    @clip.setter
    def clip(self, clip: Clip) -> None:
        clip, *_ = _load(clip)
        prepared = self._prepared(clip)
        self._own = clip
        # at the same time
        self._base[-1]._clip = prepared
        self._bind()
        self.write()

    @property
    def duration(self) -> float:
        """Duration of the clip [s]."""
        return self._own.duration

    @property
    def loop(self) -> bool | None:
        """Whether it repeats at its end. None: as set in the clip."""
        return self._loop

    @loop.setter
    def loop(self, loop: bool | None) -> None:
        if loop is not None and not isinstance(loop, bool):
            raise SettingError(f"loop must be True, False or None, not {shown(loop)}")
        self._loop = loop
        self.clip = self._own

    @property
    def time(self) -> float:
        """Seconds since the clip began, over all repetitions.

        Set it to jump: the rig's targets move at once, its bones when it is solved
        next. Events in between are not sent. Layers advance by the same time.
        """
        return self._base[-1].time

    @time.setter
    def time(self, time: float) -> None:
        by = _time(time, "time") - self.time
        for layer in self._all_layers():
            layer._skip(by * layer.speed)
        self._base[-1].time = time
        self.write()

    @property
    def layers(self) -> tuple[ClipLayer, ...]:
        """The layers that ``add_layer`` has added, lowest first."""
        return tuple(self._layers)

    # -- running -----------------------------------------------------------------------

    @property
    def playing(self) -> bool:
        """Whether it advances in every frame."""
        return self._system is not None and not self._paused

    def play(self, task_mgr: object = None) -> Self:
        """Play from ``time`` on, or from the start when it is at the end.

        Args:
            task_mgr: Task manager to run in. Default: the running ShowBase's.
        """
        if self._plays_once and self._at_end(self.time):
            self.time = 0.0 if self.speed >= 0.0 else self.duration
        self._paused = False
        self.write()
        return self.start(task_mgr)

    def pause(self) -> None:
        """Pause; other code can then move the targets."""
        self._paused = True
        if not self.watch:
            self._leave()

    def stop(self) -> None:
        """Stop, release an Actor's joints, and start at 0 when it plays again.

        Fades end: a cross-fade with its new clip alone, a layer's at its final weight.
        """
        super().stop()
        self._paused = False
        self._base = self._base[-1:]
        for layer in self._all_layers():
            layer.time = 0.0
            layer.weight, layer._fading = layer._final_weight, None
        self._applier.release_joints()

    def update(self, dt: float) -> None:
        """Advance by a frame of dt seconds and move the rig's parts. Never raises.

        ``messenger`` sends each event that was passed, by its own name and with the
        player, and "ikrig-clip-end" with the player when a clip without a loop ends.
        """
        if self.watch:
            self._check_file()
        dt = sound_dt(dt)
        if self._paused:
            return
        events, ended, top = [], False, self._base[-1]
        for layer in self._all_layers():
            by = dt * self.speed
            if layer is top and self._plays_once:
                goal = min(max(top.time + by, 0.0), self.duration)
                by = goal - top.time
                ended = by != 0.0 and self._at_end(goal)
            events += layer._step(dt, by)
        self.write()
        if len(self._base) > 1 and self._base[-1].weight == 1.0:
            # the clip below has faded out, and its parts are free from now on
            self._base = self._base[-1:]
            self._bind()
            self.write()
        if ended and self._system is not None:
            self.pause()
        for event in events:
            messenger.send(event.name, [self])
        if ended:
            messenger.send("ikrig-clip-end", [self])

    def write(self) -> None:
        """Apply the clips at their current times to the rig. Never raises."""
        wrong = [self._file_error, self._applier.write(self._base, self._layers)]
        self._report("\n".join(filter(None, wrong)))

    # -- several clips -----------------------------------------------------------------

    def cross_fade(self, clip: Clip | str | Path, seconds: float = 0.3) -> None:
        """Fade to the start of a different clip, while both play.

        A part that only one of them moves fades from or to its value without a clip.

        Raises:
            BindError: The clip does not fit the rig.
            SettingError: ``seconds`` is out of range.
        """
        number(seconds, "seconds")
        clip, path, seen = _load(clip)
        layer = ClipLayer(self, self._prepared(clip), 0.0, False)
        layer.fade(1.0, seconds)
        self._own, self.path, self._signature = clip, path, seen
        self._base.append(layer)
        self._bind()

    def add_layer(
        self, clip: Clip | str | Path, weight: float = 1.0, *, additive: bool = False
    ) -> ClipLayer:
        """Play a further clip on top, at the same time.

        Args:
            clip: The clip; it loops or ends by its own setting.
            weight: 0: no effect; 1: it alone sets the parts that it moves.
            additive: Whether its change from its own start is added to the values below
                instead: breathing, recoil.

        Raises:
            BindError: The clip does not fit the rig.
            SettingError: The weight is out of range.
        """
        prepared = self._prepared(_load(clip)[0], own_wrap=True)
        layer = ClipLayer(self, prepared, weight, additive)
        self._layers.append(layer)
        self._bind()
        self.write()
        return layer

    def remove_layer(self, layer: ClipLayer) -> None:
        """Remove a layer at once, as its ``remove`` does; no error if it is absent."""
        if any(other is layer for other in self._layers):
            self._layers = [other for other in self._layers if other is not layer]
            self._bind()

    # -- in Panda3D's intervals --------------------------------------------------------

    def interval(
        self,
        start_time: float = 0.0,
        end_time: float | None = None,
        duration: float | None = None,
        name: str | None = None,
    ) -> ClipInterval:
        """Return an interval that plays the clip, for ``Sequence`` and ``Parallel``.

            Sequence(player.interval(), Func(door.open), other.interval()).start()

        Don't ``play()`` the same player meanwhile.

        Args:
            start_time: Time in the clip at which it starts [s].
            end_time: Time at which it ends. Default: the clip's end. Before
                ``start_time``: it plays backwards.
            duration: Duration of the interval. Default: that of this part of the clip
                at the player's speed.
            name: Name of the interval.

        Raises:
            SettingError: A time is out of range.
        """
        end = self.duration if end_time is None else _time(end_time, "end_time")
        start = _time(start_time, "start_time")
        if duration is None:
            duration = abs(end - start) / (abs(self.speed) or 1.0)
        duration = number(duration, "duration")
        if name is not None and not isinstance(name, str):
            raise SettingError(f"name must be a string or None, not {shown(name)}")
        return ClipInterval(self, start, end, duration, name, self.clip.name)

    def _advance_to(self, time: float) -> None:
        """Advance to a time as if played up to there: events in between are sent."""
        by = _time(time, "time") - self.time
        events = []
        for layer in self._all_layers():
            events += layer._advance(by * layer.speed)
        self.write()
        for event in events:
            messenger.send(event.name, [self])

    # -- internal ----------------------------------------------------------------------

    @property
    def _plays_once(self) -> bool:
        """Whether the clip ends instead of repeating."""
        return self._base[-1].clip.wrap == "once"

    def _at_end(self, time: float) -> bool:
        return time >= self.duration if self.speed >= 0.0 else time <= 0.0

    def _all_layers(self) -> list[ClipLayer]:
        return [*self._base, *self._layers]

    def _prepared(self, clip: Clip, *, own_wrap: bool = False) -> Clip:
        self._applier.check(clip)
        if self._loop is not None and not own_wrap:
            clip = clip.with_changes(wrap="loop" if self._loop else "once")
        tracks = {track.address for track in clip.tracks}
        for part, channel in list(tracks):
            # an animation that a clip plays must be visible
            if channel == "time" and (part, "weight") not in tracks:
                clip = clip.with_track(part, "weight", {0.0: 1.0})
        return clip

    def _bind(self) -> None:
        self._applier.bind(self._all_layers())

    def _check_file(self) -> None:
        if self.path is None or signature(self.path) == self._signature:
            return
        self._signature = signature(self.path)
        self._file_error = ""
        try:
            self.clip = load_clip(self.path)
        except (BindError, ClipFileError) as error:
            self._file_error = str(error)
            self._report(self._file_error)
            return
        messenger.send("ikrig-reloaded", [self])

    def _report(self, message: str) -> None:
        if message and message != self.errors:
            directNotify.newCategory("ikrig").warning(f"{self!r}: {message}")
        self.errors = message


def _load(given: object) -> tuple[Clip, Path | None, Signature]:
    if isinstance(given, (str, Path)):
        path = Path(given)
        seen = signature(path)
        return load_clip(path), path, seen
    if not isinstance(given, Clip):
        raise BindError(
            f"clip must be a Clip or the path of a clip file, not {shown(given)}"
        )
    return given, None, ()


_numbers = count(1)


class ClipInterval(Interval):
    """Plays a section of a player's clip; ``ClipPlayer.interval`` makes it."""

    def __init__(
        self,
        player: ClipPlayer,
        start: float,
        end: float,
        duration: float,
        name: str | None,
        clip: str,
    ) -> None:
        self._player = player
        self._range = start, end
        super().__init__(name or f"clip-{clip}-{next(_numbers)}", duration)

    # these names are Panda3D's

    def privInitialize(self, t: float) -> None:  # noqa: N802
        """Start at t seconds; events before it are sent."""
        self._player.time = self._range[0]
        super().privInitialize(t)

    def privInstant(self) -> None:  # noqa: N802
        """Skip the whole interval at once."""
        self._player.time = self._range[0]
        super().privInstant()

    def privReverseInitialize(self, t: float) -> None:  # noqa: N802
        self._player.time = self._range[1]
        super().privReverseInitialize(t)

    def privReverseInstant(self) -> None:  # noqa: N802
        """Skip the whole interval at once, backwards."""
        self._player.time = self._range[1]
        super().privReverseInstant()

    def privStep(self, t: float) -> None:  # noqa: N802
        super().privStep(t)
        start, end = self._range
        part = min(t / self.duration, 1.0) if self.duration > 0.0 else 1.0
        self._player._advance_to(start + (end - start) * part)
