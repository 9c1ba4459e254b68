"""Readers of lock files: real files of real tools, files by hand, and files of chance."""

from __future__ import annotations

import json
import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.detectors.locks.formats import LOCKS, MANIFESTS
from clew.detectors.locks.locked import LockContent
from clew.detectors.locks.requirements import read_requirements
from clew.detectors.locks.simple_yaml import read_yaml
from tests.detectors.lock_samples import SAMPLES, LockSample

TESTDATA = Path(__file__).parent / "testdata" / "locks"
NODE = {"left-pad": ({"1.1.3"}, {"1.3.0"}), "ms": ({"2.1.2"}, {"2.0.0", "2.1.2"})}
PYTHON = {"six": ({"1.16.0"}, {"1.17.0"})}
REAL = {
    "npm1": ("package-lock.json", NODE), "npm2": ("package-lock.json", NODE),
    "npm3": ("package-lock.json", NODE), "yarn1": ("yarn.lock", NODE), "berry": ("yarn.lock", NODE),
    "pnpm9": ("pnpm-lock.yaml", NODE), "bun": ("bun.lock", NODE),
    "deno": ("deno.lock", {"left-pad": NODE["left-pad"]}), "uv": ("uv.lock", PYTHON),
    "poetry": ("poetry.lock", PYTHON), "Pipfile": ("Pipfile.lock", PYTHON),
}  # fmt: skip
"""Files that the tools wrote: their format, and the versions that differ."""


def _file(stem: str, when: str) -> bytes:
    (path,) = TESTDATA.glob(f"{stem}.{when}.*")
    return path.read_bytes()


def _versions(content: LockContent, name: str) -> set[str]:
    return {package.version or package.commit for package in content.packages.get(name, ())}


@pytest.mark.parametrize("stem", REAL)
def test_files_of_the_real_tools_are_read(stem: str) -> None:
    name, expected = REAL[stem]
    old, new = LOCKS[name].read(_file(stem, "before"), _file(stem, "after"))

    differing = {
        one for one in {*old.packages, *new.packages} if _versions(old, one) != _versions(new, one)
    }
    assert differing == {*expected}
    for package, (before, after) in expected.items():
        assert (_versions(old, package), _versions(new, package)) == (before, after)
        assert all(one.digests for one in new.packages[package])


def test_the_hosts_of_real_files_are_those_of_the_public_registries() -> None:
    for stem, (name, _) in REAL.items():
        old, new = LOCKS[name].read(None, _file(stem, "after"))
        hosts = {
            origin.host
            for one in new.packages.values()
            for package in one
            for origin in package.origins
        }

        assert old == LockContent()
        assert hosts <= LOCKS[name].ecosystem.hosts
        assert hosts or stem in ("berry", "pnpm9", "bun", "deno")  # which do not name it


def test_what_the_project_itself_wants_is_read_where_the_lock_says_it() -> None:
    for stem in ("npm3", "berry", "pnpm9", "bun"):
        new = LOCKS[REAL[stem][0]].read(None, _file(stem, "after"))[1]
        assert (new.requested or set()) >= {"debug", "is-odd", "left-pad", "ms"}
        assert "is-number" not in (new.requested or set())
    assert LOCKS["uv.lock"].read(None, _file("uv", "after"))[1].requested == frozenset(
        ("idna", "six")
    )


def test_a_script_that_npm_notes_is_read() -> None:
    new = LOCKS["package-lock.json"].read(None, _file("npm3", "after"))[1]

    assert {
        name for name, found in new.packages.items() if any(one.runs_script for one in found)
    } == {"core-js"}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.file)
def test_every_format_tells_version_digest_and_host(sample: LockSample) -> None:
    old, new = sample.content("1.2.0"), sample.content("1.3.0", digest="b" * 64)
    before, after = LOCKS[sample.file].read(old, new)

    assert (_versions(before, sample.package), _versions(after, sample.package)) == (
        {sample.before}, {sample.after},
    )  # fmt: skip
    (package,) = after.packages[sample.package]
    if sample.has_digest:
        assert any("b" * 64 in one.value or one.value == "b" * 40 for one in package.digests)
    if sample.host:
        elsewhere = sample.content("1.3.0", host="packages.example.net")
        (moved,) = LOCKS[sample.file].read(old, elsewhere)[1].packages[sample.package]
        assert {origin.host for origin in moved.origins} == {"packages.example.net"}


def test_a_large_lock_is_read_in_bounded_time() -> None:
    block = _file("uv", "after").decode().split("[[package]]")[1]
    many = "version = 1\n" + "".join(
        f"[[package]]{block.replace('idna', f'package-{number}')}" for number in range(6_000)
    )
    changed = many.replace(
        'name = "package-77"\nversion = "3.6"', 'name = "package-77"\nversion = "3.7"'
    )
    started = time.process_time()
    old, new = LOCKS["uv.lock"].read(many.encode(), changed.encode())

    assert time.process_time() - started < 1
    assert (_versions(old, "package-77"), _versions(new, "package-77")) == ({"3.6"}, {"3.7"})


# Files of chance


_NAME = st.sampled_from(
    [f"{one}{other}" for one in ("a", "left-pad", "x1") for other in ("", "-b", "2")]
)
_VERSION = st.tuples(*[st.integers(0, 30)] * 3).map(lambda parts: ".".join(map(str, parts)))
_PACKAGES = st.dictionaries(_NAME, _VERSION, max_size=6)


