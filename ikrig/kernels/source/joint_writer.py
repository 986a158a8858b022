# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Copies a pose into the memory of an engine's joints, and has the engine finish it.

Where the memory is, and that it may be written, is for the caller to know.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from .buffers import floats, ints, pin

COMPILED = cython.compiled


class JointWriter:
    """Writes the matrices of joints, and calls what the engine itself calls then.

    Args:
        numbers: Matrices of a pose in single precision, 16 numbers in rows.
        joints: Index of each joint in the pose, parents first.
        values: The memory of each joint's matrix, buffers of 16 numbers.
        places: The addresses of these.
        objects: Address of each joint.
        above: Address of what each is a child of, in the engine.
        root: Address of the root of the joints.
        update: The engine's function that computes what depends on a joint's matrix,
            called with the joint, the root, what is above, 1, 1 and the thread; and its
            address.
        marks: Buffer of whole numbers, two for each joint: 1 + the index, among these
            joints, of the one above it, 0: none; and scratch.
        mark: The one that notes which frame of a clip was shown, called with the clip's
            control and whether frames are blended; and its address.
    """

    def __init__(
        self, numbers, joints, values, places, objects, above, root, update, mark, marks
    ):
        self.count = len(joints)
        self._pinned = pin(
            {
                "numbers": numbers,
                "joints": joints,
                "places": places,
                "objects": objects,
                "above": above,
                "marks": marks,
            }
        )
        self.values = values
        self.numbers = floats(numbers)
        self.joint = ints(joints)
        self.place = addresses(places)
        self.at = addresses(objects)
        self.above = addresses(above)
        self.state = ints(marks)
        self.root = root
        self.update = update[0]
        self.mark = mark[0]
        if cython.compiled:
            address = cython.declare(cython.ulonglong, update[1])
            self.updates = cython.cast("Update", address)
            address = mark[1]
            self.marks = cython.cast("Mark", address)

    def write(self, thread):
        """Write all joints; return 0.

        As in the engine's own update, nothing is computed for a joint that is as before
        while those above it are.

        Args:
            thread: Address of the engine's current thread.
        """
        for k in range(self.count):
            i = 16 * self.joint[k]
            if cython.compiled:
                own = cython.cast("Floats", self.place[k])
            else:
                own = self.values[k]
            changed = 0
            for c in range(16):
                if own[c] != self.numbers[i + c]:
                    own[c] = self.numbers[i + c]
                    changed = 1
            above = self.state[2 * k]
            moved = 0
            if above > 0:
                moved = self.state[2 * above - 1]
            self.state[2 * k + 1] = 1 if changed or moved else 0
            if self.state[2 * k + 1] == 0:
                continue
            if cython.compiled:
                self.updates(
                    self.at[k], self.root, self.above[k], changed, moved, thread
                )
            else:
                self.update(
                    self.at[k], self.root, self.above[k], changed, moved, thread
                )
        return 0

    def note(self, control, smooth):
        """Note that the present frame of a clip is shown; return 0."""
        if cython.compiled:
            self.marks(control, smooth)
        else:
            self.mark(control, smooth)
        return 0


def addresses(values):
    """Return a buffer of addresses as kernels index it."""
    if cython.compiled:
        view = cython.declare(cython.ulonglong[::1], values)
        return cython.address(view[0])
    else:  # noqa: RET505
        return values
