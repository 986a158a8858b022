"""Hand: poses the fingers of a hand, and closes them on things."""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence
from typing import TYPE_CHECKING

import numpy as np
import panda3d.core as p3d

from ...character.hands import FoundFinger, FoundHand, pinch, spread_angles
from ...errors import BindError, SettingError, shown, suggest
from ...formats.rig_file.sections import COMMON, PLUS
from ...kernels import buffer, index_buffer, zeros
from ...kernels.hand import HandKernel
from ...model.hand_poses import HAND_POSES, HAND_VALUES
from ...records import Field, Named, Record
from ...value_shapes import JOINT, Text, checked
from ..actor.actor_figure import hand_named, rest_transform
from ..checked_setting import Checked, number
from ..ik.phase import Phase
from .behaviour import Behaviour
from .grasp_shapes import shapes_of

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig
    from ..actor.actor_skeleton import ActorSkeleton

POSE = Record("hand pose", "A pose of a hand, for any hand.", HAND_VALUES)


class _Value:
    """A value of a hand's pose, which clips can animate."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, hand: Hand | None, owner: type) -> float | _Value:
        if hand is None:
            return self
        values = hand._values
        return values.get(self.name, values["curl"] if "_" in self.name else 0.0)

    def __set__(self, hand: Hand, value: float | None) -> None:
        hand._set({self.name: value})


class Hand(Behaviour):
    """Pose the fingers of a hand, on top of the animation, and close them on things.

        hand = rig.hand("right_hand")
        hand.pose("point")
        hand.curl = 0.4            # all fingers
        hand.index_curl = 0.0      # one of them
        hand.grasp(ball)           # until each touches it
        hand.release()

    Fingers are found by the names, the places and the skin of joints: any number, also
    mittens and claws. A pose means the same for every hand, since 0 is a straight
    finger and 1 a closed one, whatever the pose of the model file. A hand stays as
    animated until a value or pose is set. A hand without fingers is a palm: all this
    does nothing then.

    Args:
        rig: The Actor's rig.
        hand: Joint of the hand, or its limb: "left_hand".
        pose: Name of a pose: "flat", "open", "fist", "point", "grip", "pinch", or one
            of ``poses``.
        poses: Poses of your own by name, of values as below.
        seconds: Time to close on a thing, and to take a pose [s].
        weight: 0: as animated; 1: full effect.
        order: Order among the layers of its phase, SECONDARY.
        values: ``curl`` of all fingers, 0 to 1; ``spread``, -1 to 1; ``thumb``, how far
            it opposes the fingers; ``thumb_curl``, ``index_curl``, ``middle_curl``,
            ``ring_curl`` and ``pinky_curl``.

    Raises:
        BindError: The joint is unknown.
        SettingError: A value is unknown or out of range.
    """

    kind = "hand"
    record = Record(
        "hand",
        "The fingers of a hand take a pose.",
        {
            "hand": Field(JOINT, "The joint of the hand.", True),
            "pose": Field(Text("the name of a pose"), "The pose, by name."),
            "poses": Named(POSE, "Poses of your own, by name.", most=100),
            **HAND_VALUES,
            "seconds": Field(PLUS, "Time to close on a thing, in seconds."),
            **COMMON,
        },
    )
    _phase = Phase.SECONDARY
    seconds = Checked(number)
    """Time to close on a thing, and to take a pose [s]."""
    curl = _Value("curl")
    """Curl of all fingers, 0 to 1."""
    spread = _Value("spread")
    """How far the fingers spread, -1 to 1."""
    thumb = _Value("thumb")
    """How far the thumb opposes the fingers, 0 to 1."""
    thumb_curl = _Value("thumb_curl")
    """Curl of the thumb, 0 to 1; None: as all fingers."""
    index_curl = _Value("index_curl")
    """Curl of the index, 0 to 1; None: as all fingers."""
    middle_curl = _Value("middle_curl")
    """Curl of the middle, 0 to 1; None: as all fingers."""
    ring_curl = _Value("ring_curl")
    """Curl of the ring, 0 to 1; None: as all fingers."""
    pinky_curl = _Value("pinky_curl")
    """Curl of the pinky, 0 to 1; None: as all fingers."""

    def __init__(
        self,
        rig: ActorRig,
        hand: str,
        *,
        pose: str = "",
        poses: Mapping[str, Mapping[str, float]] | None = None,
        seconds: float = 0.15,
        weight: float = 1.0,
        order: float = 0,
        **values: float,
    ) -> None:
        super().__init__(rig, order, weight)
        self.seconds = seconds
        skeleton = self._skeleton
        self.found: FoundHand = hand_named(skeleton, hand)
        """The hand that was found: its palm and fingers."""
        self._hand = hand
        self.poses: dict[str, Mapping[str, float]] = {}
        """Poses of this hand's own, by name; set them by ``add_pose``."""
        self._values: dict[str, float] = {"curl": 0.0}
        self._pinch: Mapping[str, float] = {}
        self._pose_name = ""
        self._is_set = False
        self.thing: p3d.NodePath | None = None
        """The thing that the fingers hold, or None."""
        self._to_grasp = False
        self._shown: float | None = None
        """The weight with which the fingers stand still."""
        fingers = self.found.fingers
        joints = [joint for finger in fingers for joint in finger.joints]
        starts = np.cumsum([0, *(len(finger.joints) for finger in fingers)])
        self._joints = joints
        self._wanted = zeros(3 * len(fingers) + 1)
        # no buffer may be empty: that of a palm is one joint, which is never moved
        self._kernel = HandKernel(
            skeleton.pose,
            index_buffer(skeleton.numbers(joints)) or index_buffer((0,)),
            index_buffer(starts.tolist()),
            _shapes(skeleton, self.found) or zeros(1),
            _spheres(skeleton, self.found) or zeros(1),
            self._wanted,
            zeros(21 * max(len(joints), 1)),
        )
        for name, own in ({} if poses is None else poses).items():
            self.add_pose(name, own)
        if pose:
            self.pose(pose, 0.0)
        if values:
            self._set(values)
        rig.add(self, joints)

    def __repr__(self) -> str:
        return f"<Hand {self.rig._title} {self.found.joint}>"

    def _entries(self) -> dict[str, object]:
        named = self._named(self._pose_name) if self._pose_name else {}
        values = {k: x for k, x in self._values.items() if named.get(k) != x}
        if not self._is_set or (not self._pose_name and values == {"curl": 0.0}):
            values = {"curl": 0.0} if self._is_set else {}
        return {
            "hand": self._hand,
            "pose": self._pose_name,
            "poses": {name: dict(values) for name, values in self.poses.items()},
            **values,
            "seconds": self.seconds,
        }

    @property
    def fingers(self) -> tuple[str, ...]:
        """Names of its fingers, from the thumb on."""
        return tuple(finger.name for finger in self.found.fingers)

    @property
    def touching(self) -> tuple[str, ...]:
        """Names of the fingers that touched the thing when they closed on it."""
        contacts = self._kernel.contacts
        return tuple(name for k, name in enumerate(self.fingers) if contacts & (1 << k))

    def add_pose(self, name: str, values: Mapping[str, float]) -> None:
        """Add a pose of this hand's own, or replace it.

        Raises:
            SettingError: A value is unknown or out of range.
        """
        if not isinstance(name, str) or not name or not isinstance(values, Mapping):
            raise SettingError(
                "a pose needs a name and a dict of values, such as {'curl': 0.5}, not "
                f"{shown(name)} and {shown(values)}"
            )
        self.poses[name] = {k: _checked(k, value) for k, value in values.items()}

    def pose(self, name: str, seconds: float | None = None) -> None:
        """Take a pose gradually, and hold nothing any more.

        Args:
            name: "flat", "open", "fist", "point", "grip", "pinch" or one of ``poses``.
            seconds: Duration [s]. Default: ``self.seconds``.

        Raises:
            SettingError: There is no such pose, or ``seconds`` is out of range.
        """
        values = self._named(name)
        seconds = self.seconds if seconds is None else number(seconds, "seconds")
        self.thing, self._to_grasp = None, False
        self._kernel.release()
        self._values = {"curl": 0.0}
        self._is_set = True
        self._set(values)
        self._pose_name = name
        self._glide_to(True, seconds)

    def grasp(self, thing: p3d.NodePath, seconds: float | None = None) -> None:
        """Close the fingers until each touches a thing, in the next frame, and hold it.

        Each finger curls until it touches; the bones beyond that one curl on. The thumb
        opposes the fingers as far as it can. They close on the collision solids of the
        thing, or on what is drawn of it where it has none, where the hand then is.
        They hold their pose while the thing moves: a ``Reach`` keeps the hand at it.

        Args:
            thing: The node.
            seconds: Duration [s]. Default: ``self.seconds``.

        Raises:
            BindError: It is not in the scene, or has nothing to close on.
            SettingError: ``seconds`` is out of range.
        """
        seconds = self.seconds if seconds is None else number(seconds, "seconds")
        shapes_of(thing, self._space, (0.0, 0.0, 0.0), 0.0)
        self.thing, self._to_grasp = thing, True
        self._glide = seconds
        self._shown = None
        self._kernel.shown = 1.0

    def release(self, seconds: float | None = None) -> None:
        """Open the fingers gradually to the pose before, or to the animation.

        Args:
            seconds: Duration [s]. Default: ``self.seconds``.

        Raises:
            SettingError: ``seconds`` is out of range.
        """
        self._let_go(self.seconds if seconds is None else number(seconds, "seconds"))

    def _take(self, values: Mapping[str, float], seconds: float) -> None:
        self.thing, self._to_grasp = None, False
        wanted = zeros(len(self._wanted))
        self._fill(wanted, values)
        self._kernel.hold(wanted)
        self._glide_to(True, seconds)

    def _let_go(self, seconds: float) -> None:
        self.thing, self._to_grasp = None, False
        self._kernel.release()
        self._glide_to(self._is_set, seconds)

    @property
    def _rests(self) -> bool:
        return self._fading is None and self._shown == self.weight

    def _glide_to(self, shown: bool, seconds: float) -> None:
        self._shown = None
        self._kernel.glide(seconds)
        self._kernel.shown = float(shown)

    def _named(self, name: str) -> Mapping[str, float]:
        known = {**HAND_POSES, **self.poses}
        if name == "pinch" and name not in self.poses:
            # as this hand's bones are
            self._pinch = self._pinch or pinch(self.found) or HAND_POSES[name]
            return self._pinch
        if name not in known:
            raise SettingError(f"no hand pose {shown(name)}: {suggest(name, known)}")
        return known[name]

    def _set(self, values: Mapping[str, float | None]) -> None:
        """Set values of the pose; None: as all fingers."""
        for name, value in values.items():
            if value is None and name.endswith("_curl"):
                self._values.pop(name, None)
            else:
                self._values[name] = _checked(name, value)
        if not self._is_set:
            self._is_set = True
            self._glide_to(True, 0.0)
        self._fill(self._wanted, self._values)

    def _fill(
        self, wanted: MutableSequence[float], values: Mapping[str, float]
    ) -> None:
        self._shown = None
        for k, finger in enumerate(self.fingers):
            wanted[3 * k] = values.get(f"{finger}_curl", values.get("curl", 0.0))
            wanted[3 * k + 1] = values.get("spread", 0.0)
            wanted[3 * k + 2] = values.get("thumb", 0.0)

    def reads(self) -> list[p3d.NodePath]:
        """Return the nodes whose transforms the fingers depend on."""
        above = self._parents_of(finger.joints[0] for finger in self.found.fingers)
        return above if self.thing is None else [*above, self.thing]

    @property
    def _acts(self) -> bool:
        kernel = self._kernel
        return bool(self._joints) and not kernel.shown == kernel.share == 0.0

    def _frame(self, dt: float) -> None:
        if self._to_grasp:
            self._close()
        weight = self.weight
        moves = self._kernel.step(weight, dt)
        self._shown = None if moves else weight

    def _close(self) -> None:
        self._to_grasp = False
        thing = self.thing
        assert thing is not None
        skeleton = self._skeleton
        hand = skeleton.net_mat(skeleton.pose.index[self.found.joint])
        scale = hand.get_row3(0).length() * self._size
        centre = tuple(hand.get_row3(3))
        try:
            shapes, count = shapes_of(thing, self._space, centre, scale)
        except BindError:
            self.thing = None
            raise
        self._glide_to(True, self._glide)
        self._kernel.close(shapes, count)

    @property
    def _size(self) -> float:
        mat = rest_transform(self._skeleton, self.found.joint)
        tips = [np.subtract(f.tip, tuple(mat.get_row3(3))) for f in self.found.fingers]
        longest = max((float(np.linalg.norm(tip)) for tip in tips), default=0.0)
        return 1.5 * longest / (mat.get_row3(0).length() or 1.0)

    def _reset(self) -> None:
        self._let_go(0.0)


