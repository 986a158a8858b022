"""Reads YAML files and knows the line and column of everything in them.

The only importer of yaml. Nothing in a file is ever run or made into an object: a file
is lists, keys and values, texts, numbers, true, false and null, and ``Node`` is all
that comes of it. Mistakes are collected, so that one reading tells them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

import yaml

from .errors import FileError, Mistake, choices

__all__ = ["NUMBER", "Entries", "Node", "YamlFile", "file_text"]

MOST_BYTES = 64 << 20
DEEPEST = 40
"""Levels of lists in lists that a file may have."""
MOST_REPEATED = 100_000
"""Nodes that aliases may add to those that are written: a bomb has millions."""
MOST_MISTAKES = 100

# libyaml, which most installations have, is ten times as fast
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# YAML 1.2's core: 1e3 is a number, "no" is a word and 1:30 no time
NUMBER = r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"
_NUMBER = re.compile(NUMBER)
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NAN_INF = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
_INDENTED_BY_TAB = re.compile(r"^ *\t(?=.*\S)", re.MULTILINE)
_PLAIN = re.compile(r"[A-Za-z_][\w./-]*( [\w./-]+)*", re.ASCII)


@dataclass(slots=True, eq=False)
class Node:
    """Something in a file, and where."""

    kind: Literal["value", "list", "keys"]
    line: int
    column: int
    content: Any
    """The value; the nodes of a list; pairs of nodes for keys and values."""
    text: str = ""
    """What is written there, of a value."""
    size: int = 1
    """Nodes that it is made of, aliases written out."""
    span: tuple[int, int] = (0, 0)
    """Where it begins and ends in the file's text."""

    @property
    def plain(self) -> Any:
        """What it stands for in Python's terms: lists, dicts and values."""
        if self.kind == "list":
            return [node.plain for node in self.content]
        if self.kind == "keys":
            return {
                key.text if key.kind == "value" else str(key.plain): value.plain
                for key, value in self.content
            }
        return self.content

    @property
    def words(self) -> str:
        """What is written there, shortened, for messages."""
        text = " ".join((self.text or str(self.plain)).split())
        return text if len(text) <= 60 else f"{text[:57]}..."


Entries = dict[str, tuple[Node, Node]]


