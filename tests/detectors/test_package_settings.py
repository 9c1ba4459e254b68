"""Settings of package managers: hosts, certificates, checks and install scripts."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.detectors.security.registries import Registries
from clew.detectors.security.settings_files import settings_file
from tests.kit.moments import Moment, evidence, facts, file, findings, story

HOST = "packages.example.net"
URL = f"https://build:canary-7f3a@{HOST}/simple?token=canary-7f3a"


def _said(old: Moment, new: Moment) -> list[tuple[str, str, str | None, tuple[str, ...]]]:
    return [
        (fact.kind, fact.severity, fact.after, fact.marks) for fact in facts(Registries(), old, new)
    ]


_REGISTRIES: list[tuple[str, str, str]] = [
    (".npmrc", f"registry={URL}\n", "registry"),
    ("root/.npmrc", f"registry = {URL}\n", "registry"),
    ("etc/npmrc", f"registry={URL}\n", "registry"),
    (".npmrc", f"@corp:registry={URL}\n", "registry"),
    (".yarnrc", f'registry "{URL}"\n', "registry"),
    (".yarnrc.yml", f'npmRegistryServer: "{URL}"\n', "npmRegistryServer"),
    (".yarnrc.yml", f'npmScopes:\n  corp:\n    npmRegistryServer: "{URL}"\n', "npmRegistryServer"),
    ("bunfig.toml", f'[install]\nregistry = "{URL}"\n', "registry"),
    ("bunfig.toml", f'[install.registry]\nurl = "{URL}"\n', "registry"),
    ("pip.conf", f"[global]\nindex-url = {URL}\n", "index-url"),
    (".venv/pip.conf", f"[global]\nextra-index-url =\n    {URL}\n", "extra-index-url"),
    ("home/a/.config/pip/pip.conf", f"[install]\nfind-links = {URL}\n", "find-links"),
    ("requirements.txt", f"--index-url {URL}\nsix\n", "index-url"),
    ("requirements-dev.txt", f"--extra-index-url={URL}\nsix\n", "extra-index-url"),
    ("requirements/base.in", f"-i {URL}\nsix\n", "index-url"),
    ("constraints.txt", f"-f {URL}\nsix\n", "find-links"),
    ("pyproject.toml", f'[[tool.uv.index]]\nname = "x"\nurl = "{URL}"\n', "index"),
    ("pyproject.toml", f'[tool.uv]\nextra-index-url = ["{URL}"]\n', "extra-index-url"),
    ("pyproject.toml", f'[[tool.poetry.source]]\nname = "x"\nurl = "{URL}"\n', "source"),
    ("pyproject.toml", f'[[tool.pdm.source]]\nname = "x"\nurl = "{URL}"\n', "source"),
    ("uv.toml", f'[[index]]\nurl = "{URL}"\n', "index"),
    ("uv.toml", f'index-url = "{URL}"\n', "index-url"),
    ("Pipfile", f'[[source]]\nurl = "{URL}"\nverify_ssl = true\nname = "x"\n', "source"),
    (".condarc", f"channels:\n  - {URL}\n  - conda-forge\n", "channels"),
    ("environment.yml", f"name: x\nchannels:\n  - {URL}\ndependencies:\n  - numpy\n", "channels"),
    (".cargo/config.toml", f'[source.crates-io]\nreplace-with = "x"\n[source.x]\nregistry = "sparse+{URL}"\n', "registry"),
    (".cargo/config.toml", f'[registries.x]\nindex = "{URL}"\n', "index"),
    ("home/a/.config/go/env", f"GOPROXY={URL},direct\n", "GOPROXY"),
    ("Gemfile", f"source '{URL}'\ngem 'rails'\n", "source"),
    (".gemrc", f":sources:\n- {URL}\n", ":sources"),
    (".bundle/config", f'---\nBUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/: "{URL}"\n', "BUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/"),
    ("composer.json", f'{{"repositories": [{{"type": "composer", "url": "{URL}"}}]}}', "repositories"),
    ("home/a/.m2/settings.xml", f"<settings><mirrors><mirror><id>x</id><url>{URL}</url></mirror></mirrors></settings>", "repository"),
    ("pom.xml", f"<project><url>https://shop.example</url><repositories><repository><id>x</id><url>{URL}</url></repository></repositories></project>", "repository"),
    ("build.gradle", f'repositories {{\n  maven {{ url "{URL}" }}\n}}\n', "repository"),
    ("build.gradle.kts", f'repositories {{\n  maven("{URL}")\n}}\n', "repository"),
    ("settings.gradle.kts", f'repositories {{\n  maven {{ url = uri("{URL}") }}\n}}\n', "repository"),
    ("gradle/wrapper/gradle-wrapper.properties", f"distributionUrl={URL.replace(':', chr(92) + ':', 1)}\n", "distributionUrl"),
    ("NuGet.Config", f'<packageSources><add key="x" value="{URL}" /></packageSources>', "package-source"),
    ("etc/docker/daemon.json", f'{{"registry-mirrors": ["{URL}"]}}', "registry-mirrors"),
    ("etc/yum.repos.d/x.repo", f"[x]\nname=x\nbaseurl={URL}\n", "baseurl"),
    ("Podfile", f"source '{URL}'\n", "source"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "key"), _REGISTRIES, ids=lambda one: str(one)[:40])
def test_another_host_of_packages_is_a_warning_that_names_only_the_host(
    path: str, text: str, key: str
) -> None:
    old: Moment = {path: b"\n"}

    assert _said(old, {path: text.encode()}) == [("security.registry", "high", HOST, (key,))]
    assert "canary" not in repr(story([Registries()], old, {path: text.encode()}))
    assert [severity for _, severity, _, _ in _said({path: text.encode()}, old)] == ["note"]
    assert _said({path: text.encode()}, {path: b"# x\n" + text.encode()}) == [] or path.endswith(
        (".xml", ".json", ".Config", "Config", ".gradle", ".kts")
    )


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".npmrc", "registry=https://registry.npmjs.org/\n"),
        (".npmrc", "//registry.npmjs.org/:_authToken=canary\nsave-exact=true\n"),
        ("pip.conf", "[global]\nindex-url = https://pypi.org/simple\ntimeout = 60\n"),
        ("requirements.txt", "--index-url https://pypi.org/simple\nsix\n"),
        ("pyproject.toml", '[project.urls]\nhomepage = "https://shop.example"\nindex = "x"\n'),
        ("pyproject.toml", '[project]\nname = "x"\n[project.urls]\nSource = "https://github.com/a/b"\n'),
        ("composer.json", '{"homepage": "https://shop.example", "support": {"source": "x"}}'),
        ("pom.xml", "<project><url>https://shop.example</url><scm><url>https://git.example</url></scm></project>"),
        ("Gemfile", "source 'https://rubygems.org'\ngem 'rails'\n"),
        ("build.gradle", 'repositories {\n  mavenCentral()\n  maven { url "https://plugins.gradle.org/m2/" }\n}\n'),
        ("Pipfile", '[[source]]\nurl = "https://pypi.org/simple"\nverify_ssl = true\n'),
        (".condarc", "channels:\n  - conda-forge\n  - defaults\n"),
        ("gradle/wrapper/gradle-wrapper.properties", "distributionUrl=https\\://services.gradle.org/distributions/gradle-8.7-bin.zip\n"),
        ("app/config.toml", 'registry = "https://x.example"\n'),
        ("node_modules/x/.npmrc", "registry=https://x.example\n"),
        ("setup.cfg", "[metadata]\nurl = https://shop.example\nproject_urls =\n    Source = https://github.com/a/b\n"),
        ("pyproject.toml", '[tool.poetry]\nrepository = "https://github.com/a/b"\nhomepage = "https://shop.example"\n'),
        ("composer.json", '{"support": {"source": "https://github.com/a/b"}, "homepage": "https://shop.example"}'),
        ("build.gradle", 'publishing { pom { url = "https://github.com/a/b"\n scm { url = "https://github.com/a/b" } } }\n'),
        ("pom.xml", "<project><distributionManagement><repository><id>x</id><url>https://x.example</url></repository></distributionManagement></project>"),
        ("pixi.toml", '[project]\nrepository = "https://github.com/a/b"\nchannels = ["conda-forge"]\n'),
    ],
    ids=lambda one: str(one)[:40],
)  # fmt: skip
def test_the_public_registry_and_other_addresses_say_nothing(path: str, text: str) -> None:
    assert _said({path: b"\n"}, {path: text.encode()}) == []


def test_the_same_host_written_differently_is_no_news_and_a_switch_is() -> None:
    def npmrc(url: str) -> Moment:
        return {".npmrc": f"registry={url}\n".encode()}

    assert (
        _said(npmrc("https://npm.corp.example"), npmrc("https://npm.corp.example:443/npm/")) == []
    )
    assert _said(npmrc("http://npm.corp.example/"), npmrc("https://npm.corp.example/")) == []
    assert [
        one[:2]
        for one in _said(npmrc("https://npm.corp.example"), npmrc("https://registry.npmjs.org/"))
    ] == [("security.registry", "note")]
    assert _said(npmrc("https://npm.corp.example"), npmrc(f"https://{HOST}"))[0][:3] == (
        "security.registry", "high", HOST,
    )  # fmt: skip
    assert _said(npmrc("https://npm.corp.example"), npmrc("http://npm.corp.example"))[0][:2] == (
        "security.tls", "high",
    )  # fmt: skip


def test_well_known_hosts_and_ones_of_this_machine_are_notes() -> None:
    for text in (
        "@corp:registry=https://npm.pkg.github.com\n", "registry=http://localhost:4873/\n",
        "registry=http://127.0.0.1:4873/\n",
    ):  # fmt: skip
        assert [one[1] for one in _said({".npmrc": b""}, {".npmrc": text.encode()})] == ["note"]
    wheels = b"--extra-index-url https://download.pytorch.org/whl/cpu\ntorch\n"
    assert [
        one[1] for one in _said({"requirements.txt": b"torch\n"}, {"requirements.txt": wheels})
    ] == ["note"]


def test_a_new_project_with_its_own_registry_is_a_note_and_a_new_file_in_an_old_one_is_not() -> (
    None
):
    npmrc = f"registry=https://{HOST}\n".encode()

    assert _said({}, {"a/.npmrc": npmrc, "a/package.json": b"{}"})[0][1] == "note"
    assert (
        _said({"a/package.json": b"{}"}, {"a/.npmrc": npmrc, "a/package.json": b"{}"})[0][1]
        == "high"
    )
    assert _said({}, {"b/tests/fixtures/.npmrc": npmrc})[0][1] == "note"


@pytest.mark.parametrize(
    ("path", "before", "after", "mark"),
    [
        (".npmrc", "", "strict-ssl=false\n", "strict-ssl"),
        (".yarnrc", "", "strict-ssl false\n", "strict-ssl"),
        (".yarnrc.yml", "", "enableStrictSsl: false\n", "enableStrictSsl"),
        (".yarnrc.yml", "", "unsafeHttpWhitelist:\n  - npm.corp.example\n", "unsafeHttpWhitelist"),
        ("pip.conf", "[global]\n", "[global]\ntrusted-host = pypi.org\n", "trusted-host"),
        ("requirements.txt", "six\n", "--trusted-host pypi.org\nsix\n", "trusted-host"),
        ("uv.toml", "", 'allow-insecure-host = ["pypi.org"]\n', "allow-insecure-host"),
        ("Pipfile", "", "[[source]]\nverify_ssl = false\n", "verify_ssl"),
        ("pyproject.toml", "", "[[tool.pdm.source]]\nverify_ssl = false\n", "verify_ssl"),
        (".condarc", "", "ssl_verify: false\n", "ssl_verify"),
        (".curlrc", "", "insecure\n", "insecure"),
        (".curlrc", "", "--insecure\n", "insecure"),
        (".wgetrc", "", "check_certificate = off\n", "check_certificate"),
        (".gemrc", "", ":ssl_verify_mode: 0\n", ":ssl_verify_mode"),
        (".bundle/config", "", '---\nBUNDLE_SSL_VERIFY_MODE: "0"\n', "BUNDLE_SSL_VERIFY_MODE"),
        ("composer.json", "{}", '{"config": {"disable-tls": true}}', "disable-tls"),
        ("composer.json", "{}", '{"config": {"secure-http": false}}', "secure-http"),
        ("home/a/.config/go/env", "", "GOFLAGS=-insecure\n", "GOFLAGS"),
        ("home/a/.config/go/env", "", "GOINSECURE=*\n", "GOINSECURE"),
        ("build.gradle", "", "repositories { maven { allowInsecureProtocol = true } }\n", "allowInsecureProtocol"),
        ("etc/docker/daemon.json", "{}", '{"insecure-registries": ["r.example"]}', "insecure-registries"),
        ("etc/apt/apt.conf.d/99x", "", 'Acquire::https::Verify-Peer "false";\n', "verify-peer"),
        ("etc/yum.repos.d/x.repo", "[x]\n", "[x]\nsslverify=0\n", "sslverify"),
    ],
)  # fmt: skip
def test_certificates_that_are_not_verified_are_a_warning(
    path: str, before: str, after: str, mark: str
) -> None:
    old, new = {path: before.encode()}, {path: after.encode()}

    assert ("security.tls", "high", None, (mark,)) in _said(old, new)
    assert [one[:2] for one in _said(new, old)] == [("security.tls", "note")]


@pytest.mark.parametrize(
    ("path", "text", "mark"),
    [
        ("home/a/.config/go/env", "GOSUMDB=off\n", "GOSUMDB"),
        ("home/a/.config/go/env", "GONOSUMDB=*\n", "GONOSUMDB"),
        (".yarnrc.yml", "checksumBehavior: ignore\n", "checksumBehavior"),
        ("etc/yum.repos.d/x.repo", "[x]\ngpgcheck=0\n", "gpgcheck"),
        ("etc/pacman.conf", "[options]\nSigLevel = Never\n", "SigLevel"),
        (
            "etc/apt/apt.conf.d/99x",
            'APT::Get::AllowUnauthenticated "true";\n',
            "AllowUnauthenticated",
        ),
        (
            "etc/apt/apt.conf",
            'Acquire::AllowInsecureRepositories "1";\n',
            "AllowInsecureRepositories",
        ),
    ],
)
def test_packages_that_are_not_checked_are_a_warning(path: str, text: str, mark: str) -> None:
    assert _said({path: b""}, {path: text.encode()}) == [
        ("security.integrity", "high", "unchecked", (mark,))
    ]


def test_a_check_that_is_no_longer_demanded_is_a_warning() -> None:
    for path, text in (
        ("requirements.txt", b"--require-hashes\nsix\n"), ("pip.conf", b"[install]\nrequire-hashes = yes\n"),
    ):  # fmt: skip
        assert _said({path: text}, {path: b"six\n"}) == [
            ("security.integrity", "high", "unchecked", ("require-hashes",))
        ]
        assert _said({path: b"six\n"}, {path: text}) == []


def test_install_scripts_that_run_again_are_a_warning_and_refused_ones_are_plain_news() -> None:
    refused: Moment = {".npmrc": b"ignore-scripts=true\nsave-exact=true\n"}
    allowed: Moment = {".npmrc": b"ignore-scripts=false\nsave-exact=true\n"}
    unset: Moment = {".npmrc": b"save-exact=true\n"}

    for new in (allowed, unset):
        assert _said(refused, new) == [
            ("security.install_script", "high", None, ("ignore-scripts",))
        ]
    for old in (allowed, unset):
        assert [one[:2] for one in _said(old, refused)] == [("config.changed", "none")]
    assert _said(unset, allowed) == []
    assert story([Registries()], refused, unset).headline == (
        "! .npmrc: install scripts of packages run again"
    )
    assert story([Registries()], unset, refused).headline == (
        ".npmrc: ignore-scripts: install scripts are no longer run"
    )


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (".yarnrc", "ignore-scripts true\n", "ignore-scripts false\n"),
        (".yarnrc.yml", "enableScripts: false\n", "enableScripts: true\n"),
        (
            "pnpm-workspace.yaml",
            "packages:\n  - a\n",
            "packages:\n  - a\ndangerouslyAllowAllBuilds: true\n",
        ),
        ("pip.conf", "[install]\nonly-binary = :all:\n", "[install]\n"),
    ],
)
def test_install_scripts_of_other_managers_are_known(path: str, before: str, after: str) -> None:
    assert [one[:2] for one in _said({path: before.encode()}, {path: after.encode()})] == [
        ("security.install_script", "high")
    ]


def test_proxies_and_usual_programs_are_notes() -> None:
    assert _said(
        {".npmrc": b""}, {".npmrc": b"https-proxy=http://u:canary@proxy.example:3128\n"}
    ) == [("security.registry", "note", "proxy.example:3128", ("https-proxy",))]
    assert _said({".npmrc": b""}, {".npmrc": b"script-shell=/bin/bash\n"})[0][1:] == (
        "note", None, ("script-shell",),
    )  # fmt: skip


def test_settings_alone_claim_their_file_and_a_manifest_is_left_to_others() -> None:
    text = f'[[tool.uv.index]]\nurl = "{URL}"\n'.encode()
    for path, claims in ((".npmrc", (".npmrc",)), ("pyproject.toml", ())):
        new = {path: text if path != ".npmrc" else b"strict-ssl=false\n"}
        (finding,) = findings(Registries(), evidence({path: b""}, new))
        assert finding.claims == claims


@given(st.binary(max_size=400), st.sampled_from(sorted({path for path, _, _ in _REGISTRIES})))
@settings(max_examples=200)
def test_random_settings_cost_at_most_one_line(content: bytes, path: str) -> None:
    assert len(_said({path: b""}, {path: content})) <= 3


def test_hostile_settings_take_bounded_time() -> None:
    hostile = (
        b"<repository>" * 50_000, b"url \"" * 50_000, b"source '" * 50_000, b"[" * 100_000,
        b"registry=" + b"a" * (900 << 10), b"\xff\x00=\n" * 1_000, b"a://" * 100_000,
        b'<add key="' * 50_000, b"x:y:" * 100_000, b'Acquire::x "' * 30_000,
    )  # fmt: skip
    for path in {path for path, _, _ in _REGISTRIES} | {"etc/apt/apt.conf"}:
        known = settings_file(path)
        assert known is not None
        for content in hostile:
            started = time.process_time()
            _said({}, {path: content})
            assert time.process_time() - started < 1.5, (path, content[:20])
    assert _said({}, {".npmrc": file(size=1 << 40)}) == []
