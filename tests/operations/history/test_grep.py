"""Grep: a pattern in the contents of files, over all checkpoints."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from clew.errors import BadOption
from clew.model.grep_results import GrepHit, GrepResult
from clew.monitor import Monitor
from clew.operations.history.grep import WINDOW, GrepOptions, grep, windows
from clew.workspace import Workspace

TOKEN = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"


def write(project: Path, name: str, text: str | bytes) -> None:
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).write_bytes(text if isinstance(text, bytes) else text.encode())


def save(ws: Workspace, intent: str) -> None:
    ws.save(intent)


def found(result: GrepResult) -> list[tuple[str, int, str]]:
    return [(hit.path.decode(), hit.number, hit.line.text) for hit in result.hits]


def held(hit: GrepHit) -> tuple[str, str, int, bool]:
    one = hit.lifetime
    return one.first.labels.intent, one.last.labels.intent, one.held, one.is_current


def searched(ws: Workspace, options: GrepOptions) -> GrepResult:
    """Search with options that the command line does not have."""
    with ws.reading_context() as context:
        newest_first = list(context.store.checkpoints.newest_first(context.workspace))
        return grep(context, newest_first[::-1], options, Monitor())


def test_a_line_is_listed_once_with_the_checkpoints_that_hold_it(
    ws: Workspace, project: Path
) -> None:
    write(project, "app.py", "debug = True\n")
    save(ws, "one")
    write(project, "app.py", "import os\ndebug = True\nother = 1\n")
    save(ws, "two")
    write(project, "app.py", "import os\ndebug = False\n")
    save(ws, "three")

    gone, here = ws.grep(r"debug = (True|False)").hits

    assert (gone.line.text, gone.number, held(gone)) == (
        "debug = True",
        2,
        ("one", "two", 2, False),
    )
    assert (here.line.text, here.number, held(here)) == (
        "debug = False",
        2,
        ("three", "three", 1, True),
    )
    assert here.line.spans == ((0, 13),)


def test_a_line_that_was_gone_for_a_time_says_so(ws: Workspace, project: Path) -> None:
    for intent, text in (("one", "x = 1\n"), ("two", "y\n"), ("three", "x = 1\n"), ("four", "y\n")):
        write(project, "f", text)
        save(ws, intent)

    [hit] = ws.grep("x = 1").hits

    assert held(hit) == ("one", "three", 2, False)
    assert hit.lifetime.between == 3


def test_still_there_means_the_current_checkpoint_also_after_a_restore(
    ws: Workspace, project: Path
) -> None:
    write(project, "f", "old\n")
    save(ws, "one")
    write(project, "f", "new\n")
    save(ws, "two")
    ws.restore("@~1")

    result = ws.grep("old|new")

    assert {hit.line.text: hit.lifetime.is_current for hit in result.hits} == {
        "old": True,
        "new": False,
    }


def test_each_content_is_read_once(ws: Workspace, project: Path) -> None:
    write(project, "a", "same\n")
    write(project, "b", "same\n")
    save(ws, "one")
    for number in range(3):
        write(project, "c", f"{number}\n")
        save(ws, str(number))

    result = ws.grep("same")

    assert (result.checkpoints, result.contents) == (4, 4)
    assert [hit.path for hit in result.hits] == [b"a", b"b"]


def test_a_deleted_directory_ends_the_life_of_its_lines(ws: Workspace, project: Path) -> None:
    write(project, "src/deep/app.py", "needle\n")
    save(ws, "one")
    shutil.rmtree(project / "src")
    save(ws, "two")

    [hit] = ws.grep("needle").hits

    assert held(hit) == ("one", "one", 1, False)


def test_a_file_that_became_a_directory_and_back(ws: Workspace, project: Path) -> None:
    write(project, "thing", "needle\n")
    save(ws, "one")
    (project / "thing").unlink()
    write(project, "thing/inner", "needle\n")
    save(ws, "two")

    outer, inner = ws.grep("needle").hits

    assert (outer.path, held(outer)) == (b"thing", ("one", "one", 1, False))
    assert (inner.path, held(inner)) == (b"thing/inner", ("two", "two", 1, True))


def test_one_checkpoint_is_searched_alone(ws: Workspace, project: Path) -> None:
    write(project, "f", "one\n")
    save(ws, "one")
    write(project, "f", "two\n")
    save(ws, "two")

    assert found(ws.grep("one|two", at="@~1")) == [("f", 1, "one")]


def test_paths_limit_the_search(ws: Workspace, project: Path) -> None:
    for name in ("src/a.py", "src/b.py", "srcs/c.py", "d.py"):
        write(project, name, "needle\n")
    save(ws, "one")

    def paths(*given: str) -> list[bytes]:
        return [hit.path for hit in ws.grep("needle", paths=[str(project / p) for p in given]).hits]

    assert paths("src") == [b"src/a.py", b"src/b.py"]
    assert paths("src/b.py", "d.py") == [b"d.py", b"src/b.py"]
    assert paths("nothing") == []


def test_fixed_text_case_and_files_only(ws: Workspace, project: Path) -> None:
    write(project, "f", "a.c\nabc\nA.C\n")
    save(ws, "one")

    assert found(ws.grep("a.c")) == [("f", 1, "a.c"), ("f", 2, "abc")]
    assert found(ws.grep("a.c", fixed=True)) == [("f", 1, "a.c")]
    assert found(ws.grep("a.c", fixed=True, ignore_case=True)) == [("f", 1, "a.c"), ("f", 3, "A.C")]
    assert found(ws.grep("a.c", only_files=True)) == [("f", 0, "")]


def test_generated_directories_are_left_out_and_named(ws: Workspace, project: Path) -> None:
    for name in (
        "web/node_modules/x/i.js", "app/__pycache__/a.py", "venv/lib/a.py", ".git/config",
        "build/out.txt", "lib.egg-info/top.txt", "env/mine.txt", "app/build.py",
    ):  # fmt: skip
        write(project, name, "needle\n")
    write(project, "venv/pyvenv.cfg", "home = /usr\n")
    write(project, "pyproject.toml", "[project]\n")
    save(ws, "one")

    result = ws.grep("needle")

    assert [hit.path for hit in result.hits] == [b"app/build.py", b"env/mine.txt"]
    assert result.skipped == (
        b".git", b"app/__pycache__", b"build", b"lib.egg-info", b"venv", b"web/node_modules",
    )  # fmt: skip
    everything = ws.grep("needle", generated=True)
    assert (len(everything.hits), everything.skipped) == (8, ())
    named = ws.grep("needle", paths=[str(project / "web/node_modules/x")])
    assert [hit.path for hit in named.hits] == [b"web/node_modules/x/i.js"]


def test_a_binary_file_matches_without_its_bytes(ws: Workspace, project: Path) -> None:
    write(project, "data.bin", b"\0\1needle\n\xff\nneedle")
    save(ws, "one")

    [hit] = ws.grep("needle").hits

    assert (hit.is_binary, hit.number, hit.line.text) == (True, 0, "")


def test_secrets_in_hits_are_redacted_unless_asked_for(ws: Workspace, project: Path) -> None:
    write(project, ".env", f"API_KEY={TOKEN}\nDEBUG=1\n")
    write(
        project, "key.txt", "-----BEGIN PRIVATE KEY-----\nMIIneedleQ\n-----END PRIVATE KEY-----\n"
    )
    save(ws, "one")

    [env] = ws.grep("API_KEY").hits
    [key] = ws.grep("needle").hits

    assert (env.line.text, env.is_redacted) == ("API_KEY=[redacted]", True)
    assert env.line.spans == ((0, 7),)
    assert "needle" not in key.line.text
    assert [hit.line.text for hit in ws.grep(TOKEN[:9]).hits] == ["API_KEY=[redacted]"]
    assert found(ws.grep("API_KEY", reveal=True)) == [(".env", 1, f"API_KEY={TOKEN}")]


def test_windows_line_ends_and_bytes_that_are_not_utf_8(ws: Workspace, project: Path) -> None:
    write(project, "f", b"end\r\n\xff needle \xfe\r\n")
    save(ws, "one")

    assert [hit.number for hit in ws.grep("^end$").hits] == [1]
    assert found(ws.grep("needle")) == [("f", 2, "\udcff needle \udcfe\r")]


@pytest.mark.parametrize(("pattern", "numbers"), [("^$", [2]), ("z*", [1, 2]), ("last", [3])])
def test_an_empty_line_is_a_line_and_the_end_of_a_file_is_none(
    ws: Workspace, project: Path, pattern: str, numbers: Sequence[int]
) -> None:
    write(project, "f", "first\n\n" if pattern != "last" else "first\n\nlast")
    save(ws, "one")

    assert [hit.number for hit in ws.grep(pattern).hits] == numbers


def test_a_large_file_is_searched_in_parts_with_the_right_line_numbers(
    ws: Workspace, project: Path
) -> None:
    lines = [f"line {number} {'x' * 90}" for number in range(30_000)]
    lines[25_000] += " needle"
    write(project, "log", "\n".join(lines))
    save(ws, "one")

    [hit] = ws.grep("needle").hits

    assert hit.number == 25_001
    start, end = hit.line.spans[0]
    assert hit.line.text[start:end] == "needle"


def test_a_line_longer_than_a_part_is_cut_and_its_excerpt_surrounds_the_match(
    ws: Workspace, project: Path
) -> None:
    write(project, "one-line.js", "y" * (WINDOW + 5_000) + " needle " + "y" * 5_000)
    save(ws, "one")

    [hit] = ws.grep("needle").hits

    assert hit.number == 1
    assert len(hit.line.text) <= 2_000


def test_parts_of_a_content_are_whole_lines() -> None:
    content = b"".join(b"%d\n" % number for number in range(400_000))
    pieces = [content[at : at + 100_003] for at in range(0, len(content), 100_003)]

    parts = list(windows(pieces))

    assert b"\n".join(text for _, text in parts) + b"\n" == content
    assert len(parts) > 2
    for number, text in parts:
        assert text.startswith(b"%d\n" % number)


def test_a_pattern_that_never_ends_is_stopped_and_the_rest_is_searched(
    ws: Workspace, project: Path
) -> None:
    write(project, "bad.txt", "a" * 60 + "c\n")
    write(project, "good.txt", "aab\n")
    save(ws, "one")

    result = searched(ws, GrepOptions("(a+)+b", seconds=0.2))

    assert [hit.path for hit in result.hits] == [b"good.txt"]
    assert result.notes == ("The pattern takes too long in bad.txt",)


def test_a_pattern_that_is_too_slow_everywhere_gives_up(ws: Workspace, project: Path) -> None:
    for number in range(8):
        write(project, f"bad{number}.txt", "a" * 60 + f"c{number}\n")
    save(ws, "one")

    result = searched(ws, GrepOptions("(a+)+b", seconds=0.1))

    assert "3 contents not searched: it takes too long" in result.notes


@pytest.mark.parametrize("pattern", ["", "((", "*", "(?P<a", "a{99999999999}"])
def test_a_pattern_that_is_none_is_refused(ws: Workspace, pattern: str) -> None:
    with pytest.raises(BadOption):
        ws.grep(pattern)


def test_a_limit_counts_the_rest(ws: Workspace, project: Path) -> None:
    write(project, "f", "".join(f"needle {number}\n" for number in range(10)))
    save(ws, "one")

    result = ws.grep("needle", limit=3)

    assert [hit.number for hit in result.hits] == [1, 2, 3]
    assert result.more == 7


def test_nothing_is_found_before_the_first_save(ws: Workspace) -> None:
    result = ws.grep("x")

    assert (result.hits, result.checkpoints) == ((), 0)
