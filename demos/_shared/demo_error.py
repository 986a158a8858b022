"""What a demo says when it cannot go on."""

from __future__ import annotations


class DemoError(Exception):
    """A wrong option or asset; the message is one line for the user."""
