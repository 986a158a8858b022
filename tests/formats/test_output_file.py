"""Files are written completely or not at all, and never over their sources."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ikrig
from ikrig import OutputError
from ikrig.files import output_file
from ikrig.files.output_file import check_output, prepare_folder, replacing, write_bytes

OLD, NEW = b"as it was", b"as it is" * 1000
posix = pytest.mark.skipif(os.name == "nt", reason="links and modes of POSIX")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "hand.yaml"
    path.write_bytes(OLD)
    return path


def left_beside(file: Path) -> list[str]:
    return sorted(path.name for path in file.parent.iterdir() if path != file)


@posix
def test_planted_link_is_not_followed(file: Path) -> None:
    victim = file.with_name("victim")
    victim.write_bytes(OLD)
    file.with_name("hand.yaml.part").symlink_to(victim)
    write_bytes(file, NEW)
    assert (victim.read_bytes(), file.read_bytes()) == (OLD, NEW)


def test_neighbouring_user_file_is_kept(file: Path) -> None:
    mine = file.with_name("hand.yaml.part")
    mine.write_bytes(OLD)
    write_bytes(file, NEW)
    assert (mine.read_bytes(), file.read_bytes()) == (OLD, NEW)


def test_concurrent_writers_leave_a_whole_file(file: Path) -> None:
    summary = [bytes([i]) * 100_000 for i in range(30)]
    with ThreadPoolExecutor(30) as pool:
        done = [pool.submit(write_bytes, file, content) for content in summary]
        assert [task.exception() for task in done] == [None] * 30
    assert file.read_bytes() in summary
    assert left_beside(file) == []


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_file_keeps_its_mode(file: Path, mode: int) -> None:
    file.chmod(mode)
    with replacing(file) as new:
        # as long as it is not in place nobody else can read it
        assert stat.S_IMODE(new.stat().st_mode) == 0o600
        new.write_bytes(NEW)
    assert stat.S_IMODE(file.stat().st_mode) == mode


@posix
def test_new_file_follows_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_bytes(tmp_path / "new", NEW)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


@posix
def test_link_is_replaced_where_the_program_chooses_the_name(file: Path) -> None:
    planted = file.with_name(".hand.autosave.yaml")
    planted.symlink_to(file)
    write_bytes(planted, NEW, follow=False)
    assert (file.read_bytes(), planted.read_bytes()) == (OLD, NEW)
    assert not planted.is_symlink()
    # a folder above it may be a link
    (file.parent / "other").symlink_to(file.parent)
    write_bytes(file.parent / "other" / file.name, NEW, follow=False)
    assert file.read_bytes() == NEW


@posix
def test_link_stays_a_link(file: Path) -> None:
    folder = file.with_name("links")
    folder.mkdir()
    link = folder / "link.yaml"
    link.symlink_to(file)
    write_bytes(link, NEW)
    assert link.is_symlink()
    assert file.read_bytes() == NEW
    # the new file was made where the old one is: a link may lead to another disk
    assert left_beside(link) == []
    hanging = folder / "hanging.yaml"
    hanging.symlink_to(folder / "later.yaml")
    write_bytes(hanging, NEW)
    assert hanging.is_symlink()
    assert (folder / "later.yaml").read_bytes() == NEW


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_failed_write_leaves_nothing_behind(file, error):
    with pytest.raises(error), replacing(file) as new:
        new.write_bytes(NEW)
        raise error
    assert file.read_bytes() == OLD
    assert left_beside(file) == []


KILLED = """\
import os, signal, sys
from ikrig.files.output_file import replacing
with replacing(sys.argv[1]) as new:
    new.write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@posix
def test_killed_writer_leaves_the_old_file(file: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, file], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert file.read_bytes() == OLD
    (stale,) = left_beside(file)
    assert stale.startswith(".ikrig-")
    # the next writer removes it, but not what a running one or a user has there
    mine = file.with_name(stale.replace(stale.split("-")[2], str(os.getpid())))
    others = [mine, file.with_name(".ikrig-bake.json"), file.with_name(".ikrig-a-b-c")]
    for other in others:
        other.write_bytes(b"")
    write_bytes(file, NEW)
    assert file.read_bytes() == NEW
    assert left_beside(file) == sorted(other.name for other in others)


