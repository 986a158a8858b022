"""Pictures and loops of all demos, drawn by one process per core."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import repeat

from demos._shared import contact_sheet
from demos._shared.app import DemoApp
from demos._shared.catalogue import Entry
from demos._shared.cli import Options
from demos._shared.loops import FOLDER, MOST_BYTES, Loop, draw
from demos._shared.offscreen import best_frame, record, save_thumbnail
from ikrig.scene.viewer import display
from ikrig.scene.viewer.picture import Picture, save

MOST_PROCESSES = 8


def render_all(entries: Sequence[Entry], options: Options) -> None:
    """Render demos to ``options.out``: a picture and a contact sheet each.

    Args:
        entries: The demos.
        options: Folder, frames, tiles, seed.
    """
    pictures: list[Picture] = []
    processes = min(os.cpu_count() or 1, MOST_PROCESSES, len(entries))
    print(
        f"{len(entries)} demos to draw, {processes} at a time, into {options.out}: "
        "some 20 seconds each",
        flush=True,
    )
    rendered = zip(entries, _render_each(entries, options, processes), strict=True)
    for i, (entry, (picture, spent)) in enumerate(rendered, 1):
        pictures.append(picture)
        names = f"{entry.name}.png, {entry.name}_sheet.png"
        said = f"[{i}/{len(entries)}] {entry.name}: {entry.line}\n      {names}"
        print(f"{said} ({spent:.1f} s)\n", end="", flush=True)
    if len(pictures) > 1:
        overview = contact_sheet.compose(pictures, tile=(640, 360))
        save(overview, options.out / "overview.png")
    print(f"pictures saved in {options.out.resolve()}", flush=True)


def render_loops(jobs: Sequence[tuple[Loop, Entry]]) -> None:
    """Draw loops of demos into ``assets/images/loops`` and print their sizes."""
    loops, entries = zip(*jobs, strict=True)
    with ProcessPoolExecutor(
        min(os.cpu_count() or 1, MOST_PROCESSES), multiprocessing.get_context("spawn")
    ) as pool:
        drawn = zip(loops, pool.map(_draw_alone, loops, entries), strict=True)
        for loop, spent in drawn:
            size = loop.path.stat().st_size
            print(f"{loop.path.name}: {size / 1e3:.0f} kB ({spent:.0f} s)", flush=True)
    total = sum(path.stat().st_size for path in FOLDER.glob("*.webp"))
    print(
        f"{total / 1000000.0:.2f} MB of at most {MOST_BYTES / 1000000.0:g} MB, in "
        f"{FOLDER}"
    )


def _draw_alone(loop: Loop, entry: Entry) -> float:
    """Draw a loop in a separate process; return how long it took [s]."""
    start = time.perf_counter()
    draw(_app(loop.drawn, 1.0), loop, entry)
    return time.perf_counter() - start


def _render_each(
    entries: Sequence[Entry], options: Options, processes: int
) -> Iterator[tuple[Picture, float]]:
    """Yield each demo's picture and how long it took [s], in order.

    They are drawn in parallel, by one process per core.
    """
    pool = _pool(processes) if processes > 1 else None
    if pool is None:
        with DemoApp(
            display.find(display.Surface.OFFSCREEN), options.size, options.ui_scale
        ) as app:
            for entry in entries:
                yield _render(app, entry, options)
        return
    with pool:
        yield from pool.map(_render_alone, entries, repeat(options))


def _pool(processes: int) -> ProcessPoolExecutor | None:
    """Return a pool of drawing processes; None if this machine can't have one."""
    try:
        return ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"))
    except (ImportError, OSError):
        # a machine without shared memory
        return None


def _render_alone(entry: Entry, options: Options) -> tuple[Picture, float]:
    """Render a demo in a separate process."""
    return _render(_app(options.size, options.ui_scale), entry, options)


@cache
def _app(size: tuple[int, int], ui_scale: float) -> DemoApp:
    """Return this process's app, which is kept for the next demo."""
    display.configure()
    return DemoApp(display.find(display.Surface.OFFSCREEN), size, ui_scale)


def _render(app: DemoApp, entry: Entry, options: Options) -> tuple[Picture, float]:
    """Render a demo; return its picture and how long it took [s]."""
    start = time.perf_counter()
    # one write each, or lines of two processes may mix
    print(f"drawing {entry.name} ...\n", end="", flush=True)
    recording = record(
        app,
        entry,
        frames=options.frames,
        picture=best_frame(entry.load()),
        tiles=options.tiles,
        clean=options.thumbnails,
        seed=options.seed,
    )
    assert recording.picture is not None
    save(recording.picture, options.out / f"{entry.name}.png")
    save(
        contact_sheet.compose(recording.frames), options.out / f"{entry.name}_sheet.png"
    )
    if options.thumbnails and recording.clean is not None:
        save_thumbnail(recording.clean, entry)
    return recording.picture, time.perf_counter() - start
