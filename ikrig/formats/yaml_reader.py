"""Reads YAML files and keeps the line and column of every node.

Only this module imports yaml. Nothing in a file is executed or turned into an object: a
file consists of lists, mappings, texts, numbers, true, false and null, and is read as
``Node`` objects. Errors are collected, so that one reading reports all.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

import yaml

from ..errors import Diagnostic, FileError, suggest
from ..files.file_access import path_of, read_file

# Any file is read or refused within a second and in bounded memory.
MOST_BYTES = 16 << 20
MOST_NODES = 150_000
"""Maximum of values, keys and lists: 25,000 keys of a clip's positions."""
LONGEST = 4096
"""Maximum length of a name or text, in characters."""
DEEPEST = 40
"""Maximum nesting of lists and mappings."""
MOST_REPEATED = 100_000
"""Maximum of nodes that aliases may add; a "billion laughs" file has millions."""
MOST_MISTAKES = 100
WIDEST = 1500
"""Maximum length of a message, in characters."""

# libyaml, available in most installations, is ten times as fast
_LOADER: object = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# core schema of YAML 1.2: 1e3 is a number, "no" a text, 1:30 no time
NUMBER = r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"
_NUMBER = re.compile(NUMBER)
_WORDS: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NAN_INF = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_LINE_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
"""The line breaks of YAML."""
_UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
_INDENTED_BY_TAB = re.compile(r"^ *\t(?=.*\S)", re.MULTILINE)
_PLAIN = re.compile(r"[A-Za-z_][\w./-]*( [\w./-]+)*", re.ASCII)


@contextmanager
def without_collection() -> Iterator[None]:
    """Disable garbage collection, which would take half of the reading time.

    It would visit all nodes repeatedly and find nothing to free.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@dataclass(slots=True, eq=False)
class Node:
    """A value, list or mapping in a file, with its position."""

    kind: Literal["value", "list", "keys"]
    line: int
    column: int
    content: Any
    """The value, the nodes of a list, or the (key, value) nodes of a mapping."""
    text: str = ""
    """The text of a value in the file."""
    size: int = 1
    """Number of nodes in it, with aliases expanded."""
    span: tuple[int, int] = (0, 0)
    """Start and end offset in the file's text."""

    @property
    def plain(self) -> object:
        """The content as Python lists, dicts and values."""
        if self.kind == "list":
            return [node.plain for node in self.content]
        if self.kind == "keys":
            return {
                key.text if key.kind == "value" else str(key.plain): value.plain
                for key, value in self.content
            }
        return self.content

    @property
    def key(self) -> Node:
        """The node as a key: quotes are ignored, because JSON quotes all keys."""
        if self.kind != "value" or not isinstance(self.content, str):
            return self
        value = _value(self.text)
        return Node("value", self.line, self.column, value, self.text, span=self.span)

    @property
    def words(self) -> str:
        text = " ".join((self.text or str(self.plain)).split())
        return text if len(text) <= 60 else f"{text[:57]}..."


Entries = dict[str, tuple[Node, Node]]


