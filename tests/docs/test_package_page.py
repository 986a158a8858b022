"""README's pictures have addresses that work on a package page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.package_page import absolute

README = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")


def test_pictures_and_links_become_absolute():
    text = absolute(README, "someone/ikrig", "v1.2.3")
    addresses = re.findall(r"\]\(([^)]+)\)", text)
    assert len(addresses) > 20
    assert all(re.match("https://|#", address) for address in addresses)
    hero = "https://raw.githubusercontent.com/someone/ikrig/v1.2.3/assets/images/loops/"
    assert f"({hero}hero.webp)" in text
    page = "https://github.com/someone/ikrig/blob/v1.2.3/docs/pages/index.md"
    assert f"({page})" in text


def test_dead_link_is_an_error():
    with pytest.raises(FileNotFoundError, match="nowhere"):
        absolute("[a](nowhere.md)", "someone/ikrig", "v1")


def test_absolute_links_stay():
    for text in ("[a](https://a.b/c)", "[a](#there)", "`[a] (b)`"):
        assert absolute(text, "someone/ikrig", "v1") == text
