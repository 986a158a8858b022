"""Entry point of ``python -m ikrig``."""

from __future__ import annotations

import signal
import sys
from _thread import interrupt_main
from threading import Timer, main_thread
from types import FrameType

STOPPED, TERMINATED = 130, 143
"""Exit codes after Ctrl-C and after SIGTERM."""

RETRY_SECONDS = 0.02
"""Delay before a signal that came during an import is sent again [s]."""


def entry() -> int:
    """Run the command line of this process and return the exit code."""
    # background jobs of a shell ignore Ctrl-C, and keep ignoring it
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    # these exit normally, which removes unfinished files; the second: a closed terminal
    signal.signal(signal.SIGTERM, _stop)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
        signal.signal(signal.SIGHUP, _stop)
    try:
        # takes most of a short run, so Ctrl-C is likely to come here
        from .cli import main

        code = main()
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        code = STOPPED
    # nothing is left to stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return code


def _stop(number: int, frame: FrameType | None) -> None:
    """End the program, but not during an import.

    There an exception crashes the engine, or is lost in a callback of the importer.
    """
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            later = Timer(RETRY_SECONDS, _send, [number])
            later.daemon = True
            later.start()
            return
        frame = frame.f_back
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(TERMINATED)


def _send(number: int) -> None:
    """Send a signal to the main thread, even if it waits in a call of the system."""
    ident = main_thread().ident
    if hasattr(signal, "pthread_kill") and ident is not None:
        signal.pthread_kill(ident, number)
    else:
        interrupt_main(signal.Signals(number))


if __name__ == "__main__":
    sys.exit(entry())
