"""Checks the arguments of public calls, with uniform messages.

``value_shapes`` checks single values, also of files; this module checks arrays,
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


def is_number(value: object) -> bool:
    """Return whether a value is a real number in float's range, or infinite."""
    if isinstance(value, float):
        return value == value
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        return False
    return number == number


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number; a bool is not."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def floats(values: object) -> NDArray[np.float64] | None:
    """Return numbers as a float array (no copy of one), or None if they are none.

    Texts, truth values, None and numbers beyond the range of a float are refused.
    Infinities and NaN are accepted.
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
    values: object,
    shape: tuple[int | str, ...],
    what: str,
    error: type[IkrigError],
    *,
    finite: bool = True,
) -> NDArray[np.float64]:
    """Return a new array of numbers of a shape.

    Args:
        values: The given value.
        shape: Its axes; a name stands for any length, "..." for any leading axes.
        what: Name of the argument, for the message.
        error: The type of the error.
        finite: Whether all must be finite.

    Raises:
        IkrigError: Of type ``error``; names the argument, its value and shape.
    """
    found = floats(values)
    if (
        found is None
        or not _fits(found.shape, shape)
        or (finite and not np.isfinite(found).all())
    ):
        raise error(
            f"{what} must be {_expected(shape, finite)}, not {_described(values)}"
        )
    return np.array(found)


def _fits(there: tuple[int, ...], shape: tuple[int | str, ...]) -> bool:
    if shape[:1] == ("...",):
        shape = shape[1:]
        there = there[max(0, len(there) - len(shape)) :]
    return len(there) == len(shape) and all(
        isinstance(want, str) or want == found
        for want, found in zip(shape, there, strict=True)
    )


def _expected(shape: tuple[int | str, ...], finite: bool) -> str:
    kind = "finite number" if finite else "number"
    if not shape:
        return f"a {kind}"
    if len(shape) == 1 and isinstance(shape[0], int):
        return f"{shape[0]} {kind}s"
    return f"{kind}s of shape ({', '.join(map(str, shape))})"


def _described(values: object) -> str:
    found = floats(values)
    if found is None or found.ndim < 2:
        return shown(values)
    return f"{shown(values)} of shape {found.shape}"


def entries(values: Any) -> tuple[Any, ...] | None:
    """Return the items of a list, an array or the like, or None if it is none."""
    if isinstance(values, str | bytes | Mapping):
        return None
    try:
        return tuple(values)
    except TypeError:
        return None


def checked_instance(
    value: object, kind: type[Kind], what: str, error: type[IkrigError]
) -> Kind:
    """Return a value after checking its type.

    Raises:
        IkrigError: Of type ``error``; names the argument, its value and the type.
    """
    if not isinstance(value, kind):
        raise error(f"{what} must be a {kind.__name__}, not {shown(value)}")
    return value


def listed(
    values: object, kind: type[Kind], what: str, error: type[IkrigError]
) -> tuple[Kind, ...]:
    """Return the items of a list after checking their types.

    Raises:
        IkrigError: Of type ``error``; names the argument and the wrong item.
    """
    found = entries(values)
    if found is None:
        raise error(f"{what} must be a list, not {shown(values)}")
    for value in found:
        checked_instance(value, kind, f"{what}: each", error)
    return found


def texts(
    values: object, count: int, what: str, error: type[IkrigError]
) -> tuple[str, ...]:
    """Return ``count`` texts as a tuple.

    Raises:
        IkrigError: Of type ``error``; names the argument and its value.
    """
    found = entries(values)
    if (
        found is None
        or len(found) != count
        or not all(isinstance(text, str) for text in found)
    ):
        raise error(f"{what} must be {count} strings, not {shown(values)}")
    return tuple(map(str, found))
