"""IK for skinned Actors, applied to the animated pose in each frame."""

from __future__ import annotations

from .actor_rig import ActorRig

__all__ = ["ActorRig"]
