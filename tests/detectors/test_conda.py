from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.detectors.python.conda import Conda, history_specs
from clew.detectors.python.pip import Pip
from tests.detectors.python_trees import Tree, made
from tests.kit.moments import evidence, facts, file, findings, problems, story

DATA = Path(__file__).parent / "testdata" / "conda"
ROOT = "opt/conda/envs/ml"
META = f"{ROOT}/conda-meta"


def _real(moment: str) -> Tree:
    """Return a prefix of rattler, the engine of pixi, with files generated from its records."""
    found: Tree = {f"{ROOT}/CACHEDIR.TAG": b"Signature"}
    for path in sorted((DATA / moment / "conda-meta").iterdir()):
        found[f"{META}/{path.name}"] = path.read_bytes()
        if path.suffix == ".json":
            for entry in json.loads(path.read_bytes())["paths_data"]["paths"]:
                content = moment.encode().ljust(entry["size_in_bytes"])[: entry["size_in_bytes"]]
                found[f"{ROOT}/{entry['_path']}"] = content
    found[f"{ROOT}/lib/python3.12/__pycache__/os.cpython-312.pyc"] = b""
    return found


def _record(name: str, version: str, **more: Any) -> Tree:
    said = {"name": name, "version": version, "build": "0", "channel": "conda-forge", "files": []}
    return {f"{META}/{name}-{version}-0.json": json.dumps(said | more).encode()}


def _unclaimed(old: Tree, new: Tree) -> list[str]:
    found = evidence(old, new)
    findings(Conda(), found)
    return [
        path
        for path, change in found.changes.items()
        if path not in found.claimed and not change.is_directory
    ]


def test_a_new_prefix_tells_what_was_asked_for_and_explains_every_file() -> None:
    new = _real("before")

    found = facts(Conda(), {}, new)

    assert [(f.kind, f.scope, f.subject, f.after, f.direct) for f in found] == [
        ("package.added", f"conda:{ROOT}", "greet", "2.0", True),
        ("package.added", f"conda:{ROOT}", "libgreet", "1.1", False),
        ("package.added", f"conda:{ROOT}", "python", "3.12.1", False),
    ]
    assert _unclaimed({}, new) == []


def test_a_downgrade_is_one_change_that_is_noted() -> None:
    old, new = _real("before"), _real("after")

    (fact,) = facts(Conda(), old, new)

    assert (fact.subject, fact.before, fact.after) == ("greet", "2.0", "1.5")
    assert (fact.marks, fact.severity, fact.direct) == (("downgrade",), "note", True)


def test_a_prefix_that_is_gone_is_explained_whole() -> None:
    old = _real("before") | {f"{ROOT}/etc/stray": b"", "opt/other": b""}

    found = facts(Conda(), old, {"opt/other": b""})

    assert {fact.kind for fact in found} == {"package.removed"}
    assert _unclaimed(old, {"opt/other": b""}) == []


def test_pip_and_conda_do_not_tell_the_same_package_twice() -> None:
    new = _real("before") | made("a", "1", f"{ROOT}/lib/python3.12/site-packages")

    for old, now in (({}, new), (new, {})):
        result = story([Conda(), Pip()], old, now)

        assert sorted((fact.scope, fact.subject) for fact in result.facts) == [
            (f"conda:{ROOT}", "greet"),
            (f"conda:{ROOT}", "libgreet"),
            (f"conda:{ROOT}", "python"),
            (f"pip:{ROOT}", "a"),
        ]
        assert {line.heading for line in result.lines} == {"Packages"}


