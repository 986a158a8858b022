"""Converts an animation to targets, poles and keys of a rig."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import radians
from typing import Any

from ...clip import Clip
from ...clip.clip import FPS
from ...clip.reduce import DEGREES, LENGTH
from ...errors import BindError, SettingError, shown, suggest
from ...value_shapes import checked
from ..animation.property_bindings import PropertyBindings
from ..rig_builder import sources_of
from .fit_keys import KeyFit
from .limb_controls import LimbControls
from .offline_frames import Progress
from .pose_recorder import PoseRecorder


def bake_to_controls(
    rig: object,
    animation: str,
    fps: float | None = None,
    *,
    wrap: str = "once",
    tolerance_deg: float = 0.5,
    tolerance: float | None = None,
    progress: Progress | None = None,
) -> Clip:
    """Return a clip that moves a rig's targets so that its Actor does an animation.

    The reverse of baking: joint animation or motion capture becomes targets and poles
    with few keys, to be dragged.

        rig = ikrig.load_rig("assets/rigs/panda.yaml")
        clip = ikrig.bake_to_controls(rig, "walk", wrap="loop")
        ikrig.dump_clip(clip, "walk_controls.yaml")

    Each limb that is started follows its targets. The roll of bones and the shape of
    long chains, which targets and pole don't determine, are in sparse keys of its
    joints: the start pose of IK, which only has to be close between keys. Joints of no
    limb have keys of their own. The clip also sets settings that would keep limbs off
    the animation, and the weights of behaviours.

    Play it on an Actor that plays nothing else. (``actor.stop()`` leaves joints in
    their current pose, and the clip moves only those that it has.)

    Args:
        rig: A rig, as ``ClipPlayer`` accepts, on an Actor. It stays in the last pose.
        animation: The name of one of the Actor's animations. All that it plays is
            stopped.
        fps: Frames per second to sample. Default: the animation's own.
        wrap: Motion beyond its end: "once"; "loop", where the first frame follows the
            last one; "ping_pong".
        tolerance_deg: Largest error of the rotation of any joint in its parent [deg].
        tolerance: Largest error of the positions of joints that move in their parents,
            such as hips [the Actor's unit]. None: a 2000th of the Actor's size.
        progress: Called with the numbers of frames that have all their keys, and of
            all frames.

    Raises:
        BindError: There is no Actor or animation, or a limb can't follow it.
        SettingError: A number is out of range.
    """
    allowed = radians(checked(DEGREES, tolerance_deg, "tolerance_deg", SettingError))
    if tolerance is not None:
        tolerance = checked(LENGTH, tolerance, "tolerance", SettingError)
    slots = PropertyBindings(rig)
    if slots.actor_rig is None:
        raise BindError(f"{rig!r} has no Actor, so it has no animations")
    actor, part = slots.actor_rig.actor, slots.actor_rig.part
    names = actor.get_anim_names()
    if animation not in names:
        raise BindError(
            f"there is no animation {shown(animation)}: {suggest(animation, names)}"
        )
    limbs = [
        LimbControls(name, limb, slots)
        for name, limb in slots.solved.items()
        if limb in slots.actor_rig._components and limb.started
    ]
    control: Any = actor.get_anim_control(animation, part)
    rate = control.get_anim().get_base_frame_rate()
    fps = rate if fps is None else checked(FPS, fps, "fps", SettingError)
    frames = control.get_num_frames() - (wrap != "loop")
    steps = max(round(frames / rate * fps), 1)
    seconds = frames / rate / steps
    with _prepare(actor, part):
        film, skeleton = PoseRecorder(rig), slots.actor_rig.skeleton
        for i in range(steps + (wrap != "loop")):
            control.pose(i * seconds * rate)
            skeleton.play()
            film.sample(i * seconds)
        skeleton.bundle.clear_control_effects()
        end = steps * seconds or None
        empty = Clip(animation, wrap=wrap, duration=end, sources=sources_of(rig))
        fit = KeyFit(slots, limbs, film, empty)
        try:
            return fit.clip(allowed, tolerance, progress)
        finally:
            fit.player.stop()


@contextmanager
def _prepare(actor: Any, part: str) -> Iterator[None]:
    bundle = actor.get_part_bundle(part)
    flags = bundle.get_anim_blend_flag(), bundle.get_frame_blend_flag()
    actor.stop()
    bundle.set_anim_blend_flag(False)
    bundle.set_frame_blend_flag(True)
    bundle.clear_control_effects()
    try:
        yield
    finally:
        bundle.set_anim_blend_flag(flags[0])
        bundle.set_frame_blend_flag(flags[1])
