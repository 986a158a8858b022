"""Meshes and textures that are found, and reasons why others are not."""

from __future__ import annotations

import json
import struct

import pytest

from ikrig import AccessError, ModelError, RigFileError, load_robot
from ikrig.files.file_access import FileAccess
from ikrig.formats.mesh_files import MeshFinder

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


@pytest.fixture
def bot(tmp_path):
    """The folder of a robot, which may open what is below it and its parent."""
    folder = tmp_path / "far" / "pack" / "bot"
    folder.mkdir(parents=True)
    return folder


def finder(bot):
    path = bot / "bot.urdf"
    return MeshFinder(path, FileAccess(path, []))


def gltf(*uris):
    return {"buffers": [{"uri": uri} for uri in uris], "images": [{"name": "x"}]}


def glb(*uris, magic=b"glTF"):
    text = json.dumps(gltf(*uris)).encode()
    chunk = struct.pack("<II", len(text), 0x4E4F534A) + text
    # what follows is no part of the document
    return magic + struct.pack("<II", 2, 12 + len(chunk)) + chunk + b"{binary"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (
            "arm.txt",
            r"'arm\.txt' is not a mesh file; drawable types: \.stl, \.obj, \.dae, .*",
        ),
        ("http://x/arm.obj", "is not a file: give a path"),
        ("", "'' can't be the name of a file"),
        ("package://", "can't be the name of a file"),
        ("a\0b.obj", "can't be the name of a file"),
        ("none.obj", r"'none\.obj' was not found: looked for none\.obj"),
        ("bad.dae", "mesh 'bad.dae' can't be read: not a valid dae file: "),
        ("bad.gltf", "mesh 'bad.gltf' can't be read: not a valid gltf file: "),
        ("short.glb", "can't be read: not a valid glb file: not a binary glTF file"),
        ("other.glb", "can't be read: not a valid glb file: not a binary glTF file"),
    ],
)
def test_undrawn_mesh_has_a_reason(bot, name, why):
    (bot / "arm.txt").write_text("")
    (bot / "bad.dae").write_text("<a><![CDATA[x]]><b></a>")
    (bot / "bad.gltf").write_text("[1, 2")
    (bot / "short.glb").write_bytes(glb()[:19])
    (bot / "other.glb").write_bytes(glb(magic=b"glTX"))
    found = finder(bot).mesh(name)
    assert isinstance(found, str)
    with pytest.raises(ValueError, match=why):
        raise ValueError(found)


@pytest.mark.parametrize("ending", ["gltf", "glb"])
def test_files_named_by_gltf_must_be_allowed(bot, ending):
    def write(*uris):
        data = glb(*uris) if ending == "glb" else json.dumps(gltf(*uris)).encode()
        (bot / f"arm.{ending}").write_bytes(data)
        return finder(bot).mesh(f"arm.{ending}")

    (bot / "arm.bin").write_bytes(b"")
    (bot.parent.parent / "secret.bin").write_bytes(b"")
    assert write("data:x,../../secret.bin", "arm.bin", "") == bot / f"arm.{ending}"
    for uris in (["../../secret.bin"], ["arm.bin", "../../secret.bin"]):
        with pytest.raises(AccessError, match=r"'\.\./\.\./secret\.bin' is "):
            write(*uris)


def test_image_named_by_ply_must_be_allowed(bot):
    mesh = bot / "arm.ply"
    mesh.write_bytes(b"ply\ncomment made by hand\ncomment TextureFile skin one.png\r\n")
    # Panda3D draws it without
    assert finder(bot).mesh("arm.ply") == mesh
    (bot.parent.parent / "secret.png").write_bytes(b"")
    mesh.write_bytes(b"ply\ncomment TextureFile ../../secret.png\n")
    with pytest.raises(AccessError, match=r"'\.\./\.\./secret\.png' is "):
        finder(bot).mesh("arm.ply")


def test_mesh_may_name_at_most_a_thousand_files(bot):
    def write(count):
        lines = "".join(f"newmtl m{k}\nmap_Kd a{k}.png\n" for k in range(count))
        (bot / "arm.mtl").write_text(lines)
        (bot / "arm.obj").write_text("mtllib arm.mtl\n" + TRIANGLE)
        return finder(bot).mesh("arm.obj")

    # a texture's name may stand behind options: it is looked for twice
    assert write(499) == bot / "arm.obj"
    with pytest.raises(ModelError, match="refers to more than 1000 files"):
        write(501)


LINK = '<link name="{}"><visual>{}{}</visual></link>'
BALL = "<geometry><sphere radius='1'/></geometry>"


