"""Robots from MJCF and URDF files, through the optional package ``mujoco``.

The only importer of mujoco (extra ``robots``).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ..errors import AccessError, MissingPackageError, ModelError, shown
from ..files.file_access import FileAccess, is_file, read_file
from ..model.body_spec import Body, Geom, Joint, JointKind, Mesh, Site
from ..model.robot import RobotModel
from .xml_limits import RobotFiles

__all__ = ["load_mujoco", "read_mujoco"]

# keep links and what is only there to be looked at; take over robots whose masses
# MuJoCo would not simulate, for kinematics doesn't look at them
URDF_OPTIONS = {
    "fusestatic": "false",
    "discardvisual": "false",
    "strippath": "false",
    "balanceinertia": "true",
    "boundmass": "1e-6",
    "boundinertia": "1e-9",
}
MESH_FILES = (".stl", ".obj", ".msh")


def read_mujoco(
    source: Any, allow: Iterable[str | Path] | FileAccess = ()
) -> RobotModel:
    """Return the tree of an ``MjModel``, or of an MJCF or URDF file.

    Args:
        source: Either.
        allow: Folders of files that it may have opened (meshes, textures, further
            files) besides what is below its folder and the parent of that; or all that
            a file which names this one may.

    Raises:
        MissingPackageError: The ``mujoco`` package is not installed.
        ModelError: Names the file and says what ``mujoco`` says about it.
        AccessError: It names a file that it may not open.
    """
    mujoco = _mujoco()
    if isinstance(source, mujoco.MjModel):
        model, name = source, source.names.split(b"\0", 1)[0].decode()
    elif isinstance(source, str | Path):
        model, name = load_mujoco(source, allow), Path(source).stem
    else:
        raise ModelError(
            "a robot is a mujoco.MjModel or the path of a YAML, MJCF or URDF file, "
            f"not {shown(source)}"
        )
    meshes = [_mesh(model.mesh(i), model) for i in range(model.nmesh)]
    bodies = [_body(mujoco, model, i, meshes) for i in range(model.nbody)]
    try:
        return RobotModel(bodies, name=name or "tree")
    except ModelError as error:
        where = f"{source}: " if isinstance(source, str | Path) else ""
        raise ModelError(f"{where}{error}") from None


def load_mujoco(path: str | Path, allow: Iterable[str | Path] | FileAccess = ()) -> Any:
    """Return the ``mujoco.MjModel`` of an MJCF or URDF file.

    Of a URDF all links and visuals are kept, and mesh files are looked for in the
    folders above it; those that are not found or that MuJoCo can't read (Collada) are
    left out.

    Args:
        path: The file.
        allow: As in ``read_mujoco``.

    Raises:
        MissingPackageError: The ``mujoco`` package is not installed.
        ModelError: Names the file and says what ``mujoco`` says about it.
        AccessError: It names a file that it may not open.
    """
    mujoco = _mujoco()
    file = Path(path)
    try:
        access = allow if isinstance(allow, FileAccess) else FileAccess(file, allow)
        root = RobotFiles(file, access).root
        with warnings.catch_warnings():
            # they are about textures, which are not taken over
            warnings.simplefilter("ignore", UserWarning)
            if root.tag == "robot":
                return _urdf(mujoco, root, file.resolve().parent, access)
            return mujoco.MjModel.from_xml_path(str(file))
    except AccessError as error:
        raise AccessError(f"{file}: {error}") from None
    except OSError as error:
        raise ModelError(f"{file}: {error.strerror}") from None
    except (ElementTree.ParseError, ValueError) as error:
        raise ModelError(f"{file}: {' '.join(str(error).split())}") from None


def _mujoco() -> Any:
    try:
        import mujoco
    except ImportError:
        raise MissingPackageError(
            "reading MuJoCo models, MJCF and URDF files needs the package mujoco, "
            "which is not installed: pip install 'panda3d-ikrig[robots]'"
        ) from None
    return mujoco


def _urdf(
    mujoco: Any, root: ElementTree.Element, folder: Path, access: FileAccess
) -> Any:
    own = root.find("mujoco")
    own = ElementTree.SubElement(root, "mujoco") if own is None else own
    compiler = own.find("compiler")
    compiler = ElementTree.SubElement(own, "compiler") if compiler is None else compiler
    compiler.attrib.update(URDF_OPTIONS)
    spec = mujoco.MjSpec.from_string(ElementTree.tostring(root, encoding="unicode"))
    missing = set()
    for mesh in spec.meshes:
        file = _find(mesh.file, folder)
        if file is not None:
            access.check(file, mesh.file)
        if file is not None and file.suffix.lower() == ".obj":
            mesh.file = f"{len(spec.assets)}.obj"
            spec.assets[mesh.file] = _in_one_piece(file)
        elif file is not None and file.suffix.lower() in MESH_FILES:
            mesh.file = str(file)
        else:
            missing.add(mesh.name)
    for geom in list(spec.geoms):
        if geom.meshname in missing:
            spec.delete(geom)
    for mesh in list(spec.meshes):
        if mesh.name in missing:
            spec.delete(mesh)
    for body in spec.bodies:
        inertia = np.array(body.fullinertia)[[0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(3, 3)
        if np.isfinite(inertia).all() and np.linalg.eigvalsh(inertia)[0] < 1e-9:
            body.fullinertia = [np.nan] * 6
            body.inertia = [1e-6] * 3
    return spec.compile()


def _in_one_piece(file: Path) -> bytes:
    """Return an OBJ file as one object: of several MuJoCo would take the first."""
    lines = read_file(file).splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith((b"o ", b"g ")))


def _find(name: str, folder: Path) -> Path | None:
    """Return a mesh's file: ``package://`` names begin in some folder above."""
    local = name.split("://")[-1].lstrip("/")
    inside = local.partition("/")[2] or local
    for above in (folder, *folder.parents):
        for file in (above / local, above / inside):
            if is_file(file):
                return file
    return None


