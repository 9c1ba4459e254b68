"""Words for data and containers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clew.model.fact import Fact, Severity
from clew.story.words.phrases import NAMED_ON_CARD, Phrase, arrow, base, near, some


def data(facts: Sequence[Fact]) -> Phrase:
    text = some([_datum(fact, str) for fact in facts], NAMED_ON_CARD)
    if len(facts) > _FEW:
        brief = f"{len(facts):,} data files {_common_verb(facts)}"
        return Phrase(brief, f"{brief}: {text}")
    parts = [_datum(fact, _last_names if fact.scope in _SERVERS else near) for fact in facts]
    more = f" and {len(facts) - 1:,} more" if len(facts) > 1 else ""
    short = some(parts, 1)
    return Phrase(
        short if len(short) <= _SHORT else parts[0] + more,
        text,
        _datum(facts[0]._replace(marks=facts[0].marks[:1]), base) + more,
    )


_SHORT = 72


_FEW = 6
"""More files of data than this are counted in a headline."""


def _common_verb(facts: Sequence[Fact]) -> str:
    if all(fact.before is None and fact.after is not None for fact in facts):
        return "added"
    if all(fact.after is None and fact.before is not None for fact in facts):
        return "deleted"
    return "changed"


def _last_names(path: str) -> str:
    """Return the last two names of a path: `15/main`."""
    return "/".join(path.split("/")[-2:])


_SERVERS = {
    "postgres": "PostgreSQL", "mysql": "MySQL", "mariadb": "MariaDB", "mongodb": "MongoDB",
    "elasticsearch": "Elasticsearch", "clickhouse": "ClickHouse", "cassandra": "Cassandra",
    "influxdb": "InfluxDB", "neo4j": "Neo4j", "couchdb": "CouchDB", "qdrant": "Qdrant",
    "kafka": "Kafka", "meilisearch": "Meilisearch", "etcd": "etcd", "leveldb": "LevelDB",
}  # fmt: skip
"""Servers that must be named, because their directory alone is not informative."""


_DELETED = {"directory": "{}/ deleted", "files": "files deleted in {}"}
"""Scopes of files that were deleted and that git has."""


def _datum(fact: Fact, say: Callable[[str], str]) -> str:
    detail = ", ".join(fact.marks)
    name = f"{_SERVERS[fact.scope]} in " if fact.scope in _SERVERS else ""
    name += say(fact.subject)
    if fact.scope in _DELETED:
        words = "; ".join([fact.before or "", *fact.marks])
        return f"{_DELETED[fact.scope].format(name)} ({words})"
    if fact.before and fact.after:
        detail = detail or arrow(fact)
    elif fact.after:
        detail = f"new, {detail or fact.after}"
    elif fact.before:
        return f"{name} deleted ({detail or fact.before})"
    return f"{name}: {detail}" if detail else f"{name} changed"


def containers(facts: Sequence[Fact]) -> Phrase:
    words = {"added": "new", "changed": "changed", "removed": "removed"}
    parts = [f"{words[fact.kind.partition('.')[2]]} {fact.scope} {fact.subject}" for fact in facts]
    details = [_with_details(part, fact) for part, fact in zip(parts, facts, strict=True)]
    brief = [
        detail if fact.severity == Severity.HIGH else part
        for part, detail, fact in zip(parts, details, facts, strict=True)
    ]
    return Phrase(some(brief, 1), some(details, NAMED_ON_CARD))


def _with_details(text: str, fact: Fact) -> str:
    details = [arrow(fact)] if fact.before and fact.after else []
    details += fact.marks
    return f"{text} ({', '.join(details)})" if details else text
