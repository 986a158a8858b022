"""Rigs models in a real window by xdotool, as a person would, and loads what is saved.

python -m tests.studio.sessions MODEL...

Needs Xvfb and xdotool. Where a hand's target stands in the window is found by opening
the model off screen first, with the same layout; all else goes by keys and files.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SIZE = (1000, 640)
SCREEN = ("-screen", "0", "1280x800x24")
ROBOTS = (".urdf", ".xml", ".mjcf")
PACE = 1.5
PATIENCE = 60.0
"""Seconds that anything may take: software OpenGL on a busy machine is slow."""


def missing() -> str:
    """What a session needs and is not there, or ""."""
    needed = [word for word in ("Xvfb", "xdotool") if not shutil.which(word)]
    return f"apt-get install xvfb xdotool ({', '.join(needed)})" if needed else ""


class Display:
    """A screen of its own; gone at the end of the block."""

    def __enter__(self) -> str:
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-noreset", *SCREEN],
            pass_fds=(writer,),
            stderr=subprocess.DEVNULL,
        )
        os.close(writer)
        with os.fdopen(reader) as lines:
            return f":{lines.readline().strip()}"

    def __exit__(self, *_: object) -> None:
        self.server.terminate()
        self.server.wait()


class Hands:
    """Mouse and keys of a window; counts the events."""

    def __init__(self, display: str, window: str) -> None:
        self.display, self.window = display, window
        self.events = 0

    def run(self, *words: str, events: int = 1) -> None:
        self.events += events
        xdotool(self.display, *words)
        time.sleep(0.25)

    def key(self, name: str) -> None:
        self.run("key", "--delay", "120", name)

    def move(self, x: float, y: float) -> None:
        place = str(round(x)), str(round(y))
        self.run("mousemove", "--window", self.window, *place)
        time.sleep(0.4)

    def type(self, text: str) -> None:
        self.run("type", "--delay", "60", text, events=len(text))


def xdotool(display: str, *words: str) -> str:
    done = subprocess.run(
        ["xdotool", *words],
        env={**os.environ, "DISPLAY": display},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return done.stdout


def wait(what: str, ready: Any) -> Any:
    """Return what a question answers when it answers at all."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = ready()
        if found:
            return found
        time.sleep(0.2)
    raise TimeoutError(f"{what}: nothing after {PATIENCE:g} s")


def text_of(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def places(model: Path, home: Path) -> dict[str, Any]:
    """Where the first chain's target stands in the window, found off screen."""
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
        raise RuntimeError(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def rehearse(model: str) -> dict[str, Any]:
    from .driver import Driver, open_studio

    with open_studio(SIZE) as app:
        driver = Driver(app)
        if not driver.session.open(model):
            raise RuntimeError(driver.session.log[-1].text)
        driver.frames(3)
        skeleton = driver.session.document.skeleton
        if skeleton.kind == "nodes":
            # a robot has no limbs to be found: its last link is clicked
            name = max(skeleton.names, key=lambda n: len(skeleton.lineage(n)))
            driver.frames(3)
            spots = {name: driver.joint(name)}
            app.close()
            return spots
        driver.key("enter")
        driver.frames(3)
        chains = list(driver.session.document.parts.parts("chains"))
        spots = {}
        for name in chains:
            target = driver.session.document.parts.parts("chains")[name]
            spots[name] = driver.target(target.values["target"])
        app.close()
    return spots


def session(model: Path, folder: Path) -> dict[str, Any]:
    """Rig a model and save it; returns what was done and what the rig does."""
    folder.mkdir(parents=True)
    home = folder / "home"
    spots = places(model, folder / "rehearsal")
    # a hand or foot that is drawn far from all others is the easiest to take hold of
    limbs = [n for n in spots if n.endswith(("hand", "foot"))] or list(spots)
    name = max(limbs, key=lambda n: nearest(spots, n))
    out = folder / "r.yaml"
    with Display() as display:
        size = f"{SIZE[0]}x{SIZE[1]}"
        environment = {
            **os.environ,
            "DISPLAY": display,
            "IKRIG_STUDIO_HOME": str(home),
        }
        studio = subprocess.Popen(
            [sys.executable, "-m", "ikrig", "studio", str(model), "--size", size],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            find = ("search", "--name", "ikrig studio")
            window = wait("the window", lambda: xdotool(display, *find)).split()[0]
            wait("the model", lambda: text_of(home / "recent.txt"))
            (kept,) = wait("the autosave", lambda: list(home.glob(".*.autosave.yaml")))
            time.sleep(2.0)
            hands = Hands(display, window)
            hands.move(*spots[name])
            if model.suffix in ROBOTS:
                hands.run("click", "1")
                time.sleep(PACE)
                for _ in range(4):
                    hands.key("bracketright")
            hands.key("Return")
            wait("the limbs", lambda: "chains:" in text_of(kept))
            time.sleep(1.0)
            before = text_of(kept)
            x, y = spots[name]
            hands.move(x, y)
            hands.run("mousedown", "1")
            # the mouse is read once a frame, and frames may take a second
            time.sleep(PACE)
            hands.move(x + 3, y - 8)
            time.sleep(PACE)
            hands.move(x + 6, y - 18)
            time.sleep(PACE)
            hands.run("mouseup", "1")
            wait("the drag", lambda: text_of(kept) != before)
            hands.key("ctrl+z")
            wait("undo", lambda: text_of(kept) == before)
            hands.key("ctrl+y")
            wait("redo", lambda: text_of(kept) != before)
            hands.key("ctrl+s")
            time.sleep(1.0)
            hands.key("ctrl+a")
            hands.type(str(out))
            hands.key("Return")
            wait("the rig file", lambda: text_of(out))
        finally:
            studio.terminate()
            studio.wait()
    return {
        "model": model.name,
        "limbs": len(spots),
        "events": hands.events,
        "dragged": name,
        **reaches(out, model),
    }


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


def main() -> None:
    for word in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            try:
                found = session(Path(word).absolute(), Path(folder) / "s")
            except (TimeoutError, RuntimeError) as error:
                found = {"model": word, "failed": str(error)[-300:]}
            found["seconds"] = round(time.monotonic() - start)
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
