"""Effects table: external actions, numbered per workspace, and those undone from history."""

from __future__ import annotations

from collections.abc import Iterable

from clew.model.effect import Act, Effect, EffectOutcome
from clew.policy.labels import label
from clew.store.database import Database, Row

_COLUMNS = """
SELECT number, session, what, tool, arguments, reversible, undo, status, outcome, time, settled
FROM effects
"""


class EffectRows:
    """The rows of the effects and forgotten tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def intend(self, workspace: bytes, effect: Effect) -> Effect:
        """Record an action before it happens, with the next number."""
        import json  # lazy, as in `_effect`: most commands have no effects

        effect = _redacted(effect)
        act = effect.act
        arguments = None if act.arguments is None else json.dumps(act.arguments)
        with self._database.transaction():
            number = self.last_number(workspace) + 1
            time_ns = effect.time_ns or self._database.now_ns()
            self._database.execute(
                "INSERT INTO effects VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
                (
                    workspace, number, bytes.fromhex(effect.session), act.what, act.tool,
                    arguments, int(effect.reversible), effect.undo, EffectOutcome.UNKNOWN, "", time_ns,
                ),
            )  # fmt: skip
        return effect._replace(number=number, time_ns=time_ns)

    def settle(self, workspace: bytes, number: int, status: str, outcome: str) -> None:
        """Record the outcome of an effect."""
        self._database.execute(
            "UPDATE effects SET status = ?, outcome = ?, settled = ?"
            " WHERE workspace = ? AND number = ?",
            (status, label(outcome), self._database.now_ns(), workspace, number),
        )

    def get(self, workspace: bytes, number: int) -> Effect | None:
        row = self._database.one(
            _COLUMNS + " WHERE workspace = ? AND number = ?", (workspace, number)
        )
        return _effect(row) if row else None

    def of(self, workspace: bytes, after: int = 0) -> list[Effect]:
        """Return the effects of a workspace with numbers above `after`, in order."""
        rows = self._database.execute(
            _COLUMNS + " WHERE workspace = ? AND number > ? ORDER BY number", (workspace, after)
        )
        return [_effect(row) for row in rows]

    def last_number(self, workspace: bytes) -> int:
        row = self._database.one(
            "SELECT ifnull(max(number), 0) FROM effects WHERE workspace = ?", (workspace,)
        )
        return int(row[0]) if row else 0

    def forgotten(self, workspace: bytes) -> list[int]:
        """Return the numbers of the effects that are not part of the current line of history."""
        rows = self._database.execute(
            "SELECT effect FROM forgotten WHERE workspace = ? ORDER BY effect", (workspace,)
        )
        return [row[0] for row in rows]

    def set_forgotten(self, workspace: bytes, numbers: Iterable[int]) -> None:
        """Set which effects are not part of the current line of history; inside a transaction."""
        self._database.execute("DELETE FROM forgotten WHERE workspace = ?", (workspace,))
        self._database.execute_many(
            "INSERT INTO forgotten VALUES (?, ?)", [(workspace, number) for number in set(numbers)]
        )


def _effect(row: Row) -> Effect:
    number, session, what, tool, arguments, reversible, undo, status, outcome, begun, settled = row
    value = None
    if arguments is not None:
        import json

        value = json.loads(arguments)
    effect = Effect(
        number, session.hex(), Act(what, tool, value), bool(reversible), undo, status, outcome,
        begun, settled,
    )  # fmt: skip
    return _redacted(effect)


def _redacted(effect: Effect) -> Effect:
    from clew.policy.effects.redact import redacted

    act = redacted(effect.act)
    return effect._replace(
        act=act._replace(what=label(act.what), tool=label(act.tool)),
        undo=label(effect.undo),
        outcome=label(effect.outcome),
    )
