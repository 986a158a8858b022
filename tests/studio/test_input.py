"""Mouse and keys are handled in the order of arrival at any frame rate."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ikrig.studio.view.input_feed import AWAY, Change, InputFeed, in_order

DOWN, UP = Change("button", 0, True), Change("button", 0, False)
A, B, C = (10.0, 20.0), (30.0, 40.0), (50.0, 60.0)


class Io:
    """Takes what Dear ImGui's does; the state of one frame after the other."""

    def __init__(self) -> None:
        self.want_text_input = False
        self.pos, self.held, self.seen, self.text = AWAY, set(), [], ""
        self.wheel = 0.0

    def add_mouse_pos_event(self, x, y):
        self.pos = (x, y)

    def add_mouse_button_event(self, button, down):
        assert (button in self.held) is not down
        (self.held.add if down else self.held.discard)(button)

    def add_mouse_wheel_event(self, x, y):
        self.wheel += y

    def add_key_event(self, key, down):
        (self.held.add if down else self.held.discard)(key)

    def add_input_character(self, code):
        self.text += chr(code)


def frames(changes, io=None, most=400):
    """Each frame's place, what is held, and the text of that frame."""
    io = io or Io()
    feed = InputFeed()
    feed.add(changes)
    found = []
    while feed and len(found) < most:
        io.text, io.wheel = "", 0.0
        feed.release(io)
        found.append((io.pos, frozenset(io.held), io.text, io.wheel))
    assert not feed
    return found


def test_click_and_motion_within_a_frame_keep_their_positions():
    # X11 reports a place again with each button
    spots = [A, A, A, B, B, C, C]
    found = in_order(AWAY, spots, [DOWN, UP, DOWN, UP])
    pos = lambda spot: Change("pos", spot)  # noqa: E731
    assert found == [pos(A), DOWN, UP, pos(B), DOWN, pos(C), UP]
    seen = [(at, bool(held)) for at, held, *_ in frames(found)]
    assert seen == [(A, True), (A, False), (B, True), (C, False)]


def test_pointer_comes_first_without_marks():
    found = in_order(AWAY, [A, B], [DOWN, UP])
    assert found == [Change("pos", A), Change("pos", B), DOWN, UP]


def test_chord_released_within_a_frame_counts():
    ctrl, z = Change("mod", "ctrl"), Change("key", "z")
    undo = [ctrl, z, ctrl._replace(down=False), z._replace(down=False)]
    seen = [held for _, held, *_ in frames(undo * 3)]
    assert sum(held == {"ctrl", "z"} for held in seen) == 3
    # never a z without its Ctrl that was not there before
    for before, now in itertools.pairwise([frozenset(), *seen]):
        assert not ("z" in now - before and "ctrl" not in now)


def test_typed_path_needs_few_frames_and_keeps_its_letters():
    word = "/home/me/rigs/fox_1.yaml"
    changes = []
    for letter in word:
        key = Change("key", letter, True, True)
        changes += [key, Change("char", ord(letter)), key._replace(down=False)]
    enter = Change("key", "enter")
    io = Io()
    io.want_text_input = True
    seen = frames([*changes, enter, enter._replace(down=False)], io)
    assert "".join(text for *_, text, _ in seen) == word
    assert len(seen) <= 4
    # Enter comes when all of it is there
    (at,) = [k for k, (_, held, *_) in enumerate(seen) if held == {"enter"}]
    assert "".join(text for *_, text, _ in seen[:at]) == word


def test_keys_after_a_pause_wait_for_it():
    feed, io = InputFeed(), Io()
    feed.add([Change("char", ord("a"))])
    feed.pause(2)
    feed.release(io)
    feed.release(io)
    assert io.text == ""
    feed.release(io)
    assert io.text == "a"


def test_drag_continues_outside_the_window():
    io = Io()
    feed = InputFeed()
    feed.add([Change("pos", A), DOWN])
    feed.release(io)
    feed.add([Change("pos", AWAY)])
    feed.release(io)
    assert io.pos == A
    feed.add([UP])
    feed.release(io)
    feed.add([Change("pos", AWAY)])
    feed.release(io)
    assert io.pos == AWAY


@pytest.mark.parametrize("seed", range(20))
def test_no_input_is_lost_or_reordered(seed):
    """Random hands, cut into random frames: the same clicks at the same places."""
    dice = np.random.default_rng(seed)
    place, held, said, clicks = A, set(), [], []
    spots, changes, feed, io = [], [], InputFeed(), Io()
    last, known, turned = AWAY, set(), 0

    def look():
        nonlocal known
        now = set(io.held)
        for name in sorted(now ^ known, key=str):
            said.append((name, name in now, io.pos if name in (0, 1) else None))
        known = now

    for _ in range(150):
        what = dice.integers(5)
        if what == 0:
            place = tuple(float(x) for x in dice.integers(0, 999, 2))
            spots.append(place)
        elif what == 1:
            button = int(dice.integers(2))
            down = button not in held
            (held.add if down else held.discard)(button)
            spots.append(place)
            changes.append(Change("button", button, down))
            clicks.append((button, down, place))
        elif what == 2:
            key = "abc"[dice.integers(3)]
            down = key not in held
            (held.add if down else held.discard)(key)
            spots += [place] * (1 + down)
            changes.append(Change("key", key, down))
            clicks.append((key, down, None))
        elif what == 3:
            spots += [place, place]
            changes.append(Change("wheel", (0.0, 1.0)))
            turned += 1
        else:
            feed.add(in_order(last, spots, changes))
            last = spots[-1] if spots else last
            spots, changes = [], []
            feed.release(io)
            look()
    feed.add(in_order(last, spots, changes))
    while feed:
        feed.release(io)
        look()
    assert said == clicks
    assert io.wheel == turned
