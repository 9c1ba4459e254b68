"""Read-only tools: every call that is not known to be read-only may change files."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from clew.policy.shell.tool_kinds import may_destroy
from clew.policy.shell.words import ShellWord, shell_tokens


def destroys(line: str, tool: str = "Bash") -> bool:
    return may_destroy(tool, {"command": line})


@pytest.mark.parametrize("tool", ["Read", "Grep", "Glob", "TodoWrite", "read_file", "list", "LS"])
def test_tools_that_read_are_known(tool: str) -> None:
    assert not may_destroy(tool, {"file_path": "/w/a"})


@pytest.mark.parametrize(
    "tool", ["Write", "Edit", "apply_patch", "mcp__files__read", "Reader", "", "BrandNew", "kill"]
)
def test_tools_that_nobody_knows_may_destroy(tool: str) -> None:
    assert may_destroy(tool, {"path": "/w/a"})
    assert may_destroy(tool, None)


@pytest.mark.parametrize("tool", ["mcp__x__bash", "mcp__box__exec", "my_shell", "command"])
def test_a_strangers_shell_may_do_more_than_its_line_says(tool: str) -> None:
    assert destroys("ls", tool)


@pytest.mark.parametrize("arguments", [None, {}, {"command": 7}, {"command": None}, [], "rm x", 7])
def test_a_shell_that_is_given_something_else_may_destroy(arguments: object) -> None:
    assert may_destroy("Bash", arguments)


@pytest.mark.parametrize(
    "line",
    [
        "ls",
        "ls -la src && git status",
        "cd web; cat package.json | head -20",
        "/usr/bin/grep -rn 'rm -rf' . 2>/dev/null | wc -l",
        "grep -c '>' a.txt 2>&1",
        "git log --oneline -5 --graph",
        "git diff HEAD~1 -- src | cat",
        "echo \"$HOME is $?\"",
        "tr a b < in.txt",
        "cut -c1 <<< text",
        "env",
        "date +%s && date -u",
        "file a.png; tree -L 2 src; ss -ltn; hostname",
        "[ -f a ] && echo yes || echo no",
        "sleep 1 & ps aux",
        "",
        "# only a comment",
    ],
)  # fmt: skip
def test_lines_that_only_read_need_no_look(line: str) -> None:
    assert not destroys(line)
    assert not destroys(line, "run_shell_command")


@pytest.mark.parametrize(
    "line",
    [
        "rm x", "ls; rm x", "ls\nrm x", "ls & rm x", "true && rm x", "ls || rm x", "ls | xargs rm",
        "> f", ">f", "ls > f", "ls >> f", "ls >| f", "ls &> f", "ls >& f", "ls 2> f", "cd x > f",
        "ls <> f", "exit 0 > f", "echo x | tee f", "printf x > f", "cat < a > b", "ls 1>$F",
        "echo $(rm x)", "echo `rm x`", 'echo "$(rm x)"', 'echo "`rm x`"', "cat <(rm x)",
        "cat < <(rm x)", "ls >(tee f)", "echo ${x:=$(rm)}", "echo ${x:-`rm`}", "echo $((x=1))",
        "cat <<E\n$(rm x)\nE", "cat <<< $(rm x)", "echo ${x@P}",
        "env rm x", "env -i A=1 rm x", "command rm x", "exec rm x", "eval rm x", "time rm x",
        "nohup rm x", "timeout 5 rm x", "sudo rm x", "sudo ls", "xargs rm", "bash -c 'rm x'",
        "sh -c 'ls'", "bash x.sh", "python -c pass", ". ./x", "source x", "! rm x", "{ rm x; }",
        "(rm x)", "if ls; then rm x; fi", "for f in *; do rm $f; done", "ls() { rm x; }; ls",
        "coproc rm x", "alias ls=rm; ls x", "trap 'rm x' EXIT", "set -- x", "$CMD x", "r''m x",
        "r\\m x", '"rm" x', "/bin/rm x", "./ls", "bin/ls", "./bin/ls", "~/bin/ls", "/tmp/bin/ls",
        "A=1 ls", "PATH=.:$PATH ls", "PATH=.; ls", "export PATH=.; ls", "LD_PRELOAD=./x.so ls",
        "GIT_EXTERNAL_DIFF=./x git diff", "GIT_PAGER=./x git log",
        "find . -delete", "find . -exec rm {} +", "sed -i s/a/b/ f", "sed -n w/f", "awk 1 f",
        "sort -o f f", "uniq a b", "touch f", "cp a b", "mv a b", "dd if=a of=b", "truncate -s0 f",
        "git", "git checkout .", "git clean -fdx", "git stash", "git reset --hard", "git branch -D a",
        "git -c alias.status='!rm x' status", "git -C x status", "git -c core.pager=x log",
        "git diff --output=f", "git diff --output f", "git log --outpu=f", "git show -of",
        "git diff --ext-diff", "git --exec-path=. status",
        "tree -o f", "tree -ao f", "tree -R -H . -L 1", "date -s 12:00", "date --set=12:00",
        "date -us 12:00", "date 01011200", "hostname new", "hostname -F f", "file -C -m x",
        "file --compile", "ss -K dst 1.2.3.4", "ss --kill", "ss -tD f", "ss --diag=f",
        "rg --pre ./x a", "rg --pre=./x a", "rg --hostname-bin x a", "printf -v PATH .",
        "printf -v 'a[$(rm x)]' y", "test -v 'a[$(rm x)]'", "[ -v 'a[$(rm x)]' ]",
        "ls\rrm x", "ls\xa0x", "ls\x0brm", "ls \\\n; rm x", "ls #\nrm x", "ls a#b; rm x", "ls '#'; rm x",
        "echo 'a\n' ; rm x", "ls " + "a" * 100_000,
    ],
)  # fmt: skip
def test_lines_that_may_do_more_are_never_taken_for_readers(line: str) -> None:
    assert destroys(line)


READERS = ["ls", "cat a", "git status", "echo x", "cd web", "[ -f a ]", "pwd", "head -1 a"]
JOINTS = [";", "\n", "|", "||", "&&", "&", " |& ", ";\n"]


@given(
    st.lists(st.sampled_from(READERS), max_size=4),
    st.from_regex(r"[a-z_][a-z0-9_./-]{0,12}", fullmatch=True),
    st.integers(0, 4),
    st.data(),
)
def test_one_program_that_is_not_known_is_enough(
    readers: list[str], stranger: str, place: int, data: st.DataObject
) -> None:
    assume(destroys(stranger))  # except the few names in the list
    words = [*readers[:place], f"{stranger} a", *readers[place:]]
    line = "".join(word + data.draw(st.sampled_from(JOINTS)) for word in words)

    assert destroys(line)


@given(st.text(max_size=40))
def test_every_first_word_of_a_reader_is_in_the_list(line: str) -> None:
    if not destroys(line):
        first = next(
            (str(word) for word in shell_tokens(line) if isinstance(word, ShellWord)), "ls"
        )

        assert not destroys(first)


PIECES = [
    "ls", "cat f", "echo", "printf", "[ -v", "cd d", " ", " ", ";", "\n", "|", "&&", "&", "(", ")",
    "{", "}", ">", ">>", "<", "<<E\n", "\nE\n", "<<<", "g", "f", "$(", "`", "'", '"', "\\", "#",
    "touch g", "touch${IFS}g", "rm f", "$x", "${x:=", "a[", "]", "-v", "=", "PATH", "!", "$'", "\\n",
    "2>&1", ">&", "&>", "/dev/null", "$((", "))", "<(", ">(", "~", "*", "\t", "x=1", "env", "git diff",
]  # fmt: skip


@pytest.mark.skipif(shutil.which("bash") is None, reason="what a shell does is asked of bash")
@settings(max_examples=500)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map("".join).map("ls ".__add__))
def test_a_real_shell_changes_nothing_by_a_line_that_only_reads(line: str) -> None:
    if destroys(line):
        return
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "d").mkdir()
        (place / "f").write_text("kept")
        subprocess.run(
            ["bash", "-c", line],
            cwd=place,
            env={"PATH": "/usr/bin:/bin", "HOME": name},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
        found = {path.name: path.is_file() and path.read_text() for path in place.iterdir()}

    assert found == {"d": False, "f": "kept"}
