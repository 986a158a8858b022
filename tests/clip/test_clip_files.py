"""Invalid clip files: each is reported with its line, in one sentence, quickly."""

from __future__ import annotations

import time

import pytest

import ikrig
from ikrig import ClipFileError
from tests.rig_builder.test_rig_errors import BOMB

# whole files: text or bytes, line, column, message
FILES = [
    (b"# only this\n", 0, 0, "is empty"),
    (
        b"just a word\n",
        1,
        1,
        "the file must consist of keys and values, not just a word",
    ),
    (b"- a\n- b\n", 1, 1, "the file must consist of keys and values"),
    (b"tracks:\n\ta: {}\n", 2, 1, "indented with a tab: use spaces"),
    (b"tracks: {a: {target: [}}\n", 1, 23, "not valid YAML"),
    (b"tracks: {a: *nothing}\n", 1, 13, "undefined alias 'nothing'"),
    (b"tracks: !!python/object:os.system {}\n", 1, 9, "the tag .*plain data only"),
    (b"name: a\n---\nname: b\n", 2, 1, "a second document"),
    ("name: größe\n".encode("utf-16"), 1, 1, "encoded as UTF-16"),
    (
        "name: größe\n".encode("latin-1"),
        1,
        9,
        "it contains the byte 0xf6; save the file as",
    ),
    (b"name: a\ntracks: {b\x00: {}}\n", 2, 11, "it contains the character U.0000"),
    (b"\x7fELF\x02\x01\x01", 1, 1, "not a text file"),
    (("name: " + "[" * 5000 + "]" * 5000).encode(), 1, 46, "more than 40 levels deep"),
    (BOMB, 5, 45, "aliases make this file too large"),
]


@pytest.mark.parametrize(
    ("data", "line", "column", "message"), FILES, ids=[row[3][:20] for row in FILES]
)
def test_invalid_clip_files_are_reported(tmp_path, data, line, column, message):
    path = tmp_path / "clip.yaml"
    path.write_bytes(data)
    started = time.process_time()
    with pytest.raises(ClipFileError, match=message) as caught:
        ikrig.load_clip(path)
    # far from what it takes, and still no more than what is promised
    assert time.process_time() - started < 1.0
    (mistake,) = caught.value.diagnostics
    assert (mistake.line, mistake.column) == (line, column)
    assert "\n" not in str(caught.value) and "Traceback" not in str(caught.value)


@pytest.mark.parametrize("path", ["missing.yaml", ".", "nul\0.yaml"])
def test_paths_that_are_not_files_are_reported(tmp_path, path):
    with pytest.raises(ClipFileError) as caught:
        ikrig.load_clip(f"{tmp_path}/{path}")
    assert len(caught.value.diagnostics) == 1
