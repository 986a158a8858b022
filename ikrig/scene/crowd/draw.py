"""CrowdDrawing: draws many members of one model, a draw call for each of its meshes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import panda3d.core as p3d
from numpy.typing import ArrayLike, NDArray

from ...character.crowd_batch import MemberArray
from ...errors import BindError, GraphicsError, ModelError, shown, suggest
from ..actor.actor_model import walk_joints
from ..robot.geoms import nodes_below, read_column, write_array, write_column
from .crowd_shader import Light, Look, shader_for, skinned_by_palette

Floats = NDArray[np.float32]
Rows = NDArray[np.intp]
_A = TypeVar("_A", bound=p3d.RenderAttrib)

INFLUENCES = 4
"""Joints that move a vertex at most; of more, those with the largest weights."""
SAFE_TEXELS = 65536
"""Length of a buffer texture that OpenGL guarantees [texels]."""
PRIORITY = 2000
"""Of the shader, above those of cameras that draw depths: only it skins."""
MODES = {
    p3d.TextureStage.M_modulate: "modulate",
    p3d.TextureStage.M_modulate_glow: "modulate",
    p3d.TextureStage.M_modulate_gloss: "modulate",
    p3d.TextureStage.M_selector: "",
    p3d.TextureStage.M_add: "add",
    p3d.TextureStage.M_replace: "replace",
    p3d.TextureStage.M_decal: "decal",
}


class _Part(NamedTuple):
    """A mesh of the model, with its state below the model."""

    geom: p3d.Geom
    state: p3d.RenderState
    level: int  # of the level of detail; -1 for all


class _Batch(NamedTuple):
    """Members that are drawn by one call for each mesh, from one palette."""

    palette: p3d.Texture
    members: p3d.Texture
    levels: list[p3d.NodePath]


class _Rows(NamedTuple):
    """What members are drawn with, beside their poses."""

    colors: Floats
    slots: NDArray[np.int32]
    levels: NDArray[np.int32]


class CrowdDrawing:
    """Draws the members of a crowd, skinned on the graphics card.

    Each mesh of the model is drawn once for all members. They are lit as Panda3D's
    fixed pipeline does; per pixel, with shadows, where the auto shader is on above.

    Attributes:
        root: The node of all that is drawn, below the parent.
        switches: Distances from the camera at which levels change [model unit].
    """

    def __init__(
        self,
        model: p3d.NodePath,
        joint_names: Sequence[str],
        count: int,
        parent: p3d.NodePath,
        *,
        software: int = 0,
    ) -> None:
        """Make the meshes; nothing is drawn before the first `write`.

        Args:
            model: A loaded character, or an Actor. It is read, and not changed.
            joint_names: The joints of the palettes, in their order. One named "" is
                the model itself, for what no joint moves.
            count: The number of members.
            parent: What the palettes are relative to.
            software: Where the graphics card can't skin: how many of the visible
                members the processor skins at most, about 0.5 ms each, with the least
                detailed meshes. 0: an error is raised there.
        """
        if count < 1:
            raise ModelError(f"a crowd of {shown(count)} members can't be drawn")
        self._count, self._joints = count, len(joint_names)
        try:
            texels = _texels()
        except GraphicsError:
            if software < 1:
                raise
            texels = 0
        self._parts = list(_read(model, list(joint_names)))
        if not self._parts:
            raise BindError(f"{model.get_name()!r} has no meshes to draw a crowd of")
        self._parent = parent
        self.root = parent.attach_new_node("crowd")
        slots, levels = np.zeros((2, count), np.int32)
        self._rows = _Rows(np.ones((count, 4), np.float32), slots, levels)
        self.switches = _switches(model)
        self._boxes: tuple[Floats, Floats] | None = None
        self._drawn: tuple[Floats, NDArray[np.int64]] | None = None
        self._shader: p3d.Shader | None = None
        self._array: p3d.Texture | None = None
        self._above: p3d.RenderState | None = None
        self._seen: Look | None = None
        self._numbers = np.arange(count)
        self._batches: list[_Batch] = []
        self._bodies: _CpuBodies | None = None
        if not texels:
            last = len(self.switches)
            parts = [part for part in self._parts if part.level in (-1, last)]
            self._bodies = _CpuBodies(parts, software, self.root)
            return
        capacity = max(1, min(count, texels // (3 * self._joints)))
        self._capacity = capacity
        starts = range(0, count, capacity)
        self._batches = [self._batch(min(capacity, count - s)) for s in starts]

    colors = MemberArray("_rows")
    """What each member's colours are multiplied by, (n, 4), changed in place."""
    slots = MemberArray("_rows")
    """Which picture of a texture array each member has, (n,), changed in place."""
    levels = MemberArray("_rows")
    """Which level of detail each member has, (n,), 0 the nearest; for models with a
    `LODNode`, changed in place or by `choose_levels`."""

    @property
    def calls(self) -> int:
        """The number of draw calls of a frame with all members in view."""
        return len(self._batches) * len(self._parts)

    def write(self, palette: ArrayLike, visible: ArrayLike | None = None) -> None:
        """Set the poses that are drawn.

        Args:
            palette: Matrices from the model's vertices to the parent, for each member
                and joint, (n, joints, 3, 4): rows, the last column is the position.
            visible: Which members are drawn, (n,). Default: all.
        """
        rows = np.ascontiguousarray(palette, np.float32)
        if rows.shape != (self._count, self._joints, 3, 4):
            wanted = (self._count, self._joints, 3, 4)
            raise ModelError(f"palette has shape {rows.shape}, not {wanted}")
        shown_ones = self._numbers
        if visible is not None:
            mask = np.asarray(visible, bool)
            if mask.shape != (self._count,):
                raise ModelError(
                    f"visible has shape {mask.shape}, not {(self._count,)}"
                )
            shown_ones = np.flatnonzero(mask)
        if self._bodies is not None:
            self._drawn = rows, shown_ones[: self._bodies.most]
            self._bodies.write(rows, self._drawn[1], self.colors)
            return
        above = self._parent.get_net_state()
        # fogs and lights change without a new state
        look = _look(above, ())
        if above != self._above or look != self._seen:
            self._above, self._seen = above, look
            self._shade()
        top = len(self.switches)
        levels = np.clip(self.levels, 0, top)[shown_ones]
        if top:
            order = np.argsort(levels, kind="stable")
            shown_ones, levels = shown_ones[order], levels[order]
        self._drawn = rows, shown_ones
        for b, batch in enumerate(self._batches):
            part = slice(b * self._capacity, (b + 1) * self._capacity)
            self._fill(batch, rows, shown_ones[part], levels[part])

    def choose_levels(self, camera: p3d.NodePath, positions: ArrayLike) -> None:
        """Set the levels of detail by distances, where the model has any.

        A level changes 5 % beyond its distance, so that none flickers.

        Args:
            camera: What the distances are measured from.
            positions: Of the members, in the parent's space, (n, 3).
        """
        if not self.switches:
            return
        places = np.asarray(positions, np.float32)
        eye = np.array(camera.get_pos(self._parent), np.float32)
        far = np.linalg.norm(places - eye, axis=1)
        switches = np.array(self.switches, np.float32)
        low = np.searchsorted(1.05 * switches, far)
        high = np.searchsorted(0.95 * switches, far)
        self.levels[:] = np.clip(self.levels, low, high)

    def bounds(self) -> tuple[Floats, Floats] | None:
        """Return a box around all members that are drawn, in the parent's space.

        Its nodes have none: what is out of view is left out by ``visible``, and a box
        for each frame costs more than the frame. It may be too large, by as much as a
        joint's vertices are from the sides of their own box; never too small.

        Returns:
            The lowest and the highest corner, (3,) each; None while none is drawn.
        """
        if self._drawn is None or not len(self._drawn[1]):
            return None
        if self._boxes is None:
            self._boxes = _boxes(self._parts, self._joints)
        centres, halves = self._boxes
        moved = np.isfinite(centres).all(axis=1)
        rows = self._drawn[0][self._drawn[1]][:, moved]
        turns = rows[..., :3]
        middle = np.einsum("njrc,jc->njr", turns, centres[moved]) + rows[..., 3]
        reach = np.einsum("njrc,jc->njr", np.abs(turns), halves[moved])
        return (middle - reach).min((0, 1)), (middle + reach).max((0, 1))

    def set_shader(self, shader: p3d.Shader | None) -> None:
        """Draw with a shader of a game.

        Args:
            shader: In GLSL. Its vertex shader has `INCLUDE`, or was written for
                Panda3D's hardware skinning, as that of panda3d-simplepbr. None: the
                crowd's own.
        """
        self._shader = None if shader is None else skinned_by_palette(shader)
        self._above = None

    def set_textures(self, array: p3d.Texture | None) -> None:
        """Draw the first texture of each mesh from a texture array, by `slots`.

        Args:
            array: A texture of the type ``TT_2d_texture_array``; None: the model's own.
        """
        kind = p3d.Texture.TT_2d_texture_array
        if array is not None and array.get_texture_type() != kind:
            raise ModelError(f"texture {array.get_name()!r} is no texture array")
        self._array, self._above = array, None

    def detach(self) -> None:
        """Remove what is drawn; the object is of no use then."""
        self.root.remove_node()
        self._batches, self._parts = [], []

    def _batch(self, size: int) -> _Batch:
        palette, members = p3d.Texture("palette"), p3d.Texture("members")
        for texture, rows in ((palette, 3 * self._joints), (members, 2)):
            texture.setup_buffer_texture(
                size * rows,
                p3d.Texture.T_float,
                p3d.Texture.F_rgba32,
                p3d.GeomEnums.UH_dynamic,
            )
        levels: list[p3d.NodePath] = []
        for level in range(len(self.switches) + 1):
            node = p3d.GeomNode("members")
            for part in self._parts:
                if part.level in (-1, level):
                    node.add_geom(part.geom, part.state)
            path: p3d.NodePath = self.root.attach_new_node(node)
            path.set_shader_inputs(
                ikrig_palette=palette,
                ikrig_members=members,
                ikrig_joint_count=self._joints,
                ikrig_first=0,
            )
            # Panda3D does not know where instances are
            node.set_bounds(p3d.OmniBoundingVolume())
            node.set_final(True)
            path.hide()
            levels.append(path)
        return _Batch(palette, members, levels)

    def _fill(self, batch: _Batch, rows: Floats, who: Rows, levels: Rows) -> None:
        count = len(who)
        if count:
            view = _view(batch.palette).reshape(-1, self._joints, 3, 4)
            np.take(rows, who, 0, view[:count], mode="clip")
            table = _view(batch.members)[: 8 * count].reshape(count, 8)
            table[:, :4] = self.colors[who]
            table[:, 4] = self.slots[who]
            table[:, 5] = who
        ends = np.searchsorted(levels, np.arange(len(batch.levels) + 1))
        for path, first, end in zip(batch.levels, ends, ends[1:], strict=False):
            if end == first:
                path.hide()
                continue
            path.show()
            if path.get_instance_count() != end - first:
                path.set_instance_count(int(end - first))
            if len(batch.levels) > 1:
                path.set_shader_input("ikrig_first", int(first))

    def _shade(self) -> None:
        assert self._above is not None
        for batch in self._batches:
            for path in batch.levels:
                node, k = path.node(), 0
                assert isinstance(node, p3d.GeomNode)
                for part in self._parts:
                    if part.level in (-1, batch.levels.index(path)):
                        node.set_geom_state(k, self._state(part.state))
                        k += 1

    def _state(self, state: p3d.RenderState) -> p3d.RenderState:
        assert self._above is not None
        net = self._above.compose(state)
        stages = _stages(net)
        if self._array is not None:
            first = stages[0][0] if stages else p3d.TextureStage.get_default()
            attrib = _attrib(net, p3d.TextureAttrib) or p3d.TextureAttrib.make()
            attrib = attrib.add_on_stage(first, self._array)
            state = state.set_attrib(attrib)
            stages = _stages(self._above.compose(state))
        shader = self._shader
        if shader is None:
            shader = shader_for(_look(net, stages))
        return _with_shader(state, shader)


