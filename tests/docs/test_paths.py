"""Pages name files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))
)
FOLDERS = "|".join(
    sorted(
        path.name
        for base in (ROOT, ROOT / "src" / "clew")
        for path in base.iterdir()
        if path.is_dir() and not path.name.startswith(".")
    )
)
SOURCE_PATH = re.compile(rf"`((?:(?:{FOLDERS})/)[\w./-]+\.py|(?:{FOLDERS})/(?:\w+/)*)`")
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
HISTORY = "CHANGELOG.md"


@pytest.mark.parametrize("page", [page for page in PAGES if page != HISTORY])
def test_every_source_file_that_a_page_names_exists(page: str) -> None:
    named = SOURCE_PATH.findall((ROOT / page).read_text())

    assert [
        name
        for name in named
        if not (ROOT / name).exists() and not (ROOT / "src" / "clew" / name).exists()
    ] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file(page: str) -> None:
    links = LINK.findall((ROOT / page).read_text())

    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []
