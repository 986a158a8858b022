"""Saves an edited clip into its file and leaves all other lines as they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..checks import checked_instance
from ..clip import Clip, Key
from ..clip.track import Keys
from ..errors import ClipError, ClipFileError
from ..files.output_file import write_text
from ..records import Field
from .clip_yaml import WORDS, dump_clip, key_text, read_clip
from .yaml_reader import Node, YamlFile
from .yaml_writer import number_text, value_text

Edit = tuple[int, int, str]
"""Start and end offset in a text, and the text that replaces this range."""
Pairs = list[tuple[Node, Node]]


def save_clip(clip: Clip, path: str | Path) -> str:
    """Save an edited clip into its file; all other lines stay as they are.

    Keys are changed, moved, added and removed line by line, so comments are kept. Any
    other change, such as a new track or another curve, rewrites the whole file with
    ``dump_clip`` and loses its comments. The file is replaced atomically.

    Returns:
        The new text of the file.

    Raises:
        ClipError: ``clip`` is not a ``Clip``.
        ClipFileError: The file has errors.
        OutputError: The file can't be written.
    """
    checked_instance(clip, Clip, "clip", ClipError)
    file = YamlFile(path, ClipFileError)
    text = _edited(file, read_clip(file), clip)
    if not _says(text, path, clip):
        return dump_clip(clip, path)
    write_text(path, text, sources=clip.sources)
    return text


def _says(text: str, path: str | Path, clip: Clip) -> bool:
    try:
        read = read_clip(YamlFile(path, ClipFileError, text))
    except ClipFileError:
        return False
    return dump_clip(read) == dump_clip(clip)


def _edited(file: YamlFile, old: Clip, new: Clip) -> str:
    assert file.root is not None
    root = file.pairs(file.root, "the file")
    edits: list[Edit] = []
    if "duration" in root and old.duration != new.duration:
        edits.append((*root["duration"][1].span, number_text(new.duration)))
    before, after = (
        {track.address: track.keys for track in clip.tracks} for clip in (old, new)
    )
    parts = file.pairs(root["tracks"][1], "tracks") if "tracks" in root else {}
    for part, (_, channels) in parts.items():
        for token, (_, motion) in file.pairs(channels, part).items():
            channel, field = WORDS[token]
            name = part, channel.name
            node = file.pairs(motion, token).get("keys")
            if node is not None and name in after:
                keys = _Keys(file, node[1], field)
                edits += keys.edits(before[name], after[name])
    return _replaced(file.text, sorted(edits, key=lambda edit: edit[:2]))


def _replaced(text: str, edits: list[Edit]) -> str:
    pieces, at = [], 0
    for start, end, new in edits:
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


class _Keys:
    """The keys of a track with their positions in the file."""

    def __init__(self, file: YamlFile, node: Node, field: Field) -> None:
        self.file = file
        self.field = field
        self.pairs: Pairs = sorted(
            file.pairs(node, "keys").values(), key=lambda pair: float(pair[0].content)
        )
        self.in_line = file.text.startswith("{", node.span[0])

    def edits(self, old: Keys, new: Keys) -> Iterator[Edit]:
        if len(old) == len(new):
            for k, (was, now) in enumerate(zip(old.items(), new.items(), strict=True)):
                yield from self._change(k, was, now)
            return
        for k, time in enumerate(old):
            if time not in new:
                yield self._take_out(k)
            elif new[time] != old[time]:
                yield from self._change(k, (time, old[time]), (time, new[time]))
        for time, key in new.items():
            if time not in old:
                place = sum(other < time for other in old)
                line = f"{number_text(time)}: {key_text(key, self.field)}"
                yield self._put_in(place, line)

    def _change(
        self, k: int, was: tuple[float, Key], now: tuple[float, Key]
    ) -> Iterator[Edit]:
        at, value = self.pairs[k]
        if now[0] != was[0]:
            yield *at.span, number_text(now[0])
        if now[1] == was[1]:
            return
        text = key_text(now[1], self.field)
        if value.kind == "keys" and now[1].then == was[1].then:
            value = self.file.pairs(value, "a key")["value"][1]
            text = value_text(now[1].value, in_degrees=self.field.degrees)
        yield *value.span, text

    def _take_out(self, k: int) -> Edit:
        at, value = self.pairs[k]
        if not self.in_line:
            return self._line_start(at), self._next_line(value), ""
        if k + 1 < len(self.pairs):
            return at.span[0], self.pairs[k + 1][0].span[0], ""
        return self.pairs[k - 1][1].span[1], value.span[1], ""

    def _put_in(self, k: int, line: str) -> Edit:
        at, value = self.pairs[max(0, k - 1)]
        if self.in_line:
            place = value.span[1] if k else at.span[0]
            return place, place, f", {line}" if k else f"{line}, "
        start, text = self._line_start(at), self.file.text
        place = self._next_line(value) if k else start
        line = text[start : at.span[0]] + line
        ends = text[place - 1 : place] == "\n"
        return place, place, f"{line}\n" if ends else f"\n{line}"

    def _line_start(self, node: Node) -> int:
        return self.file.text.rfind("\n", 0, node.span[0]) + 1

    def _next_line(self, node: Node) -> int:
        end = self.file.text.find("\n", node.span[1])
        return len(self.file.text) if end < 0 else end + 1
