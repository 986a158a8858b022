"""Forward kinematics and Jacobians of a tree of bodies.

The quantities are those of MuJoCo's ``mj_kinematics`` and ``mj_jac`` under its names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..checks import checked_instance, floats, is_whole
from ..errors import ModelError, shown
from ..kernels.robot_fk import RobotKernel
from ..math3d.quaternion import Floats
from .robot import RobotModel

MOST_POSES = 10_000_000
"""Maximum number of poses in one batch: more are an error."""


@dataclass(frozen=True, eq=False)
class RobotPose:
    """Poses of all parts of a tree: world space, scene units, quaternions w x y z.

    A batch has its axes in front of those given here. Matrices are for column vectors.
    Its arrays come in this order when it is iterated.
    """

    model: RobotModel
    """The tree."""
    xpos: Floats
    """Positions of the bodies, (bodies, 3)."""
    xquat: Floats
    """Rotations of the bodies, (bodies, 4)."""
    xmat: Floats
    """Rotations of the bodies as matrices, (bodies, 3, 3)."""
    xanchor: Floats
    """Joint anchors, (joints, 3)."""
    xaxis: Floats
    """Joint axes of length 1, (joints, 3)."""
    xipos: Floats
    """Centres of mass, (bodies, 3)."""
    ximat: Floats
    """Principal axes of inertia, (bodies, 3, 3)."""
    site_xpos: Floats
    """Positions of the sites, (sites, 3)."""
    site_xmat: Floats
    """Rotations of the sites, (sites, 3, 3)."""

    def __iter__(self) -> Iterator[Floats]:
        _, *arrays = vars(self).values()
        return iter(arrays)

    @property
    def geom_xpos(self) -> Floats:
        """Positions of the shapes, (geoms, 3), as in ``model.geom_bodies``.

        Computed when it is read, as the rotations.
        """
        owners, (pos, _) = self.model.geom_bodies, self.model.geom_poses
        turned = np.einsum("...gij,gj->...gi", self.xmat[..., owners, :, :], pos)
        points: Floats = self.xpos[..., owners, :] + turned
        return points

    @property
    def geom_xmat(self) -> Floats:
        """Rotations of the shapes, (geoms, 3, 3)."""
        owners, (_, mat) = self.model.geom_bodies, self.model.geom_poses
        turns: Floats = self.xmat[..., owners, :, :] @ mat
        return turns


class _Array:
    """An array of a ``RobotState``: assigned values are checked and copied into it.

    Args:
        about: Its docstring.
        axes: Number of its last axes that assigned values must have; the leading ones
            may be left out.
    """

    def __init__(self, about: str, axes: int) -> None:
        self._about, self._axes = about, axes

    def __set_name__(self, owner: type, name: str) -> None:
        kept = f"_{name}"

        def put(state: RobotState, values: ArrayLike) -> None:
            _fill(getattr(state, kept), values, self._axes, name)

        # a getter in C: loops read it again and again
        setattr(owner, name, property(attrgetter(kept), put, doc=self._about))

    if TYPE_CHECKING:

        def __get__(self, state: RobotState, owner: type) -> Floats: ...

        def __set__(self, state: RobotState, values: ArrayLike) -> None: ...


class RobotState:
    """Coordinates of a tree and the pose that they give, in buffers made once.

    Write to ``qpos`` (and ``mocap_pos``, ``mocap_quat``), call ``update()``, read
    ``pose``; nothing is copied or allocated then. An assigned array,
    ``state.qpos = values``, is copied into the existing one. Quaternions need not be of
    length 1. A coordinate that is not finite gives poses that are not finite below it.
    Angles are exact up to about a million turns.

    Args:
        model: The tree.
        shape: Leading axes: () is one pose, (1000,) are a thousand in one call.
        qpos: First coordinates, (*shape, coordinates). Default: the model's qpos0.
        mocap_pos: First positions of the mocap bodies. Default: the model's.
        mocap_quat: First rotations of the mocap bodies. Default: the model's.

    Raises:
        ModelError: Names the array, its shape and the one that fits.
    """

    model: RobotModel
    qpos = _Array("Joint coordinates, (*shape, coordinates) [rad, scene unit].", axes=1)
    mocap_pos = _Array(
        "Positions of the mocap bodies, (*shape, mocap bodies, 3), world space.", axes=2
    )
    mocap_quat = _Array(
        "Rotations of the mocap bodies, (*shape, mocap bodies, 4), world space.", axes=2
    )
    pose: RobotPose
    """The result of the last ``update``; read-only arrays."""
    update: Callable[[], None]
    """Set ``pose`` from the coordinates."""

    _kernel_type: ClassVar[type] = RobotKernel

    def __init__(
        self,
        model: RobotModel,
        shape: tuple[int, ...] = (),
        *,
        qpos: ArrayLike | None = None,
        mocap_pos: ArrayLike | None = None,
        mocap_quat: ArrayLike | None = None,
    ) -> None:
        checked_instance(model, RobotModel, "model", ModelError)
        shape = _shape(shape)
        bodies, joints = len(model.body_names), len(model.joint_names)
        sites, mocap = len(model.site_names), model.body_mocap >= 0
        self.model = model
        self.shape = shape
        qpos = _filled("qpos", shape, model.qpos0, qpos)
        pos, quat = model.body_pos[mocap], model.body_quat[mocap]
        nodes = 1 + len(pos) + joints
        mocap_pos = _filled("mocap_pos", shape, pos, mocap_pos)
        mocap_quat = _filled("mocap_quat", shape, quat, mocap_quat)
        self.pose = RobotPose(
            model=model,
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
        self._qpos, self._mocap_pos, self._mocap_quat = qpos, mocap_pos, mocap_quat
        arrays = {
            "qpos": qpos,
            "mocap_pos": mocap_pos,
            "mocap_quat": mocap_quat,
            **{name: a for name, a in vars(self.pose).items() if a is not model},
            "local_pos": np.empty(3 * nodes),
            "joint_pos": np.empty(3 * nodes),
            "q": np.empty(4 * nodes),
            "rotations": np.empty(4 * nodes),
            "cosine": np.empty(joints),
            "sine": np.empty(joints),
            "work": np.empty(4),
        }
        count = prod(shape)
        self._kernel = self._kernel_type(
            (count, bodies, joints, len(model.qpos0), sites, len(pos), model.dof_count),
            model._kernel_buffers,
            {name: array.reshape(-1).data for name, array in arrays.items()},
        )
        for array in self.pose:
            array.flags.writeable = False
        self.update = self._kernel.forward
        self.update()

    def __reduce__(self) -> tuple[object, ...]:
        given = self.qpos, self.mocap_pos, self.mocap_quat
        return _restored, (type(self), self.model, self.shape, given, self.pose)

    def jacobian(
        self,
        *,
        body: str | None = None,
        site: str | None = None,
        point: ArrayLike | None = None,
    ) -> Floats:
        """Return the velocity of a point on a body per joint velocity.

        Velocities are MuJoCo's: of a free joint the body's velocity in world space,
        then its angular velocity about the body's axes; of a ball the latter alone.

        Args:
            body: The body that carries the point.
            site: The site that is the point, instead of ``body``.
            point: A different point of that body, (*shape, 3) [scene unit], world
                space. Default: the origin of the body or site.

        Returns:
            (*shape, 6, velocities): three rows of the point's velocity, three of the
            body's angular velocity [rad], world space, at the last ``update``.

        Raises:
            ModelError: Neither or both of body and site are given, or the name is
                unknown.
        """
        model = self.model
        if (body is None) is (site is None):
            raise ModelError(
                f"give either body or site, not {shown(body)} and {shown(site)}"
            )
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
    model: RobotModel,
    qpos: ArrayLike,
    *,
    mocap_pos: ArrayLike | None = None,
    mocap_quat: ArrayLike | None = None,
) -> RobotPose:
    """Return the poses of all parts when the joints are at ``qpos``.

    For many calls with the same model, a ``RobotState`` does the same without making
    new arrays each time.

    Args:
        model: The tree.
        qpos: Joint coordinates, (..., coordinates) [rad, scene unit]; any number of
            leading axes, all poses in one call.
        mocap_pos: Positions of the mocap bodies, (..., mocap bodies, 3), world space.
            Default: the model's.
        mocap_quat: Rotations of the mocap bodies, (..., mocap bodies, 4).

    Returns:
        New arrays, with the leading axes of qpos.

    Raises:
        ModelError: Names the array, its shape and the one that fits.
    """
    checked_instance(model, RobotModel, "model", ModelError)
    given = floats(qpos)
    if given is None:
        raise ModelError(f"qpos must be numbers, not {shown(qpos)}")
    return RobotState(
        model, given.shape[:-1], qpos=given, mocap_pos=mocap_pos, mocap_quat=mocap_quat
    ).pose


def _restored(
    kind: type[RobotState],
    model: RobotModel,
    shape: tuple[int, ...],
    given: tuple[Floats, Floats, Floats],
    pose: RobotPose,
) -> RobotState:
    """Return a copy of a state; its pose may be older than its coordinates."""
    qpos, pos, quat = given
    state = kind(model, shape, qpos=qpos, mocap_pos=pos, mocap_quat=quat)
    for array, values in zip(state.pose, pose, strict=True):
        array.flags.writeable = True
        array[...] = values
        array.flags.writeable = False
    return state


def _shape(shape: object) -> tuple[int, ...]:
    if (
        not isinstance(shape, tuple | list)
        or not all(is_whole(length) and length >= 0 for length in shape)
        or prod(map(int, shape)) > MOST_POSES
    ):
        raise ModelError(
            "shape must be a tuple of whole numbers, () for one pose or (1000,) for a "
            f"thousand, not {shown(shape)}"
        )
    return tuple(map(int, shape))


def _filled(
    what: str, shape: tuple[int, ...], start: Floats, values: ArrayLike | None
) -> Floats:
    result = np.empty(shape + start.shape)
    _fill(result, start if values is None else values, start.ndim, what)
    return result


def _fill(array: Floats, values: ArrayLike, own: int, what: str) -> None:
    """Fill an array; values may leave out the axes before the last ``own``."""
    given = floats(values)
    if given is None:
        raise ModelError(f"{what} must be numbers, not {shown(values)}")
    if given.shape not in (array.shape, array.shape[array.ndim - own :]):
        raise ModelError(f"{what} must have the shape {array.shape}, not {given.shape}")
    array[...] = given
