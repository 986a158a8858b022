"""Robots from URDF files.

Bodies, joints and frames match those that MuJoCo reads; no package is needed. Visuals
keep the paths of their meshes, which the engine's loader opens.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from ..errors import ModelError, shown
from ..files.file_access import FileAccess
from ..math3d.quaternion import Floats, from_matrix, from_rpy, from_to, rotate
from ..model.body_spec import IDENTITY, Body, Geom, Joint, MeshFile, Numbers
from ..model.robot import RobotModel
from ..model.skeleton import LARGEST
from .mesh_files import MeshFinder
from .part import Values

Element = ElementTree.Element

XACRO = re.compile(r"\{http://(?:www\.)?ros\.org/.*xacro\}", re.DOTALL)
KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
GREY = (0.5, 0.5, 0.5, 1.0)
VISUAL_GROUP = 1


def urdf_model(root: Element, path: Path, access: FileAccess) -> RobotModel:
    """Return the model of a ``<robot>`` element.

    Args:
        root: The element.
        path: Its file; meshes are searched for from its folder upwards.
        access: The files that may be opened.

    Returns:
        The model; its ``warnings`` list what is missing or ignored.
    """
    for element in root.iter():
        if isinstance(element.tag, str) and XACRO.match(element.tag):
            raise ModelError(
                f"contains <xacro:{XACRO.sub('', element.tag)}>: it is a template, "
                f"which must be expanded to a URDF file first: xacro {path.name} > "
                "robot.urdf (the command is in the package xacro)"
            )
    return _Reader(root, path, access).model()


class _Reader:
    def __init__(self, root: Element, path: Path, access: FileAccess) -> None:
        self.root = root
        compiler = root.find("mujoco/compiler")
        folder = "" if compiler is None else compiler.get("meshdir", "")
        self.finder = MeshFinder(path, access, (folder,) if folder else ())
        self.name = path.stem
        self.warnings: dict[str, None] = {}
        self.materials: dict[str, tuple[Numbers, Path | None]] = {}
        # among equal names the robot's own wins, else the first in the file
        for material in (*root.findall("material"), *root.iter("material")):
            name = material.get("name", "")
            if name and len(material) and name not in self.materials:
                self.materials[name] = self.material(material)

    def model(self) -> RobotModel:
        links = {_name(link): link for link in self.root.findall("link")}
        if not links:
            raise ModelError("has no <link>")
        if len(links) < len(self.root.findall("link")):
            names = [_name(link) for link in self.root.findall("link")]
            twice = next(name for name in names if names.count(name) > 1)
            raise ModelError(f"two links are named {shown(twice)}")
        children: dict[str, list[Element]] = {name: [] for name in links}
        carried: dict[str, str] = {}
        for joint in self.root.findall("joint"):
            parent, child = (_link(joint, end, links) for end in ("parent", "child"))
            if child in carried:
                raise ModelError(
                    f"link {shown(child)} is the child of two joints, "
                    f"{shown(carried[child])} and {shown(_name(joint))}"
                )
            carried[child] = _name(joint)
            children[parent].append(joint)
        tops = [name for name in links if name not in carried]
        if len(tops) != 1:
            found = ", ".join(map(shown, tops)) or "none"
            raise ModelError(
                "exactly one link must be the root, the child of no joint; root "
                f"links: {found}"
            )
        bodies: list[Body] = []
        # depth first: the order of MuJoCo
        waiting: list[tuple[str, str, Element | None]] = [(tops[0], "world", None)]
        while waiting:
            name, parent, carrier = waiting.pop()
            bodies.append(self.body(links[name], parent, carrier))
            waiting += [
                (_link(below, "child", links), name, below)
                for below in reversed(children[name])
            ]
        if len(bodies) < len(links):
            left = set(links) - {body.name for body in bodies}
            raise ModelError(
                f"the joints of these links form a cycle: {', '.join(sorted(left))}"
            )
        warnings = (*self.warnings, *self.finder.warnings)
        return RobotModel(bodies, name=self.name, warnings=warnings)

    def body(self, link: Element, parent: str, joint: Element | None) -> Body:
        name = _name(link)
        pos, quat = _origin(joint, f"joint of link {shown(name)}")
        centre = self.centre(link, name)
        visuals = [self.geom(v, name, visual=True) for v in link.findall("visual")]
        hulls = [self.geom(c, name, visual=False) for c in link.findall("collision")]
        geoms = [geom for geom in (*visuals, *hulls) if geom is not None]
        return Body(
            name,
            parent=parent,
            pos=pos,
            quat=quat,
            joints=() if joint is None else self.joints(joint),
            geoms=geoms,
            ipos=centre[0],
            iquat=centre[1],
        )

    def joints(self, element: Element) -> list[Joint]:
        """Return the joints of an element: none if fixed, three if planar, else one."""
        name, kind = _name(element), element.get("type", "")
        label = f"joint {shown(name)}"
        axis = _numbers(element.find("axis"), "xyz", 3, label, (1.0, 0.0, 0.0))
        if kind == "fixed":
            return []
        if kind == "floating":
            return [Joint(name, "free")]
        if kind == "spherical":
            return [Joint(name, "ball")]
        if not axis.any():
            raise ModelError(
                f"axis xyz of {label} is '0 0 0': it must have a direction"
            )
        if kind == "planar":
            turned = from_to((0.0, 0.0, 1.0), axis)
            x, y = (rotate(turned, unit) for unit in np.eye(3)[:2])
            return [
                Joint(f"{name}_TX", "slide", axis=x),
                Joint(f"{name}_TY", "slide", axis=y),
                Joint(f"{name}_RZ", "hinge", axis=axis),
            ]
        if kind not in KINDS:
            raise ModelError(
                f"type of {label} is {shown(kind)}; it must be one of "
                f"{', '.join((*KINDS, 'spherical'))}"
            )
        limit = None if kind == "continuous" else element.find("limit")
        bounds = None
        if limit is not None:
            lower = float(_numbers(limit, "lower", 1, label, (0.0,))[0])
            upper = float(_numbers(limit, "upper", 1, label, (0.0,))[0])
            if lower < upper:
                bounds = (lower, upper)
            else:
                self.warn(
                    f"{label} has the range {lower:g} to {upper:g}, which is empty: "
                    "it moves without limits"
                )
        turns = "slide" if kind == "prismatic" else "hinge"
        further = self.coupling(element, label)
        limit = element.find("limit")
        speed = float(_numbers(limit, "velocity", 1, label, (0.0,), finite=False)[0])
        if 0.0 < speed <= LARGEST:
            # 0 stands for unknown in many files
            further["speed"] = speed
        return [Joint(name, turns, axis=axis, range=bounds, **further)]

    def coupling(self, element: Element, label: str) -> Values:
        mimic = element.find("mimic")
        if mimic is None:
            return {}
        driver = mimic.get("joint", "")
        kinds = {
            joint.get("name"): joint.get("type") for joint in self.root.findall("joint")
        }
        if kinds.get(driver) not in ("revolute", "continuous", "prismatic"):
            what = f"a {kinds[driver]} joint" if driver in kinds else "not a joint"
            self.warn(
                f"{label} mimics {shown(driver)}, which is {what}: it moves "
                "independently"
            )
            return {}
        where = f"mimic of {label}"
        return {
            "mimic": driver,
            "multiplier": float(_numbers(mimic, "multiplier", 1, where, (1.0,))[0]),
            "offset": float(_numbers(mimic, "offset", 1, where, (0.0,))[0]),
        }

    def centre(self, link: Element, name: str) -> tuple[Floats, Floats]:
        inertial = link.find("inertial")
        label = f"inertial of link {shown(name)}"
        if inertial is None:
            return np.zeros(3), np.array(IDENTITY)
        pos, quat = _origin(inertial, label)
        element = inertial.find("inertia")
        keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        xx, xy, xz, yy, yz, zz = (
            float(_numbers(element, key, 1, label, (0.0,), finite=False)[0])
            for key in keys
        )
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if not np.isfinite(tensor).all() or not tensor[~np.eye(3, dtype=bool)].any():
            # the inertia is diagonal already, or not usable
            return pos, quat
        axes = np.linalg.eigh(tensor)[1][:, ::-1]
        axes = axes * (1.0, 1.0, np.sign(np.linalg.det(axes)))
        turn = np.stack([rotate(quat, axis) for axis in axes.T], axis=1)
        return pos, from_matrix(turn)

    def geom(self, element: Element, link: str, *, visual: bool) -> Geom | None:
        """Return a shape; None, with a warning, when it can't be drawn."""
        what = "visual" if visual else "collision"
        label = f"{what} of link {shown(link)}"
        pos, quat = _origin(element, label)
        geometry = element.find("geometry")
        shape = next(iter(geometry), None) if geometry is not None else None
        if shape is None:
            self.warn(f"{label} has no geometry and is not drawn")
            return None
        rgba: Numbers
        rgba, texture = GREY, None
        if visual and (material := element.find("material")) is not None:
            rgba, texture = self.material_of(material)
        common: Values = {
            "pos": pos,
            "quat": quat,
            "rgba": rgba,
            "texture": texture,
            "name": element.get("name", ""),
            "group": VISUAL_GROUP if visual else 0,
            "collides": not visual,
        }
        kind = shape.tag
        if kind == "mesh":
            name = shape.get("filename", "")
            scale = self.scale(shape, link)
            file = self.finder.mesh(name)
            if isinstance(file, str):
                self.warn(f"{label} is not drawn: {file}")
                return None
            x, y, z = scale.tolist()
            mesh = MeshFile(file, (x, y, z))
            return Geom("mesh", mesh=mesh, **common)
        if kind == "box":
            size = 0.5 * _numbers(shape, "size", 3, label)
        elif kind in ("sphere", "cylinder", "capsule"):
            radius = float(_numbers(shape, "radius", 1, label)[0])
            length = 0.0 if kind == "sphere" else _numbers(shape, "length", 1, label)[0]
            size = np.array([radius, 0.5 * length, 0.0])
        else:
            self.warn(f"{label} is not drawn: geometry <{kind}> is unknown")
            return None
        return Geom(kind, size=size, **common)

    def scale(self, mesh: Element, link: str) -> Floats:
        """Return a mesh's scale: of more numbers than three the first three."""
        numbers = mesh.get("scale", "").split()
        if len(numbers) > 3:
            self.warn(
                f"a mesh of link {shown(link)} has the scale "
                f"{shown(mesh.get('scale'))}: only the first three numbers are used"
            )
            mesh.set("scale", " ".join(numbers[:3]))
        label = f"mesh of link {shown(link)}"
        return _numbers(mesh, "scale", 3, label, (1.0, 1.0, 1.0))

    def material_of(self, element: Element) -> tuple[Numbers, Path | None]:
        name = element.get("name", "")
        if not name:
            return self.material(element)
        if name not in self.materials:
            self.materials[name] = self.material(element)
            self.warn(
                f"material {shown(name)} has no colour in the file: it is drawn grey"
            )
        return self.materials[name]

    def material(self, element: Element) -> tuple[Numbers, Path | None]:
        label = f"material {shown(element.get('name', ''))}"
        color, image = element.find("color"), element.find("texture")
        # some exporters write an empty element
        image = None if image is None or not image.get("filename") else image
        rgba: Numbers = GREY if image is None else (1.0, 1.0, 1.0, 1.0)
        if color is not None:
            rgba = np.clip(_numbers(color, "rgba", 4, label), 0.0, 1.0)
        if image is None:
            return rgba, None
        texture = self.finder.texture(image.get("filename", ""))
        if isinstance(texture, str):
            self.warn(f"texture of {label} is not drawn: {texture}")
            return rgba, None
        return rgba, texture

    def warn(self, text: str) -> None:
        self.warnings[text] = None


