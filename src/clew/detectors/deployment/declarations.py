"""Declaration detector: what a deployment file declares, by meaning.

Compose, Kubernetes, Terraform, CloudFormation, policies of clouds, Dockerfiles, descriptions of
interfaces, schemas.
The objects of a file are compared by kind and name, not by line.  One that moved to another file of
the same dialect is neither new nor gone.
A file whose objects are unchanged is left to others, as is one that cannot be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from itertools import islice

from clew.detectors.deployment import (
    clouds,
    compose,
    dockerfiles,
    interfaces,
    kubernetes,
    policies,
    schemas,
    states,
    terraform,
)
from clew.detectors.deployment.declared import Declared, Key, Resources, declared_facts
from clew.detectors.detector import Evidence, Finding, PathChange, Tree, WatchedPaths
from clew.detectors.files.config_files import unchanged_marks
from clew.detectors.files.edited_files import edited_files
from clew.detectors.files.value_changes import KeyPath
from clew.detectors.formats.parsed_files import ParsedFiles
from clew.detectors.formats.reading import SIZE_LIMIT, decoded
from clew.detectors.formats.values import Unreadable, Value
from clew.detectors.security.test_data import is_test_data
from clew.model.entry import Entry
from clew.model.fact import Fact, Severity
from clew.model.ids import ObjectId
from clew.model.named_tuple import NamedTuple

_MAX_FACTS = 60
"""Facts about one file; the last one counts the rest."""
_MAX_FILES = 120
_TEXT_LIMIT = 256 << 10
_TEXT_BUDGET = 384 << 10
"""Bytes of Dockerfiles, Terraform and schemas that are read in one story."""

_VALUE_SUFFIXES = (".yaml", ".yml", ".json")
_TEXT_SUFFIXES = (
    ".tf",
    ".tofu",
    ".hcl",
    ".nomad",
    ".graphql",
    ".graphqls",
    ".gql",
    ".proto",
    ".prisma",
    ".tfstate",
)


class _Dialect(NamedTuple):
    name: str
    rename: Callable[[KeyPath], KeyPath] = tuple


_COMPOSE = _Dialect("compose", compose.shown_names)
_KUBERNETES = _Dialect("kubernetes", kubernetes.shown_names)
_TERRAFORM = _Dialect("terraform")
_HCL = _Dialect("hcl")
_DOCKERFILE = _Dialect("dockerfile", dockerfiles.shown_names)
_INTERFACE = _Dialect("openapi", interfaces.shown_names)
_CLOUD = _Dialect("cloudformation")
_SCHEMA = _Dialect("schema")
_POLICY = _Dialect("policy")
_STATE = _Dialect("state")


class _File(NamedTuple):
    """Both versions of a file."""

    change: PathChange
    dialect: _Dialect
    old: Resources
    new: Resources


class Declarations:
    """Reports resources that files declare differently."""

    name = "config/declarations"
    version = 3
    kinds: tuple[str, ...] = (
        "resource.added", "resource.changed", "resource.removed", "config.changed",
    )  # fmt: skip
    watch = WatchedPaths(
        suffixes=(*_VALUE_SUFFIXES, *_TEXT_SUFFIXES, ".Dockerfile", ".dockerfile"),
        heads=("Dockerfile", "Containerfile", "dockerfile"),
    )

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        reader = _Reader(evidence)
        files: list[_File] = []
        for change in _candidates(evidence, changes):
            with evidence.guarded(change.path):
                if found := reader.read(change):
                    files.append(found)
        came = {_kind(key) for one in files for key in one.new.keys() - one.old.keys()}
        for one in _without_moves(files):
            facts = _facts(evidence, one, came)
            if facts:
                yield Finding(facts, (one.change.path,))
            elif one.dialect is _COMPOSE and one.change.old and one.change.new:
                yield _unchanged(evidence, one.change)


def _unchanged(evidence: Evidence, change: PathChange) -> Finding:
    """Return that a file declares the same as before: quotes, comments or order are different."""
    path = change.path
    marks = unchanged_marks(evidence.old.read(path), evidence.new.read(path))
    fact = Fact("config.changed", path, path, direct=False, evidence=(path,), marks=marks)
    return Finding((fact,), (path,))


def _candidates(evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[PathChange]:
    """Yield the files to look into, without those that are only somewhere else."""
    edited = list(edited_files(evidence, changes, SIZE_LIMIT))
    moved = _moved_contents(edited)
    return islice((change for change in edited if _content(change) not in moved), _MAX_FILES)


def _content(change: PathChange) -> ObjectId | None:
    """Return the content of a file that came or went."""
    if change.old is None or change.new is None:
        entry = change.old or change.new
        return entry.content if entry is not None else None
    return None


def _moved_contents(changes: Sequence[PathChange]) -> set[ObjectId]:
    """Return the contents that were deleted at one path and appeared at another."""
    deleted = {one.old.content for one in changes if one.old and one.old.is_file and not one.new}
    added = {one.new.content for one in changes if one.new and one.new.is_file and not one.old}
    return deleted & added


class _Reader:
    """Reads files in the dialect that they are written in."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._files = evidence.once(ParsedFiles)
        self._left = _TEXT_BUDGET

    def read(self, change: PathChange) -> _File | None:
        """Return both versions of a file; None if it declares nothing that is known."""
        name = change.name
        if dockerfiles.is_dockerfile(name):
            return self._text(change, _DOCKERFILE, dockerfiles.dockerfile_resources)
        if name.endswith((".tf", ".tofu")):
            return self._text(change, _TERRAFORM, terraform.terraform_resources)
        if name.endswith((".hcl", ".nomad")) and name != ".terraform.lock.hcl":
            return self._text(change, _HCL, terraform.terraform_resources)
        if name.endswith(".tfstate"):
            return self._text(change, _STATE, states.state_resources)
        if schema := schemas.schema_reader(name):
            return self._text(change, _SCHEMA, schema)
        return self._values(change)

    def _text(
        self, change: PathChange, dialect: _Dialect, read: Callable[[str], Resources]
    ) -> _File | None:
        try:
            old = self._resources(self._evidence.old, change.path, change.old, read)
            new = self._resources(self._evidence.new, change.path, change.new, read)
        except Unreadable:
            return None
        return _File(change, dialect, old, new)

    def _resources(
        self, tree: Tree, path: str, entry: Entry | None, read: Callable[[str], Resources]
    ) -> Resources:
        if entry is None or not entry.is_file:
            return {}
        self._left -= entry.size
        if entry.size > _TEXT_LIMIT or self._left < 0:
            raise Unreadable("too large")
        return read(decoded(tree.read(path) or b""))

    def _values(self, change: PathChange) -> _File | None:
        old, new = self._files.old(change), self._files.new(change)
        if (change.old and old is None) or (change.new and new is None):
            return None
        values = [one.value for one in (old, new) if one is not None]
        dialects = {_dialect(change.name, value) for value in values}
        read = _READERS.get(next(iter(dialects)).name) if len(dialects) == 1 else None
        if read is None:
            return None
        return _File(
            change,
            dialects.pop(),
            read(old.value) if old is not None else {},
            read(new.value) if new is not None else {},
        )


