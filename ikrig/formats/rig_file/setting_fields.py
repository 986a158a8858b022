"""The fields of solve settings of chains and trees in rig files."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...clip.channels import CHANNELS
from ...records import Field, Fields, Named
from ...solvers.registry import BUILT_IN, solver_names
from ...solvers.settings import SETTINGS, ByJoint
from ...value_shapes import LARGEST, Flag, Number, Schema, Word
from .limit_fields import LIMIT

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
        return solver_names()

    @property
    def words(self) -> str:
        return Word(self.choices).words

    def of(self, value: object) -> str:
        return Word(self.choices).of(value)

    def schema(self) -> Schema:
        """Return ikrig's own names; a schema can't know registered ones."""
        return Word(list(BUILT_IN)).schema()


def _in_file(name: str, field: Field) -> Field | Named:
    """Return the field of a setting in files, where numbers are not huge."""
    shape = field.shape
    if name in CHANNELS:
        return field._replace(shape=CHANNELS[name].shape)
    if isinstance(shape, ByJoint) and not shape.choices:
        item = replace(shape.item, most=min(shape.item.most, LARGEST))
        return Named(Field(item, shape.about, degrees=field.degrees), field.about)
    return field


CHAIN_SETTINGS: Fields = {
    name: _in_file(name, field) for name, field in SETTINGS.items()
}
"""The settings of ``SolveSettings``."""

_FOR_CHAINS = ("stretch", "twist_spread", "roll_from", "orientation_weight")
JOINT_SETTINGS = tuple(
    name for name, field in SETTINGS.items() if isinstance(field.shape, ByJoint)
)
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
