"""History: states in the order in which they were made, and which of them is now."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

MOST_STEPS = 10_000
"""Steps that are kept; older ones can't be undone any more."""

State = TypeVar("State")


@dataclass(frozen=True)
class Step(Generic[State]):
    """A state, and the command that has led there."""

    name: str
    """What a history panel shows: "Add chain left_hand"."""
    state: State
    merge: str = ""
    """Steps that follow one another with one such word are one step: a drag."""


class History(Generic[State]):
    """States that never change, so that undo is exact.

    Args:
        name: What the first state is called.
        state: The first state.
    """

    def __init__(self, name: str, state: State) -> None:
        self.steps: list[Step[State]] = [Step(name, state)]
        self.index = 0

    @property
    def state(self) -> State:
        """The state now."""
        return self.steps[self.index].state

    def push(self, name: str, state: State, merge: str = "") -> None:
        """Add a state after the one now; what was undone is gone.

        Args:
            name: What the step is called.
            state: The state.
            merge: As for ``Step``: replaces the step now if that has the same word.
        """
        del self.steps[self.index + 1 :]
        if merge and self.index and self.steps[-1].merge == merge:
            self.steps.pop()
        self.steps.append(Step(name, state, merge))
        del self.steps[: -MOST_STEPS - 1]
        self.index = len(self.steps) - 1

    def seal(self) -> None:
        """End a drag: what comes is another step, whatever its word."""
        self.steps[self.index] = replace(self.steps[self.index], merge="")

    @property
    def can_undo(self) -> bool:
        """Whether there is a step before the one now."""
        return self.index > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a step that was undone."""
        return self.index < len(self.steps) - 1

    def undo(self) -> bool:
        """Go a step back; returns whether there was one."""
        return self.go_to(self.index - 1)

    def redo(self) -> bool:
        """Go a step on again; returns whether there was one."""
        return self.go_to(self.index + 1)

    def go_to(self, index: int) -> bool:
        """Go to a step by its number; returns whether there is one."""
        if not 0 <= index < len(self.steps):
            return False
        self.seal()
        self.index = index
        self.seal()
        return True
