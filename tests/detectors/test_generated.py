from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from clew.detectors.files.generated import Generated
from tests.kit.moments import Moment, Thing, directory, evidence, file, findings, story

TAG = b"Signature: 8a477f597d28d172789f06886806bc55\n# made by us\n"


def _said(old: Moment, new: Moment) -> list[tuple[str, str, str | None]]:
    found = findings(Generated(), evidence(old, new))
    return [(fact.scope, fact.subject, fact.after) for one in found for fact in one.facts]


def _claimed(old: Moment, new: Moment) -> set[str]:
    return {path for one in findings(Generated(), evidence(old, new)) for path in one.claims}


def test_output_is_told_by_the_topmost_directory() -> None:
    new = {"web/dist/a.js": b"", "web/dist/x/dist/b.js": b"", "web/src/a.ts": b""}

    assert _said({}, new) == [("build", "web/dist", "2")]
    assert _claimed({}, new) == {
        "web/dist", "web/dist/a.js", "web/dist/x", "web/dist/x/dist", "web/dist/x/dist/b.js",
    }  # fmt: skip


def test_what_lies_scattered_is_told_of_together() -> None:
    new = {
        "src/a/__pycache__/x.pyc": b"", "src/a/b/__pycache__/y.pyc": b"", "src/a/.DS_Store": b"",
        "c/main.o": b"", "c/main.c": b"",
    }  # fmt: skip

    assert _said({}, new) == [("build", "c", "1"), ("cache", "src/a", "3")]
    assert "c/main.c" not in _claimed({}, new)


@pytest.mark.parametrize(
    ("path", "scope", "subject"),
    [
        (".next/a", "build", ".next"),
        ("x.egg-info/PKG-INFO", "build", "x.egg-info"),
        ("a/.mypy_cache/3.11/x.json", "cache", "a/.mypy_cache"),
        ("home/al/.cache/pip/x", "cache", "home/al/.cache"),
        ("root/.npm/_cacache/x", "cache", "root/.npm"),
        ("var/cache/apt/pkgcache.bin", "cache", "var/cache"),
        ("tmp/x/y", "cache", "tmp"),
        ("home/al/.cargo/registry/index/x", "cache", "home/al/.cargo/registry"),
        ("home/al/go/pkg/mod/cache/x", "cache", "home/al/go/pkg/mod"),
        ("src/.a.py.swp", "cache", "src"),
        (".DS_Store", "cache", "."),
    ],
)
def test_places_and_names_that_programs_use(path: str, scope: str, subject: str) -> None:
    assert _said({}, {path: b"x"}) == [(scope, subject, "1")]


def test_a_doubtful_name_needs_a_manifest_beside_it() -> None:
    for name, manifest in (
        ("target", "Cargo.toml"),
        ("build", "package.json"),
        ("out", "tsconfig.json"),
    ):
        inside = {f"a/{name}/x.txt": b""}

        assert _said({}, inside) == []
        assert _said({f"a/{manifest}": b""}, {f"a/{manifest}": b"", **inside}) == [
            ("build", f"a/{name}", "1")
        ]


def test_a_directory_with_the_tag_of_a_cache_is_one() -> None:
    assert _said({}, {"a/mine/CACHEDIR.TAG": TAG, "a/mine/x/y": b""}) == [("cache", "a/mine", "2")]
    assert _said(
        {"t/target/CACHEDIR.TAG": TAG}, {"t/target/CACHEDIR.TAG": TAG, "t/target/y": b""}
    ) == [("build", "t/target", "1")]
    assert _said({}, {"a/mine/CACHEDIR.TAG": b"no signature", "a/mine/y": b""}) == []


@pytest.mark.parametrize(
    "path",
    [
        ".git/refs/heads/dist/x", "a/.git/logs/refs/heads/build/b", "etc/dist/x", "src/dist.py",
        "distribution/a", "src/build/main.c", "var/lib/cache.db", "web/tmpl/x",
    ],
)  # fmt: skip
def test_what_people_write_is_not_swallowed(path: str) -> None:
    assert _said({}, {path: b"x"}) == []


def test_only_caches_make_the_headline_that_says_so() -> None:
    caches: Moment = {f".cache/{n}": b"" for n in range(13)}

    assert (
        story([], {}, caches, [Generated()]).headline == "only logs and caches changed (13 files)"
    )
    assert (
        story([], {}, {"dist/a": b"", "dist/b": b""}, [Generated()]).headline
        == "build output added (2 files in dist)"
    )


