"""Text of a look at running database servers, for `show`."""

from __future__ import annotations

from collections.abc import Iterator

from clew.model.database_look import UNKNOWN, DatabaseLook, LookedDatabase, LookedServer
from clew.render import timestamps, units
from clew.render.safe import safe_line
from clew.render.style import Style, paint

_NAMES = {"postgres": "PostgreSQL", "mysql": "MySQL", "mariadb": "MariaDB"}
_TABLES = 12


def looked(look: DatabaseLook, taken_ns: int, style: Style) -> Iterator[str]:
    """Yield what each server said, and when."""
    after = units.duration(max(look.time_ns - taken_ns, 0))
    when = f"looked at {timestamps.full(look.time_ns, style)}, {after} after the capture"
    yield f"  {paint(f'Databases (live), {when}', 'dim', style)}"
    for server in look.servers:
        yield f"    {safe_line(_server(server))}"
        for database in server.databases:
            yield f"      {safe_line(_database(database))}"


def _server(server: LookedServer) -> str:
    name = " ".join(filter(None, (_NAMES.get(server.kind, server.kind), server.version)))
    answer = f"{name} in {server.directory}"
    return f"{answer}: not looked at, {server.problem}" if server.problem else answer


def _database(database: LookedDatabase) -> str:
    shown = [
        table.name if table.rows == UNKNOWN else f"{table.name} (~{units.count(table.rows, 'row')})"
        for table in database.tables[:_TABLES]
    ]
    left = len(database.tables) - len(shown)
    shown += [f"{left:,} more"] if left else []
    return f"{database.name}: {', '.join(shown) if shown else 'no tables'}"
