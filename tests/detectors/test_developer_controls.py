from __future__ import annotations

import json

from clew.detectors.detector import Detector
from clew.detectors.security.ci_files import CiFiles
from clew.detectors.security.editor_tasks import EditorTasks
from clew.detectors.security.registries import Registries
from tests.kit.moments import Moment, evidence, facts, file, findings, story

TASK = {"label": "x", "type": "shell", "command": "canary"}


def _said(detector: Detector, old: Moment, new: Moment) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(fact.subject, fact.severity, fact.marks) for fact in facts(detector, old, new)]


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


# Editors


def test_a_task_that_runs_when_a_folder_is_opened_is_a_warning() -> None:
    path = ".vscode/tasks.json"
    task = {**TASK, "runOptions": {"runOn": "folderOpen"}}
    text = b"// comment\n" + _json({"tasks": [task]})[:-1] + b",}"

    assert _said(EditorTasks(), {}, {path: text}) == [
        (path, "high", ("a task runs when the folder is opened",))
    ]
    workspace = {"x.code-workspace": _json({"tasks": {"tasks": [task]}})}
    assert _said(EditorTasks(), {}, workspace)[0][1] == "high"
    assert "canary" not in repr(story([EditorTasks()], {}, {path: text}))


def test_settings_that_let_things_run_unasked_are_a_warning() -> None:
    path = ".vscode/settings.json"
    lax: list[tuple[str, object]] = [
        ("task.allowAutomaticTasks", "on"),
        ("security.workspace.trust.enabled", False),
        ("chat.tools.autoApprove", True),
    ]
    for key, value in lax:
        assert _said(EditorTasks(), {path: b"{}"}, {path: _json({key: value})}) == [
            (path, "high", (key,))
        ]
        assert _said(EditorTasks(), {path: _json({key: value})}, {path: b"{}"}) == []


def test_what_waits_for_a_button_is_a_note_and_taste_is_nothing() -> None:
    assert _said(EditorTasks(), {}, {".vscode/tasks.json": _json({"tasks": [TASK]})})[0][1:] == (
        "note",
        ("tasks",),
    )
    assert (
        _said(EditorTasks(), {}, {".vscode/launch.json": _json({"configurations": [1]})})[0][1]
        == "note"
    )
    assert _said(EditorTasks(), {}, {".idea/runConfigurations/a.xml": b"<x/>"})[0][1] == "note"
    assert (
        _said(
            EditorTasks(),
            {},
            {".vscode/settings.json": _json({"python.defaultInterpreterPath": "x"})},
        )[0][1]
        == "note"
    )
    for path in (".vscode/settings.json", ".vscode/extensions.json", ".idea/workspace.xml"):
        assert _said(EditorTasks(), {}, {path: _json({"editor.tabSize": 2})}) == []


def test_editor_files_of_the_wrong_shape_break_nothing() -> None:
    shapes: list[object] = [
        [],
        {"tasks": {}},
        {"tasks": [1, None, {"runOptions": []}]},
        {"tasks": "x"},
    ]
    for path in (".vscode/tasks.json", ".vscode/settings.json", "a.code-workspace"):
        for shape in shapes:
            assert all(
                severity != "high"
                for _, severity, _ in _said(EditorTasks(), {}, {path: _json(shape)})
            )
        assert _said(EditorTasks(), {}, {path: b"[" * 200_000})[0][2] == ("unreadable",)


# Build servers


def test_a_workflow_is_a_note_that_names_what_is_telling() -> None:
    path = ".github/workflows/x.yml"
    (finding,) = findings(
        CiFiles(), evidence({}, {path: b"on: pull_request_target\nrun: x ${{ secrets.A }}\n"})
    )

    assert (finding.facts[0].kind, finding.facts[0].severity) == ("security.ci", "note")
    assert finding.facts[0].marks == ("new", "pull_request_target", "uses secrets")
    assert finding.claims == (path,)


def test_files_of_every_build_server_are_known() -> None:
    for path in (".gitlab-ci.yml", "Jenkinsfile", ".circleci/config.yml", "azure-pipelines.yml"):
        assert _said(CiFiles(), {path: b"a\n"}, {path: b"b\n"}) == [
            (path, "note", ("+1 −1 lines",))
        ]


def test_jobs_and_steps_that_differ_are_named() -> None:
    path = ".github/workflows/ci.yml"
    old = (
        b"on: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n"
        b"      - uses: actions/checkout@v3\n      - name: build\n        run: make\n"
        b"      - run: |\n          npm ci\n          npm run x\n  docs:\n    steps:\n      - run: y\n"
    )
    new = (
        b"on: [push, workflow_dispatch]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n"
        b"      - uses: actions/checkout@v4\n      - name: build\n        run: make all\n"
        b"      - name: upload\n        run: rsync\n  deploy:\n    steps:\n      - run: z\n"
    )

    ((_, severity, marks),) = _said(CiFiles(), {path: old}, {path: new})

    assert severity == "note"
    assert marks[:3] == ("+trigger workflow_dispatch", "−job docs", "+job deploy")
    assert "+step upload" in marks
    assert "~step build" in marks
    told = story([CiFiles()], {path: old}, {path: old.replace(b"run: make", b"run: make all")})
    assert told.headline == ".github/workflows/ci.yml: ~step build"


