"""Edits of keys, in Python and in files whose other lines stay unchanged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ikrig
from ikrig import Clip, ClipError, ClipFileError, Key

FILE = """\
# a comment at the top
name: edits
wrap: loop
duration: 4      # seconds

tracks:
  hand:
    target:
      curve: cubic
      keys:
        # the first one
        0: [0, 0, 1]     # low
        1.5: {value: [1, 0, 2], then: ease_in}
        4: [0, 0, 1]
    weight:
      keys: {0: 0.5, 2: 1, 4: 0.5}   # in one line
    target_rotation_deg:
      keys:
        0: [0, 0, 0]
        2: [10, 20, 30]"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "é.yaml"
    path.write_text(FILE, encoding="utf-8")
    return path


def changes(before: str, after: str) -> tuple[list[str], list[str]]:
    """Return the lines that only one of two texts has."""
    old, new = before.split("\n"), after.split("\n")
    return [x for x in old if x not in new], [x for x in new if x not in old]


@pytest.mark.parametrize(
    ("edit", "gone", "come"),
    [
        (lambda c: c.with_key("hand", "target", 0, (0.1, 0, 1)),
         ["        0: [0, 0, 1]     # low"], ["        0: [0.1, 0, 1]     # low"]),
        (lambda c: c.with_key("hand", "target", 1.5, (1, 1, 2), "ease_in"),
         ["        1.5: {value: [1, 0, 2], then: ease_in}"],
         ["        1.5: {value: [1, 1, 2], then: ease_in}"]),
        (lambda c: c.with_key("hand", "target", 1.5, (1, 1, 2)),
         ["        1.5: {value: [1, 0, 2], then: ease_in}"],
         ["        1.5: [1, 1, 2]"]),
        (lambda c: c.moved_key("hand", "target", 1.5, 1.25),
         ["        1.5: {value: [1, 0, 2], then: ease_in}"],
         ["        1.25: {value: [1, 0, 2], then: ease_in}"]),
        (lambda c: c.with_key("hand", "target", 3, (1, 1, 1)), [],
         ["        3: [1, 1, 1]"]),
        (lambda c: c.with_key("hand", "target", -1, (1, 1, 1), "step"), [],
         ["        -1: {value: [1, 1, 1], then: step}"]),
        (lambda c: c.without_key("hand", "target", 0),
         ["        0: [0, 0, 1]     # low"], []),
        (lambda c: c.with_key("hand", "weight", 3, 0.25),
         ["      keys: {0: 0.5, 2: 1, 4: 0.5}   # in one line"],
         ["      keys: {0: 0.5, 2: 1, 3: 0.25, 4: 0.5}   # in one line"]),
        (lambda c: c.with_key("hand", "weight", -0.5, 0),
         ["      keys: {0: 0.5, 2: 1, 4: 0.5}   # in one line"],
         ["      keys: {-0.5: 0, 0: 0.5, 2: 1, 4: 0.5}   # in one line"]),
        (lambda c: c.without_key("hand", "weight", 4).without_key("hand", "weight", 0),
         ["      keys: {0: 0.5, 2: 1, 4: 0.5}   # in one line"],
         ["      keys: {2: 1}   # in one line"]),
        (lambda c: c.with_key("hand", "target_rotation", 2, (0, 0, np.radians(45))),
         ["        2: [10, 20, 30]"], ["        2: [0, 0, 45]"]),
        (
            # at the end of a file without a last line end
            lambda c: c.with_key("hand", "target_rotation", 3, (0, 0, 0)),
            [],
            ["        3: [0, 0, 0]"],
        ),
        (lambda c: Clip("edits", c.tracks, wrap="loop", duration=5),
         ["duration: 4      # seconds"], ["duration: 5      # seconds"]),
    ],
)  # fmt: skip
def test_only_lines_of_changed_keys_differ(path, edit, gone, come):
    clip = edit(ikrig.load_clip(path))
    text = ikrig.save_clip(clip, path)
    assert path.read_text(encoding="utf-8") == text
    assert changes(FILE, text) == (gone, come)
    assert ikrig.dump_clip(ikrig.load_clip(path)) == ikrig.dump_clip(clip)
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_changes_beyond_keys_rewrite_the_file(path: Path) -> None:
    clip = ikrig.load_clip(path).with_track("hand", "pole", {0: (0, -1, 1)})
    assert ikrig.save_clip(clip, path) == ikrig.dump_clip(clip)
    assert "#" not in path.read_text()


def test_key_changed_beside_an_added_or_removed_one(path: Path) -> None:
    target = ("hand", "target")
    clip = ikrig.load_clip(path)
    # one goes and the last is another one
    fewer = clip.without_key(*target, 1.5).with_key(*target, 4.0, (0, 0, 7))
    text = ikrig.save_clip(fewer, path)
    gone, come = changes(FILE, text)
    assert [line.split(":")[0].strip() for line in gone] == ["1.5", "4"]
    assert [line.strip() for line in come] == ["4: [0, 0, 7]"]
    assert "# the first one" in text and "# low" in text
    # one comes and the first is another one
    more = fewer.with_key(*target, 3.0, (1, 1, 1)).with_key(*target, 0.0, (5, 0, 0))
    text = ikrig.save_clip(more, path)
    assert ikrig.dump_clip(ikrig.load_clip(path)) == ikrig.dump_clip(more)
    assert "0: [5, 0, 0]     # low" in text and "3: [1, 1, 1]" in text