class _Skin:
    """Vertices of the model, and the joints that move them."""

    def __init__(self, data: p3d.GeomVertexData) -> None:
        form = data.get_format()
        ones = np.ones((data.get_num_rows(), 1), np.float32)
        self.points = np.hstack((read_column(data, "vertex")[:, :3], ones))
        self.normals = np.zeros_like(self.points[:, :3])
        if form.has_column("normal"):
            self.normals = read_column(data, "normal")[:, :3]
        self.joints = read_column(data, "transform_index").astype(int)
        self.weights = read_column(data, "transform_weight")[:, :, None]
        # an array of its own for what moves
        array, name = p3d.GeomVertexArrayFormat(), p3d.InternalName
        array.add_column(name.get_vertex(), 3, p3d.Geom.NT_float32, p3d.Geom.C_point)
        array.add_column(name.get_normal(), 3, p3d.Geom.NT_float32, p3d.Geom.C_normal)
        still = p3d.GeomVertexFormat(form)
        for moved in ("vertex", "normal", "transform_index", "transform_weight"):
            still.remove_column(moved)
        still.insert_array(0, array)
        registered = p3d.GeomVertexFormat.register_format(still)
        self.data = p3d.GeomVertexData(data.convert_to(registered))
        self.data.set_usage_hint(p3d.Geom.UH_dynamic)

    def write(self, rows: Floats, data: p3d.GeomVertexData) -> None:
        """Move vertices by matrices of joints, (joints, 12)."""
        mats = (rows[self.joints] * self.weights).sum(axis=1).reshape(-1, 3, 4)
        points = np.einsum("vrc,vc->vr", mats, self.points)
        # as in the shader: turned by areas, mirrored with the points
        x, y, z = (mats[:, :, k] for k in range(3))
        areas = np.stack((np.cross(y, z), np.cross(z, x), np.cross(x, y)), axis=2)
        sign = np.sign((x * areas[:, :, 0]).sum(axis=1, keepdims=True))
        normals = np.einsum("vrc,vc->vr", areas, self.normals) * sign
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
        write_array(data.modify_array(0), np.hstack((points, normals), dtype="f4"))


