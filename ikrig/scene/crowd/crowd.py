"""Crowd: many characters of one model, with IK, as arrays."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from math import radians, tan
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor
from direct.directnotify.DirectNotifyGlobal import directNotify
from numpy.typing import ArrayLike, NDArray

from ...character.character import Character
from ...character.crowd_batch import (
    LARGEST,
    BatchCarry,
    BatchLimb,
    CrowdBatch,
    MemberArray,
    copy_into,
    members_of,
)
from ...character.crowd_levels import LEVELS, CrowdLevel, levels_of
from ...character.limb import Limb
from ...checks import array_of
from ...copies import Uncopied
from ...errors import BindError, SettingError, shown, suggest
from ...math3d.quaternion import Floats
from ...model.skeleton import ChainModel
from ...model.springs import Spring
from ..actor.actor_figure import (
    anatomy_of,
    figure_of,
    joint_named,
    limbs_of,
    rest_nets,
    to_joint,
)
from ..actor.actor_rig import ActorRig
from ..actor.actor_skeleton import ActorSkeleton
from ..actor.character_file import read_clip, read_joints
from ..behaviours.spring_bones import SpringBones
from ..checked_setting import Checked, flag, number
from ..ik.chain import IKChain
from ..ik.system import Startable
from ..robot.geoms import nodes_below
from .aims import CrowdLimb, CrowdLook
from .body import CrowdBody
from .draw import CrowdDrawing
from .feet import CrowdFeet
from .promotion import Promoted, is_sound
from .springs import CrowdSprings
from .warps import CrowdWarps, Given

SOFTWARE = 100
"""Members that are drawn where the graphics card can't skin them."""


