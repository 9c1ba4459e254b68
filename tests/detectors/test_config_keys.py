from __future__ import annotations

import json
import time

import pytest

from clew.detectors.files.config_keys import keys_of
from clew.detectors.files.key_names import shown_name, shown_path

COMPOSE = b"""\
# what runs
version: "3.9"
x-common: &common
  restart: always
services:
  web:
    <<: *common
    image: nginx:1.25  # pinned
    ports:
      - "80:80"
      - target: 443
        published: 443
    command: ["nginx", "-g",
      "daemon: off"]
    environment:
    - MODE=prod
  db:
    image: postgres
    healthcheck:
      test: |
        set -e
        fake: key
      interval: 5s
"""


def _paths(name: str, content: bytes) -> list[str] | None:
    keys = keys_of(name, content)
    return None if keys is None else sorted(".".join(path) for path in keys)


def _changed(name: str, old: bytes, new: bytes) -> list[str]:
    before, after = keys_of(name, old), keys_of(name, new)
    assert before is not None
    assert after is not None
    return sorted(
        ".".join(path) for path in {*before, *after} if before.get(path) != after.get(path)
    )


def test_json_gives_a_path_for_each_value_and_takes_a_list_as_one() -> None:
    content = b'{"server": {"port": 80, "hosts": ["a", {"b": 1}]}, "debug": true, "empty": {}}'

    assert _paths("a.json", content) == ["debug", "empty", "server.hosts", "server.port"]


def test_json_with_comments_and_last_commas_is_read() -> None:
    content = b'{\n // one\n "a": "http://x//y", /* two */ "b": [1, 2,],\n}\n'

    assert _paths("tsconfig.json", content) == ["a", "b"]


def test_toml_tables_are_paths() -> None:
    content = b'[project]\nname = "x"\nrequires = ["a"]\n[tool.ruff.lint]\nselect = []\n'

    assert _paths("pyproject.toml", content) == [
        "project.name", "project.requires", "tool.ruff.lint.select",
    ]  # fmt: skip


def test_ini_sections_comments_and_continued_values() -> None:
    old = b"[flake8]\nignore = E1,\n  E2\nmax = 88 ; not a comment\n\n# x\n[b]\nk: v\n"

    assert _paths("setup.cfg", old) == ["b.k", "flake8.ignore", "flake8.max"]
    assert _changed("setup.cfg", old, old.replace(b"E2", b"E3")) == ["flake8.ignore"]


def test_properties_go_on_after_a_backslash() -> None:
    content = b"! note\nlog.path=/a,\\\n/b\nlog.level = info\n"

    assert _paths("log4j.properties", content) == ["log.level", "log.path"]


def test_yaml_mappings_are_paths_and_all_else_is_one_value() -> None:
    assert _paths("compose.yml", COMPOSE) == [
        "services.db.healthcheck.interval",
        "services.db.healthcheck.test",
        "services.db.image",
        "services.web.<<",
        "services.web.command",
        "services.web.environment",
        "services.web.image",
        "services.web.ports",
        "version",
        "x-common.restart",
    ]


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        (b"nginx:1.25", b"nginx:1.26", "services.web.image"),
        (b"published: 443", b"published: 444", "services.web.ports"),
        (b"fake: key", b"fake: other", "services.db.healthcheck.test"),
        (b"daemon: off", b"daemon: on", "services.web.command"),
        (b"MODE=prod", b"MODE=dev", "services.web.environment"),
        (b"always", b"never", "x-common.restart"),
    ],
)
def test_a_yaml_value_that_changed_is_found(old: bytes, new: bytes, path: str) -> None:
    assert _changed("compose.yml", COMPOSE, COMPOSE.replace(old, new)) == [path]


def test_a_yaml_comment_is_no_setting() -> None:
    assert _changed("a.yml", COMPOSE, COMPOSE.replace(b"# pinned", b"# why")) == []


