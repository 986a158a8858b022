"""Defaults of all public names.

``defaults.yaml`` is the contract. A default that changes there is a change for users,
with a line in the changelog; one that changes in the code alone is a mistake.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import ikrig
from ikrig import SolveSettings
from ikrig.scene.ik.setting_attributes import SettingValues
from ikrig.solvers.settings import SETTINGS

CONTRACT = yaml.safe_load(Path(__file__).with_name("defaults.yaml").read_text())


def test_defaults_match_the_contract():
    found: dict[str, dict[str, Any]] = {}
    for name in ikrig.__all__:
        for owner, call in calls(name, getattr(ikrig, name)):
            values = dict(said(call))
            if values:
                found[owner] = values
    assert found == CONTRACT


def test_types_of_settings_name_every_setting():
    keys = set(SettingValues.__annotations__)
    assert keys == SETTINGS.keys()
    assert {name for name in keys if hasattr(ikrig.IKChain, name)} == keys


def calls(name: str, public: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield a function, or a class and its public methods, with their names."""
    if inspect.isfunction(public):
        yield name, public
    elif inspect.isclass(public) and not issubclass(public, Enum):
        yield name, public
        for method in dir(public):
            value = getattr(public, method)
            function = getattr(value, "__func__", value)
            ours = str(getattr(function, "__module__", "")).startswith("ikrig")
            if inspect.isfunction(function) and ours and not method.startswith("_"):
                yield f"{name}.{method}", function


def said(call: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """Yield the defaults that say something: numbers, words, yes and no, vectors."""
    try:
        parameters = inspect.signature(call).parameters.values()
    except ValueError:
        # a class that the interpreter builds in
        return
    for parameter in parameters:
        value = parameter.default
        if isinstance(value, SolveSettings):
            plain = SolveSettings()
            value = {
                key: getattr(value, key)
                for key in SolveSettings.__dataclass_fields__
                if getattr(value, key) != getattr(plain, key)
            }
        elif isinstance(value, Enum):
            value = value.value
        elif isinstance(value, (tuple, np.ndarray)):
            value = list(value)
        if value is parameter.empty or value is None or value == "":
            continue
        if isinstance(value, (bool, int, float, str)) or value:
            yield parameter.name, value if not callable(value) else value.__name__