class Crowd(Startable, Uncopied):
    """Many characters of one model: posed in one compiled call, and drawn together.

    All inputs are arrays of n members, changed in place; an array that is assigned is
    copied into them. Positions, targets and results are in the space of ``parent``::

        crowd = ikrig.Crowd("walker.bam", 1000)
        crowd.positions[:, :2] = rng.uniform(-50, 50, (1000, 2))
        crowd.play("walk", phase=rng.random(1000))
        crowd.start()

    A member with the same inputs as an Actor with an ``ActorRig`` has the same joints.
    One with a number that is not finite, or beyond 1e15, keeps its last pose, which is
    logged once.

    Args:
        model: A path, or an Actor or its model, of which a copy is made.
        count: Number of members, n.
        parent: Node whose space all are in, and below which they are drawn. Default:
            ``render`` of the running ShowBase.
        animations: Files of clips, by name, as for an Actor.
        draw: Whether to draw them. A server needs only their joints.

    Raises:
        BindError: The model or an animation can't be loaded, or has no joints.
        GraphicsError: The graphics card can't draw it.
        SettingError: The number of members is out of range.
    """

    def __init__(
        self,
        model: str | PathLike[str] | Actor | p3d.NodePath,
        count: int,
        parent: p3d.NodePath | None = None,
        *,
        animations: Mapping[str, str | PathLike[str]] | None = None,
        draw: bool = True,
    ) -> None:
        self._system = None
        self.parent = _parent(parent)
        """The node whose space all are in."""
        self._actor = _prototype(model, animations)
        self._rig = ActorRig(self._actor)
        skeleton = self._rig.skeleton
        joints, parents, rest = read_joints(skeleton.bundle)
        self._controls = {
            name: control
            for name in self._actor.get_anim_names()
            if (control := self._actor.get_anim_control(name)) is not None
        }
        """Those of the clips, by their names."""
        clips = {name: read_clip(x, joints) for name, x in self._controls.items()}
        character = Character(list(joints), parents, rest, clips)
        skin, unbind = _skin(skeleton)
        space = skeleton.bundle.get_root_xform()
        space = space * skeleton.space.get_parent().get_mat(self._actor)
        self._batch = CrowdBatch(
            character,
            count,
            skin=skin,
            unbind=unbind,
            space=np.array(space),
            margin=_margin(skeleton),
        )
        self._limbs: dict[str, CrowdLimb] = {}
        self._gaze: CrowdLook | None = None
        self._carried: set[str] = set()
        """The joints above those that a head carries, which follow it."""
        self._promoted: dict[int, Promoted] = {}
        self._feet: CrowdFeet | None = None
        self._springs: list[CrowdSprings] = []
        self._body: CrowdBody | None = None
        self._warps: CrowdWarps | None = None
        self._reported = False
        self._camera: p3d.NodePath | None = None
        self._part = 1.0
        """As how large members count, of their size, within a budget."""
        self._levels: tuple[CrowdLevel, ...] = LEVELS
        self.view_margin = 1.0
        """How far beyond the edges of the picture members are posed and drawn, so that
        their shadows fall into it, as a multiple of their own size."""
        self.drawing: CrowdDrawing | None = None
        """What draws them, with their colours and levels of detail."""
        if flag(draw, "draw"):
            self.drawing = CrowdDrawing(
                self._actor, self.joints, count, self.parent, software=SOFTWARE
            )

    def __repr__(self) -> str:
        """Return the number of members and the model."""
        return f"<Crowd {len(self)} {self._actor.get_name()}>"

    def __len__(self) -> int:
        """Return the number of members."""
        return self._batch.count

    def __getitem__(self, i: int) -> Member:
        """Return a member, as a light handle."""
        return Member(self, range(len(self))[i])

    # -- arrays ------------------------------------------------------------------------

    positions = MemberArray("_batch")
    """Where members are, (n, 3) [units]."""
    headings = MemberArray("_batch")
    """Where they look, (n,) [rad]: 0 as with ``h`` 0, positive to the left."""
    scales = MemberArray("_batch")
    """Their sizes, (n,), as multiples of the model's."""
    visible = MemberArray("_batch")
    """Which of them are posed and drawn, (n,)."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all joints, parents first."""
        return self._batch.names

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints that move skin: those of ``palette``, in order."""
        return self._batch.joints

    @property
    def palette(self) -> NDArray[np.float32]:
        """Skinning matrices for column vectors, (n, joints, 3, 4), as of last frame."""
        return self._batch.palette

    @property
    def spheres(self) -> NDArray[np.float32]:
        """A sphere around each member, (n, 4): centre and radius, as of last frame."""
        return self._batch.spheres

    @property
    def clips(self) -> tuple[str, ...]:
        """Names of the clips."""
        return tuple(self._batch.character.clips)

    @property
    def threads(self) -> int:
        """Number of threads that members are divided among, 1 at first.

        Their poses do not depend on it.
        """
        return self._batch.threads

    @threads.setter
    def threads(self, count: int) -> None:
        self._batch.threads = count

    # -- levels of detail --------------------------------------------------------------

    @property
    def camera(self) -> p3d.NodePath | None:
        """The camera for which members are posed: by ``levels``, and only in view.

        None at first: all visible members are posed in each frame.
        """
        return self._camera

    @camera.setter
    def camera(self, camera: p3d.NodePath | None) -> None:
        if camera is not None:
            node = camera.node() if isinstance(camera, p3d.NodePath) and camera else 0
            if not isinstance(node, p3d.LensNode) or node.get_lens() is None:
                raise BindError(
                    f"camera must be the node of one, as base.cam, not {shown(camera)}"
                )
            if self._batch.levels is None:
                self._batch.set_levels(self._levels)
        self._camera = camera

    @property
    def levels(self) -> tuple[CrowdLevel, ...]:
        """Levels of detail, the best first; they count once there is a ``camera``.

        Raises:
            SettingError: They are none, more than 8, or do not fall in size.
        """
        return self._levels

    @levels.setter
    def levels(self, levels: Sequence[CrowdLevel]) -> None:
        self._levels = levels_of(levels)
        if self._batch.levels is not None:
            self._batch.set_levels(self._levels)

    @property
    def detail(self) -> NDArray[np.intc]:
        """The level of each member in the last frame, (n,): an index of ``levels``.

        It is -1 out of view, where clips go on and results stay as they are.
        """
        levels = self._batch.levels
        return np.zeros(len(self), np.intc) if levels is None else levels.detail

    def _set_view(self) -> None:
        """Pass the view of the camera on; without one, all are posed."""
        levels, camera = self._batch.levels, self._camera
        if levels is None:
            return
        if camera is None or camera.is_empty() or self.parent.is_empty():
            levels.view[0] = 0.0
            levels.detail[:] = 0
            return
        eye, scale, edges = view_of(camera, self.parent)
        scale = scale[0] / self._part, scale[1] / self._part
        levels.look(eye, scale, edges, self.view_margin)

    importance = Checked(number, 1.0)
    """Its part of what crowds have of ``IKSystem.budget``, beside other crowds'."""

    def _limit(self, part: float) -> None:
        """Have members count as smaller than they are, so that they take less time."""
        self._part = part

    # -- motion ------------------------------------------------------------------------

    def play(
        self,
        name: str,
        members: object = None,
        phase: ArrayLike = 0.0,
        speed: ArrayLike = 1.0,
        fade: float = 0.2,
    ) -> None:
        """Play a clip in a loop; what plays already fades out meanwhile.

        Args:
            name: Name of the clip.
            members: Indices or a mask of members; None: all.
            phase: Where it starts, 0 to 1 of the clip; one number, or one for each.
            speed: As a multiple of its own speed; one number, or one for each.
            fade: Time of the cross-fade [s]; 0: at once.

        Raises:
            SettingError: There is no such clip or member, or a number is out of range.
        """
        self._batch.play(name, members, phase, speed, fade)

    def limb(self, name: str) -> CrowdLimb:
        """Return a limb of all members, which can reach for targets.

        Args:
            name: Its name, as ``ActorRig.auto`` finds it: "left_hand", "right_foot"; or
                the joint that it ends in.

        Raises:
            BindError: There is no such limb; names the nearest.
        """
        skeleton = self._rig.skeleton
        joint = joint_named(skeleton, name, "limb")
        if joint not in self._limbs:
            known = limbs_of(skeleton).limbs
            found = [limb for limb in known if limb.joints[-1] == joint]
            if not found:
                names = [limb.name for limb in known]
                raise BindError(
                    f"there is no limb {shown(name)}: {suggest(name, names)}"
                )
            if self._body is not None:
                self._body.check_limbs([found[0].joints])
            self._limbs[joint] = CrowdLimb(self, found[0])
            self._batch.add(self._limbs[joint]._layer)
        return self._limbs[joint]

    def _bones(self, chain: IKChain, limb: Limb) -> BatchLimb:
        """Return a limb of all members, from a chain of the rig that is looked up."""
        batch, skeleton = self._batch, self._rig.skeleton
        model = chain._binding.model
        assert isinstance(model, ChainModel)
        joints = [*limb.joints, *([""] if limb.end is not None else [])]
        # joints that only twist move along
        kept = [k for k, joint in enumerate(joints) if joint not in limb.rigid]
        return BatchLimb(
            len(self),
            ChainModel(
                model.positions[kept],
                rotations=model.rotations[kept],
                bend=model.bend if model.bend is not None else model.find_bend(),
            ),
            [batch.index(joints[k]) if joints[k] else -1 for k in kept],
            batch.character.parents[batch.index(joints[0])],
            limb.kind != "hand",
            (0.0, 0.0, 0.0)
            if limb.end is None
            else to_joint(skeleton, limb.joints[-1], limb.end),
        )

    @property
    def feet(self) -> CrowdFeet:
        """The feet of all members, which stand on ``feet.ground`` once there is one.

        Raises:
            BindError: No legs were found in the model.
        """
        if self._feet is None:
            known = limbs_of(self._rig.skeleton).limbs
            limbs = {limb.joints[-1]: limb for limb in known}

            def bones(chain: IKChain) -> BatchLimb:
                # the last node may be the end of a bone, which is no joint
                *_, last, end = [node.name for node in chain._binding.nodes]
                return self._bones(chain, limbs.get(end) or limbs[last])

            self._feet = CrowdFeet(self, bones)
            self._batch.add(self._feet._layer)
        return self._feet

    @property
    def look(self) -> CrowdLook:
        """The gaze of all members: spine, neck, head and eyes turn to targets.

        As ``LookAt`` with its defaults.

        Raises:
            BindError: No head was found in the model.
        """
        if self._gaze is None:
            self._gaze = CrowdLook(self)
            self._batch.add(self._gaze._layer)
        return self._gaze

    def springs(
        self,
        joints: Sequence[str | Spring] | Literal["file"] | None = None,
        **settings: Any,
    ) -> CrowdSprings:
        """Let hair, tails or skirts of all members swing, as ``SpringBones`` does.

        Args:
            joints: First joint of each chain, ``Spring`` objects, or "file". Default:
                the springs of the model's file, else what ``SpringBones.auto`` finds.
            settings: As for ``SpringBones``; places are joints, and wind a vector.

        Raises:
            BindError, SettingError: As for ``SpringBones``.
        """
        if joints is None:
            made = SpringBones.auto(self._rig, **settings)
        else:
            made = SpringBones(self._rig, joints, **settings)
        found = CrowdSprings(self, made)
        self._springs.append(found)
        self._batch.add(found._layer)
        return found

    def body(
        self, limbs: Mapping[str, object] | None = None, **settings: Any
    ) -> CrowdBody:
        """Let whole bodies of all members follow a few handles, as ``FullBody`` does.

        Args:
            limbs: Limbs besides those found, or in their place, as for ``FullBody``.
            settings: As for ``FullBody``: ``spine_stiffness``, ``hips_weight``,
                ``shoulder_weight``, ``bend_weight``, ``lock`` and ``weight``.

        Raises:
            BindError, SettingError: As for ``FullBody``; or there is a body already, or
                a limb that it moves.
        """
        if self._body is not None:
            raise BindError(f"{self} has a body already")
        body = CrowdBody(self, limbs, settings)
        body.check_limbs([limb._joints for limb in self._limbs.values()])
        self._body = body
        self._batch.add(body._layer)
        return body

    def warps(
        self,
        *,
        stride: Given = True,
        orientation: Given = True,
        slope: Given = False,
    ) -> CrowdWarps:
        """Fit walks to speeds and directions of members, as warps of Actors do.

        Each is True, False or a mapping of settings.

        Args:
            stride: Strides fit the speed, as by ``StrideWarp``.
            orientation: Hips turn into the way, as by ``OrientationWarp``.
            slope: Trunks lean into slopes, as by ``SlopeWarp``.

        Raises:
            BindError, SettingError: As for these; or there are warps already, or none.
        """
        if self._warps is not None:
            raise BindError(f"{self} has warps already")
        given = {"slope": slope, "orientation": orientation, "stride": stride}
        self._warps = CrowdWarps(self, given)
        self._batch.add(self._warps._layer)
        return self._warps

    def _carry(self) -> None:
        """Let what the head carries beside its own joints follow it, once."""
        for above, carried in self._rig._stack.carried.items():
            if above not in self._carried:
                self._carried.add(above)
                pose = self._rig.skeleton.pose
                joints, path = (
                    [self._batch.index(pose.names[j]) for j in numbers]
                    for numbers in (carried._joints, carried._path)
                )
                self._batch.add(BatchCarry(joints, path))

    def joint_positions(self, joint: str) -> Floats:
        """Return the positions of a joint of all members, (n, 3), as of last frame.

        Args:
            joint: Name of the joint, or of the limb that ends in it: "left_hand".

        Raises:
            BindError: There is no such joint; names the nearest.
        """
        name = joint_named(self._rig.skeleton, joint, "joint")
        found: Floats = self._batch.places[:, self._batch.index(name)].astype(float)
        return found

    def nearest(self, point: ArrayLike, k: int = 1) -> NDArray[np.intp]:
        """Return the indices of the k members nearest to a point, the nearest first.

        Args:
            point: A point, (3,).
            k: Their number; at most all.

        Raises:
            SettingError: It is not a point, or k is no number above 0.
        """
        place = array_of(point, (3,), "point", SettingError)
        if not isinstance(k, int) or k < 1:
            raise SettingError(f"k must be a number above 0, not {shown(k)}")
        away = ((self.positions - place) ** 2).sum(axis=1)
        away[~np.isfinite(away)] = np.inf
        k = min(k, len(self))
        first = np.argpartition(away, k - 1)[:k]
        return first[np.argsort(away[first], kind="stable")]

    def promote(self, i: int) -> ActorRig:
        """Show a member by an Actor with a rig, which can have every behaviour.

        It goes on in the member's pose and colour: clips, targets, weights and feet
        still come from the crowd's arrays. Nothing pops, also when ``demote`` ends it,
        if the effect of what was added to the rig has been faded out. Meanwhile its
        joints are those of the rig (``ActorRig.joint``); the crowd's results keep the
        last.

        Args:
            i: The member.

        Returns:
            The rig; the same one where the member is promoted already.

        Raises:
            BindError: The node whose space all are in was removed.
            SettingError: There is no such member, or its numbers are not finite.
        """
        who = int(members_of([i], len(self))[0])
        if who not in self._promoted:
            if self.parent.is_empty():
                raise BindError(f"{self}: its parent was removed: make a new crowd")
            if not is_sound(self, who):
                raise SettingError(
                    f"member {who} has numbers that are not finite, or beyond "
                    f"{LARGEST:g}: set others for position "
                    f"{self.positions[who].tolist()}, heading {self.headings[who]}, "
                    f"scale {self.scales[who]}, or targets and weights"
                )
            self._batch.settle(who)
            self._promoted[who] = Promoted(self, who)
        return self._promoted[who].rig

    def demote(self, i: int) -> None:
        """Show a member as one of the crowd again; no error where it is.

        Raises:
            SettingError: There is no such member.
        """
        who = int(members_of([i], len(self))[0])
        if who in self._promoted:
            self._promoted.pop(who).end()

    def update(self, dt: float) -> None:
        """Pose all visible members for a frame of dt seconds. Never raises."""
        batch = self._batch
        if self._feet is not None:
            self._feet.begin()
        for springs in self._springs:
            springs.begin()
        if self._warps is not None:
            self._warps.begin()
        for i in [i for i, member in self._promoted.items() if member.is_gone]:
            self.demote(i)
        promoted = list(self._promoted)
        shown_here = batch.visible
        if promoted:
            shown_here = shown_here.copy()
            shown_here[promoted] = False
        self._set_view()
        batch.update(dt, np.flatnonzero(shown_here).astype(np.intc))
        for member in self._promoted.values():
            member.update(dt)
        if self.drawing is not None:
            if self._camera is not None and not self._camera.is_empty():
                shown_here = shown_here & (self.detail >= 0)
                self.drawing.choose_levels(self._camera, self.positions)
            self.drawing.write(batch.palette, shown_here)
        if batch.bad.any() and not self._reported:
            self._reported = True
            count, first = int(batch.bad.sum()), int(batch.bad.argmax())
            directNotify.newCategory("ikrig").warning(
                f"{self}: numbers of {count} members are not finite, or beyond "
                f"{LARGEST:g}; the first is {first}: they keep their last poses"
            )
        if self._feet is not None:
            self._feet.report()

    @property
    def bad(self) -> NDArray[np.bool_]:
        """Which members had numbers that are not finite in the last frame, (n,)."""
        return self._batch.bad.astype(bool)


