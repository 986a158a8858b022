"""Clip files: content, round trips, schema, and the location of every error."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import yaml

import ikrig
from ikrig import Circle, Clip, ClipFileError, Key, OutputError
from ikrig.clip import CHANNELS
from ikrig.formats import clip_yaml, yaml_reader

ROOT = Path(__file__).parents[2]
CLIPS = sorted((ROOT / "assets" / "clips").glob("*.yaml"))

CLIP = """\
name: test
wrap: loop
duration: 4
tracks:
  hand:
    target:
      curve: cubic
      keys:
        0: [0, 0, 1]
        0.5: {value: [1, 0, 1], then: ease_in}
        4: [0, 0, 1]
    pole:
      circle: {centre: [0, -2, 1], radius: 0.5, axis: y, turns: 2, start_deg: 90}
    target_rotation_deg:
      keys: {0: [0, 0, 0], 1: [10, 20, 30], 4: [0, 0, 0]}
    weight:
      curve: [0.2, 0, 0.8, 1]
      keys: {0: 0.5, 2: 1, 4: 0.5}
  hips:
    root:
      noise: {size: 0.1, seed: 3}
    root_rotation:
      keys: {0: [1, 0, 0, 0]}
  elbow:
    angle_deg:
      keys:
        0: 0
        1.5: 30
    slide:
      keys: {0: 0}
  head:
    target:
      spline:
        closed: true
        points:
          - [0, 0, 0]
          - [1, 0, 0]
          - [1, 1, 0]
events:
  0.5: up
  2: [down, again]
