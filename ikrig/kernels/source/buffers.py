"""Buffers as kernels index them: pointers if compiled, else the buffers themselves."""

import cython


def pin(buffers):
    """Return what keeps buffers in place: while it lives, none can change its length.

    They are in a tuple or, by name, in a dictionary or a ``Block``.

    Whatever keeps a pointer from ``doubles`` or ``ints`` keeps this: an array that
    could grow would move, and leave the pointer behind. Those of a ``Block`` can't.
    """
    if not cython.compiled:
        # nothing points into lists
        return buffers
    if isinstance(buffers, dict):
        buffers = tuple(buffers.values())
    if isinstance(buffers, tuple):
        return [memoryview(values) for values in buffers]
    return buffers


def doubles(values):
    """Return a buffer of doubles as kernels index it.

    A typed argument would do, but then each module that calls this compiles all of
    Cython's memory views anew.
    """
    if cython.compiled:
        view = cython.declare(cython.double[::1], values)
        return cython.address(view[0])
    else:  # noqa: RET505 - Cython drops the branch only when it is spelled out
        return values


def ints(values):
    """Return a buffer of whole numbers as kernels index it."""
    if cython.compiled:
        view = cython.declare(cython.int[::1], values)
        return cython.address(view[0])
    else:  # noqa: RET505
        return values


def floats(values):
    """Return a buffer of numbers in single precision as kernels index it."""
    if cython.compiled:
        view = cython.declare(cython.float[::1], values)
        return cython.address(view[0])
    else:  # noqa: RET505
        return values


def objects(values):
    """Return the items of a tuple as kernels index them, which keep the tuple.

    Each is cast to its type where it is used: an object is counted where it is kept in
    a variable, which takes Python's lock.
    """
    if cython.compiled:
        return PySequence_Fast_ITEMS(values)  # noqa: F821
    else:  # noqa: RET505
        return values
