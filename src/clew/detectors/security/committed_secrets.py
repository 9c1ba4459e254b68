"""Detector of committed secrets: what a new commit of this interval took along for ever.

The content of the commit decides, not that of the files: a secret that was deleted afterwards is
still in the history.
Commits of others, which a pull or a clone brings, are not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.detectors.detector import Evidence, Finding, PathChange, WatchedPaths
from clew.detectors.files.key_names import shown_name
from clew.detectors.files.source_languages import is_document, is_generated_or_vendored
from clew.detectors.repositories.git_checkout import differing_files
from clew.detectors.repositories.git_config import value_of
from clew.detectors.repositories.git_objects import Objects, TreeEntry
from clew.detectors.repositories.git_places import is_inside_git
from clew.detectors.repositories.git_refs import LogLine, Refs, is_none, new_log_lines
from clew.detectors.repositories.repositories import Repositories, config_of
from clew.detectors.security.secret_values import SEARCHED_SIZE, is_example, secrets_in
from clew.detectors.security.security_rules import Alarm, alarm_findings, is_dependency
from clew.model.fact import Severity

_MAX_COMMITS = 20
_MAX_FILES = 400
_MAX_BYTES = 4 << 20
_SHOWN = 4
_COMMITS = ("commit", "cherry-pick", "am")

_SECRET_KEY = re.compile(
    r"passw|passphrase|secret|token|api_?key|access_?key|private_?key|credential|auth_?key"
    r"|encryption_?key|signing_?key|(?:^|_)pwd(?:$|_)|(?:^|_)dsn$", re.I
)  # fmt: skip
_URL_WITH_PASSWORD = re.compile(rb"[a-z][a-z0-9+.-]{1,20}://[^/\s:@]{0,80}:([^/\s@]{4,200})@", re.I)
_HARMLESS = frozenset((
    b"postgres", b"root", b"admin", b"password", b"passw0rd", b"secret", b"token", b"dev", b"local",
    b"localhost", b"none", b"null", b"true", b"false", b"redis", b"mysql", b"user", b"guest",
    b"development", b"insecure", b"unset", b"empty",
))  # fmt: skip
_SHORTEST = 6
_ENV_ENDINGS = (".env", ".envrc")
_TEMPLATES = ("example", "sample", "template", "dist", "test", "defaults", "schema", "ci")
_KEY_STORES = (".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk")
_PASSWORD_FILES = {
    ".npmrc": rb"_(?:auth|authToken|password)\s{0,3}=\s{0,3}[^\s${]{8}",
    ".netrc": rb"\bpassword\s{1,3}\S{4}",
    "_netrc": rb"\bpassword\s{1,3}\S{4}",
    ".pypirc": rb"^\s{0,8}password\s{0,3}[=:]\s{0,3}\S{4}",
    ".pgpass": rb"^[^:#\n]{1,200}:[^:\n]{1,20}:[^:\n]{1,80}:[^:\n]{1,80}:\S{4}",
    ".git-credentials": rb"://[^/\s:@]{1,80}:[^/\s@]{4,200}@",
    ".my.cnf": rb"^\s{0,8}password\s{0,3}=\s{0,3}\S{4}",
    ".htpasswd": rb"^[^:\n]{1,80}:\$?[\w$./{]{10}",
}
_TEST_NAMES = frozenset((
    "test", "tests", "__tests__", "testdata", "test-data", "fixtures", "__fixtures__", "spec",
    "examples", "example", "docs", "samples", "mocks", "__mocks__",
))  # fmt: skip


class CommittedSecrets:
    """Reports secrets in the commits of an interval."""

    name = "security/committed_secrets"
    version = 1
    kinds: tuple[str, ...] = ("security.secret",)
    watch = WatchedPaths(names=("HEAD",))

    def find(self, evidence: Evidence, changes: Sequence[PathChange]) -> Iterator[Finding]:
        yield from alarm_findings(evidence.once(committed_secrets))


def committed_secrets(evidence: Evidence) -> list[Alarm]:
    """Return an alarm for each file with a secret in a new commit; use `evidence.once`."""
    found: dict[str, Alarm] = {}
    for path in evidence.changes:
        if path.endswith("logs/HEAD") and is_inside_git(path):
            with evidence.guarded(path):
                for alarm in _in_commits(evidence, path.removesuffix("/logs/HEAD")):
                    found.setdefault(alarm.path, alarm)
    return list(found.values())


def _in_commits(evidence: Evidence, own: str) -> Iterator[Alarm]:
    repositories = evidence.once(Repositories)
    common = repositories.git_dir(f"{own}/HEAD")
    if common is None:
        return
    config = config_of(evidence.new, common)
    id_size = 32 if value_of(config, "extensions", "objectformat") == "sha256" else 20
    objects = Objects((evidence.new, evidence.old), common, id_size=id_size)
    directory = repositories.directory_of(common)
    budget = _Budget()
    for line in _commits(evidence, own)[-_MAX_COMMITS:]:
        base = None if is_none(line.old) else line.old
        for path, (entry, before) in (differing_files(objects, line.new, base) or {}).items():
            place = f"{directory}/{path}" if directory else path
            if entry is None or is_dependency(place) or not budget.allows():
                continue
            names = _new_secrets(objects, place, entry, before, budget)
            if names:
                yield Alarm(
                    "security.secret", "commit", place, _severity(place, names),
                    tuple(names[:_SHOWN]), claims=(),
                )  # fmt: skip


def _severity(path: str, names: Sequence[str]) -> str:
    """Return the severity: tests and documents have examples, unless it is a token of a service."""
    is_example = not _TEST_NAMES.isdisjoint(path.lower().split("/")[:-1])
    is_example = is_example or is_generated_or_vendored(path)
    if is_document(path.rpartition("/")[2]):
        is_example = is_example or not any(name.startswith("a ") for name in names)
    return Severity.NOTE if is_example else Severity.HIGH


class _Budget:
    """What may still be read."""

    def __init__(self) -> None:
        self._files = _MAX_FILES
        self.bytes = _MAX_BYTES

    def allows(self) -> bool:
        self._files -= 1
        return self._files >= 0 and self.bytes >= 0


def _commits(evidence: Evidence, own: str) -> list[LogLine]:
    """Return the commits that were made here in this interval."""
    old, new = (Refs(tree, own).log("HEAD") for tree in (evidence.old, evidence.new))
    lines = new_log_lines(old, new) or []
    return [line for line in lines if line.verb in _COMMITS and line.moves]


def _new_secrets(
    objects: Objects, path: str, entry: TreeEntry, before: TreeEntry | None, budget: _Budget
) -> list[str]:
    """Return the names of secrets that a commit added to a file."""
    name = path.rpartition("/")[2].lower()
    if name.endswith(_KEY_STORES):
        return ["a key store"] if before is None else []
    content = objects.blob(entry.id)
    if content is None or len(content) > SEARCHED_SIZE:
        return []
    budget.bytes -= len(content)
    found = _named_secrets(name, content)
    if not found:
        return []
    old = (objects.blob(before.id) or b"") if before is not None else b""
    return sorted({key for key, value in found if value not in old})


def _named_secrets(name: str, content: bytes) -> set[tuple[str, bytes]]:
    found = {(secret.name, secret.value) for secret in secrets_in(content)}
    rule = _PASSWORD_FILES.get(name)
    if rule is not None:
        match = re.search(rule, content, re.M)
        found |= {("a password", match[0])} if match else set()
    if _is_env_file(name):
        from clew.detectors.files.env_files import keys_of  # noqa: PLC0415  rarely needed

        for key, value in keys_of(content).items():
            if _is_secret_value(key, value.strip(b"\"' ")):
                found.add((shown_name(key), value))
    return found


def _is_env_file(name: str) -> bool:
    if not (name.endswith(_ENV_ENDINGS) or name.startswith(".env.")):
        return False
    return not any(word in name.replace("-", ".").split(".") for word in _TEMPLATES)


def _is_secret_value(key: str, value: bytes) -> bool:
    url = _URL_WITH_PASSWORD.match(value)
    if url:
        return url[1].lower() not in _HARMLESS and not is_example(url[1]) and url[1][:1] != b"$"
    if value.startswith((b"$", b"<", b"{{")) or is_example(value) or value.lower() in _HARMLESS:
        return False
    if not _SECRET_KEY.search(key) or len(value) < _SHORTEST or value.isdigit():
        return False
    return not value.startswith((b"/", b"./", b"~", b"http://", b"https://"))
