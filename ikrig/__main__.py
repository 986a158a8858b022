"""Entry point: ``python -m ikrig check|info|play|record|bake|convert``."""

from __future__ import annotations

import signal
import sys

STOPPED, TERMINATED = 130, 143
"""Exit codes after Ctrl-C, and after the system's word to end."""


def entry() -> int:
    """Run the command line of this process; returns the exit code."""
    # the files that it is writing are taken away when it is told to end
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        # most of a short run, and Ctrl-C may come in the middle of it
        from .cli import main

        code = main()
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        code = STOPPED
    # nothing is left to be stopped
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return code


if __name__ == "__main__":
    sys.exit(entry())
