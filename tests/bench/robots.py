"""Third-party robots: what their files contain and how they move, beside other readers.

    python -m tests.bench.robots [FILE ...] [--sheet FOLDER] [--poses 20]

Without a file: all URDF files of example-robot-data, rtb-data and pybullet_data, and
the MJCF files of dm_control, as far as these packages are installed. For each file:

* joints; links with visuals in the XML, and those that are drawn;
* how far corners of drawn meshes are from those that plain readers find in the mesh
  files, of the mesh's size (pose and scale), and colours of shapes from the XML's;
* how far bodies and shapes are from MuJoCo's and pinocchio's at random poses;
* how many sentences the robot's ``warnings`` hold. A link with visuals that is not
  drawn and has no sentence is called SILENT, and the exit code is then 1.

``--sheet`` also renders the robots, 20 to a picture.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import panda3d.core as p3d

import ikrig
from tests.robot_files import corners, files_of, mujoco_of, visuals, xml_root

COLUMNS = 5
TILE = 240
PACKAGES = (
    ("example-robot-data", "example-robot-data/robots/**/*.urdf"),
    ("rtbdata", "xacro/**/*.urdf"),
    ("pybullet_data", "**/*.urdf"),
    ("dm_control", "suite/*.xml"),
)


def found_files() -> list[Path]:
    """All robots of the packages that are installed."""
    found = [file for name, pattern in PACKAGES for file in files_of(name, pattern)]
    # 900 stones are no robots
    return [file for file in found if "random_urdfs" not in file.parts]


def look(path: Path, poses: int) -> dict[str, Any]:
    """Return a row of the table."""
    row: dict[str, Any] = {"file": path}
    try:
        model = ikrig.load_robot(path, allow=[path.parents[1], *path.parents[2:4]])
    except ikrig.IkrigError as error:
        return row | {"error": str(error).removeprefix(f"{path}: ")}
    robot = ikrig.Robot(model, p3d.NodePath("stage"))
    row |= {"joints": len(model.joint_names), "warnings": len(robot.warnings)}
    if is_urdf(path):
        row |= drawn(path, model, robot)
        row["mujoco"] = peer(lambda: beside_mujoco(model, mujoco_of(path), poses))
        row["pinocchio"] = peer(lambda: beside_pinocchio(model, path, poses))
    else:
        import mujoco

        own = mujoco.MjModel.from_xml_path(str(path))
        # it takes frames that are nearly equal for equal
        own.geom_sameframe[:] = 0
        links = set(own.geom_bodyid.tolist())
        shown = sum(bool(geoms) for geoms in model.geoms)
        row |= {"links": len(links), "drawn": shown, "silent": []}
        row["mujoco"] = peer(lambda: beside_mujoco(model, own, poses, sites=True))
    robot.remove()
    return row


def is_urdf(path: Path) -> bool:
    """Whether a file is in the words of URDF."""
    return xml_root(path).tag == "robot"


def drawn(path: Path, model: ikrig.RobotModel, robot: ikrig.Robot) -> dict[str, Any]:
    """Compare what is drawn with the XML and the mesh files."""
    nodes = {
        name: [n for n in robot.body(name).get_children() if n.node().is_geom_node()]
        for name in model.body_names
    }
    geoms = dict(zip(model.body_names, model.geoms, strict=True))
    links, silent, far, shade = set(), [], 0.0, 0.0
    kept = {name: [g for g in row if not g.collides] for name, row in geoms.items()}
    seen = {name for name, row in kept.items() if row and nodes[name]}
    colours = materials(path)
    for link, _ in visuals(path):
        links.add(link)
        words = [text for text in robot.warnings if f" link {link!r} " in text]
        words += [text for text in robot.warnings if f"shape of {link} " in text]
        if link not in seen and not words:
            silent.append(link)
    for name in seen & links:
        own = [v for link, v in visuals(path) if link == name]
        if len(own) != len(kept[name]) or len(own) != len(nodes[name]):
            continue
        for visual, geom, node in zip(own, kept[name], nodes[name], strict=True):
            mesh = visual.find("geometry/mesh")
            wanted = colours(visual)
            plain = mesh is None or str(mesh.get("filename")).lower().endswith("stl")
            if plain and wanted is not None:
                state = node.get_net_state().compose(node.node().get_geom_state(0))
                colour = state.get_attrib(p3d.ColorAttrib).get_color()
                shade = max(shade, float(np.abs(np.array(colour) - wanted).max()))
            if mesh is None:
                continue
            low, high = bounds_in_file(visual, mesh, geom.mesh.path)
            ends = node.get_tight_bounds(node.get_parent())
            found = np.array([list(end) for end in ends])
            size = max(float((high - low).max()), 1e-12)
            far = max(far, float(np.abs(found - [low, high]).max()) / size)
    return {
        "links": len(links),
        "drawn": len(links & seen),
        "silent": silent,
        "far": far,
        "shade": shade,
    }


def materials(path: Path) -> Callable[[ElementTree.Element], np.ndarray | None]:
    """Return what finds the colour of a visual in the XML."""
    known: dict[str, np.ndarray] = {}
    root = xml_root(path)
    # the robot's own before those of its links
    for material in (*root.findall("material"), *root.iter("material")):
        color = material.find("color")
        name = material.get("name", "")
        if color is not None and name:
            known.setdefault(name, np.array(color.get("rgba").split(), float))

    def colour(visual: ElementTree.Element) -> np.ndarray | None:
        material = visual.find("material")
        if material is None or material.find("texture") is not None:
            return None
        color, name = material.find("color"), material.get("name", "")
        # the first material of a name counts
        if name in known or color is None:
            return known.get(name)
        return np.array(color.get("rgba").split(), float)

    return colour


def bounds_in_file(
    visual: ElementTree.Element, mesh: ElementTree.Element, file: Path
) -> tuple[np.ndarray, np.ndarray]:
    """Return where a mesh is in its body's frame, by the XML and the mesh file."""
    # one file has four numbers; the first three count
    scale = np.array((mesh.get("scale") or "1 1 1").split(), float)[:3]
    origin = visual.find("origin")
    xyz, rpy = (
        np.array((origin.get(key) or "0 0 0").split(), float)
        if origin is not None
        else np.zeros(3)
        for key in ("xyz", "rpy")
    )
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    turn = np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
    points = (corners(file) * scale) @ turn.T + xyz
    return points.min(axis=0), points.max(axis=0)