def _checked(name: str, value: object) -> float:
    field = HAND_VALUES.get(name)
    if field is None:
        raise SettingError(
            f"a hand has no value {shown(name)}: {suggest(name, list(HAND_VALUES))}"
        )
    found: float = checked(field.shape, value, name, SettingError)
    return found


def _shapes(skeleton: ActorSkeleton, hand: FoundHand) -> object:
    return buffer(x for finger in hand.fingers for x in _shape(skeleton, hand, finger))


def _shape(
    skeleton: ActorSkeleton, hand: FoundHand, finger: FoundFinger
) -> list[float]:
    normal, forward, side = map(np.array, (hand.normal, hand.forward, hand.thumb_side))
    found: list[float] = []
    for k, joint in enumerate(finger.joints):
        mat = rest_transform(skeleton, joint)
        inverse = p3d.LMatrix4f(mat)
        if not inverse.invert_in_place():
            raise BindError(f"joint {joint!r} is scaled to 0 in the pose of the file")
        # a mirror turns the other way
        sense = -1.0 if mat.get_upper_3().determinant() < 0.0 else 1.0
        for axis in (finger.axis, np.cross(forward, side), np.cross(side, normal)):
            own_axis = inverse.xform_vec(p3d.LVector3f(*map(float, axis)))
            own_axis.normalize()
            found += [sense * x for x in own_axis]
        own = spread_angles(hand, finger) if k == 0 else (0.0, 0.0, 0.0)
        found += [finger.straight[k], finger.full[k], *own]
    return found


def _spheres(skeleton: ActorSkeleton, hand: FoundHand) -> object:
    found: list[float] = []
    before = 0
    for finger in hand.fingers:
        for k, centre, radius in finger.spheres:
            joint = finger.joints[k]
            mat = rest_transform(skeleton, joint)
            # from the figure's unit to the skeleton's
            whole = skeleton.rest_mat(joint).get_row3(0).length()
            scale = whole / (mat.get_row3(0).length() or 1.0)
            mat.invert_in_place()
            place = mat.xform_point(p3d.LPoint3f(*centre))
            found += [before + k, *place, scale * radius]
        before += len(finger.joints)
    return buffer(found)
