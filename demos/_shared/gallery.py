"""Pictures of every demo, for machines without a display."""

from __future__ import annotations

import time
from collections.abc import Sequence

from demos._shared import sheet
from demos._shared.app import DemoApp
from demos._shared.catalogue import Entry
from demos._shared.cli import Options
from demos._shared.record import best_frame, record, save_thumbnail
from ikrig.scene.film.picture import Picture, save


def render_all(app: DemoApp, entries: Sequence[Entry], options: Options) -> None:
    """Render demos to ``options.out``: a picture and a contact sheet each.

    Args:
        app: Off-screen app.
        entries: Which demos.
        options: Folder, frames, tiles, seed.
    """
    pictures: list[Picture] = []
    for i, entry in enumerate(entries, 1):
        start = time.perf_counter()
        print(f"[{i}/{len(entries)}] {entry.name}: {entry.line} ...", flush=True)
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
        pictures.append(recording.picture)
        save(recording.picture, options.out / f"{entry.name}.png")
        save(sheet.compose(recording.frames), options.out / f"{entry.name}_sheet.png")
        if options.thumbnails and recording.clean is not None:
            save_thumbnail(recording.clean, entry)
        spent = time.perf_counter() - start
        print(
            f"      {entry.name}.png, {entry.name}_sheet.png ({spent:.1f} s)",
            flush=True,
        )
    if len(pictures) > 1:
        overview = sheet.compose(pictures, tile=(640, 360))
        save(overview, options.out / "overview.png")
    print(f"pictures are in {options.out.resolve()}", flush=True)
