"""Stands in for the ``cython`` package at run time when it is not installed.

The kernels are ordinary Python in Cython's pure-Python mode. Uncompiled they need
from ``cython`` no more than these names, all without effect.
"""

from __future__ import annotations

from contextlib import nullcontext

compiled = False
nogil = gil = nullcontext()
double = float
float = float
long = int
int = int