def _name(element: Element) -> str:
    name = element.get("name", "")
    if not name:
        raise ModelError(f"a <{element.tag}> needs a name")
    return name


def _link(joint: Element, end: str, links: dict[str, Element]) -> str:
    element = joint.find(end)
    name = "" if element is None else element.get("link", "")
    if name not in links:
        label = f"{end} of joint {shown(_name(joint))}"
        raise ModelError(f"{label} is {shown(name)}, which is not a link")
    return name


def _origin(element: Element | None, label: str) -> tuple[Floats, Floats]:
    origin = None if element is None else element.find("origin")
    pos = _numbers(origin, "xyz", 3, f"origin of {label}", (0.0, 0.0, 0.0))
    rpy = _numbers(origin, "rpy", 3, f"origin of {label}", (0.0, 0.0, 0.0))
    return pos, np.asarray(from_rpy(rpy.tolist()), float)


def _numbers(
    element: Element | None,
    key: str,
    count: int,
    label: str,
    default: tuple[float, ...] | None = None,
    *,
    finite: bool = True,
) -> Floats:
    text = None if element is None else element.get(key)
    if text is None and default is not None:
        return np.array(default, float)
    try:
        values = np.array([float(token) for token in (text or "").split()])
    except ValueError:
        values = np.zeros(0)
    if values.shape != (count,) or (finite and not np.isfinite(values).all()):
        raise ModelError(
            f"{key} of {label} must be {count} finite number{'s' * (count > 1)}, not "
            f"{shown(text)}"
            + (
                ": separate the numbers with spaces, not commas"
                if "," in (text or "")
                else ""
            )
        )
    return values
