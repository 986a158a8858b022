"""Play clips on a rig and write what comes out as animations without any IK.

An animation plays with plain Actor.play, in a game that need not have ikrig:
Actor("hero.bam", {"wave": "wave.bam"}). With a FOLDER in place of a clip all clips in
it are baked, several at once. What is finished and newer than rig, clip and model is
kept, so a batch that was stopped goes on where it was; a bad clip is told and does not
stop the others.

Write .bam files: they go with every model. An .egg, which is text, goes only with
models whose joints stand in order of their names, below each joint; of others the
command says so. Both can be compressed: .bam.pz, .egg.pz.

examples:
  python -m ikrig bake hero.yaml wave.yaml -o wave.bam
  python -m ikrig bake hero.yaml wave.yaml -o small.bam --fps 30 --tolerance-deg 0.5
  python -m ikrig bake hero.yaml clips/ -o baked/ --jobs 4
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

from ..clipfile import load_clip
from ..errors import BindError, IkrigError
from ..plan import read_plan
from .arguments import (
    UsageError,
    add_rig,
    add_tolerances,
    positive,
    prepared,
    tolerances,
    whole,
)
from .kinds import UnknownFileError, check_kinds, files_in, kind_of
from .progress import Progress
from .report import Report

__all__ = ["DESCRIPTION", "add_arguments", "run"]

DESCRIPTION = str(__doc__)
SUFFIXES = (".bam", ".egg", ".bam.pz", ".egg.pz")


@dataclass(frozen=True)
class Job:
    """A clip to bake; it goes to other processes."""

    rig: Path
    clip: Path
    out: Path
    model: str | None
    fps: float
    tolerances: dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_rig(parser, "clip, or a folder of clips")
    parser.add_argument(
        "-o",
        "--out",
        type=Path,
        required=True,
        metavar="OUT",
        help=".bam file, or .egg where it works, or a folder for a folder of clips",
    )
    parser.add_argument(
        "--format",
        choices=[suffix[1:] for suffix in SUFFIXES],
        default="bam",
        help="of the files in a folder; default bam, which always works",
    )
    parser.add_argument(
        "--fps", type=positive, default=60.0, help="frames a second; default 60"
    )
    parser.add_argument(
        "--jobs",
        type=whole,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes for a folder; default: one for each core",
    )
    parser.add_argument(
        "--again", action="store_true", help="bake also what is finished"
    )
    add_tolerances(parser)


def run(options: argparse.Namespace, report: Report) -> None:
    """Bake a clip or a folder of them."""
    check_kinds(options)
    # a rig that is wrong is told once, not for every clip
    read_plan(options.rig).file.check()
    baked: list[dict[str, Any]] = []
    report.result["baked"] = baked
    if not options.clip.is_dir():
        if not options.out.name.lower().endswith(SUFFIXES):
            raise UsageError(f"-o {options.out}: name it {' or '.join(SUFFIXES)}")
        job = _job(options, options.clip, options.out)
        prepared(job.out, _sources(job))
        with Progress("frame") as progress:
            done = bake_one(job, progress.show)
        baked.append({"file": str(job.out), "kept": False, **done})
        report.say(_told(job, done))
        return
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"-o {options.out}: {error.strerror}") from None
    waiting = []
    for job in _jobs(options, report):
        if options.again or not _finished(job):
            waiting.append(job)
            continue
        baked.append({"file": str(job.out), "kept": True})
        report.say(f"{job.out}: finished already, kept")
    for job, done in _bake_all(waiting, options.jobs, report):
        baked.append({"file": str(job.out), "kept": False, **done})
        report.say(_told(job, done))
    if not baked and not report.code:
        report.note(f"{options.clip}: no clips here")


def bake_one(
    job: Job, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Bake a clip; nobody ever sees half a file.

    Raises:
        IkrigError: Rig, clip or model is wrong, or they don't fit.
    """
    import ikrig

    rig = ikrig.load_rig(job.rig, job.model)
    try:
        if rig.actor_rig is None:
            raise BindError(
                f"{job.rig} has no Actor, and only an Actor plays such files: record a "
                f"clip instead: python -m ikrig record {job.rig} {job.clip} -o "
                f"{job.out.with_name(job.out.name.partition('.')[0])}_joints.yaml"
            )
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
    found: dict[str, Any] = done.as_dict()
    return found


