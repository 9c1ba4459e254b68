from __future__ import annotations

import json
import time

import pytest

from clew.detectors.files.config_files import ConfigFiles
from clew.model.fact import Fact
from tests.kit.moments import Moment, evidence, file, findings, link, problems, story

CANARY = "canary-7f3a"


def _facts(old: dict[str, object], new: dict[str, object]) -> list[Fact]:
    found = evidence(old, new)  # type: ignore[arg-type]
    return [fact for finding in findings(ConfigFiles(), found) for fact in finding.facts]


def _marks(path: str, old: bytes, new: bytes) -> tuple[str, ...]:
    (fact,) = _facts({path: old}, {path: new})
    assert (fact.kind, fact.scope, fact.subject) == ("config.changed", path, path)
    return fact.marks


def test_settings_that_came_went_and_changed_are_named() -> None:
    old = b'{"debug": true, "db": {"host": "a", "port": 1}}'
    new = b'{"db": {"host": "b", "port": 1}, "server": {"port": 80}}'

    assert _marks("web/app.json", old, new) == ("~db.host", "−debug", "+server.port")


def test_files_without_structure_are_counted_in_lines() -> None:
    old = b"user www-data;\nhttp {\n  gzip on;\n}\n"
    new = b"user www-data;\nhttp {\n  gzip off;\n  server { }\n}\n"

    assert _marks("etc/nginx/nginx.conf", old, new) == ("+2 −1 lines",)
    assert _marks("pom.xml", b"<a>\n<b/>\n</a>\n", b"<a>\n</a>\n") == ("−1 line",)


def test_a_file_that_came_or_went_says_how_long_it_is() -> None:
    (added,) = _facts({}, {"Dockerfile": b"FROM x\nRUN y\n"})
    (removed,) = _facts({"tox.ini": b"[a]\n"}, {})

    assert (added.kind, added.marks) == ("config.added", ("+2 lines",))
    assert (removed.kind, removed.marks) == ("config.removed", ("−1 line",))


def test_a_lock_file_is_called_one_and_installs_nothing() -> None:
    old, new = b'{"packages": {"a": 1}}\n', b'{"packages": {\n"b": 2}}\n'
    result = story([], {"package-lock.json": old}, {"package-lock.json": new}, [ConfigFiles()])

    assert result.headline == "package-lock.json changed (lock file, +2 −1 lines)"
    assert "installed" not in repr(result)


def test_a_manifest_names_what_it_declares() -> None:
    old = b'{"name": "x", "dependencies": {"react": "18"}}'
    new = b'{"name": "x", "dependencies": {"react": "19", "left-pad": "1"}}'

    assert _marks("package.json", old, new) == ("+dependencies.left-pad", "~dependencies.react")


@pytest.mark.parametrize(
    "path",
    [
        "etc/fstab", "etc/app/anything", "docker-compose.yml", "compose.override.yaml", "Makefile",
        "Dockerfile.dev", "requirements-dev.txt", "a/.eslintrc", ".vimrc", ".config/fish/config.fish",
        "home/alice/.config/starship.toml", "tsconfig.json", "a/b.YAML", "server.properties", "go.mod",
    ],
)  # fmt: skip
def test_configuration_is_known_by_place_name_or_ending(path: str) -> None:
    assert [fact.subject for fact in _facts({}, {path: b"x\n"})] == [path]


@pytest.mark.parametrize(
    "path",
    [
        "src/main.py", "etcetera/x", "notes.md", "tests/fixtures/answer.json", "i18n/de.json",
        ".config/chrome/Default/Cache/f_001", "web/etc/x", "requirements.md", "bin/tool",
    ],
)  # fmt: skip
def test_other_files_are_left_to_others(path: str) -> None:
    assert _facts({}, {path: b"x\n"}) == []


def test_many_files_that_only_end_like_configuration_are_data() -> None:
    many: dict[str, object] = {f"export/{n}.json": b"{}" for n in range(25)}

    assert _facts({}, {**many, "export/Dockerfile": b"FROM x\n"})[0].subject == "export/Dockerfile"
    assert len(_facts({}, many)) == 0
    assert len(_facts({}, {f"etc/{n}.json": b"{}" for n in range(25)})) == 25


def test_only_the_first_marks_are_kept() -> None:
    new = json.dumps({f"k{n:02}": n for n in range(26)}).encode()

    marks = _marks("a.json", b'{"k00": 0}', new)

    assert len(marks) == 21
    assert marks[0] == "+k01"
    assert marks[-1] == "and 5 more"