"""


@pytest.fixture(params=["libyaml", "python"])
def either_parser(request, monkeypatch):
    if request.param == "python":
        monkeypatch.setattr(yaml_reader, "_LOADER", yaml.SafeLoader)
    elif not yaml.__with_libyaml__:
        pytest.skip("PyYAML without libyaml")


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "clip.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_module_docstring_is_a_valid_clip(tmp_path):
    block = clip_yaml.__doc__.split("code-block:: yaml\n")[1].split("\n\n``CHANNELS")[0]
    clip = ikrig.load_clip(write(tmp_path, block))
    assert len(clip.tracks) == 5 and clip.duration == 2


@pytest.mark.parametrize("path", CLIPS, ids=lambda path: path.stem)
def test_examples_survive_a_round_trip(path, tmp_path):
    clip = ikrig.load_clip(path)
    text = ikrig.dump_clip(clip, tmp_path / "again.yaml")
    again = ikrig.load_clip(tmp_path / "again.yaml")
    assert ikrig.dump_clip(again) == text
    assert again.duration == clip.duration and again.events == clip.events
    for time in np.linspace(-1, 9, 41):
        one, other = clip.sample(time), again.sample(time)
        assert dict(one).keys() == dict(other).keys()
        for name in one:
            assert np.all(one[name] == other[name])


def test_clips_survive_a_round_trip(tmp_path):
    rng = np.random.default_rng(0)
    clip = Clip('odd: "name"', wrap="ping_pong", duration=7.25)
    for part in ("hand.L", "true", "1e3", "a: b", "#x", "Fuß 足", "a\nb\t\\", "-"):
        for channel in CHANNELS.values():
            width = {"number": 1, "position": 3, "rotation": 4}[channel.kind]
            values = rng.uniform(0.01, 0.9, (3, width))
            keys = {
                time: Key(v[0] if width == 1 else tuple(v), then)
                for time, v, then in zip(
                    rng.uniform(0, 7, 3).tolist(),
                    values.tolist(),
                    (None, "step", (0.1, -2, 0.3, 1e-7)),
                    strict=True,
                )
            }
            clip = clip.with_track(part, channel.name, keys, "cubic")
    for name in ("null", "on", "3", "ünder", "x'y"):
        clip = clip.with_event(1.5, name)
    clip = clip.with_track("p", "target", Circle(axis=(1, 2, 3), start=1.0, end=3))
    # angles and quaternions mixed are written as quaternions
    rotations = {0: (0.1, 0.2, 0.3), 1: (1.0, 0.0, 0.0, 0.0)}
    clip = clip.with_track("p", "rotation", rotations)
    text = ikrig.dump_clip(clip, tmp_path / "odd.yaml")
    again = ikrig.load_clip(tmp_path / "odd.yaml")
    assert again.name == clip.name and again.events == clip.events
    assert ikrig.dump_clip(again) == text
    assert [(t.part, t.channel) for t in again.tracks] == [
        (t.part, t.channel)
        for t in sorted(
            clip.tracks, key=lambda t: [u.part for u in clip.tracks].index(t.part)
        )
    ]
    for time in rng.uniform(-9, 9, 30):
        one, other = clip.sample(time), again.sample(time)
        assert all(np.allclose(one[name], other[name], atol=1e-14) for name in one)
    assert [path.name for path in tmp_path.iterdir()] == ["odd.yaml"]
    with pytest.raises(OutputError, match="No such file"):
        ikrig.dump_clip(clip, tmp_path / "no" / "such.yaml")


# -- the schema ----------------------------------------------------------------------


def test_schema_is_up_to_date():
    file = ROOT / "assets" / "schemas" / "make.py"
    spec = importlib.util.spec_from_file_location("make_schemas", file)
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    for name, text in make.schema_texts().items():
        there = (file.parent / name).read_text(encoding="utf-8")
        assert there == text, "run: python assets/schemas/make.py"


# -- mistakes ------------------------------------------------------------------------

# what stands in CLIP, what stands there instead, line, column, message
MISTAKES = [
    ("name: test", "nam: test", 1, 1, "the file has no key 'nam': did you mean 'name'"),
    ("name: test", "name: 3", 1, 7, "name must be a string, not 3"),
    ("name: test", 'name: ""', 1, 7, "name must be a string, not "),
    ("name: test", "name: [a]", 1, 7, r"name must be .* not \['a'\]"),
    ("wrap: loop", "wrap: lop", 2, 7,
     "wrap must be one of once, loop, ping_pong, not lop: did you mean 'loop'"),
    ("wrap: loop", "wrap: true", 2, 7,
     "wrap must be one of once, loop, ping_pong, not true"),
    ("duration: 4", "duration: -4", 3, 11, "duration must be seconds, at least 1e-06"),
    ("duration: 4", "duration: 0", 3, 11, "duration must be seconds, at least 1e-06"),
    ("duration: 4", "duration: 1e12", 3, 11, "at most 1e.09, not 1e12"),
    ("duration: 4", "duration: .inf", 3, 11, "duration must be .*, not .inf"),
    ("duration: 4", "duration: 4s", 3, 11, "duration must be .*, not 4s"),
    ("duration: 4", "duration: 1:30", 3, 11, "duration must be .*, not 1:30"),
    ("duration: 4", "wrap: once", 3, 1, "the file has 'wrap' twice"),
    ("tracks:\n", "track:\n", 4, 1, "no key 'track': did you mean 'tracks'"),
    ("    slide:\n      keys: {0: 0}\n", "  foot: [target]\n", 29, 9,
     "must consist of keys and"),
    ("    target:\n      curve", "    targt:\n      curve", 6, 5, "mean 'target'"),
    ("curve: cubic", "curve: cubc", 7, 14, "not cubc: did you mean 'cubic'"),
    ("curve: cubic", "curve: [0, 1]", 7, 14, "curve must be one of step"),
    ("curve: cubic", "curve: [2, 0, 0, 1]", 7, 14, "x1 and x2 from 0 to 1"),
    ("curve: cubic", "curve: [0, .nan, 0, 1]", 7, 14, "curve must be"),
    ("curve: cubic", "curv: cubic", 7, 7, "target of 'hand' has no key 'curv'"),
    ("0: [0, 0, 1]\n", "0: [0, 0]\n", 9, 12, "target of 'hand' must be three numbers"),
    ("0: [0, 0, 1]\n", "0: [0, 0, .nan]\n", 9, 12, "must be three numbers"),
    ("0: [0, 0, 1]\n", "0: [0, 0, 1e10]\n", 9, 12, "three numbers within ±1e.09"),
    ("0: [0, 0, 1]\n", "0: [0, 0, 1" + "0" * 400 + "]\n", 9, 12, "within ±1e.09"),
    ("0: [0, 0, 1]\n", "0: [0, 0, high]\n", 9, 12, r"not \[0, 0, 'high'\]"),
    ("0: [0, 0, 1]\n", "0: 1\n", 9, 12, "must be three numbers within ±1e.09, not 1$"),
    ("0: [0, 0, 1]\n", "0:\n", 9, 11, "must be three numbers .* not"),
    ("0: [0, 0, 1]\n", "zero: [0, 0, 1]\n", 9, 9, "the time of a key must be seconds"),
    ("0: [0, 0, 1]\n", "1e12: [0, 0, 1]\n", 9, 9, "the time of a key must be seconds"),
    ("0: [0, 0, 1]\n", ".5: [0, 0, 1]\n", 10, 9, "target of 'hand' has two keys at"),
    ("0: [0, 0, 1]\n", "0.5: [0, 0, 1]\n", 10, 9, "keys of .* has '0.5' twice"),
    ("0: [0, 0, 1]\n", "0.5000001: [0, 0, 1]\n", 9, 9, "seconds apart"),
    ("0: [0, 0, 1]\n", "[0]: [0, 0, 1]\n", 9, 9, "has an invalid key"),
    ("0: [0, 0, 1]\n", "0: *there\n", 9, 12, "undefined alias 'there'"),
    ("0: [0, 0, 1]\n", "\t0: [0, 0, 1]\n", 9, 9, "indented with a tab: use spaces"),
    ("0: [0, 0, 1]\n", "0: [0, 0, 1\n", 10, None, "not valid YAML"),
    ("0: [0, 0, 1]\n", "0: !!python/tuple [0, 0, 1]\n", 9, 12, "the tag"),
    ("{value: [1, 0, 1], then: ease_in}", "{then: step}", 10, 9, "a key needs value"),
    ("then: ease_in", "then: ease_inn", 10, 39,
     "then must be one of .* did you mean 'ease_in'"),
    ("then: ease_in", "them: ease_in", 10, 33, "a key has no key 'them'"),
    ("        4: [0, 0, 1]", "        5: [0, 0, 1]", 11, 9,
     "at 5, after the clip's end"),
    ("circle: {", "cirle: {", 13, 7, "mean 'circle'"),
    ("radius: 0.5", "radius: 0", 13, 44, "radius must be a number above 0, not 0"),
    ("radius: 0.5", "radius: big", 13, 44, "radius must be a number above 0, not big"),
    ("axis: y", "axis: w", 13, 55, "axis must be x, y, z or three numbers"),
    ("axis: y", "axis: [0, 0, 0]", 13, 55, "axis must be x, y, z or three numbers"),
    ("turns: 2", "turns: 1e9", 13, 65, "turns must be a number within ±1000"),
    ("start_deg: 90", "start: 90", 13, 68, "has no key 'start': .*'start_deg'"),
    ("start_deg: 90", "begin: 5", 12, 5, "has no duration, from 5 to 4"),
    ("[10, 20, 30]", "[10, 20]", 15, 31, "three angles: roll, pitch, yaw"),
    ("[1, 0, 0, 0]", "[1, 0, 0]", 23, 17, "four numbers w, x, y, z"),
    ("    weight:\n", "    wieght:\n", 16, 5, "mean 'weight'"),
    ("2: 1, 4", "2: 1.5, 4", 18, 25,
     "weight of 'hand' must be a number from 0 to 1, not 1.5"),
    ("2: 1, 4", "2: yes, 4", 18, 25,
     "weight of 'hand' must be a number from 0 to 1, not yes"),
    ("2: 1, 4", "2: true, 4", 18, 25,
     "weight of 'hand' must be a number from 0 to 1, not true"),
    ("keys: {0: 0.5, 2: 1, 4: 0.5}", "keys: {}", 18, 7, "at least one entry"),
    ("keys: {0: 0.5, 2: 1, 4: 0.5}", "keys: [1, 2]", 18, 13,
     "must consist of keys and values"),
    ("keys: {0: 0.5, 2: 1, 4: 0.5}", "circle: {}", 18, 7, "has no key 'circle'"),
    ("noise: {size: 0.1, seed: 3}", "noise: {seed: 0.5}", 21, 21, "a whole number"),
    ("noise: {size: 0.1, seed: 3}", "noise: {size: -1}", 21, 21, "from 0"),
    ("noise: {size: 0.1, seed: 3}", "noise: 3", 21, 14, "noise of 'root' must"),
    ("root_rotation:", "root_rotation_deg:", 23, 17, "three angles"),
    ("[1, 0, 0, 0]", "[0, 0, 0, 0]", 23, 17, "that are not all 0"),
    ("angle_deg:", "angle:", 25, 5, "has no key 'angle': did you mean 'angle_deg'"),
    ("1.5: 30", "1.5: 30°", 28, 14, "angle_deg of 'elbow' must be a number"),
    ("closed: true", "closed: maybe", 34, 17, "closed must be true or false"),
    ("closed: true", "laps: 2", 33, 7, "a Spline of 2 laps must have closed: true"),
    ("          - [1, 0, 0]\n", "          - [0, 0, 0]\n", 33, 7,
     "of a Spline are equal"),
    ("          - [1, 0, 0]\n", "          - [1, 0]\n", 36, 11, "points must be two"),
    ("0.5: up", "9: up", 40, 3, "event 'up' is at 9, after the clip's end, 4"),
    ("0.5: up", "-1: up", 40, 3, "before the clip's start, 0"),
    ("0.5: up", "soon: up", 40, 3, "the time of an event must be seconds"),
    ("0.5: up", "0.5: 7", 40, 8, "a string, or a list of strings, not 7"),
    ("[down, again]", "{down: again}", 41, 6, "an event must be a string"),
    ("again]\n", "again]\n---\nname: b\n", 42, 1, "a second document"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("there", "instead", "line", "column", "message"),
    MISTAKES,
    ids=[f"{i} {new.strip()[:30]}" for i, (_, new, *_) in enumerate(MISTAKES)],
)
def test_errors_have_line_and_column(
    tmp_path, there, instead, line, column, message, either_parser
):
    assert there in CLIP
    path = write(tmp_path, CLIP.replace(there, instead, 1))
    with pytest.raises(ClipFileError, match=message) as caught:
        ikrig.load_clip(path)
    (mistake,) = caught.value.diagnostics
    assert mistake.line == line and column in (None, mistake.column), mistake
    text = str(caught.value)
    assert text.startswith(f"{path}:{line}:{mistake.column}: ")
    assert "\n" not in text and len(text) < 600


def test_all_errors_are_reported_at_once(tmp_path, either_parser):
    text = CLIP
    for there, instead in [
        ("name: test", "name: 3"),
        ("wrap: loop", "wrap: lop"),
        ("curve: cubic", "curve: cubc"),
        ("0: [0, 0, 1]\n", "0: [0, 0]\n"),
        ("then: ease_in", "then: out"),
        ("radius: 0.5, axis: y", "radius: 0, axis: w, colour: red"),
        ("2: 1, 4: 0.5", "2: 7, 4: 8"),
        ("1.5: 30", "9: 30"),
        ("0.5: up", "9: up"),
    ]:
        assert there in text
        text = text.replace(there, instead, 1)
    path = write(tmp_path, text)
    with pytest.raises(ClipFileError) as caught:
        ikrig.load_clip(path)
    lines = [mistake.line for mistake in caught.value.diagnostics]
    assert lines == [1, 2, 7, 9, 10, 13, 13, 13, 18, 18, 28, 40]
    reported = str(caught.value).splitlines()
    assert len(reported) == 12 and all(one.startswith(f"{path}:") for one in reported)


def test_late_keys_are_reported_only_with_a_known_end(tmp_path):
    """A duration that can't be read, or a key, leaves the end unknown."""
    text = "tracks: {a: {slide: {keys: {0: 1, 2: x}}}}\nevents: {5: late}\n"
    for head, count in (("", 1), ("duration: x\n", 2), ("duration: 3\n", 2)):
        with pytest.raises(ClipFileError) as caught:
            ikrig.load_clip(write(tmp_path, head + text))
        reported = [m.message for m in caught.value.diagnostics]
        assert len(reported) == count, reported
        late = [text for text in reported if "after the clip's end" in text]
        assert bool(late) == (head == "duration: 3\n")


