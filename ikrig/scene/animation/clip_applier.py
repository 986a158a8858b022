"""ClipApplier: applies a mix of several clips to the parts of a rig."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...clip import Clip
from ...clip.mix import Mix
from ...errors import BindError
from .layers import ClipLayer
from .property_bindings import Name, PropertyBinding, PropertyBindings


class ClipApplier:
    """Writes mixed clips to a rig.

    Args:
        rig: A rig, as ``ClipPlayer`` accepts.

    Raises:
        BindError: It is not a rig.
    """

    def __init__(self, rig: object) -> None:
        self._bindings = PropertyBindings(rig, self._write_joints)
        self._rest: dict[Name, object] = {}
        """Value of each channel before a clip moved it."""
        # bind() sets these
        self._bound: dict[Name, PropertyBinding]
        self._mix: Mix
        self._unfit: str
        self._layers: tuple[list[ClipLayer], list[ClipLayer]]
        """The layers that were written last: base and over."""

    @property
    def rig(self) -> Any:
        return self._bindings.rig

    def check(self, clip: Clip) -> None:
        if not self._bindings.is_current:
            self._rebind()
        _, errors = self._bindings.find(clip)
        if errors:
            lines = [f"clip {clip.name!r}: {text}" for text in errors]
            raise BindError("\n".join(lines))

    def bind(self, layers: Sequence[ClipLayer]) -> None:
        """Find the bindings of all tracks, and their values without a clip."""
        self._bound, unfit = {}, []
        rest: dict[Name, object] = {}
        for layer in layers:
            bindings, errors = self._bindings.find(layer.clip)
            # a rig whose file was read again may lack parts
            unfit += errors
            self._bound |= bindings
            first = layer.clip.sample(0.0)
            for name in first:
                if name not in self._rest and name in bindings:
                    self._rest[name] = bindings[name].read()
                # settings that are None start at the clip's first value
                value = self._rest.get(name)
                rest.setdefault(name, first[name] if value is None else value)
        self._unfit = "\n".join(unfit)
        self._mix = Mix(rest)
        self._layers = [], []
        if self._bindings.pose is not None:
            self._bindings.pose.keep(self._bound)

    def write(self, base: Sequence[ClipLayer], over: Sequence[ClipLayer]) -> str:
        """Apply the clips at their current times; return an error message or "".

        Args:
            base: Clips from the lowest up; each fades out those below.
            over: Clips on top of them.
        """
        if not self._bindings.is_current:
            self._rebind()
            self.bind([*base, *over])
        self._layers = list(base), list(over)
        message = self._unfit
        for name, value in zip(self._mix.names, self._mixed(), strict=True):
            binding = self._bound.get(name)
            try:
                if binding is not None:
                    binding.write(value)
            except (BindError, AssertionError) as error:
                # Panda3D raises AssertionError for a node that is gone
                message = message or f"{name[1]} of {name[0]!r}: {error}"
        if self._bindings.pose is not None:
            try:
                self._bindings.pose.show()
            except (BindError, AssertionError) as error:
                message = message or str(error)
        return message

    def _mixed(self) -> list[object]:
        mix, (base, over) = self._mix, self._layers
        mix.begin()
        for i, layer in enumerate(base):
            mix.blend_over(layer.clip, layer.time, layer.weight, rest=i > 0)
        for layer in over:
            if layer.additive:
                mix.add(layer.clip, layer.time, layer.weight)
            else:
                mix.blend_over(layer.clip, layer.time, layer.weight, rest=False)
        return mix.values()

    def _write_joints(self) -> None:
        """Mix an Actor's joints again, on this frame's animated pose.

        It is not needed for a single clip, whose values replace the joints'.
        """
        base, over = self._layers
        pose = self._bindings.pose
        if pose is None or (len(base) < 2 and not over):
            return
        joints = [name for name in self._mix.names if pose.is_set(*name)]
        for name in joints:
            self._mix.set_rest(name, pose.now(*name))
        values = dict(zip(self._mix.names, self._mixed(), strict=True))
        for name in joints:
            self._bound[name].write(values[name])

    def _rebind(self) -> None:
        self.release_joints()
        self._bindings = PropertyBindings(self.rig, self._write_joints)

    def release_joints(self) -> None:
        if self._bindings.pose is not None:
            self._bindings.pose.release_joints()
