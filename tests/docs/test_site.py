"""The documentation site has every page and public name, and builds."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ikrig
from docs import file_keys
from ikrig.clip.paths import PATHS
from ikrig.formats.rig_file.sections import BEHAVIOURS
from ikrig.model.limits import LIMITS
from ikrig.solvers.settings import SETTINGS

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs/pages"
CONFIG = (ROOT / "docs/mkdocs.yml").read_text("utf-8")
NEEDED = ("mkdocs", "material", "mkdocstrings")


def test_reference_has_every_public_name_once():
    found = []
    for page in (PAGES / "api").glob("*.md"):
        found += re.findall(
            r"^::: ikrig\.(\w+)$", page.read_text("utf-8"), re.MULTILINE
        )
    assert sorted(found) == sorted(ikrig.__all__)


def test_reference_index_has_every_public_name():
    index = (PAGES / "api/index.md").read_text("utf-8")
    assert not [name for name in ikrig.__all__ if f"`{name}`" not in index]


def test_page_of_file_keys_is_up_to_date():
    text = file_keys.page()
    assert file_keys.PAGE.read_text("utf-8") == text, "run: python docs/file_keys.py"
    for kind in (*LIMITS, *BEHAVIOURS, *SETTINGS, *PATHS):
        assert f"`{kind}" in text or f"### {kind.capitalize()}s" in text, kind


def test_every_page_is_in_the_navigation_once():
    nav = CONFIG.partition("\nnav:")[2]
    listed = re.findall(r"[\w/]+\.md", nav)
    there = [page.relative_to(PAGES).as_posix() for page in PAGES.glob("**/*.md")]
    assert sorted(listed) == sorted(there)


def test_nothing_is_loaded_from_other_servers():
    assert "font: false" in CONFIG
    assert "extra_javascript" not in CONFIG
    assert not re.search(r"https?:", CONFIG)


def test_pages_about_motion_show_a_loop():
    still = {"engine_free", "command_line", "conventions", "performance", "shipping"}
    words = re.compile(r"\b(demos?|moves?|walks?|reach(es)?)\b")
    assert words.search("it moves")
    for name in ("chains", "limits", "solvers", "several_effectors", "characters"):
        assert name not in still
        assert ".webp)" in (PAGES / f"{name}.md").read_text("utf-8"), name
    for name in ("robots", "live_feeds", "clips", "rig_files", "tutorial", "index"):
        assert ".webp)" in (PAGES / f"{name}.md").read_text("utf-8"), name


@pytest.mark.parametrize("name", ["README.md", "docs/pages/index.md"])
def test_every_loop_has_alternative_text(name):
    for alt in re.findall(r"!\[([^\]]*)\]", (ROOT / name).read_text("utf-8")):
        assert len(alt.split()) >= 3, alt


def test_site_builds_without_warnings(tmp_path):
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"not installed (the extra docs brings it): {', '.join(missing)}")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", tmp_path]
    done = subprocess.run(
        [str(word) for word in (*command, "-f", ROOT / "docs/mkdocs.yml")],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "api/chains.html").read_text("utf-8")
    assert "IKChain" in page
    for html in tmp_path.glob("**/*.html"):
        loaded = re.findall(
            r"<(?:script|link|img)[^>]*(?:src|href)=.(https?:[^ >]*)",
            html.read_text("utf-8"),
        )
        assert not loaded, f"{html}: {loaded}"
