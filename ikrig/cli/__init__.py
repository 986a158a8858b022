"""The command line: ``main`` runs it, and each command has a file of its own."""

from __future__ import annotations

from .main import main

__all__ = ["main"]
