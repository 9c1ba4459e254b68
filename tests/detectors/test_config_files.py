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

    assert _marks("web/app.json", old, new) == ("db.host a → b", "−debug true", "+server.port 80")


def test_files_without_structure_are_counted_in_lines() -> None:
    assert _marks("etc/motd", b"a\nb\n", b"a\nc\nd\n") == ("+2 −1 lines",)
    assert _marks("Makefile", b"a:\n\tb\n", b"a:\n") == ("−1 line",)


def test_settings_of_nginx_and_elements_of_xml_are_named() -> None:
    old = b"user www-data;\nhttp {\n  gzip on;\n}\n"
    new = b"user www-data;\nhttp {\n  gzip off;\n  server { }\n}\n"

    assert _marks("etc/nginx/nginx.conf", old, new) == (
        "http.gzip on → off",
        "+http.server (empty)",
    )
    assert _marks("pom.xml", b"<a><b/><c>1.0</c></a>", b"<a><c>1.1</c></a>") == (
        "a.c 1.0 → 1.1",
        "−a.b",
    )


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

    assert _marks("package.json", old, new) == (
        "dependencies.react 18 → 19",
        "+dependencies.left-pad 1",
    )


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
    assert marks[0] == "+k01 1"
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


def test_comments_and_layout_change_no_setting() -> None:
    (fact,) = _facts({"a.json": b'{"a": 1}'}, {"a.json": b'{\n"a": 1\n}'})

    assert fact.marks == ("formatting only", "+3 −1 lines")
    assert not fact.direct
    (fact,) = _facts({"a.toml": b"a = 1\n"}, {"a.toml": b"# why\na = 1\n"})
    assert fact.marks == ("no setting changed", "+1 line")
    assert not fact.direct


def test_settings_come_before_a_file_in_which_only_a_comment_changed() -> None:
    old = {"b.toml": b"x = 1\n", "a.toml": b"y = 1\n", "main.py": b"1\n"}
    new = {"b.toml": b"x = 2\n", "a.toml": b"y = 1 # note\n", "main.py": b"2\n"}

    assert story([], old, new, [ConfigFiles()]).headline == (
        "2 config files changed: b.toml (x 1 → 2) and a.toml; main.py changed"
    )


@pytest.mark.parametrize(
    ("path", "old", "new", "headline"),
    [
        ("conf/app.toml", b"log_level = 1\n", b"log_level = 25\n", "app.toml: log_level 1 → 25"),
        ("a.ini", b"[a]\n  x = 1\n  y = 2\n", b"[a]\n  x = 1\n  y = 3\n", "a.ini: a.y 2 → 3"),
        (".eslintrc", b'{"rules": {"no-eval": "error"}}', b'{"rules": {"no-eval": "off"}}', ".eslintrc: rules.no-eval error → off"),
        ("gunicorn.conf", b"workers = 4\n", b"workers = 8\nbind = 0.0.0.0:80\n", "gunicorn.conf: workers 4 → 8, +bind 0.0.0.0:80"),
        ("tox.ini", b"[testenv]\ndeps =\n    pytest>=7\n    six\n", b"[testenv]\ndeps =\n    pytest>=8\n", "tox.ini: testenv.deps.pytest >=7 → >=8, −testenv.deps.six"),
        ("my.cnf", b"[mysqld]\nskip-networking\n", b"[mysqld]\n", "my.cnf: −mysqld.skip-networking"),
        ("values.yaml", b"image: {tag: '1.2'}\nreplicas: 2\n", b"image: {tag: '1.3'}\nreplicas: 3\n", "values.yaml: image.tag 1.2 → 1.3, replicas 2 → 3"),
        ("a.properties", b"spring.jpa.ddl-auto=validate\n", b"spring.jpa.ddl-auto=create-drop\n", "a.properties: spring.jpa.ddl-auto validate → create-drop"),
        ("requirements.txt", b"django==4.2\nsix\n", b"django==5.0\nhttpx>=0.27\n", "requirements.txt: django ==4.2 → ==5.0, −six …"),
        ("app.yaml", b"hosts: [a, b]\n", b"hosts: [a, c, d]\n", "app.yaml: −hosts b, +hosts c …"),
        ("app.yaml", b"jobs:\n- {name: x, cron: daily}\n- {name: y, cron: hourly}\n", b"jobs:\n- {name: x, cron: weekly}\n", "app.yaml: jobs.x.cron daily → weekly, −jobs.y (2 keys)"),
        ("app.yaml", b"a: &x {p: 1}\nb: *x\n", b"a: &x {p: 2}\nb: *x\n", "app.yaml: a.p 1 → 2, b.p 1 → 2"),
        ("app.json", b'{"a": [{"b": 1}]}', b'{"a": [{"b": 1}, {"b": 2}]}', "app.json: a (1 item) → (2 items)"),
        ("Info.plist", b"<plist><dict><key>V</key><string>1.0</string></dict></plist>", b"<plist><dict><key>V</key><string>1.1</string></dict></plist>", "Info.plist: V 1.0 → 1.1"),
        (".editorconfig", b"root = true\n[*]\nindent_size = 2\n", b"root = true\n[*]\nindent_size = 4\n", ".editorconfig: *.indent_size 2 → 4"),
        ("app.yaml", b"debug: off\n", b"debug: 'off'\n", "app.yaml: ~debug"),
        ("app.yaml", b"x: 1\n---\ny: 1\n", b"x: 1\n---\ny: 2\n", "app.yaml: document 2.y 1 → 2"),
    ],
)  # fmt: skip
def test_the_headline_says_which_setting_has_which_value(
    path: str, old: bytes, new: bytes, headline: str
) -> None:
    assert story([], {path: old}, {path: new}, [ConfigFiles()]).headline == headline


