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
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import BindError, IkrigError, OutputError
from ..files.output_file import check_output, prepare_folder
from ..formats.clip_yaml import load_clip
from ..formats.rig_file import named_files, read_rig_file
from .arguments import add_fps, add_out, add_rig, add_tolerances, tolerances, whole
from .bake_ledger import Ledger
from .file_types import UnknownFileError, check_kinds, file_kind, files_in
from .progress import Progress
from .report import Document, Report, about
from .worker_pool import run_all

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
    parser.add_argument(
        "--format",
        choices=[suffix[1:] for suffix in SUFFIXES],
        default="bam",
        help="format of the files in a folder; default bam, which always works",
    )
    add_fps(parser, 60)
    parser.add_argument(
        "--jobs",
        type=whole,
        default=os.cpu_count() or 1,
        metavar="N",
        help="number of processes for a folder; default: one per core",
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="also bake clips whose files are up to date",
    )
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
