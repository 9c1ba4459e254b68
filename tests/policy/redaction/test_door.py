"""Entry point of redaction: searches only where needed, and redacts before truncating."""

from __future__ import annotations

import subprocess
import sys

import pytest

from clew.policy.labels import INTENT_LIMIT, label, made_label, meta_labels, said_redacted
from clew.policy.redaction.programs import PROGRAMS, READERS
from clew.policy.redaction.redact import MARK, beginning, redact_value, redact_words

TOKEN = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_program_is_looked_at(program: str) -> None:
    from clew.policy.redaction.redact import _commands, _finders

    assert _commands in _finders(f"{program} -x y")


@pytest.mark.parametrize("reader", READERS)
def test_each_reader_is_looked_at(reader: str) -> None:
    assert "hunter2" not in redact_words(f"echo hunter2 | x {reader}")


@pytest.mark.parametrize(
    "text",
    ["", "Edit app.py", "before: rm -r build", "make -j4 check && git status --short", "work 12"],
)
def test_a_text_without_a_sign_compiles_nothing(text: str) -> None:
    code = (
        "import sys; from clew.policy.labels import label; "
        f"assert label({text!r}) == {text!r}; "
        "finders = [name for name in sys.modules if '.redaction.' in name]; "
        "print('re' in sys.modules, finders != ['clew.policy.redaction.redact'])"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, check=True, text=True,
                          env={"PYTHONPATH": ":".join(filter(None, sys.path))})  # fmt: skip

    assert done.stdout == "False False\n"


@pytest.mark.parametrize("before", [0, 1, 20, 39, 40, 41, 200])
def test_a_token_at_the_cut_leaves_no_half(before: int) -> None:
    kept = label("x" * (INTENT_LIMIT - before - 1) + " " + TOKEN)

    assert TOKEN[:10] not in kept
    assert len(kept) <= INTENT_LIMIT


def test_a_token_where_reading_ends_leaves_no_half() -> None:
    text = "-----BEGIN RSA PRIVATE KEY-----\n" + "A" * 65_000 + "\n-----END RSA PRIVATE KEY-----\n"
    text += "x" * (65_536 - len(text) - 20) + " " + TOKEN

    assert TOKEN[:10] not in label(text)


def test_a_text_is_cut_between_words() -> None:
    assert beginning("one two three", 9) == "one two"
    assert beginning("one two", 7) == "one two"
    assert beginning("x" * 10, 4) == "xxxx"  # no word boundary to cut at


def test_what_was_done_to_a_label_is_known() -> None:
    assert made_label("fix it") == ("fix it", False, False)
    assert made_label(f"use {TOKEN}") == (f"use {MARK}", True, False)
    assert made_label("x" * 5_000)[1:] == (False, True)
    assert said_redacted(["title"]) == "Redacted what looks like a secret from the title"
    assert said_redacted(["a", "b", "c"]).endswith("from the a, b and c")


def test_a_value_goes_by_its_name() -> None:
    assert redact_value("password", "correct horse battery") == MARK
    assert redact_value("DB_PASS", "x") == MARK
    assert redact_value("prompt_tokens", "120") == "120"
    assert redact_value("token_type", "bearer") == "bearer"
    assert redact_value("why", "fix the password form") == "fix the password form"
    assert meta_labels([("api_key", "abc"), (f"use {TOKEN}", "x")]) == (
        ("api_key", MARK),
        (f"use {MARK}", "x"),
    )


def test_names_that_read_alike_once_redacted_are_told_apart() -> None:
    others = [TOKEN[:-1] + char for char in "xyz"]

    assert [key for key, _ in meta_labels([(other, "x") for other in others])] == [
        MARK,
        f"{MARK} 2",
        f"{MARK} 3",
    ]


def test_a_rule_that_fails_costs_the_text_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(text: str, typed: bool) -> list[tuple[int, int]]:
        raise RecursionError

    monkeypatch.setattr("clew.policy.redaction.redact._FINDERS", ((fail, ("secret",)),))

    assert redact_words("a secret place") == MARK
    assert redact_words("another place") == "another place"


def test_a_line_that_goes_on_below_is_one_line() -> None:
    line = "curl -X POST \\\n  -u me:hunter2 \\\n  https://x.org"

    assert redact_words(line) == line.replace("hunter2", MARK)


@pytest.mark.parametrize(
    "text",
    [
        "https://app.example/go?to=https%3A%2F%2Fme%3Ahunter2%40git.example%2Fx",
        "https://app.example/go?to=%2Fcb%3Faccess_token%3Dhunter2",
        "postgres://me:hunter2%21%40x@db/x",
        'curl -u "me":"hunter2" https://x.org',
        'bash -c "mysql -p\\"hunter2\\" shop"',
        '{\\"command\\": \\"curl -u me:hunter2 https://x.org\\"}',
        r"Unknown command: 'first\nmysql -uroot -phunter2 shop'",
        r"Unknown command: 'first\ttool --password hunter2 x'",
        "pass\u200bword=hunter2",
        "curl -u me:hun\u200bter2 https://x.org",
        "Passwort\u00ad: password: hunter2",
    ],
)
def test_other_spellings_of_the_same(text: str) -> None:
    assert "hunter2" not in redact_words(text).replace("\u200b", "")


def test_invisible_characters_stay_where_there_is_no_secret() -> None:
    text = "\U0001f468\u200d\U0001f469\u200d\U0001f467 fix the family page"

    assert redact_words(text) == text


def test_what_is_named_like_the_mark_stays_as_it_is() -> None:
    for text in (
        f"TOKEN={MARK} deploy prod",
        f"curl -u me:{MARK} https://x.org",
        f"password is {MARK}",
    ):
        assert redact_words(text) == text