def test_removed_and_changed_output_counts() -> None:
    assert _said({"dist/a": b"1", "dist/b": b"1"}, {"dist/a": b"2"}) == [("build", "dist", "2")]


def test_an_empty_directory_in_the_output_is_claimed() -> None:
    assert "dist/assets" in _claimed({}, {"dist/a": b"", "dist/assets": directory()})


def test_very_many_directories_share_few_lines() -> None:
    new: Moment = {f"p{n % 7}/m{n}/dist/x": b"" for n in range(700)}

    said = _said({}, new)

    assert [(scope, subject) for scope, subject, _ in said] == [
        ("build", f"p{n}") for n in range(7)
    ]
    assert sum(int(number or 0) for _, _, number in said) == 700
    assert len(_claimed({}, new)) >= 1_400


def test_twenty_thousand_paths_are_over_soon() -> None:
    new: Moment = {f"node_modules/p{n % 500}/x{n}.js": b"" for n in range(20_000)}
    deep: Moment = {"/".join(["d"] * 2_000) + "/x": b""}
    found = evidence({}, {**new, **deep})
    began = time.monotonic()

    assert len(findings(Generated(), found)) == 1
    assert time.monotonic() - began < 3


def _git(directory: Path, *words: str) -> str:
    made = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
        cwd=directory, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return made.stdout


def _moment(root: Path) -> dict[str, bytes | Thing]:
    found: dict[str, bytes | Thing] = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        found[name] = directory() if path.is_dir() else file(path.read_bytes())
    return found


def _write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def test_git_decides_what_is_kept_and_what_is_ignored(tmp_path: Path) -> None:
    _git(tmp_path, "init", "-q")
    _write(tmp_path, {
        "package.json": "{}", ".gitignore": "local/\n*.bin\n/dist/\n", "build/rules.mk": "a",
        "docs/dist/kept.js": "a", "src/main.c": "a",
    })  # fmt: skip
    _git(tmp_path, "add", "-A", "-f")
    old = _moment(tmp_path)
    changed = {
        "build/rules.mk": "b", "build/more.mk": "b", "docs/dist/kept.js": "b", "local/a/b": "b",
        "local/c": "b", "src/x.bin": "b", "dist/out.js": "b", "src/main.c": "b",
    }  # fmt: skip
    _write(tmp_path, changed)
    ignored = set(_git(tmp_path, "check-ignore", *changed).split())

    new = _moment(tmp_path)

    assert _said(old, new) == [
        ("build", "dist", "1"),
        ("ignored", "src", "1"),
        ("ignored", "local", "2"),
    ]
    assert {path for path in _claimed(old, new) if path in changed} == ignored


def test_ignored_logs_and_settings_are_left_to_those_who_know_them() -> None:
    ignore = b"*.log\nlocal.ini\nscratch.py\nout/\n*.dat\n"
    head: Moment = {
        ".git/HEAD": b"ref: refs/heads/main\n", ".git/objects/x": b"", ".git/refs/x": b"",
        ".gitignore": ignore,
    }  # fmt: skip
    names = ("app.log", "local.ini", "scratch.py", "out/made.py", "out/made.ini", "x.dat")
    old: Moment = {**head, **dict.fromkeys(names, b"a=1\n")}
    new: Moment = {**head, **dict.fromkeys(names, b"a=2\n")}

    assert _said(old, new) == [("ignored", ".", "1"), ("ignored", "out", "2")]


def test_what_happened_to_generated_files_is_told_truthfully() -> None:
    one: Moment = {"dist/a": b"1", "dist/b": b"2"}

    def told(old: Moment, new: Moment) -> str:
        return story([], old, new, [Generated()]).lines[0].text

    assert told(one, {}) == "build output deleted (2 files): dist"
    assert told({}, one) == "build output added (2 files): dist"
    assert told(one, {"dist/a": b"3", "dist/b": b"4"}) == "build output changed (2 files): dist"
    assert told(one, {"dist/a": b"3", "dist/c": b"4"}) == (
        "build output changed (3 files, 1 added, 1 changed, 1 deleted): dist"
    )


def test_files_of_one_name_are_named() -> None:
    new = {f"{place}.DS_Store": b"\0\0\0\1Bud1" for place in ("", "shop/", "tests/", ".github/")}

    told = story([], {}, new, [Generated()])

    assert told.headline == "only .DS_Store added (4 files)"
    assert told.lines[0].text == ".DS_Store added (4 files): ., .github, shop and tests"
