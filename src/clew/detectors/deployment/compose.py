"""Compose dialect: services, volumes and networks of Docker Compose files.

Values of the environment, of labels and of commands are never shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from clew.detectors.deployment.declared import (
    HIGH,
    HIGH_IF_CHANGED,
    NOTE,
    Declared,
    Guard,
    Resources,
    Risk,
)
from clew.detectors.deployment.images import is_stateful, shown_image
from clew.detectors.files.key_names import shown_name
from clew.detectors.files.value_changes import KeyPath
from clew.detectors.formats.values import Hidden, Shown, Value, text_of, words_of
from clew.model.fact import Severity

_NAME = re.compile(r"(?:docker-)?(?:compose|stack)(?:[.-][\w.-]{1,80})?\.ya?ml", re.I)
_COLON = re.compile(r":(?![^{\[]*+[}\]])")
"""Between the parts of a port or volume, but not in `${PORT:-80}` or `[::1]`."""
_PLACE = re.compile(r"[\w.:${}\[\] -]{1,40}")
_LOOPBACK = ("127.", "localhost", "[::1]", "::1")
_DATA_PORTS = frozenset((
    1433, 1521, 2375, 2379, 2380, 3306, 4369, 5432, 5433, 5672, 5984, 6379, 6380, 7000, 7199, 7474,
    7687, 8086, 8123, 9000, 9042, 9092, 9200, 9300, 11211, 15672, 26257, 27017, 27018, 28015, 50000,
))  # fmt: skip
"""Ports of databases, brokers and engines, which are seldom meant for everybody."""
_STRONG = frozenset((
    "ALL", "SYS_ADMIN", "SYS_PTRACE", "SYS_MODULE", "SYS_RAWIO", "DAC_READ_SEARCH", "DAC_OVERRIDE",
    "BPF", "SYS_BOOT",
))  # fmt: skip
"""Capabilities with which a program can leave its container."""
_HOST_PLACES = (
    "/",
    "/etc",
    "/root",
    "/proc",
    "/sys",
    "/boot",
    "/var/run",
    "/run",
    "/var/lib/docker",
)
_SOCKETS = ("docker.sock", "containerd.sock", "podman.sock", "crio.sock")
_DATA_DIRECTORIES = (
    "/var/lib/postgresql", "/var/lib/mysql", "/var/lib/mariadb", "/data/db", "/var/lib/redis",
    "/var/lib/elasticsearch", "/usr/share/elasticsearch/data", "/var/lib/cassandra",
    "/var/lib/clickhouse", "/var/lib/influxdb", "/var/lib/rabbitmq", "/bitnami",
)  # fmt: skip
_HIDDEN = ("environment", "labels", "command", "entrypoint", "annotations", "healthcheck")
_LISTS = ("volumes", "networks", "secrets", "configs")
_MAX_VOLUME = 80


def is_compose(name: str, value: Value) -> bool:
    """Return whether a file is one of Compose, by its name and what it declares."""
    if not isinstance(value, dict) or not isinstance(value.get("services"), dict):
        return False
    services = value["services"]
    assert isinstance(services, dict)
    return _NAME.fullmatch(name) is not None or any(
        isinstance(service, dict) and {"image", "build"} & service.keys()
        for service in services.values()
    )


def compose_resources(value: Value) -> Resources:
    """Return what a Compose file declares."""
    found: Resources = {}
    if not isinstance(value, dict):
        return found
    for name, service in _entries(value, "services"):
        found["service", name] = _service(name, service)
    for kind in _LISTS:
        for name, body in _entries(value, kind):
            noun = kind.removesuffix("s")
            if_removed = Severity.NOTE if kind == "volumes" else Severity.NONE
            found[noun, name] = Declared(f"{noun} {name}", _hidden(body), if_removed=if_removed)
    known = ("services", *_LISTS)
    rest = {k: one for k, one in value.items() if k not in known and not k.startswith("x-")}
    if rest:
        found["project",] = Declared("project", rest)
    return found


def shown_names(path: KeyPath) -> KeyPath:
    """Return the path of a setting as it is shown: `port 5432`, `volume`, `env`."""
    plural = {"ports": "port", "volumes": "volume", "environment": "env", "networks": "network"}
    if not path or path[0] not in plural:
        return path
    return (" ".join((plural[path[0]], *path[1:])),)


def _entries(value: Mapping[str, Value], kind: str) -> Iterator[tuple[str, dict[str, Value]]]:
    entries = value.get(kind)
    if isinstance(entries, dict):
        for name, body in entries.items():
            yield name, body if isinstance(body, dict) else {}


def _service(name: str, service: dict[str, Value]) -> Declared:
    image = service.get("image")
    ports = _ports(service.get("ports"))
    volumes = dict(_volumes(service.get("volumes")))
    body: dict[str, Value] = {
        key: _hidden(one) if key in _HIDDEN else one for key, one in service.items()
    }
    body["ports"] = {port: Shown(at) for port, at in ports.items()}
    body["volumes"] = [Shown(_volume(*one)) for one in volumes.items()]
    body["environment"] = _variables(service.get("environment"))
    body |= {"build": _build(service["build"])} if "build" in service else {}
    for key in ("depends_on", "networks", "secrets", "configs"):
        body |= {key: _names(service[key])} if key in service else {}
    if isinstance(image, str):
        body["image"] = Shown(shown_image(image))
    keeps_data = is_stateful(image if isinstance(image, str) else name) or any(
        target.startswith(_DATA_DIRECTORIES) for target in volumes
    )
    return Declared(
        f"service {name}",
        body,
        shown_image(image) if isinstance(image, str) else None,
        dict(_risks(service, ports, volumes)),
        dict([*_guards(volumes, keeps_data=keeps_data), *_fixed(image)]),
        Severity.NOTE if keeps_data and volumes else Severity.NONE,
    )


def _risks(
    service: dict[str, Value], ports: dict[str, str], volumes: dict[str, str]
) -> Iterator[tuple[str, Risk]]:
    if service.get("privileged") in (True, "true", "yes", "on"):
        yield "privileged", HIGH
    for key, noun in (("network_mode", "network"), ("pid", "process ids"), ("ipc", "memory")):
        if service.get(key) == "host":
            yield f"{noun} of the host", HIGH
    if service.get("userns_mode") == "host":
        yield "users of the host", NOTE
    for one in words_of(service.get("cap_add")):
        bare = one.upper().removeprefix("CAP_")
        yield f"capability {shown_name(bare[:40])}", HIGH if bare in _STRONG else NOTE
    for one in words_of(service.get("security_opt")):
        if "unconfined" in one:
            yield shown_name(one[:40]), HIGH
    for target, source in volumes.items():
        if source.endswith(_SOCKETS) or target.endswith(_SOCKETS):
            yield f"{(source or target).rpartition('/')[2][-40:]} mounted", HIGH
        elif source.rstrip("/") + "/" * (source == "/") in _HOST_PLACES:
            yield f"{source} of the host mounted", HIGH
    for target, address in ports.items():
        if _is_public(address) and _number(target) in _DATA_PORTS:
            yield f"port {target} open to every network", HIGH_IF_CHANGED
    if service.get("user") in ("root", "0", "0:0", "root:root"):
        yield "runs as root", NOTE


def _fixed(image: Value) -> Iterator[tuple[str, Guard]]:
    if isinstance(image, str) and "@sha256:" in image:
        yield "digest", Guard("image no longer fixed by a digest", Severity.NOTE)


def _guards(volumes: dict[str, str], *, keeps_data: bool) -> Iterator[tuple[str, Guard]]:
    """Yield the volumes that keep data; a place nearby in the same directory counts as the same."""
    for target, source in volumes.items():
        place = "/".join(target.split("/")[:4])
        is_named = source[:1].isalnum()
        if keeps_data or is_named:
            severity = Severity.HIGH if keeps_data else Severity.NOTE
            yield place, Guard(f"−volume {_volume(target, source)}", severity)


def _volume(target: str, source: str) -> str:
    source, target = shown_name(source), shown_name(target)
    text = f"{source} at {target}" if source else f"at {target}"
    return text if len(text) <= _MAX_VOLUME else f"at {target[-_MAX_VOLUME:]}"


def _ports(value: Value) -> dict[str, str]:
    """Return the published ports: the one in the container, and the address and port outside."""
    found: dict[str, str] = {}
    for one in value if isinstance(value, list) else []:
        if isinstance(one, dict):
            target, host = text_of(one.get("target")), text_of(one.get("published"))
            address, protocol = text_of(one.get("host_ip")), text_of(one.get("protocol"))
        else:
            text, _, protocol = text_of(one)[:200].partition("/")
            address, host, target = ["", "", "", *_COLON.split(text)][-3:]
        name = target + (f"/{protocol}" if protocol not in ("", "tcp") else "")
        if target:
            place = f"{address}:{host}" if address else host or "a free port"
            found[name] = shown_name(place) if _PLACE.fullmatch(place) else "…"
    return found


def _is_public(address: str) -> bool:
    return not address.startswith(_LOOPBACK) and not _is_private(address)


def _is_private(address: str) -> bool:
    """Return whether a port is published on one address of a private network, or of a variable."""
    host = address.rpartition(":")[0]
    return bool(host) and host not in ("0.0.0.0", "[::]", "::", "*")  # noqa: S104 - compared only


def _volumes(value: Value) -> Iterator[tuple[str, str]]:
    """Yield the target and the source of each volume; a volume without a name has no source."""
    for one in value if isinstance(value, list) else []:
        if isinstance(one, dict):
            if one.get("type") != "tmpfs":
                yield text_of(one.get("target")), text_of(one.get("source"))
            continue
        parts = _COLON.split(text_of(one)[:1000])
        yield (parts[1], parts[0]) if len(parts) > 1 else (parts[0], "")


def _build(value: Value) -> Value:
    if isinstance(value, dict):
        return {key: _hidden(one) if key == "args" else one for key, one in value.items()}
    return {"context": value}


def _variables(value: Value) -> Value:
    """Return an environment by name, whether it is written as a mapping or as a list."""
    if isinstance(value, list):
        pairs = (text_of(one).partition("=") for one in value)
        return {name: Hidden(sign + text) for name, sign, text in pairs if name}
    if isinstance(value, dict):
        return {name: Hidden(f"={text_of(one)}") for name, one in value.items()}
    return {}


def _names(value: Value) -> Value:
    """Return the names of a list or mapping of references, as a list."""
    if isinstance(value, dict):
        return list(value)
    items = value if isinstance(value, list) else []
    return [one.get("source", one.get("target")) if isinstance(one, dict) else one for one in items]


def _hidden(value: Value) -> Value:
    """Return a value without anything that may be shown, except names."""
    if isinstance(value, dict):
        return {name: _hidden(one) for name, one in value.items()}
    if isinstance(value, list):
        return Hidden(repr(value))
    return value if value is None or isinstance(value, bool) else Hidden(value)


def _number(text: str) -> int:
    bare = text.partition("/")[0]
    return int(bare) if bare.isdigit() and len(bare) <= 5 else 0