def peer(compare: Callable[[], float]) -> float | str:
    """Return the largest difference, or the peer's message."""
    try:
        return compare()
    except ImportError:
        return "-"
    except Exception as error:
        return " ".join(str(error).split())[:60]


def beside_mujoco(
    model: ikrig.RobotModel, own: Any, poses: int, *, sites: bool = False
) -> float:
    """Return how far bodies, shapes and sites are at random poses."""
    import mujoco

    data, state, far = mujoco.MjData(own), ikrig.RobotState(model), 0.0
    bodies = [own.body(name).id for name in model.body_names] if not sites else ...
    rng = np.random.default_rng(own.nq)
    rows = _rows(model, own) if not sites else ...
    for _ in range(poses):
        data.qpos[:] = rng.normal(size=own.nq)
        state.qpos[:] = data.qpos[rows]
        mujoco.mj_kinematics(own, data)
        state.update()
        pairs = [
            (state.pose.xpos, data.xpos[bodies]),
            (state.pose.xmat.reshape(-1, 9), data.xmat[bodies]),
        ]
        if sites:
            kinds = [mujoco.mjtGeom(k).name[7:].lower() for k in own.geom_type]
            shown = np.isin(kinds, ikrig.Geom.KINDS)
            pairs += [
                (state.pose.site_xpos, data.site_xpos),
                (state.pose.geom_xpos, data.geom_xpos[shown]),
                (state.pose.geom_xmat.reshape(-1, 9), data.geom_xmat[shown]),
            ]
        far = max(far, *(float(np.abs(a - b).max(initial=0.0)) for a, b in pairs))
    return far


def _rows(model: ikrig.RobotModel, own: Any) -> np.ndarray:
    """Return where the model's coordinates are in the peer's."""
    starts = [int(own.joint(name).qposadr[0]) for name in model.joint_names]
    sizes = [kind.coordinates for kind in model.joint_kinds]
    pairs = zip(starts, sizes, strict=True)
    return np.array([s + i for s, n in pairs for i in range(n)], int)


