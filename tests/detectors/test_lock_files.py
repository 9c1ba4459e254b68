"""Lock files and manifests: what is told by package, what is a danger, and what is not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from clew.detectors.locks.formats import LOCKS
from clew.detectors.locks.lock_files import LockFiles
from clew.detectors.node.npm import Npm
from clew.model.fact import Fact
from tests.detectors.lock_samples import SAMPLES, LockSample
from tests.kit.moments import Moment, evidence, facts, file, findings, problems, story

TESTDATA = Path(__file__).parent / "testdata" / "locks"
HOST = "packages.example.net"
LOCK = (TESTDATA / "npm3.before.json").read_bytes()
LATER = (TESTDATA / "npm3.after.json").read_bytes()


def _told(old: Moment, new: Moment) -> list[Fact]:
    return facts(LockFiles(), old, new)


def _said(old: Moment, new: Moment) -> list[tuple[str, str, str | None, str | None]]:
    return [(fact.kind, fact.subject, fact.before, fact.after) for fact in _told(old, new)]


def _high(old: Moment, new: Moment) -> list[tuple[str, str, str | None]]:
    return [
        (fact.kind, fact.subject, fact.after) for fact in _told(old, new) if fact.severity == "high"
    ]


def _lock(**packages: Mapping[str, object]) -> bytes:
    """Return a package-lock.json."""
    entries = {f"node_modules/{name.replace('_', '-')}": one for name, one in packages.items()}
    return json.dumps({"lockfileVersion": 3, "packages": {"": {}, **entries}}).encode()


def _package(
    version: str = "1.0.0", host: str = "registry.npmjs.org", **more: object
) -> dict[str, object]:
    return {
        "version": version,
        "resolved": f"https://{host}/x/-/x-{version}.tgz",
        "integrity": f"sha512-{version}==",
        **more,
    }


# Versions


def test_a_lock_of_npm_is_told_by_package() -> None:
    told = _told({"package-lock.json": LOCK}, {"package-lock.json": LATER})

    assert [(fact.kind, fact.subject, fact.before, fact.after, fact.direct) for fact in told] == [
        ("lock.changed", "left-pad", "1.1.3", "1.3.0", True),
        ("lock.changed", "ms", "2.1.2", "2.0.0, 2.1.2", True),
    ]
    text = story([LockFiles()], {"package-lock.json": LOCK}, {"package-lock.json": LATER}).headline
    assert text == "left-pad 1.1.3 → 1.3.0 and second version 2.0.0 of ms added (package-lock.json)"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.file)
def test_every_format_tells_another_version_and_no_danger(sample: LockSample) -> None:
    old = {sample.file: sample.content("1.2.0")}
    new = {sample.file: sample.content("1.3.0", digest="b" * 64)}

    assert _said(old, new) == [("lock.changed", sample.package, sample.before, sample.after)]
    assert _high(old, new) == []
    assert _told(new, old)[0].marks in (("downgrade",), ())


@pytest.mark.parametrize(
    "sample", [one for one in SAMPLES if one.has_digest], ids=lambda one: one.file
)
def test_in_every_format_another_digest_of_the_same_version_is_the_worst(
    sample: LockSample,
) -> None:
    old = {sample.file: sample.content("1.2.0")}
    new = {sample.file: sample.content("1.2.0", digest="b" * 64)}

    assert _high(old, new) == [("security.integrity", sample.file, "another hash")]


@pytest.mark.parametrize("sample", [one for one in SAMPLES if one.host], ids=lambda one: one.file)
def test_in_every_format_another_host_is_a_warning(sample: LockSample) -> None:
    old = {sample.file: sample.content("1.2.0")}
    new = {sample.file: sample.content("1.2.0", host=HOST)}

    assert ("security.registry", sample.file, HOST) in _high(old, new)


def test_a_downgrade_is_marked() -> None:
    (fact,) = _told(
        {"yarn.lock": b'a@^1:\n  version "1.2.0"\n'}, {"yarn.lock": b'a@^1:\n  version "1.1.0"\n'}
    )

    assert (fact.marks, fact.severity) == (("downgrade",), "note")


def test_dependencies_of_what_was_asked_for_are_counted() -> None:
    def lock(version: str) -> bytes:
        packages = {f"node_modules/{name}": _package(version) for name in ("express", "qs", "ms")}
        root = {"dependencies": {"express": f"^{version}"}}
        return json.dumps({"packages": {"": root, **packages}}).encode()

    old, new = {"package-lock.json": lock("1.0.0")}, {"package-lock.json": lock("1.1.0")}

    assert [fact.subject for fact in _told(old, new) if fact.direct] == ["express"]
    assert story([LockFiles()], old, new).headline == (
        "express 1.0.0 → 1.1.0 and 2 more (package-lock.json)"
    )


def test_a_change_of_dependencies_alone_is_the_news() -> None:
    old = {
        "package.json": b'{"dependencies": {"a": "1"}}',
        "package-lock.json": _lock(b=_package("1.0.0")),
    }
    new = {**old, "package-lock.json": _lock(b=_package("1.0.1"))}

    assert [(fact.subject, fact.direct) for fact in _told(old, new)] == [("b", True)]


def test_what_was_installed_is_told_once() -> None:
    def moment(version: str) -> Moment:
        hidden = json.dumps({"packages": {"node_modules/a": {"version": version}}}).encode()
        return {
            "package.json": json.dumps({"dependencies": {"a": version}}).encode(),
            "package-lock.json": _lock(a=_package(version), a_darwin=_package(version)),
            "node_modules/.package-lock.json": hidden,
            "node_modules/a/package.json": json.dumps({"name": "a", "version": version}).encode(),
        }

    found = story([Npm(), LockFiles()], moment("1.0.0"), moment("1.1.0"))

    assert found.headline == "changed a 1.0.0 → 1.1.0 (npm)"
    assert {fact.kind for fact in found.facts} == {"package.changed"}


def test_a_lock_that_was_written_again_with_the_same_versions_says_so() -> None:
    (fact,) = _told(
        {"package-lock.json": _lock(a=_package())},
        {"package-lock.json": _lock(a=_package()) + b"\n"},
    )

    assert (fact.kind, fact.marks) == ("config.changed", ("lock file", "same versions"))


def test_an_emptied_lock_is_one_line() -> None:
    old = _lock(**{f"p{number}": _package() for number in range(50)})
    (fact,) = _told({"package-lock.json": old}, {"package-lock.json": _lock()})

    assert fact.marks == ("no packages left of 50",)


def _uv_lock(names: str) -> bytes:
    source = 'source = { registry = "https://pypi.org/simple" }'
    return "".join(
        f'[[package]]\nname = "{name}"\nversion = "1"\n{source}\n' for name in names
    ).encode()


def test_packages_that_go_while_others_stay_are_told_by_name() -> None:
    for path, old, new in (
        ("package-lock.json", _lock(a=_package(), b=_package(), c=_package()), _lock(c=_package())),
        ("uv.lock", _uv_lock("abc"), _uv_lock("c")),
    ):
        assert [one[:2] for one in _said({path: old}, {path: new})] == [
            ("lock.removed", "a"), ("lock.removed", "b"),
        ]  # fmt: skip


# Hosts


def test_packages_from_another_host_are_counted_and_named() -> None:
    old = {"package-lock.json": _lock(a=_package(), b=_package(), c=_package())}
    new = {"package-lock.json": _lock(a=_package(host=HOST), b=_package(host=HOST), c=_package())}
    result = story([LockFiles()], old, new)

    assert _high(old, new) == [("security.registry", "package-lock.json", HOST)]
    assert result.headline == f"! package-lock.json: 2 packages now from {HOST}"
    assert result.lines[0].text == (
        f"package-lock.json: 2 packages now from {HOST}, before from registry.npmjs.org (a and b)"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("registry.npmjs.org", "registry.yarnpkg.com"),
        ("registry.npmjs.org", "REGISTRY.npmjs.org"),
        ("registry.npmjs.org", "registry.npmjs.org:443"),
        ("npm.corp.example", "registry.npmjs.org"),
        ("registry.npmjs.org", "localhost:4873"),
    ],
)
def test_the_same_registry_and_a_switch_back_are_no_warnings(before: str, after: str) -> None:
    old = {"package-lock.json": _lock(a=_package(host=before))}

    assert _high(old, {"package-lock.json": _lock(a=_package(host=after))}) == []


def test_a_new_package_from_a_known_mirror_is_no_warning_and_from_another_is() -> None:
    old = {"package-lock.json": _lock(a=_package(host="npm.corp.example"))}
    more = _lock(a=_package(host="npm.corp.example"), b=_package(host="npm.corp.example"))
    other = _lock(a=_package(host="npm.corp.example"), b=_package(host=HOST))

    assert _high(old, {"package-lock.json": more}) == []
    assert _high(old, {"package-lock.json": other}) == [
        ("security.registry", "package-lock.json", HOST)
    ]


def test_of_a_new_lock_only_other_hosts_are_told_as_a_note() -> None:
    assert _told({}, {"package-lock.json": LOCK}) == []
    (fact,) = _told({}, {"package-lock.json": _lock(a=_package(host=HOST))})
    assert (fact.kind, fact.severity, fact.after) == ("security.registry", "note", HOST)


def test_passwords_in_addresses_are_never_told() -> None:
    old = {"package-lock.json": _lock(a=_package())}
    new = {"package-lock.json": _lock(a=_package(host=f"build:canary-7f3a@{HOST}"))}
    git = (
        b'{"dependencies": {"a": "git+https://x:canary-7f3a@git.example/a.git?t=canary-7f3a#main"}}'
    )
    pip = b"a @ https://canary-7f3a:x@files.example/a-1.whl?token=canary-7f3a\n"

    for moments in (
        (old, new),
        ({"package.json": b'{"dependencies": {"a": "1"}}'}, {"package.json": git}),
        ({"requirements.txt": b"a==1\n"}, {"requirements.txt": pip}),
    ):
        result = story([LockFiles()], *moments)
        assert any(line.severity == "high" for line in result.lines)
        assert "canary" not in repr(result)


def test_a_lock_without_encryption_is_a_warning() -> None:
    new = _lock(a={**_package(), "resolved": "http://registry.npmjs.org/a/-/a-1.0.0.tgz"})

    assert _high({"package-lock.json": _lock(a=_package())}, {"package-lock.json": new}) == [
        ("security.tls", "package-lock.json", None)
    ]


def test_dependencies_of_dependencies_and_test_data_are_not_judged() -> None:
    for path, severities in (
        ("node_modules/x/package-lock.json", []),
        ("tests/fixtures/app/package-lock.json", ["note"]),
    ):
        old, new = {path: _lock(a=_package())}, {path: _lock(a=_package(host=HOST))}
        assert [fact.severity for fact in _told(old, new)] == severities


# Digests


def test_a_missing_digest_is_a_warning() -> None:
    bare = {key: value for key, value in _package().items() if key != "integrity"}
    old, new = {"package-lock.json": _lock(a=_package())}, {"package-lock.json": _lock(a=bare)}

    assert _high(old, new) == [("security.integrity", "package-lock.json", "no hash")]
    assert story([LockFiles()], old, new).headline == (
        "! package-lock.json: a is no longer checked against a hash"
    )


def test_a_weaker_digest_is_a_warning_and_a_stronger_one_is_not() -> None:
    weak, strong = _package(integrity="sha1-abcdefgh"), _package()

    assert _high({"package-lock.json": _lock(a=strong)}, {"package-lock.json": _lock(a=weak)}) == [
        ("security.integrity", "package-lock.json", "a weaker hash")
    ]
    assert _high({"package-lock.json": _lock(a=weak)}, {"package-lock.json": _lock(a=strong)}) == []


def test_a_wheel_more_for_the_same_version_is_no_warning() -> None:
    lock = (TESTDATA / "uv.after.lock").read_bytes()
    wheel = (
        b'    { url = "https://files.pythonhosted.org/x/idna-3.6-cp312.whl", hash = "sha256:'
        + b"d" * 64
        + b'" },\n]'
    )

    assert _high({"uv.lock": lock}, {"uv.lock": lock.replace(b"]", wheel, 4)}) == []


def test_a_digest_more_where_any_may_match_is_a_note() -> None:
    old = (TESTDATA / "requirements.after.txt").read_bytes()
    new = old.replace(b"six==1.17.0 \\", b"six==1.17.0 \\\n    --hash=sha256:" + b"e" * 64 + b" \\")
    (fact,) = _told({"requirements.txt": old}, {"requirements.txt": new})

    assert (fact.kind, fact.after, fact.severity) == ("security.integrity", "one more hash", "note")


def test_one_of_several_digests_replaced_by_another_is_a_warning() -> None:
    old = (TESTDATA / "requirements.after.txt").read_bytes()
    at = old.index(b"--hash=sha256:", old.index(b"six==1.17.0")) + len(b"--hash=sha256:")
    new = old[:at] + b"5" * 64 + old[at + 64 :]
    (fact,) = _told({"requirements.txt": old}, {"requirements.txt": new})

    assert (fact.kind, fact.after, fact.severity) == ("security.integrity", "another hash", "high")
    assert fact.marks == ("six 1.17.0",)


def test_hashes_removed_from_requirements_are_one_warning() -> None:
    old = (TESTDATA / "requirements.after.txt").read_bytes()

    assert _high({"requirements.txt": old}, {"requirements.txt": b"idna==3.6\nsix==1.17.0\n"}) == [
        ("security.integrity", "requirements.txt", "no hash")
    ]


def test_a_lock_in_a_newer_form_is_no_danger() -> None:
    for before, after in (("npm1", "npm2"), ("npm2", "npm3"), ("npm3", "npm1"), ("npm1", "npm3")):
        old, new = ((TESTDATA / f"{one}.before.json").read_bytes() for one in (before, after))
        (fact,) = _told({"package-lock.json": old}, {"package-lock.json": new})
        assert fact.marks == ("lock file", "same versions")
    old, new = ((TESTDATA / f"{one}.before.lock").read_bytes() for one in ("yarn1", "berry"))
    assert _high({"yarn.lock": old}, {"yarn.lock": new}) == []


def test_content_that_may_differ_in_one_version_is_no_danger() -> None:
    branch = json.dumps(
        {
            "packages": [
                {
                    "name": "a/b",
                    "version": "1.x-dev",
                    "source": {"url": "https://github.com/a/b", "reference": "REF"},
                }
            ]
        }
    )
    pods = "PODS:\n  - Local (1.0)\n\nEXTERNAL SOURCES:\n  Local:\n    :path: ../local\n\nSPEC CHECKSUMS:\n  Local: REF\n"
    terraform = (
        'provider "registry.terraform.io/a/b" {\n  version = "1.0"\n  hashes = [\n    "h1:REF",\n    "zh:'
        + "a" * 64
        + '",\n  ]\n}\n'
    )

    for path, text in (
        ("composer.lock", branch),
        ("Podfile.lock", pods),
        (".terraform.lock.hcl", terraform),
    ):
        old, new = ({path: text.replace("REF", letter * 40).encode()} for letter in "cd")
        assert _high(old, new) == []


# Origins


@pytest.mark.parametrize(
    ("path", "old", "new", "after"),
    [
        ("package.json", b'{"dependencies": {"x": "^1.0.0"}}', b'{"dependencies": {"x": "git+https://git.example/a/x.git#main"}}', "git at git.example/a/x"),
        ("package.json", b'{"dependencies": {"x": "^1.0.0"}}', b'{"dependencies": {"x": "someone/x"}}', "git at github.com/someone/x"),
        ("package.json", b'{"dependencies": {"x": "^1.0.0"}}', b'{"dependencies": {"x": "https://files.example/x.tgz"}}', "a URL at files.example"),
        ("package.json", b'{"devDependencies": {"x": "1"}}', b'{"devDependencies": {"x": "git@git.example:a/x.git"}}', "git at git.example/a/x"),
        ("requirements.txt", b"x==1.0\n", b"x @ git+https://git.example/a/x.git@main#egg=x\n", "git at git.example/a/x"),
        ("requirements-dev.txt", b"x==1.0\n", b"-e git+ssh://git@git.example/a/x.git@main#egg=x\n", "git at git.example/a/x"),
        ("requirements/base.txt", b"x==1.0\n", b"x @ https://files.example/x-1.0.whl\n", "a URL at files.example"),
        ("pyproject.toml", b'[project]\ndependencies = ["x>=1"]\n', b'[project]\ndependencies = ["x @ git+https://git.example/a/x"]\n', "git at git.example/a/x"),
        ("pyproject.toml", b'[project]\ndependencies = ["x>=1"]\n', b'[project]\ndependencies = ["x>=1"]\n[tool.uv.sources]\nx = { git = "https://git.example/a/x" }\n', "git at git.example/a/x"),
        ("pyproject.toml", b'[tool.poetry.dependencies]\nx = "^1"\n', b'[tool.poetry.dependencies]\nx = { git = "https://git.example/a/x.git", branch = "main" }\n', "git at git.example/a/x"),
        ("Pipfile", b'[packages]\nx = "*"\n', b'[packages]\nx = { git = "https://git.example/a/x.git" }\n', "git at git.example/a/x"),
        ("Cargo.toml", b'[dependencies]\nx = "1"\n', b'[dependencies]\nx = { git = "https://git.example/a/x" }\n', "git at git.example/a/x"),
        ("go.mod", b"module a\n\nrequire git.corp.example/x v1.0.0\n", b"module a\n\nrequire git.corp.example/x v1.0.0\n\nreplace git.corp.example/x => github.com/someone/x v1.0.1\n", "git at github.com/someone/x"),
        ("Gemfile", b"gem 'x', '~> 1.0'\n", b"gem 'x', git: 'https://git.example/a/x.git'\n", "git at git.example/a/x"),
        ("pubspec.yaml", b"dependencies:\n  x: ^1.0.0\n", b"dependencies:\n  x:\n    git: https://git.example/a/x.git\n", "git at git.example/a/x"),
        ("package.json", b'{"dependencies": {"x": "^1.0.0"}}', b'{"dependencies": {"x": "npm:evil@1.0.0"}}', "the package evil"),
        ("Cargo.toml", b'[dependencies]\nx = "1"\n', b'[dependencies]\nx = { package = "evil", version = "1" }\n', "the package evil"),
        ("deno.json", b'{"imports": {"x": "jsr:@a/x@1"}}', b'{"imports": {"x": "https://files.example/x.ts"}}', "a URL at files.example"),
    ],
)  # fmt: skip
def test_a_requirement_that_comes_from_elsewhere_is_a_warning(
    path: str, old: bytes, new: bytes, after: str
) -> None:
    name = "git.corp.example/x" if path == "go.mod" else "x"

    assert _high({path: old}, {path: new}) == [("security.dependency", name, after)]
    assert _high({path: new}, {path: old}) == []


def test_a_lock_entry_that_comes_from_git_is_told_once_with_its_manifest() -> None:
    git: dict[str, object] = {
        "version": "1.0.0",
        "resolved": f"git+ssh://git@{HOST}/a/x.git#{'4f' * 20}",
    }
    old = {
        "package.json": b'{"dependencies": {"x": "1"}}',
        "package-lock.json": _lock(x=_package()),
    }
    new = {
        "package.json": f'{{"dependencies": {{"x": "git+https://{HOST}/a/x.git"}}}}'.encode(),
        "package-lock.json": _lock(x=git),
    }

    assert _high(old, {**old, "package-lock.json": _lock(x=git)}) == [
        ("security.dependency", "x", f"git at {HOST}/a/x")
    ]
    assert _high(old, new) == [("security.dependency", "x", f"git at {HOST}/a/x")]
    assert [fact.scope for fact in _told(old, new) if fact.severity == "high"] == ["package.json"]


def test_a_fork_of_the_same_name_is_a_warning_and_another_commit_is_not() -> None:
    def lock(owner: str, commit: str) -> Moment:
        return {
            "package-lock.json": _lock(
                x={"resolved": f"git+https://github.com/{owner}/x.git#{commit}"}
            )
        }

    assert _high(lock("one", "a" * 40), lock("two", "a" * 40)) == [
        ("security.dependency", "x", "git at github.com/two/x")
    ]
    (fact,) = _told(lock("one", "a" * 40), lock("one", "b" * 40))
    assert (fact.kind, fact.before, fact.after) == ("lock.changed", "aaaaaaa", "bbbbbbb")


def test_replacements_of_packages_count_however_deep() -> None:
    for new in (
        b'{"overrides": {"x": "git+https://git.example/a/x"}}',
        b'{"overrides": {"y": {"x": "git+https://git.example/a/x"}}}',
        b'{"resolutions": {"x": "https://git.example/x.tgz"}}',
        b'{"pnpm": {"overrides": {"x": "git+https://git.example/a/x"}}}',
    ):
        ((kind, subject, _),) = _high({"package.json": b"{}"}, {"package.json": new})
        assert (kind, subject.partition(" ")[0]) == ("security.dependency", "x")
    assert (
        _high(
            {"package.json": b"{}"},
            {"package.json": b'{"dependencies": {"react17": "npm:react@17"}}'},
        )
        == []
    )


def test_members_of_a_workspace_and_local_paths_are_no_warnings() -> None:
    for new in (
        b'{"dependencies": {"x": "workspace:*"}}', b'{"dependencies": {"x": "file:../x"}}',
        b'{"dependencies": {"x": "link:../x"}}',
    ):  # fmt: skip
        assert _high({"package.json": b'{"dependencies": {"x": "1"}}'}, {"package.json": new}) == []
    assert (
        _high(
            {"requirements.txt": b"x\n"}, {"requirements.txt": b"-e .\nx\n-r base.txt\n./libs/y\n"}
        )
        == []
    )


def test_a_new_requirement_from_a_forge_is_a_note_and_from_another_host_a_warning() -> None:
    old = {"requirements.txt": b"a==1\n"}
    forge = {"requirements.txt": b"a==1\nx @ git+https://github.com/someone/x@v1\n"}
    other = {"requirements.txt": b"a==1\nx @ git+https://git.example/someone/x@v1\n"}

    assert [fact.severity for fact in _told(old, forge)] == ["note"]
    assert [fact.severity for fact in _told(old, other)] == ["high"]


# Scripts


def test_a_version_that_brings_a_script_is_a_warning() -> None:
    old = {"package-lock.json": _lock(a=_package("1.0.0"))}
    new = {"package-lock.json": _lock(a=_package("1.0.1", hasInstallScript=True))}

    assert _high(old, new) == [("security.install_script", "a", "1.0.1")]


def test_a_package_that_always_had_a_script_and_a_new_one_are_no_warnings() -> None:
    had = _lock(a=_package("1.0.0", hasInstallScript=True))
    has = _lock(a=_package("1.0.1", hasInstallScript=True))

    assert _high({"package-lock.json": had}, {"package-lock.json": has}) == []
    (fact,) = _told({"package-lock.json": _lock()}, {"package-lock.json": has})
    assert (fact.kind, fact.marks) == ("lock.added", ("install script",))


# Manifests


@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        ("requirements.txt", b"six==1.16.0\n", b"six==1.17.0\nidna>=3,<4\n", [("lock.added", "idna", None, ">=3,<4"), ("lock.changed", "six", "1.16.0", "1.17.0")]),
        ("package.json", b'{"dependencies": {"left-pad": "^1.3.0"}}', b'{"dependencies": {"left-pad": "1.1.0"}}', [("lock.changed", "left-pad", "^1.3.0", "1.1.0")]),
        ("pyproject.toml", b'[project]\ndependencies = ["six<1.17"]\n', b'[project]\ndependencies = ["six<1.18"]\n', [("lock.changed", "six", "<1.17", "<1.18")]),
        ("pyproject.toml", b'[tool.poetry.group.dev.dependencies]\npytest = "^7"\n', b'[tool.poetry.group.dev.dependencies]\npytest = "^8"\n', [("lock.changed", "pytest", "^7", "^8")]),
        ("Cargo.toml", b'[dependencies]\nserde = "1.0"\n', b'[dependencies]\nserde = { version = "1.1", features = ["derive"] }\n', [("lock.changed", "serde", "1.0", "1.1")]),
        ("go.mod", b"module a\n\nrequire golang.org/x/text v0.3.0\n", b"module a\n\nrequire (\n\tgolang.org/x/text v0.14.0\n)\n", [("lock.changed", "golang.org/x/text", "v0.3.0", "v0.14.0")]),
        ("Gemfile", b"gem 'rails', '~> 7.0'\n", b"gem 'rails', '~> 7.1'\ngem \"puma\"\n", [("lock.added", "puma", None, None), ("lock.changed", "rails", "~> 7.0", "~> 7.1")]),
        ("composer.json", b'{"require": {"monolog/monolog": "^2"}}', b'{"require": {"monolog/monolog": "^3"}}', [("lock.changed", "monolog/monolog", "^2", "^3")]),
        ("pom.xml", b"<project><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>1</version></dependency></dependencies></project>", b"<project><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>2</version></dependency></dependencies></project>", [("lock.changed", "g:a", "1", "2")]),
        ("app/build.gradle.kts", b'dependencies {\n  implementation("g:a:1.0")\n}\n', b'dependencies {\n  implementation("g:a:1.1")\n}\n', [("lock.changed", "g:a", "1.0", "1.1")]),
        ("App.csproj", b'<PackageReference Include="A.B" Version="1.0" />', b'<PackageReference Include="A.B" Version="2.0" />', [("lock.changed", "A.B", "1.0", "2.0")]),
        ("environment.yml", b"name: x\ndependencies:\n  - numpy=1.26\n", b"name: x\ndependencies:\n  - numpy=2.0\n  - pip:\n    - six==1.17.0\n", [("lock.changed", "numpy", "1.26", "2.0"), ("lock.added", "six", None, "1.17.0")]),
        ("pubspec.yaml", b"name: x\ndependencies:\n  http: ^1.1.0\n", b"name: x\ndependencies:\n  http: ^1.2.0\n", [("lock.changed", "http", "^1.1.0", "^1.2.0")]),
        ("Pipfile", b'[packages]\nsix = "<1.17"\n', b'[packages]\nsix = "<1.18"\n', [("lock.changed", "six", "<1.17", "<1.18")]),
        ("Package.swift", b'.package(url: "https://github.com/apple/swift-nio.git", from: "2.0.0")', b'.package(url: "https://github.com/apple/swift-nio.git", from: "2.1.0")', [("lock.changed", "swift-nio", "2.0.0", "2.1.0")]),
    ],
)  # fmt: skip
def test_manifests_are_told_by_package(
    path: str, old: bytes, new: bytes, said: list[tuple[str, str, str | None, str | None]]
) -> None:
    assert _said({path: old}, {path: new}) == said
    (finding, *_) = findings(LockFiles(), evidence({path: old}, {path: new}))
    assert path in finding.claims


def test_a_manifest_with_other_changes_is_left_to_others_as_well() -> None:
    old = b'{"version": "1.0.0", "dependencies": {"a": "1"}}'
    new = b'{"version": "1.1.0", "dependencies": {"a": "2"}}'
    (finding,) = findings(LockFiles(), evidence({"package.json": old}, {"package.json": new}))

    assert finding.claims == ()


def test_a_manifest_beside_its_lock_is_secondary() -> None:
    old = {
        "package.json": b'{"dependencies": {"a": "1.0.0"}}',
        "package-lock.json": _lock(a=_package()),
    }
    new = {
        "package.json": b'{"dependencies": {"a": "1.1.0"}}',
        "package-lock.json": _lock(a=_package("1.1.0")),
    }

    assert story([LockFiles()], old, new).headline == "a 1.0.0 → 1.1.0 (package-lock.json)"


def test_a_similar_name_is_marked() -> None:
    old = {"requirements.txt": b"urllib3==2.2.1\nrequests==2.31.0\n"}
    for name in ("urlib3", "urllbi3", "urllibb3", "request"):
        (fact,) = _told(
            old, {"requirements.txt": old["requirements.txt"] + f"{name}==1.0\n".encode()}
        )
        assert fact.marks == (f"similar name: {'requests' if name == 'request' else 'urllib3'}",)
    for name in ("idna", "urllib3-mock", "urllib4", "flask"):
        (fact,) = _told(
            old, {"requirements.txt": old["requirements.txt"] + f"{name}==1.0\n".encode()}
        )
        assert fact.marks == ()


def test_files_with_other_names_and_unreadable_manifests_say_nothing() -> None:
    assert _told({"notes.txt": b"six==1\n"}, {"notes.txt": b"six==2\n"}) == []
    assert _told({"package.json": b'{"dependencies": {"a": "1"}}'}, {"package.json": b"{"}) == []
    assert problems(LockFiles(), {"package-lock.json": LOCK}, {"package-lock.json": b"{"}) == [
        ("package-lock.json", "cannot be read (JSONDecodeError)")
    ]
    assert (
        problems(LockFiles(), {"yarn.lock": b"a"}, {"yarn.lock": file(b"", size=1 << 40)})[0][0]
        == "yarn.lock"
    )


def test_every_lock_that_is_known_by_name_is_a_lock_file_of_the_settings() -> None:
    from clew.detectors.files.config_files import LOCK_FILES

    assert {*LOCK_FILES} - {*LOCKS} == {"bun.lockb"}  # binary
