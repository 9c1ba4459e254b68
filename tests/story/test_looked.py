from __future__ import annotations

from clew.model.database_look import DatabaseLook, LookedDatabase, LookedServer, LookedTable
from clew.story.compose import compose_observed
from clew.story.looked import looked_facts


def look(
    *databases: LookedDatabase, kind: str = "postgres", superusers: tuple[str, ...] = ("postgres",),
    problem: str = "", directory: str = "data",
) -> DatabaseLook:  # fmt: skip
    server = LookedServer(kind, directory, "15", databases, superusers, problem)
    return DatabaseLook(0, (server,))


def database(name: str, **tables: int) -> LookedDatabase:
    return LookedDatabase(name, tuple(LookedTable(*one) for one in tables.items()))


OLD = look(
    database("shop", orders=5000, invoices=800, empty=0, unknown=-1), database("blog", posts=3)
)
NEW = look(database("shop", orders=10, unknown=7, fresh=2), superusers=("intern", "postgres"))


def test_tables_databases_and_superusers_are_compared() -> None:
    found = looked_facts(OLD, NEW)

    assert [
        (fact.severity, fact.kind, fact.subject, fact.before, fact.after) for fact in found
    ] == [
        ("high", "data.changed", "data", None, None),
        ("none", "table.removed", "empty", "~0", None),
        ("none", "table.added", "fresh", None, "~2"),
        ("high", "table.removed", "invoices", "~800", None),
        ("high", "table.changed", "orders", "~5000", "~10"),
        ("high", "security.account", "intern", None, None),
    ]
    assert {fact.basis for fact in found} == {"live"}
    assert found[0].marks == ("database blog dropped (1 table)",)


def test_the_words_say_that_it_is_live() -> None:
    new = look(database("shop", orders=5000, empty=0, unknown=-1), database("blog", posts=3))

    assert compose_observed(looked_facts(OLD, new)).headline == (
        "! PostgreSQL shop (live): table invoices dropped (~800 rows)"
    )


def test_without_two_answers_there_is_nothing_to_say() -> None:
    assert looked_facts(None, NEW) == looked_facts(OLD, None) == []
    assert looked_facts(OLD, look(problem="it asks for a password")) == []
    assert looked_facts(look(problem="it took too long"), NEW) == []


def test_guessed_rows_of_mysql_are_no_facts() -> None:
    old, new = (look(database("shop", orders=rows), kind="mariadb") for rows in (5000, 10))

    assert looked_facts(old, new) == []


def test_test_databases_raise_no_warning() -> None:
    old = look(database("test_shop", orders=5000), database("app_test", a=1))

    found = looked_facts(old, look(database("test_shop")))

    assert {fact.severity for fact in found} == {"none"}
