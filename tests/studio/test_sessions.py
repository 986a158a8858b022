"""A whole session in a real window, by xdotool."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import sessions
from .driver import NEEDED

HUMANOID = Path(__file__).parents[2] / "assets" / "models" / "humanoid.bam"


@pytest.mark.skipif(bool(sessions.missing()), reason=sessions.missing() or "none")
def test_a_character_is_rigged_and_saved_in_a_real_window(tmp_path):
    pytest.importorskip("imgui_bundle", reason=NEEDED)
    pytest.importorskip("p3dimgui", reason=NEEDED)
    try:
        found = sessions.session(HUMANOID, tmp_path / "s")
    except RuntimeError as error:
        if "Skipped" in str(error):
            pytest.skip("OpenGL: apt-get install libegl1 libgl1-mesa-dri")
        raise
    assert found["events"] < 60 + len(str(tmp_path))
    assert found["chains"] >= 5 and found["gap"] < 1e-3, found
