"""CrowdLimb and CrowdLook: what all members of a crowd aim at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from ...character.crowd_batch import (
    BatchLimb,
    BatchLook,
    MemberArray,
    copy_into,
)
from ...character.limb import Limb
from ...errors import SettingError, shown
from ...kernels import index_buffer
from ...math3d.quaternion import Floats
from ...solvers import SolveSettings
from ..behaviours.look_at import LookAt

if TYPE_CHECKING:
    from .crowd import Crowd


class Aims:
    """What all members of a crowd aim at by a layer; base class."""

    targets = MemberArray("_layer")
    """Where the target of each is, (n, 3), in the space of the crowd."""
    weights = MemberArray("_layer")
    """From 0, as animated, which all are at first, to 1, full effect, (n,)."""


class CrowdLimb(Aims):
    """A limb of all members of a crowd: what each reaches for. ``Crowd.limb`` makes it.

    Attributes:
        name: Its name: "left_hand".
    """

    _layer: BatchLimb

    def __init__(self, crowd: Crowd, limb: Limb) -> None:
        self.name, self._joints = limb.name, limb.joints
        chain = crowd._rig.chain(limb, weight=0.0)
        self._layer = crowd._bones(chain, limb)
        crowd._rig.remove(chain)
        self._batch = crowd._batch

    def __repr__(self) -> str:
        """Return its name."""
        return f"<CrowdLimb {self.name}>"

    @property
    def poles(self) -> Floats | None:
        """Points that elbows or knees bend towards, (n, 3); None: as animated."""
        return self._layer.poles if self._layer.poled[0] else None

    @poles.setter
    def poles(self, values: ArrayLike | None) -> None:
        if values is not None:
            copy_into(values, self._layer.poles, "poles")
        self._layer.poled[0] = values is not None

    @property
    def settings(self) -> SolveSettings:
        """The settings of the solve: set others to change them."""
        return self._layer.settings

    @settings.setter
    def settings(self, values: SolveSettings) -> None:
        if not isinstance(values, SolveSettings):
            raise SettingError(f"settings must be SolveSettings, not {shown(values)}")
        if values.stretch or values.max_step or values.snap_back_strength != 1.0:
            raise SettingError(
                "limbs of a crowd do not remember their last frame, and do not stretch:"
                " snap_back_strength must be 1, stretch 0, and max_step None"
            )
        self._layer.settings = values
        self._batch.relink()


class CrowdLook(Aims):
    """The gaze of all members of a crowd: what each looks at."""

    def __init__(self, crowd: Crowd) -> None:
        batch, look = crowd._batch, LookAt(crowd._rig, None)
        pose = crowd._rig.skeleton.pose
        joints, weights, body, facings, spine, eyes, middle = look._numbers()
        self._layer = BatchLook(
            len(crowd),
            (
                index_buffer(batch.index(pose.names[j]) for j in joints),
                weights,
                batch.index(pose.names[body]) if body >= 0 else -1,
                facings,
                spine,
                index_buffer(batch.index(pose.names[j]) for j in eyes),
                middle,
            ),
            look.limits,
            (look.eye_limits, look.eye_seconds),
            (look.seconds, look.speed),
            look.keep_motion,
        )
        crowd._carry()
        look.remove()
