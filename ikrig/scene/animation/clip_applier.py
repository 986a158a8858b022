"""ClipApplier: applies the mix of several clips to the parts of a rig."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...clip import Clip
from ...clip.mix import Mix
from ...errors import BindError
from .layers import ClipLayer
from .property_bindings import Name, PropertyBinding, PropertyBindings

__all__ = ["ClipApplier"]


class ClipApplier:
    """Writes mixed clips to a rig.

    Args:
        rig: What ``ClipPlayer`` takes.

    Raises:
        BindError: It is no rig.
    """

    def __init__(self, rig: Any) -> None:
        self._slots = PropertyBindings(rig)
        self._rest: dict[Name, Any] = {}
        """What each channel was before a clip moved it."""
        self._bound: dict[Name, PropertyBinding] = {}
        self._mix = Mix({})
        self._unfit = ""

    @property
    def rig(self) -> Any:
        """The rig."""
        return self._slots.rig

    def check(self, clip: Clip) -> None:
        """Refuse a clip that has tracks for what the rig has not.

        Raises:
            BindError: Tells all of them.
        """
        if not self._slots.is_current:
            self._slots = PropertyBindings(self.rig)
        _, mistakes = self._slots.find(clip)
        if mistakes:
            lines = [f"clip {clip.name!r}: {text}" for text in mistakes]
            raise BindError("\n".join(lines))

    def bind(self, layers: Sequence[ClipLayer]) -> None:
        """Find where the values of all tracks go, and what they are without a clip."""
        self._bound, unfit = {}, []
        rest: dict[Name, Any] = {}
        for layer in layers:
            slots, mistakes = self._slots.find(layer.clip)
            # after its file was read again a rig may lack what it had
            unfit += mistakes
            self._bound |= slots
            first = layer.clip.sample(0.0)
            for name in first:
                if name not in self._rest and name in slots:
                    self._rest[name] = slots[name].read()
                # settings that are None until they are set begin with the clip
                value = self._rest.get(name)
                rest.setdefault(name, first[name] if value is None else value)
        self._unfit = "\n".join(unfit)
        self._mix = Mix(rest)

    def write(self, base: Sequence[ClipLayer], over: Sequence[ClipLayer]) -> str:
        """Move everything to where the clips have it now; return what is wrong.

        Args:
            base: Clips of which each fades out what is below, from below.
            over: Clips over them.
        """
        if not self._slots.is_current:
            self._slots = PropertyBindings(self.rig)
            self.bind([*base, *over])
        mix = self._mix
        mix.begin()
        for i, layer in enumerate(base):
            mix.blend_over(layer.clip, layer.time, layer.weight, rest=i > 0)
        for layer in over:
            if layer.additive:
                mix.add(layer.clip, layer.time, layer.weight)
            else:
                mix.blend_over(layer.clip, layer.time, layer.weight, rest=False)
        trouble = self._unfit
        for name, value in zip(mix.names, mix.values(), strict=True):
            slot = self._bound.get(name)
            try:
                if slot is not None:
                    slot.write(value)
            except (BindError, AssertionError) as error:
                # AssertionError is Panda3D's answer to a node that is gone
                trouble = trouble or f"{name[1]} of {name[0]!r}: {error}"
        if self._slots.pose is not None:
            try:
                self._slots.pose.show()
            except (BindError, AssertionError) as error:
                trouble = trouble or str(error)
        return trouble

    def let_go(self) -> None:
        """Leave an Actor's joints to its animation."""
        if self._slots.pose is not None:
            self._slots.pose.let_go()
