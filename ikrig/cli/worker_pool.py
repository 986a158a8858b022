"""Runs jobs in worker processes, which end with their parent process."""

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
"""Time that a process has to clean up before it is ended [s]."""


def run_all(
    work: Callable[[Job], Found], jobs: Sequence[Job], processes: int
) -> Iterator[tuple[Job, Found | Exception]]:
    """Yield jobs as they finish, each with its result or its exception."""
    # "spawn", so that no engine and no open file is shared
    pool = ProcessPoolExecutor(
        min(processes, len(jobs)), get_context("spawn"), _prepare
    )
    try:
        # workers ignore Ctrl-C: they inherit this; only the parent handles it
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
    """Set up a worker to clean up when terminated, and to end with its parent."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    Thread(target=_end_with_parent, name="ikrig-parent", daemon=True).start()


def _end_with_parent() -> None:
    """End this process when its parent has ended.

    A killed parent can't end its workers, and they would not notice: a worker that
    waits for jobs holds both ends of the pipe from which it reads them.
    """
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    # as if terminated: removes unfinished files
    interrupt_main(signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)


def _alone(work: Callable[[Job], Found], job: Job) -> Found:
    try:
        return work(job)
    except SystemExit:
        # the pool would treat it as a result and continue
        os._exit(1)
