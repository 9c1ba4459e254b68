"""Packages of Node: npm in its many ways."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evaluation.place import Place
from evaluation.projects import repository
from evaluation.scenario import scenario
from evaluation.truths.node import NpmGlobal, NpmLocked, NpmLs

_MANIFEST = {"name": "web", "version": "1.0.0", "private": True}
_FILES = {
    "package.json": json.dumps(_MANIFEST, indent=2) + "\n",
    "src/index.js": "export const answer = 42;\n",
    ".gitignore": "node_modules/\ndist/\n",
}


def _wants(**wanted: str) -> str:
    return json.dumps({**_MANIFEST, "dependencies": wanted}, indent=2) + "\n"


def _installed(place: Place, packages: str) -> None:
    repository(place, _FILES)
    place.run(f"npm install -s {packages} && git add -A && git commit -q -m installed")


@scenario(
    13, "npm install express vite typescript", NpmLs(), benign=True, headline=("express", "npm")
)
def install(place: Place) -> Iterator[None]:
    repository(place, _FILES)
    yield
    place.run("npm install -s express@4.19.2 vite@5.4.0 typescript@5.5.4")


@scenario(13, "npm ci over an existing tree", NpmLs(), benign=True)
def clean_install(place: Place) -> Iterator[None]:
    _installed(place, "express@4.19.2")
    place.run("rm -rf node_modules/ms && npm install -s")
    yield
    place.run("npm ci -s")


@scenario(
    13,
    "npm install of a clone that was locked elsewhere",
    NpmLs(),
    benign=True,
    headline=("express", "npm"),
)
def clone_installed(place: Place) -> Iterator[None]:
    _installed(place, "express@4.19.2")
    place.run("rm -rf node_modules")
    yield
    place.run("npm ci -s")


@scenario(
    13,
    "npm workspaces: a member and what it needs",
    NpmLs(),
    expected={
        ("code.added", "git:.", ".", None, None),
        ("config.added", "packages/two/package.json", "packages/two/package.json", None, None),
    },
    benign=True,
    headline=("ms",),
)
def workspaces(place: Place) -> Iterator[None]:
    repository(
        place,
        {
            **_FILES,
            "package.json": json.dumps({**_MANIFEST, "workspaces": ["packages/*"]}) + "\n",
            "packages/one/package.json": '{"name": "one", "version": "1.0.0"}\n',
        },
    )
    place.run("npm install -s")
    yield
    place.write(
        "packages/two/package.json",
        '{"name": "two", "version": "2.0.0", "dependencies": {"ms": "2.1.3"}}\n',
    )
    place.write("packages/two/index.js", "import ms from 'ms';\n")
    place.run("npm install -s")


@scenario(
    13,
    "npm install -g into a home",
    NpmGlobal(".npm-global", "npm:.npm-global/lib"),
    # npm keeps what it downloaded, and a log
    benign=True,
    headline=("cowsay",),
)
def global_install(place: Place) -> Iterator[None]:
    place.write(".bashrc", "# a home\n")
    yield
    place.run("npm install -s -g --prefix .npm-global cowsay@1.6.0")


@scenario(
    13,
    "a monorepo with three package.json, one installed",
    NpmLs("web"),
    NpmLs("api"),
    NpmLs("cli"),
    benign=True,
    headline=("npm in api",),
)
def monorepo(place: Place) -> Iterator[None]:
    names = ("web", "api", "cli")
    repository(
        place,
        {f"{name}/package.json": f'{{"name": "{name}", "private": true}}\n' for name in names}
        | {".gitignore": "node_modules/\n"},
    )
    place.run("cd web && npm install -s is-odd@3.0.1")
    place.run("cd cli && npm install -s ms@2.1.2")
    yield
    place.run("cd api && npm install -s fastify@4.28.1")


@scenario(
    13,
    "package.json edited, nothing installed",
    NpmLs(),
    expected={
        ("lock.changed", "package.json", "ms", "^2.1.2", "^2.1.3"),
        ("lock.added", "package.json", "express", None, "^4.19.2"),
    },
    benign=True,
    headline=("package.json", "express", "ms ^2.1.2 → ^2.1.3"),
)
def declared(place: Place) -> Iterator[None]:
    _installed(place, "ms@2.1.2")
    yield
    place.write("package.json", _wants(ms="^2.1.3", express="^4.19.2"))


@scenario(
    13,
    "npm run build beside an install",
    NpmLs(),
    expected={
        ("generated.changed", "build", "dist", None, None),
        ("config.changed", "package.json", "package.json", None, None),
    },
    benign=True,
    headline=("esbuild", "+build"),
)
def build(place: Place) -> Iterator[None]:
    repository(place, _FILES)
    yield
    place.run("npm pkg set scripts.build='esbuild src/index.js --bundle --outdir=dist'")
    place.run("npm install -s -D esbuild@0.21.5 && npm run -s build")


@scenario(
    14,
    "npm: one uninstalled, one upgraded",
    NpmLs(),
    benign=True,
    headline=("express 4.18.2 → 4.19.2", "is-odd"),
)
def uninstall_and_upgrade(place: Place) -> Iterator[None]:
    _installed(place, "express@4.18.2 is-odd@3.0.1")
    yield
    place.run("npm uninstall -s is-odd && npm install -s express@4.19.2")


@scenario(14, "rm -rf of one installed package", NpmLs(),
          expected={("broken.install", "npm:.", "node_modules", None, None)}, headline=("is-odd",))  # fmt: skip
def removed_by_hand(place: Place) -> Iterator[None]:
    _installed(place, "is-odd@3.0.1 ms@2.1.2")
    yield
    place.run("rm -rf node_modules/is-odd")


@scenario(14, "rm -rf node_modules", NpmLs(), benign=True, headline=("removed",))
def all_removed(place: Place) -> Iterator[None]:
    _installed(place, "express@4.19.2")
    yield
    place.run("rm -rf node_modules")


@scenario(14, "npm dedupe", NpmLs(), benign=True)
def dedupe(place: Place) -> Iterator[None]:
    _installed(place, "debug@4.3.4 ms@2.1.3")
    place.write("package.json", _wants(debug="4.3.4", ms="^2.1.2"))
    yield
    place.run("npm dedupe -s")


@scenario(
    14,
    "npm install of a local directory and of a git repository",
    NpmLs(),
    benign=True,
    headline=("gitlib", "lib"),
    stands_in="a bare repository on this disk stands in for one on a server",
)
def elsewhere(place: Place) -> Iterator[None]:
    repository(place, _FILES)
    for name, version in (("lib", "1.2.0"), ("gitlib", "0.9.0")):
        place.write(f"../{name}/package.json", json.dumps({"name": name, "version": version}))
    place.run(
        "cd ../gitlib && git init -q && git add -A && git commit -q -m first"
        " && git clone -q --bare . ../gitlib.git"
    )
    yield
    place.run("npm install -s ../lib")
    place.run('npm install -s "git+file://$(cd .. && pwd)/gitlib.git"')


@scenario(
    14,
    "a file in node_modules edited, a token in .npmrc",
    NpmLs(),
    expected={
        ("code.edited", "npm:.", ".", None, None),
        ("config.added", ".npmrc", ".npmrc", None, None),
        ("security.secret", "secret", ".npmrc", None, None),  # git would take it along
    },
    headline=(".npmrc", "index.js"),
)
def edited(place: Place) -> Iterator[None]:
    _installed(place, "ms@2.1.2")
    yield
    place.run("echo '// debug' >> node_modules/ms/index.js")
    place.write(".npmrc", f"//registry.npmjs.org/:_authToken={place.canary()}\nsave-exact=true\n")


@scenario(
    14,
    "npm install --package-lock-only: declared, not installed",
    NpmLs(),
    NpmLocked(),
    expected={("lock.added", "package.json", "express", None, "^4.19.2")},
    benign=True,
    headline=("express 4.19.2", "package-lock.json"),
)
def locked_alone(place: Place) -> Iterator[None]:
    _installed(place, "ms@2.1.2")
    yield
    place.run("npm install -s --package-lock-only express@4.19.2")


@scenario(
    14,
    "a bundler's cache in node_modules",
    NpmLs(),
    expected={("generated.changed", "cache", "node_modules/.vite/deps", None, None)},
    benign=True,
    headline=("only logs and caches",),
)
def bundler_cache(place: Place) -> Iterator[None]:
    _installed(place, "ms@2.1.2")
    yield
    place.write("node_modules/.vite/deps/ms.js", "export default 1;\n")
    place.write("node_modules/.vite/deps/_metadata.json", "{}\n")
