"""Downloads that are incomplete, and files that only have such a name."""

from __future__ import annotations

import pytest

from clew.detectors.files.downloads import Downloads
from clew.story.words import phrase
from tests.kit.losses import tell
from tests.kit.moments import Moment, evidence, facts, file, findings, link

BINARY = b"\x1f\x8b\0" * 4_000


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("data/set.tar.gz.part", BINARY),
        ("data/set.csv.partial", b"1,2,3\n" * 30_000),
        ("Downloads/Unconfirmed 12.crdownload", b"text\n"),
        ("models/model.bin.incomplete", b""),
        ("film.mkv.!qB", BINARY),
        ("go/pkg/mod/cache/download/x/@v/v1.zip.partial", BINARY),
    ],
)
def test_a_download_is_a_note_with_its_size(path: str, content: bytes) -> None:
    (fact,) = facts(Downloads(), {}, {path: content})

    assert (fact.kind, fact.subject, fact.severity) == ("broken.download", path, "note")
    assert fact.after is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({}, {"web/header.html.part": b"<header>\n"}),
        ({}, {"views/_nav.partial": b"{{ nav }}\n"}),
        ({}, {"spark/part-00000": BINARY}),
        ({}, {"a.part1.rar": BINARY}),
        ({"x.iso.part": BINARY}, {}),
        ({"x.iso.part": BINARY}, {"x.iso": BINARY[:500]}),
        ({}, {".env.sample": file(b"A=1\n", mode=0o600)}),
        ({}, {".bashrc.backup": file(b"A=1\n", mode=0o600)}),
        ({}, {".a.Config": file(b"A=1\n", mode=0o600), ".a.v20240": file(b"1", mode=0o600)}),
        ({}, {".model.bin.aB3dEf": BINARY}),  # everybody may read it
        ({}, {"notes.tmp": BINARY * 20, "a.bin": b"1", "a.bin.tmp": BINARY * 20}),
        ({}, {"state.json.tmp": b"{}", ".cache/pack/1.pack.tmp": BINARY * 20}),
        ({"x.iso.part": BINARY}, {"x.iso.part": BINARY}),
        ({}, {"x.iso.part": link("y")}),
    ],
)  # fmt: skip
def test_what_only_has_such_a_name_or_is_complete_says_nothing(old: Moment, new: Moment) -> None:
    assert facts(Downloads(), old, new) == []


@pytest.mark.parametrize(
    "path",
    ["models/.model.bin.aB3dEf", "a/.syncthing.model.bin.tmp", ".rsync-partial/model.bin"],
)
def test_a_copy_that_is_incomplete_is_a_note(path: str) -> None:
    (fact,) = facts(Downloads(), {}, {path: file(BINARY, mode=0o600)})

    assert (fact.kind, fact.scope, fact.subject) == ("broken.download", "copy", path)
    assert phrase("broken", [fact]).text == f"copy {path} incomplete (12.0 kB so far)"
    two = [fact, fact._replace(subject="b")]
    assert phrase("broken", two).shortest == "2 copies incomplete"


def test_a_temporary_file_of_a_file_that_is_not_there_is_a_download() -> None:
    (fact,) = facts(Downloads(), {}, {"data/set.bin.tmp": BINARY * 20})

    assert (fact.kind, fact.subject) == ("broken.download", "data/set.bin.tmp")


@pytest.mark.parametrize("ending", [".part", ".crdownload", ".partial", ".incomplete"])
def test_a_download_that_was_completed_is_told_by_its_name(ending: str) -> None:
    old, new = {f"data/set.bin{ending}": BINARY[:90]}, {"data/set.bin": BINARY}

    told = tell(old, new)

    assert told.headline == "data/set.bin: download finished, 12.0 kB"
    assert [fact.severity for fact in told.facts] == ["none"]


def test_a_download_of_aria2_that_was_completed_is_told() -> None:
    old = {"big.iso": BINARY[:900], "big.iso.aria2": b"x"}

    (fact,) = facts(Downloads(), old, {"big.iso": BINARY})

    assert (fact.before, fact.after) == ("900 B", "12.0 kB")


def test_the_file_that_aria2_receives_is_named() -> None:
    (fact,) = facts(
        Downloads(), {}, {"big.iso": file(BINARY, size=5_000_000), "big.iso.aria2": b"x"}
    )

    assert (fact.subject, fact.after) == ("big.iso", "5.0 MB")
    assert phrase("broken", [fact]).short == "download big.iso incomplete (5.0 MB so far)"


def test_a_download_that_grows_is_told_with_both_sizes() -> None:
    old, new = file(BINARY, size=2_000_000), file(BINARY + b"1", size=9_000_000)

    (fact,) = facts(Downloads(), {"a.zip.part": old}, {"a.zip.part": new})

    assert (
        phrase("broken", [fact]).text == "download a.zip.part incomplete (2.0 MB → 9.0 MB so far)"
    )
    found = evidence({}, {"a.zip.part": BINARY})
    assert [list(one.claims) for one in findings(Downloads(), found)] == [["a.zip.part"]]
