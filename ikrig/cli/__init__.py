"""The command line: ``main`` runs it; each command is a separate file."""

from __future__ import annotations

from .main import main

__all__ = ["main"]
