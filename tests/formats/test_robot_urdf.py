"""URDF files, compared with MuJoCo and Pinocchio, and their errors."""

from __future__ import annotations

import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from ikrig import AccessError, JointKind, MeshFile, ModelError, RobotState, load_robot
from tests.robot_files import cases, mujoco_of, visuals

# an empty one
EMPTY = "ur_description/urdf/ur3.urdf"
ROBOTS = cases("example-robot-data", "example-robot-data/robots/**/*.urdf")
ROBOTS = [case for case in ROBOTS if not str(case.values[0]).endswith(EMPTY)]
ROBOTS += cases("rtbdata", "xacro/**/*.urdf")
ROBOTS += cases("pybullet_data", "*/*robot*.urdf")


def robot(body: str) -> str:
    return f'<robot name="r">{body}</robot>'


def write(tmp_path, text: str, name: str = "robot.urdf"):
    (tmp_path / "bot" / "urdf").mkdir(parents=True, exist_ok=True)
    path = tmp_path / "bot" / "urdf" / name
    path.write_text(text)
    return path


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    # MuJoCo writes its warnings to a file in the current folder
    monkeypatch.chdir(tmp_path)


def agree(model, tree, count: int) -> None:
    """Bodies, joints and shapes stand where MuJoCo puts them, by name."""
    import mujoco

    rng = np.random.default_rng(model.nq)
    data, state = mujoco.MjData(model), RobotState(tree)
    bodies = [model.body(name).id for name in tree.body_names]
    joints = [model.joint(name).id for name in tree.joint_names]
    rows = np.concatenate(
        [
            np.arange(kind.coordinates) + model.jnt_qposadr[j]
            for kind, j in zip(tree.joint_kinds, joints, strict=True)
        ]
        or [np.zeros(0, int)]
    )
    shapes = [geom.mesh is None for geoms in tree.geoms for geom in geoms]
    assert np.allclose(tree.qpos0, model.qpos0[rows], atol=1e-12)
    for _ in range(count):
        qpos = rng.normal(size=model.nq)
        data.qpos[:], state.qpos[:] = qpos, qpos[rows]
        mujoco.mj_kinematics(model, data)
        state.update()
        for name, index in (
            *(("xpos", bodies), ("xanchor", joints)),
            *(("xmat", bodies), ("xaxis", joints)),
        ):
            theirs, ours = getattr(data, name)[index], getattr(state.pose, name)
            assert np.allclose(ours.reshape(theirs.shape), theirs, rtol=0, atol=1e-9)
        theirs = np.hstack((data.geom_xpos, data.geom_xmat))
        found = state.pose.geom_xmat.reshape(-1, 9)
        ours = np.hstack((state.pose.geom_xpos, found))[shapes]
        assert len(ours) == len(theirs)
        # their order within a body is another one
        far = np.abs(theirs[:, None] - ours[None]).max(axis=2)
        assert not len(far) or far.min(axis=1).max() < 1e-9


@pytest.mark.parametrize("path", ROBOTS)
def test_robots_match_mujoco(path):
    pytest.importorskip("mujoco", reason="the package mujoco is not installed")
    # some draw themselves with meshes of other robots of their package
    packages = path.parents[2]
    tree = load_robot(path, allow=[packages])
    agree(mujoco_of(path), tree, 5)
    root = ElementTree.parse(path).getroot()
    links = {link.get("name") for link in root.findall("link")}
    assert links - set(tree.body_names) == set()
    for joint in root.findall("joint"):
        kind, limit = joint.get("type"), joint.find("limit")
        if kind not in ("revolute", "prismatic"):
            continue
        row = tree.joint_index(joint.get("name"))
        wanted = JointKind.HINGE if kind == "revolute" else JointKind.SLIDE
        assert tree.joint_kinds[row] is wanted
        bounds = [0.0, 0.0]
        if limit is not None:
            bounds = [float(limit.get(end, 0)) for end in ("lower", "upper")]
        if bounds[0] < bounds[1]:
            assert tree.joint_ranges[row].tolist() == bounds
        else:
            assert any(repr(joint.get("name")) in text for text in tree.warnings)
    # a visual is there, or a sentence says why not
    shown = {
        tree.body_names[b]: sum(not geom.collides for geom in geoms)
        for b, geoms in enumerate(tree.geoms)
    }
    for link in root.findall("link"):
        missing = len(link.findall("visual")) - shown[link.get("name")]
        words = f"visual of link {link.get('name')!r}"
        said = sum(text.startswith(words) for text in tree.warnings)
        assert missing == 0 or 0 < said <= missing
    assert {name for name, _ in visuals(path)} <= links


