"""Captures over courses: our humanoid's walk as a BVH file, on sticks and on others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig import Motion
from ikrig.math3d.quaternion import conjugate, multiply, to_matrix
from tests.bench.courses import HEADS, measure
from tests.bench.retarget import retarget
from tests.motions import ASSETS, humanoid


def write_bvh(motion: Motion, path: Path) -> None:
    """Write a motion whose joints do not turn in the rest pose, with y up, in cm."""
    places = 100.0 * motion.positions[..., [0, 2, 1]] * (1.0, 1.0, -1.0)
    offsets = 100.0 * motion.offsets[:, [0, 2, 1]] * (1.0, 1.0, -1.0)
    lines, rows = ["HIERARCHY"], [[] for _ in range(len(motion))]

    def joint(k: int, kind: str) -> None:
        x, y, z = offsets[k]
        channels = "Zrotation Xrotation Yrotation"
        count = 3
        if kind == "ROOT":
            channels, count = f"Xposition Yposition Zposition {channels}", 6
        lines.append(f"{kind} {motion.names[k]}\n{{\nOFFSET {x:.5f} {y:.5f} {z:.5f}")
        lines.append(f"CHANNELS {count} {channels}")
        for frame, row in enumerate(rows):
            if kind == "ROOT":
                row += places[frame, k].tolist()
            w, a, b, c = motion.rotations[frame, k].tolist()
            mat = to_matrix((w, a, c, -b))
            # z, then x, then y: the middle one's sine stands alone
            angles = (
                np.arctan2(-mat[0, 1], mat[1, 1]),
                np.arcsin(np.clip(mat[2, 1], -1.0, 1.0)),
                np.arctan2(-mat[2, 0], mat[2, 2]),
            )
            row += np.degrees(angles).tolist()
        below = [j for j, above in enumerate(motion.parents) if above == k]
        for child in below:
            joint(child, "JOINT")
        lines.append("}")

    joint(0, "ROOT")
    lines.append(f"MOTION\nFrames: {len(rows)}\nFrame Time: {1.0 / motion.fps:.7f}")
    lines += [" ".join(f"{value:.5f}" for value in row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The walk as a file, in which no joint turns at rest, as in captures."""
    motion = humanoid("walk", 4)
    rest = np.tile((1.0, 0.0, 0.0, 0.0), (len(motion.names), 1))
    turns = motion.global_rotations
    still = [motion.rest_rotations[0]]
    for joint, above in enumerate(motion.parents[1:], 1):
        still.append(multiply(still[above], motion.rest_rotations[joint]))
    back = conjugate(np.array(still))
    plain = Motion.from_world(
        multiply(turns, back[None]),
        motion.global_positions,
        rest=(rest, motion.rest_positions),
        names=motion.names,
        parents=motion.parents,
        fps=motion.fps,
    )
    path = tmp_path_factory.mktemp("capture") / "walk.bvh"
    write_bvh(plain, path)
    return path


def test_a_written_walk_is_read_again(capture: Path) -> None:
    again, motion = ikrig.load_bvh(capture), humanoid("walk", 4)
    order = [again.index(name) for name in motion.names]
    np.testing.assert_allclose(
        again.global_positions[:, order], motion.global_positions, atol=2e-3
    )


def test_a_motion_on_its_own_figure_stays_as_it_is() -> None:
    motion = humanoid("walk", 2)
    actor = Actor(str(ASSETS / "models" / "humanoid.bam"))
    assert retarget(motion.with_changes(name="again"), actor) == pytest.approx(1.0)
    again = ikrig.actor_motion(actor, "again")
    limbs = [k for k, name in enumerate(motion.names) if "Hand" not in name]
    apart = again.global_positions - motion.global_positions
    # toes do not bend, and it stands where its rest pose stands
    apart -= apart[:, limbs].mean(axis=(0, 1))
    assert np.linalg.norm(apart[:, limbs], axis=-1).max() < 0.03


@pytest.mark.parametrize("figure", ["", ":humanoid"])
@pytest.mark.parametrize("speed", [1.0, 2.0])
def test_feet_of_captures_stand(capture: Path, figure: str, speed: float) -> None:
    figures = measure(f"{capture}{figure}", "kerb", 60.0, speed)
    found = dict(zip(HEADS, figures, strict=True))
    assert found["skate %"] == 0.0
    assert found["drift %"] < 1.0
    # heels, too
    assert found["deep cm"] < 1.0 and found["float cm"] < 1.0
    assert found["hips"] < 10.0 * speed**2
    assert found["knee x"] < 2.0 and found["ankle x"] < 2.0
