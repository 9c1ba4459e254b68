"""Command options: all spellings and positions of an option are equal."""

from __future__ import annotations

import pytest

from clew.policy.shell.options import is_incidental, read_options


def read(line: str) -> tuple[tuple[str, ...], list[tuple[str, str | None]]]:
    program, *arguments = line.split()
    found = read_options(program, arguments)
    return found.positionals, sorted(found.options, key=str)


@pytest.mark.parametrize(
    "lines",
    [
        (
            "kubectl -n prod get x",
            "kubectl --namespace prod get x",
            "kubectl get x --namespace=prod",
        ),
        ("curl -XPOST u", "curl -X POST u", "curl u --request POST", "curl --request=POST u"),
        ("git push -f", "git push --force"),
        ("rsync -avz a b", "rsync -a -v -z a b", "rsync a b --archive --verbose --compress"),
        ("terraform apply -var a=1", "terraform apply --var a=1", "terraform -var=a=1 apply"),
        ("mysql -psecret db", "mysql db --password=secret"),
        ("tool --env prod x", "tool x --env=prod", "tool x --env prod"),
        ("tool --force x", "tool x --force"),
        ("tool --no-cache x", "tool x --no-cache"),
    ],
    ids=lambda lines: lines[0],
)
def test_spellings_read_the_same(lines: tuple[str, ...]) -> None:
    assert len({str(read(line)) for line in lines}) == 1


@pytest.mark.parametrize(
    ("line", "words", "options"),
    [
        ("git -C d push origin", ("push", "origin"), []),
        ("tool -- -x", ("-x",), []),
        ("tool -5 -", ("-5", "-"), []),
        ("tool -n", (), [("n", None)]),
        ("tool -n y", (), [("n", "y")]),
        ("tool -f y", ("y",), [("f", None)]),
        ("tool --a --b c", (), [("a", None), ("b", "c")]),
        ("docker run -t x", ("run", "x"), [("tty", None)]),
        ("docker build -t x .", ("build", "."), [("tag", "x")]),
        ("mysql -p db", ("db",), [("password", None)]),
        ("curl -d", (), [("data", None)]),
    ],
)
def test_words_and_options_are_told_apart(
    line: str, words: tuple[str, ...], options: list[tuple[str, str | None]]
) -> None:
    assert read(line) == (words, options)


def test_a_program_may_be_sent_to_a_directory() -> None:
    assert read_options("git", ["-C", "a", "push"]).directory == "a"
    assert read_options("terraform", ["-chdir=a", "apply"]).directory == "a"
    assert read_options("npm", ["--prefix", "a", "publish"]).directory == "a"


def test_an_option_that_is_switched_off_is_not_there() -> None:
    options = read_options("kubectl", ["apply", "--dry-run=none", "--force=false", "--all"])

    assert [options.has(name) for name in ("dry-run", "force", "all")] == [False, False, True]


def test_the_last_value_counts() -> None:
    assert read_options("curl", ["-X", "PUT", "-X", "POST"]).value("request") == "POST"


def test_how_something_is_shown_or_asked_is_incidental() -> None:
    assert is_incidental("tool", [], "verbose")
    assert is_incidental("terraform", ["apply"], "auto-approve")
    assert is_incidental("kubectl", ["apply"], "output")
    assert not is_incidental("tool", [], "output")
    assert not is_incidental("git", ["push"], "force")
