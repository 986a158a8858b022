"""Updates the golden poses and pictures: ``python -m tests.golden``.

Prints what has changed, and by how much: look at the pictures before you commit them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.golden import poses
from tests.golden.pictures import NO_RASTERISER, SHOTS


def renew_poses() -> None:
    """Write the poses anew."""
    before = poses.read() if poses.FILE.exists() else {}
    now = poses.play_all()
    for name in before.keys() - now.keys():
        print(f"gone  {name}")
    for name, times in now.items():
        how = ""
        if name not in before:
            how = "new"
        elif before[name] != times:
            how = "changed"
            old, new = (np.array([*t.values()]) for t in (before[name], times))
            if old.shape == new.shape:
                how += f" by {np.abs(old - new).max() / poses.PARTS:.4f} of its size"
        print(f"{poses.digest(times)}  {name}  {how}".rstrip())
    poses.write(now)


def renew_pictures() -> int:
    """Draw the pictures anew."""
    folder = Path(__file__).parent
    files = [folder / shot.name for shot in SHOTS]
    before = [file.read_bytes() if file.exists() else b"" for file in files]
    command = [sys.executable, "-m", "tests.golden.pictures", str(folder)]
    done = subprocess.run(command, check=False)
    if done.returncode == NO_RASTERISER:
        return 1
    for file, old in zip(files, before, strict=True):
        print(f"{file.name}  {'' if file.read_bytes() == old else 'changed'}".rstrip())
    return done.returncode


if __name__ == "__main__":
    renew_poses()
    sys.exit(renew_pictures())
