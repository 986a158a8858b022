"""Robots from MJCF files, through the optional package ``mujoco``.

Only this module imports mujoco (extra ``robots``).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import MissingPackageError, ModelError, shown
from ..math3d.quaternion import conjugate, multiply
from ..model.body_spec import Body, Geom, Joint, JointKind, Mesh, Site
from ..model.robot import Loop, RobotModel

Mj = Any  # MuJoCo's module, models and their elements, which have no types

Couplings = dict[int, tuple[str, float, float]]
"""By joint: the name of the joint that it follows, a factor and an offset."""


def mujoco_model(source: object, name: str | None = None) -> RobotModel:
    """Return the model of an ``MjModel``.

    Args:
        source: The ``mujoco.MjModel``.
        name: The robot's name. Default: that of the ``MjModel``.
    """
    mujoco = _mujoco()
    if not isinstance(source, mujoco.MjModel):
        raise ModelError(
            "a robot must be a mujoco.MjModel or the path of a YAML, MJCF or URDF "
            f"file, not {shown(source)}"
        )
    if name is None:
        name = source.names.partition(b"\0")[0].decode()
    meshes = [_mesh(source.mesh(i), source) for i in range(source.nmesh)]
    coupled, free = _couplings(mujoco, source)
    bodies = [_body(mujoco, source, i, meshes, coupled) for i in range(source.nbody)]
    missing = (*_left_out(mujoco, source), *free)
    loops = tuple(_loops(mujoco, source))
    return RobotModel(bodies, name=name or "tree", warnings=missing, loops=loops)


def load_mujoco(path: Path) -> object:
    """Return the ``mujoco.MjModel`` of an MJCF file.

    Args:
        path: The file; the caller has checked the files that it may open.
    """
    mujoco = _mujoco()
    with warnings.catch_warnings():
        # they are about textures, which are not imported
        warnings.simplefilter("ignore", UserWarning)
        return mujoco.MjModel.from_xml_path(str(path))


def _mujoco() -> Mj:
    try:
        import mujoco
    except ImportError:
        raise MissingPackageError(
            "MuJoCo models and MJCF files need the package mujoco, which is not "
            "installed: pip install 'panda3d-ikrig[robots]'"
        ) from None
    return mujoco


def _couplings(mujoco: Mj, model: Mj) -> tuple[Couplings, list[str]]:
    """Return the joints that follow another, and a warning for each that can't.

    MuJoCo's equality: y - y0 = c0 + c1 (x - x0) + c2 (x - x0)² + ...
    """
    found: Couplings = {}
    warned = []
    for i in np.flatnonzero(model.eq_type == mujoco.mjtEq.mjEQ_JOINT).tolist():
        j, k = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
        constant, slope, *curve = model.eq_data[i, :5].tolist()
        name = shown(_name(model.joint(j), "joint", j))
        if not model.eq_active0[i]:
            continue
        start = float(model.qpos0[model.jnt_qposadr[j]])
        if k < 0 or any(curve) or j in found:
            why = (
                "is constant"
                if k < 0
                else "is not linear"
                if any(curve)
                else "is its second one"
            )
            warned.append(
                f"joint {name} has an equality that {why}, which is not supported: "
                "the joint moves independently"
            )
            continue
        driven = float(model.qpos0[model.jnt_qposadr[k]])
        follows = _name(model.joint(k), "joint", k)
        found[j] = (follows, slope, start + constant - slope * driven)
    return found, warned


def _body(
    mujoco: Mj, model: Mj, i: int, meshes: list[Mesh], coupled: Couplings
) -> Body:
    body = model.body(i)
    first, count = int(body.jntadr[0]), int(body.jntnum[0])
    return Body(
        _name(body, "body", i),
        parent=_name(model.body(body.parentid[0]), "body", int(body.parentid[0])),
        pos=body.pos.copy(),
        quat=body.quat.copy(),
        joints=[_joint(mujoco, model, j, coupled) for j in range(first, first + count)],
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


def _joint(mujoco: Mj, model: Mj, j: int, coupled: Couplings) -> Joint:
    kind = JointKind(mujoco.mjtJoint(model.jnt_type[j]).name[6:].lower())
    lower, upper = model.jnt_range[j].tolist()
    mimic, multiplier, offset = coupled.get(j, (None, 1.0, 0.0))
    return Joint(
        _name(model.joint(j), "joint", j),
        kind,
        axis=model.jnt_axis[j].copy(),
        anchor=model.jnt_pos[j].copy(),
        range=(lower, upper) if model.jnt_limited[j] else None,
        qpos0=float(model.qpos0[model.jnt_qposadr[j]]) if kind.dofs == 1 else 0.0,
        mimic=mimic,
        multiplier=multiplier,
        offset=offset,
    )


def _geom(mujoco: Mj, model: Mj, g: int, meshes: list[Mesh]) -> Geom | None:
    kind = mujoco.mjtGeom(model.geom_type[g]).name[7:].lower()
    if kind not in Geom.KINDS:
        return None
    material, rgba = int(model.geom_matid[g]), model.geom_rgba[g]
    # a geom with the default colour has that of its material
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


def _loops(mujoco: Mj, model: Mj) -> Iterator[Loop]:
    for i in np.flatnonzero(model.eq_active0).tolist():
        kind = mujoco.mjtEq(model.eq_type[i]).name[5:].lower()
        if kind not in ("connect", "weld"):
            continue
        ends = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
        data = model.eq_data[i]
        turn = None
        if model.eq_objtype[i] == mujoco.mjtObj.mjOBJ_SITE:
            one, two = (model.site_bodyid[site] for site in ends)
            a, b = (model.site_pos[site] for site in ends)
            if kind == "weld":
                p, q = (model.site_quat[site] for site in ends)
                turn = multiply(p, conjugate(q))
        else:
            one, two = ends
            a, b = data[:3], data[3:6]
            if kind == "weld":
                a, b, turn = data[3:6], data[:3], data[6:10]
        yield Loop(
            int(one),
            int(two),
            tuple(a.tolist()),
            tuple(b.tolist()),
            None if turn is None else tuple(turn.tolist()),
        )


def _left_out(mujoco: Mj, model: Mj) -> Iterator[str]:
    """Yield a warning for each kind of shape that is not drawn, and each constraint."""
    kinds = [mujoco.mjtGeom(kind).name[7:].lower() for kind in model.geom_type]
    for kind in sorted(set(kinds) - set(Geom.KINDS)):
        count = kinds.count(kind)
        yield f"{count} {kind} geom{'s are' if count > 1 else ' is'} not drawn"
    for what, count in (("skin", model.nskin), ("flexible body", model.nflex)):
        if count:
            yield f"{what} elements are not drawn: {count}"
    for i in np.flatnonzero(model.eq_active0).tolist():
        kind = mujoco.mjtEq(model.eq_type[i]).name[5:].lower()
        if kind in ("joint", "connect", "weld"):
            continue
        said = f"<{kind}> {shown(_name(model.eq(i), 'equality', i))}"
        yield f"{said} is not supported: its parts move independently"


def _mesh(mesh: Mj, model: Mj) -> Mesh:
    vertices = slice(mesh.vertadr[0], mesh.vertadr[0] + mesh.vertnum[0])
    faces = slice(mesh.faceadr[0], mesh.faceadr[0] + mesh.facenum[0])
    points = model.mesh_vert[vertices].astype(np.float64)
    triangles = model.mesh_face[faces].astype(np.int32)
    points.flags.writeable = triangles.flags.writeable = False
    return Mesh(mesh.name, points, triangles)


def _name(named: Mj, what: str, i: int) -> str:
    return named.name or f"{what} {i}"
