"""The errors that `check` finds, their locations, and its exit codes."""

from __future__ import annotations

import re
import shutil

import pytest

from .conftest import ARM, ASSETS, LAMP, NOD


def test_shipped_files_have_no_errors(run):
    answer = run("check", ASSETS, "--json")
    assert (answer.code, answer.document["errors"]) == (0, [])
    assert answer.document["warnings"] == []
    kinds = {entry["kind"] for entry in answer.document["files"]}
    assert kinds == {"rig", "clip", "robot"}
    assert len(answer.document["files"]) >= 10


def test_every_error_has_its_location(run, write):
    rig = write("arm.yaml", ARM.replace("leaf: hand,", "leaf: hnad, solver: fabrick,"))
    clip = write("nod.yaml", NOD.replace("[0.8, 0, 0.8]", "[0.8, 0]"))
    answer = run("check", rig.parent, "--json")
    assert answer.code == 1
    places = {
        (error["file"], error["line"], error["column"])
        for error in answer.document["errors"]
    }
    # counted by hand
    assert (str(rig), 7, 29) in places
    assert (str(clip), 7, 14) in places
    assert all(not entry["ok"] for entry in answer.document["files"])
    text = run("check", rig.parent)
    assert text.code == 1
    assert f"{rig}:7:29: " in text.err
    assert "did you mean 'fabrik'" in text.err


def test_unknown_joint_is_an_error_of_the_rig(run, write):
    rig = write("arm.yaml", ARM.replace("leaf: hand", "leaf: hnad"))
    answer = run("check", rig)
    assert answer.code == 1
    assert f"{rig}:7:15: " in answer.err
    # the game may have it
    assert run("check", rig, "--no-scene").code == 0


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (NOD.replace("  arm:", "  leg:"), (4, 5)),
        (NOD.replace("target", "pole"), (4, 5)),
        (NOD.replace("    target:", "\n    target_rotation_deg:"), None),
    ],
)
def test_clip_must_fit_its_rig(run, write, text, place):
    rig, clip = write("arm.yaml", ARM), write("nod.yaml", text)
    answer = run("check", rig, clip, "--json")
    errors = answer.document["errors"]
    places = [(error["line"], error["column"]) for error in errors]
    assert places == ([] if place is None else [place])
    assert answer.code == (0 if place is None else 1)
    # all that is said of it says the same, whichever is named first
    good = {entry["file"]: entry["ok"] for entry in answer.document["files"]}
    assert good == {str(rig): True, str(clip): place is None}
    for files in ((rig, clip), (clip, rig)):
        out = run("check", *files).out
        assert (f"{clip}: a clip, no errors, fits {rig}" in out) is (place is None)
        assert (str(clip) in out) is (place is None)
        assert f"2 files, {'0' if place is None else '1'} with errors" in out
    # alone there is nothing wrong with it
    assert run("check", clip).code == 0


def test_file_types_are_detected_by_content(run, write):
    tree = "bodies:\n  - {name: a, joints: [{name: j, axis: x}]}\n"
    body = "bodies:\n  robot: {file: tree.yaml}\n"
    files = [
        write("a.yaml", NOD),
        write("b.yml", ARM),
        write("tree.yaml", tree),
        write("d.yaml", body),
        write("e.urdf", LAMP),
    ]
    answer = run("check", *files, "--json")
    kinds = [entry["kind"] for entry in answer.document["files"]]
    assert kinds == ["clip", "rig", "robot", "rig", "robot"]
    assert answer.code == 0


def test_unknown_files_are_skipped_in_folders_but_not_by_name(run, write):
    write("arm.yaml", ARM)
    other = write("ci.yaml", "stages: [build, test]\n")
    write(".hidden/broken.yaml", "chains: [\n")
    in_folder = run("check", other.parent)
    assert in_folder.code == 0
    assert "ci.yaml: skipped" in in_folder.err
    named = run("check", other)
    assert named.code == 1
    assert f"{other}:1:1: " in named.err


def test_misspelt_section_gets_a_suggestion(run, write):
    answer = run("check", write("a.yaml", "name: a\ntrakcs: {}\n"))
    assert answer.code == 1
    assert ":2:1: " in answer.err
    assert "did you mean 'tracks'" in answer.err


@pytest.mark.parametrize(
    "text", ["", "a: [", "\t- a", "a: 1\na: 2\n", "\x00", "- 1\n", "7\n", "chains: 3\n"]
)
def test_no_input_causes_a_traceback(run, write, text):
    answer = run("check", write("bad.yaml", text), "--json")
    assert answer.code == 1
    assert answer.document["errors"]
    assert "Traceback" not in answer.err


def test_empty_path_is_wrong_usage(run):
    answer = run("check", "")
    assert answer.code == 2 and answer.err.startswith("a path is empty")


