"""Runs demos without a graphics library: numbers instead of pictures."""

from __future__ import annotations

from collections.abc import Sequence

from demos._shared import theme
from demos._shared.app import FRAME, DemoApp
from demos._shared.catalogue import Entry
from ikrig.scene.viewer.display import Screen, Surface


def run(entries: Sequence[Entry], *, frames: int | None = None, seed: int = 0) -> None:
    """Run demos undrawn and print the result of each chain.

    Args:
        entries: The demos.
        frames: Number of frames; None for each demo's whole movement.
        seed: Seed of the demos.
    """
    with DemoApp(Screen(Surface.NONE)) as app:
        for i, entry in enumerate(entries, 1):
            print(f"[{i}/{len(entries)}] {entry.name}: running ...", flush=True)
            demo = app.open(entry, seed)
            count = frames or round(demo.duration / FRAME)
            worst: dict[str, float] = {}
            reached: dict[str, int] = {}
            for _ in range(count):
                app.step()
                for name, chain in demo.chains():
                    result = chain.result
                    if result is None:
                        continue
                    worst[name] = max(worst.get(name, 0.0), result.error)
                    converged = result.status.name == "CONVERGED"
                    reached[name] = reached.get(name, 0) + converged
            print(f"[{i}/{len(entries)}] {entry.name}: {count} frames", flush=True)
            for name, chain in demo.chains():
                result = chain.result
                if result is None:
                    print(f"    {name}: not solved")
                    continue
                size = chain.model.size
                print(
                    f"    {name}: {result.status.name}, error "
                    f"{theme.percent(result.error / size)} of reach; reached in "
                    f"{reached[name]} of {count} frames, worst error "
                    f"{theme.percent(worst[name] / size)}",
                    flush=True,
                )