@posix
def test_full_disk_is_reported(file: Path) -> None:
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OutputError, match=r"hand\.yaml: File too large"):
            write_bytes(file, NEW)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert file.read_bytes() == OLD
    assert left_beside(file) == []


def linked(link: Callable[[Path, Path], None]) -> Callable[[Path], Path]:
    def other(file: Path) -> Path:
        path = file.with_name("other.yaml")
        link(path, file)
        return path

    return other


NAMES: dict[str, Callable[[Path], Path]] = {
    "its own": lambda file: file,
    "dots": lambda file: file.parent / "x" / ".." / file.name,
    "link": linked(lambda path, file: path.symlink_to(file)),
    "hard link": linked(lambda path, file: path.hardlink_to(file)),
    "link to a folder": lambda file: file.parent / "round" / file.name,
}


@posix
@pytest.mark.parametrize("name", NAMES)
def test_inputs_are_not_overwritten(file: Path, name: str) -> None:
    file.with_name("x").mkdir()
    file.with_name("round").symlink_to(file.parent)
    path = NAMES[name](file)
    # a source that is gone, or can't be named at all, is no reason to fail
    sources = [file.with_name("gone"), Path("\0"), file]
    with pytest.raises(
        OutputError, match=r"would replace .*, from which the result is made"
    ):
        write_bytes(path, NEW, sources=sources)
    with pytest.raises(OutputError), replacing(file, sources=[path]):
        pytest.fail("it may not be written")
    assert file.read_bytes() == OLD


@posix
def test_unsupported_file_name_endings_are_refused(file: Path) -> None:
    model = file.with_name("model.bam")
    model.write_bytes(OLD)
    file.unlink()
    file.symlink_to(model)
    for path in (model, file):
        with pytest.raises(
            OutputError, match=r"model\.bam.*it must be \.yaml or \.yml"
        ):
            check_output(path, endings=(".yaml", ".yml"))
    assert check_output(file.with_name("A.YAML"), endings=(".yaml",))


@posix
@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("folder", "is a folder"),
        ("pipe", "not a regular file"),
        ("/dev/null", "not a regular file"),
        ("hand.yaml/x.yaml", "Not a directory"),
        ("nowhere/x.yaml", "No such file"),
        ("a" * 250 + ".yaml", ""),
        ("a" * 300, "name too long"),
        ("a\0b", "null"),
        ("circle", "(?i)loop|too many levels"),
        (None, "must be a path"),
        (3, "must be a path"),
    ],
)
def test_unwritable_paths_are_reported(file: Path, path: str | None, said: str) -> None:
    file.with_name("folder").mkdir()
    file.with_name("circle").symlink_to(file.with_name("circle"))
    os.mkfifo(file.with_name("pipe"))
    before = left_beside(file)
    where = file.parent / path if isinstance(path, str) else path
    clip = ikrig.Clip("nod").with_track("hand", "weight", {0: 1})
    if said:
        with pytest.raises(OutputError, match=said):
            write_bytes(where, NEW)  # type: ignore[arg-type]
        assert left_beside(file) == before
    else:
        # the longest name that there may be is no longer too long for the way there
        ikrig.dump_clip(clip, where)
        assert len(left_beside(file)) == len(before) + 1


@posix
@pytest.mark.skipif(
    hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everything"
)
def test_write_protected_files_are_reported(file: Path) -> None:
    file.chmod(0o444)
    with pytest.raises(OutputError, match="read-only"):
        write_bytes(file, NEW)
    file.parent.chmod(0o555)
    try:
        with pytest.raises(OutputError, match="Permission denied"):
            write_bytes(file.with_name("new"), NEW)
    finally:
        file.parent.chmod(0o755)