@pytest.mark.parametrize(
    "path", cases("example-robot-data", "example-robot-data/robots/**/ur5_robot.urdf")
)
def test_robots_match_pinocchio(path):
    pin = pytest.importorskip(
        "pinocchio", reason="the package pin is not installed: pip install pin"
    )
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    tree = load_robot(path)
    rng = np.random.default_rng(5)
    order = [list(model.names).index(name) - 1 for name in tree.joint_names]
    for _ in range(100):
        qpos = rng.uniform(-3, 3, model.nq)
        pin.framesForwardKinematics(model, data, qpos)
        pose = RobotState(tree, qpos=qpos[order]).pose
        for i, name in enumerate(tree.body_names[1:], start=1):
            place = data.oMf[model.getFrameId(name)]
            assert np.allclose(pose.xpos[i], place.translation, atol=1e-9)
            assert np.allclose(pose.xmat[i], place.rotation, atol=1e-9)


ARM = """
  <material name="red"><color rgba="1 0 0 0.5"/></material>
  <link name="base"><visual name="drawn"><origin xyz="1 2 3" rpy="0 0 1.5707963"/>
    <geometry><mesh filename="package://bot/part.obj" scale="2 2 -2"/></geometry>
    <material name="red"/></visual></link>
  <link name="tool"><visual><geometry><mesh filename="package://bot/no.dae"/>
    </geometry></visual>
    <collision><geometry><box size="2 4 6"/></geometry></collision>
    <inertial><origin xyz="0 0 1"/><mass value="1"/><inertia ixx="2" iyy="2" izz="1"
    ixy="1" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"/>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="tool"/>
    <axis xyz="0 2 0"/><origin xyz="0 0 1"/><limit lower="-1" upper="2"/></joint>
  <joint name="weld" type="fixed"><parent link="tool"/><child link="tip"/></joint>
"""


def test_contents_of_a_file_are_read(tmp_path):
    path = write(tmp_path, robot(ARM))
    part = tmp_path / "bot" / "part.obj"
    part.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    tree = load_robot(path)
    assert (tree.name, tree.joint_names) == ("robot", ("elbow",))
    assert tree.body_names == ("world", "base", "tool", "tip")
    assert tree.joint_ranges.tolist() == [[-1, 2]]
    assert tree.joint_axes.tolist() == [[0, 1, 0]]
    (drawn,) = tree.geoms[1]
    assert drawn.mesh == MeshFile(part, (2.0, 2.0, -2.0))
    assert (drawn.name, drawn.collides) == ("drawn", False)
    assert list(drawn.rgba) == [1, 0, 0, 0.5]
    assert list(drawn.pos) == [1, 2, 3]
    assert np.allclose(drawn.quat, [np.sqrt(0.5), 0, 0, np.sqrt(0.5)], atol=1e-6)
    (hull,) = tree.geoms[2]
    assert (hull.kind, hull.size.tolist(), hull.collides) == ("box", [1, 2, 3], True)
    # the largest moment, 3, is about (1, 1, 0)
    assert tree.body_ipos[2].tolist() == [0, 0, 1]
    state = RobotState(tree, qpos=[0])
    assert np.allclose(abs(state.pose.ximat[2][:, 0]), [np.sqrt(0.5)] * 2 + [0])
    (warning,) = tree.warnings
    assert warning.startswith("visual of link 'tool' is not drawn: ")
    assert "'package://bot/no.dae' was not found: looked for bot/no.dae and " in warning
    assert str(path.parent) in warning and "--allow DIR" in warning


def test_files_are_searched_only_in_allowed_folders(tmp_path):
    path = write(tmp_path, robot(ARM))
    far = tmp_path / "far" / "bot"
    far.mkdir(parents=True)
    (far / "no.dae").write_text("<COLLADA><init_from>../../x.png</init_from></COLLADA>")
    assert len(load_robot(path).warnings) == 2
    found = load_robot(path, allow=[far.parent])
    assert [geom.mesh.path for geom in found.geoms[2] if geom.mesh] == [far / "no.dae"]
    # what the mesh names must be allowed, too
    (tmp_path / "x.png").write_text("")
    with pytest.raises(AccessError, match=r"robot\.urdf: '\.\./\.\./x\.png' is "):
        load_robot(path, allow=[far.parent])
    for text in ("&#46;./../x.png", "<![CDATA[../../x.png]]>", "file://../../x%2Epng"):
        (far / "no.dae").write_text(f"<C><init_from>{text}</init_from></C>")
        with pytest.raises(AccessError):
            load_robot(path, allow=[far.parent])
    mesh = tmp_path / "bot" / "part.obj"
    mesh.write_text("  mtllib part.mtl\n")
    (tmp_path / "bot" / "part.mtl").write_text("newmtl a\n map_Kd -s 1 1 1 ../../x.png")
    outer = tmp_path / "a" / "b"
    outer.mkdir(parents=True)
    (tmp_path / "bot").rename(outer / "bot")
    (tmp_path / "a" / "x.png").write_text("")
    with pytest.raises(AccessError, match=r"x\.png"):
        load_robot(outer / "bot" / "urdf" / "robot.urdf")