class _CpuBodies:
    """Draws the first visible members without shaders, skinned by the processor."""

    def __init__(self, parts: list[_Part], most: int, root: p3d.NodePath) -> None:
        self._parts, self.most, self._root = parts, most, root
        distinct = {part.geom.get_vertex_data() for part in parts}
        self._skins = {data: _Skin(data) for data in distinct}
        self._bodies: list[tuple[p3d.NodePath, list[p3d.GeomVertexData]]] = []

    def write(self, rows: Floats, who: Rows, colors: Floats) -> None:
        while len(self._bodies) < len(who):
            self._bodies.append(self._body())
        for (path, copies), member in zip(self._bodies, who, strict=False):
            flat = rows[member].reshape(-1, 12)
            for skin, data in zip(self._skins.values(), copies, strict=True):
                skin.write(flat, data)
            path.set_color_scale(p3d.LVecBase4(*colors[member].tolist()))
            path.show()
        for path, _ in self._bodies[len(who) :]:
            path.hide()

    def _body(self) -> tuple[p3d.NodePath, list[p3d.GeomVertexData]]:
        copies = {d: p3d.GeomVertexData(s.data) for d, s in self._skins.items()}
        node = p3d.GeomNode("member")
        for part in self._parts:
            geom = part.geom.make_copy()
            geom.set_vertex_data(copies[part.geom.get_vertex_data()])
            node.add_geom(geom, part.state)
        node.set_bounds(p3d.OmniBoundingVolume())
        node.set_final(True)
        return self._root.attach_new_node(node), list(copies.values())