def test_aliased_keys_are_not_both_changed(path: Path) -> None:
    text = "tracks:\n  a: {slide: {keys: {0: &x 1, 1: *x}}}\n"
    path.write_text(text)
    clip = ikrig.load_clip(path).with_key("a", "slide", 0, 3)
    ikrig.save_clip(clip, path)
    assert [
        key.value for key in ikrig.load_clip(path).track("a", "slide").keys.values()
    ] == [3, 1]


@pytest.mark.parametrize("in_line", [True, False], ids=["one line", "lines"])
@pytest.mark.parametrize("seed", range(30))
def test_keys_of_any_kind_are_added_removed_and_changed(path, in_line, seed):
    random = np.random.default_rng(seed)

    def some_keys(times) -> dict[float, Key | float]:
        return {
            time: Key(value, "step") if random.random() < 0.4 else value
            for time in times
            for value in [round(float(random.normal()), 2)]
        }

    times = sorted(random.choice(8, random.integers(1, 6), replace=False).tolist())
    old = some_keys(times)
    entries = [
        f"{time}: {{value: {key.value}, then: step}}"
        if isinstance(key, Key)
        else f"{time}: {key}"
        for time, key in old.items()
    ]
    own = ", ".join(entries)
    text = "\n        ".join(f"{entry}  # of {entry[0]}" for entry in entries)
    keys = f"{{{own}}}  # all" if in_line else f"\n        {text}"
    before = f"tracks:\n  a:\n    slide:\n      keys: {keys}\n  # the end\n"
    path.write_text(before, encoding="utf-8")
    clip = ikrig.load_clip(path)
    kept = clip.track("a", "slide").keys
    mode = seed % 4
    if mode == 0:
        # each goes, but one
        for time in list(kept)[: max(0, len(kept) - 1)]:
            clip = clip.without_key("a", "slide", time)
    elif mode == 1:
        clip = clip.with_key("a", "slide", float(random.choice([-0.5, 3.5, 9.5])), 1.25)
    elif mode == 2 and len(kept) > 1:
        clip = clip.without_key("a", "slide", list(kept)[int(random.integers(2))])
    else:
        time = list(kept)[-1]
        clip = clip.with_key("a", "slide", time, 7.5, random.choice([None, "step"]))
    text = ikrig.save_clip(clip, path)
    assert ikrig.dump_clip(ikrig.load_clip(path)) == ikrig.dump_clip(clip)
    assert text.endswith("\n  # the end\n") and text.startswith("tracks:\n  a:\n")
    now = clip.track("a", "slide").keys
    if in_line:
        # nothing but the keys, one after the other
        assert text.count("\n") == before.count("\n") and "# all" in text
        assert ", ," not in text and "{," not in text and ", }" not in text
        return
    for entry, (time, key) in zip(entries, kept.items(), strict=True):
        same = time in now and now[time] == key
        assert (f"        {entry}  # of {entry[0]}\n" in text) == same
        # a comment goes with its key alone
        assert (f"# of {entry[0]}\n" in text) == (time in now)
    assert text.count("\n") == before.count("\n") + len(now) - len(kept)


def test_invalid_file_is_left_unchanged(path: Path) -> None:
    clip = ikrig.load_clip(path)
    path.write_text(FILE.replace("cubic", "cubik"), encoding="utf-8")
    with pytest.raises(ClipFileError, match="did you mean 'cubic'"):
        ikrig.save_clip(clip, path)
    assert "cubik" in path.read_text()
    with pytest.raises(ClipFileError, match="No such file"):
        ikrig.save_clip(clip, path.parent / "none.yaml")


# -- in Python


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (lambda c: c.with_key("b", "slide", 0, 1), "no track 'b slide'"),
        (
            lambda c: c.with_key("a", "pole", 0, (0, 0, 0)),
            "follows a path and has no keys",
        ),
        (lambda c: c.with_key("a", "slide", 0, "x"), "slide.*of 'a' at 0"),
        (lambda c: c.without_key("a", "slide", 0.5), "no key at 0.5.*available: 0, 1"),
        (lambda c: c.without_key("a", "pole", 0.5), "no key at 0.5"),
        (lambda c: c.moved_key("a", "slide", 0.5, 2), "no key at 0.5"),
        (lambda c: c.moved_key("a", "slide", 0, 1), "already has a key at 1"),
        (lambda c: c.without_key("a", "slide", 0).without_key("a", "slide", 1), "one"),
    ],
)
def test_invalid_edits_are_refused(mistake: Callable[[Clip], Clip], words: str) -> None:
    clip = Clip(duration=2).with_track("a", "slide", {0: 1, 1: 2})
    clip = clip.with_track("a", "pole", ikrig.Circle())
    with pytest.raises(ClipError, match=words):
        mistake(clip)
