"""Keying: edits the keys of the open clip, for mouse, keyboard and fields alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..clip import CHANNELS, Clip, Key, Track
from ..clip.channels import Value
from ..clip.clip import WRAPS
from ..clip.curves import CURVES, Curve
from ..clip.editing import (
    KeyName,
    all_keys,
    key_beside,
    keys_of,
    moved_keys,
    pasted_keys,
    rotation_like,
    with_curve,
    with_key_at,
    without_keys,
)
from ..formats.rig_file import Part
from .document.changing import woken
from .host import Host

GRID = 0.05  # keys are dragged in steps of this [s]
DIGITS = 6  # significant digits of keyed values


class Keying:
    def __init__(self, session: Host) -> None:
        self._session = session
        self.chosen: set[KeyName] = set()
        self.track: tuple[str, str] | None = None
        self.auto = True
        self.copied: list[tuple[KeyName, Key]] = []

    @property
    def clip(self) -> Clip | None:
        session = self._session
        return session.document.clip_work.clip if session.is_open else None

    @property
    def time(self) -> float:
        """Time of the playhead, in whole milliseconds [s]."""
        return round(float(self._session.live.playback.time), 3)

    def has_track(self, part: str, channel: str) -> bool:
        return self.find_track(part, channel) is not None

    def find_track(self, part: str, channel: str) -> Track | None:
        clip = self.clip
        tracks = clip.tracks if clip is not None else ()
        return next((t for t in tracks if t.address == (part, channel)), None)

    def prune(self) -> None:
        clip = self.clip
        self.chosen &= all_keys(clip) if clip is not None else set()
        if self.track is not None and not self.has_track(*self.track):
            self.track = None

    def go(self, time: float) -> None:
        playback = self._session.live.playback
        playback.playing = False
        playback.seek(time)

    def step(self, step: int) -> None:
        if self.clip is None:
            return
        near = min(self.chosen, default=None)
        key = key_beside(self.clip, self.time, step, near)
        if key is not None:
            self.choose(key)

    def choose(self, key: KeyName, *, add: bool = False) -> None:
        if add:
            self.chosen ^= {key}
        else:
            self.chosen = {key}
            self.go(key.time)
        self.track = key[:2]

    def do(
        self,
        label: str,
        change: Callable[[Clip], Clip],
        merge: str = "",
        parts: Part | None = None,
    ) -> bool:
        """Change the clip; return whether that was possible. Errors are logged."""
        session = self._session
        work = session.document.clip_work
        done = session.attempt(lambda: work.do(label, change, merge, parts=parts))
        if done and not merge:
            session.report(done)
        return done is not None

    def _do_keys(
        self,
        label: str,
        change: Callable[[Clip], tuple[Clip, set[KeyName]]],
        merge: str = "",
        parts: Part | None = None,
    ) -> bool:
        """Change the clip as ``do``, and choose the keys that the change returns."""
        found: set[KeyName] = set()

        def run(clip: Clip) -> Clip:
            nonlocal found
            clip, found = change(clip)
            return clip

        done = self.do(label, run, merge, parts)
        if done:
            self.chosen = found
        return done

    def set_key(self, part: str, channel: str, value: object, merge: str = "") -> bool:
        shown = self._file_value(part, channel, value)

        def change(clip: Clip) -> tuple[Clip, set[KeyName]]:
            loops = clip.wrap == "loop"
            clip, key = with_key_at(clip, part, channel, self.time, shown, loops=loops)
            return clip, {key}

        label = f"Key {_words(part, channel)} at {self.time:.2f} s"
        rig, awake = self._session.document.rig, None
        if channel == "target" and rig.value(("chains", part, "dormant")):
            # as when its target is dragged
            awake = woken(rig, ("chains", part), "target").parts
        done = self._do_keys(label, change, merge, awake)
        if done:
            self.track = (part, channel)
        return done

    def key_channel(self, part: str, channel: str) -> None:
        """Key what a channel is now."""
        bindings = self._session.live.bindings()
        slot = bindings.binding(part, channel) if bindings is not None else None
        value = slot.read() if slot is not None else None
        if value is None and CHANNELS[channel].kind == "number":
            # a setting without a value starts at 0
            value = 0.0
        if value is None:
            self._session.report(f"{part} has no {channel} now", "error")
        else:
            self.set_key(part, channel, value)

    def set_value(self, key: KeyName, value: object) -> None:
        track = self.find_track(key.part, key.channel)
        if track is None:
            return
        shown = self._file_value(key.part, key.channel, value)
        then = track.keys[key.time].then
        self.do(
            f"Set {_words(*key[:2])} at {key.time:.2f} s",
            lambda clip: clip.with_key(*key, shown, then),
            f"value {key}",
        )

    def key_now(self) -> None:
        if self.clip is None:
            self._session.report("No clip is open: create one with Ctrl+N", "error")
            return
        names = [self.track] if self.track is not None else self.selected_channels()
        for part, channel in names:
            self.key_channel(part, channel)
        if not names:
            self._session.report(
                "Select a target, a chain or a track first: K keys it", "error"
            )

    def key_all(self) -> None:
        clip = self.clip
        if clip is None or not clip.tracks:
            return
        values = clip.sample(min(self.time, clip.duration * (1.0 - 1e-7)))

        def change(old: Clip) -> tuple[Clip, set[KeyName]]:
            new, keys = old, set()
            for track in old.tracks:
                if track.path is None:
                    name = track.address
                    kept = self._file_value(*name, values[name])
                    new, key = with_key_at(new, *name, self.time, kept, loops=False)
                    keys.add(key)
            return new, keys

        self._do_keys(f"Key all tracks at {self.time:.2f} s", change)

    def selected_channels(self) -> list[tuple[str, str]]:
        kind, name, _ = self._session.selection
        live = self._session.live
        if kind == "nodes" and live.rig is not None:
            found: list[tuple[str, str]] = live.channels_of(live.rig.nodes[name])
            return found[:1]
        if kind == "joint":
            bindings = live.bindings()
            own = bindings.channels().get(name, ()) if bindings is not None else ()
            return [(name, own[0] if own else "rotation")]
        if kind in ("chains", "behaviours"):
            return [(name, "target")]
        return []

    def key_node(self, node: Any, *, turned: bool = False, merge: str = "") -> bool:
        """Key a dragged target or pole; return whether it is keyed."""
        if self.clip is None:
            return False
        names = self._session.live.channels_of(node)
        moved = [name for name in names if self.has_track(*name)]
        if not moved and self.auto:
            moved = names[:1]
        for part, channel in moved:
            self.set_key(part, channel, list(node.get_pos()), merge)
            rotation = (part, "target_rotation")
            if channel == "target" and (turned or self.has_track(*rotation)):
                self.set_key(*rotation, list(node.get_quat()))
        return bool(moved)

    def move(self, keys: set[KeyName], by: float, *, start: Clip | None = None) -> None:
        """Move keys by a time [s], in a drag from the clip ``start``."""
        self._do_keys(
            f"Move {_count(keys)}",
            lambda clip: moved_keys(start or clip, keys, by),
            "move keys" if start is not None else "",
        )

    def nudge(self, by: float) -> None:
        if self.chosen:
            self.move(set(self.chosen), by)
            self.go(min(key.time for key in self.chosen))

    def delete(self) -> None:
        keys = set(self.chosen)
        self.do(f"Delete {_count(keys)}", lambda clip: without_keys(clip, keys))
        self.prune()

    def copy(self) -> None:
        clip = self.clip
        if clip is not None and self.chosen:
            self.copied = [
                (key, clip.track(key.part, key.channel).keys[key.time])
                for key in sorted(self.chosen)
            ]
            self._session.report(f"Copied {len(self.copied)} keys")

    def paste(self) -> None:
        if self.copied:
            self._do_keys(
                f"Paste {len(self.copied)} keys",
                lambda clip: pasted_keys(clip, self.copied, self.time),
            )

    def set_curve(self, curve: Curve | None, merge: str = "") -> None:
        keys = set(self.chosen)
        word = curve if isinstance(curve, str) else "own" if curve else "the track's"
        self.do(f"Curve: {word}", lambda clip: with_curve(clip, keys, curve), merge)

    def next_curve(self) -> None:
        clip, key = self.clip, min(self.chosen, default=None)
        if clip is None or key is None:
            return
        track = clip.track(key.part, key.channel)
        now = track.keys[key.time].then or track.curve
        at = CURVES.index(now) if now in CURVES else -1
        self.set_curve(CURVES[(at + 1) % len(CURVES)])

    def remove_track(self, part: str, channel: str) -> None:
        def change(clip: Clip) -> Clip:
            name = (part, channel)
            return clip.with_tracks(t for t in clip.tracks if t.address != name)

        self.do(f"Remove track {_words(part, channel)}", change)
        self.prune()

    def choose_track(self, part: str, channel: str) -> None:
        track = self.find_track(part, channel)
        if track is not None:
            self.track, self.chosen = (part, channel), set(keys_of(track))

    def set_duration(self, seconds: float) -> None:
        clip = self.clip
        if clip is None:
            return
        last = max((key.time for key in all_keys(clip)), default=0.0)
        seconds = max(round(seconds, 3), last, 0.05)
        label = f"End at {seconds:g} s"
        self.do(label, lambda old: old.with_changes(duration=seconds), "duration")

    def set_wrap(self, wrap: str) -> None:
        assert wrap in WRAPS
        self.do(f"Wrap: {wrap}", lambda clip: clip.with_changes(wrap=wrap))

    def new(self) -> None:
        document = self._session.document
        self._session.report(document.clip_work.new(f"{document.name} clip"))
        self._session.tab = "Timeline"

    def close(self) -> None:
        self._session.report(self._session.document.clip_work.close())

    def _file_value(self, part: str, channel: str, value: object) -> Value:
        if channel in CHANNELS and CHANNELS[channel].kind == "rotation":
            return rotation_like(self.find_track(part, channel), value)
        given = np.asarray(value, float)
        found = [float(f"{x:.{DIGITS}g}") for x in given.ravel().tolist()]
        return tuple(x + 0.0 for x in found) if given.ndim else found[0]


def _count(keys: set[KeyName]) -> str:
    return "a key" if len(keys) == 1 else f"{len(keys)} keys"


def _words(part: str, channel: str) -> str:
    return f"{part} {channel.replace('_', ' ')}"
