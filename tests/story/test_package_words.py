"""Sentences about packages: what happened, not only that a fact has two values."""

from __future__ import annotations

import pytest

from clew.model.fact import Fact
from clew.story.words import phrase


def _changed(
    before: str, after: str, *marks: str, subject: str = "clsx", scope: str = "npm:."
) -> Fact:
    return Fact("package.changed", scope, subject, before, after, marks=marks)


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        (("on hold",), "curl put on hold (apt)"),
        (("no longer on hold",), "curl released from hold (apt)"),
        (("marked manual",), "curl marked manual (apt)"),
        (("on hold", "marked manual"), "curl put on hold and marked manual (apt)"),
        (("same version, other files",), "changed curl 7.88 (same version, other files) (apt)"),
    ],
)
def test_a_package_that_keeps_its_version_is_not_told_as_a_version_change(
    marks: tuple[str, ...], said: str
) -> None:
    words = phrase("package", [_changed("7.88", "7.88", *marks, subject="curl", scope="apt")])

    assert (words.short, words.text) == (said, said)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("2.1.0", "2.1.0, 2.1.1", "second version 2.1.1 of clsx added (npm)"),
        ("1.0.0, 2.1.0", "1.0.0, 2.1.0, 3.0.0", "version 3.0.0 of clsx added (npm)"),
        ("2.1.0", "2.1.0, 2.2.0, 3.0.0", "versions 2.2.0, 3.0.0 of clsx added (npm)"),
        ("2.1.0, 2.1.1", "2.1.1", "version 2.1.0 of clsx removed (npm)"),
        ("1.0.0, 2.1.0", "1.0.0, 2.1.1", "changed clsx 2.1.0 → 2.1.1 (npm)"),
        ("2.1.0", "2.1.1", "changed clsx 2.1.0 → 2.1.1 (npm)"),
    ],
)
def test_of_several_versions_only_what_came_and_went_is_told(
    before: str, after: str, said: str
) -> None:
    assert phrase("package", [_changed(before, after)]).short == said


def test_a_hold_beside_an_upgrade_has_its_own_words() -> None:
    facts = [
        _changed("7.88", "7.88", "on hold", subject="curl", scope="apt"),
        _changed("1.0", "1.1", subject="zlib", scope="apt"),
    ]

    assert phrase("package", facts).text == "changed zlib 1.0 → 1.1; curl put on hold (apt)"


def test_a_service_that_went_with_its_package_is_not_called_disabled() -> None:
    fact = Fact(
        "service.removed", "systemd", "nginx.service", "enabled",
        direct=False, marks=("with its package",),
    )  # fmt: skip

    assert phrase("service", [fact]).text == "service removed: nginx (with its package)"