def test_undrawable_parts_are_one_sentence_each(bot):
    (bot / "skin.png").write_bytes(b"")
    texture = '<material name="{}"><texture filename="{}"/></material>'
    path = bot / "bot.urdf"
    path.write_text(
        "<robot name='r'>"
        + LINK.format("a", "", "")
        + LINK.format("b", "<geometry/>", "")
        + LINK.format("c", "<geometry><cone radius='1'/></geometry>", "")
        + LINK.format("d", BALL, texture.format("lost", "lost.png"))
        + LINK.format("e", BALL, texture.format("skin", "skin.png"))
        + LINK.format("f", "<geometry><mesh filename='arm.txt'/></geometry>", "")
        + "".join(
            f"<joint name='j{link}' type='fixed'><parent link='a'/>"
            f"<child link='{link}'/></joint>"
            for link in "bcdef"
        )
        + "</robot>"
    )
    model = load_robot(path)
    shapes = {
        name: [(geom.kind, geom.texture) for geom in geoms]
        for name, geoms in zip(model.body_names, model.geoms, strict=True)
    }
    assert shapes == {
        "world": [],
        **{link: [] for link in "abcf"},
        "d": [("sphere", None)],
        "e": [("sphere", bot / "skin.png")],
    }
    for words in (
        "visual of link 'a' has no geometry and is not drawn",
        "visual of link 'b' has no geometry and is not drawn",
        "visual of link 'c' is not drawn: geometry <cone> is unknown",
        "texture of material 'lost' is not drawn: 'lost.png' was not found: ",
        "visual of link 'f' is not drawn: 'arm.txt' was not found: ",
    ):
        assert [text.startswith(words) for text in model.warnings].count(True) == 1
    assert len(model.warnings) == 5


GEOM = """\
bodies:
  - name: base
    geoms:
      - {kind: box, size: [1, 2, 3], texture: skin.png}
      - {kind: mesh, mesh: arm.obj, scale: [1, 2, -1]}
"""


@pytest.mark.parametrize(
    ("there", "instead", "message"),
    [
        ("skin.png", "[1]", r":4:\d+: texture must be a path, not \[1\]"),
        ("skin.png", "no.png", r":4:\d+: texture: 'no\.png' was not found"),
        ("arm.obj", "7", r":5:\d+: mesh must be a path, not 7"),
        ("arm.obj", "skin.png", r":5:\d+: mesh: 'skin\.png' is not a mesh file"),
        ("mesh: arm.obj, ", "", ":5:29: scale applies only to geoms with a mesh"),
        ("[1, 2, -1]", "[1, 2]", r"scale must be three numbers that are not 0, not"),
        ("[1, 2, -1]", "[1, 2, 0]", r"scale must be three numbers that are not 0, not"),
        ("[1, 2, -1]", "x", r"scale must be three numbers that are not 0, not"),
    ],
)
def test_mesh_errors_have_a_line(bot, there, instead, message):
    (bot / "skin.png").write_bytes(b"")
    (bot / "arm.obj").write_text(TRIANGLE)
    path = bot / "bot.yaml"
    path.write_text(GEOM.replace(there, instead, 1))
    with pytest.raises(RigFileError, match=message):
        load_robot(path)


@pytest.mark.parametrize("name", ["../../../arm.obj", "{}", "file://{}"])
def test_meshes_outside_allowed_folders_are_refused(bot, name):
    outside = bot.parents[2] / "arm.obj"
    outside.write_text(TRIANGLE)
    assert f"allow=[{str(outside.parent)!r}]" in finder(bot).mesh(name.format(outside))
    path = bot / "bot.urdf"
    allowed = MeshFinder(path, FileAccess(path, [outside.parent])).mesh(
        name.format(outside)
    )
    assert allowed.resolve() == outside
    # one that is allowed is found behind one that is not
    (bot.parent / "x.obj").write_text(TRIANGLE)
    assert finder(bot).mesh("../x.obj").resolve() == bot.parent / "x.obj"


@pytest.mark.parametrize("count", [3, 4, 5, 9])
def test_missing_meshes_name_four_folders_and_count_the_rest(bot, count):
    path = bot / "bot.urdf"
    folders = [bot / f"f{k}" for k in range(count)]
    for folder in folders:
        folder.mkdir()
    access = FileAccess(path, folders)
    found = MeshFinder(path, access)
    own = len(found.roots) - 1
    text = found.mesh("none.obj")
    listed = text.partition("none.obj in ")[2].partition(". If")[0]
    more = own + len(access.allow) - 4
    assert listed.endswith(f" and {more} more") == (more > 0)
    assert listed.count(",") == min(own + len(access.allow), 4) - 1


def test_textures_are_searched_two_folders_up(bot):
    folders = [bot / "a" / "b" / "c", bot / "a" / "b", bot / "a", bot]
    folders[0].mkdir(parents=True)
    (folders[0] / "arm.obj").write_text("mtllib arm.mtl\n" + TRIANGLE)
    for k, folder in enumerate(folders):
        # options with numbers precede the name
        (folders[0] / "arm.mtl").write_text(f"newmtl m\nmap_Kd -s 1 1 1 p{k}.png\n")
        picture = folder / f"p{k}.png"
        picture.write_bytes(b"")
        search = finder(bot)
        assert search.mesh("a/b/c/arm.obj") == folders[0] / "arm.obj"
        told = [text for text in search.warnings if f"'p{k}.png'" in text]
        assert bool(told) == (k > 2)
