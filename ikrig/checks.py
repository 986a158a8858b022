"""Checks of arguments of public calls, with one message for each kind of error.

``value_shapes`` has the shapes of single values, which files share; here are arrays,
names and types of objects. Messages name the argument and its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .errors import IkrigError, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kind = TypeVar("Kind")


def is_number(value: Any) -> bool:
    """Whether a value is a real number that a float can hold; infinite ones are."""
    if isinstance(value, float):
        return value == value
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        return False
    return number == number


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def floats(values: Any) -> NDArray[np.float64] | None:
    """Return numbers as an array of floats, the same one if it is; None: they are not.

    Texts, truth values and None are no numbers, nor is what no float can hold. What is
    not finite is a number here.
    """
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        return values
    try:
        found = np.asarray(values)
        if found.dtype.kind == "O" and not all(map(is_number, found.flat)):
            return None
        return np.asarray(found, np.float64) if found.dtype.kind in "iufO" else None
    except Exception:
        # ragged lists, numbers too large, and objects that are no arrays
        return None


def array_of(
    values: Any,
    shape: tuple[int | str, ...],
    what: str,
    error: type[IkrigError],
    *,
    finite: bool = True,
) -> NDArray[np.float64]:
    """Return a new array of numbers of a shape.

    Args:
        values: What was given.
        shape: Its axes; a word stands for any length, "..." for any axes in front.
        what: What it is, for the message.
        error: The type of the error.
        finite: Whether all must be finite.

    Raises:
        IkrigError: Of the type that is given; names what it is, its value and shape.
    """
    found = floats(values)
    if (
        found is None
        or not _fits(found.shape, shape)
        or (finite and not np.isfinite(found).all())
    ):
        raise error(f"{what} must be {_words(shape, finite)}, not {_given(values)}")
    return np.array(found)


def _fits(there: tuple[int, ...], shape: tuple[int | str, ...]) -> bool:
    if shape[:1] == ("...",):
        shape = shape[1:]
        there = there[max(0, len(there) - len(shape)) :]
    return len(there) == len(shape) and all(
        isinstance(want, str) or want == found
        for want, found in zip(shape, there, strict=True)
    )


def _words(shape: tuple[int | str, ...], finite: bool) -> str:
    kind = "finite number" if finite else "number"
    if not shape:
        return f"a {kind}"
    if len(shape) == 1 and isinstance(shape[0], int):
        return f"{shape[0]} {kind}s"
    return f"{kind}s of shape ({', '.join(map(str, shape))})"


def _given(values: Any) -> str:
    found = floats(values)
    if found is None or found.ndim < 2:
        return shown(values)
    return f"{shown(values)} of shape {found.shape}"


def entries(values: Any) -> tuple[Any, ...] | None:
    """Return what is in a list, an array or the like; None: it is none."""
    if isinstance(values, str | bytes | Mapping):
        return None
    try:
        return tuple(values)
    except TypeError:
        return None


def kind_of(value: Any, kind: type[Kind], what: str, error: type[IkrigError]) -> Kind:
    """Return a value that is an object of some kind.

    Raises:
        IkrigError: Of the type that is given; names what it is, its value and the kind.
    """
    if not isinstance(value, kind):
        raise error(f"{what} must be a {kind.__name__}, not {shown(value)}")
    return value


def listed(
    values: Any, kind: type[Kind], what: str, error: type[IkrigError]
) -> tuple[Kind, ...]:
    """Return things that are all of some kind.

    Raises:
        IkrigError: Of the type that is given; names what they are, and the odd one.
    """
    found = entries(values)
    if found is None:
        raise error(f"{what} must be a list, not {shown(values)}")
    for value in found:
        kind_of(value, kind, f"{what}: each", error)
    return found


def texts(
    values: Any, count: int, what: str, error: type[IkrigError]
) -> tuple[str, ...]:
    """Return so many texts.

    Raises:
        IkrigError: Of the type that is given; names what they are, and their value.
    """
    found = entries(values)
    if (
        found is None
        or len(found) != count
        or not all(isinstance(text, str) for text in found)
    ):
        raise error(f"{what} must be {count} texts, not {shown(values)}")
    return tuple(map(str, found))
