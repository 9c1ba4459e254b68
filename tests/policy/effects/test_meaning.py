"""Effect matching: a repeated act is recognized, and no other act is mistaken for it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.model.effect import Act, Effect, EffectOutcome
from clew.policy.effects.meaning import LONGEST_MEANING, match, meaning_of
from tests.policy.effects import pairs, pairs_more, pairs_unseen
from tests.policy.effects.kit import Pair, call, run, say

TABLES = {
    "tuned on": pairs.PAIRS,
    "later rounds, mended": pairs_more.PAIRS,
    "written before the code, mended": pairs_unseen.PAIRS,
}
PAIRS = tuple(pair for table in TABLES.values() for pair in table)
ONE_MB = 1_000_000


def done(act: Act, number: int = 3, status: str = EffectOutcome.DONE) -> Effect:
    return Effect(number, "s", act, status=status)


def means_the_same(first: Act, second: Act) -> bool:
    return match(second, [done(first)]) is not None


class Figures(NamedTuple):
    precision: float
    recall: float
    misjudged: tuple[str, ...]


def judge(pairs: Sequence[Pair]) -> Figures:
    judged = [(pair, means_the_same(pair.first, pair.second)) for pair in pairs]
    found = sum(said for _, said in judged)
    right = sum(said and pair.is_same for pair, said in judged)
    wrong = tuple(pair.why for pair, said in judged if said != pair.is_same)
    return Figures(right / found, right / sum(pair.is_same for pair in pairs), wrong)


# --- the tables ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLES)
def test_acts_are_told_apart_and_known_again(name: str) -> None:
    figures = judge(TABLES[name])
    print(f"\n{name}: {len(TABLES[name])} pairs, {figures}")

    assert min(figures.precision, figures.recall) >= 0.95, figures.misjudged


def test_the_tables_hold_enough_of_both_kinds() -> None:
    same = sum(pair.is_same for pair in pairs.PAIRS)

    assert len(pairs.PAIRS) >= 120
    assert 0.4 < same / len(pairs.PAIRS) < 0.6
    assert len(pairs_unseen.PAIRS) >= 40


def test_which_of_two_acts_came_first_does_not_matter() -> None:
    lopsided = [
        pair.why
        for pair in PAIRS
        if means_the_same(pair.first, pair.second) != means_the_same(pair.second, pair.first)
    ]

    assert lopsided == []


def test_every_act_is_known_again_word_for_word() -> None:
    assert [pair.why for pair in PAIRS if not means_the_same(pair.first, pair.first)] == []


# --- what does not matter ------------------------------------------------------------------------

WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8)
LEAVES = st.one_of(WORDS, st.integers(-99, 9_999), st.booleans(), st.none())
ARGUMENTS = st.dictionaries(
    WORDS,
    st.one_of(LEAVES, st.lists(LEAVES, max_size=3), st.dictionaries(WORDS, LEAVES, max_size=3)),
    max_size=6,
)
NOISE = st.sampled_from(
    ["request_id", "nonce", "X-Trace-Id", "idempotencyKey", "sent_at", "apiKey"]
)


def shuffled(value: object, draw: st.DataObject) -> object:
    if isinstance(value, dict):
        keys = draw.draw(st.permutations(list(value)))
        return {key: shuffled(value[key], draw) for key in keys}
    return value


@settings(derandomize=True)
@given(arguments=ARGUMENTS, draw=st.data())
def test_the_order_of_keys_does_not_matter(
    arguments: dict[str, object], draw: st.DataObject
) -> None:
    other = shuffled(arguments, draw)

    assert meaning_of(Act("f", "f", arguments)) == meaning_of(Act("f", "f", other))


@settings(derandomize=True)
@given(arguments=ARGUMENTS, key=NOISE, value=st.text(min_size=1, max_size=20))
def test_what_is_named_noise_does_not_matter(
    arguments: dict[str, object], key: str, value: str
) -> None:
    noisy = {**arguments, key: value}

    assert meaning_of(Act("f", "f", {**arguments, "kept": 1})) == meaning_of(
        Act("f", "f", {**noisy, "kept": 1})
    )


@settings(derandomize=True)
@given(
    options=st.dictionaries(WORDS.map(lambda word: f"x{word}"), WORDS, min_size=1, max_size=5),
    draw=st.data(),
)
def test_the_order_and_spelling_of_options_does_not_matter(
    options: dict[str, str], draw: st.DataObject
) -> None:
    first = [f"--{name}={value}" for name, value in options.items()]
    second = [f"--{name} '{options[name]}'" for name in draw.draw(st.permutations(list(options)))]

    assert meaning_of(run(f"./tool go {' '.join(first)}")) == meaning_of(
        run(f"./tool {' '.join(second)} -- go")
    )


@settings(derandomize=True)
@given(words=st.lists(WORDS, min_size=1, max_size=6), draw=st.data())
def test_blanks_and_quotes_do_not_matter(words: list[str], draw: st.DataObject) -> None:
    blanks = st.sampled_from([" ", "  ", "\t", " \\\n "])
    quotes = st.sampled_from(["", "'", '"'])
    written = "git"
    for word in ("push", *words):
        quote = draw.draw(quotes)
        written += f"{draw.draw(blanks)}{quote}{word}{quote}"

    assert meaning_of(run(written)) == meaning_of(run(f"git push {' '.join(words)}"))


# --- what is matched, and what is said ------------------------------------------------------------


def test_the_reason_names_the_first_one_and_what_differs() -> None:
    first = call("deploy", service="web", version="v3", request_id="a", requested_at=1781100202)
    again = call("deploy", service="web", version="v3", request_id="b", requested_at=1781100999)

    found = match(again, [done(first._replace(what="deploy web v3"))])

    assert found is not None
    assert found.reason == (
        "the same action as effect 3, 'deploy web v3': only a request id and a time differ"
    )


@pytest.mark.parametrize(
    ("first", "again", "said"),
    [
        (say("deploy web v3"), say("deploy web v3"), "identical"),
        (say("deploy web v3"), say("Deploy  web v3."), "only the spelling differs"),
        (run("deploy -x 1 --nonce=5"), run("deploy -x 1 --nonce=6"), "only a nonce differs"),
        (run("A_TOKEN=x deploy -x 1"), run("A_TOKEN=y deploy -x 1"), "only a secret differs"),
        (say("pay Bo [id 7 at 10:11:12]"), say("pay Bo [id 7 at 10:11:13]"), "only a time differs"),
    ],
)
def test_the_reason_says_what_kind_of_thing_differs(first: Act, again: Act, said: str) -> None:
    found = match(again, [done(first)])

    assert found is not None
    assert found.reason.rpartition(": ")[2] == said


def test_the_reason_shows_no_secret_and_no_control_character() -> None:
    first = run("TOKEN=abc123def456 deploy\x1b[2J --now")

    found = match(first, [done(first)])

    assert found is not None
    assert "abc123def456" not in found.reason
    assert "\x1b" not in found.reason


def test_a_long_act_is_named_in_short() -> None:
    act = run("deploy " + "x" * 5_000)

    found = match(act, [done(act)])

    assert found is not None
    assert len(found.reason) < 200


def test_the_first_of_several_is_named() -> None:
    act = say("deploy web v3")

    found = match(act, [done(say("deploy web v2"), 1), done(act, 2), done(act, 5)])

    assert found is not None
    assert found.effect.number == 2


@pytest.mark.parametrize("status", [EffectOutcome.FAILED, EffectOutcome.UNDONE])
def test_what_did_not_happen_or_was_taken_back_may_be_done(status: str) -> None:
    act = say("deploy web v3")

    assert match(act, [done(act, status=status)]) is None


def test_what_may_have_happened_is_matched_and_said_so() -> None:
    act = say("deploy web v3")

    found = match(act, [done(act, status=EffectOutcome.UNKNOWN)])

    assert found is not None
    assert "whose outcome is unknown" in found.reason


def test_a_caption_counts_where_a_tool_has_no_arguments() -> None:
    first, second = Act("deploy web v3", "deploy"), Act("deploy web v4", "deploy", {})

    assert not means_the_same(first, second)


def test_arguments_without_a_tool_count_beside_the_words() -> None:
    first = Act("deploy", arguments={"env": "prod", "nonce": 1})

    assert means_the_same(first, Act("Deploy", arguments={"nonce": 2, "env": "prod"}))
    assert not means_the_same(first, Act("deploy", arguments={"env": "dev"}))


def test_what_is_nothing_but_noise_is_still_told_apart() -> None:
    first = say("550e8400-e29b-41d4-a716-446655440000")
    second = say("6ba7b810-9dad-41d1-80b4-00c04fd430c8")

    assert not means_the_same(first, second)
    assert not means_the_same(say(""), say("''"))
    assert not means_the_same(run("cd web"), run("cd api"))


# --- hostile acts ---------------------------------------------------------------------------------


def deep(levels: int) -> object:
    value: object = "x"
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


@pytest.mark.parametrize(
    "act",
    [
        say("a" * ONE_MB),
        say("[" * ONE_MB),
        run("curl -d " + "a=1&" * (ONE_MB // 4)),
        run("a;" * (ONE_MB // 2)),
        run("$(" * (ONE_MB // 2)),
        run("git push " + "-" * ONE_MB),
        call("f", body="2026-06-10T14:03:22Z " * (ONE_MB // 21)),
        call("f", body='{"a":' * (ONE_MB // 5)),
        call("f", body="\ud800\0" * (ONE_MB // 2)),
        call("f", items=[[]] * (ONE_MB // 4)),
        call("f", value=deep(100_000)),
        call("f", value=10**5_000),
    ],
    ids=lambda act: f"{act.tool}{act.what[:9]}",
)
def test_a_meaning_is_small_whatever_the_act_is(act: Act) -> None:
    assert 0 < len(meaning_of(act).text) <= LONGEST_MEANING


def test_arguments_too_deep_to_compare_are_compared() -> None:
    assert means_the_same(call("f", value=deep(100_000)), call("f", value=deep(100_000)))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (call("f", value=deep(1_000)), call("f", value=deep(1_002))),
        (call("f", body="x" * ONE_MB), call("f", body="x" * ONE_MB + "y")),
        (call("f", items=list(range(50_000))), call("f", items=list(range(50_001)))),
        (run("a;" * 10_000), run("a;" * 10_001)),
    ],
    ids=("deep", "long", "many", "commands"),
)
def test_what_is_too_large_to_look_at_is_still_told_apart(first: Act, second: Act) -> None:
    assert not means_the_same(first, second)


@settings(derandomize=True, max_examples=300)
@given(what=st.text(max_size=80), tool=st.text(max_size=20), argument=st.text(max_size=80))
def test_any_text_has_a_meaning(what: str, tool: str, argument: str) -> None:
    act = Act(what, tool, {"command": argument, argument: what})

    assert meaning_of(act) == meaning_of(act)
    assert meaning_of(Act(what)) == meaning_of(Act(what))


@settings(derandomize=True, max_examples=300)
@given(line=st.text("abc '\"\\$(){}`|&;<>\n=-#/@:1", max_size=60))
def test_any_line_has_a_meaning(line: str) -> None:
    assert meaning_of(run(f"git {line}")) == meaning_of(call("Bash", command=f"git {line}"))


def test_a_hook_that_asks_loads_nothing_heavy() -> None:
    code = (
        "import sys; from clew.policy.effects.meaning import meaning_of;"
        "from clew.model.effect import Act; meaning_of(Act('git push origin main'));"
        "print(sorted({'json', 'shlex', 'hashlib', 'urllib'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "[]"
