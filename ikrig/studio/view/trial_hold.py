"""TrialHold: a hand that holds a grip, for trying; none of it is in the rig file."""

from __future__ import annotations

import panda3d.core as p3d

from ...errors import BindError, IkrigError
from ...model.grip import Grip
from ...scene.behaviours.full_body import FullBody
from ...scene.behaviours.reach import Reach
from ..document.edited_rig import Selection
from .live_rig import LiveRig

LAST = 1e6  # its order: it moves the arm after all layers of the rig


class TrialHold:
    def __init__(self) -> None:
        self.hand = ""  # the limb that holds; "": the one that is nearest
        self.grip: Selection | None = None
        self.problem = ""  # the reason why the last one could not be held
        self._reach: Reach | None = None
        self._made: tuple[object, ...] = ()
        self._held: tuple[Grip, p3d.NodePath] | None = None

    def hands(self, live: LiveRig) -> list[str]:
        return [limb.name for limb in live.limbs if limb.kind == "hand"]

    def toggle(self, live: LiveRig, grip: Selection) -> None:
        """Send a hand to a grip; if it is there already, send it back."""
        self.problem = ""
        if self.grip == grip:
            self.grip = None
            return
        if not self.hands(live):
            raise BindError("no hand was found that could hold it")
        if self._wanted(live, grip) is None:
            raise BindError(f"{grip.name} has no place: give {grip.owner[1]} a target")
        self.grip = grip

    def state(self) -> str:
        """Return what the hand does, in words."""
        reach = self._reach
        if reach is None or self.grip is None:
            return self.problem
        result = reach.result
        far = result.detail if result is not None else ""
        return "held" if reach.holds else far or "on its way"

    def update(self, live: LiveRig) -> None:
        """Move the hand as the rig is now: its grip may have been edited."""
        try:
            self._follow(live)
        except IkrigError as error:
            self.grip, self.problem = None, str(error)

    def _follow(self, live: LiveRig) -> None:
        wanted = None if self.grip is None else self._wanted(live, self.grip)
        if wanted is None:
            self.grip = None
            self._leave(live)
            return
        hand = self.hand or self._nearest(live, *wanted)
        parts = live.rig.behaviours.values() if live.rig is not None else ()
        body = next((part for part in parts if isinstance(part, FullBody)), None)
        made = live.actor_rig, body, self.hand
        if made != self._made:
            self.forget(live)
            assert live.actor_rig is not None
            self._reach = Reach(live.actor_rig, hand, body=body, weight=0.0, order=LAST)
            self._made = made
        if wanted != self._held and self._reach is not None:
            grip, thing = self._held = wanted
            self._reach.grab(thing, grip)

    def forget(self, live: LiveRig) -> None:
        """Remove the layers of arm and hand, if their rig is still there."""
        reach = self._reach
        if reach is not None and reach.rig is live.actor_rig:
            parts = live.rig.behaviours.values() if live.rig is not None else ()
            fingers = reach._fingers
            reach.remove()
            if fingers is not None and fingers not in parts:
                fingers.remove()
        self._reach, self._held, self._made = None, None, ()

    def _leave(self, live: LiveRig) -> None:
        reach = self._reach
        if reach is None:
            return
        if self._held is not None:
            self._held = None
            if reach.rig is live.actor_rig:
                reach.release()
        if reach.weight == 0.0 or reach.rig is not live.actor_rig:
            self.forget(live)

    def _wanted(
        self, live: LiveRig, key: Selection
    ) -> tuple[Grip, p3d.NodePath] | None:
        if live.actor_rig is None or live.built is None:
            return None
        thing = live.thing_of(key.owner)
        grip = live.document.rig.grip(key)
        return None if thing is None or grip is None else (grip, thing)

    def _nearest(self, live: LiveRig, grip: Grip, thing: p3d.NodePath) -> str:
        point = live.parent.get_relative_point(thing, p3d.LPoint3f(*grip.point))
        places = live.joint_matrices()

        def gap(name: str) -> float:
            limb = next(limb for limb in live.limbs if limb.name == name)
            return float((places[limb.joints[-1]].get_row3(3) - point).length())

        return min(self.hands(live), key=gap)
