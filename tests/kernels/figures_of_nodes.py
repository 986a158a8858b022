"""Figures of Panda3D nodes, and gaze and reach kernels on them."""

from __future__ import annotations

import importlib
from array import array
from types import SimpleNamespace

import numpy as np
import panda3d.core as p3d
from scipy.spatial.transform import Rotation

from ikrig.scene.ik.node_transforms import matrices
from tests.interpreted import interpreted_kernel

# hips, spine, neck, head, two eyes; an arm of three on the spine
PARENTS = (-1, 0, 1, 2, 3, 3, 1, 6, 7)
PLACES = (
    (0, 0, 1), (0, 0, 0.3), (0, 0, 0.3), (0, -0.02, 0.1), (-0.03, -0.1, 0.1),
    (0.03, -0.1, 0.1), (0.2, 0, 0.2), (0, -0.1, -0.3), (0, -0.25, -0.1),
)  # fmt: skip


def kernel(way: str, name: str):
    if way == "source":
        return interpreted_kernel(name)
    return importlib.import_module(f"ikrig.kernels.{name}")


def numbers(way: str, values) -> object:
    values = [float(x) for x in values]
    return values if way == "source" else array("d", values)


def indices(way: str, values) -> object:
    return list(values) if way == "source" else array("i", values)


class Joints:
    """A pose, and nodes of the same hierarchy."""

    def __init__(self, way: str, paths: list[p3d.NodePath], parents) -> None:
        n, self.paths = len(paths), paths
        self.mats, memory = matrices(n)
        self.kernel = kernel(way, "pose").PoseKernel(
            indices(way, parents),
            memory,
            array("f", bytes(64 * n)),
            numbers(way, np.zeros(12 * n + 27)),
            indices(way, [0] * (3 * n)),
        )
        self.read()

    def read(self) -> None:
        """Set the pose to that of the nodes."""
        for j, path in enumerate(self.paths):
            self.mats[j] = path.get_mat()
        self.kernel.note_all()
        self._show([SimpleNamespace() for _ in self.paths])

    def write(self) -> None:
        """Move the nodes of joints that have changed."""
        self._show([path.node() for path in self.paths])

    def _show(self, nodes: list) -> None:
        make = p3d.TransformState.make_mat
        self.kernel.show(list(range(len(nodes))), nodes, make, self.mats)


class Framed:
    """A kernel whose frames start from the nodes and move them."""

    def __init__(self, joints: Joints, made) -> None:
        vars(self).update(_joints=joints, _made=made)

    def __getattr__(self, name: str):
        found = getattr(self._made, name)
        if name not in ("step", "lean", "lead", "read_reach"):
            return found

        def frame(*given):
            self._joints.read()
            result = found(*given)
            self._joints.write()
            return result

        return frame

    def __setattr__(self, name: str, value) -> None:
        setattr(self._made, name, value)


class Figure:
    """Joints that hang on one another, posed by a seed."""

    def __init__(self, plain: bool = True, way: str = "installed") -> None:
        self.way = way
        self.top = p3d.NodePath("top")
        self.paths: list[p3d.NodePath] = []
        for parent, place in zip(PARENTS, PLACES, strict=True):
            above = self.top if parent < 0 else self.paths[parent]
            self.paths.append(above.attach_new_node(f"joint {len(self.paths)}"))
            self.paths[-1].set_pos(*place)
        self.plain = plain
        self.joints = Joints(way, self.paths, PARENTS)
        self.nets = self.joints.kernel
        self.rest = [self.net(j) for j in range(len(PARENTS))]

    def pose(self, rng: np.random.Generator, much: float = 0.2) -> None:
        """Turn all joints; some are sheared, scaled and mirrored where not plain."""
        for place, path in zip(PLACES, self.paths, strict=True):
            linear = Rotation.from_rotvec(much * rng.normal(size=3)).as_matrix()
            if not self.plain:
                linear = linear @ np.diag(
                    rng.choice([-1, 1], 3) * rng.uniform(0.6, 2, 3)
                )
                linear += 0.1 * rng.normal(size=(3, 3))
            rows = [*linear[0], 0.0, *linear[1], 0.0, *linear[2], 0.0, *place, 1.0]
            path.set_mat(p3d.LMatrix4f(*map(float, rows)))

    def net(self, j: int) -> np.ndarray:
        """Return a joint's matrix in the skeleton's space, rows, in doubles."""
        found = np.eye(4)
        while j >= 0:
            found = found @ np.reshape(
                list(map(tuple, self.paths[j].get_mat())), (4, 4)
            )
            j = PARENTS[j]
        return found

    def nets_now(self) -> np.ndarray:
        return np.array([self.net(j) for j in range(len(PARENTS))])

    def facing(self, j: int) -> list[float]:
        """Return a joint's facing in a figure that faces -y, upright at rest."""
        rest = np.eye(4) if j < 0 else self.rest[j]
        unrest = np.linalg.inv(rest)[:3, :3]
        axes = np.array([(-1, 0, 0), (0, -1, 0), (0, 0, 1)])
        return [*(axes @ unrest).ravel()]

    def gaze(self, kind: str, joints, weights, body: int, faces, *more):
        """Return a kernel of gaze."""
        module = kernel(self.way, kind)
        name = {
            "gaze": "GazeKernel",
            "gaze_look": "LookKernel",
            "gaze_aim": "AimKernel",
        }
        facings = [x for j in (body, *faces) for x in self.facing(j)]
        made = getattr(module, name[kind])(
            self.nets,
            indices(self.way, joints),
            numbers(self.way, weights),
            body,
            numbers(self.way, facings),
            *more,
        )
        return Framed(self.joints, made)

    def reader(self, node: p3d.NodePath, space: p3d.NodePath | None = None):
        space = self.top if space is None else space
        return kernel(self.way, "node_frame").NodeReader(p3d.NodePath(node), space)
