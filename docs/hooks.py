"""Hooks of the docs site: add the files outside its folder that pages link to.

Pages link to pictures, samples and rig files at their paths in the repository, so that
the same links work in a checkout. The site gets a copy of each below ``files/``.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs/pages"
OUTSIDE = re.compile(r"(?<=\]\()(?:\.\./)+[^)#\s]+")
"""The address of a link that leaves the folder of its page."""
ENDINGS = {".md": ".md.txt", ".py": ".py.txt", ".yaml": ".yaml.txt"}
"""New endings of text files, so that browsers show and MkDocs ignores them."""


def source(page: str, address: str) -> Path | None:
    """Return the file outside of the pages that a page's link leads to, or None."""
    path = (PAGES / page).parent.joinpath(address).resolve()
    outside = path.is_relative_to(ROOT) and not path.is_relative_to(PAGES)
    return path if outside and path.is_file() else None


def site_address(path: Path) -> str:
    """Return the address of a file of the repository in the site."""
    inside = path.relative_to(ROOT)
    return f"files/{inside.with_suffix(ENDINGS.get(path.suffix, path.suffix))}"


def on_files(files: Files, config: Any) -> Files:
    """Add the files that pages link to."""
    found = set()
    for page in PAGES.glob("**/*.md"):
        name = page.relative_to(PAGES).as_posix()
        for address in OUTSIDE.findall(page.read_text("utf-8")):
            found.add(source(name, address))
    for path in sorted(filter(None, found)):
        files.append(File.generated(config, site_address(path), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Change links to these files to their addresses in the site."""
    name = page.file.src_uri
    up = "../" * (len(PurePosixPath(name).parts) - 1)

    def move(match: re.Match[str]) -> str:
        path = source(name, match[0])
        return match[0] if path is None else up + site_address(path)

    return OUTSIDE.sub(move, markdown)