def _texels() -> int:
    """Return how long a buffer texture may be; checks what the drawing needs."""
    for window in _windows():
        gsg = window.get_gsg()
        if gsg is None:
            continue
        version = gsg.driver_shader_version_major, gsg.driver_shader_version_minor
        if not gsg.supports_glsl or version < (1, 50):
            has = f"GLSL {version[0]}.{version[1]:02}" if any(version) else "no shaders"
            raise GraphicsError(
                f"a crowd is drawn with GLSL 1.50, and {gsg.driver_renderer!r} has "
                f"{has}: set gl-version to 3 2, update the driver, or draw Actors"
            )
        if not gsg.supports_geometry_instancing or gsg.max_buffer_texture_size <= 0:
            raise GraphicsError(
                f"a crowd is drawn by instances and buffer textures, which "
                f"{gsg.driver_renderer!r} does not have: draw Actors"
            )
        return int(gsg.max_buffer_texture_size)
    return SAFE_TEXELS


def _windows() -> Sequence[p3d.GraphicsOutput]:
    return tuple(p3d.GraphicsEngine.get_global_ptr().get_windows())


def _view(texture: p3d.Texture) -> Floats:
    memory = memoryview(texture.modify_ram_image())  # type: ignore[arg-type]
    return np.frombuffer(memory, np.float32)


