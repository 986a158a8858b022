"""History: states in the order in which they were made, and the current one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

MOST_STEPS = 10_000  # number of steps that are kept; older ones can't be undone

State = TypeVar("State")


@dataclass(frozen=True)
class Step(Generic[State]):
    name: str  # text in a history panel: "Add chain left_hand"
    state: State
    merge: str = ""  # consecutive steps with the same word are one step, as in a drag


class History(Generic[State]):
    """Immutable states, so that undo is exact."""

    def __init__(self, name: str, state: State) -> None:
        self.steps: list[Step[State]] = [Step(name, state)]
        self.index = 0

    @property
    def state(self) -> State:
        return self.steps[self.index].state

    def push(self, name: str, state: State, merge: str = "") -> None:
        del self.steps[self.index + 1 :]
        if merge and self.index and self.steps[-1].merge == merge:
            self.steps.pop()
        self.steps.append(Step(name, state, merge))
        del self.steps[: -MOST_STEPS - 1]
        self.index = len(self.steps) - 1

    def seal(self) -> None:
        """End a drag: the next change is a separate step, whatever its ``merge``."""
        self.steps[self.index] = replace(self.steps[self.index], merge="")

    @property
    def can_undo(self) -> bool:
        return self.index > 0

    @property
    def can_redo(self) -> bool:
        return self.index < len(self.steps) - 1

    def undo(self) -> bool:
        return self.go_to(self.index - 1)

    def redo(self) -> bool:
        return self.go_to(self.index + 1)

    def go_to(self, index: int) -> bool:
        if not 0 <= index < len(self.steps):
            return False
        self.seal()
        self.index = index
        self.seal()
        return True