def test_documents_of_one_yaml_file_are_kept_apart() -> None:
    assert _paths("k8s.yaml", b"---\nkind: A\n---\nkind: B\n") == ["document 2.kind", "kind"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", b'{"a": 1, "a": 2}'),
        ("a.json", b"[" * 100_000),
        ("a.json", b'{"a":' * 100_000),
        ("a.json", b"[1, 2]"),
        ("a.json", b'{"a": 1'),
        ("a.json", b'{"a": /* ' * 5_000),
        ("a.json", b"\xff\xfe\xfa"),
        ("a.json", b"\x80\x81"),
        ("a.json", b""),
        ("a.toml", b"a = 1\na = 2\n"),
        ("a.toml", b"a = " + b"[" * 50_000),
        ("a.ini", b"[a]\nx = 1\nx = 2\n"),
        ("a.ini", b"this is prose\n"),
        ("a.conf", b"requirepass hunter2\nbind = x\n"),
        ("a.conf", b"requirepass hunter2=\n"),
        ("nginx.conf", b"http {\n  server { listen 80; }\n}\n"),
        ("a.yml", b"a: 1\na: 2\n"),
        ("a.yml", b"- a\n- b: 1\n"),
        ("a.yml", b"a:\n\tb: 1\n"),
        ("a.yml", b"a: {b: [\n"),
        ("a.yml", b"? complex\n: key\n"),
        ("a.yml", b"a: 1\n  b: 2\n"),
        ("main.py", b"a = 1\n"),
    ],
)
def test_what_is_not_what_it_says_has_no_settings(name: str, content: bytes) -> None:
    assert keys_of(name, content) is None


def test_a_billion_laughs_stay_as_small_as_they_are_written() -> None:
    lines = ["l0: &l0 [lol]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 30)]

    keys = keys_of("a.yaml", "\n".join(lines).encode())

    assert keys is not None
    assert len(keys) == 30


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", b'{"' + b"k" * 500_000 + b'": {' + b'"a":1,' * 80_000 + b'"z":1}}'),
        ("a.yml", b"a:\n" * 300_000),
        ("a.yml", b"".join(b" " * n + b"a:\n" for n in range(1_000))),
        ("a.yml", b"x: " + b"a " * 500_000 + b"#"),
        ("a.yml", b"&" * 1_000_000),
        ("a.ini", b"[" * 1_000_000),
        ("a.ini", b"a" * 1_000_000),
        ("a.json", b'{"a":' + b", \n" * 300_000),
        ("a.json", b"/*" * 500_000),
        ("a.json", b'"\\' * 400_000),
        ("a.toml", b"[[a]]\n" * 40_000),
        ("a.toml", b".".join([b"a"] * 100_000) + b"=1"),
    ],
)
def test_hostile_files_are_over_soon(name: str, content: bytes) -> None:
    began = time.monotonic()
    keys_of(name, content)

    assert time.monotonic() - began < 5


def test_text_in_utf_16_and_with_a_mark_is_read() -> None:
    text = json.dumps({"a": 1})

    assert _paths("a.json", text.encode("utf-16")) == ["a"]
    assert _paths("a.json", text.encode("utf-8-sig")) == ["a"]


@pytest.mark.parametrize(
    "name",
    [
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "d41d8cd98f00b204e9800998ecf8427e",
        "AKIAIOSFODNN7EXAMPLE",
        "https://alice:pw@example.com/",
        "wJalrXUtnFEMI7K7MDENGbPxRfiCY",
        "k3j9x2m4q8z7w1p5",
        "x" * 81,
    ],
)
def test_a_name_that_looks_like_a_secret_is_hidden(name: str) -> None:
    assert shown_name(name) == "…"
    assert shown_path(("tokens", name)) == "tokens.…"


@pytest.mark.parametrize(
    "name",
    [
        "server", "enableHttp2ForServer1", "AWS_SECRET_ACCESS_KEY", "max-old-space-size",
        "net.ipv4.conf.all.rp_filter", "@types/node", "python3.11", "experimentalDecorators",
        "https://index.docker.io/v1/", "x86_64-unknown-linux-gnu", "npm_config_registry",
        "noUncheckedIndexedAccess",
    ],
)  # fmt: skip
def test_an_ordinary_name_is_shown(name: str) -> None:
    assert shown_name(name) == name
