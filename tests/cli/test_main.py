"""Help, exit codes, JSON and what is imported."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from ikrig.cli.main import COMMANDS

from .conftest import ARM, LAMP, NOD, hear_ctrl_c


def test_help_names_every_command_and_exit_code(run):
    answer = run("--help")
    assert answer.code == 0
    assert all(command in answer.out for command in COMMANDS)
    assert all(code in answer.out for code in ("  0 ", "  1 ", "  2 ", "  130 "))


def test_version_is_the_installed_one_with_those_of_the_packages(run):
    answer = run("--version")
    packages = (f"{name} {version(name)}" for name in ("panda3d", "numpy"))
    assert answer.code == 0
    assert answer.out.startswith(f"ikrig {version('panda3d-ikrig')} (")
    assert all(package in answer.out for package in packages)


def test_help_waits_for_no_package():
    code = (
        "import sys; from ikrig.cli import main\n"
        "assert [main(words) for words in (['--help'], ['chek'], [])] == [0, 2, 2]\n"
        "slow = {'numpy', 'yaml', 'panda3d', 'ikrig.clip', 'ikrig.kernels'}\n"
        "assert not slow & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_examples(run, command):
    answer = run(command, "--help")
    assert answer.code == 0
    assert COMMANDS[command] in answer.out
    assert f"python -m ikrig {command} " in answer.out.partition("examples:")[2]
    assert max(map(len, answer.out.splitlines())) <= 88


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["chek"],
        ["check"],
        ["play", "nowhere.yaml", "no.yaml"],
        ["play", __file__, __file__, "--size", "wide"],
        ["play", __file__, __file__, "--fps", "0"],
        ["play", __file__, __file__, "--camera", "3"],
        ["play", __file__, __file__, "--loops", "0"],
        ["bake", __file__, __file__],
        ["check", __file__, "--frobnicate"],
    ],
)
def test_wrong_usage_is_reported(run, words):
    plain, reported = run(*words), run(*words, "--json")
    assert plain.code == reported.code == 2
    assert plain.out == ""
    assert "--help" in plain.err
    assert "Traceback" not in plain.err
    document = reported.document
    assert not document["ok"]
    assert document["errors"][0]["message"]
    assert set(document["errors"][0]) == {"file", "line", "column", "message"}


@pytest.mark.parametrize(
    ("given", "meant"),
    [("paly", "play"), ("chek", "check"), ("covnert", "convert"), ("xyz", None)],
)
def test_misspelt_command_gets_a_suggestion(run, given, meant):
    answer = run(given, "arm.yaml", "wave.yaml")
    assert answer.code == 2
    assert (f"did you mean {meant!r}?" in answer.err) is (meant is not None)
    assert ("did you mean" in answer.err) is (meant is not None)
    assert all(command in answer.err for command in COMMANDS)


@pytest.mark.parametrize("command", ["play", "record", "bake"])
def test_swapped_rig_and_clip_are_reported(run, write, command):
    rig, clip = write("arm.yaml", ARM), write("nod.yaml", NOD)
    words = ["--record" if command == "play" else "-o", rig.with_name("out.bam")]
    for files, said in (
        ((clip, rig), f"{clip} is a clip, not a rig"),
        ((rig, rig), f"{rig} is a rig, not a clip"),
        ((write("lamp.urdf", LAMP), clip), "lamp.urdf is a robot, not a rig"),
    ):
        answer = run(command, *files, *words)
        assert answer.code == 2
        assert said in answer.err


def test_invalid_rig_or_clip_is_reported_with_its_location(run, write):
    clip, broken = write("nod.yaml", NOD), write("broken.yaml", "chains: [\n")
    answer = run("record", broken, clip, "-o", clip.with_name("out.yaml"))
    assert answer.code == 1
    assert f"{broken}:2:1: " in answer.err


def test_engine_is_imported_only_when_needed(write):
    clip = write("nod.yaml", NOD)
    rig = write("arm.yaml", ARM)
    code = (
        "import sys; from ikrig.cli import main\n"
        f"assert main(['check', {str(clip)!r}, {str(rig)!r}, '--no-scene']) == 0\n"
        f"assert main(['info', {str(clip)!r}]) == 0\n"
        "assert not any(m.partition('.')[0] == 'panda3d' for m in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_runs_as_a_module(write):
    clip = write("nod.yaml", NOD)
    found = subprocess.run(
        [sys.executable, "-W", "error", "-m", "ikrig", "info", str(clip)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert found.stdout.startswith("clip nod: 0.2 s, once")
    assert found.stderr == ""


def test_closed_output_pipe_is_no_error(write):
    clip = write("nod.yaml", NOD)
    words = [sys.executable, "-m", "ikrig", "check", *[str(clip)] * 300]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


@pytest.mark.parametrize(
    ("line", "code", "named"),
    [
        ("check nowhere.yaml", 2, "nowhere.yaml"),
        ("check nod.yaml/x", 2, "nod.yaml/x"),
        (f"check {'n' * 300}", 2, "n" * 300),
        ("check \0", 2, "\0"),
        ("info broken.urdf", 1, "broken.urdf"),
        ("info broken.bam", 1, "broken.bam"),
        ("info folder.yaml", 2, "folder.yaml"),
        ("convert broken.urdf -o out.yaml", 1, "broken.urdf"),
        ("convert arm.yaml -o out.yaml", 2, "arm.yaml"),
        ("convert arm.yaml --animation walk -o out.yaml", 1, "arm.yaml"),
        ("record nod.yaml arm.yaml -o out.yaml", 2, "nod.yaml"),
        ("record arm.yaml amr.yaml -o out.yaml", 1, "amr.yaml"),
        ("record arm.yaml folder.yaml -o out.yaml", 2, "folder.yaml"),
        ("record arm.yaml nod.yaml -o out.yaml --model folder.yaml", 2, "folder.yaml"),
        ("record arm.yaml nod.yaml -o out.yaml --model none", 1, "arm.yaml"),
        ("record arm.yaml nod.yaml -o out.txt", 2, "out.txt"),
        ("record arm.yaml nod.yaml -o folder.yaml", 2, "folder.yaml"),
        ("record arm.yaml nod.yaml -o nod.yaml/x.yaml", 2, "nod.yaml/x.yaml"),
        ("record arm.yaml long.yaml -o out.yaml", 1, "long.yaml"),
        (f"record arm.yaml nod.yaml -o {'n' * 300}.yaml", 2, f"{'n' * 300}.yaml"),
        ("bake arm.yaml nod.yaml -o out.bam", 1, "arm.yaml"),
        ("bake arm.yaml . -o nod.yaml", 2, "nod.yaml"),
        ("play arm.yaml nod.yaml --from 9", 2, "nod.yaml"),
        ("play arm.yaml nod.yaml --record film.avi", 2, "film.avi"),
        ("play arm.yaml nod.yaml --record film --loops 999999", 1, "film"),
    ],
)
def test_errors_about_files_name_them(
    run, write, tmp_path, monkeypatch, line, code, named
):
    monkeypatch.chdir(tmp_path)
    write("arm.yaml", ARM)
    write("nod.yaml", NOD)
    write("amr.yaml", NOD.replace("arm:", "amr:"))
    write("long.yaml", NOD.replace("duration: 0.2", "duration: 1e6"))
    write("broken.urdf", "<robot")
    write("broken.bam", "no model")
    (tmp_path / "folder.yaml").mkdir()
    answer = run(*line.split(" "), "--json")
    assert answer.code == code, answer.err
    assert [error["file"] for error in answer.document["errors"]] == [named]
    assert "Traceback" not in answer.err


@pytest.mark.parametrize(
    "words",
    [
        ("record", "-o", "out.yaml", "--fps", "1001"),
        ("record", "-o", "out.yaml", "--fps", "1e400"),
        ("play", "--record", "film", "--fps", "1001"),
        ("play", "--record", "film", "--loops", "9" * 400),
    ],
)
def test_number_of_frames_is_bounded(run, write, words):
    command, *rest = words
    answer = run(command, write("arm.yaml", ARM), write("nod.yaml", NOD), *rest)
    assert answer.code == 2
    assert f"argument {words[-2]}" in answer.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device /dev/full")
@pytest.mark.parametrize("words", [[], ["--json"]])
def test_full_disk_behind_stdout_is_reported(write, words):
    line = [sys.executable, "-m", "ikrig", "info", str(write("nod.yaml", NOD)), *words]
    with open("/dev/full", "w") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr.decode() == "stdout: No space left on device\n"


STOPPED_THERE = """\
import runpy, sys

