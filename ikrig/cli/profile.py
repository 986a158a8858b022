"""Measure what each part of a rig takes in a frame.

Prints the time of each phase, kind of part and rig: the median of all frames, the
longest, and its part of the whole. "ActorRig" is what a rig does before and after its
parts: it reads the animation, and moves the joints. Neither a window nor a display is
needed; nothing is drawn. In your own game, PStats shows the same below App:ikrig.

examples:
  python -m ikrig profile arm.yaml wave.yaml
  python -m ikrig profile hero.yaml kick.yaml --copies 50
  python -m ikrig profile hero.yaml kick.yaml --json
"""

from __future__ import annotations

import argparse

from .arguments import add, add_fps, add_rig, whole
from .file_types import check_kinds
from .report import Report, about
from .summaries import columns, counted

DESCRIPTION = str(__doc__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_rig(parser, "the clip that the rig plays")
    add_fps(parser, 60.0)
    text = "number of frames that are measured"
    add(parser, "--frames", text, whole, 200, metavar="N")
    text = "number of copies of the rig, which all play the clip"
    add(parser, "--copies", text, whole, 1, metavar="N")


def run(options: argparse.Namespace, report: Report) -> None:
    import ikrig

    from ..formats.clip_yaml import load_clip
    from ..scene.ik.profile import profile, task_manager

    check_kinds(options)
    manager = task_manager()
    system = ikrig.IKSystem.of(manager)
    with about(options.rig):
        clip = load_clip(options.clip)
    for _ in range(options.copies):
        with about(options.rig):
            rig = ikrig.load_rig(options.rig, options.model, allow=options.allow)
        with about(options.clip):
            player = ikrig.ClipPlayer(clip, rig)
        player.loop = True
        rig.start(manager)
        player.play(manager)
    costs = profile(system, options.frames, 1.0 / options.fps)
    whole_time = sum(cost.usual for cost in costs)
    rows = [("us a frame", "longest", "part", "phase", "kind", "rig")]
    report.result["rows"] = []
    for cost in costs:
        part = cost.usual / whole_time if whole_time > 0.0 else 0.0
        usual, most = 1e6 * cost.usual, 1e6 * max(cost.frames)
        times = f"{usual:.1f}", f"{most:.1f}", f"{100 * part:.0f} %"
        rows.append((*times, cost.phase, cost.kind, cost.rig))
        report.result["rows"].append(
            {
                "phase": cost.phase,
                "kind": cost.kind,
                "rig": cost.rig,
                "median_us": round(usual, 2),
                "longest_us": round(most, 2),
            }
        )
    report.result |= {"frames": options.frames, "median_us": round(1e6 * whole_time, 2)}
    rigs = counted(options.copies, "rig")
    report.print_result(
        "\n".join(columns(rows, ""))
        + f"\n{1e6 * whole_time:.1f} us a frame, {rigs}, {options.frames} frames"
    )
