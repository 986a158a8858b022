"""The soak (``python -m tests.soak``) for a few seconds."""

from __future__ import annotations

import pytest

import ikrig
from tests.soak import ACTORS, CHAINS, FILES, TREES, Soak, main, soak


def test_soak_runs_for_three_seconds(tmp_path) -> None:
    figures = soak(3.0, 1, tmp_path)
    assert figures["frames"] > 5
    assert figures["results"] >= figures["frames"] * (CHAINS + TREES)


def test_number_of_rigs_is_as_stated(tmp_path) -> None:
    run = Soak(tmp_path, 2)
    run.stage.step()
    assert CHAINS + TREES + len(run.written) == 50
    assert (len(run.written), len(run.actors)) == (FILES, ACTORS)
    assert len([*run.rigs]) >= 50 + 2 * ACTORS
    run.close()


def test_soak_fails_when_a_rig_reports_wrongly(tmp_path, monkeypatch, capsys) -> None:
    honest = Soak.frame
    honest_result = ikrig.IKChain.result.fget

    def frame(run: Soak) -> None:
        honest(run)
        rig = run.solved[0]
        result = rig.result._replace(error=99.0)
        lie = property(lambda one: result if one is rig else honest_result(one))
        monkeypatch.setattr(type(rig), "result", lie)
        monkeypatch.setattr("tests.scene.actor.stage.Stage.step", lambda _stage: None)

    monkeypatch.setattr(Soak, "frame", frame)
    with pytest.raises(AssertionError, match=r"seed 3, frame 1: .*says 99\.0"):
        main(["--minutes", "0.05", "--seed", "3"])
