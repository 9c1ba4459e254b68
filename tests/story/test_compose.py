"""Every changed path is in exactly one line of the story, whatever detectors claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import given
from hypothesis import strategies as st

from clew.detectors.detector import Detector, Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.registry import SORTERS
from clew.model.fact import Fact, Severity
from clew.model.story import HEADLINE_LIMIT, Story
from tests.kit.moments import Moment, evidence, story

_NAMES = st.sampled_from(["a", "b", "c", "src", "x.py", "node_modules"])
_PATHS = st.lists(_NAMES, min_size=1, max_size=3).map("/".join)
_MOMENTS = st.dictionaries(_PATHS, st.binary(max_size=2)).map(
    lambda moment: {
        path: content
        for path, content in moment.items()
        if not any(other.startswith(path + "/") for other in moment)
    }
)


class Claimer:
    """Claims the given paths, including unchanged ones."""

    version = 1
    kinds = ("package.added", "config.changed")
    watch = WatchedPaths(everything=True)

    def __init__(self, name: str, claims: Sequence[str], text: str = "") -> None:
        self.name = name
        self._claims = claims
        self._text = text

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        fact = Fact("package.added", "apt", self.name, after="1")
        yield Finding(() if self._text else (fact,), self._claims, self._text)


def _placed(told: Story) -> list[str]:
    return sorted(path for line in told.lines for path in line.paths)


@given(
    old=_MOMENTS,
    new=_MOMENTS,
    claims=st.lists(st.lists(_PATHS, max_size=6), max_size=3),
    text=st.sampled_from(["", "bookkeeping"]),
)
def test_every_changed_path_is_in_exactly_one_line(
    old: Moment, new: Moment, claims: list[list[str]], text: str
) -> None:
    detectors: list[Detector] = [
        Claimer(f"claimer {number}", paths, text) for number, paths in enumerate(claims)
    ]

    told = story(detectors, old, new)

    assert _placed(told) == sorted(evidence(old, new).changes)
    assert all(len(line.paths) == line.path_count for line in told.lines)


def test_the_first_to_explain_a_path_has_it() -> None:
    told = story(
        [Claimer("first", ["a"]), Claimer("second", ["a", "b"], "rest")], {}, {"a": b"", "b": b""}
    )

    assert [(line.text, line.paths) for line in told.lines] == [
        ("installed first 1 (apt)", ("a",)),
        ("rest", ("b",)),
    ]


def test_a_new_directory_goes_with_what_is_in_it() -> None:
    told = story(
        [Claimer("x", ["web/node_modules/y/index.js"])], {}, {"web/node_modules/y/index.js": b""}
    )

    assert [line.path_count for line in told.lines] == [4]


def test_nothing_changed_is_said_so() -> None:
    assert story([], {"a": b"1"}, {"a": b"1"}).headline == "nothing changed"


class Warner:
    """Warns of one file."""

    name = "warner"
    version = 1
    kinds = ("security.setuid",)
    watch = WatchedPaths(names=("tool",))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        for change in changes:
            fact = Fact("security.setuid", "setuid", change.path, severity=Severity.HIGH)
            yield Finding((fact,), (change.path,))


def test_warnings_come_first_and_begin_the_headline() -> None:
    told = story([Claimer("nginx", ["a"]), Warner()], {}, {"a": b"", "bin/tool": b""})

    first, second = told.headline.split("; ")
    assert first.startswith("! ")
    assert "bin/tool" in first
    assert second.startswith("installed nginx")
    assert told.lines[0].heading == "Warnings"
    assert told.facts[0].kind == "security.setuid"


def test_the_headline_is_never_too_long() -> None:
    detectors: list[Detector] = [Claimer("p" * 200, ["a"]), Warner()]

    told = story(detectors, {}, {"a": b"", "bin/" + "d" * 150 + "/tool": b""})

    assert len(told.headline) <= HEADLINE_LIMIT


def test_the_same_changes_give_the_same_words() -> None:
    new = {f"{name}/{number}": b"x" for name in "cab" for number in range(9)}

    assert story([Claimer("x", ["c/1"])], {}, new) == story([Claimer("x", ["c/1"])], {}, new)


class Failing:
    """Fails, like a detector without time."""

    name = "git"
    version = 1
    kinds = ("git.commit",)
    watch = WatchedPaths(directories=(".git",))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        if changes:
            raise RuntimeError
        yield Finding(())


def test_the_files_of_git_are_bookkeeping_if_its_detector_fails() -> None:
    old = {".git/index": b"1", "web/.git/logs/HEAD": b"1", "a.py": b"x = 1\n"}
    new = {
        ".git/index": b"2",
        ".git/COMMIT_EDITMSG": b"wip\n",
        "web/.git/logs/HEAD": b"1\n2",
        "web/.git/config": b"[core]\n",
        "a.py": b"x = 2\n",
    }

    told = story([Failing()], old, new, list(SORTERS))

    assert ".git" not in told.headline
    assert "git bookkeeping" in [line.text for line in told.lines]
    assert _placed(told) == sorted(evidence(old, new).changes)


def test_a_file_that_only_looks_like_git_is_told() -> None:
    told = story([], {}, {".github/workflows/ci.yml": b"", "x.git/y": b"", ".gitignore": b""})

    assert "git bookkeeping" not in [line.text for line in told.lines]


class Reporter:
    """Reports one fact, and claims nothing."""

    name = "reporter"
    version = 1
    kinds = ("config.changed",)
    watch = WatchedPaths(everything=True)

    def __init__(self, fact: Fact) -> None:
        self._fact = fact

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield Finding((self._fact,))


TOKEN = "ghp_" + "a1B2c3D4" * 5


def test_a_name_that_holds_a_token_is_told_without_it() -> None:
    fact = Fact("config.changed", f"json:{TOKEN}.json", f"k_{TOKEN}", TOKEN, "1", evidence=(TOKEN,))
    told = story([Reporter(fact)], {}, {f"dumps/{TOKEN}.json": b"1", f"{TOKEN}/a": b"", "x": b""})

    # the paths of a line are needed to act, and are redacted where they are shown
    assert TOKEN not in repr(told.without_paths())
    assert "k_[redacted]" in {fact.subject for fact in told.facts}


def test_a_value_that_is_a_command_is_told_without_its_secret() -> None:
    fact = Fact("config.changed", "cron", "job", after="curl -u anna:Hafen331 https://x.example")
    told = story([Reporter(fact)], {}, {"x": b""})

    assert "Hafen331" not in repr(told)
    assert "curl -u anna:[redacted]" in repr(told)


def test_names_of_settings_are_told_as_they_are() -> None:
    facts = [Fact("config.changed", ".env", name, "8", "9") for name in ("API_TOKEN", "PASSWORD")]
    told = story([Reporter(fact) for fact in facts], {}, {"x": b""})

    assert {fact.subject for fact in told.facts if fact.kind == "config.changed"} == {
        "API_TOKEN",
        "PASSWORD",
    }


def test_a_file_that_nobody_knows_is_told_with_its_size() -> None:
    old = {"logo.raw": bytes(9_000), "tiny.raw": b"1"}
    new = {"logo.raw": bytes(7_000), "tiny.raw": b"2"}

    told = [line.text for line in story([], old, new).lines]

    assert told == ["logo.raw changed (9.0 kB → 7.0 kB)", "tiny.raw changed"]
