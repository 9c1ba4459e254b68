from __future__ import annotations

import json

import pytest

from clew.detectors.data.docker import Docker
from clew.model.fact import Fact
from tests.kit.moments import Moment, directory, evidence, facts, findings, problems, story

ROOT = "var/lib/docker"
CANARY = "canary-7f3a"


def images(**tags: str) -> dict[str, bytes]:
    """Return the list of tags in the daemon's format."""
    repositories: dict[str, dict[str, str]] = {}
    for tag, image in tags.items():
        name = tag.replace("__", ":")
        base = name.partition(":")[0]
        repositories.setdefault(base, {})[name] = f"sha256:{image}"
        repositories[base][f"{base}@sha256:{image}"] = f"sha256:{image}"
    return {
        f"{ROOT}/image/overlay2/repositories.json": json.dumps(
            {"Repositories": repositories}
        ).encode()
    }


def container(
    name: str,
    host: dict[str, object] | None = None,
    *,
    running: bool = True,
    env: tuple[str, ...] = (),
) -> dict[str, bytes]:
    identity = "c0ffee"
    config = {
        "ID": identity, "Name": f"/{name}", "Image": "sha256:1",
        "Config": {"Image": "nginx:latest", "Env": list(env)},
        "State": {"Running": running, "StartedAt": "2026-01-01"},
    }  # fmt: skip
    where = f"{ROOT}/containers/{identity}"
    return {
        f"{where}/config.v2.json": json.dumps(config).encode(),
        f"{where}/hostconfig.json": json.dumps(host or {}).encode(),
    }


def found_facts(old: Moment, new: Moment) -> list[Fact]:
    return facts(Docker(), old, new)


def test_images_are_told_by_their_tags_once() -> None:
    found = found_facts(images(redis__7="1", old__1="3"), images(redis__7="2", nginx__latest="1"))

    assert [(fact.kind, fact.subject, fact.marks) for fact in found] == [
        ("container.added", "image nginx:latest", ()),
        ("container.removed", "image old:1", ()),
        ("container.changed", "image redis:7", ("rebuilt",)),
    ]


def test_a_container_is_told_with_its_image_and_ports() -> None:
    ports = {"80/tcp": [{"HostIp": "", "HostPort": "8080"}]}
    new = container("web", {"PortBindings": ports}, env=(f"TOKEN={CANARY}",))

    (fact,) = found_facts({}, new)

    assert (fact.kind, fact.subject, fact.after) == ("container.added", "container web", "running")
    assert fact.marks == ("from nginx:latest", "port 0.0.0.0:8080 → 80/tcp")
    assert fact.severity == "none"
    assert CANARY not in repr(story([Docker()], {}, new))


def test_a_container_that_stopped_or_went_is_told() -> None:
    (stopped,) = found_facts(container("web"), container("web", running=False))
    (gone,) = found_facts(container("web"), {})

    assert (stopped.kind, stopped.before, stopped.after) == (
        "container.changed", "running", "stopped"
    )  # fmt: skip
    assert (gone.kind, gone.before, gone.after) == ("container.removed", "running", None)


@pytest.mark.parametrize(
    ("host", "mark"),
    [
        ({"Privileged": True}, "privileged"),
        ({"Binds": ["/:/host"]}, "mounts /"),
        (
            {"Binds": ["/var/run/docker.sock:/var/run/docker.sock:ro"]},
            "mounts /var/run/docker.sock",
        ),
        ({"PidMode": "host"}, "sees all processes"),
    ],
)
def test_a_container_that_may_do_more_is_a_warning(host: dict[str, object], mark: str) -> None:
    (new,) = found_facts({}, container("web", host))
    (changed,) = found_facts(container("web"), container("web", host))

    assert [(fact.severity, fact.marks[0]) for fact in (new, changed)] == [("high", mark)] * 2


def test_a_harmless_mount_is_none() -> None:
    (fact,) = found_facts({}, container("web", {"Binds": ["/srv/data:/data"], "Privileged": False}))

    assert fact.severity == "none"


def test_times_that_a_daemon_writes_are_explained_without_a_fact() -> None:
    old = container("web")
    new = {path: content.replace(b"2026-01-01", b"2026-02-02") for path, content in old.items()}

    (finding,) = findings(Docker(), evidence(old, new))

    assert (finding.facts, finding.text) == ((), "docker's own files changed")


def test_layers_are_claimed_but_what_lies_in_a_volume_is_not() -> None:
    old = images() | {f"{ROOT}/volumes/db/_data/a.csv": b"1"}
    new = images(nginx__1="1") | {
        f"{ROOT}/overlay2/abc/diff/etc/x": b"x",
        f"{ROOT}/volumes/db/_data/a.csv": b"2",
        f"{ROOT}/volumes/metadata.db": b"m",
    }

    (finding,) = findings(Docker(), evidence(old, new))

    assert f"{ROOT}/overlay2/abc/diff/etc/x" in finding.claims
    assert f"{ROOT}/volumes/metadata.db" in finding.claims
    assert f"{ROOT}/volumes/db/_data/a.csv" not in finding.claims


def test_volumes_that_came_are_told_and_hold_their_files() -> None:
    old = {f"{ROOT}/volumes": directory()}
    new = {f"{ROOT}/volumes/db/_data/a.csv": b"1"}

    (finding,) = findings(Docker(), evidence(old, new))

    assert [(fact.kind, fact.subject) for fact in finding.facts] == [
        ("container.added", "volume db")
    ]
    assert f"{ROOT}/volumes/db/_data/a.csv" in finding.claims


@pytest.mark.parametrize("content", [b"{", b"[" * 100_000, b"\xff"])
def test_a_damaged_file_costs_one_line_and_the_others_are_told(content: bytes) -> None:
    bad = {f"{ROOT}/containers/bad/config.v2.json": content}
    new = container("web") | bad | images(a__1="1")

    assert [path for path, _ in problems(Docker(), {}, new)] == list(bad)
    assert [fact.subject for fact in found_facts({}, new)] == ["image a:1", "container web"]


def test_values_of_wrong_types_do_no_harm() -> None:
    odd: dict[str, object] = {"Name": 3, "Config": [1], "State": "x", "Env": {}}
    new = {
        f"{ROOT}/containers/x/config.v2.json": json.dumps(odd).encode(),
        f"{ROOT}/containers/x/hostconfig.json": b'{"Binds": 1, "PortBindings": {"80": 3}}',
        f"{ROOT}/image/overlay2/repositories.json": b'{"Repositories": {"a": [1], "b": {"c": 2}}}',
    }

    assert problems(Docker(), {}, new) == []
    assert [fact.subject for fact in found_facts({}, new)] == ["image c", "container 3"]
