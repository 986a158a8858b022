"""Formats values for YAML files, so that reading them gives the same values."""

from __future__ import annotations

from collections.abc import Mapping
from math import degrees, inf, isfinite, nextafter, radians

from ..value_shapes import Value
from .yaml_reader import file_text


def value_text(value: Value, *, in_degrees: bool = False) -> str:
    """Return a value as YAML text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return file_text(value)
    if isinstance(value, (int, float)):
        return _degrees(value) if in_degrees else number_text(value)
    if isinstance(value, Mapping):
        pairs = (f"{file_text(key)}: {value_text(x)}" for key, x in value.items())
        return f"{{{', '.join(pairs)}}}"
    parts = (value_text(part, in_degrees=in_degrees) for part in value)
    return f"[{', '.join(parts)}]"


def number_text(value: float) -> str:
    """Return a number as YAML text."""
    # -0.0 is read as 0: write it as 0
    text = repr(value or 0).removesuffix(".0")
    return text.replace("inf", ".inf")


def _degrees(value: float) -> str:
    exact = degrees(value)
    if not isfinite(exact):
        return number_text(exact)
    texts = [f"{exact:.{digits}g}" for digits in (6, 10, 15)]
    texts += [
        repr(near) for near in (exact, nextafter(exact, inf), nextafter(exact, -inf))
    ]
    text = next((text for text in texts if radians(float(text)) == value), texts[3])
    return number_text(float(text))
