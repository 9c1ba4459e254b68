from __future__ import annotations

from collections.abc import Iterator

import pytest

from clew.detectors.files.logs import Logs, base_of
from tests.kit.moments import MemoryTree, Moment, evidence, facts, file, findings, story

CANARY = "canary-7f3a"


def _marks(old: Moment, new: Moment) -> dict[str, tuple[str, ...]]:
    return {fact.subject: fact.marks for fact in facts(Logs(), old, new)}


def test_a_log_that_grew_says_by_how_many_lines() -> None:
    (fact,) = facts(Logs(), {"app.log": b"a\n"}, {"app.log": b"a\n" + b"b\n" * 1_204})

    assert fact.identity == ("log.grew", "log", "app.log")
    assert (fact.before, fact.after) == ("2", "2410")
    assert fact.marks == ("1,204 more lines",)


@pytest.mark.parametrize(
    ("old", "new", "mark"),
    [
        (None, b"a\nb\n", "new, 2 lines"),
        (b"a\n", b"a\nb\n", "1 more line"),
        (b"a\n", b"a\nunfinished", "10 more bytes"),
        (b"a\nb\n", b"x\nb\nc\n", "rewritten"),
        (b"a\nb\n", b"a\n", "cut short"),
        (b"a\nb\n", b"", "emptied"),
        (b"a\n", None, "removed"),
        (b"\0\1\n", b"\0\1\n\n\n", "2 more bytes"),
    ],
)
def test_what_happened_to_a_log(old: bytes | None, new: bytes | None, mark: str) -> None:
    before = {} if old is None else {"x.log": old}
    after = {} if new is None else {"x.log": new}

    assert _marks(before, after) == {"x.log": (mark,)}


def test_rotated_copies_belong_to_their_log() -> None:
    old = {"var/log/app.log": b"a\n", "var/log/app.log.1": b"0\n", "var/log/syslog": b"a\n"}
    new = {
        "var/log/app.log": b"",
        "var/log/app.log.1": b"a\n",
        "var/log/app.log.2.gz": b"\x1f\x8b",
        "var/log/syslog": b"a\nb\n",
    }

    assert _marks(old, new) == {
        "var/log/app.log": ("rotated",),
        "var/log/syslog": ("1 more line",),
    }
    claims = [path for one in findings(Logs(), evidence(old, new)) for path in one.claims]
    assert sorted(claims) == sorted(new)


@pytest.mark.parametrize(
    ("path", "base"),
    [
        ("a/x.log.1", "a/x.log"),
        ("a/x.log.10.gz", "a/x.log"),
        ("var/log/dpkg.log-20240102.xz", "var/log/dpkg.log"),
        ("var/log/syslog.1", "var/log/syslog"),
        ("a/x.log-2024-01-02", "a/x.log"),
        ("a/x.log", "a/x.log"),
        ("a.b/x", "a.b/x"),
    ],
)
def test_the_log_of_a_copy(path: str, base: str) -> None:
    assert base_of(path) == base


@pytest.mark.parametrize(
    "path",
    [
        "x.log", "var/log/apt/history.log", "var/log/journal/x/system.journal", "nohup.out",
        "web/logs/access", "web/logs/2024.txt", "log/dev.log.3", "a/run.out", "logs/x.jsonl",
    ],
)  # fmt: skip
def test_logs_are_known_by_name_and_place(path: str) -> None:
    assert list(_marks({}, {path: b"a\n"})) == [base_of(path)]


@pytest.mark.parametrize(
    "path",
    ["src/log/logger.py", "src/logs/index.ts", "changelog", "catalog.json", "var/log/wtmp", "blog"],
)
def test_what_only_sounds_like_a_log_is_left_alone(path: str) -> None:
    assert _marks({}, {path: b"a\n"}) == {}


def test_history_is_one_line_without_a_word_of_it() -> None:
    old = {"home/al/.bash_history": b"ls\n"}
    new = {"home/al/.bash_history": b"ls\nexport T=" + CANARY.encode() + b"\n"}

    result = story([], old, new, [Logs()])

    assert [(line.text, line.paths) for line in result.lines] == [
        ("shell history grew", ("home/al/.bash_history",))
    ]
    assert result.facts == ()
    assert CANARY not in repr(result)


def test_history_that_was_shortened_did_not_grow() -> None:
    result = story([], {".bash_history": b"ls\ncd\n"}, {".bash_history": b"ls\n"}, [Logs()])

    assert [line.text for line in result.lines] == ["shell history shortened or deleted"]


def test_the_content_of_a_log_is_nowhere() -> None:
    result = story([], {"a.log": b"x\n"}, {"a.log": b"x\n" + CANARY.encode() + b"\n"}, [Logs()])

    assert CANARY not in repr(result)
    assert result.headline == "only logs and caches changed (1 file)"


def test_a_log_that_is_too_large_is_not_read() -> None:
    class Watched(MemoryTree):
        def pieces(self, path: str) -> Iterator[bytes]:
            raise AssertionError(path)

    found = evidence({"a.log": file(b"", size=1)}, {"a.log": file(b"x", size=65 << 20)})
    found.new = Watched({})

    (one,) = findings(Logs(), found)

    assert one.facts[0].marks == ("68,157,439 more bytes",)


def test_pieces_need_not_be_cut_alike() -> None:
    class Cut(MemoryTree):
        def __init__(self, moment: Moment, size: int) -> None:
            super().__init__(moment)
            self.size = size

        def pieces(self, path: str) -> Iterator[bytes]:
            content = self.things[path].content
            for at in range(0, len(content), self.size):
                yield content[at : at + self.size]

    old, new = {"a.log": b"line\n" * 20}, {"a.log": b"line\n" * 33}
    for sizes in ((3, 7), (7, 3), (100, 1), (1, 100)):
        found = evidence(old, new)
        found.old, found.new = Cut(old, sizes[0]), Cut(new, sizes[1])

        assert findings(Logs(), found)[0].facts[0].marks == ("13 more lines",)


def test_deleted_logs_are_counted() -> None:
    old = {f"logs/access-2024-06-{day:02}.log": b"GET\n" * day for day in range(1, 31)}

    told = story([], old, dict(list(old.items())[16:]), [Logs()])

    assert told.lines[0].text.startswith("16 logs deleted: logs/access-2024-06-01.log, ")


def test_deleted_copies_of_a_log_are_counted() -> None:
    old = {"app.log": b"GET\n", **{f"app.log.{number}.gz": b"\x1f\x8b" for number in range(1, 6)}}

    told = story([], old, {"app.log": b"GET\n"}, [Logs()])

    assert told.lines[0].text == "log changed: app.log (5 old copies removed)"
