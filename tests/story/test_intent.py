"""Important facts that the intent does not mention are reported, and no others."""

from __future__ import annotations

import pytest

from clew.model.fact import Fact, Severity
from clew.model.story import Story
from clew.story.intent import left_unsaid
from clew.story.words import phrase

NGINX = Fact("package.added", "apt", "nginx", None, "1.24")
SERVICE = Fact("service.enabled", "systemd", "nginx.service")
EDIT = Fact("code.edited", ".", ".", None, "3")
HOOK = Fact("security.git_hook", ".", ".git/hooks/pre-commit", severity=Severity.HIGH)
ENV = Fact("env.added", ".env", "DATABASE_URL")


def unsaid(intent: str, *facts: Fact) -> tuple[str, ...]:
    return left_unsaid(intent, Story("x", facts))


def test_a_server_that_was_installed_along_the_way_is_named() -> None:
    assert unsaid("fix typo", EDIT, NGINX) == ("installed nginx (apt)",)


@pytest.mark.parametrize("intent", ["install the web server", "NGINX at last", "bump deps"])
def test_what_was_mentioned_is_not_told_again(intent: str) -> None:
    assert unsaid(intent, NGINX) == ()


@pytest.mark.parametrize("intent", ["", "  ", "!", "x"])
def test_an_intent_that_says_nothing_disagrees_with_nothing(intent: str) -> None:
    assert unsaid(intent, NGINX, HOOK) == ()


def test_what_is_quiet_need_not_be_mentioned() -> None:
    assert unsaid("fix typo", EDIT, ENV, NGINX._replace(direct=False)) == ()


def test_a_warning_must_be_mentioned_by_name() -> None:
    assert len(unsaid("tidy up", HOOK)) == 1
    assert unsaid("add a pre-commit hook", HOOK) == ()


def test_facts_of_one_place_are_one_phrase() -> None:
    redis = NGINX._replace(subject="redis")
    pip = NGINX._replace(scope="pip:.venv", subject="flask")

    assert unsaid("fix typo", NGINX, redis, pip) == (
        phrase("package", [NGINX, redis]).short,
        phrase("package", [pip]).short,
    )


def test_no_more_than_three_are_named() -> None:
    facts = [NGINX._replace(scope=f"pip:{number}") for number in range(9)]

    assert len(unsaid("fix typo", *facts)) == 3


def test_each_sort_is_mentioned_on_its_own() -> None:
    assert unsaid("add and install the server", NGINX, SERVICE) == (
        phrase("service", [SERVICE]).short,
    )


def test_a_fact_of_another_version_is_passed_over() -> None:
    assert unsaid("fix typo", Fact("weather.changed", "x", "y", severity=Severity.HIGH)) == ()