def _body(mujoco: Any, model: Any, i: int, meshes: list[Mesh]) -> Body:
    body = model.body(i)
    first, count = int(body.jntadr[0]), int(body.jntnum[0])
    return Body(
        _name(body, "body", i),
        parent=_name(model.body(body.parentid[0]), "body", int(body.parentid[0])),
        pos=body.pos.copy(),
        quat=body.quat.copy(),
        joints=[_joint(mujoco, model, j) for j in range(first, first + count)],
        sites=[
            Site(
                _name(model.site(s), "site", s),
                model.site_pos[s].copy(),
                model.site_quat[s].copy(),
            )
            for s in np.flatnonzero(model.site_bodyid == i).tolist()
        ],
        geoms=[
            geom
            for g in range(int(body.geomadr[0]), int(body.geomadr[0] + body.geomnum[0]))
            if (geom := _geom(mujoco, model, g, meshes)) is not None
        ],
        mocap=bool(body.mocapid[0] >= 0),
        ipos=body.ipos.copy(),
        iquat=body.iquat.copy(),
    )


def _joint(mujoco: Any, model: Any, j: int) -> Joint:
    kind = JointKind(mujoco.mjtJoint(model.jnt_type[j]).name[6:].lower())
    lower, upper = model.jnt_range[j].tolist()
    return Joint(
        _name(model.joint(j), "joint", j),
        kind,
        axis=model.jnt_axis[j].copy(),
        anchor=model.jnt_pos[j].copy(),
        range=(lower, upper) if model.jnt_limited[j] else None,
        qpos0=float(model.qpos0[model.jnt_qposadr[j]]) if kind.dofs == 1 else 0.0,
    )


def _geom(mujoco: Any, model: Any, g: int, meshes: list[Mesh]) -> Geom | None:
    kind = mujoco.mjtGeom(model.geom_type[g]).name[7:].lower()
    if kind not in Geom.KINDS:
        return None
    material, rgba = int(model.geom_matid[g]), model.geom_rgba[g]
    # a geom without a colour of its own has its material's
    if material >= 0 and np.allclose(rgba, [0.5, 0.5, 0.5, 1.0]):
        rgba = model.mat_rgba[material]
    return Geom(
        kind,
        size=model.geom_size[g].copy(),
        pos=model.geom_pos[g].copy(),
        quat=model.geom_quat[g].copy(),
        rgba=rgba.astype(np.float64),
        mesh=meshes[model.geom_dataid[g]] if kind == "mesh" else None,
        name=model.geom(g).name,
        group=int(model.geom_group[g]),
        collides=bool(model.geom_contype[g] or model.geom_conaffinity[g]),
    )


def _mesh(mesh: Any, model: Any) -> Mesh:
    vertices = slice(mesh.vertadr[0], mesh.vertadr[0] + mesh.vertnum[0])
    faces = slice(mesh.faceadr[0], mesh.faceadr[0] + mesh.facenum[0])
    points = model.mesh_vert[vertices].astype(np.float64)
    triangles = model.mesh_face[faces].astype(np.int32)
    points.flags.writeable = triangles.flags.writeable = False
    return Mesh(mesh.name, points, triangles)


def _name(named: Any, what: str, i: int) -> str:
    return named.name or f"{what} {i}"
