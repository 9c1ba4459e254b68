"""Kubernetes dialect: the objects of manifests, by kind and name.

Values of environments, secrets and config maps are never shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.detectors.deployment.declared import (
    HIGH,
    HIGH_IF_CHANGED,
    NOTE,
    Declared,
    Guard,
    Resources,
    Risk,
)
from clew.detectors.deployment.images import shown_image
from clew.detectors.files.key_names import shown_name
from clew.detectors.files.value_changes import KeyPath
from clew.detectors.formats.reading import documents_of
from clew.detectors.formats.templates import shown_template
from clew.detectors.formats.values import Hidden, Shown, Value, text_of
from clew.model.fact import Severity

_PROTECTION = frozenset((
    "NetworkPolicy", "GlobalNetworkPolicy", "CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy",
    "PodSecurityPolicy", "AuthorizationPolicy", "PeerAuthentication", "ClusterPolicy",
    "AdminNetworkPolicy", "ValidatingAdmissionPolicy", "ValidatingWebhookConfiguration",
))  # fmt: skip
"""Kinds that restrict others: without them, more is allowed."""
_KEEPERS = frozenset(("StatefulSet", "PersistentVolumeClaim", "PersistentVolume"))
"""Kinds with data: a cluster that follows the manifests deletes it with them."""
_DATABASE = re.compile(
    r"Postgres|CrunchyBridge|Percona|MySQL|InnoDB|MariaDB|Galera|Mongo|Redis|Valkey|KeyDB|Dragonfly"
    r"|Kafka|Elasticsearch|OpenSearch|Cassandra|Scylla|ClickHouse|Cockroach|YBCluster|Vitess|TiDB|Etcd"
    r"|Rabbitmq|Neo4j|Couchbase|Influx|Milvus|Qdrant|Weaviate|ObjectBucket|CephCluster|CephBlock",
    re.I,
)
"""Words in the kinds by which operators declare a database, a queue or a store."""
_NO_DATABASE = re.compile(
    r"(?:User|Role|Grant|Backup|Restore|Schedule|Policy|Exporter|Monitor|Connector|Connect|Rule"
    r"|Account|Binding|Pooler|Proxy|Bridge|Dashboard|Kibana|Rebalance|Operator)s?$"
)
_WORKLOADS = frozenset((
    "Deployment", "DaemonSet", "CronJob", "Namespace", "StorageClass", "CustomResourceDefinition",
    "Secret", "PodDisruptionBudget", "ResourceQuota", "LimitRange", "Ingress", "Service", "Gateway",
    "HTTPRoute",
))  # fmt: skip
"""Kinds that somebody will miss, or whose removal takes others along."""
_STRONG = frozenset((
    "ALL", "SYS_ADMIN", "SYS_PTRACE", "SYS_MODULE", "SYS_RAWIO", "DAC_READ_SEARCH", "BPF",
))  # fmt: skip
_HOST_PLACES = ("/", "/etc", "/root", "/proc", "/sys", "/var/run", "/run", "/var/lib/kubelet")
_DATA = ("data", "stringData", "binaryData")
_HIDDEN = frozenset(("command", "args", "annotations", "value", "valueFrom"))
_MAX_OBJECTS = 2_000


def is_kubernetes(value: Value) -> bool:
    """Return whether a file has objects of Kubernetes."""
    return any(_is_object(one) for one in documents_of(value)[:50])


def kubernetes_resources(value: Value) -> Resources:
    """Return the objects of a manifest."""
    found: Resources = {}
    for one in list(_objects(value))[:_MAX_OBJECTS]:
        metadata = one.get("metadata")
        names = metadata if isinstance(metadata, dict) else {}
        kind, name = (
            text_of(one.get("kind")),
            text_of(names.get("name") or names.get("generateName")),
        )
        key = kind, text_of(names.get("namespace")), name
        found[key] = _declared(kind, name, one)
    return found


def shown_names(path: KeyPath) -> KeyPath:
    """Return the path of a value without what every object repeats: `replicas`, `web.image`."""
    names = list(path)
    for prefix in _PREFIXES:
        if tuple(names[: len(prefix)]) == prefix:
            names = names[len(prefix) :]
            break
    if names[:1] in (["containers"], ["initContainers"]):
        names = names[1:]
    if names[-3:-2] == ["env"] and names[-1] in ("value", "valueFrom"):
        names = names[:-1]
    return tuple(filter(None, names)) or path[-1:]


_PREFIXES = (
    ("spec", "jobTemplate", "spec", "template", "spec"),
    ("spec", "jobTemplate", "spec"),
    ("spec", "template", "spec"),
    ("spec", "template"),
    ("spec",),
)


def _is_object(value: Value) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("apiVersion"), str)
        and isinstance(value.get("kind"), str)
        and ("metadata" in value or isinstance(value.get("items"), list))
    )


def _objects(value: Value) -> Iterator[dict[str, Value]]:
    for one in documents_of(value):
        if not isinstance(one, dict) or not _is_object(one):
            continue
        items = one.get("items")
        if text_of(one.get("kind")).endswith("List") and isinstance(items, list):
            yield from (item for item in items if isinstance(item, dict))
        else:
            yield one


def _declared(kind: str, name: str, given: dict[str, Value]) -> Declared:
    pod = _pod(given)
    images = [
        shown_image(image) for one in _containers(pod) if (image := text_of(one.get("image")))
    ]
    shown = _shown(given)
    _forget_only_name(_pod(shown), name)
    body = {key: one for key, one in shown.items() if key not in ("apiVersion", "status")}
    if kind in ("Secret", "ConfigMap", "SealedSecret"):
        body |= {key: _all_hidden(given[key]) for key in _DATA if key in given}
    return Declared(
        shown_template(f"{kind} {name}".rstrip()),
        body,
        images[0] if images else None,
        dict(_risks(kind, given, pod)),
        dict(_guards(given, pod)),
        _if_removed(kind),
        (kind,),
    )


def _if_removed(kind: str) -> str:
    """Return how bad it is that an object of a kind is no longer declared."""
    is_database = bool(_DATABASE.search(kind)) and not _NO_DATABASE.search(kind)
    if kind in _PROTECTION or kind in _KEEPERS or is_database:
        return Severity.HIGH
    return Severity.NOTE if kind in _WORKLOADS else Severity.NONE


def _pod(given: dict[str, Value]) -> dict[str, Value]:
    """Return the specification of the pods of an object; empty if it has none."""
    spec = _mapping(given.get("spec"))
    job = _mapping(_mapping(spec.get("jobTemplate")).get("spec"))
    for outer in (job, spec):
        inner = _mapping(_mapping(outer.get("template")).get("spec"))
        if "containers" in inner:
            return inner
    return spec if "containers" in spec else {}


def _forget_only_name(pod: dict[str, Value], name: str) -> None:
    """Remove the name of the only container, or of the one that is called like its object."""
    containers = [one for one in _list(pod.get("containers")) if isinstance(one, dict)]
    for container in containers:
        if len(containers) == 1 or container.get("name") == name:
            container["name"] = ""


def _containers(pod: dict[str, Value]) -> list[dict[str, Value]]:
    return [
        one
        for key in ("containers", "initContainers")
        for one in _list(pod.get(key))
        if isinstance(one, dict)
    ]


def _risks(kind: str, given: dict[str, Value], pod: dict[str, Value]) -> Iterator[tuple[str, Risk]]:
    for key, noun in (
        ("hostNetwork", "network"),
        ("hostPID", "process ids"),
        ("hostIPC", "memory"),
    ):
        if _is_true(pod.get(key)):
            yield f"{noun} of the host", HIGH
    for volume in _list(pod.get("volumes")):
        place = text_of(_mapping(_mapping(volume).get("hostPath")).get("path"))
        if place.endswith(".sock") or place.rstrip("/") + "/" * (place == "/") in _HOST_PLACES:
            yield f"{shown_name(place)} of the host mounted", HIGH
    for container in _containers(pod):
        yield from _container_risks(_mapping(container.get("securityContext")))
    spec = _mapping(given.get("spec"))
    if kind == "Service" and spec.get("type") in ("LoadBalancer", "NodePort"):
        yield f"reachable from outside ({spec['type']})", NOTE
    if kind in ("Role", "ClusterRole"):
        yield from _rights(given)
    if kind.endswith("RoleBinding"):
        role = _mapping(given.get("roleRef")).get("name")
        if role == "cluster-admin":
            yield "cluster-admin", HIGH
    if spec.get("replicas") == "0":
        yield "scaled to 0", NOTE


def _container_risks(context: dict[str, Value]) -> Iterator[tuple[str, Risk]]:
    if _is_true(context.get("privileged")):
        yield "privileged", HIGH
    if _is_true(context.get("allowPrivilegeEscalation")):
        yield "may gain privileges", NOTE
    if context.get("runAsUser") == "0":
        yield "runs as root", NOTE
    for one in _list(_mapping(context.get("capabilities")).get("add")):
        bare = text_of(one).upper().removeprefix("CAP_")[:40]
        yield f"capability {shown_name(bare)}", HIGH if bare in _STRONG else NOTE


def _rights(given: dict[str, Value]) -> Iterator[tuple[str, Risk]]:
    for rule in _list(given.get("rules")):
        verbs, things = (_list(_mapping(rule).get(key)) for key in ("verbs", "resources"))
        if "*" in verbs and "*" in things:
            yield "may do everything (*)", HIGH
        elif "*" in verbs:
            yield "every verb (*)", HIGH_IF_CHANGED
        elif "*" in things:
            yield "every resource (*)", HIGH_IF_CHANGED


def _guards(given: dict[str, Value], pod: dict[str, Value]) -> Iterator[tuple[str, Guard]]:
    policy = _mapping(given.get("spec")).get("persistentVolumeReclaimPolicy")
    if "Retain" in (policy, given.get("reclaimPolicy")):
        yield "reclaimPolicy", Guard("reclaimPolicy no longer Retain", Severity.HIGH)
    contexts = [_mapping(one.get("securityContext")) for one in _containers(pod)]
    if any(
        _is_true(one.get("runAsNonRoot"))
        for one in [*contexts, _mapping(pod.get("securityContext"))]
    ):
        yield "runAsNonRoot", Guard("may run as root", Severity.NOTE)


def _shown(value: dict[str, Value]) -> dict[str, Value]:
    """Return an object with images fit to be shown, and without values that may be secret."""
    return {key: _shown_value(key, one) for key, one in value.items()}


def _shown_value(key: str, value: Value) -> Value:
    if key in _HIDDEN:
        return _all_hidden(value)
    if isinstance(value, dict):
        return _shown(value)
    if isinstance(value, list):
        return [_shown(one) if isinstance(one, dict) else one for one in value]
    return Shown(shown_image(value)) if key == "image" and isinstance(value, str) else value


def _all_hidden(value: Value) -> Value:
    if isinstance(value, dict):
        return {key: _all_hidden(one) for key, one in value.items()}
    return Hidden(repr(value))


def _mapping(value: Value) -> dict[str, Value]:
    return value if isinstance(value, dict) else {}


def _list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


def _is_true(value: Value) -> bool:
    return value in (True, "true")
