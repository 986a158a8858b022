"""The tables of quality.md are the code's: ``python -m tests.docs.test_measures``."""

from __future__ import annotations

import re
from pathlib import Path

from ikrig.quality import CAUSES, MEASURES

PAGE = Path(__file__).resolve().parents[2] / "docs/pages/quality.md"


def tables() -> dict[str, str]:
    rows = []
    for name, each in MEASURES.items():
        limit = "" if each.limit is None else f"{each.limit:g}"
        rows.append(f"| `{name}` | {limit} | {each.unit} | {each.text} |")
    causes = [f"| {cause} | {text} |" for cause, text in CAUSES.items()]
    return {"Measure": "\n".join(rows), "Cause": "\n".join(causes)}


def renewed(text: str) -> str:
    for head, rows in tables().items():
        table = rf"(\| {head} \|[^\n]*\n\|[- |]+\|\n)(?:\|[^\n]*\n|[A-Z]+\n)*"
        text, count = re.subn(table, lambda m, rows=rows: f"{m[1]}{rows}\n", text)
        assert count == 1, head
    return text


def test_the_page_has_every_measure_and_cause():
    text = PAGE.read_text("utf-8")
    assert renewed(text) == text


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text("utf-8")), "utf-8")
