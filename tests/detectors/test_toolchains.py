from __future__ import annotations

import time
from pathlib import Path

import pytest

from clew.detectors.tools.toolchains import Toolchains
from tests.kit.moments import Moment, directory, evidence, facts, findings, link, problems, story

DATA = Path(__file__).parent / "testdata" / "toolchains"
STABLE = "home/al/.rustup/toolchains/stable-x86_64-unknown-linux-gnu"
RUST_MANIFEST = (DATA / "channel-manifest-1.95.cut.toml").read_bytes()
"""From a real rustup, reduced to the part about rustc."""
SETTINGS = (DATA / "rustup-settings.toml").read_bytes()
JDK = (DATA / "temurin-25.release").read_bytes()

Said = tuple[str, str, str, str | None, str | None]


def _said(old: Moment, new: Moment) -> list[Said]:
    return [
        (fact.kind.partition(".")[2], fact.scope, fact.subject, fact.before, fact.after)
        for fact in facts(Toolchains(), old, new)
    ]


def _claimed(old: Moment, new: Moment) -> set[str]:
    return {path for one in findings(Toolchains(), evidence(old, new)) for path in one.claims}


@pytest.mark.parametrize(
    ("path", "manager", "tool", "version"),
    [
        ("home/al/.pyenv/versions/3.12.1/bin/python", "pyenv", "python", "3.12.1"),
        (".nvm/versions/node/v20.11.0/bin/node", "nvm", "node", "v20.11.0"),
        ("root/.asdf/installs/ruby/3.3.0/bin/ruby", "asdf", "ruby", "3.3.0"),
        ("root/.local/share/mise/installs/node/20.1.0/bin/node", "mise", "node", "20.1.0"),
        ("root/.sdkman/candidates/java/21.0.2-tem/bin/java", "sdkman", "java", "21.0.2-tem"),
        ("root/.volta/tools/image/node/20.1.0/bin/node", "volta", "node", "20.1.0"),
        ("usr/local/n/versions/node/18.0.0/bin/node", "n", "node", "18.0.0"),
        ("root/.local/share/fnm/node-versions/v20.1.0/x", "fnm", "node", "v20.1.0"),
    ],
)
def test_a_version_that_came_or_went_is_told_by_its_directory(
    path: str, manager: str, tool: str, version: str
) -> None:
    assert _said({}, {path: b""}) == [("added", manager, tool, None, version)]
    assert _said({path: b""}, {}) == [("removed", manager, tool, version, None)]
    assert path in _claimed({}, {path: b""})


def test_everything_under_a_new_version_is_claimed_and_nothing_of_one_that_stays() -> None:
    base = ".pyenv/versions"
    old: Moment = {f"{base}/3.11.7/lib/a.py": b"1", ".pyenv/version": b"3.11.7\n"}
    new: Moment = {
        f"{base}/3.11.7/lib/a.py": b"2",
        f"{base}/3.12.1/lib/a.py": b"1",
        f"{base}/3.12.1/bin/python": b"1",
        f"{base}/3.12": link("3.12.1"),
        ".pyenv/shims/python3.12": b"",
        ".pyenv/version": b"3.12.1\n",
        ".pyenv/plugins/x": b"",
    }

    assert _said(old, new) == [
        ("added", "pyenv", "python", None, "3.12.1"),
        ("changed", "pyenv", "python", "3.11.7", "3.12.1"),
    ]
    claimed = _claimed(old, new)
    assert {path for path in claimed if path in new} == {
        f"{base}/3.12.1/lib/a.py", f"{base}/3.12.1/bin/python", f"{base}/3.12",
        ".pyenv/shims/python3.12", ".pyenv/version",
    }  # fmt: skip
    assert story([Toolchains()], old, new).headline.startswith("installed python 3.12.1 and ")


def test_a_package_in_a_version_that_stays_is_no_toolchain() -> None:
    path = ".pyenv/versions/3.11.7/lib/python3.11/site-packages/x.py"

    assert _said({path: b"1"}, {path: b"2"}) == []


@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        (".nvm/alias/default", b"18\n", b"lts/*\n", ("nvm", "node", "18", "lts/*")),
        (
            ".volta/tools/user/platform.json",
            b'{"node": {"runtime": "18.0.0", "npm": null}, "yarn": null}',
            b'{"node": {"runtime": "20.1.0", "npm": null}, "yarn": null}',
            ("volta", "node", "18.0.0", "20.1.0"),
        ),
        (
            ".rustup/settings.toml",
            SETTINGS,
            SETTINGS.replace(b"stable-", b"nightly-"),
            ("rustup", "rust", "stable", "nightly"),
        ),
    ],
)
def test_another_default_is_a_change(
    path: str, old: bytes, new: bytes, said: tuple[str, str, str, str]
) -> None:
    assert _said({path: old}, {path: new}) == [("changed", *said)]
    assert path in _claimed({path: old}, {path: new})


def test_a_default_may_be_a_link() -> None:
    base = ".sdkman/candidates/java"
    old: Moment = {f"{base}/17/x": b"", f"{base}/21/x": b"", f"{base}/current": link("17")}

    assert _said(old, {**old, f"{base}/current": link("21")}) == [
        ("changed", "sdkman", "java", "17", "21")
    ]


def test_a_channel_of_rust_says_which_version_it_is() -> None:
    manifest = f"{STABLE}/lib/rustlib/multirust-channel-manifest.toml"
    later = RUST_MANIFEST.replace(b"1.95.0", b"1.96.0")

    assert _said({}, {manifest: RUST_MANIFEST}) == [
        ("added", "rustup", "rust", None, "1.95.0 (stable)")
    ]
    assert _said({manifest: RUST_MANIFEST}, {manifest: later, f"{STABLE}/bin/rustc": b""}) == [
        ("changed", "rustup", "rust", "1.95.0 (stable)", "1.96.0 (stable)")
    ]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (".tool-versions", b"# mine\nnode {}\nruby 3.3.0\n"),
        ("web/mise.toml", b'[tools]\nnode = "{}"\nruby = "3.3.0"\n[env]\nTOKEN = "canary-7f3a"\n'),
        (".mise.toml", b'[tools]\nnode = {{version = "{}"}}\n'),
    ],
)
def test_what_a_project_chose_is_told(path: str, content: bytes) -> None:
    text = content.decode()
    if "{{" in text:
        text = text.replace("{{", "<").replace("}}", ">").replace("{}", "@")
        text = text.replace("<", "{").replace(">", "}").replace("@", "{}")
    old, new = ({path: text.replace("{}", number).encode()} for number in ("18.0.0", "20.1.0"))
    manager = "mise" if "mise" in path else "asdf"

    assert _said(old, new) == [("changed", manager, "node", "18.0.0", "20.1.0")]
    assert "canary" not in repr(story([Toolchains()], old, new))


def test_go_and_a_jdk_say_themselves_what_they_are() -> None:
    go = {
        "usr/local/go/VERSION": b"go1.22.1\ntime 2024-02-29T18:18:48Z\n",
        "usr/local/go/bin/go": b"",
    }
    jdk = {"opt/jdk-25/release": JDK, "opt/jdk-25/bin/java": b"", "opt/jdk-25/lib/x/y": b""}

    assert _said({}, go) == [("added", "usr/local/go", "go", None, "1.22.1")]
    assert _said({}, jdk) == [("added", "opt/jdk-25", "java", None, "25.0.3")]
    assert set(jdk) <= _claimed({}, {**jdk, "opt/other": b""})
    assert "opt/other" not in _claimed({}, {**jdk, "opt/other": b""})


@pytest.mark.parametrize(
    "new", [{"a/VERSION": b"1.0"}, {"a/VERSION": b"go1.22 "}, {"a/release": b'JAVA_VERSION="9"'}]
)
def test_a_file_that_only_has_such_a_name_says_nothing(new: Moment) -> None:
    assert _said({}, new) == []


def test_a_jdk_of_a_package_is_the_package_s_business() -> None:
    found = evidence({}, {"usr/lib/jvm/j/release": JDK, "usr/lib/jvm/j/bin/java": b""})
    found.own(["usr/lib/jvm/j/release"], "temurin")

    assert findings(Toolchains(), found) == []


def test_alternatives_are_told_only_where_no_package_changed() -> None:
    place, page = "etc/alternatives/java", "etc/alternatives/java.1.gz"
    old: Moment = {place: link("/a/17/java"), page: link("/a/17/java.1.gz")}
    new: Moment = {place: link("/a/21/java"), page: link("/a/21/java.1.gz")}

    assert _said(old, new) == [("changed", "alternatives", "java", "/a/17/java", "/a/21/java")]
    assert _claimed(old, new) == {place, page}
    assert _said(old, {**new, "var/lib/dpkg/status": b"x"}) == []


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("mise.toml", b"[tools\n"),
        (".volta/tools/user/platform.json", b"[" * 100_000),
        (".rustup/settings.toml", b"\xff"),
        (".tool-versions", b"x" * (1 << 17)),
    ],
)
def test_a_broken_file_costs_one_line_and_the_others_go_on(path: str, content: bytes) -> None:
    new: Moment = {path: content, "root/.pyenv/versions/3.1/x": b""}

    assert [one[2] for one in _said({}, new)] == ["python"]
    assert len(problems(Toolchains(), {}, new)) <= 1


def test_odd_things_among_the_versions_are_no_versions() -> None:
    new: Moment = {
        ".pyenv/versions/notes.txt": b"",
        ".pyenv/versions/.cache": directory(),
        ".tool-versions": b"node \x1b[31mred\nnode\n",
    }

    assert _said({}, new) == []


def test_a_large_toolchain_is_over_soon() -> None:
    new: Moment = {f".pyenv/versions/3.12.1/lib/d{n % 100}/x{n}.py": b"" for n in range(10_000)}
    found = evidence({}, new)
    began = time.monotonic()

    (finding,) = findings(Toolchains(), found)

    assert time.monotonic() - began < 2
    assert set(new) <= set(finding.claims)