class Member:
    """A member of a crowd: a handle to its rows of the crowd's arrays."""

    __slots__ = ("crowd", "i")

    def __init__(self, crowd: Crowd, i: int) -> None:
        self.crowd, self.i = crowd, i

    def __repr__(self) -> str:
        """Return its crowd and index."""
        return f"<Member {self.i} of {self.crowd!r}>"

    @property
    def position(self) -> Floats:
        """Where it is, (3,), live [units]."""
        found: Floats = self.crowd.positions[self.i]
        return found

    @position.setter
    def position(self, value: ArrayLike) -> None:
        copy_into(value, self.crowd.positions[self.i], "position")

    @property
    def heading(self) -> float:
        """Where it looks [rad]."""
        return float(self.crowd.headings[self.i])

    @heading.setter
    def heading(self, value: float) -> None:
        copy_into(value, self.crowd.headings[self.i, ...], "heading")

    @property
    def scale(self) -> float:
        """Its size, as a multiple of the model's."""
        return float(self.crowd.scales[self.i])

    @scale.setter
    def scale(self, value: float) -> None:
        copy_into(value, self.crowd.scales[self.i, ...], "scale")

    @property
    def visible(self) -> bool:
        """Whether it is posed and drawn."""
        return bool(self.crowd.visible[self.i])

    @visible.setter
    def visible(self, value: bool) -> None:
        self.crowd.visible[self.i] = value

    @property
    def playing(self) -> dict[str, tuple[float, float, float]]:
        """Its clips: time [frames], speed and weight, by name."""
        return self.crowd._batch.playing(self.i)

    def play(
        self, name: str, phase: float = 0.0, speed: float = 1.0, fade: float = 0.2
    ) -> None:
        """Play a clip, as ``Crowd.play``."""
        self.crowd.play(name, [self.i], phase, speed, fade)

    def joint_position(self, joint: str) -> Floats:
        """Return the position of a joint, (3,), as ``Crowd.joint_positions``."""
        found: Floats = self.crowd.joint_positions(joint)[self.i]
        return found


