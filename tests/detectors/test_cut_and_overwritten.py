"""Files without their end, and files that hold something else than their name promises."""

from __future__ import annotations

import gzip
import io
import random
import zipfile

import pytest

from clew.detectors.files.downloads import Downloads
from clew.detectors.losses.shrinking import Shrinking
from clew.model.fact import Severity
from tests.kit.moments import facts, story

_NOISE = random.Random(1).randbytes(20_000)


def _zip() -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr("a.bin", _NOISE)
        archive.comment = b"made by hand"
    return memory.getvalue()


_WHOLE = {
    "city.zip": _zip(), "report.docx": _zip(),
    "photo.png": b"\x89PNG\r\n\x1a\n" + _NOISE + b"\0\0\0\0IEND\xaeB`\x82",
    "sales.parquet": b"PAR1" + _NOISE + b"PAR1",
    "book.pdf": b"%PDF-1.7\n" + _NOISE + b"\n%%EOF\n",
}  # fmt: skip


@pytest.mark.parametrize("path", _WHOLE)
def test_a_new_file_without_its_end_is_a_warning(path: str) -> None:
    whole = _WHOLE[path]
    (fact,) = facts(Downloads(), {}, {path: whole[:15_000]})
    assert (fact.kind, fact.scope, fact.severity) == ("broken.download", "cut", Severity.HIGH)
    assert story([Downloads()], {}, {path: whole[:15_000]}).headline == (
        f"! {path} incomplete: the end is missing"
    )
    assert facts(Downloads(), {}, {path: whole}) == []
    assert facts(Downloads(), {}, {f"tests/data/{path}": whole[:15_000]}) == []
    assert facts(Downloads(), {path: whole}, {path: whole[:15_000]}) == []


@pytest.mark.parametrize(
    ("path", "old", "new", "now"),
    [
        ("report.odt", _zip(), gzip.compress(_NOISE * 2), "gzip data"),
        ("book.pdf", _WHOLE["book.pdf"], b"<!DOCTYPE html>\n" + _NOISE * 2, "a web page"),
        ("photo.jpg", b"\xff\xd8\xff\xe0" + _NOISE, _NOISE * 2, "unknown data"),
        ("photo.jpg", b"\xff\xd8\xff\xe0" + _NOISE, _NOISE[:19_000], "unknown data"),
    ],
)
def test_a_file_that_holds_something_else_is_lost(
    path: str, old: bytes, new: bytes, now: str
) -> None:
    (fact,) = facts(Shrinking(), {path: old}, {path: new})
    assert (fact.kind, fact.after, fact.severity) == ("loss.shrunk", now, Severity.HIGH)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("photo.jpg", b"\xff\xd8\xff\xe0" + _NOISE, b"RIFF\0\0\0\0WEBP" + _NOISE),
        ("budget.xls", b"\xd0\xcf\x11\xe0" + _NOISE, _zip()),
        ("photo.png", _NOISE, _NOISE[::-1] * 2),
        ("report.odt", _zip(), _zip() + b"\0"),
    ],
)
def test_another_version_of_the_same_is_not(path: str, old: bytes, new: bytes) -> None:
    assert facts(Shrinking(), {path: old}, {path: new}) == []


def test_a_copy_that_was_kept_is_enough() -> None:
    old = {"report.odt": _zip()}
    new = {"report.odt": gzip.compress(_NOISE * 2), "old/report.odt": _zip()}
    assert facts(Shrinking(), old, new) == []