def test_twenty_thousand_other_paths_are_over_soon() -> None:
    found = evidence({}, {f"d{n % 300}/x{n}.py": b"" for n in range(20_000)})
    began = time.monotonic()

    assert findings(ConfigFiles(), found) == []
    assert time.monotonic() - began < 2


def test_a_time_zone_and_a_name_are_no_secrets() -> None:
    assert _marks("etc/timezone", b"Etc/UTC\n", b"Europe/Berlin\n") == ("Etc/UTC → Europe/Berlin",)
    assert _marks("etc/hostname", b"vm\n", b"web-7\n") == ("vm → web-7",)
    assert _marks("etc/hostname", b"vm\n", b"two words\n") == ("+1 −1 lines",)


def test_a_file_that_moved_is_neither_new_nor_gone() -> None:
    found = evidence({"app.toml": b"x = 1\n"}, {"conf/app.toml": b"x = 1\n"})

    (finding,) = findings(ConfigFiles(), found)

    (fact,) = finding.facts
    assert (fact.kind, fact.subject, fact.marks) == (
        "config.changed",
        "conf/app.toml",
        ("moved from app.toml",),
    )
    assert set(finding.claims) == {"app.toml", "conf/app.toml"}


_SECRET = "hunter2canary"
_PLACES = [
    ("app.json", '{"password": "%s"}'), ("app.json", '{"a": {"token": "%s"}}'), ("app.json", '{"a": ["x", "%s9"]}'),
    ("app.json", '{"ghp_%s16C7e42F292c6912E77": 1}'), ("app.yaml", "api_key: %s\n"), ("app.yaml", "secrets: {db: %s}\n"),
    ("app.yaml", "a: |\n  %s\n"), ("app.yaml", "a: &x {password: %s}\nb: *x\n"), ("app.toml", '[auth]\nkey = "%s"\n'),
    ("app.ini", "[a]\npassword = %s\n"), ("app.ini", "[a]\nx = %s and more\n"), ("app.properties", "db.password=%s\n"),
    ("nginx.conf", "server { auth_basic_password %s; }\n"), ("app.xml", "<a><password>%s</password></a>"),
    ("app.xml", '<a><add key="x" connectionString="Password=%s;"/></a>'), ("requirements.txt", "git+https://u:%s@h/x.git\n"),
    ("app.yaml", "url: https://u:%s@example.org/\n"), ("app.yaml", "hook: https://example.org/x?token=%s\n"),
    ("secrets.yaml", "level: %s\n"), ("credentials.json", '{"level": "%s"}'), (".npmrc", "//registry/:_authToken=%s\n"),
    ("pip.conf", "[global]\nindex-url = https://u:%s@example.org/simple\n"), ("my.cnf", "[client]\npassword=%s\n"),
    ("Info.plist", "<plist><dict><key>Token</key><string>%s</string></dict></plist>"), ("etc/app.conf", "requirepass %s\n"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text"), _PLACES)
@pytest.mark.parametrize("side", ["added", "removed", "changed", "new file", "file removed"])
def test_a_secret_is_told_in_no_position(path: str, text: str, side: str) -> None:
    secret = (text % _SECRET).encode()
    other = (text % "x").encode()
    rest = (
        b'{"z": 1}' if path.endswith("json") else b"<a><z>1</z></a>" if "<" in text else b"z = 1\n"
    )
    old, new = {
        "added": ({path: rest}, {path: secret}),
        "removed": ({path: secret}, {path: rest}),
        "changed": ({path: other}, {path: secret}),
        "new file": ({}, {path: secret}),
        "file removed": ({path: secret}, {}),
    }[side]

    result = story([], old, new, [ConfigFiles()])

    assert result.facts
    assert "canary" not in repr(result)
