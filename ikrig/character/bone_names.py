"""Parses joint names: the side, and the part of the body.

Exporters write the same hand as ``mixamorig:LeftHand``, ``DEF-hand.L.001``, ``hand_l``,
``Bip01 L Hand``, ``J_Bip_L_Hand``, ``lHand``, ``main.G`` or ``左手首``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from .bone_words import COMPOUNDS, MEANINGS, SIDES, Meaning, plain

Side = Literal["left", "right", ""]

_LETTERS = re.compile(r"[^\W\d_]+")
# a capital begins a word, and so does the last one of several: "IKFoot"
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^A-Za-z]+")
_BLOCKING = frozenset[Meaning](
    ("finger", "toe", "heel", "twist", "control", "end", "accessory", "lid")
)
_FIRST = re.compile(r"[^\W_]+[\W_]+")
_SHARED = 0.9
"""Minimum fraction of the names that have a shared prefix."""
_SAYING = 0.6
"""Minimum fraction of these names that are understood without the prefix."""


@dataclass(frozen=True)
class BoneName:
    """A joint's name, parsed.

    Args:
        words: Its words in order, lower case and plain, without side and numbers.
        side: "left", "right" or "".
        means: The meanings of all its words.
    """

    words: tuple[str, ...]
    side: Side
    means: frozenset[Meaning]

    def is_end(self, kind: Meaning) -> bool:
        """Return whether it names a limb's end itself, not its toes or a control."""
        return kind in self.means and not self.means & _BLOCKING

    def is_any(self, *meanings: Meaning) -> bool:
        return not self.means.isdisjoint(meanings)

    @property
    def is_helper(self) -> bool:
        """Whether it is not a bone of the body, but a control, hair, a weapon..."""
        return self.is_any("control", "accessory", "end")


@cache
def parse_name(name: str) -> BoneName:
    """Return a joint's name, parsed; results are cached."""
    # ignore a namespace such as "mixamorig:"
    tokens: list[str] = []
    for run in _LETTERS.findall(_narrow(name.rpartition(":")[2])):
        for token in _CAMEL.findall(run):
            tokens += _split(plain(token))
    tokens = _joined(tokens)
    side: Side = ""
    first = ""
    words: list[str] = []
    means: set[Meaning] = set()
    for token in tokens:
        meaning = MEANINGS.get(token, frozenset())
        if token in SIDES:
            # the first "r" of "r_toe.L" is for rear
            if not side or (len(first) == len(token) == 1):
                side, first = SIDES[token], token
        else:
            words.append(token)
        means |= meaning
    if "lid" in means:
        means -= {"eye"}
    if "eye" in means:
        # "ball" of an eyeball does not mean the ball of a foot
        means -= {"toe"}
    return BoneName(tuple(words), side, frozenset(means))


def same_bone(name: object, names: Iterable[str]) -> str:
    """Return the first name that means the same bone as a name in other words, or "".

    "hand.r" means "right_hand", and "LeftForeArm" means "lowerarm_l".
    """
    own = parse_name(name) if isinstance(name, str) else BoneName((), "", frozenset())
    for other in names if own.means else ():
        parsed = parse_name(other)
        if (parsed.side, parsed.means) == (own.side, own.means):
            return other
    return ""


def shared_prefix(names: Iterable[str]) -> str:
    """Return the character's name that begins nearly all joint names, or "".

    For ``HeadHunter_hips`` and ``HeadHunter_l_thigh`` it is ``HeadHunter_``. It is ""
    where the names mean nothing without it, as for ``leg1_2`` and ``leg1_3``, or where
    it has no meaning of its own that could mislead.
    """
    names = list(names)
    firsts = Counter(m.group() for m in map(_FIRST.match, names) if m)
    prefix, count = max(firsts.items(), key=lambda item: item[1], default=("", 0))
    rest = [name.removeprefix(prefix) for name in names if name.startswith(prefix)]
    saying = sum(bool(parse_name(name).means) for name in rest)
    if count < _SHARED * len(names) or saying < _SAYING * count:
        return ""
    parsed = parse_name(prefix)
    return prefix if parsed.means and not parsed.side else ""


def repeats(joint: str, above: str) -> bool:
    """Return whether two names differ only by numbers or a word such as "twist"."""

    def stem(name: str) -> set[str]:
        parsed = parse_name(name)
        own = {
            word
            for word in parsed.words
            if MEANINGS.get(word, frozenset()).isdisjoint(("twist", "piece"))
        }
        return own | {parsed.side}

    return joint != above and stem(joint) == stem(above)


def rigid_joints(joints: Sequence[str]) -> tuple[str, ...]:
    """Return the joints of an arm or leg that only twist, such as roll bones.

    Examples: ``upper_arm.L.001`` after ``upper_arm.L``, and ``左手捩``. If all joints
    have the same name, the elbow or knee is among them, and none is returned.
    """
    found = tuple(
        joint
        for joint, above in zip(joints[1:-1], joints, strict=False)
        if repeats(joint, above) or parse_name(joint).is_any("twist")
    )
    return found if len(joints) - len(found) > 2 else ()


def _narrow(text: str) -> str:
    """Return a text without accents and in narrow letters; capitals stay."""
    apart = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _joined(tokens: Iterable[str]) -> list[str]:
    """Return words with compounds joined, such as "upper" and "arm"."""
    found: list[str] = []
    for token in tokens:
        if found and (found[-1], token) in COMPOUNDS:
            found[-1] += token
        else:
            found.append(token)
    return found


def _split(token: str) -> list[str]:
    """Split a token into known words: "lefthand", "左足首".

    A token that has any other part is returned unchanged.
    """
    if token in MEANINGS or token in SIDES:
        return [token]
    # split[k]: the first k letters as known words, the longest last; None: none
    split: list[list[str] | None] = [[], *[None] * len(token)]
    for end in range(1, len(token) + 1):
        for start in range(end):
            before, word = split[start], token[start:end]
            if before is not None and _is_part(word, start == 0 or end == len(token)):
                split[end] = [*before, word]
                break
    return split[-1] or [token]


def _is_part(word: str, outer: bool) -> bool:
    """Return whether a word may be part of a token without separators."""
    if not word.isascii():
        return word in MEANINGS or word in SIDES
    if word in SIDES:
        return len(word) > 3 or (outer and word in "lr")
    return len(word) > 2 and (word in MEANINGS or word in ("upper", "lower"))
