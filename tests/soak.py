"""A long run of all features at once: ``python -m tests.soak --minutes 10``.

Fifty rigs and five Actors with feet; targets teleport, settings change, clips play, and
rig and clip files are read again while they are half written. Nothing may raise, no
node may be broken, no reported error may differ from what is measured, and memory stays
flat. Prints what there was of it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

import ikrig
from ikrig.scene.ik.system import IKSystem
from tests.fuzz.scenes import (
    TREE_SOLVERS,
    broken,
    endured,
    frame_time,
    largest,
    lies,
    limits,
    settings,
)
from tests.methods import METHODS
from tests.scene.actor.stage import Stage
from tests.scene.bodies import body
from tests.scene.conftest import limb

ASSETS = Path(__file__).parents[1] / "assets"
CHAINS, TREES, FILES, ACTORS = 28, 12, 10, 5
"""Of what there is how much; the first three are the fifty rigs."""
WARM = 0.25
"""Share of the time after which memory counts."""
GROWTH = 6.0
"""How much more memory there may be at the end than then [MB]: a heap has holes."""


def memory() -> float:
    """How much memory the process has [MB]; 0 where that can't be told."""
    file = Path("/proc/self/statm")
    pages = int(file.read_text().split()[1]) if file.exists() else 0
    return pages * 4096 / 1e6


class Written:
    """A rig from a file, with a clip from a file, both written anew while they run."""

    def __init__(self, folder: Path, parent: p3d.NodePath, name: str) -> None:
        self.files = {
            folder / f"{name}_rig.yaml": (ASSETS / "rigs" / "arm.yaml").read_text(),
            folder / f"{name}.yaml": (ASSETS / "clips" / "circling.yaml").read_text(),
        }
        for path, text in self.files.items():
            path.write_text(text)
        first, second = self.files
        self.rig = ikrig.load_rig(first, parent=parent, watch=True)
        self.player = ikrig.ClipPlayer(second, self.rig, watch=True)

    def write(self, rng: Random) -> bool:
        """Write a file: as a whole, with another number, or a part of it."""
        path, text = rng.choice([*self.files.items()])
        text = text.replace("soften: 0.05", f"soften: {rng.uniform(0.0, 0.2):.4f}")
        text = text.replace("radius: 0.5", f"radius: {rng.uniform(0.1, 0.6):.4f}")
        whole = rng.random() < 0.5
        path.write_text(text if whole else text[: rng.randrange(len(text))])
        return whole


