"""Redaction of acts: secrets are removed, the meaning is unchanged."""

from __future__ import annotations

import pytest

from clew.model.effect import Act, Effect, EffectOutcome
from clew.policy.effects.meaning import match, meaning_of
from clew.policy.effects.redact import redacted
from clew.policy.labels import shorten_intent
from clew.policy.redaction.redact import MARK
from tests.policy.effects import pairs, pairs_more, pairs_unseen
from tests.policy.effects.kit import call, run

PAIRS = (*pairs.PAIRS, *pairs_more.PAIRS, *pairs_unseen.PAIRS)
SECRET = "hunter2hunter2"


@pytest.mark.parametrize(
    "act",
    [
        run(f"TOKEN={SECRET} deploy prod --now"),
        run(f"export API_KEY='{SECRET}' && deploy prod"),
        run(f"deploy prod --api-key {SECRET} --now"),
        run(f"curl -X POST -H 'Authorization: Bearer {SECRET}aaaa' https://x.org"),
        run(f"git push https://bob:{SECRET}@x.org/a.git main"),
        run(f"mysql --password={SECRET} -e 'delete from a'"),
        call("deploy", password=SECRET, env="prod"),
        call("deploy", auth={"client_secret": SECRET}, env="prod"),
        call("deploy", options=[{"apiKey": SECRET}], env="prod"),
        call("deploy", body=f'{{"token": "{SECRET}"}}', env="prod"),
        call("Bash", command=f"SECRET_KEY={SECRET} ./deploy.sh prod"),
    ],
    ids=str,
)
def test_secrets_go_and_the_meaning_stays(act: Act) -> None:
    kept = redacted(act)

    assert SECRET not in str(kept)
    assert match(act, [Effect(1, "s", kept, status=EffectOutcome.DONE)]) is not None


def test_a_secret_may_be_a_number_and_a_number_of_tokens_is_none() -> None:
    act = call("deploy", pin_token=4711, max_tokens=100, token="EUR", use_token=True, secret=None)

    assert redacted(act).arguments == {
        "pin_token": MARK,
        "max_tokens": 100,
        "token": "EUR",
        "use_token": True,
        "secret": None,
    }


def test_what_follows_a_secret_is_kept() -> None:
    assert redacted(run("TOKEN=abc deploy prod")).what == "TOKEN=[redacted] deploy prod"


def test_acts_that_are_kept_without_secrets_are_told_apart_as_before() -> None:
    kept = [Effect(1, "s", redacted(pair.first), status=EffectOutcome.DONE) for pair in PAIRS]
    mistaken = [
        pair.why
        for pair, effect in zip(PAIRS, kept, strict=True)
        if (match(pair.second, [effect]) is not None) != pair.is_same
    ]

    assert mistaken == []


def test_redacting_twice_changes_nothing() -> None:
    once = [redacted(pair.first) for pair in PAIRS]

    assert [redacted(act) for act in once] == once


def test_an_act_that_was_cut_when_it_was_kept_is_known_again() -> None:
    act = run("mail -s Report bob@x.org <<< '" + "All is well. " * 1_000 + "'")
    kept = Effect(1, "s", act._replace(what=shorten_intent(act.what)[0]), status=EffectOutcome.DONE)

    assert match(act, [kept]) is not None


def test_deep_arguments_become_shallow_and_mean_the_same() -> None:
    value: object = "x"
    for _ in range(10_000):
        value = [value]
    act = call("f", value=value)

    assert len(str(redacted(act))) < 1_000
    assert meaning_of(redacted(act)) == meaning_of(act)