@posix
def test_error_at_the_last_step_is_reported_and_leaves_nothing(file, monkeypatch):
    tries = []

    def held(new: Path, target: Path) -> None:
        tries.append(target)
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", held)
        with pytest.raises(OutputError, match=r"hand\.yaml: Permission denied"):
            write_bytes(file, NEW)
    # only Windows lets go of a file after a while
    assert tries == [file]
    assert file.read_bytes() == OLD and left_beside(file) == []


@posix
@pytest.mark.parametrize("sync", [True, False])
def test_file_is_synced_on_request(file, monkeypatch, sync):
    written, own = [], os.fsync

    def noted(handle: int) -> None:
        written.append(stat.S_ISDIR(os.fstat(handle).st_mode))
        own(handle)

    monkeypatch.setattr(os, "fsync", noted)
    write_bytes(file, NEW, sync=sync)
    # the file first, then its name
    assert written == ([False, True] if sync else [])
    assert file.read_bytes() == NEW


def test_missing_folder_is_created(file: Path) -> None:
    path = file.parent / "a" / "b" / "x.yaml"
    with pytest.raises(OutputError, match="No such file"):
        check_output(path)
    assert check_output(path, make_folder=True) == path.resolve()
    assert path.parent.is_dir()
    below = file / "x.yaml"
    with pytest.raises(
        OutputError, match=r"x\.yaml: .*hand\.yaml is a file, not a fold"
    ):
        check_output(below, make_folder=True)
    with pytest.raises(OutputError, match=r"y\.yaml: Not a directory"):
        check_output(below / "y.yaml", make_folder=True)
    with pytest.raises(OutputError, match=r"hand\.yaml: .* is a file, not a folder"):
        prepare_folder(file)


@posix
@pytest.mark.parametrize(("fails", "sleeps"), [(0, 0), (3, 3), (19, 19), (20, 19)])
def test_windows_has_twenty_tries(file, monkeypatch, fails, sleeps):
    """As long as another program has the file open, with waits between."""
    waits: list[float] = []
    own, tries = os.replace, []

    def held(new: Path, target: Path) -> None:
        tries.append(target)
        if len(tries) <= fails:
            # for the question that follows, and nothing else
            monkeypatch.setattr(os, "name", "nt")
            raise PermissionError(13, "Permission denied")
        own(new, target)

    def waited(seconds: float) -> None:
        monkeypatch.setattr(os, "name", "posix")
        waits.append(seconds)

    monkeypatch.setattr(os, "replace", held)
    monkeypatch.setattr(output_file.time, "sleep", waited)
    error: object = None
    try:
        write_bytes(file, NEW)
    except OutputError as caught:
        error = caught
    finally:
        monkeypatch.setattr(os, "name", "posix")
    assert (error is None) == (fails < 20)
    assert waits == [0.05] * sleeps
    assert file.read_bytes() == (OLD if error else NEW)
    assert left_beside(file) == []


@posix
def test_files_are_synced_unless_told_not_to(file, monkeypatch):
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    write_bytes(file, NEW)
    assert len(synced) == 2
    with replacing(file) as new:
        new.write_bytes(NEW)
    assert len(synced) == 4
    output_file.write_text(file, "a: 1")
    assert len(synced) == 6


def test_folder_that_takes_no_new_file_is_reported(file, monkeypatch):
    def refused(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refused)
        with pytest.raises(OutputError, match=r"hand\.yaml: Permission denied"):
            write_bytes(file, NEW)
    assert file.read_bytes() == OLD and left_beside(file) == []


def test_file_in_place_of_the_folder_is_reported_where_it_seems_to_be_missing(
    file, monkeypatch
):
    """Windows says that there is no such file."""
    monkeypatch.setattr(output_file, "_stat", lambda path: None)
    with pytest.raises(OutputError, match=r"x\.yaml: .*hand\.yaml is not a folder"):
        check_output(file / "x.yaml")
