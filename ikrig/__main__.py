"""Entry point: ``python -m ikrig check|info|play|record|bake|convert``."""

from __future__ import annotations

import signal
import sys
from _thread import interrupt_main
from threading import Timer
from types import FrameType

STOPPED, TERMINATED = 130, 143
"""Exit codes after Ctrl-C, and after the system's word to end."""

SOON = 0.02
"""Seconds after which Ctrl-C is tried again that came during an import."""


def entry() -> int:
    """Run the command line of this process; returns the exit code."""
    # a job in a shell's background does not hear Ctrl-C, and keeps to that
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
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


def _stop(number: int, frame: FrameType | None) -> None:
    """Stop, but let an import end first: in the middle of one the engine crashes."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            later = Timer(SOON, interrupt_main)
            later.daemon = True
            later.start()
            return
        frame = frame.f_back
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(entry())
