"""The humanoid of `assets/models`, painted for the studio's light."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

from demos._shared.demo_error import DemoError
from demos._shared.mesh import keep_visible, paint_for_light

Paint = tuple[float, float, float]

FOLDER = Path(__file__).parents[2] / "assets" / "models"


def load_humanoid(repaint: Mapping[Paint, Paint] = MappingProxyType({})) -> Actor:
    """Return the figure with its clips idle, walk, run and wave; it faces -y.

    Args:
        repaint: Colours, sRGB, by those of the file that they replace.

    Raises:
        DemoError: The model is missing.
    """
    path = FOLDER / "humanoid.bam"
    try:
        actor = Actor(p3d.Filename.from_os_specific(str(path)))
    except OSError as error:
        raise DemoError(
            f"cannot load {path}: {error}; create it with python -m "
            "assets.models.humanoid"
        ) from error
    paint_humanoid(actor, repaint)
    return actor


def paint_humanoid(
    actor: Actor, repaint: Mapping[Paint, Paint] = MappingProxyType({})
) -> None:
    """Set materials and bounds of a loaded figure for the studio."""
    keep_visible(actor)
    for node in actor.find_all_matches("**/+GeomNode"):
        geoms = node.node()
        assert isinstance(geoms, p3d.GeomNode)
        for k in range(geoms.get_num_geoms()):
            _repaint(geoms.modify_geom(k).modify_vertex_data(), repaint)


def humanoid_notes() -> dict[str, Any]:
    """Return the speeds of clips and the frames in which feet stand."""
    text = (FOLDER / "humanoid.json").read_text(encoding="utf-8")
    notes: dict[str, Any] = json.loads(text)
    return notes


def pose_walk(
    actor: Actor, notes: Mapping[str, Any], distance: float, pace: float, time: float
) -> None:
    """Pose a figure that has walked so far and walks at a pace, 0 to 1, or stands."""
    clips, rate = notes["clips"], notes["rate"]
    frame = rate * distance / clips["walk"]["speed"]
    for clip, share, at in (
        ("walk", pace, frame),
        ("idle", 1.0 - pace, rate * time),
    ):
        actor.set_control_effect(clip, share)
        actor.pose(clip, at % clips[clip]["frames"])


def _repaint(data: p3d.GeomVertexData, repaint: Mapping[Paint, Paint]) -> None:
    colours = p3d.GeomVertexRewriter(data, "color")
    finish = p3d.GeomVertexReader(data, "texcoord")
    rows = range(data.get_num_rows())
    paint = np.array([(*colours.get_data4(), *finish.get_data3()) for _ in rows])
    shades = paint[:, :3].copy()
    for old, new in repaint.items():
        # the file has a byte for each
        paint[np.abs(shades - old).max(axis=1) < 0.01, :3] = new
    colours.set_row(0)
    for shade in paint_for_light(paint)[:, :4].tolist():
        colours.set_data4(*shade)
