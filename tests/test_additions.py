"""A limit and a behaviour, one file each, in a copy of the tree: all takes them.

Files, schemas, the exported code, the solver, the mirror and the studio are tested by
the tests of all kinds, which loop over the registries.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

LIMIT = '''

@dataclass(frozen=True)
class SwayLimit(Limit):
    """The joint turns about one axis, as far to both sides.

    Args:
        axis: "x", "y", "z" or a vector, root space in the start pose.
        most: Largest angle [rad].
    """

    kind = "sway"
    record = Record(
        "sway",
        "Rotation about one axis, as far to both sides.",
        {
            "axis": _AXIS,
            "most": Field(_WIDE, "The largest angle.", True, degrees=True),
        },
    )
    first = MappingProxyType({"axis": "x", "most": radians(30)})

    axis: str | Sequence[float]
    most: float

    def basic(self) -> HingeLimit:
        """Return the hinge with these bounds."""
        return HingeLimit(self.axis, -self.most, self.most)
'''

BEHAVIOUR = '''"""Nod: a joint that nods."""

from __future__ import annotations

from math import degrees, sin

from ...formats.rig_file.sections import COMMON, PLUS
from ...records import Field, Record
from ...value_shapes import JOINT
from .behaviour import Behaviour


class Nod(Behaviour):
    """A joint nods.

    Args:
        rig: The Actor's rig.
        joint: The joint.
        angle: How far [rad].
        seconds: The time of a nod [s].
        weight: 0: as animated; 1: full effect.
        order: Order among the layers of its phase.
    """

    kind = "nod"
    record = Record(
        "nod",
        "A joint nods.",
        {
            "joint": Field(JOINT, "The joint.", True),
            "angle": Field(PLUS, "How far.", degrees=True),
            "seconds": Field(PLUS, "The time of a nod, in seconds."),
            **COMMON,
        },
    )

    def __init__(self, rig, joint, *, angle=0.3, seconds=1.0, weight=1.0, order=0):
        super().__init__(rig, order, weight)
        self.joint, self.angle, self.seconds = joint, angle, seconds
        self._node, self._time = rig.skeleton.node(joint), 0.0
        rig.add(self, [joint])

    def _entries(self):
        return {"joint": self.joint, "angle": self.angle, "seconds": self.seconds}

    def _frame(self, dt):
        self._time += dt
        turn = self.weight * self.angle * sin(self._time / self.seconds)
        self._node.set_p(self._node, degrees(turn))
'''


def linked(source: str, target: str) -> None:
    """Copy a file at no cost; the test replaces those that it changes."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    top = tmp_path_factory.mktemp("tree")
    skip = shutil.ignore_patterns("__pycache__", "*.c", "*.html")
    for name in ("ikrig", "tests", "assets"):
        shutil.copytree(ROOT / name, top / name, copy_function=linked, ignore=skip)
    limits = top / "ikrig" / "model" / "limits.py"
    text = limits.read_text() + LIMIT
    # a link must not be written through
    limits.unlink()
    limits.write_text(text)
    (top / "ikrig" / "scene" / "behaviours" / "nod.py").write_text(BEHAVIOUR)
    shutil.copy2(ROOT / "pyproject.toml", top)
    return top


def run(tree: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


def test_schemas_know_them(tree):
    code = "from ikrig.formats.rig_file import rig_schema; import json, ikrig\n"
    code += "assert ikrig.SwayLimit.kind == 'sway' and ikrig.Nod.kind == 'nod'\n"
    code += "print(json.dumps(rig_schema()))"
    schema = json.loads(run(tree, "-c", code))
    sections = schema["properties"]
    kinds = sections["behaviours"]["additionalProperties"]["oneOf"]
    (nod,) = [each for each in kinds if each["properties"]["kind"]["const"] == "nod"]
    assert "angle_deg" in nod["properties"] and "joint" in nod["required"]
    chain = sections["chains"]["additionalProperties"]["properties"]
    kinds = chain["limits"]["additionalProperties"]["oneOf"]
    (sway,) = [each for each in kinds if each["properties"]["kind"]["const"] == "sway"]
    assert list(sway["properties"]) == ["kind", "axis", "most_deg"]


def test_all_tests_of_kinds_take_them(tree):
    tests = "tests/studio/test_kinds.py"
    told = run(
        tree, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", tests,
        "-k", "sway or nod or every_kind or no_kind", "-vv",
    )  # fmt: skip
    assert told.count("[sway] PASSED") >= 3 and told.count("[nod] PASSED") >= 2
    assert "every_kind PASSED" in told and "no_kind PASSED" in told
