"""Forward kinematics of a tree of bodies, and how its points move with its joints.

The quantities are those of MuJoCo's ``mj_kinematics`` and ``mj_jac`` under its names.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .errors import ModelError
from .kernels.tree import TreeKernel
from .spatial import Floats
from .tree_model import TreeModel

__all__ = ["TreePose", "TreeState", "forward_kinematics"]


class TreePose(NamedTuple):
    """Where everything of a tree is: world space, scene units, quaternions w x y z.

    A batch has its axes in front of those given here. Matrices turn column vectors.
    """

    xpos: Floats
    """Bodies, (bodies, 3)."""
    xquat: Floats
    """Rotations of the bodies, (bodies, 4)."""
    xmat: Floats
    """The same as matrices, (bodies, 3, 3)."""
    xanchor: Floats
    """Joint anchors, (joints, 3)."""
    xaxis: Floats
    """Joint axes of length 1, (joints, 3)."""
    xipos: Floats
    """Centres of mass, (bodies, 3)."""
    ximat: Floats
    """Principal axes of inertia, (bodies, 3, 3)."""
    site_xpos: Floats
    """Sites, (sites, 3)."""
    site_xmat: Floats
    """Rotations of the sites, (sites, 3, 3)."""


class TreeState:
    """Coordinates of a tree and the pose that they give, in buffers made once.

    Write to ``qpos`` (and ``mocap_pos``, ``mocap_quat``), call ``update()``, read
    ``pose``; nothing is copied or allocated on the way. Quaternions need not be of
    length 1. A coordinate that is not finite makes what hangs on it not finite. An
    angle is exact up to a million turns or so.

    Args:
        model: The tree.
        shape: Leading axes: () is one pose, (1000,) are a thousand in one call.
        qpos: First coordinates, (*shape, coordinates). Default: the model's qpos0.
        mocap_pos: First positions of the mocap bodies. Default: the model's.
        mocap_quat: First rotations of the mocap bodies. Default: the model's.

    Raises:
        ModelError: Names the array, its shape and the one that fits.
    """

    model: TreeModel
    qpos: Floats
    """Joint coordinates, (*shape, coordinates) [rad, scene unit]."""
    mocap_pos: Floats
    """Positions of the mocap bodies, (*shape, mocap bodies, 3), world space."""
    mocap_quat: Floats
    """Rotations of the mocap bodies, (*shape, mocap bodies, 4), world space."""
    pose: TreePose
    """What the last ``update`` found; arrays that can only be read."""
    update: Callable[[], None]
    """Set ``pose`` from the coordinates."""

    kernel_type: ClassVar[Any] = TreeKernel

    def __init__(
        self,
        model: TreeModel,
        shape: tuple[int, ...] = (),
        *,
        qpos: ArrayLike | None = None,
        mocap_pos: ArrayLike | None = None,
        mocap_quat: ArrayLike | None = None,
    ) -> None:
        bodies, joints = len(model.body_names), len(model.joint_names)
        sites, mocap = len(model.site_names), model.body_mocap >= 0
        self.model = model
        self.shape = shape
        self.qpos = _filled("qpos", shape, model.qpos0, qpos)
        pos, quat = model.body_pos[mocap], model.body_quat[mocap]
        self.mocap_pos = _filled("mocap_pos", shape, pos, mocap_pos)
        self.mocap_quat = _filled("mocap_quat", shape, quat, mocap_quat)
        self.pose = TreePose(
            xpos=np.empty((*shape, bodies, 3)),
            xquat=np.empty((*shape, bodies, 4)),
            xmat=np.empty((*shape, bodies, 3, 3)),
            xanchor=np.empty((*shape, joints, 3)),
            xaxis=np.empty((*shape, joints, 3)),
            xipos=np.empty((*shape, bodies, 3)),
            ximat=np.empty((*shape, bodies, 3, 3)),
            site_xpos=np.empty((*shape, sites, 3)),
            site_xmat=np.empty((*shape, sites, 3, 3)),
        )
        arrays = {
            "qpos": self.qpos,
            "mocap_pos": self.mocap_pos,
            "mocap_quat": self.mocap_quat,
            **self.pose._asdict(),
            "turn": np.empty(4 * joints),
            "cosine": np.empty(joints),
            "sine": np.empty(joints),
            "work": np.empty(4),
        }
        count = prod(shape)
        self._kernel = self.kernel_type(
            (count, bodies, joints, len(model.qpos0), sites, len(pos), model.dof_count),
            model.kernel_buffers,
            {name: array.reshape(-1).data for name, array in arrays.items()},
        )
        for array in self.pose:
            array.flags.writeable = False
        self.update = self._kernel.forward
        self.update()

    def jacobian(
        self,
        *,
        body: str | None = None,
        site: str | None = None,
        point: ArrayLike | None = None,
    ) -> Floats:
        """Return how a point on a body moves with the velocities of the joints.

        Velocities are MuJoCo's: of a free joint the body's in world space, then its
        turning about the body's own axes; of a ball its turning about those axes.

        Args:
            body: The body that carries the point, or
            site: the site that is the point.
            point: Another point of that body, (*shape, 3) [scene unit], world space.
                Default: the origin of the body or site.

        Returns:
            (*shape, 6, velocities): three rows of the point's velocity, three of the
            body's angular velocity [rad], world space, at the last ``update``.

        Raises:
            ModelError: Not one of body and site is given, or there is none so named.
        """
        model = self.model
        if (body is None) is (site is None):
            raise ModelError(f"give body or site, not {body!r} and {site!r}")
        if site is not None:
            row = model.site_index(site)
            carrier = int(model.site_bodies[row])
            origin = self.pose.site_xpos[..., row, :]
        else:
            assert body is not None
            carrier = model.body_index(body)
            origin = self.pose.xpos[..., carrier, :]
        points = np.empty((*self.shape, 3))
        if point is None:
            points[...] = origin
        else:
            _fill(points, point, 1, "point")
        out = np.empty((*self.shape, 6, model.dof_count))
        self._kernel.jacobian(carrier, points.reshape(-1).data, out.reshape(-1).data)
        return out


def forward_kinematics(
    model: TreeModel,
    qpos: ArrayLike,
    *,
    mocap_pos: ArrayLike | None = None,
    mocap_quat: ArrayLike | None = None,
) -> TreePose:
    """Return where everything is when the joints are at ``qpos``.

    For many calls with the same model, a ``TreeState`` does the same without making
    new arrays each time.

    Args:
        model: The tree.
        qpos: Joint coordinates, (..., coordinates) [rad, scene unit]; any number of
            leading axes, all poses in one call.
        mocap_pos: Positions of the mocap bodies, (..., mocap bodies, 3), world space.
            Default: as the model describes them.
        mocap_quat: Their rotations, (..., mocap bodies, 4).

    Returns:
        Arrays of their own, with the leading axes of qpos.

    Raises:
        ModelError: Names the array, its shape and the one that fits.
    """
    shape = np.shape(qpos)[:-1]
    return TreeState(
        model, shape, qpos=qpos, mocap_pos=mocap_pos, mocap_quat=mocap_quat
    ).pose


def _filled(
    what: str, shape: tuple[int, ...], start: Floats, values: ArrayLike | None
) -> Floats:
    result = np.empty(shape + start.shape)
    _fill(result, start if values is None else values, start.ndim, what)
    return result


def _fill(array: Floats, values: ArrayLike, own: int, what: str) -> None:
    """Set an array with ``own`` axes of its own; leading axes may be left out."""
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} must be numbers: {error}") from None
    if given.shape not in (array.shape, array.shape[array.ndim - own :]):
        raise ModelError(f"{what} has shape {given.shape}, but {array.shape} is needed")
    array[...] = given
