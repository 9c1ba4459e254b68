"""References and names that mean nothing, too much, or something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import errors, opening
from tests.kit.running import Clew
from tests.kit.walker import differences, look


@pytest.fixture
def history(clew: Clew) -> Clew:
    """Three checkpoints and work that nobody saved."""
    for number in range(3):
        (clew.workspace / "file").write_text(f"{number}")
        clew.save(f"save {number}")
    (clew.workspace / "file").write_text("unsaved")
    return clew


VERBS = (
    ("show",),
    ("restore", "--yes"),
    ("diff",),
    ("ls",),
    ("delete",),
    ("edit", "--intent", "x"),
)
UNKNOWN = (
    "nothing-of-that-name", "0" * 64, "deadbeef", "@~99", "name:nobody", "1999-01-01", "id:0000"
)  # fmt: skip
NONSENSE = (
    "../../x", "/etc/passwd", "", "@~", "@~-1", "@@", "@~1~1", "id:", "id:xyz", "time:soon", "name:",
    "a\nb", "\x1b[31m", "x" * 5000, "@~99999999999999999999", "..", "\udcff",
)  # fmt: skip


@pytest.mark.parametrize("reference", UNKNOWN)
def test_an_unknown_reference_is_refused(history: Clew, reference: str) -> None:
    _check_refused(history, reference, {"unknown-reference"})


@pytest.mark.parametrize("reference", NONSENSE)
def test_a_reference_that_cannot_be_one_is_refused(history: Clew, reference: str) -> None:
    _check_refused(history, reference, {"bad-reference", "unknown-reference"})


def test_an_ambiguous_prefix_lists_the_candidates(clew: Clew) -> None:
    """Ids are made until two begin with the same four digits; of 600, two nearly always do."""
    with opening.open(clew.workspace, store=str(clew.store), create=True) as history:
        seen: dict[str, str] = {}
        for number in range(2000):
            identifier = history.save(f"{number}").checkpoint.id.hex()
            if identifier[:4] in seen:
                break
            seen[identifier[:4]] = identifier
        with pytest.raises(errors.AmbiguousReference) as caught:
            history.show(identifier[:4])
    code, error = clew.error("show", identifier[:4])

    assert caught.value.candidates
    assert (code, error["kind"]) == (2, "ambiguous-reference")
    assert identifier[:8] in error["message"]
    assert error["hint"]


@pytest.mark.parametrize(
    "name",
    ["latest", "here", "good", "@", "@~1", "10:27", "2026-11-15", "2026-11-15T10:27", "deadbeef",
     "0" * 64, "id:x", "name:x", "time:10:27", "checkpoint-7", "", " ", "-x", "a\nb", "\x1b[1m",
     "x" * 500],
)  # fmt: skip
def test_a_name_that_reads_as_something_else_is_refused(history: Clew, name: str) -> None:
    before = history.ids()
    code, error = history.error("save", "x", f"--name={name}")
    edited = history.run("edit", "@", f"--name={name}")

    assert code == 2
    assert error["kind"] in ("bad-name", "usage", "bad-option")
    assert edited.code == 2
    assert history.ids() == before


@pytest.mark.parametrize("verb", ["restore", "cat", "ls", "diff", "log"])
@pytest.mark.parametrize("path", ["/etc/passwd", "../outside", "a/../../outside"])
def test_a_path_outside_the_workspace_is_refused(history: Clew, verb: str, path: str) -> None:
    arguments = {
        "restore": ["restore", "@", path, "--yes"],
        "cat": ["cat", "@", path],
        "ls": ["ls", "@", path],
        "diff": ["diff", "@", "--", path],
        "log": ["log", "--path", path],
    }
    before = look(history.workspace)
    code, error = history.error(*arguments[verb])

    assert (code, error["kind"]) == (2, "outside-workspace")
    assert differences(before, look(history.workspace)) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"], ["save", "a", "b", "c"], ["save", "--no-such-option"], ["log", "-n", "x"],
        ["log", "-n", "-3"], ["restore"], ["undo", "zero"], ["undo", "0"], ["undo", "-1"],
        ["prune", "--max-bytes", "lots"], ["prune", "--keep-within", "soon"],
        ["save", "--meta", "novalue"], ["config", "no.such.key", "1"], ["log", "--since", "soon"],
        ["log", "--verdict", "maybe"], ["good", "@"], ["save", "--check"], ["save", "--verify", ""],
        ["save", "--timeout", "5s"], ["save", "--verify", "true", "--timeout", "soon"],
        ["config", "set", "verify", ""], ["config", "set", "verify", "PASSWORD=hunter22 make"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_command_line_that_makes_no_sense_is_refused(history: Clew, arguments: list[str]) -> None:
    before, ids = look(history.workspace), history.ids()
    ran = history.run(*arguments)

    assert ran.code == 2, ran.out + ran.err
    assert 1 <= len(ran.talk) <= 3, ran.err
    assert differences(before, look(history.workspace)) == []
    assert history.ids() == ids


def test_commands_outside_any_workspace_say_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    clew = Clew(tmp_path / "project", tmp_path / "store")
    for verb in ("log", "status", "undo", "gc", "stats"):
        code, error = clew.error(verb)

        assert code == 2, verb
        assert error["hint"], verb
    assert not (tmp_path / "project").joinpath(".clew").exists()


def _check_refused(clew: Clew, reference: str, kinds: set[str]) -> None:
    before, ids = look(clew.workspace), clew.ids()
    for verb, *options in VERBS:
        code, error = clew.error(verb, reference, *options)

        assert code == 2, f"{verb}: {error}"
        assert error["kind"] in kinds, verb
        assert "\n" not in error["message"], verb
        assert error["hint"], verb
    said = clew.run("show", reference)
    assert len(said.talk) <= 2, said.err
    assert not set(said.err) & {"\x1b", "\x07"}
    assert differences(before, look(clew.workspace)) == []
    assert clew.ids() == ids
