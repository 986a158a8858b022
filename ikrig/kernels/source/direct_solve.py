"""Solves a chain without joint coordinates and makes the result."""

from __future__ import annotations

import cython

if not cython.compiled:
    from .chain import ChainKernel
    from .codes import BY_STEP, NOT_FINITE

ONE = 1.0
NOUGHT = 0.0


class DirectSolve:
    """Solves a chain without joint coordinates, and makes the result.

    Args:
        kernel: The chain's kernel.
        result_type: A named tuple with the fields of ``SolveResult``.
        statuses: For converged, stalled, unreachable, and iterations that ran out.
        bad_numbers: The result's detail when numbers are not finite.
    """

    def __init__(self, kernel: ChainKernel, result_type, statuses, bad_numbers):
        self.kernel = kernel
        self.result_type = result_type
        # a named tuple's own constructor is Python, and takes as long as a solve
        self.make = tuple.__new__
        self.converged, self.stalled, self.unreachable, self.out_of_iterations = (
            statuses
        )
        self.bad_numbers = bad_numbers
        self.unchanged = False
        # those that the kernel has
        self.settings = None
        # where the first joint was in the last frame, in root space
        self.x = self.y = self.z = 0.0

    def solve(self, gx, gy, gz, use_pole, px, py, pz, use_tip, dt):
        """Solve a frame, as ``ChainKernel.solve`` does; return its result.

        ``unchanged`` is then whether solving the same again would change nothing.
        """
        kernel = self.kernel
        if kernel.start.tipped and use_tip:
            kernel.aim_tip()
            gx -= kernel.start.tip_offset[0]
            gy -= kernel.start.tip_offset[1]
            gz -= kernel.start.tip_offset[2]
        try:
            held = kernel.solve(gx, gy, gz, use_pole, px, py, pz, use_tip, dt)
        except (ArithmeticError, ValueError):
            # where numbers are not finite machine code continues and Python raises
            kernel.start_over(use_tip)
            held = NOT_FINITE
        return self.result(held, False, 0)

    def result(self, held, stalled, uncounted):
        """Return the result of a frame, and set ``unchanged``.

        Args:
            held: The code of ``ChainKernel.finish``.
            stalled: Whether more iterations would not help.
            uncounted: Steps of the finish.
        """
        kernel = self.kernel
        error = kernel.error
        detail = ""
        # numbers that nearly all results have are not made anew
        longer = kernel.lengthening
        turned = kernel.orientation_error
        stretch: object = ONE if longer == 1.0 else longer
        turn: object = NOUGHT if turned == 0.0 else turned
        self.unchanged = held < BY_STEP
        if held == NOT_FINITE:
            status = self.stalled
            detail = self.bad_numbers
            kernel.left = error
        elif error <= kernel.tolerance:
            status = self.converged
        elif held < BY_STEP and kernel.out_of_reach:
            status = self.unreachable
        elif held or stalled:
            status = self.stalled
        else:
            status = self.out_of_iterations
            self.unchanged = kernel.snap_back == 1.0
        return self.make(
            self.result_type,
            (
                status,
                error,
                kernel.used,
                stretch,
                detail,
                turn,
                (),
                (),
                kernel.left,
                uncounted,
                (),
            ),
        )
