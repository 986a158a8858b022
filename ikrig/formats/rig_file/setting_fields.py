"""The fields of solve settings of chains and trees in rig files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...clip.channels import CHANNELS
from ...solvers.registry import BUILT_IN, solver_names
from ...solvers.settings import MOST_ITERATIONS, POSTURES, ROLLS
from ...value_shapes import Field, Flag, Number, Schema, Word
from ..schema import NAMES
from .limit_fields import LIMIT
from .record_types import Fields, Named

PHASES = ("reload", "animate", "body", "limbs", "secondary", "record")
ORDER_FIELDS: Fields = {
    "phase": Field(
        Word(PHASES), "The phase of the frame in which it is solved; chains: limbs."
    ),
    "order": Field(Number(), "Order within the phase: lower numbers come first."),
}
"""The point in the frame at which a rig is solved."""

TIP_ROTATIONS = ("animation", "target", "normal", "bone")


@dataclass(frozen=True)
class SolverName:
    """The name of a solver, ikrig's or registered by the game."""

    @property
    def choices(self) -> tuple[str, ...]:
        """All names that are registered now."""
        return solver_names()

    @property
    def words(self) -> str:
        """The names, for messages."""
        return Word(self.choices).words

    def of(self, value: Any) -> str:
        """Return the name."""
        return Word(self.choices).of(value)

    def schema(self) -> Schema:
        """Return ikrig's own names; a schema can't know registered ones."""
        return Word(list(BUILT_IN)).schema()


@dataclass(frozen=True)
class Posture:
    """A named pose, or joint values by name."""

    choices: tuple[str, ...] = POSTURES
    words: str = f"{Word(POSTURES).words}, or values by joint: {{elbow: 1.2}}"

    def of(self, value: Any) -> Any:
        """Return the name, or a dict of joint values."""
        if not isinstance(value, Mapping):
            return Word(POSTURES).of(value)
        if not value or not all(isinstance(name, str) and name for name in value):
            raise ValueError
        return {name: Number().of(number) for name, number in value.items()}

    def schema(self) -> Schema:
        """Return a schema that allows either."""
        values = {"propertyNames": NAMES, "additionalProperties": {"type": "number"}}
        by_joint = {"type": "object", "minProperties": 1, **values}
        return {"anyOf": [Word(POSTURES).schema(), by_joint]}


CHAIN_SETTINGS: Fields = {
    "iterations": Field(
        Number(
            f"a whole number from 1 to {MOST_ITERATIONS}",
            1,
            MOST_ITERATIONS,
            whole=True,
        ),
        "Maximum number of iterations per frame.",
    ),
    **{
        name: Field(channel.shape, channel.about, degrees=channel.angle)
        for name, channel in CHANNELS.items()
        if channel.is_setting
    },
    "roll_from": Field(
        Word(ROLLS), "The rotation from which a bone rolls as little as possible."
    ),
    "posture": Field(
        Posture(),
        "The pose that joints are drawn to; default: start. Values by joint are "
        "in rad, or in scene units for slides.",
    ),
    "posture_weights": Named(
        Field(Number("a number of at least 0", 0.0), "A weight."),
        "How strongly joints keep to the posture, relative to each other; default: 1.",
    ),
    "joint_speeds": Named(
        Field(Number("a speed of at least 0", 0.0), "A speed.", degrees=True),
        "Maximum speeds per second, by joint.",
    ),
}
"""The settings of ``SolveSettings``."""

_FOR_CHAINS = ("stretch", "twist_spread", "roll_from", "orientation_weight")
JOINT_SETTINGS = ("posture", "posture_weights", "joint_speeds")
"""Settings that may have a value for each joint."""
TREE_SETTINGS: Fields = {
    name: field for name, field in CHAIN_SETTINGS.items() if name not in _FOR_CHAINS
}

METHOD: Fields = {
    "solver": Field(SolverName(), "The solver."),
    "limits": Named(LIMIT, "The ranges of joints, by joint."),
    **ORDER_FIELDS,
    "match_rotation": Field(
        Flag(),
        "Nodes: whether the end takes the rotation of its target; default: true.",
    ),
    "orientation_mode": Field(
        Word(TIP_ROTATIONS),
        "Actors: the rotation of the end; default: as animated.",
    ),
}
