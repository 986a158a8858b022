"""Baked animations, compared with the skin that plain Panda3D computes from them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor
from scipy.spatial.transform import Rotation

import ikrig
from ikrig import OutputError
from ikrig.scene.baking.bake_rig import _errors as errors_of
from ikrig.scene.baking.bake_rig import tables_of
from tests.scene.actor.stage import HUMANOID, Stage, bundle, nets, skin

from .scripts import RIGS, height, live_skins, moving_humanoid, walking_panda

PLAIN = """
import sys
import numpy as np
import panda3d.core as p3d
p3d.load_prc_file_data("", "audio-library-name null\\nmodel-cache-dir")
from direct.actor.Actor import Actor
model, path, out = sys.argv[1:]
actor = Actor(model, {"baked": path})
body = actor.get_part_bundle("modelRoot")
found = []
for frame in range(actor.get_num_frames("baked")):
    actor.pose("baked", frame)
    body.force_update()
    points = []
    for path in actor.find_all_matches("**/+GeomNode"):
        for i in range(path.node().get_num_geoms()):
            data = path.node().get_geom(i).get_vertex_data()
            if data.get_transform_blend_table() is None:
                continue
            data = data.animate_vertices(True, p3d.Thread.get_current_thread())
            layout = data.get_format()
            column = layout.get_column("vertex")
            array = data.get_array(layout.get_array_with("vertex"))
            raw = np.frombuffer(array.get_handle().get_data(), np.float32)
            raw = raw.reshape(-1, array.get_array_format().get_stride() // 4)
            start = column.get_start() // 4
            points.append(raw[:, start : start + 3].copy())
    found.append(np.concatenate(points))
np.save(out, np.array(found))
assert not [name for name in sys.modules if name.split(".")[0] == "ikrig"]
"""


def plain_skins(model: str, path: Path) -> np.ndarray:
    """The skin in every frame, from a fresh Python that never imports ikrig."""
    out = path.with_suffix(".npy")
    args = [sys.executable, "-c", PLAIN, model, str(path), str(out)]
    done = subprocess.run(args, capture_output=True, text=True, cwd=path.parent)
    assert done.returncode == 0, done.stderr
    return np.load(out)


def scripted(stage: Stage, name: str) -> tuple[ikrig.Rig, ikrig.Clip]:
    return walking_panda(stage) if name == "panda" else moving_humanoid(stage, name)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("panda", ".bam"), ("panda", ".egg.pz"), ("walk", ".bam.pz"), ("run", ".bam")],
)
def test_plain_actor_shows_the_baked_pose(stage, tmp_path, name, kind):
    rig, clip = scripted(stage, name)
    path = tmp_path / f"baked{kind}"
    report = ikrig.bake(rig, clip, path)
    rig.remove()
    rig, clip = scripted(stage, name)
    live = live_skins(stage, rig, clip)
    model = "models/panda-model" if name == "panda" else str(HUMANOID)
    baked = plain_skins(model, path)
    assert baked.shape == live.shape
    assert len(baked) == report.frames == round(clip.duration * 60)
    # the motion is not nothing, and both show it
    assert np.ptp(live, axis=0).max() > 0.1 * height(rig.model)
    gaps = np.linalg.norm(baked - live, axis=-1).max(axis=1) / height(rig.model)
    print(f"{name}{kind}: {gaps.max():.1e} of body height; {report}")
    assert gaps.max() < 1e-3
    assert path.stat().st_size == report.bytes < 0.5 * report.bytes_unreduced


def test_reported_error_is_that_of_the_file(stage: Stage, tmp_path: Path) -> None:
    rig, clip = walking_panda(stage)
    sizes = []
    for tolerance_deg in (0.0, 0.1, 2.0):
        path = tmp_path / f"{tolerance_deg}.bam"
        report = ikrig.bake(rig, clip, path, tolerance_deg=tolerance_deg, tolerance=9.0)
        assert report.error_deg <= max(tolerance_deg, 1e-3)
        assert report.error <= 9.0
        sizes.append(report.numbers)
        # by a plain Actor's joints, against a bake that leaves nothing out
        actor = stage.add(Actor("models/panda-model", {"baked": str(path)}))
        poses = []
        for frame in range(report.frames):
            actor.pose("baked", frame)
            bundle(actor).force_update()
            poses.append(np.array(list(nets(actor).values())))
        if tolerance_deg == 0.0:
            exact = np.array(poses)
        axes = [
            m[..., :3, :3] / np.linalg.norm(m[..., :3, :3], axis=-1, keepdims=True)
            for m in (exact, np.array(poses))
        ]
        dots = np.clip((axes[0] * axes[1]).sum(-1), -1.0, 1.0)
        assert np.degrees(np.arccos(dots)).max() <= report.error_deg + 0.04
        places = np.linalg.norm(
            exact[..., 3, :3] - np.array(poses)[..., 3, :3], axis=-1
        )
        assert places.max() <= report.error + 1e-3
    assert sizes[0] >= sizes[1] > sizes[2]


def test_reported_numbers_are_those_that_the_file_has_in_each_frame(stage, tmp_path):
    rig, _ = walking_panda(stage)
    clip = ikrig.Clip("step").with_track("walk", "time", {0.0: 0.0, 0.1: 0.1})
    path = tmp_path / "step.egg"
    report = ikrig.bake(rig, clip, path, fps=10.0)
    assert report.frames == 2
    # <S$Anim> x { <V> { 1 2 } }: one value, or one a frame
    rows = re.findall(r"<V> \{([^}]*)\}", path.read_text())
    counts = [len(row.split()) for row in rows]
    assert set(counts) == {1, 2}
    assert report.numbers == counts.count(2)
    assert report.joints == len(rig.actor_rig.joints)


def test_a_cross_fade_with_a_baked_animation_does_not_pop(stage, tmp_path):
    """A joint that rests in a bake must rest in a blend too, not move as the other."""
    rig = ikrig.load_rig(RIGS / "panda.yaml", parent=stage.render)
    stage._made.append(rig.model)
    still = ikrig.Clip("still", duration=0.5)
    ikrig.bake(rig, still, tmp_path / "still.bam")
    files = {"still": str(tmp_path / "still.bam"), "walk": "models/panda-walk4"}
    actor = stage.add(Actor("models/panda-model", files))
    actor.enable_blend()
    skins = []
    for share in (0.0, 1e-3):
        actor.set_control_effect("walk", share)
        actor.set_control_effect("still", 1.0 - share)
        actor.pose("walk", 20)
        actor.pose("still", 3)
        bundle(actor).force_update()
        skins.append(skin(actor))
    assert np.linalg.norm(skins[1] - skins[0], axis=-1).max() < 2e-3 * height(actor)


def test_partial_files_are_never_visible(stage: Stage, tmp_path: Path) -> None:
    rig, clip = walking_panda(stage)
    path = tmp_path / "paw.bam"
    path.write_bytes(b"the last one")
    seen = []

    def look(done: int, whole: int) -> None:
        seen.append((done, whole))
        assert path.read_bytes() == b"the last one"

    ikrig.bake(rig, clip, path, fps=10, progress=look)
    # a loop goes round once before it counts
    assert seen == [(i, 40) for i in range(1, 41)]
    assert [file.name for file in tmp_path.iterdir()] == ["paw.bam"]
    with pytest.raises(OutputError, match=r"nowhere.paw\.bam: No such file"):
        ikrig.bake(rig, clip, tmp_path / "nowhere" / "paw.bam", fps=10)


def test_bake_explains_what_cannot_be_baked(stage: Stage, tmp_path: Path) -> None:
    rig, clip = walking_panda(stage)
    for name in ("paw", "paw.yaml", "paw.bam.gz"):
        with pytest.raises(OutputError, match=r"'paw.*must be \.egg, \.bam"):
            ikrig.bake(rig, clip, tmp_path / name)
    for fps in (0, -1, float("nan"), "60", True):
        with pytest.raises(ikrig.SettingError, match="fps must be frames per second"):
            ikrig.bake(rig, clip, tmp_path / "paw.bam", fps=fps)
    with pytest.raises(ikrig.SettingError, match="tolerance_deg must be degrees"):
        ikrig.bake(rig, clip, tmp_path / "paw.bam", tolerance_deg=-1)
    with pytest.raises(ikrig.BindError, match="did you mean 'left_front_foot'"):
        wrong = clip.with_track("left_front_fot", "weight", {0: 1})
        ikrig.bake(rig, wrong, tmp_path / "paw.bam")
    for name in ("arm", "six_axis"):
        other = ikrig.load_rig(RIGS / f"{name}.yaml", parent=stage.render)
        still = ikrig.Clip("still", duration=1.0)
        with pytest.raises(ikrig.BindError, match=r"no Actor.*ikrig\.record_clip"):
            ikrig.bake(other, still, tmp_path / "arm.bam")
    human, still = moving_humanoid(stage, "walk")
    with pytest.raises(
        ikrig.SettingError, match=r"in a different order.*bake to \.bam"
    ):
        ikrig.bake(human, still, tmp_path / "walk.egg")
    assert not list(tmp_path.iterdir())


def test_angles_are_continuous_where_they_wrap() -> None:
    hpr = [(160.0 + 15.0 * k, 3.0 * k, -170.0 - 7.0 * k) for k in range(20)]
    states = [p3d.TransformState.make_hpr(p3d.LVecBase3(*angles)) for angles in hpr]
    found = tables_of(np.array([state.get_mat() for state in states]))
    assert np.ptp(found[:, 6]) == pytest.approx(15.0 * 19, abs=1e-3)
    # angle by angle, whatever full turns these begin with
    gaps = found[:, 6:9] - np.array(hpr)
    assert np.allclose(gaps, gaps[0], atol=1e-3)
    assert np.allclose(gaps[0] / 360.0, np.round(gaps[0] / 360.0), atol=1e-5)


def test_errors_are_maxima_over_joints_and_frames() -> None:
    # frames, joints
    wanted = np.tile(np.eye(4), (3, 3, 1, 1))
    found = wanted.copy()
    a, b, c = 0, 1, 2
    assert errors_of(wanted, found) == (0.0, 0.0)
    turned = p3d.LRotationf(p3d.LVector3f(0, 0, 1), 30.0)
    mat = p3d.LMatrix3f()
    turned.extract_to_matrix(mat)
    # a joint's scale is no turn
    found[1, b, :3, :3] = 4.0 * np.array(mat)
    found[2, b, 3, :3] = (3.0, 0.0, 4.0)
    found[0, c, 3, :3] = (0.0, 1.0, 0.0)
    assert errors_of(wanted, found) == pytest.approx((np.radians(30.0), 5.0))
    # the larger of the angles between axes, which are rows
    first = Rotation.from_rotvec([0.3, 1.1, -0.4]).as_matrix()
    second = Rotation.from_rotvec([-0.9, 0.2, 0.8]).as_matrix()
    wanted[:, a, :3, :3], found[:, a, :3, :3] = first, second
    angles = np.arccos((first * second).sum(axis=1))
    assert errors_of(wanted, found)[0] == pytest.approx(angles.max())