class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Stop())
file, module = sys.argv[1:]
sys.argv = ["ikrig", "check", file]
runpy.run_module("ikrig", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("module", ["ikrig.cli", "numpy", "panda3d.core"])
def test_ctrl_c_during_start_is_one_line(write, module):
    words = [sys.executable, "-c", STOPPED_THERE, str(write("arm.yaml", ARM)), module]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.strip() == "stopped"


def test_errors_of_the_system_are_reported(run, write):
    rig, clip = write("arm.yaml", ARM), write("nod.yaml", NOD)
    for words in (
        ["record", rig, clip, "-o", Path(f"{rig}/deep/out.yaml")],
        ["record", rig, clip, "-o", rig.parent],
        ["convert", rig, "-o", rig.parent / "x.yaml"],
        ["convert", clip, "-o", rig.parent / "x.json"],
    ):
        answer = run(*words)
        assert answer.code == 2
        assert "Traceback" not in answer.err


STOPPED_IN_AN_IMPORT = """
import signal, sys, time
import ikrig.cli
from ikrig.__main__ import entry

def main():
    import engine
    time.sleep(100)

ikrig.cli.main = main
sys.exit(entry())
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize(
    ("name", "code", "said"), [("SIGINT", 130, "\nstopped\n"), ("SIGTERM", 143, "")]
)
def test_stop_during_an_import_waits_for_its_end(tmp_path, name, code, said):
    # the real engine crashes when its import is broken off in its C code, and an
    # exception in one of the importer's callbacks is lost
    text = f"import os, signal\nos.kill(os.getpid(), signal.{name})\nprint('whole')\n"
    (tmp_path / "engine.py").write_text(text)
    (tmp_path / "run.py").write_text(STOPPED_IN_AN_IMPORT)
    done = subprocess.run(
        [sys.executable, tmp_path / "run.py"],
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=hear_ctrl_c,
    )
    assert (done.returncode, done.stdout, done.stderr) == (code, "whole\n", said)
