"""Makes the links of README.md absolute, for the page of the package.

``python docs/package_page.py`` rewrites README.md in place before a wheel is built. A
package page has none of the repository's files, so links to them must be absolute. The
repository and the tag are taken from GITHUB_REPOSITORY and GITHUB_REF_NAME, which are
set where the wheel is built. In the repository the links of README.md stay relative.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURES = (".png", ".webp")


def absolute(text: str, repository: str, ref: str) -> str:
    """Return Markdown with absolute links.

    Args:
        text: The content of README.md.
        repository: ``owner/name``.
        ref: A tag or branch.

    Raises:
        FileNotFoundError: A link does not lead to a file of the repository.
    """

    def whole(match: re.Match[str]) -> str:
        address = match[1]
        if address.startswith(("https://", "#")):
            return match[0]
        path = address.partition("#")[0]
        if not (ROOT / path).exists():
            raise FileNotFoundError(f"README leads to {address}, which is nowhere")
        if path.endswith(PICTURES):
            return f"](https://raw.githubusercontent.com/{repository}/{ref}/{address})"
        return f"](https://github.com/{repository}/blob/{ref}/{address})"

    return re.sub(r"\]\(([^)\s]+)\)", whole, text)


def main() -> int:
    """Rewrite README.md."""
    try:
        repository = os.environ["GITHUB_REPOSITORY"]
        ref = os.environ["GITHUB_REF_NAME"]
    except KeyError as error:
        print(f"{error.args[0]} is not set: which repository is this?", file=sys.stderr)
        return 2
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    readme.write_text(absolute(text, repository, ref), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
