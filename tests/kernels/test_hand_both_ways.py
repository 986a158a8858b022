"""Fingers: compiled and interpreted kernels give the same bits."""

from __future__ import annotations

from array import array
from importlib.util import find_spec, module_from_spec

import ikrig.kernels.pose
import numpy as np
import pytest

import ikrig
from ikrig.kernels import buffer, index_buffer, zeros
from tests.interpreted import interpreted_kernel
from tests.model.test_springs import Strands, motion

pytestmark = pytest.mark.skipif(
    not ikrig.COMPILED, reason="the kernels are not compiled here"
)
JOINTS = [2, 3, 4, 7, 8, 9]
STARTS = [0, 3, 6]


def shapes(near):
    """A shape of each kind, near a point."""
    x, y, z = near
    rows = [
        [0, x + 0.1, y, z, 0.05],
        [1, x, y + 0.1, z, x, y + 0.1, z + 0.2, 0.03],
        [2, x, y, z - 0.15, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.2, 0.05],
        [3, x - 0.2, y, z, x - 0.2, y + 0.1, z, x - 0.2, y, z + 0.1],
        [4, 0, 0, 1, z - 0.3],
    ]
    return [[float(v) for v in row] + [0.0] * (16 - len(row)) for row in rows]


def numbers(rng):
    """Axes and angles of the joints, and their spheres."""
    shape, spheres = [], []
    for k in range(len(JOINTS)):
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0].ravel()
        thumb = k == 3
        shape += [*axes, 0.1 * k, 1.4, 0.3, 1.7 * thumb, 0.2 * thumb]
        for _ in range(2):
            spheres += [float(k), *rng.normal(scale=0.04, size=3), 0.015]
    return buffer(map(float, shape)), buffer(map(float, spheres))


def made(seed, way, name, monkeypatch):
    """A figure, and a kernel of the same kind."""
    figure = Strands(seed)
    if way == "compiled":
        return figure, ikrig.kernels.KERNELS[name]
    source = interpreted_kernel("pose").PoseKernel
    monkeypatch.setattr(ikrig.kernels.pose, "PoseKernel", source)
    spec = find_spec("ikrig.model.pose")
    plain = module_from_spec(spec)
    spec.loader.exec_module(plain)
    figure.pose = plain.Pose(figure.names, figure.parents, figure.rest)
    return figure, interpreted_kernel(name)


@pytest.mark.parametrize("seed", range(4))
def test_same_bits(seed, monkeypatch):
    found = []
    for way in ("compiled", "source"):
        figure, kernel = made(seed, way, "hand", monkeypatch)
        rng = np.random.default_rng(seed)
        shape, spheres = numbers(rng)
        wanted = array("d", [0.3, 0.5, 0.0, 0.6, 0.2, 0.8])
        work = zeros(21 * len(JOINTS) + 1)
        fingers = kernel.HandKernel(
            figure.pose, index_buffer(JOINTS), index_buffer(STARTS), shape, spheres,
            wanted, work,
        )  # fmt: skip
        poses, states = [], []
        for frame in range(60):
            figure.set(motion(frame / 60)[0])
            if frame == 3:
                fingers.glide(0.2)
                fingers.shown = 1.0
            if frame in (20, 40):
                place = figure.pose.net_matrix("hair00")[3, :3]
                rows = shapes(place + rng.normal(scale=0.05, size=3))
                # one at a time, then all
                for row in [*rows, None]:
                    whole = [x for each in rows for x in each]
                    given = buffer(whole if row is None else row)
                    fingers.glide(0.1)
                    fingers.close(given, len(rows) if row is None else 1)
                    states.append((fingers.contacts, *work))
                gaps = zeros(8)
                kernel.gaps(given, len(rows), buffer(rng.normal(size=24)), gaps)
                states.append(tuple(gaps))
            if frame == 30:
                fingers.hold(buffer([0.1, 0.0, 0.0, 0.2, 0.3, 0.4]))
                fingers.glide(0.1)
            if frame == 50:
                fingers.release()
                fingers.glide(0.1)
                fingers.shown = 0.0
            states.append((fingers.step(1.0 if frame % 2 else 0.6, 1 / 60),))
            poses.append(figure.pose.local.copy())
        found.append((np.array(poses), states))
    assert np.array_equal(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]
    touches = {state[0] for state in found[0][1] if len(state) > 20}
    assert len(touches) > 1


@pytest.mark.parametrize("seed", range(4))
def test_arms_are_cleared_by_the_same_bits(seed, monkeypatch):
    found = []
    for way in ("compiled", "source"):
        figure, kernel = made(seed, way, "arm_clearance", monkeypatch)
        rng = np.random.default_rng(seed)
        parts = [
            x
            for joint in (0, 1, 7)
            for x in (joint, *rng.normal(scale=0.1, size=6), 0.3)
        ]
        points = [0.0, 0.0, 0.0, 0.03, *rng.normal(scale=0.05, size=3), 0.02]
        arm = kernel.ArmClearance(
            figure.pose, (2, 3, 4), buffer(parts), buffer(points), (0.1, 0.08),
            (0, 0.0, -1.0, 0.0), zeros(7 * 3 + 8 + 40),
        )  # fmt: skip
        poses, states = [], []
        for frame in range(120):
            figure.set(motion(frame / 60)[0])
            place = figure.pose.net_matrix(figure.names[4])[3, :3]
            led = buffer([*place, 1.0, 0.0, 0.0, 0.0, *rng.normal(size=3)])
            arm.lead(led, frame % 30 == 0)
            weight = (0.1, 0.5, 1.0)[frame // 40]
            goal = rng.normal(scale=0.2, size=3)
            states.append((arm.step(*goal, weight, frame % 50 > 25, 1 / 60), *led))
            poses.append(figure.pose.local.copy())
        found.append((np.array(poses), states))
    assert np.isfinite(found[0][0]).all()
    assert np.array_equal(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]
    assert any(state[0] for state in found[0][1])
