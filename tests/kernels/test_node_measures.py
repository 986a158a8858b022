"""Nodes measured in their parents and in root space, compared with matrix products."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ikrig.kernels import buffer, index_buffer
from tests import reference
from tests.interpreted import interpreted_kernel

measure_nodes = interpreted_kernel("node_frame").measure_nodes
WIDTHS = {"start": 10, "points": 3, "rotations": 4, "frames": 4, "inside": 5}
PARENTS = [-1, 0, 1, 1, 3, 0]
COUNT = len(PARENTS)
# what each measurement refuses: a field of a node's transform and its values
FAR = [
    (field, k, value)
    for field in ("pos", "scale", "shear")
    for k in range(3)
    for value in (float("nan"), float("inf"), -1.1e18)
]
UNEVEN = [(*pair, k) for pair in (("scale", 1.3), ("scale", 0.0), ("shear", 0.01))
          for k in range(3)]  # fmt: skip


def random_states(rng) -> list[SimpleNamespace]:
    """Transforms with even scales, some mirrored, and quaternions of any length."""
    return [
        SimpleNamespace(
            pos=rng.normal(size=3).tolist(),
            quat=(rng.uniform(0.3, 3.0) * reference.unit(rng.normal(size=4))).tolist(),
            scale=(rng.uniform(0.5, 2.0) * rng.choice([1.0, -1.0], 3)).tolist(),
            shear=[0.0, 0.0, 0.0],
        )
        for _ in PARENTS
    ]


def measure(states, turned: bool = False, strict: bool = True, start=None):
    """Return the answer, and the buffers by their names."""
    made = {name: buffer([0.5] * (k * COUNT)) for name, k in WIDTHS.items()}
    if start is not None:
        made["start"] = buffer(np.ravel(start).tolist())
    answer = measure_nodes(
        states, index_buffer(PARENTS), turned, strict, *made.values()
    )
    return answer, {
        name: np.reshape(made[name], (COUNT, -1)) if name != "inside" else made[name]
        for name in made
    }


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_nodes_are_where_their_matrices_are(seed: int, turned: bool) -> None:
    rng = np.random.default_rng(seed)
    states = random_states(rng)
    turns = np.array([reference.unit(state.quat) for state in states])
    start: Any = None
    if turned:
        turns = np.array([reference.unit(q) for q in rng.normal(size=(COUNT, 4))])
        start = np.full((COUNT, 10), 9.0)
        start[:, 3:7] = turns
    # the last may have any scale: nothing is below it
    states[-1].scale = rng.uniform(0.5, 2.0, 3).tolist()
    answer, found = measure(states, turned, start=start)
    assert answer == -1
    expected = [(*x.pos, *q, *x.scale) for x, q in zip(states, turns, strict=True)]
    assert np.allclose(found["start"], expected)
    inner: list[tuple[np.ndarray, np.ndarray]] = []
    for j, (parent, state) in enumerate(zip(PARENTS, states, strict=True)):
        frame, place = inner[parent] if j else (np.eye(3), np.zeros(3))
        place = place + frame @ state.pos
        turn = reference.matrix(turns[j])
        inner.append((frame @ turn * state.scale, place))
        size = np.cbrt(np.linalg.det(frame))
        assert np.allclose(found["points"][j], place)
        assert np.allclose(reference.matrix(found["frames"][j]), frame / size)
        assert np.allclose(reference.matrix(found["rotations"][j]), frame / size @ turn)
        assert found["inside"][j] == pytest.approx(size)


@pytest.mark.parametrize("field, k, value", FAR)
def test_first_node_beyond_single_precision_is_named(field, k, value) -> None:
    rng = np.random.default_rng(k)
    for j in range(COUNT):
        states = random_states(rng)
        for worse in (j, COUNT - 1):
            getattr(states[worse], field)[k] = value
        assert measure(states, strict=False)[0] == j
        getattr(states[j], field)[k] = getattr(states[-1], field)[k] = 0.9e18
        assert measure(states, strict=False)[0] in (-1, COUNT)


@pytest.mark.parametrize("size", [0.0, 0.9e-6, float("nan"), 1e151])
def test_first_node_without_a_rotation_is_named(size: float) -> None:
    for j in range(COUNT):
        states = random_states(np.random.default_rng(j))
        states[j].quat = [size, 0.0, 0.0, 0.0]
        assert measure(states)[0] == j
        states[j].quat = [0.0, 0.0, 0.0, 1.1e-6]
        assert measure(states)[0] == -1


@pytest.mark.parametrize("field, change, k", UNEVEN)
def test_scale_or_shear_above_a_node_is_refused_where_strict(field, change, k) -> None:
    for j in range(COUNT):
        states = random_states(np.random.default_rng(j))
        values = getattr(states[j], field)
        values[k] = change * values[k] if field == "scale" else change
        assert measure(states)[0] == (j if j in PARENTS else -1)
        assert measure(states, strict=False)[0] == -1
        states = random_states(np.random.default_rng(j))
        # less than single precision tells
        values = getattr(states[j], field)
        values[k] = 0.99995 * values[k] if field == "scale" else -5e-5
        assert measure(states)[0] == -1


def test_nodes_in_one_place_are_refused_as_a_whole() -> None:
    states = random_states(np.random.default_rng(1))
    for state in states[1:]:
        state.pos = [0.0, 0.0, 0.0]
    assert measure(states)[0] == COUNT
    states[-1].pos = [0.1, 0.0, 0.0]
    assert measure(states)[0] == -1
