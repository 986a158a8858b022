"""The comparison detects differences."""

from __future__ import annotations

import numpy as np

from tests.differential.__main__ import compare


def test_changed_missing_and_reshaped_cases_are_reported(tmp_path, capsys):
    before, after = tmp_path / "before.npz", tmp_path / "after.npz"
    same = {"chains/a": np.array([1.0, np.nan]), "nodes/b": np.zeros(2)}
    np.savez(before, **same)
    np.savez(after, **same)
    assert compare(before, after) == 0
    np.savez(
        after,
        **{
            "chains/a": np.nextafter(same["chains/a"], 2.0),  # a single bit
            "nodes/b": np.array([0.0, 1e-7]),  # no more than is allowed
            "actors/c": np.zeros(1),
        },
    )
    capsys.readouterr()
    assert compare(before, after) == 2
    printed = capsys.readouterr().out
    assert "chains/a changes by" in printed
    assert "actors/c is in one record only" in printed
    np.savez(after, **{"chains/a": np.zeros((2, 2)), "nodes/b": np.full(2, np.nan)})
    assert compare(before, after) == 2
