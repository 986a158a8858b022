"""``python -m demos NAME --quality``."""

from __future__ import annotations

import pytest

from demos.__main__ import main
from tests.demos.conftest import Run


def test_a_demo_is_measured_undrawn(run_demos: Run) -> None:
    good = run_demos("chain", "--quality", "--frames", "60")
    assert good.returncode == 0, good.stderr
    assert "nodes: 60 frames, 60 fps" in good.stdout
    # its panda hovers and slides on the flat, before it walks well
    bad = run_demos("walker", "--quality", "--frames", "120")
    assert bad.returncode == 1, bad.stderr
    assert "! drift" in bad.stdout and "LeftFoot, RightFoot" in bad.stdout


def test_quality_needs_a_demo(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quality"]) == 2
    assert "--quality needs the name of a demo" in capsys.readouterr().err
