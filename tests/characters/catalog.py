"""The available characters, and the expected limbs of each: ``expected.yaml``."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml
from direct.actor.Actor import Actor

__all__ = ["EXPECTED", "SHARED", "Expected", "animations", "find_file", "load"]

SHARED = "IKRIG_CHARACTERS"
"""Environment variable with the folder of the characters of "source: shared"."""
MODELS = Path(__file__).parents[2] / "assets" / "models"
FILES = {
    "humanoid": "humanoid.bam",
    "panda": "models/panda-model",
    "ralph": "ralph.egg.pz",
    "eve": "eve.egg.pz",
    "fox": "Fox.glb",
    "robot": "robot.egg.pz",
}
CLIPS = {
    "panda": {"walk": "models/panda-walk4"},
    "ralph": {"walk": "ralph-walk.egg.pz", "run": "ralph-run.egg.pz"},
    "eve": {"walk": "eve_walk.egg.pz", "run": "eve_run.egg.pz"},
}


@dataclass
class Expected:
    """The joints that a person identifies in a character.

    Args:
        source: Where its file is from.
        forward: "-y", "+y" or "+x" where it can be seen.
        limbs: Joints of each limb, from the first that turns.
        tip: Where limbs without a joint at their end do end, by name.
        within: How near to that an end must be found.
        eyes: Joints that turn eyes.
        without: Limbs that it has not.
    """

    source: str
    limbs: dict[str, list[str]]
    eyes: list[str]
    forward: str = ""
    tip: dict[str, list[float]] = field(default_factory=dict)
    within: float = 0.0
    without: list[str] = field(default_factory=list)


def _read() -> dict[str, Expected]:
    text = (Path(__file__).parent / "expected.yaml").read_text(encoding="utf-8")
    found = {}
    for name, values in yaml.safe_load(text).items():
        tip = values.pop("tip", {})
        within = tip.pop("within", 0.0)
        found[name] = Expected(**values, tip=tip, within=within)
    return found


EXPECTED = _read()


@cache
def _folder(source: str) -> Path | None:
    if source == "ikrig":
        return MODELS
    if source == "shared":
        given = os.environ.get(SHARED)
        return Path(given) if given and Path(given).is_dir() else None
    if source == "assetcoop":
        spec = find_spec("assetcoop")
        places = spec.submodule_search_locations if spec else None
        return Path(places[0]) / "bam" / "models" / "character" if places else None
    return Path()


def find_file(name: str) -> str | None:
    """Return a character's model file, or None if it is not at hand."""
    source = EXPECTED[name].source
    folder = _folder(source)
    if folder is None:
        return None
    path = folder / FILES.get(name, f"{name}.bam")
    return path.as_posix() if source == "panda3d" or path.exists() else None


def missing(name: str) -> str:
    """Return how to get the file of a character that is not at hand."""
    if EXPECTED[name].source == "assetcoop":
        return "pip install panda3d-assetcoop"
    return f"set {SHARED} to the folder that holds {FILES.get(name, name)}"


def animations(name: str) -> dict[str, str]:
    """Return the files of the clips that are not in a character's model file."""
    folder = _folder(EXPECTED[name].source) or Path()
    return {
        clip: (folder / file).as_posix() for clip, file in CLIPS.get(name, {}).items()
    }


def load(name: str) -> Any:
    """Return a character as an Actor with its clips."""
    file = find_file(name)
    if file is None:
        raise FileNotFoundError(missing(name))
    return Actor(file, animations(name))
