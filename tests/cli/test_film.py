"""Videos of rigs: content, framing and errors."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time
from itertools import pairwise

import numpy as np
import panda3d.core as p3d
import pytest
from direct.showbase.MessengerGlobal import messenger

import ikrig
from ikrig.cli.report import Progress
from ikrig.scene.viewer import Scene, display, video_writer
from ikrig.scene.viewer.clip_viewer import ClipViewer
from ikrig.scene.viewer.display import Surface
from ikrig.scene.viewer.orbit_camera import framed
from ikrig.scene.viewer.video_writer import FILTERS, open_video_writer

from .conftest import ARM, NOD, Run, hear_ctrl_c

SMALL = ("--size", "160x90", "--fps", "10")


@pytest.fixture
def play(run: Run, write, can_draw):
    # the pose depends on the target alone, not on the frames before
    alone = ARM.replace("target: ball}", "target: ball, snap_back_strength: 1}")
    rig, clip = write("arm.yaml", alone), write("nod.yaml", NOD)
    return lambda out, *words: run("play", rig, clip, "--record", out, *SMALL, *words)


def _pixels(path) -> np.ndarray:
    image = p3d.PNMImage(p3d.Filename.from_os_specific(str(path)))
    size = image.get_y_size(), image.get_x_size()
    return np.array(
        [[image.get_xel(x, y)[1] for x in range(size[1])] for y in range(size[0])]
    )


def test_pictures_show_the_motion(play, tmp_path):
    answer = play(tmp_path / "frames", "--json")
    assert answer.code == 0, answer.err
    assert answer.document["frames"] == 2
    names = sorted(path.name for path in (tmp_path / "frames").iterdir())
    assert names == ["00000.png", "00001.png"]
    first, second = (_pixels(tmp_path / "frames" / name) for name in names)
    assert first.shape == (90, 160)
    assert first.std() > 0.02
    # the arm and its shadow, and nothing else
    share = (np.abs(first - second) > 0.03).mean()
    assert 0.002 < share < 0.25


def test_video_is_repeatable_also_from_its_middle(play, tmp_path):
    for name, words in (("a", ()), ("b", ()), ("c", ("--from", "0.1"))):
        assert play(tmp_path / name, *words).code == 0
    a, b = (_pixels(tmp_path / name / "00000.png") for name in "ab")
    assert np.array_equal(a, b)
    assert len(list((tmp_path / "c").iterdir())) == 1


def test_shorter_video_leaves_no_pictures_of_a_longer_one(play, tmp_path):
    folder = tmp_path / "frames"
    assert play(folder, "--loops", "3").code == 0
    # names that are not ours: a digit less or more, a letter, another kind
    others = ["0003.png", "000005.png", "+0007.png", "00005b.png", "00005.jpg"]
    others += ["٠٠٠٠٧.png", "cover.png"]
    for name in others:
        (folder / name).write_text("")
    # a date: the pictures of a video have no gaps
    others += ["20261123.png", "00007.png"]
    for name in others[-2:]:
        (folder / name).write_text("")
    (folder / "00009.png").mkdir()
    assert play(folder).code == 0
    left = {path.name for path in folder.iterdir()}
    assert left == {"00000.png", "00001.png", "00009.png", *others}


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_link_with_the_name_of_a_picture_is_not_followed(play, tmp_path):
    mine, folder = tmp_path / "mine.png", tmp_path / "frames"
    mine.write_text("mine")
    folder.mkdir()
    (folder / "00000.png").symlink_to(mine)
    assert play(folder).code == 0
    assert mine.read_text() == "mine"
    assert not (folder / "00000.png").is_symlink()


def test_loops_restart(play, tmp_path):
    answer = play(tmp_path / "frames", "--loops", "2", "--no-gizmos", "--json")
    assert answer.document["frames"] == 4
    frames = [_pixels(path) for path in sorted((tmp_path / "frames").iterdir())]
    assert np.abs(frames[0] - frames[2]).max() < 0.2
    assert (
        np.abs(frames[0] - frames[1]).mean() > 5 * np.abs(frames[0] - frames[2]).mean()
    )


@pytest.mark.parametrize("suffix", FILTERS)
def test_videos_have_every_frame(play, tmp_path, suffix):
    ffmpeg = pytest.importorskip(
        "imageio_ffmpeg", reason="needs the package imageio-ffmpeg"
    )
    film = tmp_path / "deep" / f"film{suffix}"
    assert play(film, "--loops", "3").code == 0
    assert [path.name for path in film.parent.iterdir()] == [film.name]
    # another program counts them
    command = [ffmpeg.get_ffmpeg_exe(), "-i", str(film), "-f", "rawvideo"]
    command += ["-pix_fmt", "gray", "-fps_mode", "passthrough", "-"]
    data = subprocess.run(command, capture_output=True, check=True).stdout
    assert len(data) == 6 * 160 * 90


def test_missing_imageio_ffmpeg_is_named(play, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    answer = play(tmp_path / "film.mp4")
    assert answer.code == 2
    assert "pip install 'panda3d-ikrig[video]'" in answer.err
    assert not list(tmp_path.glob("*.mp4"))


def test_missing_graphics_library_is_named(play, tmp_path, monkeypatch):
    monkeypatch.setenv("IKRIG_DISPLAY", "no-such-library")
    answer = play(tmp_path / "frames", "--json")
    assert answer.code == 2
    assert "apt-get install" in answer.document["errors"][0]["message"]


@pytest.mark.parametrize(
    ("out", "words", "said", "code"),
    [
        ("film.avi", (), ".mp4, .gif, .webp; a folder", 2),
        ("film.mp4", ("--size", "161x90"), "even width", 1),
        ("arm.yaml/frames", (), "arm.yaml/frames: Not a directory", 2),
    ],
)
def test_invalid_video_options_are_reported(play, tmp_path, out, words, said, code):
    answer = play(tmp_path / out, *words)
    assert answer.code == code
    assert said in answer.err


def test_invalid_time_span_is_reported(play, tmp_path):
    assert play(tmp_path / "frames", "--from", "3").code == 2
    assert play(tmp_path / "frames", "--from", "0.1", "--to", "0.05").code == 2


def test_clip_that_does_not_fit_is_reported(run, write, can_draw, tmp_path):
    rig = write("arm.yaml", ARM)
    clip = write("nod.yaml", NOD.replace("  arm:", "  amr:"))
    answer = run("play", rig, clip, "--record", tmp_path / "frames", *SMALL)
    assert answer.code == 1
    assert "did you mean 'arm'" in answer.err


def test_missing_display_error_names_the_alternative(run, write, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    if sys.platform != "linux":
        pytest.skip("other systems always have a display")
    answer = run("play", write("arm.yaml", ARM), write("nod.yaml", NOD))
    assert answer.code == 1
    assert "--record wave.mp4" in answer.err


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_ctrl_c_leaves_no_partial_video(write, can_draw, tmp_path):
    pytest.importorskip("imageio_ffmpeg", reason="needs the package imageio-ffmpeg")
    rig, clip = write("arm.yaml", ARM), write("nod.yaml", NOD)
    words = ["play", rig, clip, "--record", tmp_path / "film.mp4", "--loops", "99999"]
    process = subprocess.Popen(
        [sys.executable, "-m", "ikrig", *map(str, words), *SMALL, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_ctrl_c,
    )
    until = time.monotonic() + 60.0
    # what is not finished has a name that nobody can foresee
    while not list(tmp_path.glob("*.mp4")) and time.monotonic() < until:
        assert process.poll() is None
        time.sleep(0.05)
    assert not (tmp_path / "film.mp4").exists()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert '"stopped"' in out
    assert "Traceback" not in err
    assert not list(tmp_path.glob("*.mp4"))


def test_ctrl_c_while_ffmpeg_starts_ends_it(monkeypatch, tmp_path, request):
    pytest.importorskip("imageio_ffmpeg", reason="needs the package imageio-ffmpeg")
    # what a shell starts in the background has it ignored
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    start, started = subprocess.Popen, []

    def interrupted(*args, **kwargs):
        process = start(*args, **kwargs)
        if "rawvideo" in args[0]:
            started.append(process)
            signal.raise_signal(signal.SIGINT)
        return process

    monkeypatch.setattr(subprocess, "Popen", interrupted)
    writing = open_video_writer(tmp_path / "film.mp4", (64, 64), 30.0)
    with pytest.raises(KeyboardInterrupt), writing:
        pass
    assert started[0].returncode is not None
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="a script of POSIX")
def test_first_error_of_ffmpeg_is_reported(monkeypatch, tmp_path):
    script = tmp_path / "ffmpeg"
    script.write_text(
        "#!/bin/sh\n"
        "echo '[out#0/mp4 @ 0x5601156f6500] No header: No space left on device' >&2\n"
        "echo '[out#0/mp4 @ 0x5601156f6500] Nothing was written' >&2\n"
        "exit 1\n"
    )
    script.chmod(0o755)
    monkeypatch.setattr(video_writer, "_ffmpeg", lambda: str(script))
    film = tmp_path / "film.mp4"
    with (
        pytest.raises(ikrig.OutputError, match=r"film\.mp4: No header: No space left"),
        open_video_writer(film, (64, 64), 30.0) as writer,
    ):
        for _ in range(100):
            writer(np.zeros((64, 64, 3), np.uint8))
    assert not film.exists()


@pytest.mark.parametrize("seed", range(20))
def test_camera_shows_everything(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(40, 3)) * rng.uniform(0.1, 3.0, 3) + (0.0, 0.0, 1.0)
    heading, pitch = rng.uniform(-180, 180), rng.uniform(-5, 60)
    aspect = rng.uniform(0.5, 2.5)
    view = framed(points, heading, pitch, aspect)
    # judged by Panda3D's own lens
    lens = p3d.PerspectiveLens()
    lens.set_aspect_ratio(aspect)
    lens.set_fov(
        2 * np.degrees(np.arctan(np.tan(np.radians(view.fov / 2)) * aspect)), view.fov
    )
    camera = p3d.NodePath("camera")
    camera.set_hpr(heading, -pitch, 0)
    back = camera.get_quat().xform(p3d.LVector3f(0, -view.distance, 0))
    camera.set_pos(p3d.LPoint3f(*view.focus) + back)
    places = []
    world = p3d.NodePath("world")
    camera.reparent_to(world)
    for point in points:
        on_film = p3d.LPoint2f()
        inside = camera.get_relative_point(world, p3d.LPoint3f(*point))
        assert lens.project(inside, on_film)
        places.append(list(on_film))
    most = np.abs(places).max()
    assert most < 0.95
    # with the floor below all points it is not much smaller than it could be
    assert most > 0.3


def test_progress_is_a_bar_on_a_terminal_and_lines_elsewhere(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for stream, bar in ((io.StringIO(), False), (Terminal(), True)):
        now[0] = 0.0
        with Progress("frame", stream) as progress:
            for done in range(1, 121):
                now[0] += 0.1
                progress.show(done, 120)
        text = stream.getvalue()
        if bar:
            assert re.search(r"\[#{15}\.{15}\] frame 6[0-3]/120, 6 s left", text)
            assert text.endswith("\r\x1b[K")
        else:
            assert re.search(r"^frame 4[01]/120, 8 s left$", text, re.MULTILINE)
            assert text.count("\n") in (2, 3)


def test_progress_of_unknown_length_counts_seconds(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    stream = io.StringIO()
    with Progress("finding keys", stream) as progress:
        for _ in range(10):
            now[0] += 1.0
            progress.tick()
    lines = ["finding keys, 4 s so far", "finding keys, 8 s so far"]
    assert stream.getvalue().splitlines() == lines


def test_window_keys_work(write, can_draw):
    scene = Scene(
        write("arm.yaml", ARM), ikrig.load_clip(write("nod.yaml", NOD)), None, 0.0, 0.2
    )
    longest = p3d.ClockObject.get_global_clock().get_max_dt()
    # a window but for the window: nothing else of it is other in a buffer
    with ClipViewer(display.find(Surface.OFFSCREEN), scene, (64, 36)) as window:
        window.start()
        player, step = window.player, window.task_mgr.step
        assert player.playing
        times = []
        for _ in range(40):
            step()
            times.append(player.time)
        # round after round
        assert max(times) <= 0.2
        assert sum(after < before for before, after in pairwise(times)) >= 2
        messenger.send("space")
        assert not player.playing
        stands = player.time
        step()
        assert player.time == stands
        messenger.send("arrow_right")
        assert player.time == pytest.approx(stands + 1 / 30)
        messenger.send("shift-arrow_left")
        assert player.time == pytest.approx(stands + 1 / 30 - 1.0)
        messenger.send("space")
        assert player.playing
        shown = window.gizmos.visible
        messenger.send("g")
        assert window.gizmos.visible is not shown
        with pytest.raises(SystemExit):
            messenger.send("escape")
    # nothing of it goes on, and the clock goes as before
    system = ikrig.IKSystem.of(window.task_mgr)
    assert not {window.player, window.rig} & set(system.rigs)
    assert p3d.ClockObject.get_global_clock().get_max_dt() == longest