def _read(model: p3d.NodePath, names: list[str]) -> Iterator[_Part]:
    characters = [*nodes_below(model, p3d.Character, itself=True)]
    if not characters:
        raise BindError(f"{model.get_name()!r} has no joints: it is not a character")
    numbers = {name: k for k, name in enumerate(names)}
    done: dict[tuple[p3d.GeomVertexData, p3d.NodePath | None], p3d.GeomVertexData] = {}
    for character, own in characters:
        moved = dict(_exposed(own))
        for path, node in nodes_below(character, p3d.GeomNode):
            if _hidden(path, model):
                continue
            level = _level(path, model)
            outer = model.get_state().compose(path.get_state(model))
            outer = _with_shader(outer, None)
            for k in range(node.get_num_geoms()):
                geom = node.get_geom(k).make_copy()
                state = _with_shader(outer.compose(node.get_geom_state(k)), None)
                data = geom.get_vertex_data()
                skinned = data.get_transform_blend_table() is not None
                key = data, None if skinned else path
                if key not in done:
                    done[key] = (
                        _skinned(data, numbers, path.get_mat(character), path)
                        if skinned
                        else _rigid(data, numbers, *_carrier(path, character, moved))
                    )
                geom.set_vertex_data(done[key])
                yield _Part(geom, state, level)


def _hidden(path: p3d.NodePath, model: p3d.NodePath) -> bool:
    while path != model and not path.is_empty():
        if path.node().is_overall_hidden():
            return True
        path = path.get_parent()
    return False


def _level(path: p3d.NodePath, model: p3d.NodePath) -> int:
    """Return the level of detail of a node, 0 the nearest; -1 outside of any."""
    while path != model and path.has_parent():
        above = path.get_parent()
        lod = above.node()
        if isinstance(lod, p3d.LODNode):
            mine = list(above.get_children()).index(path)
            outs = [lod.get_out(k) for k in range(lod.get_num_switches())]
            return sorted(range(len(outs)), key=lambda k: outs[k]).index(mine)
        path = above
    return -1


def _switches(model: p3d.NodePath) -> tuple[float, ...]:
    for _, lod in nodes_below(model, p3d.LODNode):
        return tuple(sorted(lod.get_out(k) for k in range(lod.get_num_switches()))[1:])
    return ()


def _exposed(
    character: p3d.Character,
) -> Iterator[tuple[p3d.PandaNode, p3d.CharacterJoint]]:
    for k in range(character.get_num_bundles()):
        for joint, _ in walk_joints(character.get_bundle(k)):
            for follower in joint.get_net_transforms():
                yield follower.node(), joint


def _carrier(
    path: p3d.NodePath,
    character: p3d.NodePath,
    moved: dict[p3d.PandaNode, p3d.CharacterJoint],
) -> tuple[str, p3d.LMatrix4f]:
    """Return the joint that carries a rigid mesh; its place in the pose of the file."""
    above = path
    while above != character:
        joint = moved.get(above.node())
        if joint is not None:
            skin, net = p3d.LMatrix4f(), p3d.LMatrix4f()
            p3d.JointVertexTransform(joint).get_matrix(skin)
            joint.get_net_transform(net)
            skin.invert_in_place()
            return joint.get_name(), path.get_mat(above) * net * skin
        above = above.get_parent()
    return "", path.get_mat(character)