def test_pictures_that_decompress_too_large_are_refused(tmp_path):
    path = write(tmp_path, robot(ARM))
    (tmp_path / "bot" / "part.obj").write_text("mtllib part.mtl\n")
    (tmp_path / "bot" / "part.mtl").write_text("newmtl a\nmap_Kd big.png\n")
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
    (tmp_path / "bot" / "big.png").write_bytes(head + b"\0\0\xff\xff" * 2)
    with pytest.raises(
        ModelError, match=r"robot\.urdf: the image big\.png is too large"
    ):
        load_robot(path)


def test_first_of_equally_named_materials_is_used(tmp_path):
    look = (
        '<link name="{}"><visual><geometry><sphere radius="1"/></geometry>{}</visual>'
    )
    look += "</link>"
    red = '<material name="m"><color rgba="1 0 0 1"/></material>'
    body = look.format("a", '<material name="m"/>') + look.format("b", red)
    body += look.format("c", red.replace("1 0 0", "0 1 0"))
    body += look.format("d", '<material name="n"/>')
    for link in "bcd":
        body += JOINT.format("fixed", "a", link, "").replace('"j"', f'"{link}"')
    tree = load_robot(write(tmp_path, robot(body)))
    colours = [list(geoms[0].rgba) for geoms in tree.geoms[1:]]
    assert colours == [[1, 0, 0, 1]] * 3 + [[0.5, 0.5, 0.5, 1]]
    assert tree.warnings == (
        "material 'n' has no colour in the file: it is drawn grey",
    )


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ('<sphere radius="3"/>', [3, 0, 0]),
        ('<cylinder radius="3" length="8"/>', [3, 4, 0]),
        ('<capsule radius="3" length="8"/>', [3, 4, 0]),
        ('<box size="2 4 8"/>', [1, 2, 4]),
    ],
)
def test_shapes_have_half_sizes(tmp_path, shape, size):
    body = f'<link name="a"><visual><geometry>{shape}</geometry></visual></link>'
    body += '<link name="b"/>' + JOINT.format("fixed", "b", "a", "")
    (geom,) = load_robot(write(tmp_path, robot(body))).geoms[2]
    assert shape.startswith(f"<{geom.kind} ")
    assert geom.size.tolist() == size


def test_pictures_are_drawn_in_their_own_colours(tmp_path):
    look = '<link name="{}"><visual><geometry><sphere radius="1"/></geometry>'
    look += '<material name="{}">{}</material></visual></link>'
    image = '<texture filename="skin.png"/>'
    body = look.format("a", "m", image)
    body += look.format("b", "n", '<color rgba="2 0.5 -1 0.5"/>' + image)
    body += look.format("c", "o", '<texture filename=""/>')
    body += '<link name="base"/>'
    for link in "abc":
        joint = JOINT.format("fixed", "base", link, "")
        body += joint.replace('"j"', f'"{link}"')
    path = write(tmp_path, robot(body))
    (path.parent / "skin.png").write_bytes(b"")
    geoms = {
        name: geoms[0]
        for model in [load_robot(path)]
        for name, geoms in zip(model.body_names, model.geoms, strict=True)
        if geoms
    }
    assert [list(geoms[name].rgba) for name in "abc"] == [
        [1, 1, 1, 1],
        [1, 0.5, 0, 0.5],
        [0.5, 0.5, 0.5, 1],
    ]
    skin = path.parent / "skin.png"
    assert [geoms[name].texture for name in "abc"] == [skin, skin, None]


