from __future__ import annotations

import time

import pytest

from clew.detectors.security.script_settings import ScriptSettings
from tests.kit.moments import Moment, facts, story

HOST = "packages.example.net"


def _said(path: str, old: str, new: str) -> list[tuple[str, str, str | None, tuple[str, ...]]]:
    return [
        (fact.kind, fact.severity, fact.after, fact.marks)
        for fact in facts(ScriptSettings(), {path: old.encode()}, {path: new.encode()})
    ]


@pytest.mark.parametrize(
    ("path", "line", "key"),
    [
        ("Dockerfile", f"RUN pip install --index-url https://u:canary@{HOST}/simple six", "index-url"),
        ("Dockerfile", f"RUN pip install -i https://u:canary@{HOST}/simple six", "index-url"),
        ("Dockerfile", f"ENV PIP_EXTRA_INDEX_URL=https://u:canary@{HOST}/simple", "PIP_EXTRA_INDEX_URL"),
        (".env", f"PIP_INDEX_URL=https://u:canary@{HOST}/simple", "PIP_INDEX_URL"),
        (".env.local", f"UV_INDEX_URL='https://u:canary@{HOST}/simple'", "UV_INDEX_URL"),
        ("home/a/.bashrc", f"export npm_config_registry=https://{HOST}/", "NPM_CONFIG_REGISTRY"),
        (".envrc", f"export GOPROXY=https://{HOST},direct", "GOPROXY"),
        (".github/workflows/ci.yml", f"      - run: npm ci --registry=https://{HOST}/", "registry"),
        (".github/workflows/ci.yml", f"          NPM_CONFIG_REGISTRY: https://{HOST}/", "NPM_CONFIG_REGISTRY"),
        ("scripts/setup.sh", f"npm config set registry https://{HOST}/", "registry"),
        ("scripts/setup.sh", f"pip config set global.index-url https://{HOST}/simple", "index-url"),
        ("Makefile", f"\tpip install --extra-index-url https://{HOST}/simple -r requirements.txt", "extra-index-url"),
        (".gitlab-ci.yml", f"    - uv pip install --default-index https://{HOST}/simple six", "default-index"),
    ],
)  # fmt: skip
def test_another_host_in_a_script_or_an_environment_is_a_warning(
    path: str, line: str, key: str
) -> None:
    old: Moment = {path: b"first\n"}
    new: Moment = {path: f"first\n{line}\n".encode()}

    assert _said(path, "first\n", f"first\n{line}\n") == [
        ("security.registry", "high", HOST, (key,))
    ]
    assert "canary" not in repr(story([ScriptSettings()], old, new))


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (".env", "NODE_TLS_REJECT_UNAUTHORIZED=0"),
        ("Dockerfile", "ENV NODE_TLS_REJECT_UNAUTHORIZED 0"),
        (".github/workflows/ci.yml", '      NODE_TLS_REJECT_UNAUTHORIZED: "0"'),
        (".envrc", "export PYTHONHTTPSVERIFY=0"),
        ("home/a/.profile", "export GIT_SSL_NO_VERIFY=true"),
        ("Dockerfile", "RUN pip install --trusted-host pypi.org six"),
        ("scripts/a.sh", "npm config set strict-ssl false"),
        ("scripts/a.sh", "git config --global http.sslVerify false"),
        ("scripts/a.sh", "git -c http.sslVerify=false clone x"),
        ("scripts/a.sh", "wget --no-check-certificate https://x.example/a"),
    ],
)
def test_certificates_that_a_script_does_not_verify_are_a_warning(path: str, line: str) -> None:
    assert [one[:2] for one in _said(path, "", f"{line}\n")] == [("security.tls", "high")]


def test_a_single_download_without_verification_is_a_note_and_of_this_machine_nothing() -> None:
    assert [one[1] for one in _said("a.sh", "", "curl -sk https://x.example/a -o a\n")] == ["note"]
    assert [one[1] for one in _said("a.sh", "", "curl --insecure https://x.example/a\n")] == [
        "note"
    ]
    for line in (
        "curl -k https://localhost:8443/health",
        "curl -fsSL https://x.example/k -o key",
        "curl -o k https://x.example",
    ):
        assert _said("a.sh", "", f"{line}\n") == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Dockerfile", "RUN pip install --index-url https://pypi.org/simple six\n"),
        ("Dockerfile", "ENV NODE_TLS_REJECT_UNAUTHORIZED=1\n"),
        (
            ".env",
            "API_URL=https://api.example\nPIPELINE_URL=https://x.example\nGOOGLE_URL=https://x.example\n",
        ),
        ("scripts/a.sh", "# pip install --index-url https://x.example/simple\n"),
        ("scripts/a.sh", "npm ci --ignore-scripts\ncurl https://x.example/a\n"),
        ("scripts/a.sh", "npm config set save-exact true\n"),
        ("tests/fixtures/Dockerfile", "RUN pip install --index-url https://x.example/simple six\n"),
    ],
)
def test_usual_lines_say_nothing(path: str, text: str) -> None:
    assert _said(path, "", text) == []


def test_a_removed_switch_is_a_note() -> None:
    assert [one[:2] for one in _said(".env", "NODE_TLS_REJECT_UNAUTHORIZED=0\n", "\n")] == [
        ("security.tls", "note")
    ]


def test_hostile_scripts_take_bounded_time() -> None:
    for text in ("pip install " * 50_000, "config set " * 50_000, "curl " * 100_000, "--registry " * 50_000,
                 "PIP_" * 100_000, "\n" * 500_000):  # fmt: skip
        started = time.process_time()
        _said("a.sh", "", text)
        assert time.process_time() - started < 1.5, text[:20]
