"""Questions of somebody tired, each with one command and what must stand on one line of its answer.

The answers come from the journal of the recording; `test_answers.py` compares the journal with the
restored files.  Nothing here comes from what clew says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tests.recorded.opening import Shop

Part = str | Callable[[Shop], str]


class Question(NamedTuple):
    """One line among the first 40 of `clew WORDS…`, 100 columns wide, has all parts of the answer."""

    text: str
    words: tuple[Part, ...]
    answer: tuple[Part, ...]


def made_by(name: str) -> Callable[[Shop], str]:
    """Return the id of the checkpoint that a step made."""
    return lambda shop: shop.made_by(name)


def before(name: str) -> Callable[[Shop], str]:
    """Return the id of the checkpoint from before a step."""
    return lambda shop: shop.before(name)


QUESTIONS = (
    Question(
        "Where am I?",
        ("status",),
        (made_by("last"), "wip"),
    ),
    Question(
        "Where am I in the timeline?",
        ("log",),
        (made_by("last"), "here"),
    ),
    Question(
        "What have I not saved yet?",
        ("status",),
        ("src/shop/orders.py",),
    ),
    Question(
        "Which is the last good one?",
        ("good",),
        (made_by("ready"), "ready"),
    ),
    Question(
        "Did the check pass when I wanted to ship?",
        ("log",),
        (made_by("ready"), "ready to ship", "✔"),
    ),
    Question(
        "Which step upgraded pydantic, and from what to what?",
        ("log", "--package", "pydantic"),
        (made_by("upgrade-pydantic"), "pydantic", "1.9.2", "1.10.24"),
    ),
    Question(
        "Did I upgrade pydantic, or the agent?",
        ("blame", "pydantic"),
        (made_by("upgrade-pydantic"), "claude"),
    ),
    Question(
        "When did python-multipart come?",
        ("log", "--package", "python-multipart"),
        (made_by("install-multipart"), "python-multipart", "0.0.20"),
    ),
    Question(
        "When did mitt come to the page?",
        ("log", "--package", "mitt"),
        (made_by("npm-mitt"), "mitt", "3.0.1"),
    ),
    Question(
        "When did the tests start to fail?",
        ("log", "--verdict", "failing"),
        (made_by("first-failing"), "✘", "pydantic 1.10"),
    ),
    Question(
        "Did the tests pass with the new schema?",
        ("log", "--grep", "schema"),
        (made_by("schema"), "✘"),
    ),
    Question(
        "Which step dropped the table of orders?",
        ("log", "app.db"),
        (made_by("drop-orders"), "orders"),
    ),
    Question(
        "How many orders were lost?",
        ("show", made_by("drop-orders")),
        ("orders", "1,204"),
    ),
    Question(
        "Which is the last checkpoint before the orders were dropped?",
        ("show", made_by("drop-orders")),
        (before("drop-orders"),),
    ),
    Question(
        "What did I ask for when the table was dropped?",
        ("log", "app.db"),
        ("Normalize the schema",),
    ),
    Question(
        "Which step gave the orders a discount?",
        ("log", "app.db"),
        (made_by("add-column"), "discount"),
    ),
    Question(
        "Which call of the agent failed for a picture?",
        ("log", "--failed"),
        (made_by("failed-picture"), "shop.pictures"),
    ),
    Question(
        "Which command failed when the page was built?",
        ("log", "--failed"),
        ("npm run build",),
    ),
    Question(
        "Who deleted the uploads?",
        ("blame", "uploads"),
        (made_by("rm-uploads"), "claude"),
    ),
    Question(
        "What deleted the uploads?",
        ("log", "uploads"),
        (made_by("rm-uploads"), "rm -rf uploads"),
    ),
    Question(
        "Was the tax changed by the agent or by hand?",
        ("blame", "src/shop/prices.py"),
        (made_by("wip-1"), "you"),
    ),
    Question(
        "Which step skipped a test?",
        ("log", "tests/test_models.py"),
        (made_by("skip-test"), "skip"),
    ),
    Question(
        "What did the second restore go back to?",
        ("log", "scripts/normalize.py"),
        (made_by("restore-2"), before("drop-orders")),
    ),
    Question(
        "Which work did the second restore abandon?",
        ("log", "src/shop/lines.py"),
        (made_by("lines-module"),),
    ),
    Question(
        "Which checkpoint did the fork start from?",
        ("forks",),
        ("shop-search", made_by("orders-stay")),
    ),
    Question(
        "When was the fork adopted?",
        ("log", "src/shop/search.py"),
        (made_by("adopt"), "shop-search"),
    ),
    Question(
        "Which step deleted .env?",
        ("log", ".env"),
        (made_by("mass-deletion"), ".env"),
    ),
    Question(
        "Which step deleted nearly everything?",
        ("log",),
        (made_by("mass-deletion"), "deleted"),
    ),
    Question(
        "Where was main reset?",
        ("log", "--grep", "reset --hard"),
        (made_by("reset-hard"), "reset"),
    ),
    Question(
        "Which setting did I change last?",
        ("show",),
        ("MAIL_FROM",),
    ),
    Question(
        "What was there on Tuesday at noon?",
        ("show", "2026-11-17 12:00"),
        (made_by("search-adopted"),),
    ),
    Question(
        "What would I lose by going back to the good one?",
        ("restore", "good", "--dry-run"),
        ("src/shop/orders.py",),
    ),
    Question(
        "What changed since the good one?",
        ("diff", "good"),
        ("src/shop/prices.py",),
    ),
)
