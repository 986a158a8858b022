"""Saves a rig repeatedly in a child process, kills it, and checks what remains.

python -m tests.studio.killed FOLDER TIMES
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from ikrig import load_clip
from ikrig.studio.document import recovery
from ikrig.studio.document.adding import add_chain
from ikrig.studio.document.changing import move_node
from ikrig.studio.document.rig_file import read_rig
from ikrig.studio.document.studio_document import StudioDocument

from .skeletons import person

NODE = "LeftHand target"


def number_in(path: Path) -> int:
    """The number that a rig file holds; raises when the file is not whole."""
    return int(read_rig(path).parts("nodes")[NODE].values["pos"][0])


def clip_of(path: Path) -> Path:
    return path.with_name("clip.yaml")


def clip_number_in(path: Path) -> int:
    """The number that a clip holds; raises when the file is not whole."""
    return int(load_clip(path).track("hand", "slide").keys[0.0].value)


def keyed(document: StudioDocument, number: int) -> None:
    """Write a number into the clip, and keep it."""
    work = document.clip_work
    work.do("Key", lambda clip: clip.with_track("hand", "slide", {0.0: number}))
    work.autosave()


def save_forever(path: Path, pipe: int, number: int) -> None:
    document = StudioDocument.open(path, person())
    document.recover()
    document.clip_work.open(clip_of(path))
    document.clip_work.recover()
    while True:
        number += 1
        document.do(move_node, NODE, (float(number), 0.0, 0.0))
        document.autosave()
        keyed(document, number)
        os.write(pipe, b"k%d\n" % number)
        document.save()
        document.clip_work.save()
        os.write(pipe, b"s%d\n" % number)


def main() -> None:
    folder, times = Path(sys.argv[1]), int(sys.argv[2])
    os.environ["IKRIG_STUDIO_HOME"] = str(folder / "state")
    dice = random.Random(50)
    path = folder / "person.yaml"
    document = StudioDocument.new(person(), "", "person")
    document.do(add_chain, "LeftHand")
    document.do(move_node, NODE, (0.0, 0.0, 0.0))
    document.save(path)
    work = document.clip_work
    work.new()
    keyed(document, 0)
    work.save(clip_of(path))
    document.unlock()
    found = []
    for round_ in range(times):
        number = number_in(path)
        kept = recovery.autosave_path(path, "")
        if kept.exists():
            number = max(number, number_in(kept))
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            save_forever(path, writer, number)
        os.close(writer)
        # every second time in its saves for sure, whatever else the machine does
        early = os.read(reader, 4096) if round_ % 2 else b""
        time.sleep(dice.uniform(0.01, 0.15))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(reader) as lines:
            words = (early.decode() + lines.read()).split()
        last = {w: [int(x[1:]) for x in words if x[0] == w] for w in "ks"}
        found.append(
            {
                "saved": max(last["s"], default=0),
                "kept": max(last["k"], default=0),
                "file": number_in(path),
                "autosave": number_in(kept),
                "clip": clip_number_in(clip_of(path)),
                "clip autosave": clip_number_in(
                    recovery.autosave_path(clip_of(path), "")
                ),
            }
        )
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
