"""Docker detector: images by tag, containers by name, volumes; one line for all its files.

It reads what the daemon stores under `var/lib/docker`.
Of a container's environment only the keys are read, and none is shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.model.fact import Fact, Severity
from clew.model.named_tuple import NamedTuple

_ROOT = "var/lib/docker"
_IMAGES = f"{_ROOT}/image"
_CONTAINERS = f"{_ROOT}/containers"
_VOLUMES = f"{_ROOT}/volumes"
_MAX_CONTAINERS = 500
"""How many containers are read."""
_NAME = 120
_DANGEROUS_BINDS = ("/", "/etc", "/root", "/var/run/docker.sock", "/run/docker.sock")

Json = Mapping[str, object]


class DockerObject(NamedTuple):
    """The compared properties of an image, container or volume."""

    state: str | None = None
    marks: tuple[str, ...] = ()
    identity: object = None
    """If this differs, the object was replaced."""
    rights: tuple[str, ...] = ()
    """Its privileges on the host."""
    path: str = ""


class Docker:
    """Reports added, removed and changed images, containers and volumes."""

    name = "data/docker"
    version = 1
    kinds: tuple[str, ...] = ("container.added", "container.changed", "container.removed")
    watch = WatchedPaths(below=(_ROOT,))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        facts: list[Fact] = []
        for read in (_images, _containers, _volumes):
            with evidence.guarded(_ROOT):
                facts.extend(_facts(read(evidence, evidence.old), read(evidence, evidence.new)))
        volumes = {
            fact.subject.partition(" ")[2] for fact in facts if fact.subject.startswith("vol")
        }
        claims = tuple(
            change.path for change in changes if _belongs_to_docker(change.path, volumes)
        )
        if facts or claims:
            yield Finding(tuple(facts), claims, "" if facts else "docker's own files changed")


def _belongs_to_docker(path: str, volumes: set[str]) -> bool:
    """Return whether a path belongs to Docker; the content of volumes does not."""
    if not path.startswith(_VOLUMES + "/"):
        return True
    name, _, rest = path[len(_VOLUMES) + 1 :].partition("/")
    return name in volumes or not rest or rest == "_data"


def _facts(old: dict[str, DockerObject], new: dict[str, DockerObject]) -> Iterator[Fact]:
    for name in sorted({*old, *new}):
        was, now = old.get(name), new.get(name)
        if was == now:
            continue
        shown = now or was or DockerObject()
        gained = [
            right
            for right in (now or DockerObject()).rights
            if right not in (was or DockerObject()).rights
        ]
        kind = "added" if was is None else "removed" if now is None else "changed"
        marks = [*gained, *(mark for mark in shown.marks if was is None or mark not in was.marks)]
        if was is not None and now is not None:
            marks += ["rebuilt"] if was.identity != now.identity else []
            if not marks and was.state == now.state and was.marks == now.marks:
                continue
        yield Fact(
            f"container.{kind}", "docker", name, was and was.state, now and now.state,
            severity=Severity.HIGH if gained else Severity.NONE,
            evidence=(shown.path,) if shown.path else (), marks=tuple(marks) if now else (),
        )  # fmt: skip


def _images(_: Evidence, tree: Tree) -> dict[str, DockerObject]:
    found: dict[str, DockerObject] = {}
    for driver, entry in sorted(tree.entries(_IMAGES).items()):
        path = f"{_IMAGES}/{driver}/repositories.json"
        whole = _json(tree, path) if entry.is_directory else {}
        for tags in _mapping(whole, "Repositories").values():
            for tag, image in tags.items() if isinstance(tags, dict) else ():
                if "@" not in tag:  # a digest is another name of the same image
                    found[f"image {tag[:_NAME]}"] = DockerObject(identity=str(image), path=path)
    return found


def _containers(evidence: Evidence, tree: Tree) -> dict[str, DockerObject]:
    found: dict[str, DockerObject] = {}
    for number, identity in enumerate(sorted(tree.entries(_CONTAINERS))):
        path = f"{_CONTAINERS}/{identity}/config.v2.json"
        if number >= _MAX_CONTAINERS:
            evidence.problem(_CONTAINERS, f"has more than {_MAX_CONTAINERS} containers")
            break
        with evidence.guarded(path):
            whole = _json(tree, path)
            name = str(whole.get("Name") or identity[:12]).lstrip("/")[:_NAME]
            if whole:
                host = _json(tree, f"{_CONTAINERS}/{identity}/hostconfig.json")
                found[f"container {name}"] = _container(whole, host, path)
    return found


def _container(whole: Json, host: Json, path: str) -> DockerObject:
    config = _mapping(whole, "Config")
    running = _mapping(whole, "State").get("Running") is True
    image = str(config.get("Image") or "")[:_NAME]
    environment = config.get("Env")
    lines = environment if isinstance(environment, list) else []
    keys = sorted(str(line).partition("=")[0] for line in lines)
    marks = [f"from {image}"] if image else []
    marks += _ports(_mapping(host, "PortBindings"))
    return DockerObject(
        "running" if running else "stopped",
        tuple(marks),
        (str(whole.get("ID")), str(whole.get("Image")), keys),
        tuple(_rights(host)),
        path,
    )


def _ports(bindings: Json) -> list[str]:
    found = []
    for port, places in sorted(bindings.items()):
        for place in places if isinstance(places, list) else ():
            if isinstance(place, dict):
                address = f"{place.get('HostIp') or '0.0.0.0'}:{place.get('HostPort')}"  # noqa: S104 - shown, not listened on
                found.append(f"port {address[:60]} → {port[:20]}")
    return found[:8]


def _rights(host: Json) -> Iterator[str]:
    if host.get("Privileged") is True:
        yield "privileged"
    binds = host.get("Binds")
    for bind in binds[:100] if isinstance(binds, list) else ():
        source = str(bind).partition(":")[0]
        if source in _DANGEROUS_BINDS:
            yield f"mounts {source}"
    if host.get("PidMode") == "host":
        yield "sees all processes"


def _volumes(_: Evidence, tree: Tree) -> dict[str, DockerObject]:
    return {
        f"volume {name[:_NAME]}": DockerObject(path=f"{_VOLUMES}/{name}")
        for name, entry in sorted(tree.entries(_VOLUMES).items())[:_MAX_CONTAINERS]
        if entry.is_directory and name != "backingFsBlockDev"
    }


def _json(tree: Tree, path: str) -> Json:
    content = tree.read(path)
    whole = json.loads(content) if content else {}
    return whole if isinstance(whole, dict) else {}


def _mapping(whole: Json, key: str) -> Json:
    found = whole.get(key)
    return found if isinstance(found, dict) else {}
