"""Runs the tests with the oldest versions allowed: ``python -m tests.oldest``.

It copies the checkout, makes an environment, reads the lower bounds from
``pyproject.toml``, installs just these and runs pytest; further arguments go to pytest.
This takes a quarter of an hour and downloads packages. The oldest Panda3D has wheels up
to Python 3.11.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOT_COPIED = (
    ".git", ".venv", "build", "out", "*.so", "*.pyd", "*.egg-info", ".*_cache",
)  # fmt: skip


def oldest(text: str) -> list[str]:
    """Return the oldest required versions that a ``pyproject.toml`` allows.

    Raises:
        ValueError: A requirement has no lower bound.
    """
    (line,) = re.findall(r"^dependencies = \[(.*)\]$", text, re.MULTILINE)
    required = re.findall(r'"([^"]+)"', line)
    for requirement in required:
        if ">=" not in requirement:
            raise ValueError(f"{requirement} has no oldest version")
    return [requirement.replace(">=", "==") for requirement in required]


def main(arguments: list[str]) -> int:
    """Install, run, and return pytest's exit code."""
    wanted = oldest((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="oldest_") as folder:
        copy, env = Path(folder) / "ikrig", Path(folder) / "env"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
        venv.create(env, with_pip=True)
        python = str(env / ("Scripts" if os.name == "nt" else "bin") / "python")
        install = [python, "-m", "pip", "install", "-q", "-e", f"{copy}[test]", *wanted]
        done = subprocess.run(install, check=False)
        if done.returncode:
            return done.returncode
        print("installed", *wanted, flush=True)
        command = [python, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
        return subprocess.run(command, cwd=copy, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
