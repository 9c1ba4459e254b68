from __future__ import annotations

from pathlib import Path

from clew.detectors.make_index import page as index_page
from clew.detectors.registry import DETECTORS, SORTERS
from clew.model.vocabulary import KINDS
from clew.story.reference import page
from clew.story.version import DETECTORS as KNOWN
from clew.story.version import fingerprint

PAGE = Path(__file__).parents[2] / "docs" / "facts.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == "".join(line + "\n" for line in page()), "run `make docs`"


def test_the_index_of_detectors_is_up_to_date() -> None:
    index = Path(__file__).parents[2] / "src" / "clew" / "detectors" / "index.py"

    assert index.read_text() == "".join(line + "\n" for line in index_page()), "run `make docs`"


def test_every_kind_is_said_by_somebody() -> None:
    observed = {kind for kind in KINDS if kind.startswith(("port.", "process."))}
    said = {kind for one in (*DETECTORS, *SORTERS) for kind in one.kinds}

    assert KINDS - said - observed == {"detector.failed"}


def test_no_detector_says_what_is_not_in_the_vocabulary() -> None:
    assert {kind for one in (*DETECTORS, *SORTERS) for kind in one.kinds} <= KINDS


def test_names_of_detectors_are_unique() -> None:
    names = [one.name for one in (*DETECTORS, *SORTERS)]

    assert len(set(names)) == len(names)


def test_the_version_of_all_detectors_is_the_one_that_timelines_know() -> None:
    found = fingerprint((one.name, one.version) for one in (*DETECTORS, *SORTERS))

    assert found == KNOWN, f'set DETECTORS in src/clew/story/version.py to "{found}"'
