"""Makes the behaviours of a rig file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from math import isfinite
from pathlib import Path

import numpy as np
import panda3d.core as p3d

from ...character.heightfield import Heightfield
from ...checks import is_number
from ...errors import AccessError, BindError, SettingError, shown, suggest
from ...files.file_access import read_file, signature
from ...formats.part import Values, entry_values
from ...formats.rig_file import Part
from ...formats.rig_file.sections import BEHAVIOUR, LOOK_ANGLES, limits_joints, names_in
from ...math3d.quaternion import Floats
from ...records import Field
from ..behaviours.behaviour import Behaviour
from ..behaviours.facing import LookLimits
from ..behaviours.kinds import BEHAVIOURS
from .behaviour_part import entries_of
from .scene_builder import (
    LocatedError,
    SceneBuilder,
    limits_by_joint,
    settings_by_joint,
)

FIELD = ("heightfield", "origin", "size", "height")
"""Keys of a ground from a file."""


def make_behaviour(name: str, part: Part, builder: SceneBuilder) -> Behaviour:
    """Return a behaviour: the former one if the file still describes it."""
    made, old = builder.made, builder.old
    rig = made.actor_rig
    if rig is None:
        raise BindError(
            "a behaviour needs an Actor, and the model of this file is not one"
        )
    values = _plain_values(part)
    made_by = BEHAVIOURS[values["kind"]]
    assert issubclass(made_by, Behaviour)
    record = made_by.record
    named = [key for key in names_in(record) if isinstance(values.get(key), str)]
    if name in made.grounds and "ground" in named:
        # the given ground replaces it, so the node need not exist
        named.remove("ground")
    nodes = {key: builder.find(part, key) for key in named}
    # a pointer that was reparented is still the same node
    above = nodes["pointer"].get_parent() if "pointer" in nodes else None
    file = _field_file(part, builder)
    read = None if file is None else made.files[file]
    body = made.behaviours.get(values.get("body", ""))
    key = made.behaviour_keys[name] = rig, values, nodes, above, read, body
    if old is not None and old.behaviour_keys.get(name) == key:
        made.behaviour_entries[name] = old.behaviour_entries[name]
        return old.behaviours[name]
    given = {**values, **nodes}
    del given["kind"]
    phase = given.pop("phase", None)
    if "body" in values:
        given["body"] = body
        if body is None:
            known = suggest(values["body"], made.behaviours)
            raise LocatedError(
                part.positions["body"],
                f"body: there is no full_body {shown(values['body'])} above: {known}",
            )
    if "target" in record.fields:
        given.setdefault("target", None)
    if "ground" in record.fields:
        given["ground"] = _ground(name, given, part, builder)
    if limits_joints(record):
        given["limits"] = limits_by_joint(part, rig.joints)
        given |= settings_by_joint(part, rig.joints, ())
    for field, declared in record.fields.items():
        looks = isinstance(declared, Field) and declared.shape is LOOK_ANGLES
        if looks and field in values:
            given[field] = _look_limits(part, field)
    new: Behaviour = made_by(rig, **given)
    builder.undo.callback(new.remove)
    new.phase = new.phase if phase is None else phase
    made.behaviour_entries[name] = entries_of(new)
    return new


def checked_grounds(grounds: object, parts: Part) -> Values:
    """Return the grounds that a caller gives, by the names of behaviours, checked."""
    if grounds is None:
        return {}
    if not isinstance(grounds, Mapping):
        raise BindError(
            "grounds must be a dict of grounds by behaviour name, such as {'steps': "
            f"level}}, not {shown(grounds)}"
        )
    kinds = BEHAVIOUR.kinds
    feet = [
        name
        for name, part in parts.parts("behaviours").items()
        if "ground" in kinds[part.values["kind"]].fields
    ]
    for name in grounds:
        if name not in feet:
            there = suggest(name, feet) if feet else "the file has none"
            raise BindError(
                f"grounds: there is no behaviour {shown(name)} with a ground: {there}"
            )
    return dict(grounds)


def _ground(name: str, given: Values, part: Part, builder: SceneBuilder) -> object:
    """Move the ground's keys out of a behaviour's values; return the ground."""
    made, file = builder.made, _field_file(part, builder)
    values = {key: given.pop(key) for key in FIELD if key in given}
    ground = given.get("ground", builder.root.get_parent())
    if name in made.grounds:
        ground = made.grounds[name]
    elif file is not None:
        del values["heightfield"]
        try:
            ground = read_heightfield(file, **values)
        except (BindError, SettingError) as error:
            text = f"heightfield: {part.values['heightfield']!r}: {error}"
            raise LocatedError(part.positions["heightfield"], text) from None
    return _level_ground(float(ground)) if is_number(ground) else ground


def _field_file(part: Part, builder: SceneBuilder) -> Path | None:
    """Return the file of heights that a behaviour names, or None."""
    made, text = builder.made, part.values.get("heightfield")
    if "heightfield" not in BEHAVIOURS[part.values["kind"]].record.fields:
        return None
    if text is None:
        for key in FIELD:
            if key in part.values:
                raise LocatedError(
                    part.positions[key],
                    f"{key} applies to a heightfield only: add heightfield with the "
                    "name of its file",
                )
        return None
    path: Path = made.folder / text
    try:
        made.access.check(path, text)
    except AccessError as error:
        text = f"heightfield: {error}"
        raise LocatedError(part.positions["heightfield"], text) from None
    made.files[path] = signature(path)
    return path


def _level_ground(height: float) -> Callable[[float, float], float]:
    return lambda x, y: height


def _look_limits(part: Part, key: str) -> LookLimits:
    try:
        return LookLimits(*part.values[key])
    except SettingError as error:
        raise LocatedError(part.positions[key], f"{key}: {error}") from None


def _plain_values(part: Part) -> Values:
    return {
        key: entry_values(value) if isinstance(value, dict) else value
        for key, value in part.values.items()
    }


MAX_HEIGHTS = 1 << 22
"""Maximum number of heights in a file: 2048 x 2048."""
IMAGES = (".png", ".tif", ".tiff", ".bmp", ".tga", ".jpg", ".jpeg", ".pgm")


def read_heightfield(
    path: Path,
    origin: Sequence[float] = (0.0, 0.0),
    size: Sequence[float] = (1.0, 1.0),
    height: float = 1.0,
) -> Heightfield:
    """Return the ground in a file.

    Args:
        path: An image, black is 0 and white 1, its upper edge farthest along y; or a
            ``.npy`` array of ``Heightfield``'s shape.
        origin: Origin, as for ``Heightfield``.
        size: Size, as for ``Heightfield``.
        height: Factor of the file's heights.
    """
    ending = path.suffix.lower()
    try:
        if ending == ".npy":
            heights = _array(read_file(path))
        elif ending in IMAGES:
            heights = _image(read_file(path), path.name)
        else:
            kinds = ", ".join((".npy", *IMAGES))
            raise BindError(f"{path.name!r} must have one of these endings: {kinds}")
    except OSError as error:
        raise BindError(f"{path} can't be read: {error.strerror or error}") from None
    return Heightfield(heights * height, origin, size)


def _array(data: bytes) -> Floats:
    file = BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        read = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )
        shape, _, kind = read(file)
    except (ValueError, EOFError) as error:
        raise BindError(f"not a .npy file: {error}") from None
    # checked before memory is allocated for it
    if kind.kind not in "fiub" or len(shape) != 2:
        raise BindError(
            "the array must have two dimensions, rows and columns, of numbers, not "
            f"{kind} of shape {shape}"
        )
    _check(shape)
    try:
        return np.asarray(np.load(BytesIO(data), allow_pickle=False), float)
    except (ValueError, EOFError) as error:
        raise BindError(f"the .npy file is incomplete: {error}") from None


def _image(data: bytes, name: str) -> Floats:
    header = p3d.PNMImageHeader()
    if not header.read_header(p3d.StringStream(data), name):
        raise BindError(f"{name!r} is not an image that Panda3D can read")
    _check((header.get_y_size(), header.get_x_size()))
    image = p3d.PNMImage()
    if not image.read(p3d.StringStream(data), name):
        raise BindError(f"{name!r} is not an image that Panda3D can read")
    image.remove_alpha()
    image.make_grayscale()
    texture = p3d.Texture()
    texture.set_compression(p3d.Texture.CM_off)
    texture.set_textures_power_2(p3d.ATS_none)
    texture.load(image)
    kind = np.uint8 if texture.get_component_width() == 1 else np.uint16
    rows, columns = image.get_y_size(), image.get_x_size()
    raw = np.frombuffer(bytes(texture.get_ram_image()), kind)
    return raw.reshape(rows, columns) / float(np.iinfo(kind).max)


def _check(shape: Sequence[int]) -> None:
    count = float(np.prod([float(side) for side in shape]))
    if not (isfinite(count) and count <= MAX_HEIGHTS):
        sides = " x ".join(map(str, shape))
        raise BindError(
            f"{sides} heights exceed the maximum of {MAX_HEIGHTS}: use a smaller "
            "heightfield"
        )
