"""Tools installed without the system's package manager: cargo's, Go's, and whole toolchains."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from evaluation.place import Place
from evaluation.scenario import scenario
from evaluation.truths.tools import CargoList, Executables

_RUSTUP = os.environ.get("RUSTUP_HOME") or str(Path.home() / ".rustup")
_CARGO = f"RUSTUP_HOME={_RUSTUP} CARGO_HOME=$PWD/.cargo CARGO_TARGET_DIR=$PWD/../built cargo"
_TOOLCHAIN = "the directories that the manager leaves, made by hand: its sources cannot be reached"


def _crate(place: Place, name: str, version: str) -> None:
    manifest = f'[package]\nname = "{name}"\nversion = "{version}"\nedition = "2021"\n'
    place.write(f"../{name}/Cargo.toml", manifest)
    place.write(f"../{name}/src/main.rs", 'fn main() { println!("hello"); }\n')


def _home(place: Place) -> None:
    place.write(".bashrc", "# a home\n")


@scenario(
    16,
    "cargo install --path of a small crate",
    CargoList(_CARGO),
    benign=True,
    headline=("hello", "cargo"),
)
def cargo_install(place: Place) -> Iterator[None]:
    _home(place)
    _crate(place, "hello", "0.1.0")
    yield
    place.run(f"{_CARGO} install -q --offline --path ../hello")


@scenario(
    16,
    "cargo: one upgraded, one uninstalled",
    CargoList(_CARGO),
    benign=True,
    headline=("hello 0.1.0 → 0.2.0", "bye"),
)
def cargo_upgrade(place: Place) -> Iterator[None]:
    _home(place)
    for name in ("hello", "bye"):
        _crate(place, name, "0.1.0")
        place.run(f"{_CARGO} install -q --offline --path ../{name}")
    _crate(place, "hello", "0.2.0")
    yield
    place.run(f"{_CARGO} install -q --offline --path ../hello && {_CARGO} uninstall -q bye")


@scenario(
    16,
    "a Go program dropped into /usr/local/bin",
    Executables("usr/local/bin"),
    machine=True,
    headline=("esbuild",),
    stands_in="esbuild's own binary out of its npm package stands in for a download",
)
def go_program(place: Place) -> Iterator[None]:
    directory = place.around / "esbuild"
    directory.mkdir()
    npm = f"npm install -s --prefix {directory} @esbuild/linux-x64@0.21.5"
    assert os.system(npm) == 0, "npm runs beside the machine"
    program = directory / "node_modules/@esbuild/linux-x64/bin/esbuild"
    yield
    place.write("usr/local/bin/esbuild", program.read_bytes(), 0o755)


@scenario(
    16,
    "a script dropped into ~/.local/bin of a home",
    expected={("executable.added", ".local/bin", "deploy", None, None)},
    headline=("deploy",),
)
def script_in_path(place: Place) -> Iterator[None]:
    _home(place)
    yield
    place.write(".local/bin/deploy", "#!/bin/sh\nexec true\n", 0o755)


def _python(place: Place, version: str) -> None:
    short = version.rpartition(".")[0]
    for path in (f"bin/python{short}", f"lib/python{short}/os.py", "bin/pip"):
        place.write(f".pyenv/versions/{version}/{path}", f"# {version}\n", 0o755)
    (place.root / f".pyenv/versions/{version}/bin/python").symlink_to(f"python{short}")
    about = f".pyenv/versions/{version}/lib/python{short}/site-packages/pip-24.0.dist-info"
    place.write(f"{about}/METADATA", "Metadata-Version: 2.1\nName: pip\nVersion: 24.0\n")
    place.write(f"{about}/INSTALLER", "pip\n")


@scenario(
    17,
    "pyenv: a version installed and made the default",
    expected={
        ("toolchain.added", "pyenv", "python", None, "3.12.4"),
        ("toolchain.changed", "pyenv", "python", "3.11.9", "3.12.4"),
    },
    benign=True,
    headline=("3.12.4", "pyenv"),
    stands_in=_TOOLCHAIN,
)
def pyenv(place: Place) -> Iterator[None]:
    _home(place)
    _python(place, "3.11.9")
    place.write(".pyenv/version", "3.11.9\n")
    place.write(".pyenv/shims/python3.11", "#!/usr/bin/env bash\n", 0o755)
    yield
    _python(place, "3.12.4")
    place.write(".pyenv/version", "3.12.4\n")
    place.write(".pyenv/shims/python3.12", "#!/usr/bin/env bash\n", 0o755)


@scenario(
    17,
    "nvm: a version installed, the default switched, another removed",
    expected={
        ("toolchain.added", "nvm", "node", None, "v22.5.1"),
        ("toolchain.removed", "nvm", "node", "v18.20.4", None),
        ("toolchain.changed", "nvm", "node", "20", "22"),
    },
    benign=True,
    headline=("v22.5.1", "nvm"),
    stands_in=_TOOLCHAIN,
)
def nvm(place: Place) -> Iterator[None]:
    _home(place)
    for version in ("v18.20.4", "v20.15.1"):
        _node(place, version)
    place.write(".nvm/alias/default", "20\n")
    yield
    _node(place, "v22.5.1")
    place.run("rm -r .nvm/versions/node/v18.20.4")
    place.write(".nvm/alias/default", "22\n")


def _node(place: Place, version: str) -> None:
    root = f".nvm/versions/node/{version}"
    place.write(f"{root}/bin/node", f"{version}\n", 0o755)
    place.write(f"{root}/lib/node_modules/npm/package.json", '{"name": "npm", "version": "10.8.1"}')
    (place.root / f"{root}/bin/npm").symlink_to("../lib/node_modules/npm/bin/npm-cli.js")


@scenario(
    17,
    "rustup: nightly added, stable updated, the default switched",
    expected={
        ("toolchain.added", "rustup", "rust", None, "1.82.0-nightly 2024-07-29 (nightly)"),
        ("toolchain.changed", "rustup", "rust", "1.79.0 (stable)", "1.80.0 (stable)"),
        ("toolchain.changed", "rustup", "rust", "stable", "nightly"),
    },
    benign=True,
    headline=("nightly", "rustup"),
    stands_in=_TOOLCHAIN,
)
def rustup(place: Place) -> Iterator[None]:
    _home(place)
    _rust(place, "stable", "1.79.0 (129f3b996 2024-06-10)")
    _rust_default(place, "stable")
    yield
    _rust(place, "stable", "1.80.0 (051478957 2024-07-21)")
    _rust(place, "nightly", "1.82.0-nightly (612a33f20 2024-07-29)")
    _rust_default(place, "nightly")
    place.write(".rustup/update-hashes/nightly-x86_64-unknown-linux-gnu", "0123456789")


def _rust(place: Place, channel: str, version: str) -> None:
    root = f".rustup/toolchains/{channel}-x86_64-unknown-linux-gnu"
    place.write(f"{root}/bin/rustc", f"{version}\n", 0o755)
    place.write(
        f"{root}/lib/rustlib/multirust-channel-manifest.toml",
        f'manifest-version = "2"\n[pkg.rustc]\nversion = "{version}"\n',
    )


def _rust_default(place: Place, channel: str) -> None:
    default = f'default_toolchain = "{channel}-x86_64-unknown-linux-gnu"'
    place.write(".rustup/settings.toml", f'{default}\nprofile = "default"\nversion = "12"\n')
