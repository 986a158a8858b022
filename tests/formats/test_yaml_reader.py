"""Invalid YAML files: one clear sentence each, never a traceback or a delay."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from contextlib import suppress
from time import process_time

import pytest
import yaml

from ikrig import ClipFileError, FileError, load_clip, load_rig
from ikrig.formats import yaml_reader
from ikrig.formats.load_robot import load_robot
from ikrig.formats.yaml_reader import file_text

LOADERS = {"clip": load_clip, "tree": load_robot, "rig": load_rig}
BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
GONE = "gone"

HOSTILE = {
    "empty": (b"", ": is empty: a .* needs "),
    "comments only": (b"# nothing\n\n", ": is empty: a .* needs "),
    "a list": (b"- a\n- b\n", ":1:1: the file must consist of keys and values"),
    "a word": (b"hello", ":1:1: the file must consist of keys and values, not hello"),
    "null": (b"~", ": is empty: a .* needs "),
    "null in words": (b"# nothing\nnull\n", ": is empty: a .* needs "),
    "latin-1": ("name: x\nwho: Jos\xe9".encode("latin-1"), ":2:9: .*the byte 0xe9"),
    "utf-16": ("name: x".encode("utf-16"), ":1:1: .*UTF-16: save the file as UTF-8"),
    "utf-16 without a mark": ("name: x".encode("utf-16-le"), ":1:2: .*U.0000"),
    "utf-32": ("name: x".encode("utf-32"), ":1:1: .*save the file as UTF-8"),
    "zeros": (bytes(1000), ":1:1: not a text file"),
    "a bell": (b"name: x\nwho: \x07", ":2:6: .*U.0007"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0", ":1:1: .*the byte 0x89"),
    "tabs": (b"name:\n\tx: 1\n\ty: 2\n",
     ":2:1: indented with a tab: .*\n.*:3:1: indented"),
    "a bomb of aliases": (BOMB.encode(), ":5:.*aliases make this file too large"),
    "an alias in itself": (b"a: &x [*x]\n", ":1:8: undefined alias 'x'"),
    "no such alias": (b"name: *x\n", ":1:7: undefined alias 'x'"),
    "a merge": (b"<<: {name: x}\n", ":1:1: the file has no key '<<'"),
    "python": (b"name: !!python/object/apply:os.abort []", ":1:7: the tag"),
    "a tag": (b"name: !mine x", ":1:7: the tag '!mine'"),
    "a binary": (b"name: !!binary aGk=", ":1:7: the tag"),
    "a complex key": (b"? [a, b]\n: 1\n", ":1:3: the file has an invalid key"),
    "two documents": (b"name: x\n---\nname: y\n", ":2:1: a second document"),
    "a key twice": (b"name: x\nname: y\n", ":2:1: the file has 'name' twice"),
    "unclosed": (b"name: [x\n", ":2:1: not valid YAML"),
    "unclosed text": (b'name: "x\n', ":2:1: not valid YAML"),
    "two colons": (b"name: x: y\n", ":1:8: not valid YAML"),
    "a percent": (b"%\n", ":1:.: not valid YAML"),
    "deep lists": (b"[" * 100_000, ":1:41: nested more than 40"),
    "deep lines": (b"- " * 100_000, ":1:81: nested more than 40"),
    "deep keys": (b"{a: " * 100_000, ":1:161: nested more than 40"),
    "many mistakes": (b"".join(b"a%d: 1\n" % i for i in range(3000)),
     "100 errors found"),
    "many tabs": (b"\tx\n" * 200_000, "100 errors found"),
    "one long word": (b"x" * 300_000, ":1:1: a text of more than 4096 characters"),
    "one long text": (b'a: "' + b"\\x41" * 90_000 + b'"', ":1:4: a text of more than"),
    "a word that is just short enough": (b"x" * 4096, r":1:1: .*xxx\.\.\."),
    "a key that is just short enough": (b"? " + b"k" * 3000 + b"\n: 1",
                                        r"no key 'kkk.*k \.\.\. k.*kkk"),
    "one long key": (b"name: x\n" + b"k" * 900 + b": 1", "has no key 'kkk"),
    "a long number": (b"duration: 1" + b"0" * 4000, ":1:1"),
    "an alias of an alias that is none": (b"a: &a [*b]\nb: [*a]", ":1:8: undefined"),
    "a directory": (None, ": not a regular file of at most"),
    GONE: (None, ": No such file"),
}  # fmt: skip


@pytest.mark.parametrize("loader", [*LOADERS, "python"])
@pytest.mark.parametrize("name", HOSTILE)
def test_invalid_yaml_gives_one_clear_sentence(name, loader, tmp_path, monkeypatch):
    if loader == "python":
        # the parser without libyaml, below the same reader
        monkeypatch.setattr(yaml_reader, "_LOADER", yaml.SafeLoader)
        loader = next(iter(LOADERS))
    elif not yaml.__with_libyaml__:
        pytest.skip("PyYAML without libyaml")
    data, message = HOSTILE[name]
    path = tmp_path / "file.yaml"
    if data is not None:
        path.write_bytes(data)
    elif name != GONE:
        path.mkdir()
    begin = process_time()
    with pytest.raises(FileError, match=message) as caught:
        LOADERS[loader](path)
    assert process_time() - begin < 1.0
    for line in str(caught.value).splitlines():
        assert line.startswith(f"{path}:") and len(line) < 2000
    assert caught.value.__cause__ is None


LIST = b"duration: [" + b"1," * 4_000_000 + b"]\n"
KEYS = b"tracks:\n arm:\n  target:\n   keys:\n" + b"".join(
    b"    %d: [0.1, 0.2, 0.3]\n" % i for i in range(24_000)
)
LARGE = {
    "a list": (load_clip, LIST, "more than 150000 values"),
    "240,000 keys": (load_clip, KEYS * 10, "more than 150000 values"),
    "one part again and again":
     (load_clip, b"tracks:\n" + b" p: {slide: {keys: {0: 1}}}\n" * 18_000,
      "tracks has 'p' twice"),
    "comments": (load_clip, b"# nothing\n" * 800_000, "is empty"),
    "more than is read at all": (load_clip, b"#" * (17 << 20), "at most 16 MB"),
    "joints of one body":
     (load_robot,
      b"bodies: [{name: b, joints: [" + b"{name: j, kind: hinge}," * 20_000 + b"]}]",
      "more than 5000 parts"),
}  # fmt: skip


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML without libyaml")
@pytest.mark.parametrize("name", LARGE)
def test_too_large_files_are_refused(name, tmp_path):
    loader, data, message = LARGE[name]
    path = tmp_path / "file.yaml"
    path.write_bytes(data)
    with pytest.raises(FileError, match=message):
        loader(path)


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML without libyaml")
def test_files_just_within_bounds_are_read(tmp_path):
    path = tmp_path / "file.yaml"
    path.write_bytes(KEYS)
    assert len(load_clip(path).tracks[0].keys) == 24_000
    assert gc.isenabled()


COUNTED = {
    "values": ("MOST_NODES", "[1, 2, 3]", 4),
    "keys": ("MOST_NODES", "a: 1\nb: [x]", 6),
    "aliases": ("MOST_NODES", "[&a [1, 2], *a]", 5),
    "repeated values": ("MOST_REPEATED", "[&a 1, *a, *a]", 2),
    "repeated lists": ("MOST_REPEATED", "[&a [1, 2], *a, *a]", 6),
    "lists in lists": ("MOST_REPEATED", "[&a [1], &b [*a, *a], *b]", 2 + 2 + 5),
    "repeated keys": ("MOST_REPEATED", "a: &k {x: 1, y: [2]}\nb: *k", 6),
    "letters": ("LONGEST", "[a, abcd, abc]", 4),
    "levels": ("DEEPEST", "a: [[1], [2]]\nb: {c: [3]}", 3),
}


@pytest.mark.parametrize("name", COUNTED)
def test_yaml_is_counted_exactly(name, tmp_path, monkeypatch):
    """As many as the limit are read, one more is refused; counted by hand."""
    limit, text, count = COUNTED[name]
    path = tmp_path / "file.yaml"
    path.write_text(text)
    monkeypatch.setattr(yaml_reader, limit, count)
    assert yaml_reader.YamlFile(path, FileError).root is not None
    monkeypatch.setattr(yaml_reader, limit, count - 1)
    with pytest.raises(FileError, match=f"more than {count - 1}|too large"):
        yaml_reader.YamlFile(path, FileError)


def test_number_of_errors_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(yaml_reader, "MOST_MISTAKES", 4)
    path = tmp_path / "file.yaml"
    for tags in (3, 4, 9):
        path.write_text("- !x 1\n" * tags)
        with pytest.raises(FileError) as caught:
            yaml_reader.YamlFile(path, FileError)
        assert len(caught.value.diagnostics) == (3 if tags == 3 else 5)
        assert ("4 errors found; there may be more" in str(caught.value)) == (tags > 3)


def test_quotes_make_a_text_but_not_of_a_key(tmp_path):
    path = tmp_path / "file.yaml"
    path.write_text('"1": "2"\n3: 4\n[5]: null\n"": "null"')
    root = yaml_reader.YamlFile(path, FileError).root
    assert root.plain == {"1": "2", "3": 4, "[5]": None, "": "null"}
    assert [key.key.content for key, _ in root.content[:2]] == [1, 3]
    assert [value.key.content for _, value in root.content[:2]] == [2, 4]
    assert root.content[2][0].key is root.content[2][0]
    assert root.content[3][0].key.content is None


@pytest.mark.skipif(sys.platform != "linux", reason="needs limits of memory")
def test_memory_for_large_files_is_bounded(tmp_path):
    path = tmp_path / "file.yaml"
    path.write_bytes(LIST)
    code = (
        "import resource, sys, ikrig.formats.clip_yaml\n"
        # it took 1.4 GB
        "resource.setrlimit(resource.RLIMIT_DATA, (400 << 20,) * 2)\n"
        "try:\n    ikrig.load_clip(sys.argv[1])\n"
        "except ikrig.ClipFileError:\n    print('refused')"
    )
    command = [sys.executable, "-c", code, path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "refused\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs the device /dev/zero")
def test_endless_files_are_not_read():
    with pytest.raises(FileError, match="/dev/zero: not a regular file"):
        load_clip("/dev/zero")
    with pytest.raises(FileError, match="null"):
        load_clip("a\0b")


def test_allowed_yaml_is_read(tmp_path):
    path = tmp_path / "file.yaml"
    text = "%YAML 1.2\n---\nname: 'x'   # comment\r\nwrap: loop\n"
    text += "duration: &d 1e1\ntracks: {p: {slide: {keys: {0: *d}}}}\n...\n"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    clip = load_clip(str(path))
    assert (clip.name, clip.wrap, clip.duration) == ("x", "loop", 10.0)
    assert clip.sample(0)["p", "slide"] == 10.0


@pytest.mark.parametrize(
    "word",
    [
        *("", "a", "a b", " a", "a: b", "a: ", "a #b", "a,b", "hand.L", "a/b", "-a",
          "-"),
        *("yes", "null", "~", "true", "1", "1e3", ".5", "0x1", ".nan", "'", '"', "\\"),
        *("\n", "\t", "\x07", "\u2028", "é", "足", "\U0001f600"),
        *("&a", "*a", "!a", "%", "@", "{", "?"),
    ],
)  # fmt: skip
def test_strings_are_read_as_written(word, tmp_path):
    path = tmp_path / "file.yaml"
    path.write_text(f"tracks: {{{file_text(word)}: 1}}\nname: {file_text(word)}\n")
    file = yaml_reader.YamlFile(path, FileError)
    assert file.root.plain == {"tracks": {word: 1}, "name": word}


def test_only_one_module_imports_yaml():
    folder = os.path.dirname(yaml_reader.__file__)
    for root, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".py") and name != "yaml_reader.py":
                with open(os.path.join(root, name), encoding="utf-8") as file:
                    assert "import yaml\n" not in file.read(), name


def test_garbage_collection_is_enabled_again_after_reading(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("a: 1")
    for collects in (True, False):
        if not collects:
            gc.disable()
        try:
            for text in ("tracks: {}", "bodies: ["):
                path.write_text(text)
                with suppress(ClipFileError):
                    load_clip(path)
                assert gc.isenabled() is collects
        finally:
            gc.enable()


@pytest.mark.parametrize("digits", [1, 15, 16, 17, 400])
def test_integers_of_many_digits_become_floats(digits):
    """Up to 15 digits a double holds every whole number."""
    for sign in ("", "-"):
        text = sign + "1" * digits
        found = yaml_reader._value(text)
        assert type(found) is (int if len(text) < 16 else float)
        assert found == float(text)