@given(_PACKAGES)
@settings(max_examples=40)
def test_an_npm_lock_states_what_json_says(packages: dict[str, str]) -> None:
    text = json.dumps(
        {"packages": {f"node_modules/{name}": {"version": one} for name, one in packages.items()}}
    )
    content = LOCKS["package-lock.json"].read(None, text.encode())[1]

    assert json.loads(text)["packages"].keys() == {
        f"node_modules/{name}" for name in content.packages
    }
    assert {name: {one} for name, one in packages.items()} == {
        name: _versions(content, name) for name in content.packages
    }


@given(_PACKAGES, _PACKAGES)
@settings(max_examples=40)
def test_toml_in_blocks_states_what_tomllib_says(
    one: dict[str, str], other: dict[str, str]
) -> None:
    def text(packages: dict[str, str]) -> str:
        return "version = 1\n" + "".join(
            f'\n[[package]]\nname = "{name}"\nversion = "{version}"\n'
            'source = { registry = "https://pypi.org/simple" }\n'
            for name, version in packages.items()
        )

    for side, whole in zip(
        LOCKS["uv.lock"].read(text(one).encode(), text(other).encode()), (one, other), strict=True
    ):
        listed = {
            entry["name"]: {entry["version"]}
            for entry in tomllib.loads(text(whole)).get("package", ())
        }
        differing = {name for name in {*one, *other} if one.get(name) != other.get(name)}
        assert {name: listed[name] for name in listed if name in differing} == {
            name: _versions(side, name) for name in side.packages if name in differing
        }


@given(_PACKAGES)
@settings(max_examples=40)
def test_yarn_pnpm_and_requirements_state_what_was_written(packages: dict[str, str]) -> None:
    wanted = {name: {version} for name, version in packages.items()}
    yarn = "".join(f'{name}@^1:\n  version "{one}"\n\n' for name, one in packages.items())
    pnpm = "lockfileVersion: '9.0'\n\npackages:\n\n" + "".join(
        f"  {name}@{one}:\n    resolution: {{integrity: sha512-x}}\n\n"
        for name, one in packages.items()
    )
    pip = "".join(f"{name}=={one}\n" for name, one in packages.items())

    for file, text in (("yarn.lock", yarn), ("pnpm-lock.yaml", pnpm)):
        content = LOCKS[file].read(None, text.encode())[1]
        assert {name: _versions(content, name) for name in content.packages} == wanted
    found = read_requirements(pip.encode()).requirements
    assert {name: {one.specifier[2:]} for name, one in found.items()} == wanted


_TREE = st.recursive(
    st.text("abcxyz019./-", min_size=1, max_size=12),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4),
        st.dictionaries(st.text("abcxyz", min_size=1, max_size=8), inner, min_size=1, max_size=4),
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text("abcxyz", min_size=1, max_size=8), _TREE, min_size=1, max_size=5))
def test_yaml_as_programs_write_it_is_read_back(value: dict[str, object]) -> None:
    assert read_yaml("\n".join(_yaml(value, 0)).encode()) == value


def _yaml(value: object, depth: int) -> list[str]:
    """Write a value as YAML, text in quotes."""
    pad = "  " * depth
    if isinstance(value, dict):
        lines = []
        for key, inner in value.items():
            if isinstance(inner, str):
                lines.append(f"{pad}{key}: '{inner}'")
            else:
                lines += [f"{pad}{key}:", *_yaml(inner, depth + 1)]
        return lines
    assert isinstance(value, list)
    lines = []
    for inner in value:
        if isinstance(inner, str):
            lines.append(f"{pad}- '{inner}'")
        else:
            lines += [f"{pad}-", *_yaml(inner, depth + 1)]
    return lines


@given(st.binary(max_size=300), st.sampled_from(sorted({*LOCKS, *MANIFESTS})))
@settings(max_examples=300)
def test_random_bytes_give_a_value_error_at_most(content: bytes, name: str) -> None:
    try:
        if name in LOCKS:
            LOCKS[name].read(content, content[1:])
        else:
            MANIFESTS[name].read(content)
    except (ValueError, RecursionError):
        pass


@given(st.data(), st.sampled_from([(one.file, one) for one in SAMPLES]))
@settings(max_examples=150)
def test_damaged_files_give_a_value_error_at_most(
    data: st.DataObject, chosen: tuple[str, LockSample]
) -> None:
    name, sample = chosen
    whole = sample.content("1.2.0")
    at = data.draw(st.integers(0, len(whole)))
    middle = data.draw(st.binary(max_size=8))
    damaged = whole[:at] + middle + whole[at + data.draw(st.integers(0, 20)) :]
    try:
        LOCKS[name].read(whole, damaged)
    except (ValueError, RecursionError):
        pass


def test_hostile_files_take_bounded_time() -> None:
    hostile = (
        b"[" * 100_000, b"{" * 100_000, b"- " * 100_000, b"a: " * 100_000, b"a.b." * 50_000 + b"=1\n",
        b'"' * 200_000, b"gem '" * 50_000, b"<dependency>" * 50_000, b"==!=<>" * 30_000,
        b"  " * 100_000 + b"x", b"a==1 \\\n" * 50_000, b"source " * 50_000, b"https://" * 50_000,
    )  # fmt: skip
    for name in (*LOCKS, *MANIFESTS):
        for content in hostile:
            started = time.process_time()
            try:
                if name in LOCKS:
                    LOCKS[name].read(b"x", content)
                else:
                    MANIFESTS[name].read(content)
            except (ValueError, RecursionError):
                pass
            assert time.process_time() - started < 1.5, (name, content[:20])
    started = time.process_time()
    read_requirements(b"a==1!" * 50_000)
    read_requirements(b"".join(hostile))
    assert time.process_time() - started < 1.5