def test_missing_file_is_wrong_usage_with_a_suggestion(run, write):
    rig = write("arm.yaml", ARM)
    answer = run("check", rig.with_name("amr.yaml"), "--json")
    assert answer.code == 2
    assert "did you mean 'arm.yaml'?" in answer.document["errors"][0]["message"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("tentcle.yaml", "tentacle.yaml"),
        ("tentacle.yml", "tentacle.yaml"),
        ("six_axes.yaml", "six_axis.yaml"),
        # the same stem twice: the one with the same ending
        ("hreo.bam", "hero.bam"),
        ("hreo.yaml", "hero.yaml"),
        ("nothere.yaml", None),
        ("new.yaml", None),
        ("x.yaml", None),
    ],
)
def test_only_similar_names_are_suggested(run, write, given, meant):
    for name in ("tentacle.yaml", "six_axis.yaml", "hero.yaml", "hero.bam"):
        path = write(name, ARM)
    answer = run("info", path.with_name(given))
    assert answer.code == 2
    reported = (
        f"did you mean {meant!r}?" if meant else f"no file {path.with_name(given)}\n"
    )
    assert reported in answer.err


def test_unknown_name_without_a_model_suggests_model_option(run, write):
    rig = "nodes:\n  goal: {}\nchains:\n  arm: {leaf: NAME, target: goal}\n"
    joint = run("check", write("joint.yaml", rig.replace("NAME", "LeftHand")))
    assert ":4:15: leaf: there is no node 'LeftHand': available: goal. No" in joint.err
    assert "or pass it as load_rig(path, model) or --model FILE" in joint.err
    typo = run("check", write("typo.yaml", rig.replace("NAME", "gaol")))
    assert "did you mean 'goal'" in typo.err
    assert "--model" not in typo.err


def test_model_option_is_used(run, write, tmp_path):
    shutil.copy(ASSETS / "models" / "humanoid.bam", tmp_path / "figure.bam")
    text = "chains:\n  hand: {leaf: LeftHand, root_joint: LeftArm}\n"
    rig = write("hero.yaml", text)
    assert run("check", rig).code == 1
    assert run("check", rig, "--model", tmp_path / "figure.bam").code == 0
    answer = run("check", rig, "--model", tmp_path / "none.bam")
    assert answer.code == 1
    assert "none.bam can't be loaded" in answer.err


DOUBTS = [
    ("{kind: hinge, axis: x, range_deg: [0, 1.57]}", "range_deg .* 1.57 looks like"),
    ("{kind: hinge, axis: x, range_deg: [-2.5, 2]}", "range_deg is in degrees"),
    ("{kind: ball, most_deg: 0.7854}", "most_deg"),
    ("{kind: cone, half_angles_deg: [1, 1, 0.5, 1]}", "half_angles_deg"),
    ("{kind: hinge, axis: x, range_deg: [0, 90]}", None),
    ("{kind: hinge, axis: x, range_deg: [0, 0.5, ]}", "range_deg"),
    ("{kind: hinge, axis: x, range_deg: [-6, 6]}", None),
    ("{kind: hinge, axis: x, range_deg: [-30.5, 7]}", None),
    ("{kind: slide, axis: x, range: [0, 1.57]}", None),
]


@pytest.mark.parametrize(("limit", "message"), DOUBTS)
def test_degrees_that_look_like_radians_cause_a_warning(run, write, limit, message):
    text = (
        "nodes: {a: , b: {parent: a, pos: [0, 0, 1]}}\n"
        f"chains: {{c: {{leaf: b, chain_length: 1, limits: {{a: {limit}}}}}}}\n"
    )
    path = write("rig.yaml", text)
    answer = run("check", path, "--json")
    # a warning is no mistake
    assert (answer.code, answer.document["ok"]) == (0, True)
    found = answer.document["warnings"]
    assert len(found) == (message is not None)
    for warning in found:
        assert re.search(message, warning["message"])
        assert (warning["file"], warning["line"]) == (str(path), 2)
        assert text.splitlines()[1][warning["column"] - 1] in "0123456789-"
        plain = run("check", path)
        assert f"{path}:2:{warning['column']}: warning: " in plain.err
        assert "no errors, 1 warning" in plain.out


def test_clip_angles_that_look_like_radians_cause_a_warning(run, write):
    text = (
        "tracks: {a: {angle_deg: {keys: {0.52: 0, 1: {value: 1.5708, then: linear}}}}}"
    )
    answer = run("check", write("clip.yaml", text), "--json")
    (warning,) = answer.document["warnings"]
    assert warning["column"] == text.index("1.5708") + 1


def test_zero_length_bone_causes_a_warning(run, write):
    text = (
        "nodes:\n  a:\n  b: {parent: a}\n  c: {parent: b, pos: [0, 0, 1]}\n"
        "chains:\n  arm: {leaf: c, chain_length: 2}\n"
    )
    answer = run("check", write("rig.yaml", text), "--json")
    (warning,) = answer.document["warnings"]
    assert (warning["line"], warning["column"]) == (6, 3)
    assert (
        "bone 'a' of 'arm' has no length: 'b' has the same position"
        in warning["message"]
    )
    # nested axes are no mistake
    hinge = "limits: {a: {kind: hinge, axis: x}, b: {kind: hinge, axis: y}}"
    text = text.replace("chain_length: 2", f"chain_length: 2, {hinge}")
    assert run("check", write("rig.yaml", text), "--json").document["warnings"] == []
