"""Reads the heights of a Heightfield from an image or an array file."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from math import isfinite
from pathlib import Path

import numpy as np
import panda3d.core as p3d

from ...character.heightfield import Heightfield
from ...errors import BindError
from ...files.file_access import read_file
from ...math3d.quaternion import Floats

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
