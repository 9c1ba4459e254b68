"""Lock files and manifests that lead elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from evaluation.fresh.interrupted import require
from evaluation.fresh.shop import shop, work_goes_on
from evaluation.place import Place
from evaluation.second.tools import commit, node_tool, python_with
from evaluation.second.verbs import ADDED, CHANGED
from evaluation.variant import Claims, variant

_GROUP = "supply chain"
_HOST = "packages.example.net"
_MANIFEST = '{\n  "name": "shop",\n  "version": "1.4.0"\n}\n'
_HASH = "integrity|hash|checksum|sha512|sha256"
_CARGO = """\
[package]
name = "shop"
version = "0.1.0"
edition = "2021"

[dependencies]
serde = "1.0"
rand = "0.8"
"""
_GO_MOD = """\
module example.org/shop

go 1.22

require (
	github.com/google/uuid v1.6.0
	golang.org/x/text v0.14.0
)
"""
_COMPOSER = {"name": "shop/shop", "require": {"php": ">=8.2", "monolog/monolog": "^3.5"}}


def _npm(place: Place, packages: str = "is-odd@3.0.1 left-pad@1.1.3") -> None:
    shop(place)
    place.write("package.json", _MANIFEST)
    place.run(f"npm install -q --save-exact {packages}")
    commit(place, "packages")


def _manifest(place: Place, path: str, text: str) -> None:
    shop(place)
    place.write(path, text)
    commit(place, "dependencies")


@variant(_GROUP, "yarn.lock: one package resolved elsewhere")
def yarn_elsewhere(place: Place, claims: Claims) -> Iterator[None]:
    yarn = node_tool(place, "yarn@1.22.22")
    shop(place)
    place.write("package.json", _MANIFEST)
    place.run(f"{yarn} add -s --exact is-odd@3.0.1 left-pad@1.1.3")
    commit(place, "packages")
    yield
    place.run(f"sed -i -E '/resolved.*is-number/ s#https?://[^/]+/#https://{_HOST}/#' yarn.lock")
    require(place.run(f"grep -c {_HOST} yarn.lock").strip() == "1", "one address is another")
    work_goes_on(place)
    claims.warn("is-number", _HOST)
    claims.lead(f"yarn.lock|is-number|{_HOST}")


@variant(_GROUP, "pnpm-lock.yaml: the archive of one package taken from elsewhere")
def pnpm_elsewhere(place: Place, claims: Claims) -> Iterator[None]:
    pnpm = node_tool(place, "pnpm@9.15.0")
    shop(place)
    place.write("package.json", _MANIFEST)
    place.run(f"{pnpm} add --silent --save-exact is-odd@3.0.1 left-pad@1.1.3")
    commit(place, "packages")
    yield
    lock = (place.root / "pnpm-lock.yaml").read_text()
    address = f"https://{_HOST}/left-pad/-/left-pad-1.1.3.tgz"
    new = re.sub(r"(  left-pad@1\.1\.3:\n    resolution: \{integrity: [^}]+)\}", rf"\1, tarball: {address}}}", lock)  # fmt: skip
    require(new != lock, "the lock has an address")
    place.write("pnpm-lock.yaml", new)
    claims.warn("left-pad", _HOST)
    claims.lead(f"pnpm-lock.yaml|{_HOST}|left-pad")
    claims.deny("is-odd")


@variant(_GROUP, "package-lock.json: another content for the same version")
def integrity_changed(place: Place, claims: Claims) -> Iterator[None]:
    _npm(place)
    yield
    path = place.root / "package-lock.json"
    lock = json.loads(path.read_text())
    lock["packages"]["node_modules/left-pad"]["integrity"] = f"sha512-{'A' * 85}g=="
    path.write_text(json.dumps(lock, indent=2) + "\n")
    place.run("git commit -qam 'refresh the lock'")
    claims.warn("left-pad", _HASH)
    claims.lead("package-lock.json|left-pad")
    claims.deny("upgraded", "is-odd")


@variant(_GROUP, "requirements.txt: another hash for the same version")
def requirement_hash(place: Place, claims: Claims) -> Iterator[None]:
    python = python_with(place, "pip-tools")
    shop(place)
    place.write("requirements.in", "six==1.16.0\nidna==3.7\n")
    place.run(
        f"{python} -m piptools compile -q --generate-hashes --no-emit-index-url requirements.in"
    )
    commit(place, "requirements")
    yield
    text = (place.root / "requirements.txt").read_text()
    old = re.findall(r"six==1\.16\.0 \\\n(?:\s+--hash=sha256:(\w+))", text)
    require(bool(old), "there is a hash of six")
    place.write("requirements.txt", text.replace(old[0], "5" * 64))
    claims.warn("six", "hash|sha256|checksum")
    claims.lead("requirements.txt|six")
    claims.deny("upgraded", "downgraded")


@variant(_GROUP, "npm: a dependency becomes an alias of another package")
def npm_alias(place: Place, claims: Claims) -> Iterator[None]:
    _npm(place)
    yield
    place.run("npm install -q --package-lock-only left-pad@npm:is-even@1.0.0")
    require("npm:is-even" in (place.root / "package.json").read_text(), "it is an alias")
    claims.warn("left-pad", "is-even")
    claims.lead("left-pad|is-even|package.json|package-lock.json")


@variant(_GROUP, "npm: an override replaces a dependency of a dependency by an address")
def npm_override(place: Place, claims: Claims) -> Iterator[None]:
    _npm(place)
    yield
    place.run(f"npm pkg set overrides.is-number=https://{_HOST}/is-number.tgz")
    claims.warn("is-number", f"{_HOST}|override")
    claims.lead("is-number|package.json|override")


@variant(_GROUP, "Cargo: a dependency taken from an address of git")
def cargo_git(place: Place, claims: Claims) -> Iterator[None]:
    _manifest(place, "Cargo.toml", _CARGO)
    yield
    place.run(f"sed -i 's#^rand = .*#rand = {{ git = \"https://{_HOST}/rand\", branch = \"main\" }}#' Cargo.toml")  # fmt: skip
    claims.warn("rand", f"git|{_HOST}")
    claims.lead("rand|Cargo.toml")
    claims.deny("serde")


@variant(_GROUP, "go.mod: a module replaced by the fork of someone")
def go_replace(place: Place, claims: Claims) -> Iterator[None]:
    _manifest(place, "go.mod", _GO_MOD)
    yield
    place.run(
        "echo 'replace github.com/google/uuid => github.com/someone-else/uuid v1.6.1' >> go.mod"
    )
    work_goes_on(place)
    claims.warn("uuid", "someone-else|replace")
    claims.lead("uuid|go.mod")
    claims.deny("golang.org/x/text")


@variant(_GROUP, "composer.json: a repository of another host added")
def composer_repository(place: Place, claims: Claims) -> Iterator[None]:
    _manifest(place, "composer.json", json.dumps(_COMPOSER, indent=4) + "\n")
    yield
    more = {**_COMPOSER, "repositories": [{"type": "composer", "url": f"https://{_HOST}"}]}
    place.write("composer.json", json.dumps(more, indent=4) + "\n")
    claims.warn("composer.json", _HOST)
    claims.lead("composer.json|packages|repositor")


@variant(_GROUP, "Gemfile: another source of gems")
def gemfile(place: Place, claims: Claims) -> Iterator[None]:
    _manifest(place, "Gemfile", 'source "https://rubygems.org"\n\ngem "rails", "~> 7.1"\n')
    yield
    place.run(f"sed -i 's#https://rubygems.org#https://{_HOST}#' Gemfile && git commit -qam gems")
    claims.warn("Gemfile", _HOST)
    claims.lead("Gemfile|gems|packages")
    claims.deny("rails")


@variant(_GROUP, "the wrapper of Gradle downloads another distribution")
def gradle_wrapper(place: Place, claims: Claims) -> Iterator[None]:
    path = "gradle/wrapper/gradle-wrapper.properties"
    address = "https\\://services.gradle.org/distributions/gradle-8.7-bin.zip"
    _manifest(place, path, f"distributionBase=GRADLE_USER_HOME\ndistributionUrl={address}\n")
    yield
    place.run(f"sed -i 's#services.gradle.org#{_HOST}#' {path}")
    claims.warn("gradle-wrapper.properties|Gradle", _HOST)
    claims.lead("gradle|distributionUrl")


@variant(_GROUP, "a lock file of yarn refreshed with newer versions", benign=True)
def yarn_refreshed(place: Place, claims: Claims) -> Iterator[None]:
    yarn = node_tool(place, "yarn@1.22.22")
    shop(place)
    place.write("package.json", _MANIFEST)
    place.run(f"{yarn} add -s --exact left-pad@1.1.3 is-odd@3.0.1")
    commit(place, "packages")
    yield
    place.run(f"{yarn} add -s --exact left-pad@1.3.0")
    work_goes_on(place)
    claims.say("left-pad", "1.1.3", "1.3.0")
    claims.lead("left-pad|yarn.lock")
    claims.deny("downgraded", "elsewhere", "is-odd")


@variant(_GROUP, "hashes added to requirements.txt by pip-tools", benign=True)
def hashes_added(place: Place, claims: Claims) -> Iterator[None]:
    python = python_with(place, "pip-tools")
    shop(place)
    place.write("requirements.in", "six==1.16.0\nidna==3.7\n")
    compile_ = f"{python} -m piptools compile -q --no-emit-index-url requirements.in"
    place.run(compile_)
    commit(place, "requirements")
    yield
    place.run(f"{compile_} --generate-hashes")
    claims.say("requirements.txt", f"hash|{ADDED}|{CHANGED}")
    claims.lead("requirements.txt|hash")
    claims.deny("upgraded", "downgraded", "removed", "hashes changed")


@variant(_GROUP, "go.sum grows with a new dependency", benign=True)
def go_sum(place: Place, claims: Claims) -> Iterator[None]:
    shop(place)
    line = "github.com/google/uuid v1.6.0 h1:NIvaJDMOsjHA8n1jAhLSgzrAzy1Hgr+hNrb57e+94F0=\n"
    place.write("go.mod", _GO_MOD)
    place.write("go.sum", line)
    commit(place, "modules")
    yield
    place.run("sed -i 's#^\tgolang.org/x/text.*#&\\n\\tgithub.com/rs/xid v1.5.0#' go.mod")
    place.run(
        "echo 'github.com/rs/xid v1.5.0 h1:mKX4bl4iPYJtEIxp6CYiUuLQ/8DYMoz0PUdtGgMFRVc=' >> go.sum"
    )
    claims.say("github.com/rs/xid|xid", ADDED)
    claims.lead("xid|go.mod")
    claims.deny("uuid")
