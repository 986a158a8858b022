"""Summary of a model file: joints, animations, limbs."""

from __future__ import annotations

from pathlib import Path

import panda3d.core as p3d
from direct.actor.Actor import Actor

from ...errors import BindError
from ...formats.part import Values
from ..actor.actor_figure import limbs_of
from ..actor.actor_rig import ActorRig
from ..robot.geoms import nodes_below
from .model_loader import load_file


def summary(path: Path) -> Values:
    """Return the content of a model file as plain data: joints, animations, limbs."""
    model = load_file(path.name, path.parent)
    if model is None:
        raise BindError(f"{path} can't be loaded as a model")
    found: dict[str, object] = {
        "name": path.name.partition(".")[0],
        "size": _size(model),
        "vertices": sum(
            geom.get_vertex_data().get_num_rows()
            for _, node in nodes_below(model, p3d.GeomNode)
            for geom in node.get_geoms()
        ),
        "joints": [],
        "animations": [],
        "limbs": [],
        "eyes": [],
        "forward": [0.0, -1.0, 0.0],
        "findings": [],
    }
    if model.find("**/+Character").is_empty():
        # a file may contain only an animation
        anims = [n.get_bundle() for _, n in nodes_below(model, p3d.AnimBundleNode)]
        found["animations"] = [
            _animation(x.get_name(), x.get_num_frames(), x.get_base_frame_rate())
            | {"joints": _channels(x)}
            for x in anims
        ]
        return found
    actor = Actor(model)
    skeleton = ActorRig(actor).skeleton
    standard_names = skeleton.standard_names
    found["joints"] = [
        {"name": name, "parent": parent, "called": standard_names.get(name)}
        for name, parent in skeleton.parents.items()
    ]
    known = limbs_of(skeleton)
    found["limbs"] = [
        {
            "name": limb.name,
            "kind": limb.kind,
            "joints": list(limb.joints),
            "end": None if limb.end is None else list(limb.end),
            "reason": limb.reason,
        }
        for limb in known.limbs
    ]
    found["eyes"] = list(known.eyes)
    found["forward"] = list(known.forward)
    found["findings"] = [
        {
            "limb": finding.limb,
            "reason": finding.reason,
            "joints": list(finding.joints),
            "message": finding.message,
        }
        for finding in known.findings
    ]
    found["animations"] = [
        _animation(name, actor.get_num_frames(name), actor.get_base_frame_rate(name))
        for name in sorted(actor.get_anim_names())
    ]
    actor.cleanup()
    return found


def _animation(name: str, frames: int | None, fps: float | None) -> dict[str, object]:
    seconds = max((frames or 0) - 1, 0) / fps if fps else 0.0
    return {"name": name, "frames": frames, "fps": fps, "seconds": seconds}


def _channels(group: p3d.AnimGroup) -> int:
    """Return the number of joints in an animation, without morph targets."""
    return sum(
        child.get_type().get_name().startswith("AnimChannelMatrix") + _channels(child)
        for child in group.get_children()
    )


def _size(model: p3d.NodePath) -> list[float]:
    ends = model.get_tight_bounds()
    return [0.0, 0.0, 0.0] if ends is None else [*(ends[1] - ends[0])]
