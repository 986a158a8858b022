"""What a frame needs of chains and trees, and their frames one after the other."""

import cython


class FrameUpdate:
    """Reads, solves and writes a frame of one chain or tree; base class."""

    def step(self, rig, settings, dt):
        """Solve one frame of dt seconds; return its result."""
        raise NotImplementedError

    def rests(self, settings):
        """Return whether a frame would solve the last one again, if bones rest."""
        return False

    def is_uneven(self):
        """Return whether the animation makes bones change their length."""
        return False


class FramePart:
    """A chain or tree on an Actor, as frames see it; base class of ``IKComponent``.

    Attributes:
        _settings: Its ``SolveSettings``.
        _usual: Those of the last frame, where it needed nothing of Python beside
            its ``FrameUpdate``; else None.
        _idle_since: Those since which its weight is 0, or None.
        _fading: What its weight fades by, or None.
        _result: Its last result.
        _update: Its ``FrameUpdate``.
        _started: Whether its Actor's rig solves it.
        _acted: The last frame of its rig in which it had an effect.
    """

    __slots__ = (
        "_acted",
        "_fading",
        "_idle_since",
        "_result",
        "_settings",
        "_started",
        "_update",
        "_usual",
    )


def first_acting(parts):
    """Return the index of the first of parts that may act; else their number.

    Args:
        parts: As for ``run_parts``.
    """
    count = len(parts)
    for i in range(count):
        entry = parts[i]
        if entry is None:
            return i
        part: FramePart = entry
        idle: cython.bint = part._settings is part._idle_since and part._fading is None
        if part._started and not idle:
            return i
    return count


def run_parts(parts, first, dt, frame):
    """Solve chains and trees for a frame, up to the first that needs Python for it.

    It calls ``_take(result)`` of one whose status has changed, or that has details to
    tell, and stops there: listeners may have changed everything.

    Args:
        parts: The ``FramePart`` of each layer; None where it is another one.
        first: Index of the first to run.
        dt: Time since the last frame [s].
        frame: The number of the frame.

    Returns:
        The index of that which needs Python; the number of parts: none.
    """
    count = len(parts)
    for i in range(first, count):
        entry = parts[i]
        if entry is None:
            return i
        part: FramePart = entry
        settings = part._settings
        if part._fading is not None or settings is not part._usual:
            return i
        if not part._started or settings is part._idle_since:
            continue
        part._acted = frame
        update: FrameUpdate = part._update
        try:
            result = update.step(part, settings, dt)
            if update.is_uneven():
                result = part._corrected(result)
        except Exception as error:
            part._take(part._failed(error))
            return i + 1
        before = part._result
        if result is before:
            continue
        if before is None or result[0] is not before[0] or result[4]:
            part._take(result)
            return i + 1
        part._result = result
    return count


def resting_parts(parts, frame):
    """Return how many of the first parts leave the pose as in the last frame.

    Args:
        parts: As for ``run_parts``.
        frame: The number of the frame that the pose is of.
    """
    count = len(parts)
    for i in range(count):
        entry = parts[i]
        if entry is None:
            return i
        part: FramePart = entry
        acted: cython.bint = part._acted == frame
        settings = part._settings
        if part._fading is not None or settings is not part._usual:
            return i
        acts: cython.bint = part._started and settings is not part._idle_since
        if acts != acted:
            return i
        if acts:
            update: FrameUpdate = part._update
            if not update.rests(settings):
                return i
    return count