def _parent(parent: object) -> p3d.NodePath:
    if parent is None:
        base = getattr(builtins, "base", None)
        return p3d.NodePath("crowd") if base is None else base.render
    if not isinstance(parent, p3d.NodePath) or parent.is_empty():
        raise BindError(f"parent must be a node, not {shown(parent)}")
    return parent


def view_of(
    camera: p3d.NodePath, parent: p3d.NodePath
) -> tuple[Floats, tuple[float, float], list[list[float]]]:
    """Return the eye of a camera, what sizes are divided by, and its edges.

    As ``LevelTables.look`` takes them, in a parent's space.
    """
    node = camera.node()
    assert isinstance(node, p3d.LensNode)
    lens, mat = node.get_lens(), camera.get_mat(parent)
    eye = np.array(mat.xform_point(lens.get_nodal_point()))
    if lens.is_perspective():
        scale = 0.0, 2.0 * tan(radians(lens.get_fov()[1]) / 2.0)
    else:
        scale = lens.get_film_size()[1] * mat.get_row3(2).length(), 0.0
    shape = lens.make_bounds()
    edges = []
    if isinstance(shape, p3d.BoundingHexahedron):
        shape.xform(mat)
        for k in range(shape.get_num_planes()):
            # outward
            plane = shape.get_plane(k)
            edges.append([*-plane.get_normal(), -plane.dist_to_plane(p3d.Point3(*eye))])
    return eye, scale, edges


