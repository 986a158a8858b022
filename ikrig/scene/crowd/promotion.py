"""Promoted: a member of a crowd that is shown by an Actor with a rig."""

from __future__ import annotations

from math import degrees
from typing import TYPE_CHECKING

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

from ...character.crowd_batch import LARGEST, LOOK_STATE
from ...character.flat import flat
from ..actor.actor_model import control_of
from ..actor.actor_rig import ActorRig
from ..behaviours.foot_placement import FootPlacement
from ..behaviours.full_body import FullBody
from ..behaviours.look_at import LookAt
from ..ik.chain import IKChain
from .aims import Aims, CrowdLimb
from .body import part_of
from .warps import Warps

if TYPE_CHECKING:
    from .crowd import Crowd


class Promoted:
    """An Actor in the place of a member, in its pose and with its state.

    Args:
        crowd: The crowd.
        i: The member.
    """

    def __init__(self, crowd: Crowd, i: int) -> None:
        self._crowd, self._i = crowd, i
        self._actor = actor = Actor(other=crowd._actor)
        actor.reparent_to(crowd.parent)
        actor.set_blend(animBlend=True, frameBlend=True)
        for name in actor.get_anim_names():
            actor.set_control_effect(name, 0.0)
        self._own_colour = actor.get_color_scale()
        self._colour: list[float] = []
        self._shown: set[str] = set()
        self.rig = rig = ActorRig(actor)
        self._targets: list[p3d.NodePath] = []
        self._limbs: list[tuple[CrowdLimb, IKChain, p3d.NodePath, p3d.NodePath]] = []
        self._look: LookAt | None = None
        self._place()
        feet = crowd._feet
        self._feet: FootPlacement | None = None
        if feet is not None and feet._ground is not None:
            self._feet = FootPlacement(rig, feet.ground, weight=0.0)
            feet.lend(i, self._feet)
        for limb in crowd._limbs.values():
            target, pole = self._target(limb.name), self._target("pole")
            chain = rig.chain(limb.name, target=target, weight=0.0)
            self._limbs.append((limb, chain, target, pole))
        if crowd._gaze is not None:
            self._seen = self._target("look")
            self._look = LookAt(rig, self._seen, weight=0.0)
            states = flat(crowd._gaze._layer.states)
            self._at = i * crowd._gaze._layer.states.shape[1]
            self._look._kernel.resume(states, self._at)
            self._look._was_disabled = states[self._at + LOOK_STATE - 1] > 0.0
            self._states = states
        self._body: FullBody | None = None
        if crowd._body is not None:
            self._body = crowd._body.make(rig, self._target)
        self._warps: Warps = {}
        if crowd._warps is not None:
            self._warps = crowd._warps.make(rig)
        self._springs = [(own, own.make(rig)) for own in crowd._springs]
        self._lend_moving()
        if crowd._system is not None:
            rig.start(crowd._system.task_mgr)
        # in the member's pose, in the frame that is drawn next
        self._show()
        if crowd._body is not None and self._body is not None:
            crowd._body.lend(i, self._body)
        rig.update(0.0)
        # which has carried them along, where the member has moved since
        self._lend_moving()

    def _lend_moving(self) -> None:
        for springs, bones in self._springs:
            springs.lend(self._i, bones)
        if self._crowd._warps is not None:
            self._crowd._warps.lend(self._i, self._warps)

    def _target(self, name: str) -> p3d.NodePath:
        node = self._crowd.parent.attach_new_node(f"{name} Target")
        self._targets.append(node)
        return node

    def update(self, dt: float) -> None:
        """Show the member for a frame of dt seconds."""
        batch, i = self._crowd._batch, self._i
        batch.wind(i, dt)
        sound = is_sound(self._crowd, i)
        batch.bad[i] = not sound
        if sound:
            self._show()
        if self._crowd._system is None:
            self.rig.update(dt)

    @property
    def is_gone(self) -> bool:
        """Whether the Actor was removed by others."""
        return self._actor.is_empty()

    def _place(self) -> None:
        crowd, i, actor = self._crowd, self._i, self._actor
        actor.set_pos(*crowd.positions[i])
        actor.set_h(degrees(crowd.headings[i]))
        actor.set_scale(crowd.scales[i])

    def _show(self) -> None:
        crowd, i, actor = self._crowd, self._i, self._actor
        self._place()
        if crowd.drawing is not None:
            colour = crowd.drawing.colors[i].tolist()
            # what others give the Actor stays until the crowd's is changed
            if colour != self._colour:
                tint = p3d.LVecBase4(*colour)
                tint.componentwise_mult(self._own_colour)
                actor.set_color_scale(tint)
                self._colour = colour
        playing = crowd[i].playing
        for name in self._shown - set(playing):
            actor.set_control_effect(name, 0.0)
        for name, (at, _, weight) in playing.items():
            control_of(actor, name, "modelRoot").pose(at)
            actor.set_control_effect(name, weight)
        self._shown = set(playing)
        for limb, chain, target, pole in self._limbs:
            target.set_pos(*limb.targets[i])
            chain.weight = limb.settings.weight * part_of(limb.weights[i])
            if limb.poles is not None:
                pole.set_pos(*limb.poles[i])
                chain.pole = pole
        if self._look is not None and crowd._gaze is not None:
            self._seen.set_pos(*crowd._gaze.targets[i])
            self._look.weight = part_of(crowd._gaze.weights[i])
        if self._feet is not None and crowd._feet is not None:
            self._feet.weight = part_of(crowd._feet.weights[i])
        if self._body is not None and crowd._body is not None:
            crowd._body.show(i, self._body)
        for warp in self._warps.values():
            warp.weight = part_of(crowd._warps.weights[i]) if crowd._warps else 0.0
        for springs, bones in self._springs:
            bones.weight = part_of(springs.weights[i])
            bones.wind = tuple(springs.wind)

    def end(self) -> None:
        """Remove the Actor; the crowd goes on where it was."""
        self._take_moving()
        if self._look is not None:
            self._look._kernel.keep(self._states, self._at)
            self._states[self._at + LOOK_STATE - 1] = float(self._look._was_disabled)
        if self._feet is not None and self._crowd._feet is not None:
            self._crowd._feet.take_back(self._i, self._feet)
        if self._body is not None and self._crowd._body is not None:
            self._crowd._body.take_back(self._i, self._body)
        self.rig.detach()
        if not self.is_gone:
            self._actor.cleanup()
        for node in self._targets:
            if not node.is_empty():
                node.remove_node()
        self._crowd._batch.update(0.0, np.array([self._i], np.intc))
        self._take_moving()

    def _take_moving(self) -> None:
        for springs, bones in self._springs:
            springs.take_back(self._i, bones)
        if self._crowd._warps is not None:
            self._crowd._warps.take_back(self._i, self._warps)


def is_sound(crowd: Crowd, i: int) -> bool:
    """Return whether an Actor can have the numbers of a member: no frame fails."""
    found = [*crowd.positions[i], crowd.headings[i], crowd.scales[i]]
    goals: list[Aims] = [*crowd._limbs.values()]
    if crowd._gaze is not None:
        goals.append(crowd._gaze)
    if crowd._body is not None:
        goals += [crowd._body[name] for name in crowd._body]
        found.append(crowd._body.weights[i])
    if crowd._warps is not None:
        found.append(crowd._warps.weights[i])
    for goal in goals:
        found += [*goal.targets[i], goal.weights[i]]
        poles = getattr(goal, "poles", None)
        if poles is not None:
            found += [*poles[i]]
    if crowd._feet is not None:
        found.append(crowd._feet.weights[i])
    found += [springs.weights[i] for springs in crowd._springs]
    return all(abs(number) < LARGEST for number in found)
