"""Shell lexer: splits a command line as a shell does."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.policy.shell.words import Redirection, ShellWord, shell_tokens


def shown(text: str) -> list[str]:
    """Return the tokens of a line, redirections with their sign first."""
    found = []
    for token in shell_tokens(text):
        if isinstance(token, Redirection):
            found.append(f"{token.sign}{token.target}" + (f":{token.body}" if token.body else ""))
        else:
            found.append(str(token))
    return found


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        ("git push  origin\tmain", ["git", "push", "origin", "main"]),
        ("a'b c'\"d e\"f\\ g", ["ab cd ef g"]),
        ("''", [""]),
        ("a \\\n b", ["a", "b"]),
        ('"a\\"b\\$c\\d"', ['a"b$c\\d']),
        ("'a\\'", ["a\\"]),
        (r"$'a\nb\'c'", ["a\nb'c"]),
        ("a&&b||c;d|e&", ["a", "&&", "b", "||", "c", ";", "d", "|", "e", "&"]),
        ("(a)", ["(", "a", ")"]),
        ("a # b; c\nd", ["a", "\n", "d"]),
        ("a#b", ["a#b"]),
        ("a>b 2>&1 <c >>d &>e", ["a", ">b", ">&1", "<c", ">>d", ">e"]),
        ("a2>b", ["a2", ">b"]),
        ("a <<< 'b c'", ["a", "<<<b c"]),
        ("a <<E | b\n1\n2\nE\nc", ["a", "<<E:1\n2\n", "|", "b", "\n", "\n", "c"]),
        ("a <<-E\n\t1\n\tE\nc", ["a", "<<E:\t1\n", "\n", "\n", "c"]),
        ("a <<'E'\nit's $(x\nE\nc", ["a", "<<E:it's $(x\n", "\n", "\n", "c"]),
        ("a <<E\nE \nEE\nnever", ["a", "<<E:E \nEE\nnever", "\n"]),
        ("a $(b $(c) ')') d", ["a", "$(b $(c) ')')", "d"]),
        ("a `b \\` c` d", ["a", "$(b \\` c)", "d"]),
        ("a <(b c)", ["a", "$(b c)"]),
        ("$x ${y} \"$z\" '$w' $", ["$x", "$y", "$z", "$w", "$"]),
        ("\"$(cat <<'E'\nDon't (\nE\n)\" b", ["$(cat <<'E'\nDon't (\nE\n)", "b"]),
        ("echo $((1<<2)) b", ["echo", "$((1<<2))", "b"]),
        ("a\u00a0b", ["a", "b"]),
        ("a 'never closed", ["a", "never closed"]),
        ("a $(never closed", ["a", "$(never closed)"]),
        ("", []),
    ],
)
def test_lines_are_cut(line: str, tokens: list[str]) -> None:
    assert shown(line) == tokens


def test_quoting_hides_keywords_and_single_quotes_hide_variables() -> None:
    bare, quoted, alive, dead = (word for word in shell_tokens("if 'if' $x '$x'") if word)

    assert isinstance(bare, ShellWord)
    assert isinstance(quoted, ShellWord)
    assert isinstance(alive, ShellWord)
    assert isinstance(dead, ShellWord)
    assert (bare.is_bare, quoted.is_bare) == (True, False)
    assert (alive.pieces[0].kind, dead.pieces[0].kind) == ("variable", "text")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@settings(derandomize=True, max_examples=40)
@given(line=st.text("ab '\"\\\t", max_size=20))
def test_words_are_cut_as_bash_cuts_them(line: str) -> None:
    script = f"printf '%s\\0' x {line}"
    bash = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    if bash.returncode or bash.stderr:  # an open quote
        return

    assert [str(token) for token in shell_tokens(f"x {line}")] == bash.stdout.split("\0")[:-1]


@settings(derandomize=True, max_examples=300)
@given(line=st.text("ab '\"\\$(){}`|&;<>\n=-#E", max_size=60))
def test_no_character_is_read_twice(line: str) -> None:
    assert sum(len(text) for text in shown(line)) <= 4 * len(line)


@pytest.mark.parametrize(
    "piece", ["$(", "`", "'", '"', "\\", "<<a ", "<<a\na\n", "((", "${", "$'", "<(", "\n", "a;"]
)
def test_a_long_line_has_no_more_tokens_than_characters(piece: str) -> None:
    line = piece * (200_000 // len(piece))

    assert sum(1 for _ in shell_tokens(line)) <= len(line)
