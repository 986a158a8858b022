"""Invalid clip files: each is reported with its line, in one sentence, quickly."""

from __future__ import annotations

import time

import pytest

import ikrig
from ikrig import ClipFileError
from tests.rig_builder.test_rig_errors import UNREADABLE


@pytest.mark.parametrize(
    ("data", "line", "column", "message"),
    UNREADABLE,
    ids=[row[3][:20] for row in UNREADABLE],
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
