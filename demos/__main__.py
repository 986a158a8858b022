"""Entry point: ``python -m demos [NAME [FILE]]``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

import ikrig
from demos._shared import (
    catalogue,
    cli,
    contact_sheet,
    gallery,
    loop_records,
    loops,
    quality,
    undrawn,
)
from demos._shared.app import DemoApp
from demos._shared.browser import Browser
from demos._shared.catalogue import Entry
from demos._shared.cli import Options
from demos._shared.demo_error import DemoError
from demos._shared.offscreen import film, record
from ikrig.scene.viewer import display
from ikrig.scene.viewer.display import Screen, Surface
from ikrig.scene.viewer.picture import save


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code."""
    try:
        options = cli.parse(arguments)
        entries = catalogue.read()
        chosen = None
        if options.name is not None:
            chosen = catalogue.find(options.name, entries)
            chosen = replace(
                chosen, file=options.file, allow=options.allow, sender=options.sender
            )
        display.configure()
        if options.quality and chosen is not None:
            reports = quality.run(chosen, frames=options.frames, seed=options.seed)
            return 0 if all(report.ok for report in reports) else 1
        if options.gallery:
            return _renew_gallery(entries, chosen)
        if not options.offscreen and display.has_display():
            try:
                app = DemoApp(
                    display.find(Surface.WINDOW), options.size, options.ui_scale
                )
            except ikrig.VideoError as error:
                print(f"demos: {error}; rendering without a window", file=sys.stderr)
            else:
                with app:
                    if app.win:
                        _run_window(app, entries, chosen, options)
                        return 0
        return _run_offscreen(entries, chosen, options)
    except (DemoError, ikrig.IkrigError) as error:
        print(f"demos: {error}", file=sys.stderr)
        return 2


def _run_window(
    app: DemoApp, entries: Sequence[Entry], chosen: Entry | None, options: Options
) -> None:
    """Show one demo, or the browser and the demo chosen in it."""

    def choose(entry: Entry) -> None:
        browser.hide()
        app.open(entry, options.seed)
        app.on_escape = back

    def back() -> None:
        app.close()
        app.on_escape = app.userExit
        browser.show()

    browser = Browser(app, entries, choose)
    if chosen is not None:
        app.open(chosen, options.seed)
    else:
        browser.show()
    if options.frames is None:
        app.run()
    for _ in range(options.frames or 0):
        app.step()


def _renew_gallery(entries: Sequence[Entry], chosen: Entry | None) -> int:
    """Draw the loops of all demos, or of one; return the exit code."""
    jobs = [
        job for job in loops.of_demos(entries) if chosen is None or job[1] == chosen
    ]
    gallery.render_loops(jobs)
    with DemoApp(Screen(Surface.NONE)) as app:
        loop_records.renew(app, jobs)
    return 0


def _run_offscreen(
    entries: Sequence[Entry], chosen: Entry | None, options: Options
) -> int:
    """Draw without a window; if nothing can draw, run undrawn."""
    if not options.offscreen:
        print("no display found: rendering to files", flush=True)
    screen = display.find(Surface.OFFSCREEN)
    if screen.surface is Surface.NONE:
        wanted = [chosen] if chosen is not None else entries
        undrawn.run(wanted, frames=options.frames, seed=options.seed)
        print(f"demos: {display.NO_PIPE}", file=sys.stderr)
        return 1 if options.screenshot or options.sheet or options.video else 0

    to_screenshot = chosen is None and options.screenshot is not None
    if to_screenshot or (chosen is not None and options.offscreen):
        with DemoApp(screen, options.size, options.ui_scale) as app:
            _draw(app, entries, chosen, options)
        return 0
    gallery.render_all([chosen] if chosen else entries, options)
    return 0


def _draw(
    app: DemoApp, entries: Sequence[Entry], chosen: Entry | None, options: Options
) -> None:
    """Write the requested pictures."""
    if chosen is None:
        assert options.screenshot is not None
        Browser(app, entries, lambda entry: None).show()
        for _ in range(2):
            app.step()
        save(app.grab(), options.screenshot)
        return
    if options.video is not None:
        film(app, chosen, options.video, frames=options.frames, seed=options.seed)
        print(f"{chosen.name}: {options.video}")
        return
    recording = record(
        app,
        chosen,
        frames=options.frames,
        tiles=options.tiles if options.sheet else 0,
        seed=options.seed,
    )
    if options.screenshot is not None and recording.picture is not None:
        save(recording.picture, options.screenshot)
        print(f"{chosen.name}: {options.screenshot}")
    if options.sheet is not None:
        save(contact_sheet.compose(recording.frames), options.sheet)
        print(f"{chosen.name}: {options.sheet}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
