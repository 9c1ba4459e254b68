"""Migrations that a framework has recorded in its own table."""

from __future__ import annotations

import re

MIGRATION_TABLES: dict[str, tuple[str, ...]] = {
    "django_migrations": ("app", "name"),
    "alembic_version": ("version_num",),
    "schema_migrations": ("version",),
    "_sqlx_migrations": ("version", "description"),
    "__diesel_schema_migrations": ("version",),
    "_prisma_migrations": ("migration_name",),
    "knex_migrations": ("name",),
    "SequelizeMeta": ("name",),
    "migrations": ("migration",),
    "typeorm_migrations": ("name",),
    "__EFMigrationsHistory": ("MigrationId",),
    "flyway_schema_history": ("version", "description"),
    "DATABASECHANGELOG": ("ID",),
    "goose_db_version": ("version_id",),
    "doctrine_migration_versions": ("version",),
    "aerich": ("app", "version"),
    "peewee_migrations": ("name",),
    "yoyo_migrations": ("migration_id",),
    "_yoyo_migration": ("migration_id",),
}
"""Tables in which frameworks record migrations, with the columns that name one."""

_NAME = re.compile(r"[\w.:/\\ -]{1,100}")
_MOST = 100


def migration_marks(
    before: list[tuple[str, ...]], after: list[tuple[str, ...]], most: int = 3
) -> list[str]:
    """Return marks for migrations that are new or gone, the latest first.

    A name that does not look like one is not shown: it comes from the content of a table.
    """
    old, new = _names(before), _names(after)
    if len(old) == len(new) == 1 and old != new:  # a table with the current one only
        return [f"migration {old[0]} → {new[0]}"]
    added = [f"+migration {name}" for name in new if name not in old]
    gone = [f"-migration {name}" for name in old if name not in new]
    return [*added[:most], *gone[:most]]


def _names(rows: list[tuple[str, ...]]) -> list[str]:
    names = [".".join(row) for row in rows[:_MOST]]
    return [name for name in names if _NAME.fullmatch(name)]