def _rigid(
    data: p3d.GeomVertexData, numbers: dict[str, int], name: str, place: p3d.LMatrix4f
) -> p3d.GeomVertexData:
    made = _morphed(data)
    made.transform_vertices(place)
    count = made.get_num_rows()
    joints = np.zeros((count, INFLUENCES), np.uint16)
    joints[:, 0] = _number(numbers, name, 0 if name == "" else None)
    weights = np.zeros((count, INFLUENCES), np.float32)
    weights[:, 0] = 1.0
    return _with_columns(made, joints, weights)


def _number(numbers: dict[str, int], name: str, default: int | None = None) -> int:
    found = numbers.get(name, default)
    if found is None:
        raise BindError(
            f"joint {name!r} moves a mesh of the crowd and is not in its palette: "
            f"{suggest(name, numbers)}"
        )
    return found


def _skinned(
    data: p3d.GeomVertexData,
    numbers: dict[str, int],
    place: p3d.LMatrix4f,
    path: p3d.NodePath,
) -> p3d.GeomVertexData:
    if not place.almost_equal(p3d.LMatrix4f.ident_mat(), 1e-5):
        raise BindError(
            f"mesh {path.get_name()!r} has a transform below the character, which a "
            "crowd does not draw: apply it in the modelling program"
        )
    table: Any = data.get_transform_blend_table()
    blends = table.get_num_blends()
    joints = np.zeros((blends, INFLUENCES), np.uint16)
    weights = np.zeros((blends, INFLUENCES), np.float32)
    known: dict[int, int] = {}
    for k in range(blends):
        blend = table.get_blend(k)
        pairs = [
            (blend.get_weight(n), blend.get_transform(n))
            for n in range(blend.get_num_transforms())
        ]
        if len(pairs) > INFLUENCES:
            pairs = sorted(pairs, key=lambda pair: -pair[0])[:INFLUENCES]
        total = sum(weight for weight, _ in pairs) or 1.0
        for n, (weight, transform) in enumerate(pairs):
            mine = known.get(transform.this)
            if mine is None:
                mine = known[transform.this] = _joint_number(transform, numbers)
            joints[k, n], weights[k, n] = mine, weight / total
    which = read_column(data, "transform_blend").ravel().astype(int)
    made = _morphed(data)
    made.clear_transform_blend_table()
    return _with_columns(made, joints[which], weights[which])


def _joint_number(transform: object, numbers: dict[str, int]) -> int:
    if not isinstance(transform, p3d.JointVertexTransform):
        raise BindError("a mesh is moved by something else than joints")
    return _number(numbers, transform.get_joint().get_name())


def _morphed(data: p3d.GeomVertexData) -> p3d.GeomVertexData:
    """Return a copy of vertices, moved by their morphs as they are now."""
    made = p3d.GeomVertexData(data)
    table, form = data.get_slider_table(), data.get_format()
    if table is None:
        return made
    values: dict[str, float] = {}
    for k in range(table.get_num_sliders()):
        slider = table.get_slider(k)
        values[slider.get_name().get_name()] = slider.get_slider()
    for k in range(form.get_num_morphs()):
        value = values.get(form.get_morph_slider(k).get_name(), 0.0)
        if value:
            base, delta = form.get_morph_base(k), form.get_morph_delta(k)
            moves = value * read_column(data, delta)
            write_column(made, base, read_column(made, base) + moves)
    made.clear_slider_table()
    return made


def _with_columns(
    data: p3d.GeomVertexData, joints: NDArray[np.uint16], weights: Floats
) -> p3d.GeomVertexData:
    """Return vertices with columns for their joints and weights, moved by no table."""
    array, name = p3d.GeomVertexArrayFormat(), p3d.InternalName
    weight, index = name.get_transform_weight(), name.get_transform_index()
    array.add_column(weight, INFLUENCES, p3d.Geom.NT_float32, p3d.Geom.C_other)
    array.add_column(index, INFLUENCES, p3d.Geom.NT_uint16, p3d.Geom.C_index)
    before = data.get_format()
    form = p3d.GeomVertexFormat(before)
    for old in ("transform_blend", "transform_weight", "transform_index"):
        form.remove_column(old)
    for k in range(before.get_num_morphs()):
        form.remove_column(before.get_morph_delta(k))
    form.set_animation(p3d.GeomVertexAnimationSpec())
    form.add_array(array)
    made = p3d.GeomVertexData(
        data.convert_to(p3d.GeomVertexFormat.register_format(form))
    )
    rows = np.zeros(len(joints), [("w", np.float32, 4), ("j", np.uint16, 4)])
    rows["w"], rows["j"] = weights, joints
    write_array(made.modify_array(made.get_num_arrays() - 1), rows)
    return made


