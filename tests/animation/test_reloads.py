"""Rig and clip files that change while the clip plays."""

from __future__ import annotations

import gc
import os

import ikrig
from tests.animation.conftest import ASSETS

BROKEN = (
    "tracks: {arm: {targt: {}}}",
    "tracks: {leg: {target: {keys: {0: [0, 0, 0]}}}}",
    "tracks:\n\t- x",
    "wrap: [",
    "",
    "wrap: lop",
)
# IKRIG_RELOADS=500 for the long version
ROUNDS = int(os.environ.get("IKRIG_RELOADS", "40"))


def test_player_survives_alternating_valid_and_broken_files(
    scene, tmp_path, task_mgr, tick
):
    rig_path, clip_path = tmp_path / "arm.yaml", tmp_path / "circling.yaml"
    rig_text = (ASSETS / "rigs" / "arm.yaml").read_text()
    clip_text = (ASSETS / "clips" / "circling.yaml").read_text()
    rig_path.write_text(rig_text)
    clip_path.write_text(clip_text)
    rig = ikrig.load_rig(rig_path, parent=scene, watch=True).start(task_mgr)
    player = ikrig.ClipPlayer(clip_path, rig, watch=True).play(task_mgr)
    counts = []
    for k in range(ROUNDS):
        broken = k % 2 == 1
        size = 0.4 + 0.001 * k
        clip_path.write_text(
            BROKEN[k // 2 % len(BROKEN)]
            if broken
            else clip_text.replace("radius: 0.5", f"radius: {size}")
        )
        rig_path.write_text(
            rig_text.replace("soften", "sofen")
            if broken
            else rig_text.replace("soften: 0.05", f"soften: {0.05 + 0.0001 * k:.4f}")
        )
        tick(1 / 60)
        task_mgr.step()
        assert (player.errors != "") == broken and (rig.errors != "") == broken
        path = player.clip.track("arm", "target").path
        assert path.radius == (size if not broken else 0.4 + 0.001 * (k - 1))
        # the target goes on round its circle
        centre = path.centre
        place = rig.targets["arm"].get_pos()
        off = ((place[0] - centre[0]) ** 2 + (place[2] - centre[2]) ** 2) ** 0.5
        assert abs(off - path.radius) < 1e-2
        if k % 10 == 9:
            gc.collect()
            kinds = (ikrig.IKChain, ikrig.Clip, ikrig.ClipPlayer)
            alive = sum(isinstance(thing, kinds) for thing in gc.get_objects())
            counts.append((len(scene.find_all_matches("**")), alive))
    assert len(set(counts)) == 1, counts
    assert player.playing and rig.chains["arm"].result is not None
    player.stop()
    rig.remove()