def _bake_all(
    jobs: list[Job], processes: int, report: Report
) -> Iterator[tuple[Job, dict[str, Any]]]:
    """Yield the jobs that could be done, as they are finished; report the others."""
    # a new process is no bargain for a single job; spawned ones share no engine
    if processes == 1 or len(jobs) < 2:
        for job in jobs:
            try:
                yield job, bake_one(job)
            except (IkrigError, OSError) as error:
                _failed(job, error, report)
        return
    pool = ProcessPoolExecutor(
        min(processes, len(jobs)), get_context("spawn"), _end_cleanly
    )
    try:
        # Ctrl-C is for this process alone: those that it starts meanwhile ignore it
        listen = signal.signal(signal.SIGINT, signal.SIG_IGN)
        futures = {pool.submit(_bake_alone, job): job for job in jobs}
        signal.signal(signal.SIGINT, listen)
        with Progress("clip") as progress:
            for count, future in enumerate(as_completed(futures), 1):
                job = futures[future]
                try:
                    yield job, future.result()
                except (IkrigError, OSError, BrokenProcessPool) as error:
                    _failed(job, error, report)
                progress.show(count, len(jobs))
    except BaseException:
        for process in active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _end_cleanly() -> None:
    """Have a process that is told to end tidy up first."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def _bake_alone(job: Job) -> dict[str, Any]:
    """Bake a clip in a process of its own."""
    try:
        return bake_one(job)
    except SystemExit:
        # the pool would take it for an answer and go on
        os._exit(1)


def _failed(job: Job, error: Exception, report: Report) -> None:
    known = error if isinstance(error, IkrigError) else IkrigError(str(error))
    report.wrong(known, job.clip)


def _jobs(options: argparse.Namespace, report: Report) -> Iterator[Job]:
    """Yield a job for each clip in the folder."""
    taken: dict[Path, Path] = {}
    for path in files_in(options.clip):
        try:
            if kind_of(path) != "clip":
                continue
        except UnknownFileError:
            continue
        except IkrigError as error:
            report.wrong(error)
            continue
        inside = path.relative_to(options.clip).with_suffix(f".{options.format}")
        out = options.out / inside
        if out in taken:
            text = f"{taken[out]} would be written to the same file, {out}"
            report.wrong(IkrigError(text), path)
            continue
        taken[out] = path
        job = _job(options, path, out)
        try:
            prepared(out, _sources(job))
        except UsageError as error:
            report.wrong(error, path)
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
    )


def _finished(job: Job) -> bool:
    """Whether a file is there that is newer than all that it was made of."""
    if not job.out.is_file():
        return False
    made = job.out.stat().st_mtime_ns
    return all(path.stat().st_mtime_ns <= made for path in _sources(job))


def _sources(job: Job) -> Iterator[Path]:
    """Yield the files that an animation is made of."""
    yield job.rig
    yield job.clip
    parts = read_plan(job.rig).parts
    named = [part.values.get("file") for part in parts.parts("bodies").values()]
    named += [part.values[""] for part in parts.parts("animations").values()]
    named.append(parts.values.get("model"))
    # what is none may be on Panda3D's model-path: it came with the engine
    paths = [job.rig.parent / name for name in named if name]
    yield from (path for path in [*paths, Path(job.model or "")] if path.is_file())


def _told(job: Job, done: dict[str, Any]) -> str:
    words = [f"{done['frames']} frames", f"{done['joints']} joints"]
    words += [f"{done['bytes'] / 1024:.1f} KiB", f"error {done['error_deg']:.2g}°"]
    return f"{job.out}: {', '.join(words)}"