_NONE = _Dialect("")

_READERS: dict[str, Callable[[Value], Resources]] = {
    "compose": compose.compose_resources,
    "kubernetes": kubernetes.kubernetes_resources,
    "openapi": interfaces.interface_resources,
    "cloudformation": clouds.cloud_resources,
    "policy": policies.policy_resources,
}


def _dialect(name: str, value: Value) -> _Dialect:
    """Return the dialect of a value; one without a name if it is an ordinary file."""
    if compose.is_compose(name, value):
        return _COMPOSE
    if kubernetes.is_kubernetes(value):
        return _KUBERNETES
    if interfaces.is_interface(value):
        return _INTERFACE
    if clouds.is_cloud(value):
        return _CLOUD
    return _POLICY if policies.is_policy(value) else _NONE


_Place = tuple[str, str]


def _without_moves(files: Sequence[_File]) -> Iterator[_File]:
    """Yield the files, a resource that moved from one to another only where it is now."""
    gone: dict[tuple[_Place, Key], Declared] = {}
    came: set[tuple[_Place, Key]] = set()
    for one in files:
        place = _place(one)
        gone |= {(place, key): one.old[key] for key in one.old.keys() - one.new.keys()}
        came |= {(place, key) for key in one.new.keys() - one.old.keys()}
    for one in files:
        place = _place(one)
        stayed = {key: old for key, old in one.old.items() if (place, key) not in came}
        arrived = {key: gone[place, key] for key in one.new if (place, key) in gone}
        yield one._replace(old={**stayed, **arrived})