class YamlFile:
    """A YAML file as nodes, with the errors found in it so far.

    Args:
        path: The file.
        error: The type of the errors raised.
        text: Text to read instead of the file's content.

    Raises:
        FileError: The file can't be opened, or is not valid YAML.
    """

    def __init__(
        self, path: str | Path, error: type[FileError], text: str | None = None
    ) -> None:
        self.path = path_of(path, error)
        self._error = error
        self._diagnostics: list[Diagnostic] = []
        self.text = text = self._decoded() if text is None else text
        for match in _INDENTED_BY_TAB.finditer(text):
            self._add(
                *_line_column(text, match.end() - 1), "indented with a tab: use spaces"
            )
        bad = _UNPRINTABLE.search(text)
        if bad:
            what = f"not a text file: it contains the character U+{ord(bad[0]):04X}"
            self._add(*_line_column(text, bad.start()), what)
        self.check()
        self.root: Node | None = None
        """The content of the file; None when it is empty or ``null``."""
        try:
            self.root = self._compose(text)
        except yaml.MarkedYAMLError as problem:
            mark = problem.problem_mark or problem.context_mark
            line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
            if "nesting depth" in str(problem.problem):
                # LibYAML's own limit, met by reading ahead: ours comes first
                self._diagnostics.clear()
                self._compose(text, yaml.SafeLoader)
            self._stop(line, column, f"not valid YAML: {problem.problem}")
        root = self.root
        if root is not None and root.kind == "value" and root.content is None:
            self.root = None
        self.check()

    @property
    def error_count(self) -> int:
        return len(self._diagnostics)

    def report_error(self, node: Node, message: str) -> None:
        """Report an error; reading continues."""
        self._add(node.line, node.column, message)

    def check(self) -> None:
        """Raise an error that lists all reported errors, if there are any."""
        if self._diagnostics:
            raise self._error(self.path, self._diagnostics)

    def empty(self, needed: str) -> FileError:
        return self._error(self.path, [Diagnostic(0, 0, f"is empty: {needed}")])

    def entries(self, node: Node, allowed: Iterable[str], what: str) -> Entries:
        """Return keys and values of a mapping; report keys that are not allowed."""
        words = list(allowed)
        result: Entries = {}
        for name, (key, value) in self.pairs(node, what).items():
            if name in words:
                result[name] = key, value
            else:
                self.report_error(
                    key, f"{what} has no key {name!r}: {suggest(name, words)}"
                )
        return result

    def pairs(self, node: Node, what: str) -> Entries:
        if node.kind != "keys":
            self.report_error(
                node, f"{what} must consist of keys and values, not {node.words}"
            )
            return {}
        result: Entries = {}
        for key, value in node.content:
            if key.kind != "value":
                self.report_error(
                    key,
                    f"{what} has an invalid key, {key.words}: a key must be a plain "
                    "text",
                )
            elif key.text in result:
                self.report_error(key, f"{what} has {key.text!r} twice")
            else:
                result[key.text] = key, value
        return result

    def items(self, node: Node, what: str) -> list[Node]:
        """Return the nodes of a list; report a node that is none."""
        if node.kind != "list":
            self.report_error(node, f"{what} must be a list, not {node.words}")
            return []
        return list(node.content)

    # -- from bytes to nodes -----------------------------------------------------------

    def _add(self, line: int, column: int, message: str) -> None:
        if len(message) > WIDEST:
            # names in a file may be of any length
            half = WIDEST // 2
            message = f"{message[:half]} ... {message[-half:]}"
        self._diagnostics.append(Diagnostic(line, column, message))
        if len(self._diagnostics) == MOST_MISTAKES:
            self._stop(0, 0, f"{MOST_MISTAKES} errors found; there may be more")

    def _stop(self, line: int, column: int, message: str) -> NoReturn:
        raise self._error(
            self.path, [*self._diagnostics, Diagnostic(line, column, message)]
        ) from None

    def _decoded(self) -> str:
        try:
            data = read_file(self.path, MOST_BYTES)
        except OSError as problem:
            self._stop(0, 0, problem.strerror or str(problem))
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            self._stop(1, 1, "encoded as UTF-16: save the file as UTF-8")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as problem:
            before = data[: problem.start].decode("utf-8", "replace")
            what = f"not valid UTF-8: it contains the byte {data[problem.start]:#x}"
            self._stop(
                *_line_column(before, len(before)), f"{what}; save the file as UTF-8"
            )

    def _compose(self, text: str, loader: object = None) -> Node | None:
        """Return the root node of a text, built without recursion."""
        found: list[Node] = []
        open_nodes: list[Node] = []
        names: list[str | None] = []
        anchors: dict[str, Node] = {}
        content, written, repeated = found, 0, 0
        for event in _events(text, loader or _LOADER):
            # most frequent events first: this loop takes most of the time
            kind, start = type(event), event.start_mark
            line, column = start.line + 1, start.column + 1
            if written > MOST_NODES:
                self._stop(line, column, f"more than {MOST_NODES} values and keys")
            if kind is yaml.ScalarEvent:
                token = event.value
                if len(token) > LONGEST:
                    self._stop(
                        line, column, f"a text of more than {LONGEST} characters"
                    )
                value = _value(token) if event.implicit[0] else token
                span = start.index, event.end_mark.index
                node = Node("value", line, column, value, token, span=span)
                if event.tag:
                    self._refuse_tag(event.tag, line, column)
                if event.anchor:
                    anchors[event.anchor] = node
            elif kind is yaml.SequenceStartEvent or kind is yaml.MappingStartEvent:
                if len(open_nodes) == DEEPEST:
                    self._stop(line, column, f"nested more than {DEEPEST} levels deep")
                node = Node("keys", line, column, [], span=(start.index, start.index))
                if kind is yaml.SequenceStartEvent:
                    node.kind = "list"
                open_nodes.append(node)
                names.append(event.anchor)
                written += 1
                content = node.content
                if event.tag:
                    self._refuse_tag(event.tag, line, column)
                continue
            elif kind is yaml.SequenceEndEvent or kind is yaml.MappingEndEvent:
                node = open_nodes.pop()
                node.span = node.span[0], event.end_mark.index
                anchor = names.pop()
                if anchor:
                    anchors[anchor] = node
                node.size += sum([part.size for part in node.content])
                if node.kind == "keys":
                    parts = iter(node.content)
                    node.content = list(zip(parts, parts, strict=True))
                content = open_nodes[-1].content if open_nodes else found
                content.append(node)
                continue
            elif kind is yaml.AliasEvent:
                name = str(event.anchor)
                if name not in anchors:
                    what = f"undefined alias {name!r}"
                    self._add(line, column, f"{what}: there is no &{name} before it")
                    anchors[name] = Node("value", line, column, None)
                node = anchors[name]
                repeated += node.size
                if repeated > MOST_REPEATED:
                    self._stop(line, column, "aliases make this file too large")
            elif kind is yaml.DocumentStartEvent and found:
                self._stop(
                    line, column, "a second document: the file must contain only one"
                )
            else:
                continue
            written += 1
            content.append(node)
        return found[0] if found else None

    def _refuse_tag(self, tag: str, line: int, column: int) -> None:
        if tag != "!":
            self._add(
                line,
                column,
                f"the tag {tag!r} is not allowed: files contain plain data only",
            )


def file_text(token: str) -> str:
    """Return a text in YAML, quoted where necessary."""
    if _PLAIN.fullmatch(token) and token not in _WORDS and _value(token) == token:
        return token
    escaped = token.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else _escape(c) for c in escaped) + '"'


def _escape(char: str) -> str:
    return f"\\U{ord(char):08x}"


def _events(text: str, kind: Any) -> Iterator[Any]:
    loader = kind(text)
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()


def _value(text: str) -> object:
    if text in _WORDS:
        return _WORDS[text]
    if _NUMBER.fullmatch(text):
        short = len(text) < 16 and not set(text) & set(".eE")
        return int(text) if short else float(text)
    if _NAN_INF.fullmatch(text):
        return float(text.lower().replace(".", ""))
    return text


def _line_column(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    ends = [match.end() for match in _LINE_BREAK.finditer(before)]
    # no line begins between the CR and LF of one break
    if ends and text[offset - 1 : offset + 1] == "\r\n":
        ends.pop()
    return len(ends) + 1, offset - (ends[-1] if ends else 0) + 1