@pytest.mark.parametrize("value", [None, 3, "clip", {}])
def test_only_clips_are_written(value):
    with pytest.raises(ikrig.ClipError, match="what is written must be a Clip, not"):
        ikrig.dump_clip(value)


def test_clip_with_more_keys_than_are_read_is_not_written(tmp_path, monkeypatch):
    path = tmp_path / "a.clip.yaml"
    clip = Clip("a", [ikrig.Track("x", "slide", {0: 1.0, 1: 2.0, 3: 3.0})])
    ikrig.dump_clip(clip, path)
    text = path.read_text()
    # the whole, and ten keys with their values
    assert text.count(":") == 10
    for limit in (21, 20):
        for module in (clip_yaml, yaml_reader):
            monkeypatch.setattr(module, "MOST_NODES", limit)
        path.write_text("before")
        if limit == 21:
            ikrig.dump_clip(clip, path)
        else:
            with pytest.raises(ClipFileError, match="more than 20 values and keys"):
                ikrig.dump_clip(clip, path)
        assert path.read_text() == (text if limit == 21 else "before")


def test_conflicts_are_reported_with_their_line(tmp_path):
    text = "{}tracks:\n  a: {{slide: {{keys: {{0: 1, 2: 3}}}}}}\nevents:\n  -1: early\n"
    for head in ("", "duration: 3\n"):
        with pytest.raises(ClipFileError, match="before the clip's start") as caught:
            ikrig.load_clip(write(tmp_path, text.format(head)))
        (only,) = caught.value.diagnostics
        assert only.line == (5 if head else 4)


def test_errors_are_in_file_order(tmp_path):
    text = CLIP.replace("    slide:", "    angle:\n      keys: {0: 0}\n    slide:")
    text = text.replace(
        "root_rotation:\n",
        "root_rotation_deg:\n      keys: {0: [0, 0, 0]}\n    root_rotation:\n",
    )
    with pytest.raises(ClipFileError) as caught:
        ikrig.load_clip(write(tmp_path, text))
    assert [(m.line, m.column) for m in caught.value.diagnostics] == [(24, 5), (31, 5)]
    assert "root_rotation_deg and root_rotation: give one" in str(caught.value)