@pytest.mark.parametrize("key", ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"])
def test_inertia_that_is_no_number_leaves_the_axes(tmp_path, key):
    moments = {"ixx": 1, "iyy": 2, "izz": 3, "ixy": 0.5, "ixz": 0.1, "iyz": 0.2}
    for value in ("nan", "inf"):
        given = " ".join(f'{k}="{v}"' for k, v in (moments | {key: value}).items())
        body = '<link name="a"/><link name="b"><inertial>'
        body += f'<origin xyz="1 2 3" rpy="0 0 1"/><inertia {given}/></inertial></link>'
        tree = load_robot(
            write(tmp_path, robot(body + JOINT.format("fixed", "a", "b", "")))
        )
        assert tree.body_ipos[2].tolist() == [1, 2, 3]
        about_z = [np.cos(0.5), 0, 0, np.sin(0.5)]
        assert np.allclose(tree.body_iquat[2], about_z, atol=1e-12)


def mimicking(tmp_path, mimic, leads="revolute"):
    ends = '<limit lower="0" upper="1"/>'
    again = JOINT.format("revolute", "a", "c", f"{mimic}{ends}")
    body = LINKS + '<link name="c"/>' + JOINT.format(leads, "a", "b", ends)
    body += again.replace('"j" type', '"k" type')
    return load_robot(write(tmp_path, robot(body)))


def test_mimic_joints_are_read(tmp_path):
    tree = mimicking(tmp_path, '<mimic joint="j" multiplier="-2" offset="0.5"/>')
    assert tree.warnings == ()
    assert tree.couple([0.3, 7.0]).tolist() == [0.3, -2 * 0.3 + 0.5]
    tree = mimicking(tmp_path, '<mimic joint="j"/>')
    assert tree.couple([0.3, 7.0]).tolist() == [0.3, 0.3]


@pytest.mark.parametrize(
    ("mimic", "leads", "what"),
    [
        ('<mimic joint="q"/>', "revolute", "'q', which is not a joint"),
        ("<mimic/>", "revolute", "'', which is not a joint"),
        ('<mimic joint="j"/>', "fixed", "'j', which is a fixed joint"),
    ],
)
def test_invalid_mimic_is_reported(tmp_path, mimic, leads, what):
    tree = mimicking(tmp_path, mimic, leads)
    assert f"joint 'k' mimics {what}: it moves independently" in tree.warnings
    assert (tree.joint_drivers < 0).all()


def test_mimic_with_invalid_numbers_is_refused(tmp_path):
    with pytest.raises(ModelError, match="multiplier of mimic of joint 'k' must be 1"):
        mimicking(tmp_path, '<mimic joint="j" multiplier="x"/>')


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("floating", ["j"]),
        ("planar", ["j_TX", "j_TY", "j_RZ"]),
        ("continuous", ["j"]),
        ("spherical", ["j"]),
        ("fixed", []),
    ],
)
def test_joint_types_match_mujoco(tmp_path, kind, names):
    pytest.importorskip("mujoco", reason="the package mujoco is not installed")
    path = write(
        tmp_path,
        robot(
            '<link name="world"/><link name="b"><visual><origin xyz="1 0 2"/>'
            '<geometry><capsule radius="1" length="3"/></geometry></visual></link>'
            f'<joint name="j" type="{kind}"><parent link="world"/><child link="b"/>'
            '<origin xyz="1 2 3" rpy=".1 .2 .3"/><axis xyz="1 2 -.5"/></joint>'
        ),
    )
    tree = load_robot(path)
    assert list(tree.joint_names) == names
    assert tree.body_names == ("world", "b")
    agree(mujoco_of(path), tree, 3)


