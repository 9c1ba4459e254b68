"""Terraform state detector: resources that are no longer in the state.

The state lists what Terraform has made.  A resource that is gone from it was destroyed, or removed
from the state on purpose; the files do not tell which.  One that has the same type and identifier under
another address, here or in another state file that changed, was moved.
Attributes may be secret and are never shown.
OpenTofu writes the same format; the checkpoints of Pulumi are read as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.json_values import mapping
from clew.model.amount import counted
from clew.model.fact import Fact, Severity
from clew.model.shorten import shorten

_MAX_RESOURCES = 50_000
_MAX_FACTS = 20
_NAME = 120
_LIMIT = 16 << 20
_HELPERS = ("null_", "random_", "time_", "local_", "template_", "terraform_data", "external")
"""Types that stand for nothing outside, or that are made again in a second."""
_WIRING = ("_attachment", "_association", "_rule", "_policy", "_policy_document", "_membership",
           "_binding", "_member", "_permission", "_listener_rule")  # fmt: skip
"""Types that only connect other resources."""

_WITH_DATA = re.compile(
    r"db_|_db|database|sql|rds|bucket|storage|disk|volume|efs|dynamo|table|redis|elasticache|cosmos|"
    r"spanner|bigtable|bigquery|firestore|kms|_key$|vault|secret|persistent|elasticsearch|opensearch"
)
"""Types that hold data, which a new one of the same name does not have."""

Resources = Mapping[str, tuple[str, str]]
"""Type and identifier of each resource, by address."""


class TerraformState:
    """Reports resources that are gone from a state."""

    name = "losses/terraform-state"
    version = 2
    kinds: tuple[str, ...] = ("loss.deleted", "broken.transaction")
    watch = WatchedPaths(suffixes=(".tfstate",), directories=(".pulumi",))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        states = [change for change in changes if _is_state(change)]
        for change in states:
            if change.is_added and change.name == _ERRORED:
                yield Finding((_unsaved(change.path),), (change.path,))
        before: dict[str, Resources] = {}
        after: dict[str, Resources] = {}
        for change in states:
            with evidence.guarded(change.path):
                old = _resources(evidence.old.read(change.path, _LIMIT))
                new = _resources(evidence.new.read(change.path, _LIMIT))
                before[change.path], after[change.path] = old, new
        present = {one for resources in after.values() for one in resources.values() if one[1]}
        for path in after:
            change = evidence.changes[path]
            if change.new is None or not change.new.size:
                continue  # a lost file, which is told as such
            gone = [
                address
                for address, identity in before[path].items()
                if _is_gone(identity, after[path].get(address), present)
            ]
            if gone:  # the file has more to tell, and is claimed by whoever does
                yield Finding(tuple(_facts(path, gone)))


_ERRORED = "errored.tfstate"
"""What Terraform writes when it changed something and could not save its state."""


def _unsaved(path: str) -> Fact:
    return Fact("broken.transaction", "terraform", path, severity=Severity.HIGH, evidence=(path,))


def _is_state(change: PathChange) -> bool:
    if change.is_directory or not change.is_content:
        return False
    if change.name.endswith(".tfstate"):
        return True
    return "/.pulumi/stacks/" in f"/{change.path}" and change.name.endswith(".json")


def _resources(content: bytes | None) -> Resources:
    """Return the managed resources of a state."""
    whole = mapping(json.loads(content)) if content else {}
    if "checkpoint" in whole:
        return dict(_of_pulumi(whole))
    return dict(_of_terraform(whole))


def _of_terraform(whole: Mapping[str, object]) -> Iterator[tuple[str, tuple[str, str]]]:
    listed = whole.get("resources")
    for one in listed[:_MAX_RESOURCES] if isinstance(listed, list) else ():
        resource = mapping(one)
        kind, name = resource.get("type"), resource.get("name")
        if resource.get("mode") != "managed" or not isinstance(kind, str):
            continue
        module = resource.get("module")
        address = ".".join(part for part in (module, kind, name) if isinstance(part, str))
        instances = resource.get("instances")
        for instance in instances[:_MAX_RESOURCES] if isinstance(instances, list) else ():
            key = mapping(instance).get("index_key")
            identifier = mapping(mapping(instance).get("attributes")).get("id")
            shown = f"{address}[{json.dumps(key)}]" if isinstance(key, (int, str)) else address
            yield shorten(shown, _NAME), (kind, identifier if isinstance(identifier, str) else "")


def _of_pulumi(whole: Mapping[str, object]) -> Iterator[tuple[str, tuple[str, str]]]:
    latest = mapping(mapping(whole.get("checkpoint")).get("latest"))
    listed = latest.get("resources")
    for one in listed[:_MAX_RESOURCES] if isinstance(listed, list) else ():
        urn, kind = mapping(one).get("urn"), mapping(one).get("type")
        identifier = mapping(one).get("id")
        if isinstance(urn, str) and isinstance(kind, str) and not kind.startswith("pulumi:"):
            name = urn.rpartition("::")[2]
            found = identifier if isinstance(identifier, str) else ""
            yield shorten(f"{kind}.{name}", _NAME), (kind, found)


def _facts(path: str, addresses: Sequence[str]) -> Iterator[Fact]:
    for address in addresses[:_MAX_FACTS]:
        yield Fact(
            "loss.deleted", "terraform", address, severity=Severity.HIGH,
            evidence=(path,), marks=(path,),
        )  # fmt: skip
    if len(addresses) > _MAX_FACTS:
        rest = counted(len(addresses) - _MAX_FACTS, "more resource")
        yield Fact(
            "loss.deleted", "terraform", rest, severity=Severity.HIGH,
            evidence=(path,), marks=(path,),
        )  # fmt: skip


def _is_gone(
    was: tuple[str, str], now: tuple[str, str] | None, present: set[tuple[str, str]]
) -> bool:
    """Return whether a resource was destroyed; one that holds data also if it was made again."""
    kind, identifier = was
    if was in present or kind.startswith(_HELPERS) or kind.endswith(_WIRING):
        return False
    if now is None:
        return True
    is_other = bool(identifier and now[1]) and identifier != now[1]
    return is_other and _WITH_DATA.search(kind) is not None
