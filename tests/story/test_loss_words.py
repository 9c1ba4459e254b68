"""Words about lost and moved data."""

from __future__ import annotations

from clew.model.fact import Fact, Severity
from clew.story.words import Phrase, phrase


def _lost(scope: str, subject: str, before: str | None = None, after: str | None = None,
          *marks: str, kind: str = "deleted") -> Fact:  # fmt: skip
    return Fact(f"loss.{kind}", scope, subject, before, after, severity=Severity.HIGH, marks=marks)


def _words(*facts: Fact) -> Phrase:
    return phrase("loss", facts)


def test_a_directory_is_told_with_what_matters_in_it() -> None:
    words = _words(_lost("directory", "srv/shop", "701 files, 1.2 MB", None, ".env", "60 images"))

    assert words.short == "srv/shop/ deleted (701 files, .env)"
    assert words.text == "srv/shop/ deleted (701 files, 1.2 MB: .env, 60 images)"
    assert words.shortest == "shop/ deleted (701 files)"


def test_several_losses_share_a_line_the_largest_first() -> None:
    words = _words(
        _lost("file", ".env", "96 B"),
        _lost("file", "notes.pdf", "2.0 kB"),
        _lost("directory", "uploads", "301 files, 4.2 MB"),
        _lost("file", "a.key", "1 B"),
    )

    assert words.short == "uploads/ deleted (301 files, 4.2 MB) and 3 more"
    assert words.text.startswith("uploads/ deleted (301 files, 4.2 MB); .env deleted (96 B); ")
    assert words.shortest == "uploads/ deleted (301 files) and 3 more"


def test_two_short_losses_are_both_named() -> None:
    assert (
        _words(_lost("file", ".env"), _lost("file", "a.key")).short == ".env deleted, a.key deleted"
    )


def test_some_files_of_a_directory() -> None:
    words = _words(_lost("files", "backups", "14 files, 10.8 kB", "3", "14 archives"))

    assert words.short == "backups/: 14 files deleted"
    assert words.text == "backups/: 14 files deleted (10.8 kB: 14 archives), 3 left"


def test_a_repository_and_a_history() -> None:
    whole = _lost("repository", "shop", "22 files, 9 kB", None, "git repository with 6 commits")
    history = _lost("history", "shop/.git", "9 commits, 2 branches")

    assert _words(whole).short == "shop/ deleted (git repository with 6 commits, 22 files)"
    assert _words(history).short == "shop/.git deleted (9 commits, 2 branches)"
    assert _words(history).shortest == ".git deleted (9 commits)"


def test_records_have_one_noun() -> None:
    fewer = _lost("file", "data/train.csv", "20,000 rows", "2,000 rows", kind="shrunk")
    one = _lost("file", "dump.rdb", "300 keys", "1 key", kind="shrunk")
    none = _lost("file", "a.ipynb", "24 cells", "0 cells", kind="emptied")
    empty = _lost("file", "churn.pkl", "480 kB", "0 B", "git has it", kind="emptied")

    assert _words(fewer).short == "data/train.csv: 20,000 → 2,000 rows"
    assert _words(fewer).shortest == "train.csv: 20,000 → 2,000 rows"
    assert _words(one).short == "dump.rdb: 300 → 1 key"
    assert _words(none).short == "a.ipynb emptied (24 → 0 cells)"
    assert _words(empty).text == "churn.pkl emptied (480 kB), git has it"


def test_a_database_server_is_named() -> None:
    assert _words(_lost("postgres", "var/lib/pg", None, None, "PostgreSQL 15")).short == (
        "PostgreSQL in var/lib/pg deleted (PostgreSQL 15)"
    )


def test_a_resource() -> None:
    words = _words(
        _lost("terraform", "aws_db_instance.main", None, None, "infra/terraform.tfstate")
    )

    assert words.short == "aws_db_instance.main destroyed"
    assert words.text == "aws_db_instance.main destroyed, or removed from infra/terraform.tfstate"


def test_moves() -> None:
    one = Fact("move.moved", "files", "uploads", "uploads", "storage", marks=("180 files",))
    two = Fact("move.moved", "files", "a.pdf", "a.pdf", "docs/a.pdf")

    assert phrase("move", [one]).short == "moved uploads → storage (180 files)"
    assert (
        phrase("move", [one, two]).text
        == "moved uploads → storage (180 files) and a.pdf → docs/a.pdf"
    )
    assert phrase("move", [two]).shortest == "moved a.pdf → docs/a.pdf"


def test_a_volume_of_containers_is_named_instead_of_its_directory() -> None:
    place = "var/lib/docker/volumes/shop_uploads/_data"

    inside = _words(_lost("directory", f"{place}/invoices", "70 files, 89.6 kB"))
    whole = _words(_lost("directory", place, "70 files, 89.6 kB"))

    assert inside.short == "shop_uploads/invoices/ deleted (70 files, 89.6 kB)"
    assert whole.short == "shop_uploads/ deleted (70 files, 89.6 kB)"
    assert whole.shortest == "shop_uploads/ deleted (70 files)"
    assert place in whole.text
