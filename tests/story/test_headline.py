from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.model.fact import Fact, Severity
from clew.model.story import HEADLINE_LIMIT
from clew.model.vocabulary import Tier
from clew.story.headline import HeadlineCandidate, headline, score


def one(
    short: str, points: float = 5, severity: str = Severity.NONE, paths: int = 1
) -> HeadlineCandidate:
    return HeadlineCandidate(short, points, severity, paths)


def test_nothing_is_said_of_nothing() -> None:
    assert headline([]) == "nothing changed"


def test_the_best_three_in_the_order_of_their_worth() -> None:
    found = headline([one("d", 1.5), one("a", 9), one("c", 2), one("b", 5)])

    assert found == "a; b; c; +1 more"


def test_a_warning_comes_first_whatever_the_rest_is_worth() -> None:
    found = headline([one("installed nginx", 99), one("a key", 1.0, Severity.HIGH)])

    assert found == "! a key; installed nginx"


def test_a_note_is_no_warning() -> None:
    assert headline([one("a", 9), one("b", 5, Severity.NOTE)]) == "a; b"


def test_what_does_not_fit_is_left_out_and_what_comes_after_may_fit() -> None:
    found = headline([one("a" * 50, 9), one("b" * 60, 5), one("c" * 30, 2)])

    assert found == f"{'a' * 50}; {'c' * 30}; +1 more"


def test_lost_data_comes_before_the_rest_and_commits_come_last() -> None:
    loss = one("uploads deleted", 20, Severity.HIGH)._replace(tier=Tier.LOST)
    login = one("root may log in", 60, Severity.HIGH)._replace(tier=Tier.SECURITY)
    git = one("1 commit on main", 30)._replace(tier=Tier.REST)
    code = one("edited app.py", 5)._replace(tier=Tier.CODE)

    assert headline([git, login, loss]) == "! uploads deleted; ! root may log in; 1 commit on main"
    assert headline([git, code]) == "edited app.py; 1 commit on main"


def test_parts_are_shortened_from_the_last_on() -> None:
    parts = [one(f"{word} {'long ' * 7}x", 9 - at) for at, word in enumerate("abc")]
    parts = [part._replace(shortest=part.short[:1]) for part in parts]

    assert headline(parts) == f"{parts[0].short}; {parts[1].short}; c"


def test_a_part_that_is_no_warning_does_not_shorten_the_first() -> None:
    first = one("a" * 80, 9)._replace(shortest="a")

    assert headline([first, one("b" * 60, 5)]) == f"{'a' * 80}; +1 more"


def test_a_second_warning_shortens_the_first() -> None:
    first = one("a" * 80, 9, Severity.HIGH)._replace(shortest="a")

    assert headline([first, one("b" * 60, 5, Severity.HIGH)]) == f"! a; ! {'b' * 60}"


def test_warnings_that_do_not_fit_are_counted_apart() -> None:
    found = headline([one(word * 45, 5, Severity.HIGH) for word in "abcd"] + [one("e" * 45)])

    assert found == f"! {'a' * 45}; ! 3 more warnings; +1 more"


def test_a_first_thing_that_is_too_long_is_cut() -> None:
    found = headline([one("word " * 50)])

    assert len(found) <= HEADLINE_LIMIT
    assert found.endswith("word…")


def test_only_logs_and_caches_are_counted() -> None:
    log, cache = one("x", 0.2, paths=3), one("y", 0.1, paths=1)
    log, cache = log._replace(is_noise=True), cache._replace(is_noise=True)

    assert headline([log, cache]) == "only logs and caches changed (4 files)"
    assert headline([cache]) == "only logs and caches changed (1 file)"


@given(
    st.lists(
        st.builds(
            HeadlineCandidate,
            st.text(max_size=150),
            st.floats(0, 100),
            st.sampled_from(Severity.ALL),
            st.integers(0, 9),
        )
    )
)
def test_a_headline_is_short_and_does_not_depend_on_the_order(
    found: list[HeadlineCandidate],
) -> None:
    assert len(headline(found)) <= HEADLINE_LIMIT
    assert headline(found) == headline(found[::-1])


def test_more_of_the_same_is_worth_more_but_not_much() -> None:
    fact = Fact("package.added", "pip:.", "flask")

    assert score([fact]) < score([fact] * 3) < 2 * score([fact])


def test_what_only_came_along_is_worth_little() -> None:
    direct = Fact("package.added", "pip:.", "flask")
    along = direct._replace(direct=False)

    assert score([along] * 50) < score([direct]) / 2
    assert score([direct, *[along] * 50]) == score([direct])


def test_what_is_loud_is_worth_more() -> None:
    fact = Fact("config.changed", "a.conf", "a.conf")
    worth = [score([fact._replace(severity=severity)]) for severity in Severity.ALL]

    assert worth == sorted(set(worth))


def test_what_only_came_along_is_still_more_than_logs_and_caches() -> None:
    along = HeadlineCandidate("4 config files removed", 0.6, Severity.NONE, 4)
    cache = HeadlineCandidate("caches changed", 0.2, Severity.NONE, 9, is_noise=True)

    assert headline([cache, along]) == "4 config files removed"
