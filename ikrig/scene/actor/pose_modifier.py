"""PoseModifier: changes an Actor's pose in each frame."""

from __future__ import annotations

from typing import Any, Protocol


class PoseModifier(Protocol):
    """Something that changes an Actor's pose each frame: a chain, a behaviour.

    It may have a ``phase``, and say which nodes' places count by ``reads()``, and which
    nodes besides its joints it moves by ``writes()``: both return NodePaths. A layer
    may have a property ``idle``: whether ``update`` would leave the joints as
    animated now. It is not called then, and a rig with no other layers lets the Actor
    play by itself.
    """

    @property
    def order(self) -> float:
        """Place in its phase (``phase``, LIMBS if it has none)."""

    @property
    def started(self) -> bool:
        """Whether the rig calls ``update``."""

    def update(self, dt: float) -> Any:
        """Change the pose, for a frame of dt seconds. Must not raise."""