class Soak:
    """Everything at once.

    Args:
        folder: Where files may be written.
        seed: Another number, another run.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.rng = rng = Random(seed)
        self.counts: Counter[str] = Counter()
        self.stage = Stage()
        self.top = self.stage.render
        self.task_mgr = self.stage.task_mgr
        self.system = IKSystem.of(self.task_mgr)
        self.solved: list[Any] = []
        for _ in range(CHAINS):
            nodes = limb(self.top.attach_new_node("place"), rng.randint(1, 8))
            length, solver = rng.randint(1, len(nodes) - 1), rng.choice(METHODS)
            self.solved.append(ikrig.IKChain(nodes[-1], length, solver=solver))
        for _ in range(TREES):
            place = self.top.attach_new_node("place")
            tree = ikrig.IKTree(body(place), pinned=rng.random() < 0.7)
            self.solved.append(tree)
        self.written = [Written(folder, self.top, f"arm{k}") for k in range(FILES)]
        self.balls = [self.top.attach_new_node("ball") for _ in range(ACTORS)]
        self.actors = [self.figure(ball) for ball in self.balls]
        for rig in [*self.solved, *self.actors, *(one.rig for one in self.written)]:
            rig.start(self.task_mgr)
        for one in self.written:
            one.player.play(self.task_mgr)

    def figure(self, ball: p3d.NodePath) -> ikrig.ActorRig:
        actor = self.stage.body("humanoid", self.rng.choice(("single", "two")))
        actor.set_pos(self.rng.uniform(-4, 4), self.rng.uniform(-4, 4), 0)
        rig = ikrig.ActorRig(actor)
        ikrig.FootPlacement(rig, lambda x, y: 0.1 * ((x + y) % 1.0))
        ikrig.LookAt(rig, ball)
        ikrig.Reach(rig, "LeftHand", ball, body=ikrig.FullBody(rig))
        return rig

    @property
    def rigs(self) -> Iterator[Any]:
        """All chains and trees that are solved now."""
        yield from self.solved
        for one in self.written:
            yield from [*one.rig.chains.values(), *one.rig.trees.values()]
        for rig in self.actors:
            yield from (chain for chain in rig.chains if chain.started)

    def frame(self) -> None:
        """Let things happen, run a frame, and look at all of it."""
        for _ in range(self.rng.randint(0, 6)):
            self.act()
        self.stage.step()
        if self.rng.random() < 0.02:
            self.counts["hostile times"] += 1
            self.system.update(frame_time(self.rng))
        nodes = self.top.find_all_matches("**")
        wrong = broken(nodes)
        assert not wrong, f"not finite: {wrong}"
        for rig in self.rigs:
            ends = [rig] if isinstance(rig, ikrig.IKChain) else rig.effectors
            size = largest([*rig.bones, *(end.target for end in ends)])
            reported = lies(rig, size)
            assert not reported, reported
            self.counts["results"] += 1
            self.counts[rig.result.status.name.lower()] += 1
        self.counts["frames"] += 1

    def act(self) -> None:
        """Let one thing happen."""
        rng, rig = self.rng, self.rng.choice(self.solved)
        kind = rng.randrange(16)
        if kind < 6:
            ends = [rig] if isinstance(rig, ikrig.IKChain) else rig.effectors
            reach = rng.choice((1.0, 3.0, 3.0, 1e4))
            for end in ends:
                end.target.set_pos(*(rng.uniform(-reach, reach) for _ in "xyz"))
                end.target.set_hpr(*(rng.uniform(-180, 180) for _ in "hpr"))
        elif kind < 8:
            for name, value in settings(rng).items():
                setattr(rig, name, value)
        elif kind == 8:
            chain = isinstance(rig, ikrig.IKChain)
            given = limits(rng, len(rig.bones))
            endured(lambda: setattr(rig, "limits", given))
            kinds = METHODS if chain else TREE_SOLVERS
            endured(lambda: setattr(rig, "solver", rng.choice(kinds)))
        elif kind == 9:
            rig.fade(rng.random(), rng.choice((0.0, 0.2)))
        elif kind == 10:
            rig.root.set_pos_hpr(*(rng.uniform(-3, 3) for _ in "xyzhpr"))
        elif kind == 11:
            whole = rng.choice(self.written).write(rng)
            self.counts["files written" if whole else "files half written"] += 1
        elif kind == 12:
            ball = rng.choice(self.balls)
            ball.set_pos(*(rng.uniform(-4, 4) for _ in "xy"), rng.uniform(0, 2))
        elif kind == 13:
            actor = rng.choice(self.actors).actor
            actor.set_pos(*(rng.uniform(-4, 4) for _ in "xy"), 0)
        elif kind == 14:
            layers = rng.choice(self.actors).layers
            behaviour = rng.choice([x for x in layers if hasattr(x, "fade")])
            behaviour.fade(rng.random(), rng.choice((0.0, 0.3)))
        else:
            player = rng.choice(self.written).player
            player.speed = rng.choice((-1.0, 0.5, 1.0, 1e4))
            if not player.playing:
                player.play(self.task_mgr)

    def close(self) -> None:
        """End everything."""
        for one in self.written:
            one.player.stop()
            one.rig.remove()
        for rig in [*self.solved, *self.actors]:
            rig.stop()
        self.stage.close()


def soak(seconds: float, seed: int, folder: Path) -> dict[str, float]:
    """Run for a time; return figures; raise AssertionError for whatever is wrong."""
    category = directNotify.newCategory("ikrig")
    loud = category.getWarning()
    # what goes wrong on purpose is not to be read for ten minutes
    category.setWarning(False)
    run, began = Soak(folder, seed), time.perf_counter()
    warm, at = 0.0, ""
    try:
        while (gone := time.perf_counter() - began) < seconds:
            if not warm and gone > WARM * seconds:
                warm = memory()
            run.frame()
    except Exception as error:
        at = f"seed {seed}, frame {run.counts['frames']}"
        raise AssertionError(f"{at}: {error!r}") from error
    finally:
        category.setWarning(loud)
        run.close()
    end = memory()
    return {"memory": end, "growth": end - warm if warm else 0.0, **run.counts}


def main(arguments: list[str]) -> int:
    """Run as the arguments say, and print the figures."""
    parser = argparse.ArgumentParser("python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args(arguments)
    print(f"{given.minutes:g} minutes with seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        figures = soak(60.0 * given.minutes, given.seed, Path(folder))
    for name, figure in figures.items():
        text = f"{figure:,.1f} MB" if name in ("memory", "growth") else f"{figure:,}"
        print(f"{name:20} {text:>14}")
    flat = figures["growth"] <= GROWTH
    print("memory is flat" if flat else f"memory grew by more than {GROWTH:g} MB")
    return 0 if flat else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
