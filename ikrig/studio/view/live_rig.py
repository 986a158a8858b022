"""LiveRig: a document's rig in the scene, rebuilt whenever the document changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import panda3d.core as p3d
from direct.actor.Actor import Actor

from ...character.limb import Finding, Limb
from ...clip import Clip
from ...errors import BindError, IkrigError
from ...formats.rig_file import Part
from ...math3d.quaternion import Floats, from_matrix
from ...scene.actor.actor_rig import ActorRig
from ...scene.actor.actor_skeleton import skeleton_of
from ...scene.animation import ClipPlayer
from ...scene.animation.property_bindings import PropertyBindings
from ...scene.baking.recorder import Recorder
from ...scene.rig_builder import Rig, load_rig
from ...scene.rig_builder.contents import Model
from ...scene.rig_builder.model_loader import (
    find_animations,
    remove_model,
    stem_of,
)
from ..document.edited_rig import Owner
from ..document.learning import limit_frames, sweep_of
from ..document.skeleton_info import SkeletonInfo
from ..document.studio_document import StudioDocument
from .model_reader import (
    nodes_of,
    read_actor,
    read_motion,
    read_nodes,
)
from .open_file import animation_files, is_rig, open_model
from .playback import Playback
from .status import PartStatus, statuses_of

SECONDS_A_POSE = 0.03


class Sweep:
    """Moves a joint through poses, once; meanwhile chains and behaviours are off.

    ``rest`` is its frame in the model file, in that of the joint above, (3, 3);
    ``turns`` are relative to it, (n, 3, 3); rows.
    """

    def __init__(self, rig: Rig, joint: str, rest: Floats, turns: Floats) -> None:
        matrix = p3d.LMatrix3f(*(float(x) for x in rest.ravel()))
        state = p3d.TransformState.make_mat(p3d.LMatrix4f(matrix))
        keys = {}
        for k, turn in enumerate(turns):
            quat = state.get_quat() * p3d.LQuaternionf(*from_matrix(turn.T))
            keys[k * SECONDS_A_POSE] = tuple(quat)
        clip = Clip("sweep").with_track(joint, "rotation", keys)
        self.joint = joint
        self._player = ClipPlayer(clip, rig)
        parts = (rig.chains, rig.trees, rig.behaviours)
        self._off = [p for section in parts for p in section.values()]
        self._time = 0.0

    def update(self, dt: float) -> bool:
        self._time += dt
        for part in self._off:
            # weights are restored by the rebuild at the end
            part._fading, part.weight = None, 0.0
        self._player.time = min(self._time, self._player.duration)
        return self._time >= self._player.duration

    def stop(self) -> None:
        self._player.stop()


class LiveRig:
    def __init__(self, parent: p3d.NodePath, document: StudioDocument, model: Model):
        self.parent = parent
        self.document = document
        self.model = model  # the rigged model: an Actor, a Robot, a node or None
        self.rig: Rig | None = None
        self.problem = ""  # the reason why the current state can't be built, or ""
        self.playback = Playback(model, document.part)
        self.limbs, self.findings = _found(model, document.part)
        self.viewing = False
        self._version = -1
        self.built: Part | None = None  # the content that the scene shows
        self.recorder: Recorder | None = None
        self.sweeping: Sweep | None = None
        self._nodes: dict[str, p3d.NodePath] = {}
        self._motion: dict[str, Floats] | None = None
        self._bindings: tuple[Rig, PropertyBindings] | None = None

    @classmethod
    def open(
        cls, path: Path, parent: p3d.NodePath, *, viewing: bool = False
    ) -> LiveRig:
        document, folder = None, path.absolute().parent
        if is_rig(path):
            document = StudioDocument.open(path, SkeletonInfo(()))
            text, files = document.model, animation_files(document.parts)
        else:
            text, found = path.absolute().as_posix(), find_animations(path)
            files = {name: file.absolute().as_posix() for name, file in found}
        model = open_model(text, folder, parent, files) if text else None
        skeleton = SkeletonInfo((), "nodes")
        if isinstance(model, Actor):
            skeleton = read_actor(model, parent)
            files = {n: file for n, file in files.items() if model.get_num_frames(n)}
        else:
            files = {}
        if document is None:
            document = StudioDocument.new(skeleton, text, stem_of(path), files)
        document.skeleton = skeleton
        live = cls(parent, document, model)
        live.viewing = viewing
        return live

    def sync(self) -> bool:
        """Build the document's current state. Never raises: ``problem`` has errors."""
        document = self.document
        if self.viewing:
            return self._view()
        path = document.file.autosave_path.absolute()
        moved = self.rig is not None and self.rig.path.absolute() != path
        if self._version == document.version and not moved:
            return False
        self._version = document.version
        same_rig = document.parts is self.built and self.rig is not None
        if same_rig and document.clip_work.clip is not None:
            # a changed clip on the same rig
            return self._keep_clip()
        without_clip = self.playback.clip is not None
        without_clip = without_clip and document.clip_work.clip is None
        try:
            document.autosave()
            document.clip_work.autosave()
            folders = [Path(document.model).parent] if document.model else []
            folders += [document.path.absolute().parent.parent] if document.path else []
            allow = [folder for folder in folders if folder.is_dir()]
            if (moved or without_clip) and self.rig is not None:
                # nodes moved by a clip return to their positions in the file
                self.rebuild()
                self._version = document.version
            if self.rig is None:
                self.rig = load_rig(path, self.model, self.parent, allow=allow)
                self.rig.start()
            else:
                self.rig.reload()
            self.problem = ""
        except IkrigError as error:
            self.problem = str(error).replace(f"{path}:", "line ")
            return False
        self.built = document.parts
        self._read_nodes()
        return True

    def _keep_clip(self) -> bool:
        try:
            self.document.clip_work.autosave()
            self.problem = ""
        except IkrigError as error:
            self.problem = str(error)
        return False

    def _view(self) -> bool:
        document = self.document
        if self._version == document.version:
            return False
        self._version = document.version
        if document.path is not None:
            self.rig = load_rig(document.path, self.model, self.parent).start()
        self._read_nodes()
        return True

    def _read_nodes(self) -> None:
        """Read the joints of a model that is no Actor, once its rig is built."""
        if self.rig is not None and not isinstance(self.model, Actor):
            self._nodes = nodes_of(self.rig)
            self.document.skeleton = read_nodes(self._nodes, self.rig.root)

    def close(self) -> None:
        if not self.viewing:
            self.document.close()
        if self.rig is not None:
            self.rig.remove()
            self.rig = None
        remove_model(self.model)

    def lead_dormant(self) -> None:
        """Have targets that nobody has used stay at their joints."""
        for dormant in self.actor_rig._dormant if self.actor_rig else ():
            dormant.follow()

    def make_dormant(self) -> None:
        """Make dormant what is so in the document: a drag was cancelled."""
        rig = self.actor_rig
        for section in ("chains", "behaviours"):
            for name, part in self.document.parts.parts(section).items():
                asleep, made = part.values.get("dormant"), self.part(section, name)
                if rig is None or made is None or not asleep:
                    continue
                for x in (made,) if asleep is True else [made[key] for key in asleep]:
                    if rig._dormant_weight(x) is None:
                        rig._set_dormant(x)

    def motion(self) -> dict[str, Floats]:
        if not isinstance(self.model, Actor):
            return {}
        if self._motion is None:
            self._motion = read_motion(self.model, self.document.part)
        return self._motion

    def sweep(self, owner: Owner, joint: str) -> None:
        rig = self.document.rig
        limit = rig.limits(owner).get(joint)
        if self.rig is None or limit is None:
            raise BindError(f"{joint} has no limit to sweep")
        frames = limit_frames(rig, owner, joint)
        self.end_sweep()
        turns = sweep_of(frames, limit)
        self.sweeping = Sweep(self.rig, joint, frames.rest, turns)

    def end_sweep(self) -> None:
        """End the sweep; the rig is rebuilt from the document."""
        if self.sweeping is not None:
            self.sweeping.stop()
            self.sweeping = None
            self.rebuild()

    def rebuild(self) -> None:
        self.playback.follow(None, None, None)
        if self.rig is not None:
            self.rig.remove()
            self.rig, self._nodes = None, {}
        self._version = -1

    def start_recording(self) -> None:
        if self.rig is None:
            raise BindError("the rig can't be built: there is nothing to record")
        self.recorder = Recorder(self.rig).start()

    def stop_recording(self, name: str) -> Clip:
        assert self.recorder is not None
        recorder, self.recorder = self.recorder, None
        return recorder.stop(name)

    @property
    def actor_rig(self) -> ActorRig | None:
        return self.rig.actor_rig if self.rig is not None else None

    def part(self, section: str, name: str) -> Any:
        found = getattr(self.rig, section, {}) if self.rig is not None else {}
        return found.get(name)

    def thing_of(self, owner: Owner) -> p3d.NodePath | None:
        """Return the node of what has grips: a node, a body, a hand's target."""
        part = self.part(*owner)
        for key in ("root", "target"):
            part = getattr(part, key, part)
        there = isinstance(part, p3d.NodePath) and not part.is_empty()
        return part if there else None

    def bindings(self) -> PropertyBindings | None:
        rig = self.rig
        if rig is None:
            return None
        known = self._bindings
        if known is None or known[0] is not rig or not known[1].is_current:
            known = self._bindings = (rig, PropertyBindings(rig))
        return known[1]

    def channels_of(self, node: p3d.NodePath) -> list[tuple[str, str]]:
        """Return the channels by which a clip moves a node: targets and poles."""
        bindings = self.bindings()
        if bindings is None:
            return []
        return [
            (name, what)
            for name, part in bindings.contents.named
            for what in ("target", "pole")
            if getattr(part, what, None) == node
        ]

    def joint_matrices(self) -> dict[str, p3d.LMatrix4f]:
        """Return the current matrices of all joints, in the space of targets.

        To be called after the rigs of a frame and before it is drawn.
        """
        if not isinstance(self.model, Actor):
            return {name: n.get_mat(self.parent) for name, n in self._nodes.items()}
        if self.model.is_empty():
            return {}
        part = self.document.part
        with skeleton_of(self.model, part) as skeleton:
            above = skeleton.space.get_parent().get_mat(self.parent)
            found = {}
            for name, joint in skeleton.joints.items():
                net = found[name] = p3d.LMatrix4f()
                joint.get_net_transform(net)
                net *= above
            return found

    def statuses(self) -> Iterator[PartStatus]:
        return statuses_of(self.rig)


def _found(model: Model, part: str) -> tuple[tuple[Limb, ...], tuple[Finding, ...]]:
    if not isinstance(model, Actor):
        return (), ()
    rig = ActorRig.auto(model, part)
    try:
        return tuple(rig.limbs.values()), tuple(rig.findings)
    finally:
        rig.detach()
