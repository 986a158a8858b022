"""Play clips on a rig and write the result as animations without IK.

An animation plays with plain Actor.play, in a game without ikrig: Actor("hero.bam",
{"wave": "wave.bam"}). With a FOLDER instead of a clip, all clips in it are baked in
parallel. Results are kept while rig, clip, model and settings stay the same (recorded
in the file .ikrig-bake.json in OUT), so a batch that was stopped continues where it
stopped. A clip with errors is reported and does not stop the others.

Prefer .bam files: they fit every model. An .egg file, which is text, fits only models
whose joints are sorted by name below each joint; for others, the command reports an
error. Both can be compressed: .bam.pz, .egg.pz.

examples:
  python -m ikrig bake hero.yaml wave.yaml -o wave.bam
  python -m ikrig bake hero.yaml wave.yaml -o small.bam --fps 30 --tolerance-deg 0.5
  python -m ikrig bake hero.yaml clips/ -o baked/ --jobs 4
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from _thread import interrupt_main
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from hashlib import blake2b
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.connection import wait
from pathlib import Path
from threading import Thread
from typing import TypeVar

from ..errors import BindError, IkrigError, OutputError
from ..files.file_access import is_file, read_file
from ..files.output_file import check_output, prepare_folder, write_bytes
from ..formats.clip_yaml import load_clip
from ..formats.rig_file import named_files, read_rig_file
from .arguments import add, add_fps, add_out, add_rig, add_tolerances, tolerances, whole
from .file_types import UnknownFileError, check_kinds, file_kind, files_in
from .report import Document, Progress, Report, about

DESCRIPTION = str(__doc__)
SUFFIXES = (".bam", ".egg", ".bam.pz", ".egg.pz")


@dataclass(frozen=True, eq=False)
class Job:
    """A clip to bake, with all settings; sent to worker processes."""

    rig: Path
    clip: Path
    out: Path
    model: str | None
    fps: float
    tolerances: Document
    allow: Sequence[Path] = ()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_rig(parser, "a clip, or a folder of clips", folder=True)
    add_out(parser, "a .bam or .egg file, or a folder for a folder of clips")
    text = "format of the files in a folder; bam always works"
    kinds = [suffix[1:] for suffix in SUFFIXES]
    add(parser, "--format", text, default="bam", choices=kinds)
    add_fps(parser, 60.0)
    text = "number of processes for a folder; default: one per core"
    add(parser, "--jobs", text, whole, metavar="N")
    parser.set_defaults(jobs=os.cpu_count() or 1)
    text = "also bake clips whose files are up to date"
    parser.add_argument("--again", action="store_true", help=text)
    add_tolerances(parser)


def run(options: argparse.Namespace, report: Report) -> None:
    check_kinds(options)
    # report the rig's errors once, not for every clip
    read_rig_file(options.rig).file.check()
    baked: list[Document] = []
    report.result["baked"] = baked
    if not options.clip.is_dir():
        job = _job(options, options.clip, options.out)
        _check(job)
        with Progress("frame") as progress, about(options.clip):
            done = bake_one(job, progress.show)
        baked.append({"file": str(job.out), "kept": False, **done})
        report.print_result(_reported(job, done))
        return
    prepare_folder(options.out)
    ledger = Ledger(options.out)
    waiting = {}
    for job in _jobs(options, report):
        settings = {"fps": job.fps, "model": job.model, **job.tolerances}
        key = ledger.key(_sources(job), settings)
        if options.again or not ledger.has(job.out, key):
            waiting[job] = key
            continue
        baked.append({"file": str(job.out), "kept": True})
        report.print_result(f"{job.out}: up to date, kept")
    for job, done in _bake_all([*waiting], options.jobs, report):
        ledger.add(job.out, waiting[job])
        baked.append({"file": str(job.out), "kept": False, **done})
        report.print_result(_reported(job, done))
    if not baked and not report.code:
        report.print_message(f"{options.clip}: the folder contains no clips")


def bake_one(job: Job, progress: Callable[[int, int], None] | None = None) -> Document:
    """Bake a clip; the result is written completely or not at all."""
    import ikrig

    rig = ikrig.load_rig(job.rig, job.model, allow=job.allow)
    try:
        if rig.actor_rig is None:
            # file names may begin with dots
            stem = job.out.name.strip(".").partition(".")[0] or "clip"
            error = BindError(
                f"{job.rig} has no Actor, and only an Actor plays such files; record "
                f"a clip instead: python -m ikrig record {job.rig} {job.clip} -o "
                f"{job.out.parent / stem}_joints.yaml"
            )
            error.file = job.rig
            raise error
        done = ikrig.bake(
            rig,
            load_clip(job.clip),
            job.out,
            fps=job.fps,
            progress=progress,
            **job.tolerances,
        )
    finally:
        rig.remove()
    found: Document = done.as_dict()
    return found


def _bake_all(
    jobs: list[Job], processes: int, report: Report
) -> Iterator[tuple[Job, Document]]:
    """Yield jobs as they finish, with their results; report those that fail."""
    # a single job is not worth a process
    if processes == 1 or len(jobs) < 2:
        for job in jobs:
            try:
                yield job, bake_one(job)
            except (IkrigError, OSError) as error:
                _failed(job, error, report)
        return
    with Progress("clip") as progress:
        for count, (job, found) in enumerate(run_all(bake_one, jobs, processes), 1):
            if isinstance(found, Exception):
                _failed(job, found, report)
            else:
                yield job, found
            progress.show(count, len(jobs))


def _failed(job: Job, error: Exception, report: Report) -> None:
    known = error if isinstance(error, IkrigError) else IkrigError(str(error))
    report.report_error(known, job.clip)


def _jobs(options: argparse.Namespace, report: Report) -> Iterator[Job]:
    taken: dict[Path, Path] = {}
    for path in files_in(options.clip):
        try:
            if file_kind(path) != "clip":
                continue
        except UnknownFileError:
            continue
        except IkrigError as error:
            report.report_error(error)
            continue
        inside = path.relative_to(options.clip).with_suffix(f".{options.format}")
        out = options.out / inside
        if out in taken:
            text = f"{taken[out]} would be written to the same file, {out}"
            report.report_error(IkrigError(text), path)
            continue
        taken[out] = path
        job = _job(options, path, out)
        try:
            _check(job)
        except OutputError as error:
            report.report_error(error)
            continue
        yield job


def _job(options: argparse.Namespace, clip: Path, out: Path) -> Job:
    return Job(
        options.rig,
        clip,
        out,
        options.model,
        options.fps,
        tolerances(options),
        options.allow,
    )


def _check(job: Job) -> None:
    sources = list(_sources(job))
    check_output(job.out, endings=SUFFIXES, sources=sources, make_folder=True)


def _sources(job: Job) -> Iterator[Path]:
    yield job.rig
    yield job.clip
    yield from named_files(read_rig_file(job.rig).parts, job.rig.resolve().parent)
    if job.model and Path(job.model).is_file():
        yield Path(job.model)


def _reported(job: Job, done: Document) -> str:
    words = [f"{done['frames']} frames", f"{done['joints']} joints"]
    words += [f"{done['bytes'] / 1024:.1f} KiB", f"error {done['error_deg']:.2g}°"]
    return f"{job.out}: {', '.join(words)}"


NAME = ".ikrig-bake.json"


class Ledger:
    """Records the sources of each result in a file of the result folder.

    Files are compared by content, not by date: a restored file counts as unchanged,
    and an edited one as changed.

    Args:
        folder: The folder of the results.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._digests: dict[Path, str] = {}
        self._entries = self._read()

    def key(self, sources: Iterable[Path], settings: Mapping[str, object]) -> str:
        parts = [self._digest(path) for path in sources]
        text = json.dumps([*parts, settings], sort_keys=True, default=str)
        return blake2b(text.encode("utf-8"), digest_size=16).hexdigest()

    def has(self, out: Path, key: str) -> bool:
        return out.is_file() and self._entries.get(self._name(out)) == key

    def add(self, out: Path, key: str) -> None:
        # a concurrent batch may have added entries
        self._entries = {**self._read(), self._name(out): key}
        text = json.dumps(self._entries, indent=1, sort_keys=True)
        content = text.encode("utf-8")
        write_bytes(self.folder / NAME, content, sync=False, follow=False)

    def _name(self, out: Path) -> str:
        return out.relative_to(self.folder).as_posix()

    def _read(self) -> dict[str, str]:
        """Return the entries; none when the file is missing or not valid."""
        try:
            found = json.loads(read_file(self.folder / NAME))
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def _digest(self, path: Path) -> str:
        if path not in self._digests:
            try:
                # opening a pipe would block
                content = path.read_bytes() if is_file(path) else b""
                self._digests[path] = blake2b(content).hexdigest()
            except OSError as error:
                # baking reports the error
                self._digests[path] = str(error)
        return self._digests[path]


Work = TypeVar("Work")
Done = TypeVar("Done")

GRACE = 0.5
"""Time that a process has to clean up before it is ended [s]."""


def run_all(
    work: Callable[[Work], Done], jobs: Sequence[Work], processes: int
) -> Iterator[tuple[Work, Done | Exception]]:
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
            found: Done | Exception
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


def _alone(work: Callable[[Work], Done], job: Work) -> Done:
    try:
        return work(job)
    except SystemExit:
        # the pool would treat it as a result and continue
        os._exit(1)
