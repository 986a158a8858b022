"""Pictures as numpy arrays: reading from the GPU, scaling, writing.

Panda3D's image class takes 0.6 s to read back and write one 1280x720 picture; this
takes a tenth of that, and a contact sheet has a dozen.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import panda3d.core as p3d
from numpy.typing import NDArray

from ...errors import VideoError
from ...files.output_file import check_output, write_bytes

Picture = NDArray[np.uint8]
"""Red, green, blue, from the top left corner, (height, width, 3)."""


def grab(window: p3d.GraphicsOutput) -> Picture:
    texture = window.get_screenshot()
    if texture is None or not texture.has_ram_image():
        raise VideoError("the graphics driver returned no picture")
    return from_texture(texture)


def from_texture(texture: p3d.Texture) -> Picture:
    raw: Picture = np.frombuffer(bytes(texture.get_ram_image_as("RGB")), np.uint8)
    shape = (texture.get_y_size(), texture.get_x_size(), 3)
    return np.ascontiguousarray(raw.reshape(shape)[::-1])


def shrink(picture: Picture, width: int, height: int) -> Picture:
    """Return a smaller copy; each pixel is weighted by the area that it covers."""
    if picture.shape[0] == 2 * height and picture.shape[1] == 2 * width:
        wide = picture.astype(np.uint16)
        four = wide[::2, ::2] + wide[1::2, ::2] + wide[::2, 1::2] + wide[1::2, 1::2]
        return np.ascontiguousarray(((four + 2) // 4).astype(np.uint8))
    lines = _averages(picture.astype(np.float32), height)
    small = _averages(lines.swapaxes(0, 1), width).swapaxes(0, 1)
    return np.ascontiguousarray(np.clip(small + 0.5, 0.0, 255.0).astype(np.uint8))


def save(
    picture: Picture,
    path: Path,
    sources: Iterable[Path] = (),
    *,
    follow: bool = True,
) -> None:
    """Write a picture as PNG; make its folder if necessary."""
    endings = (".png",)
    check_output(path, endings=endings, make_folder=True, follow=follow)
    data = _png(picture)
    # a video has a thousand pictures: don't wait for the disk
    write_bytes(path, data, endings=endings, sources=sources, follow=follow, sync=False)


def _averages(cells: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """Average along the first axis into ``count`` equal cells.

    It uses running sums; a matrix product would start threads that compete for cores.
    """
    size = len(cells)
    sums = np.zeros((size + 1, *cells.shape[1:]), np.float32)
    np.cumsum(cells, axis=0, out=sums[1:])
    edges = np.linspace(0.0, size, count + 1)
    low = np.minimum(edges.astype(int), size - 1)
    part = (edges - low).astype(np.float32)
    part = part.reshape(-1, *[1] * (cells.ndim - 1))
    at_edges = sums[low] + part * cells[low]
    averages: NDArray[np.float32] = np.diff(at_edges, axis=0)
    averages *= np.float32(count / size)
    return averages


def _png(picture: Picture) -> bytes:
    height, width, _ = picture.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 0] = 2
    flat = picture.reshape(height, -1)
    rows[0, 1:] = flat[0]
    rows[1:, 1:] = flat[1:] - flat[:-1]  # wraps, as the format specifies

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6))
    return b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b"")