def _boxes(parts: Sequence[_Part], joints: int) -> tuple[Floats, Floats]:
    """Return a box around what each joint moves: centres, and halves of their sides.

    Joints that move nothing have no size and a NaN as centre.
    """
    low = np.full((joints, 3), np.inf, np.float32)
    high = -low
    for vertices in {part.geom.get_vertex_data() for part in parts}:
        points = read_column(vertices, "vertex")[:, :3].astype(np.float32)
        which = read_column(vertices, "transform_index")
        weights = read_column(vertices, "transform_weight")
        for k in range(INFLUENCES):
            used = weights[:, k] > 0.0
            np.minimum.at(low, which[used, k], points[used])
            np.maximum.at(high, which[used, k], points[used])
    with np.errstate(invalid="ignore"):
        return (low + high) / 2.0, np.maximum(high - low, 0.0) / 2.0


def _attrib(state: p3d.RenderState, kind: type[_A]) -> _A | None:
    found = state.get_attrib(kind)
    return found if isinstance(found, kind) else None


def _with_shader(state: p3d.RenderState, shader: p3d.Shader | None) -> p3d.RenderState:
    old = _attrib(state, p3d.ShaderAttrib)
    if shader is None:
        return state if old is None else state.set_attrib(old.clear_shader())
    made = p3d.ShaderAttrib.make() if old is None else old
    return state.set_attrib(made.set_shader(shader, PRIORITY))


def _stages(state: p3d.RenderState) -> list[tuple[p3d.TextureStage, p3d.Texture]]:
    attrib = _attrib(state, p3d.TextureAttrib)
    if attrib is None:
        return []
    return [(x, attrib.get_on_texture(x)) for x in attrib.get_on_stages()]


def _look(
    state: p3d.RenderState, stages: Sequence[tuple[p3d.TextureStage, p3d.Texture]]
) -> Look:
    """Return what a shader must do for a state."""
    lights = None
    lit = _attrib(state, p3d.LightAttrib)
    if lit is not None and lit.get_num_on_lights():
        nodes: list[Any] = [path.node() for path in lit.get_on_lights()]
        lights = tuple(
            Light(isinstance(node, p3d.LightLensNode) and node.is_shadow_caster())
            for node in nodes
            if not node.is_ambient_light()
        )
    auto = _attrib(state, p3d.ShaderAttrib)
    material = (False, False, False, False)
    made = _attrib(state, p3d.MaterialAttrib)
    own = None if made is None else made.get_material()
    if own is not None:
        both = own.has_base_color()
        material = (
            True,
            own.has_ambient() or both,
            own.has_diffuse() or both,
            own.get_local(),
        )
    misty = _attrib(state, p3d.FogAttrib)
    fog = ""
    if misty is not None and not misty.is_off():
        kinds = {p3d.Fog.M_linear: "linear", p3d.Fog.M_exponential: "exp"}
        fog = kinds.get(misty.get_fog().get_mode(), "exp2")
    clear = _attrib(state, p3d.TransparencyAttrib)
    binary = clear is not None and clear.get_mode() == p3d.TransparencyAttrib.M_binary
    tested = _attrib(state, p3d.AlphaTestAttrib)
    least = 0.5 if binary else 0.0
    if tested is not None and tested.get_mode() in (
        p3d.RenderAttrib.M_greater,
        p3d.RenderAttrib.M_greater_equal,
    ):
        least = tested.get_reference_alpha()
    array = p3d.Texture.TT_2d_texture_array
    return Look(
        lights,
        auto is not None and auto.auto_shader(),
        material,
        tuple(
            (MODES.get(stage.get_mode(), ""), texture.get_texture_type() == array)
            for stage, texture in stages
        ),
        state.has_attrib(p3d.TexMatrixAttrib),
        fog,
        least,
    )
