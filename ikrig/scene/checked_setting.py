"""Settings that are checked when they are set, so that frames need no checks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import panda3d.core as p3d

from ..errors import BindError, SettingError, shown
from ..value_shapes import VECTOR, Flag, Items, Number, Shape, Text, checked

T = TypeVar("T")

HUGE = sys.float_info.max
_ORDER = Number("a number", -HUGE, HUGE)


def number(value: object, what: str, low: float = 0.0, high: float = HUGE) -> float:
    """Return a setting that is a finite number, after checking it.

    Raises:
        SettingError: It is not a number, or out of range.
    """
    words = "a finite number"
    if low > -HUGE:
        words = f"a number of at least {low:g}"
    if high < HUGE:
        words = f"a number from {low:g} to {high:g}"
    found: float = checked(Number(words, low, high), value, what, SettingError)
    return found


any_number = partial(number, low=-HUGE)
"""Any finite number."""
fraction = partial(number, low=0.0, high=1.0)
"""A number from 0 to 1."""


def shaped(shape: Shape) -> Callable[[object, str], Any]:
    """Return a function that returns a setting, or raises a SettingError, by a shape.

    Args:
        shape: The allowed values.
    """
    return lambda value, what: checked(shape, value, what, SettingError)


flag: Callable[[object, str], bool] = shaped(Flag("True or False"))
"""True or False."""


def order_of(value: object, what: str = "order") -> float:
    """Return an order after checking it: any number, also an infinite one.

    Raises:
        SettingError: It is not a number, or NaN.
    """
    if isinstance(value, float) and abs(value) == inf:
        return value
    found: float = checked(_ORDER, value, what, SettingError)
    return found


def vector(value: object, what: str) -> p3d.LVector3f:
    """Return a setting that is three numbers, after checking it.

    Raises:
        SettingError: It is not three numbers.
    """
    return p3d.LVector3f(*checked(VECTOR, value, what, SettingError))


def names_of(value: object, what: str, least: int = 1) -> tuple[str, ...]:
    """Return names of joints, after checking them.

    Raises:
        BindError: They are not a list of names, or fewer than ``least``.
    """
    shape = Items("names of joints", Text(), least)
    found: tuple[str, ...] = checked(shape, value, what, BindError)
    return found


def node_in_scene(node: object, what: str) -> p3d.NodePath:
    """Return a node, after checking that it is one.

    Raises:
        BindError: It is not a NodePath, or an empty one.
    """
    if not isinstance(node, p3d.NodePath) or node.is_empty():
        raise BindError(f"{what} must be a NodePath in a scene, not {shown(node)}")
    return node


def node_or_none(node: object, what: str) -> p3d.NodePath | None:
    """Return a NodePath or None, after checking it.

    Raises:
        BindError: It is neither a NodePath nor None.
    """
    if node is not None and not isinstance(node, p3d.NodePath):
        raise BindError(f"{what} must be a NodePath or None, not {shown(node)}")
    return node


class Checked(Generic[T]):
    """An attribute that is checked when it is set, at any time.

    The value is stored under the same name with a leading underscore, and read from
    there as fast as a plain attribute.

    Args:
        check: Returns the value, or raises; called with the value and the name.
        default: Value before it is set; without it, reading raises AttributeError.
        changed: Called with the object after each setting, but for a number that it has
            already: those of handles are often set in each frame.
    """

    def __init__(
        self,
        check: Callable[[object, str], T],
        *default: T,
        changed: Callable[[Any], None] | None = None,
    ) -> None:
        self._check = check
        self._default = default
        self._changed = changed

    def __set_name__(self, owner: type, name: str) -> None:
        """Replace this object with a property of its owner."""
        check, kept, changed = self._check, f"_{name}", self._changed

        def put(thing: object, value: object) -> None:
            found = check(value, name)
            same = type(found) is float and getattr(thing, kept, None) == found
            setattr(thing, kept, found)
            if changed is not None and not same:
                changed(thing)

        for value in self._default:
            setattr(owner, kept, value)
        # attrgetter is C code: many settings are read in every frame
        setattr(owner, name, property(attrgetter(kept), put))

    if TYPE_CHECKING:

        @overload
        def __get__(self, thing: None, owner: type) -> Checked[T]: ...

        @overload
        def __get__(self, thing: object, owner: type) -> T: ...

        def __get__(self, thing: object, owner: type) -> object:
            """Return the value; on the class, this object."""

        def __set__(self, thing: object, value: T) -> None:
            """Check and store a value."""