class YamlFile:
    """A file as nodes, and the mistakes found in it so far.

    Args:
        path: The file.
        error: What ``check`` raises.
        text: What to read in place of what the file holds.

    Raises:
        FileError: It can't be read as YAML at all.
    """

    def __init__(
        self, path: str | Path, error: type[FileError], text: str | None = None
    ) -> None:
        self.path = Path(path)
        self._error = error
        self._mistakes: list[Mistake] = []
        self.text = text = self._decoded() if text is None else text
        for match in _INDENTED_BY_TAB.finditer(text):
            self._add(*_place(text, match.end() - 1), "a tab: indent with spaces")
        bad = _UNPRINTABLE.search(text)
        if bad:
            what = f"not a text file: it has the character U+{ord(bad[0]):04X}"
            self._add(*_place(text, bad.start()), what)
        self.check()
        self.root: Node | None = None
        """What the file holds; None when it is empty."""
        try:
            self.root = self._compose(text)
        except yaml.MarkedYAMLError as problem:
            mark = problem.problem_mark or problem.context_mark
            line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
            self._stop(line, column, f"this is not YAML: {problem.problem}")
        self.check()

    @property
    def mistaken(self) -> int:
        """How many mistakes were found so far."""
        return len(self._mistakes)

    def wrong(self, node: Node, message: str) -> None:
        """Take down a mistake; reading goes on."""
        self._add(node.line, node.column, message)

    def check(self) -> None:
        """Raise an error that tells all mistakes, if there are any."""
        if self._mistakes:
            raise self._error(self.path, self._mistakes)

    def empty(self, needed: str) -> FileError:
        """Return the error about an empty file."""
        return self._error(self.path, [Mistake(0, 0, f"is empty: {needed}")])

    def entries(self, node: Node, allowed: Iterable[str], what: str) -> Entries:
        """Return keys and values of a node; all but the allowed keys are mistakes."""
        words = list(allowed)
        result: Entries = {}
        for name, (key, value) in self.pairs(node, what).items():
            if name in words:
                result[name] = key, value
            else:
                self.wrong(key, f"{what} has no key {name!r}: {choices(name, words)}")
        return result

    def pairs(self, node: Node, what: str) -> Entries:
        """Return keys and values of a node, whatever the keys are."""
        if node.kind != "keys":
            self.wrong(node, f"{what} must be keys and values, not {node.words}")
            return {}
        result: Entries = {}
        for key, value in node.content:
            if key.kind != "value":
                self.wrong(key, f"{what} has a key that is no word: {key.words}")
            elif key.text in result:
                self.wrong(key, f"{what} has {key.text!r} twice")
            else:
                result[key.text] = key, value
        return result

    def items(self, node: Node, what: str) -> list[Node]:
        """Return the nodes of a list."""
        if node.kind != "list":
            self.wrong(node, f"{what} must be a list, not {node.words}")
            return []
        return list(node.content)

    # -- from bytes to nodes -----------------------------------------------------------

    def _add(self, line: int, column: int, message: str) -> None:
        self._mistakes.append(Mistake(line, column, message))
        if len(self._mistakes) == MOST_MISTAKES:
            self._stop(0, 0, f"has {MOST_MISTAKES} mistakes, and maybe more")

    def _stop(self, line: int, column: int, message: str) -> NoReturn:
        """Take down a mistake after which there is no reading on."""
        raise self._error(
            self.path, [*self._mistakes, Mistake(line, column, message)]
        ) from None

    def _decoded(self) -> str:
        """Return the file's text."""
        try:
            # a pipe or a device might never end
            size = self.path.stat().st_size
            if not self.path.is_file() or size > MOST_BYTES:
                what = f"no file of at most {MOST_BYTES >> 20} MB"
                self._stop(0, 0, what)
            data = self.path.read_bytes()
        except OSError as problem:
            self._stop(0, 0, problem.strerror or str(problem))
        except ValueError as problem:
            # a NUL in the path
            self._stop(0, 0, str(problem))
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            self._stop(1, 1, "not a text file in UTF-8 but in UTF-16: save it as UTF-8")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as problem:
            before = data[: problem.start].decode("utf-8", "replace")
            what = f"not a text file in UTF-8: it has the byte {data[problem.start]:#x}"
            self._stop(*_place(before, len(before)), f"{what}; save it as UTF-8")

    def _compose(self, text: str) -> Node | None:
        """Return the nodes of a text, without recursion: files may nest deeply."""
        found: list[Node] = []
        open_nodes: list[Node] = []
        names: list[str | None] = []
        anchors: dict[str, Node] = {}
        repeated = 0
        for event in _events(text):
            line, column = event.start_mark.line + 1, event.start_mark.column + 1
            span = event.start_mark.index, event.end_mark.index
            if isinstance(event, yaml.DocumentStartEvent) and found:
                self._stop(line, column, "a second document: a file holds one")
            if isinstance(event, yaml.AliasEvent):
                node = anchors.get(str(event.anchor))
                if node is None:
                    what = f"undefined alias {event.anchor!r}"
                    self._add(line, column, f"{what}: no &{event.anchor} before it")
                    node = Node("value", line, column, None)
                repeated += node.size
                if repeated > MOST_REPEATED:
                    self._stop(line, column, "aliases make this file too large")
            elif isinstance(event, yaml.ScalarEvent):
                value = _value(event.value) if event.implicit[0] else event.value
                node = Node("value", line, column, value, event.value, span=span)
            elif isinstance(event, yaml.CollectionStartEvent):
                if len(open_nodes) == DEEPEST:
                    self._stop(line, column, f"nested more than {DEEPEST} levels deep")
                is_list = isinstance(event, yaml.SequenceStartEvent)
                kind: Literal["list", "keys"] = "list" if is_list else "keys"
                open_nodes.append(Node(kind, line, column, [], span=span))
                names.append(event.anchor)
                self._refuse_tag(event, line, column)
                continue
            elif isinstance(event, yaml.CollectionEndEvent):
                node = open_nodes.pop()
                node.span = node.span[0], span[1]
                anchor = names.pop()
                if anchor:
                    anchors[anchor] = node
                node.size += sum(part.size for part in node.content)
                if node.kind == "keys":
                    parts = iter(node.content)
                    node.content = list(zip(parts, parts, strict=True))
            else:
                continue
            if isinstance(event, yaml.ScalarEvent):
                self._refuse_tag(event, line, column)
                if event.anchor:
                    anchors[event.anchor] = node
            (open_nodes[-1].content if open_nodes else found).append(node)
        return found[0] if found else None

    def _refuse_tag(self, event: Any, line: int, column: int) -> None:
        if event.tag and event.tag != "!":
            self._add(line, column, f"a tag, {event.tag!r}: files hold plain data only")


def file_text(word: str) -> str:
    """Return a text as YAML writes it, in quotes where it needs them."""
    if _PLAIN.fullmatch(word) and word not in _WORDS and _value(word) == word:
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else _escape(c) for c in escaped) + '"'


def _escape(char: str) -> str:
    return f"\\U{ord(char):08x}"


def _events(text: str) -> Iterator[Any]:
    loader = _LOADER(text)
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()


def _value(text: str) -> Any:
    """Return what a word without quotes stands for."""
    if text in _WORDS:
        return _WORDS[text]
    if _NUMBER.fullmatch(text):
        short = len(text) < 16 and not set(text) & set(".eE")
        return int(text) if short else float(text)
    if _NAN_INF.fullmatch(text):
        return float(text.lower().replace(".", ""))
    return text


def _place(text: str, offset: int) -> tuple[int, int]:
    """Return line and column of a place in a text."""
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1
