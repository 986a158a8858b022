"""Worker processes end with their parent, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")

PATIENCE = 10.0
"""Seconds, on a machine that has other things to do; it takes a fraction of one."""


def alive(pid: int) -> bool:
    # one that nobody waits for stays in the books until its new parent has read them
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
@pytest.mark.parametrize("kill", ["SIGKILL", "SIGTERM"])
def test_workers_end_with_their_parent_process(tmp_path: Path, kill: str) -> None:
    words = [sys.executable, "-m", "tests.cli.busy", str(tmp_path)]
    parent = subprocess.Popen(
        words, stderr=subprocess.DEVNULL, cwd=Path(__file__).parents[2]
    )
    until = time.monotonic() + 60.0
    while len(found := list(tmp_path.glob("*.pid"))) < 2 and time.monotonic() < until:
        assert parent.poll() is None
        time.sleep(0.02)
    workers = [int(path.stem) for path in found]
    assert all(alive(pid) for pid in workers)
    parent.send_signal(signal.Signals[kill])
    parent.wait()
    until = time.monotonic() + PATIENCE
    while any(map(alive, workers)) and time.monotonic() < until:
        time.sleep(0.02)
    left = [pid for pid in workers if alive(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left
    # and have taken away what they had half written
    assert {path.suffix for path in tmp_path.iterdir()} == {".pid"}