def test_a_mode_an_owner_and_a_link_are_said() -> None:
    old = {
        "etc/a": file(b"x"),
        "etc/b": file(b"x"),
        "etc/localtime": link("/usr/share/zoneinfo/UTC"),
    }
    new = {
        "etc/a": file(b"x", mode=0o600),
        "etc/b": file(b"x", uid=33, gid=33),
        "etc/localtime": link("/usr/share/zoneinfo/Europe/Berlin"),
    }

    assert [fact.marks for fact in _facts({**old}, {**new})] == [
        ("mode 644 → 600",),
        ("owner 0:0 → 33:33",),
        ("→ /usr/share/zoneinfo/Europe/Berlin",),
    ]


def test_each_file_is_claimed_and_nothing_else() -> None:
    found = evidence({}, {"a.toml": b"x = 1\n", "main.c": b"", "etc/b": b"1\n"})

    assert [list(one.claims) for one in findings(ConfigFiles(), found)] == [["a.toml"], ["etc/b"]]


def test_what_a_package_brought_did_not_come_by_itself() -> None:
    found = evidence({}, {"etc/nginx.conf": b"x\n", "etc/mine": b"x\n"})
    found.own(["etc/nginx.conf"], "nginx")

    said = [fact for one in findings(ConfigFiles(), found) for fact in one.facts]

    assert [(fact.subject, fact.direct) for fact in said] == [
        ("etc/mine", True),
        ("etc/nginx.conf", False),
    ]


def test_no_value_is_in_any_fact_or_word() -> None:
    value = CANARY.encode()
    old = {
        "a.json": b'{"a": "%s1", "b": ["%s"]}' % (value, value),
        "a.ini": b"[x]\na = %s1\n" % value,
        "a.conf": b"requirepass %s1\n" % value,
        "a.yml": b"a: %s1\nb: |\n  %s: 1\n" % (value, value),
        "a.properties": b"a=%s1\\\n %s=2\n" % (value, value),
        "etc/secret": b"%s1\n" % value,
        "b.json": b'{"tokens": {}}',
    }
    new = {path: content.replace(b"1", b"2") for path, content in old.items()}
    new["b.json"] = b'{"tokens": {"ghp_%s16C7e42F292c6912E77": "alice"}}' % value
    new["etc/new"] = value

    result = story([], old, new, [ConfigFiles()])

    assert len(result.facts) == 8
    assert CANARY not in repr(result)
    assert "+tokens.…" in repr(result)


@pytest.mark.parametrize(
    "content", [b"[" * 100_000, b'{"a":' * 100_000, b'{"a": 1, "a": 2}', b"\xff\x00\x80", b""]
)
def test_a_file_that_is_broken_is_still_said_to_have_changed(content: bytes) -> None:
    (fact,) = _facts({"a.json": b'{"a": 1}'}, {"a.json": content})

    assert fact.kind == "config.changed"
    assert problems(ConfigFiles(), {"a.json": b"{}"}, {"a.json": content}) == []


def test_a_file_that_is_too_large_costs_one_line_and_the_others_go_on() -> None:
    new: Moment = {"etc/a": file(b"x", size=17 << 20), "etc/b": b"x\n"}

    assert [fact.subject for fact in _facts({}, {**new})] == ["etc/b"]
    assert problems(ConfigFiles(), {}, new) == [
        ("etc/a", "too large to look into (17,825,792 bytes)")
    ]


def test_comments_and_layout_are_counted_in_lines() -> None:
    assert _marks("a.json", b'{"a": 1}', b'{\n"a": 1\n}') == ("+3 −1 lines",)


def test_twenty_thousand_other_paths_are_over_soon() -> None:
    found = evidence({}, {f"d{n % 300}/x{n}.py": b"" for n in range(20_000)})
    began = time.monotonic()

    assert findings(ConfigFiles(), found) == []
    assert time.monotonic() - began < 2


def test_a_time_zone_and_a_name_are_no_secrets() -> None:
    assert _marks("etc/timezone", b"Etc/UTC\n", b"Europe/Berlin\n") == ("Etc/UTC → Europe/Berlin",)
    assert _marks("etc/hostname", b"vm\n", b"web-7\n") == ("vm → web-7",)
    assert _marks("etc/hostname", b"vm\n", b"two words\n") == ("+1 −1 lines",)
