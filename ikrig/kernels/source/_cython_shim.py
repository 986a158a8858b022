"""Stands in for the ``cython`` package at run time when it is not installed.

The kernels are ordinary Python in Cython's pure-Python mode. Uncompiled they need
from ``cython`` no more than these names, all without effect.
"""

from __future__ import annotations

from typing import Any

compiled = False
double = float
int = int
bint = bool


def cfunc(function: Any) -> Any:
    """Return the function unchanged; Cython makes it a C function."""
    return function


ccall = inline = cclass = cfunc
