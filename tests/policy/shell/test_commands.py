"""Shell commands: every command that a line would run is found."""

from __future__ import annotations

import pytest

from clew.policy.shell.commands import (
    COMMANDS_KEPT,
    LONGEST_LINE,
    ShellCommand,
    joined_path,
    read_script,
    with_input,
)


def commands(line: str) -> list[str]:
    return [" ".join((one.program, *one.arguments)) for one in read_script(line).commands]


def only(line: str) -> ShellCommand:
    (found,) = read_script(line).commands
    return found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("a; b && c || d | e & f", ["a", "b", "c", "d", "e", "f"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        ("for x in 1 2; do a $x; done", ["for x in 1 2", "a $x"]),
        ("while ! a; do b; done", ["a", "b"]),
        ("{ a; } 2>&1", ["a"]),
        ("sudo -u bob -E a b", ["a b"]),
        ("env -i A=1 B=2 a", ["a"]),
        ("nice -n 5 nohup timeout -s KILL 60 time a b", ["a b"]),
        ("xargs -n1 -I{} a {}", ["a {}"]),
        ("bash -lc 'a; b'", ["a", "b"]),
        ("bash -c \"sh -c 'a b'\"", ["a b"]),
        ("bash ops/a.sh x", ["ops/a.sh x"]),
        ("bash -s <<E\na\nb\nE", ["a", "b"]),
        ("echo 'a b' | sh", ["echo a b", "a b"]),
        ("eval a b", ["a b"]),
        ("su - bob -c 'a b'", ["a b"]),
        ("npx vercel x", ["vercel x"]),
        ("pnpm dlx vercel x", ["vercel x"]),
        ("uv run --with q a b", ["a b"]),
        ("python3 -u -m twine upload x", ["twine upload x"]),
        ("python a.py", ["python a.py"]),
        ("/usr/local/bin/a ./b", ["a ./b"]),
        ("./a ops/b", ["a ops/b"]),
        ("X='a b'; $X c", ["a b c"]),
        ("V=3; a v$V '$V' ${V}", ["a v3 $V 3"]),
        ("V=$(a); b $V", [" ", "b $(a)"]),
        ("sudo", ["sudo"]),
        ("bash", ["bash"]),
        ("A=1", []),
        ("cd a", []),
    ],
)
def test_the_commands_of_a_line_are_found(line: str, found: list[str]) -> None:
    assert commands(line) == [text.strip() and text for text in found]


@pytest.mark.parametrize(
    ("line", "directory"),
    [
        ("cd a && x", "a"),
        ("cd a; cd b/../c; x", "a/c"),
        ("cd a; cd /b; x", "/b"),
        ("cd; x", "~"),
        ("(cd a); x", ""),
        ("(cd a; x)", "a"),
        ("pushd a; popd; x", ""),
        ("cd ./a/; x", "a"),
        ("D=a; cd $D; x", "a"),
        ("cd a; bash -c 'cd b; x'", "a/b"),
        ("bash -c 'cd a'; x", ""),
    ],
)
def test_directories_are_followed(line: str, directory: str) -> None:
    assert only(line).directory == directory


def test_variables_for_a_command_are_kept_with_it() -> None:
    expected = (("A", "1"), ("B", "2"), ("C", "3"))

    assert only("export A=1; B=2 env C=3 x").environment == expected
    assert only("A=1; x").environment == ()


def test_where_a_command_runs_is_remembered() -> None:
    assert only("ssh -p 22 bob@web 'x y'").via == ("ssh bob@web:22",)
    assert only("docker exec -it box x").via == ("docker exec box",)
    assert only("kubectl -n a exec pod -- x").via == ("kubectl -n a exec pod",)
    assert only("ssh web 'docker exec box x'").via == ("ssh web", "docker exec box")
    assert only("ssh web").program == "ssh"


def test_input_and_output_are_told_apart() -> None:
    found = only("a <in >out 2>&1 <<< said")

    assert (found.reads, found.writes, found.given) == (("in",), ("out",), "said")


def test_what_is_said_into_a_pipe_is_told_to_the_command_behind_it() -> None:
    (found,) = with_input(read_script("cat <<E | x\nhi\nE").commands)
    (other,) = with_input(read_script("cat a b | x").commands)

    assert (found.program, found.given) == ("x", "hi\n")
    assert (other.program, other.reads) == ("x", ("a", "b"))


def test_commands_inside_words_are_kept_as_lines() -> None:
    assert only('a "$(b c)" `d` <(e)').inner == ("b c", "d", "e")
    assert only("X=$(b)").inner == ("b",)


@pytest.mark.parametrize(
    "line",
    [
        "a;" * 100_000,
        "a " * 100_000,
        "eval " * 50 + "x",
        "x" * 2_000_000,
        "cd a;" * 100_000,
        "(" * 200_000,
    ],
    ids=lambda line: line[:5],
)
def test_a_line_without_end_is_left_and_said_so(line: str) -> None:
    script = read_script(line)

    assert not script.is_whole
    assert len(script.commands) <= COMMANDS_KEPT


def test_variables_do_not_grow_without_end() -> None:
    nested = "a=xxxxxxxxxx;" + "a=$a$a$a$a;" * 100 + "echo $a"
    repeated = "a=" + "x" * 1_000 + ";echo " + "$a" * 5_000

    assert len(only(nested).arguments[0]) < 10_000
    assert len(only(repeated).arguments[0]) < LONGEST_LINE + len(repeated)


@pytest.mark.parametrize(
    ("directory", "path", "found"),
    [("", "a", "a"), ("a", "b", "a/b"), ("a", "/b", "/b"), ("a", "..", ""), ("a", "../..", "..")],
)
def test_paths_are_joined_by_their_words(directory: str, path: str, found: str) -> None:
    assert joined_path(directory, path) == found