def test_comments_clones_packages_and_other_files_say_nothing() -> None:
    path = ".github/workflows/x.yml"

    assert _said(CiFiles(), {path: b"a\n"}, {path: b"# hi\na\n"}) == []
    clone: Moment = {
        "x/.git/HEAD": b"",
        "x/.git/packed-refs": b"",
        f"x/{path}": b"a",
        "x/Dockerfile": b"a",
    }
    assert _said(CiFiles(), {}, clone) == []
    others = (
        "node_modules/x/.travis.yml",
        ".github/FUNDING.yml",
        "compose.py",
        "src/compose/a.yml",
    )
    assert _said(CiFiles(), {}, dict.fromkeys(others, b"a")) == []


def test_many_workflows_are_one_line() -> None:
    new: Moment = {f".github/workflows/{n}.yml": b"a" for n in range(30)}
    (finding,) = findings(CiFiles(), evidence({}, new))

    assert (finding.facts[0].subject, finding.facts[0].marks) == (
        ".github/workflows",
        ("30 files",),
    )
    assert set(finding.claims) == {*new}


# Registries


def test_the_host_of_another_registry_is_a_warning_without_its_password() -> None:
    files = {
        ".npmrc": (b"registry=https://u:canary@npm.evil.example:8443/x?token=canary\n", "npm.evil.example:8443"),
        "a/.npmrc": (b"@corp:registry=https://npm.corp.example/\n", "npm.corp.example"),
        ".yarnrc.yml": (b'npmRegistryServer: "https://y.example"\n', "y.example"),
        ".config/pip/pip.conf": (b"[global]\nindex-url = https://canary@pypi.example/simple\n", "pypi.example"),
        ".cargo/config.toml": (b'[source.x]\nregistry = "sparse+https://c.example/"\n', "c.example"),
        ".condarc": (b"channels:\n  - https://conda.example/t/canary/x\n", "conda.example"),
        ".m2/settings.xml": (b"<url>https://maven.example/</url>", "maven.example"),
    }  # fmt: skip
    for path, (text, host) in files.items():
        (fact,) = facts(Registries(), {}, {path: text})
        assert (fact.kind, fact.severity, fact.after) == ("security.registry", "high", host)
        assert "canary" not in repr(story([Registries()], {}, {path: text}))


def test_a_proxy_is_a_note_without_its_password() -> None:
    text = b'Acquire::http::Proxy "http://u:canary@proxy.example:3128";\n'
    path = "etc/apt/apt.conf.d/proxy"
    (fact,) = facts(Registries(), {}, {path: text})

    assert (fact.kind, fact.severity, fact.marks) == ("security.registry", "note", ("proxy",))
    assert "canary" not in repr(story([Registries()], {}, {path: text}))


def test_tokens_and_other_settings_say_nothing() -> None:
    quiet: Moment = {
        ".npmrc": b"//registry.npmjs.org/:_authToken=canary\nsave-exact=true\n",
        ".gitconfig": b'[user]\n name = x\n[remote "o"]\n url = https://x.example/a\n',
        ".git/config": b'[remote "origin"]\n\turl = https://x.example/a\n',
        "etc/apt/apt.conf.d/01autoremove": b'APT { NeverAutoRemove { "^linux"; }; };\n',
        "app/config.toml": b'registry = "https://x.example"\n',
        "node_modules/x/.npmrc": b"registry=https://x.example\n",
    }
    assert _said(Registries(), {}, quiet) == []
    assert (
        _said(
            Registries(),
            {".npmrc": b"registry=https://a.b/"},
            {".npmrc": b"# x\nregistry=https://a.b/"},
        )
        == []
    )


def test_what_apt_runs_around_packages_is_a_warning() -> None:
    path = "etc/apt/apt.conf.d/99x"

    assert _said(Registries(), {}, {path: b'DPkg::Post-Invoke {"/tmp/x";};\n'}) == [
        (path, "high", ("post-invoke",))
    ]


def test_a_registry_that_is_gone_is_a_note_and_garbage_costs_nothing() -> None:
    assert _said(Registries(), {".npmrc": b"registry=https://a.b/"}, {".npmrc": b""}) == [
        (".npmrc", "note", ("−registry",))
    ]
    for text in (b"registry=" + b"a" * (10 << 20), b"\xff\x00=\n" * 1000, b"a://" * 100_000):
        assert len(_said(Registries(), {}, {".npmrc": text})) <= 1
    assert _said(Registries(), {}, {".npmrc": file(size=1 << 40)}) == []
