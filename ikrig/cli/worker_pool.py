"""Jobs in worker processes, all of which end with the process that started them."""

from __future__ import annotations

import os
import signal
import sys
import time
from _thread import interrupt_main
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from typing import TypeVar

from ..errors import IkrigError

Job = TypeVar("Job")
Found = TypeVar("Found")

GRACE = 0.5
"""Seconds that a process has for tidying up when it is to end."""


def run_all(
    work: Callable[[Job], Found], jobs: Sequence[Job], processes: int
) -> Iterator[tuple[Job, Found | Exception]]:
    """Yield jobs as they are done, each with what came of it or why nothing did.

    Args:
        work: Does a job; a function of a module, as other processes need it.
        jobs: The jobs.
        processes: How many there are at most.
    """
    # spawned processes share no engine, and no file that this one has open
    pool = ProcessPoolExecutor(
        min(processes, len(jobs)), get_context("spawn"), _prepare
    )
    try:
        # Ctrl-C is for this process alone: those that it starts meanwhile ignore it
        listen = signal.signal(signal.SIGINT, signal.SIG_IGN)
        futures = {pool.submit(_alone, work, job): job for job in jobs}
        signal.signal(signal.SIGINT, listen)
        for future in as_completed(futures):
            found: Found | Exception
            try:
                found = future.result()
            except (IkrigError, OSError, BrokenProcessPool) as error:
                found = error
            yield futures[future], found
    except BaseException:
        for process in active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _prepare() -> None:
    """Have a new process tidy up when it is told to end, and end with its parent."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    Thread(target=_end_with_parent, name="ikrig-parent", daemon=True).start()


def _end_with_parent() -> None:
    """End this process as soon as the one is gone that has started it.

    That may have been killed, and nobody else would ever tell: a process that waits for
    jobs holds both ends of the pipe on which they come.
    """
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    # as if it were told to end: what is half written is taken away
    interrupt_main(signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)


def _alone(work: Callable[[Job], Found], job: Job) -> Found:
    """Do a job in a process of its own."""
    try:
        return work(job)
    except SystemExit:
        # the pool would take it for an answer and go on
        os._exit(1)
