"""A pool whose workers take a minute, for tests that kill its parent."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from ikrig.cli.bake import run_all
from ikrig.files.output_file import replacing


def work(folder: Path) -> None:
    """Write half a file, and be at it for a minute."""
    with replacing(folder / f"{os.getpid()}.bam") as new:
        new.write_bytes(b"half")
        (folder / f"{os.getpid()}.pid").touch()
        end = time.monotonic() + 60.0
        while time.monotonic() < end:
            time.sleep(0.01)


if __name__ == "__main__":
    list(run_all(work, [Path(sys.argv[1])] * 4, 2))