def test_history_says_what_was_asked_for() -> None:
    new = _record("numpy", "2.0") | _record("libblas", "3.9")
    new[f"{META}/history"] = (
        b"==> 2026-04-01 16:26:51 <==\n# cmd: conda create -n ml numpy\n# conda version: 26.1.1\n"
        b"+conda-forge/linux-64::numpy-2.0-0\n# update specs: ['conda-forge::numpy>=2']\n"
    )

    assert [(f.subject, f.direct) for f in facts(Conda(), {}, new)] == [
        ("libblas", False),
        ("numpy", True),
    ]
    assert _unclaimed({}, new) == []


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (b"# update specs: ['biopython=1.78', 'pysam=0.16.0.1']", {"biopython", "pysam"}),
        (b"# update specs: [\"param[version='>=1.5.1,<2.0']\"]", {"param"}),
        (b"# install specs: param >=1.5.1,<2.0", {"param"}),
        (b"# update specs: ['a', 'b']\r\n# remove specs: ['a']\r\n", {"b"}),
        (b"# neutered specs: ['numpy']", set()),
    ],
)
def test_specs_of_every_age_are_read(line: bytes, names: set[str]) -> None:
    assert history_specs(line) == names


def test_another_build_and_another_channel_are_said() -> None:
    old = _record("numpy", "2.0", build="0")
    token = "https://conda.anaconda.org/t/canary-7f3a/private/linux-64"
    new = _record("numpy", "2.0", build="1", channel=token)

    result = story([Conda()], old, new)

    assert result.facts[0].marks == ("other build", "from private")
    assert "canary" not in repr(result)


def test_the_same_record_written_again_is_no_fact() -> None:
    old, new = _record("numpy", "2.0"), _record("numpy", "2.0", timestamp=3)

    assert facts(Conda(), old, new) == []
    assert _unclaimed(old, new) == []


def test_the_cache_of_packages_belongs_to_the_installation() -> None:
    new = _record("numpy", "2.0") | {
        "opt/conda/pkgs/numpy-2.0-0/lib/a.py": b"",
        "opt/conda/pkgs/numpy-2.0-0.conda": b"",
        "opt/conda/pkgs/other-1-0/a": b"",
    }

    assert _unclaimed({}, new) == ["opt/conda/pkgs/other-1-0/a"]


def test_a_record_explains_nothing_outside_and_nothing_setuid() -> None:
    names = ["../../../../etc/passwd", "/etc/passwd", "bin/su", "lib/x", "bin/ok"]
    paths = [{"_path": "lib/x", "path_type": "hardlink", "size_in_bytes": 3}]
    new = _record("evil", "1", files=names, paths_data={"paths": paths})
    new |= {
        "etc/passwd": b"",
        f"{ROOT}/bin/su": file(b"", mode=0o4755),
        f"{ROOT}/lib/x": b"longer than recorded",
        f"{ROOT}/bin/ok": b"",
    }
    found = evidence({}, new)

    findings(Conda(), found)

    assert found.owners == {f"{ROOT}/bin/ok": "evil"}
    assert _unclaimed({}, new) == ["etc/passwd", f"{ROOT}/bin/su", f"{ROOT}/lib/x"]


@pytest.mark.parametrize(
    "content",
    [
        b"", b"[]", b"{}", b"[" * 100_000, b"\xff", b'{"name": 3, "version": "1"}',
        b'{"name": "\\u001b[31m", "version": "1"}', b'{"name": "a", "version": "1", "files": 3}',
    ],
)  # fmt: skip
def test_a_broken_record_costs_one_line(content: bytes) -> None:
    new = _record("good", "1") | {f"{META}/a-1-0.json": content}

    assert [fact.subject for fact in facts(Conda(), {}, new)] == ["good"]
    assert [path for path, _ in problems(Conda(), {}, new)] == [f"{META}/a-1-0.json"]


def test_a_record_that_is_too_large_costs_one_line() -> None:
    new = _record("good", "1") | {f"{META}/a-1-0.json": file(b"", size=1 << 40)}

    assert "too large" in problems(Conda(), {}, new)[0][1]


def test_a_file_called_like_the_directory_is_nothing() -> None:
    assert (
        findings(Conda(), evidence({}, {"conda-meta": b"", "x/conda-meta/deep/a.json": b"{"})) == []
    )
