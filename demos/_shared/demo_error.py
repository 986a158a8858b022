"""The error of demos."""

from __future__ import annotations


class DemoError(Exception):
    """An invalid option or asset; the message is one line for the user."""
