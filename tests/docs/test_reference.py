"""Every public name of a public class is in the API reference: the others are private.

A class with a list of ``members`` on its page shows these names, in this order. Any
other public name must be an argument of the class, explained where the class is, or a
setting that the record of the settings explains.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import ikrig
from ikrig.scene.ik.setting_attributes import Setting

API = Path(__file__).resolve().parents[2] / "docs/pages/api"
CLASSES = [name for name in ikrig.__all__ if isinstance(getattr(ikrig, name), type)]
FIRST = {
    "ActorRig": ("auto", "chain"),
    "IKChain": ("target", "pole"),
    "IKTree": ("effectors", "weight"),
    "FootPlacement": ("ground", "weight"),
    "LookAt": ("target", "weight"),
    "Reach": ("grab", "release"),
    "Robot": ("set_qpos", "qpos"),
    "ClipPlayer": ("play", "pause"),
}
"""What users of a class need first."""


def listed() -> dict[str, list[str]]:
    """The names that the pages list, by class."""
    blocks = re.compile(r"^::: ikrig\.(\w+)\n +options:\n +members: \[([^]]*)\]", re.M)
    pages = [page.read_text("utf-8") for page in API.glob("*.md")]
    return {
        name: [word.strip() for word in words.split(",")]
        for page in pages
        for name, words in blocks.findall(page)
    }


LISTED = listed()


def ours(kind: type) -> list[type]:
    # kernels are compiled: what they have is explained by the classes above them
    return [
        each
        for each in kind.__mro__
        if each.__module__.startswith("ikrig")
        and not each.__module__.startswith("ikrig.kernels")
    ]


@cache
def assigned(kind: type) -> frozenset[tuple[str, bool]]:
    """Attributes of a class and its instances, and whether a string explains them."""
    return frozenset(_assigned(kind))


def _assigned(kind: type) -> Iterator[tuple[str, bool]]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    for owner in ast.walk(tree):
        statements = getattr(owner, "body", ())
        for i, each in enumerate(statements if isinstance(statements, list) else ()):
            if not isinstance(each, ast.Assign | ast.AnnAssign):
                continue
            after = statements[i + 1] if i + 1 < len(statements) else None
            text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            for target in targets:
                for one in getattr(target, "elts", [target]):
                    if isinstance(one, ast.Name) and owner is tree.body[0]:
                        yield one.id, text
                    elif isinstance(one, ast.Attribute) and owner_is_init(owner, one):
                        yield one.attr, text


def owner_is_init(owner: ast.AST, attribute: ast.Attribute) -> bool:
    on_self = isinstance(attribute.value, ast.Name) and attribute.value.id == "self"
    return on_self and getattr(owner, "name", "") == "__init__"


def public_names(kind: type) -> set[str]:
    """Names without underscore that the class, or an instance, has from ikrig."""
    found = {name for each in ours(kind) for name in vars(each)}
    found |= {name for each in ours(kind) for name, _ in assigned(each)}
    return {name for name in found if not name.startswith("_")}


def explained_by_class(kind: type) -> set[str]:
    """The names that docstrings of a class and its bases explain."""
    found: set[str] = set()
    for each in ours(kind):
        texts = [each.__doc__, getattr(each.__init__, "__doc__", None)]
        for text in filter(None, texts):
            for line in re.findall(r"^ +([\w, ]+):(?: |$)", text, re.M):
                found |= {word.strip() for word in line.split(",")}
    return found


def is_setting(kind: type, name: str) -> bool:
    """Whether a record of settings explains the name."""
    return isinstance(inspect.getattr_static(kind, name, None), Setting)


def explained(kind: type, name: str) -> bool:
    """Whether a name has a docstring, at the name itself or in its class."""
    for each in ours(kind):
        value = vars(each).get(name)
        value = getattr(value, "__func__", value)
        own = getattr(value, "__doc__", None)
        if own and own != type(value).__doc__:
            return True
        if (name, True) in assigned(each):
            return True
    return name in explained_by_class(kind) or is_setting(kind, name)


@pytest.mark.parametrize("name", CLASSES)
def test_public_names_are_in_the_reference(name):
    kind: Any = getattr(ikrig, name)
    names = public_names(kind)
    assert not {word for word in names if not explained(kind, word)}
    if name in LISTED:
        rest = names - set(LISTED[name]) - explained_by_class(kind)
        assert not {word for word in rest if not is_setting(kind, word)}


@pytest.mark.parametrize("name", LISTED)
def test_listed_names_exist_and_are_listed_once(name):
    assert len(set(LISTED[name])) == len(LISTED[name])
    assert set(LISTED[name]) <= public_names(getattr(ikrig, name))


@pytest.mark.parametrize("name", FIRST)
def test_names_that_users_need_come_first(name):
    assert tuple(LISTED[name][:2]) == FIRST[name]
