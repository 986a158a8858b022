"""flat: an array as a buffer for kernels."""

from __future__ import annotations

from typing import Any

import numpy as np


def flat(values: object) -> Any:
    """Return an array's numbers as a buffer for kernels, which keep pointers to it."""
    values = np.ascontiguousarray(values).reshape(-1)
    kept: Any = values if len(values) else np.zeros(1, values.dtype)
    return memoryview(kept)