LINKS = '<link name="a"/><link name="b"/>'
JOINT = '<joint name="j" type="{}"><parent link="{}"/><child link="{}"/>{}</joint>'


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "has no <link>"),
        ('<link name="a"/><link name="a"/>', "two links are named 'a'"),
        ("<link/>", "a <link> needs a name"),
        (LINKS, "the child of no joint; root links: 'a', 'b'"),
        (LINKS + JOINT.format("fixed", "a", "c", ""), "child of joint 'j' is 'c'"),
        (LINKS + JOINT.format("bend", "a", "b", ""), "type of joint 'j' is 'bend'"),
        (LINKS + JOINT.format("revolute", "a", "b", '<axis xyz="0 0 0"/>'),
         "axis xyz of joint 'j' is '0 0 0'"),
        (LINKS + JOINT.format("fixed", "a", "b", '<origin xyz="1 2"/>'),
         "xyz of origin of joint of link 'b' must be 3 finite numbers, not '1 2'"),
        (LINKS + JOINT.format("fixed", "a", "b", '<origin xyz="0.07, 0, -1"/>'),
         "not '0.07, 0, -1': separate the numbers with spaces, not commas"),
        (LINKS + JOINT.format("fixed", "a", "b", '<origin rpy="nan 0 x"/>'),
         "rpy of origin of joint of link 'b' must be 3 finite numbers"),
        (
            LINKS
            + '<link name="c"/>'
            + JOINT.format("fixed", "a", "b", "")
            + JOINT.format("fixed", "b", "a", "").replace('"j"', '"k"'),
            "the joints of these links form a cycle: a, b",
        ),
        (
            LINKS
            + JOINT.format("fixed", "a", "b", "")
            + JOINT.format("fixed", "a", "b", "").replace('"j"', '"k"'),
            "link 'b' is the child of two joints, 'j' and 'k'",
        ),
        (
            '<link name="a"><visual><geometry><box size="1"/></geometry></visual>'
            "</link>",
            "size of visual of link 'a' must be 3 finite numbers, not '1'",
        ),
        ('<xacro:arm xmlns:xacro="http://www.ros.org/wiki/xacro"/><link name="a"/>',
         "contains <xacro:arm>: it is a template, .* xacro robot.urdf > robot.urdf"),
        ('<xacro:arm xmlns:xacro="http://ros.org/wiki/xacro"/><link name="a"/>',
         "contains <xacro:arm>: it is a template"),
    ],
)  # fmt: skip
def test_errors_are_one_clear_sentence(tmp_path, body, message):
    path = write(tmp_path, robot(body))
    with pytest.raises(ModelError, match=rf"robot\.urdf: .*{message}"):
        load_robot(path)


@pytest.mark.parametrize(
    ("encoding", "before", "after"),
    [("utf-8", "\n\n ", "\n\0"), ("utf-16", "", ""), ("utf-16", "", "\n")],
)
def test_whitespace_and_comments_are_no_error(tmp_path, encoding, before, after):
    path = tmp_path / "robot.urdf"
    text = f'{before}<?xml version="1.0" encoding="{encoding}"?>\n{robot(ARM)}{after}'
    path.write_text(text, encoding)
    plain = load_robot(write(tmp_path, robot(ARM)))
    assert load_robot(path).joint_names == plain.joint_names


def test_urdf_needs_no_mujoco(tmp_path):
    path = write(tmp_path, robot(ARM))
    code = (
        "import sys; sys.modules['mujoco'] = None\n"
        "import ikrig\n"
        f"print(ikrig.load_robot({str(path)!r}).joint_names)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert done.stdout == "('elbow',)\n"


def test_scale_of_four_numbers_uses_the_first_three(tmp_path):
    path = write(tmp_path, "")
    (path.parent / "a.stl").touch()
    mesh = '<geometry><mesh filename="a.stl" scale="1 2 3 4"/></geometry>'
    parts = f"<visual>{mesh}</visual><collision>{mesh}</collision>"
    path.write_text(robot(f'<link name="a">{parts}</link>'))
    tree = load_robot(path)
    scales = [geom.mesh.scale for geoms in tree.geoms for geom in geoms]
    assert scales == [(1, 2, 3)] * 2
    assert tree.warnings == (
        "a mesh of link 'a' has the scale '1 2 3 4': only the first three numbers "
        "are used",
    )


@pytest.mark.parametrize("speed", ["0", "0.25", "7", "1e15", "inf", "-1"])
def test_velocities_are_speeds_unless_unknown(tmp_path, speed):
    text = (
        '<link name="a"/><link name="b"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/><limit effort="1" velocity="{}"/></joint>'
    )
    tree = load_robot(write(tmp_path, robot(text.format(speed))))
    known = 0.0 < float(speed) <= 1e15
    assert tree.joint_speeds.tolist() == [float(speed) if known else np.inf]
    assert tree.body_names == ("world", "a", "b")


def test_robot_with_a_mesh_elsewhere_loads_without_reading_it(tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "arm.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    path = tmp_path / "own" / "robots" / "bot.urdf"
    path.parent.mkdir(parents=True)
    path.write_text(
        '<robot name="bot"><link name="a"><visual><geometry>'
        '<mesh filename="../../elsewhere/arm.obj"/></geometry></visual></link></robot>'
    )
    opened = []
    monkeypatch.setattr(
        "ikrig.formats.mesh_files.read_file",
        lambda file: opened.append(file.name) or file.read_bytes(),
    )
    (warning,) = load_robot(path).warnings
    assert "arm.obj" in warning
    assert f"--allow {elsewhere}" in warning
    assert not opened
    allowed = load_robot(path, allow=[elsewhere])
    assert not allowed.warnings
    assert opened == ["arm.obj"]