def _prototype(model: object, animations: Mapping[str, object] | None) -> Actor:
    """Return an Actor of a model, a new one.

    Raises:
        BindError: It or an animation can't be loaded, or has no joints.
    """
    if not isinstance(animations or {}, Mapping):
        raise BindError(f"animations must be paths by name, not {shown(animations)}")
    files: Any = {name: _filename(path) for name, path in (animations or {}).items()}
    if isinstance(model, p3d.NodePath) and model.is_empty():
        raise BindError(f"model must be a node in the scene, not {shown(model)}")
    try:
        if isinstance(model, Actor):
            actor = Actor(other=model)
            if files:
                actor.load_anims(files)
        elif isinstance(model, p3d.NodePath):
            actor = Actor(model.copy_to(p3d.NodePath()), files)
        else:
            actor = Actor(_filename(model), files)
    except (OSError, TypeError) as error:
        raise BindError(f"{shown(str(model))} can't be loaded: {error}") from None
    if not actor.get_part_names() or actor.find("**/+Character").is_empty():
        raise BindError(f"{shown(str(model))} has no joints: it is not a character")
    for name, file in files.items():
        control = actor.get_anim_control(name)
        if control is None:
            raise BindError(f"animation {shown(name)} can't be loaded from {file}")
        joints, anim = actor.get_joints(), control.get_anim()
        if not any(anim.find_child(joint.get_name()) for joint in joints):
            raise BindError(
                f"animation {shown(name)} moves no joint of the model: {file} is of "
                "another one"
            )
    # where it stands does not matter
    actor.clear_transform()
    return actor