def beside_pinocchio(model: ikrig.RobotModel, path: Path, poses: int) -> float:
    """Return how far links are at random poses of hinges and slides."""
    import pinocchio as pin

    own = pin.buildModelFromUrdf(str(path))
    data, far = own.createData(), 0.0
    rng = np.random.default_rng(own.nq)
    names = [name for name in model.joint_names if own.existJointName(name)]
    if len(names) != own.njoints - 1 or own.nv != len(names):
        raise ValueError("joints of other kinds")
    state = ikrig.RobotState(model)
    frames = [
        (b, own.getFrameId(name, pin.FrameType.BODY))
        for b, name in enumerate(model.body_names)
        if own.existBodyName(name)
    ]
    for _ in range(poses):
        angles = dict(zip(names, rng.uniform(-3, 3, len(names)), strict=True))
        qpos = pin.neutral(own)
        for name, angle in angles.items():
            joint = own.joints[own.getJointId(name)]
            values = [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
            qpos[joint.idx_q : joint.idx_q + joint.nq] = values
        state.qpos[:] = [angles.get(name, 0.0) for name in model.joint_names]
        state.update()
        pin.framesForwardKinematics(own, data, qpos)
        for b, frame in frames:
            place = data.oMf[frame]
            far = max(far, float(np.abs(state.pose.xpos[b] - place.translation).max()))
            far = max(far, float(np.abs(state.pose.xmat[b] - place.rotation).max()))
    return far


def sheet(files: list[Path], folder: Path) -> None:
    """Render robots side by side."""
    p3d.load_prc_file_data(
        "",
        "window-type offscreen\nload-display p3headlessgl\naux-display p3tinydisplay\n"
        "notify-level-egldisplay error\n"
        f"audio-library-name null\nwin-size {TILE} {TILE}",
    )
    from direct.showbase.ShowBase import ShowBase

    base = ShowBase()
    base.set_background_color(0.32, 0.35, 0.39, 1)
    base.camLens.set_aspect_ratio(1.0)
    for name, colour, hpr in (("sun", 0.9, (-40, -50, 0)), ("sky", 0.35, (120, 10, 0))):
        light = p3d.DirectionalLight(name)
        light.set_color((colour, colour, colour, 1))
        node = base.render.attach_new_node(light)
        node.set_hpr(*hpr)
        base.render.set_light(node)
    ambient = p3d.AmbientLight("ambient")
    ambient.set_color((0.3, 0.3, 0.3, 1))
    base.render.set_light(base.render.attach_new_node(ambient))
    folder.mkdir(parents=True, exist_ok=True)
    shown = []
    for file in files:
        try:
            model = ikrig.load_robot(file, allow=[file.parents[1], *file.parents[2:4]])
        except ikrig.IkrigError:
            continue
        robot = ikrig.Robot(model, base.render)
        shapes = robot.root.find_all_matches("**/+GeomNode")
        # floors and walls are the world's
        moved = [node for node in shapes if node.get_parent() != robot.body("world")]
        ends = [node.get_tight_bounds(base.render) for node in moved or shapes]
        if points := [point for pair in ends if pair for point in pair]:
            low = p3d.LPoint3(*(min(axis) for axis in zip(*points, strict=True)))
            high = p3d.LPoint3(*(max(axis) for axis in zip(*points, strict=True)))
            middle, radius = (low + high) * 0.5, max((high - low).length() * 0.5, 1e-3)
            away = p3d.LVector3(1.3, -1.6, 0.9)
            away.normalize()
            base.camLens.set_near_far(0.01 * radius, 20.0 * radius)
            base.camera.set_pos(middle + away * (radius * 3.3))
            base.camera.look_at(middle)
        base.graphicsEngine.render_frame()
        base.graphicsEngine.render_frame()
        image = p3d.PNMImage()
        base.win.get_screenshot(image)
        shown.append((file, image))
        robot.remove()
    rows = 4
    for k in range(0, len(shown), COLUMNS * rows):
        page = p3d.PNMImage(COLUMNS * TILE, rows * TILE)
        for i, (file, image) in enumerate(shown[k : k + COLUMNS * rows]):
            x, y = i % COLUMNS * TILE, i // COLUMNS * TILE
            page.copy_sub_image(image, x, y)
            print(f"row {y // TILE} column {x // TILE}: {file.stem}")
        target = folder / f"robots_{k // (COLUMNS * rows):02d}.png"
        page.write(p3d.Filename.from_os_specific(str(target)))
        print(target)


def main(words: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--poses", type=int, default=20)
    parser.add_argument("--sheet", type=Path)
    options = parser.parse_args(words)
    files = options.files or found_files()
    if options.sheet:
        sheet(files, options.sheet)
        return 0
    print(
        f"{'file':44}{'joints':>7}{'links':>6}{'drawn':>6}{'warn':>5}"
        f"{'meshes':>9}{'colour':>8}{'mujoco':>9}  pinocchio"
    )
    silent = failed = 0
    for file in files:
        row = look(file, options.poses)
        label = "/".join(file.parts[-3:])[-43:]
        if "error" in row:
            failed += 1
            print(f"{label:44} {row['error'][:120]}")
            continue
        cells = [_cell(row.get(key)) for key in ("far", "shade", "mujoco")]
        print(
            f"{label:44}{row['joints']:7}{row['links']:6}{row['drawn']:6}"
            f"{row['warnings']:5}{cells[0]:>9}{cells[1]:>8}{cells[2]:>9}  "
            f"{_cell(row.get('pinocchio'))}" + "  SILENT" * bool(row["silent"]),
            flush=True,
        )
        silent += bool(row["silent"])
    print(f"{len(files)} files: {failed} refused, {silent} silent")
    return 1 if silent else 0


def _cell(value: Any) -> str:
    return f"{value:.0e}" if isinstance(value, float) else str(value or "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