def _place(one: _File) -> _Place:
    """Return in which files a resource with the same name is the same one."""
    match one.dialect.name:
        case "kubernetes":
            return "kubernetes", ""
        case "terraform" | "compose":
            return one.dialect.name, one.change.parent
        case name:
            return name, one.change.path


def _kind(key: Key) -> str:
    """Return the kind of a resource: `StatefulSet`, `aws_db_instance`."""
    return key[1] if key[0] == "resource" and len(key) > 2 else key[0]


def _facts(evidence: Evidence, one: _File, came: Set[str]) -> tuple[Fact, ...]:
    """Return the facts about a file; `came` are the kinds that are new in any file."""
    path = one.change.path
    scope = f"{one.dialect.name}:{path}"
    found = list(declared_facts(scope, one.old, one.new, one.dialect.rename))
    mark = "new file" if one.change.is_added else "file removed" if one.change.is_deleted else ""
    facts = [
        fact._replace(
            evidence=(path,),
            marks=(mark, *fact.marks) if mark else fact.marks,
            severity=_severity(evidence, one, fact, came),
            # what Terraform made follows from what was declared, unless it failed
            direct=one.dialect is not _STATE or fact.severity == Severity.HIGH,
        )
        for fact in found
    ]
    if len(facts) > _MAX_FACTS:
        rest = len(facts) - _MAX_FACTS
        facts[_MAX_FACTS:] = [Fact("resource.changed", scope, f"{rest:,} others", evidence=(path,))]
    return tuple(facts)


def _severity(evidence: Evidence, one: _File, fact: Fact, came: Set[str]) -> str:
    """Return the severity of a fact; a whole deployment that is gone is not one left unprotected."""
    if fact.severity == Severity.HIGH and is_test_data(one.change.path):
        return Severity.NOTE
    if fact.kind != "resource.removed" or fact.severity != Severity.HIGH:
        return fact.severity
    if one.dialect is _TERRAFORM and fact.subject in _forgotten(evidence, one.change):
        return Severity.NONE
    if one.dialect is _KUBERNETES and fact.subject.partition(" ")[0] in came:
        return Severity.NOTE  # renamed, or now made by a template
    return Severity.HIGH if _is_any_left(evidence, one) else Severity.NOTE


def _is_any_left(evidence: Evidence, one: _File) -> bool:
    """Return whether the deployment that a file belonged to is still there."""
    if one.change.new is not None:
        return True
    suffix = one.change.name[one.change.name.rfind(".") :]
    beside = evidence.new.entries(one.change.parent)
    if any(name.endswith(suffix) for name in beside):
        return True
    above = one.change.parent.rpartition("/")[0]
    if one.dialect is not _KUBERNETES or not above or beside:
        return False
    return bool(evidence.new.entries(above))  # `k8s/postgres` is gone, `k8s/api` is not


def _forgotten(evidence: Evidence, change: PathChange) -> set[str]:
    """Return the addresses that the files of a directory say are moved or no longer managed."""
    found: set[str] = set()
    for name, entry in list(evidence.new.entries(change.parent).items())[:100]:
        if name.endswith((".tf", ".tofu")) and entry.is_file and entry.size <= _TEXT_LIMIT:
            path = f"{change.parent}/{name}" if change.parent else name
            try:
                found |= terraform.forgotten(decoded(evidence.new.read(path) or b""))
            except Unreadable:
                continue
    return found
