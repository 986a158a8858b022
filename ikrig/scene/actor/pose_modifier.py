"""PoseModifier: the interface of layers that change an Actor's pose."""

from __future__ import annotations

from typing import Protocol

from ...model.pose import Layer


class PoseModifier(Layer, Protocol):
    """A layer of an Actor: a chain, a tree, a behaviour, one of a game's own.

    It may have a ``phase``, and methods ``reads()`` and ``writes()`` that return the
    NodePaths whose positions it reads, and those that it moves besides its joints. It
    may have a property ``_idle``: whether ``apply`` would change nothing. Then it is
    not called, and a rig with no other layers lets the Actor play by itself. ``_rests``
    tells whether it would leave the pose as in the last frame, from an equal animation.
    """

    @property
    def order(self) -> float:
        """Order inside its phase (``phase``, LIMBS by default)."""

    @property
    def started(self) -> bool:
        """Whether the rig applies it."""
