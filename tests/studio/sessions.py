"""Rigs models in a real window by xdotool, as a quick person does; loads what is saved.

python -m tests.studio.sessions [--times N] [--jobs N] [--pictures FOLDER] MODEL...

Prints for each model how many of its sessions came out right, and what went wrong in
the others. All of a session's mouse and keys are sent in one go, whatever the frame
rate: none may be lost. Where a hand's target stands in the window is found by opening
the model off screen first, with the same layout. Needs Xvfb and xdotool.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import pairwise
from math import dist
from pathlib import Path
from typing import Any

import yaml

from .xvfb import PATIENCE, ROOT, SIZE, Display, Studio

ROBOTS = (".urdf", ".xml", ".mjcf")


def text_of(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def rehearsed(model: Path, home: Path) -> dict[str, Any]:
    """What a session will do and find, from the studio off screen."""
    code = (
        "import json, sys; from tests.studio.sessions import rehearse; "
        "print(json.dumps(rehearse(sys.argv[1])))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(model)],
        cwd=ROOT,
        env={**os.environ, "IKRIG_STUDIO_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-500:])
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def rehearse(model: str) -> dict[str, Any]:
    """Do the session off screen, step by step; returns what has to come out."""

    from .driver import Driver, open_studio

    with open_studio(SIZE) as app:
        driver = Driver(app)
        session = driver.session
        if not session.open(model):
            raise RuntimeError(session.log[-1].text)
        driver.frames(3)
        skeleton, joint = session.document.skeleton, None
        if skeleton.kind == "nodes":
            # a robot has no limbs to be found: its last link is clicked
            name = max(skeleton.names, key=lambda n: len(skeleton.lineage(n)))
            driver.frames(3)
            joint = driver.joint(name)
            driver.click(*joint)
            for _ in range(4):
                driver.key("right_bracket")
        driver.key("enter")
        driver.frames(3)
        parts = session.document.parts
        targets = {n: c.values["target"] for n, c in parts.parts("chains").items()}
        spots = {name: driver.target(target) for name, target in targets.items()}
        # a hand or foot that is drawn far from all others is easiest to take hold of
        limbs = [n for n in spots if n.endswith(("hand", "foot"))] or list(spots)
        name = max(limbs, key=lambda n: nearest(spots, n))
        bones = {n: session.document.rig.bones(("chains", n)) for n in targets}
        spans = {}
        for n in targets if skeleton.kind == "actor" else ():
            joints = [skeleton.by_name[joint].position for joint in bones[n]]
            end = parts.parts("nodes")[targets[n]].values["pos"]
            spans[n] = joints[0], *span([*joints, end])
        # towards the first joint: where it can reach
        ways = drag_ways(spots[name], driver.joint(bones[name][0]))
        before = session.document.text
        driver.drag(*ways)
        if session.document.text == before:
            raise RuntimeError(f"the target of {name} can't be dragged")
        nodes = session.document.parts.parts("nodes")
        found = {
            "joint": joint,
            "ways": ways,
            "name": name,
            "chains": sorted(targets),
            "spans": spans,
            "targets": {n: list(nodes[n].values["pos"]) for n in targets.values()},
        }
        app.close()
    return found


def span(points: list[Any]) -> tuple[float, float]:
    """How near and how far the end of a chain gets, if nothing limits its joints."""
    sides = [dist(a, b) for a, b in pairwise(points)]
    return max(2.0 * max(sides) - sum(sides), 0.0), sum(sides)


def drag_ways(spot: Any, towards: Any) -> list[Any]:
    """Return the places of the mouse in the drag of a target, to nearer a joint."""
    (x, y), gap = spot, dist(spot, towards)
    dx, dy = ((b - a) / gap for a, b in zip(spot, towards, strict=True))
    # whole pixels, as a window's mouse has them
    return [(round(x + way * dx), round(y + way * dy)) for way in (0.0, 8.0, 20.0)]


def session(
    model: Path, plan: dict[str, Any], folder: Path, picture: Path | None = None
) -> dict[str, Any]:
    """Rig a model and save it; returns what was done and what the rig does.

    Args:
        model: The model.
        plan: What ``rehearse`` found.
        folder: Where it is done.
        picture: Where the window is drawn if it goes wrong.

    Raises:
        RuntimeError: Something that was done did not count.
    """
    out, home = folder / "r.yaml", folder / "home"
    with ExitStack() as stack:
        display = stack.enter_context(Display(folder))
        studio = stack.enter_context(Studio(display, home, str(model)))
        try:
            studio.wait("the model", lambda: list(home.glob(".*.autosave.yaml")))
            hands = studio.hands()
            if plan["joint"]:
                hands.click(*plan["joint"]).key(*4 * ["bracketright"])
            hands.move(*plan["ways"][0]).key("Return").drag(*plan["ways"])
            hands.key("ctrl+z", "ctrl+y", "ctrl+z", "ctrl+y")
            hands.key("ctrl+s", "ctrl+a").type(str(out)).key("Return").go()
            studio.wait("the rig file", lambda: text_of(out))
            check(out, plan)
        except RuntimeError:
            if picture is not None:
                display.picture(picture)
                shutil.copy(studio.log, picture.with_suffix(".log"))
            raise
    found = reaches(out, model)
    check_status(out, plan, found["status"])
    return {"events": hands.events, "dragged": plan["name"], **found}


def check(path: Path, plan: dict[str, Any]) -> None:
    """Compare a saved rig with what the same session gave off screen.

    Raises:
        RuntimeError: They are not alike.
    """
    saved = yaml.safe_load(path.read_text())
    if sorted(saved["chains"]) != plan["chains"]:
        raise RuntimeError(f"chains {sorted(saved['chains'])}, not {plan['chains']}")
    for name, wanted in plan["targets"].items():
        pos = saved["nodes"][name]["pos"]
        size = max(map(abs, (*wanted, *pos)))
        if max(abs(a - b) for a, b in zip(pos, wanted, strict=True)) > 0.01 * size:
            raise RuntimeError(f"{name} is at {pos}, not at {wanted}")


def check_status(path: Path, plan: dict[str, Any], status: dict[str, str]) -> None:
    """Compare what chains say they reach with the lengths of their bones.

    Raises:
        RuntimeError: A chain says something else.
    """
    saved = yaml.safe_load(path.read_text())
    for name, (first, least, most) in plan["spans"].items():
        chain = saved["chains"][name]
        far = dist(first, saved["nodes"][chain["target"]]["pos"])
        slack = 1e-4 * most
        inside = least + slack < far < most - slack and "limits" not in chain
        outside = not least - slack < far < most + slack
        if (inside and status[name] != "converged") or (
            outside and status[name] != "unreachable"
        ):
            raise RuntimeError(
                f"{name} is {status[name]} at {far:g}, of {least:g} to {most:g}"
            )


def nearest(spots: dict[str, Any], name: str) -> float:
    """How far a spot is from the next one in the window."""
    x, y = spots[name]
    gaps = [abs(x - a) + abs(y - b) for n, (a, b) in spots.items() if n != name]
    return min(gaps, default=0.0)


def reaches(path: Path, model: Path) -> dict[str, Any]:
    """Load a saved rig, give all chains their weight, and say how near they come."""
    import panda3d.core as p3d

    import ikrig

    world = p3d.NodePath("world")
    # meshes of robots are in other folders of their package
    allow = list(model.parents)[:5] if model.suffix in ROBOTS else [model.parent]
    rig = ikrig.load_rig(path, parent=world, allow=allow)
    for chain in rig.chains.values():
        chain.weight = 1.0
    for _ in range(30):
        rig.solve()
    root = getattr(rig.model, "root", rig.model)
    ends = root.get_tight_bounds()
    size = max(ends[1] - ends[0])
    gaps = {name: chain.result.error / size for name, chain in rig.chains.items()}
    words = {name: chain.result.status.value for name, chain in rig.chains.items()}
    rig.remove()
    return {"chains": len(gaps), "gap": max(gaps.values()), "status": words}


def tried(model: Path, times: int, jobs: int, pictures: Path | None) -> dict[str, Any]:
    """Run a model's session some times; returns what came out of them."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        try:
            plan = rehearsed(model, Path(folder) / "home")
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return {"model": model.name, "right": 0, "failed": {str(error): times}}

        def once(number: int) -> dict[str, Any] | str:
            picture = pictures and pictures / f"{model.stem}_{number}.png"
            own = Path(folder) / str(number)
            own.mkdir()
            try:
                return session(model, plan, own, picture)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                return str(error)

        with ThreadPoolExecutor(jobs) as pool:
            found = list(pool.map(once, range(times)))
    right = [one for one in found if isinstance(one, dict)]
    wrong = Counter(one for one in found if isinstance(one, str))
    return {
        "model": model.name,
        "right": f"{len(right)} of {times}",
        **(right[0] if right else {}),
        **({"failed": dict(wrong)} if wrong else {}),
        "seconds": round(time.monotonic() - start),
    }


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("models", nargs="+", type=Path)
    asked.add_argument("--times", type=int, default=1)
    asked.add_argument("--jobs", type=int, default=1, help="sessions at once")
    asked.add_argument("--pictures", type=Path, help="of windows that went wrong")
    words = asked.parse_args()
    for model in words.models:
        found = tried(model.absolute(), words.times, words.jobs, words.pictures)
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
