"""Names of container images: what is shown of them, and what they hold."""

from __future__ import annotations

import re

_IMAGE = re.compile(
    r"(?P<name>[a-z0-9.$%{}A-Z_:-]{1,120}?(?:/[\w.${}:-]{1,120}?){0,8}?)(?P<tag>:[\w.${}-]{1,128})?"
    r"(?P<digest>@sha256:[0-9a-f]{6,64})?"
)
_MAX_LENGTH = 60

_STATEFUL = frozenset((
    "postgres", "postgresql", "postgis", "timescaledb", "mysql", "mariadb", "percona", "mongo",
    "mongodb", "redis", "valkey", "keydb", "elasticsearch", "opensearch", "cassandra", "scylla",
    "couchdb", "couchbase", "neo4j", "influxdb", "clickhouse", "cockroach", "cockroachdb", "minio",
    "rabbitmq", "kafka", "zookeeper", "etcd", "consul", "vault", "memcached", "mssql", "oracle",
    "db2", "rethinkdb", "arangodb", "dgraph", "meilisearch", "typesense", "qdrant", "weaviate",
    "milvus", "prometheus", "victoria-metrics", "loki", "gitlab-ce", "gitlab-ee", "nexus3", "solr",
    "registry", "nats", "pulsar", "surrealdb", "supabase", "questdb", "ferretdb", "pgvector",
))  # fmt: skip


def shown_image(image: str) -> str:
    """Return an image as it is shown; an overlong registry and most of a digest are left out."""
    found = _IMAGE.fullmatch(image)
    if found is None:
        return "…"
    name = found["name"] + (found["tag"] or "")
    if len(name) > _MAX_LENGTH:
        name = name.rpartition("/")[2]
    digest = found["digest"]
    return name + (f"{digest[:15]}…" if digest else "") if len(name) <= _MAX_LENGTH else "…"


def is_stateful(image: str) -> bool:
    """Return whether an image is that of a database or of another program that keeps data."""
    bare = image.partition("@")[0].rpartition("/")[2].partition(":")[0].lower()
    return bare in _STATEFUL or any(part in _STATEFUL for part in bare.split("-"))