def _filename(path: object) -> p3d.Filename:
    try:
        # what is none raises
        return p3d.Filename.from_os_specific(fspath(path))  # type: ignore[call-overload]
    except TypeError:
        raise BindError(
            f"model must be a path, an Actor or a node, not {shown(path)}"
        ) from None


def _skin(skeleton: ActorSkeleton) -> tuple[list[str], Floats]:
    """Return the joints that move skin, and matrices from it to their own spaces.

    Where meshes have no skin, they are those of all joints, and "", the model itself.
    """
    found: dict[str, p3d.LMatrix4f] = {}
    for skin in anatomy_of(skeleton).skins:
        for name, own, mat in zip(skin.names, skin.own, skin.mats, strict=True):
            if own:
                found.setdefault(name, mat)
    nodes = nodes_below(skeleton.space.get_parent(), p3d.GeomNode)
    geoms = [geom for _, node in nodes for geom in node.get_geoms()]
    if not all(geom.get_vertex_data().get_transform_blend_table() for geom in geoms):
        rest = rest_nets(skeleton)
        for name, net in rest.items():
            if name not in found:
                net.invert_in_place()
                found[name] = net
        found[""] = p3d.LMatrix4f.ident_mat()
    order = [name for name in (*skeleton.joints, "") if name in found]
    return order, np.array([found[name] for name in order]).reshape(-1, 4, 4)


def _margin(skeleton: ActorSkeleton) -> float:
    """Return the largest distance of skin from the nearest joint."""
    figure = figure_of(skeleton)
    joints = np.array(list(figure.positions.values()))
    parts = [
        (np.linalg.norm(points - figure.positions[joint], axis=1), points)
        for joint, points in figure.skin.items()
    ]
    if not parts:
        return 0.0
    own, skin = (np.concatenate(part) for part in zip(*parts, strict=True))
    # the nearest joint is not farther than its own: begin with the farthest
    order = np.argsort(-own)
    most = 0.0
    for rows in np.array_split(order, max(1, len(order) // 1000)):
        if len(rows) and own[rows[0]] > most:
            points = skin[rows]
            away = (joints**2).sum(axis=1) - 2.0 * points @ joints.T
            away = away.min(axis=1) + (points**2).sum(axis=1)
            most = max(most, max(float(away.max()), 0.0) ** 0.5)
    return most
