"""Files of a project: edits, moves, and output of tools."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from evaluation.histories import change, repository
from evaluation.place import Place
from evaluation.scenario import scenario
from evaluation.truths.data import CsvRows
from evaluation.truths.files import Generated, Log, SourceFiles
from evaluation.truths.git import GitRefs


@scenario(
    28, "14 sources edited, 3 renamed, one made executable", GitRefs(), SourceFiles(), benign=True,
    headline=("edited 15, renamed 3 source files",),
)  # fmt: skip
def edits(place: Place) -> Iterator[None]:
    repository(place)
    yield
    for number in range(1, 15):
        change(place, number)
    place.run("git mv src/module_15.py src/renamed_15.py && mv src/module_16.py src/renamed_16.py")
    place.run("mkdir lib && mv src/module_17.py lib/ && chmod +x src/module_18.py")


@scenario(
    28, "documents only", GitRefs(), SourceFiles(), benign=True, headline=("documents",)
)  # fmt: skip
def documents(place: Place) -> Iterator[None]:
    repository(place)
    yield
    place.run("mkdir docs; echo more >> README.md; seq 5 > docs/guide.md; seq 9 > docs/howto.rst")


@scenario(
    28, "line endings changed", GitRefs(), SourceFiles(), benign=True,
    headline=("line endings only",),
)  # fmt: skip
def line_endings(place: Place) -> Iterator[None]:
    repository(place)
    yield
    place.run("sed -i 's/$/\\r/' src/*.py")


@scenario(
    28, "a script made executable", GitRefs(), SourceFiles(), benign=True,
    headline=("run.sh", "made executable"),
)  # fmt: skip
def executable(place: Place) -> Iterator[None]:
    place.write("run.sh", "#!/bin/sh\nexit 0\n")
    repository(place)
    yield
    place.run("chmod +x run.sh")


@scenario(
    28, "a directory renamed and committed", GitRefs(), SourceFiles(), benign=True,
    headline=("1 commit", "renamed 20 source files from src to lib"),
)  # fmt: skip
def directory(place: Place) -> Iterator[None]:
    repository(place)
    yield
    place.run("git mv src lib && git commit -qm moved")


@scenario(
    28, "5,000 vendored files", GitRefs(), SourceFiles(), benign=True,
    headline=("5,000 source files in third_party/lib",),
)  # fmt: skip
def vendored(place: Place) -> Iterator[None]:
    repository(place)
    yield
    for number in range(5000):
        place.write(f"third_party/lib/part{number % 50}/f{number}.c", f"int f{number};\n")


@scenario(
    28, "a Makefile and a JSON file edited", GitRefs(),
    expected={
        ("check.added", "Makefile", "step", None, "pytest"),
        ("config.changed", "tsconfig.json", "tsconfig.json", None, None),
    },
    benign=True, headline=("Makefile",),
)  # fmt: skip
def makefile(place: Place) -> Iterator[None]:
    place.write("Makefile", "all:\n\techo\n")
    place.write("tsconfig.json", '{"strict": false}\n')
    repository(place)
    yield
    place.run(
        "printf 'test:\\n\\tpytest\\n' >> Makefile; echo '{\"strict\": true}' > tsconfig.json"
    )


@scenario(28, "a picture edited", GitRefs(), SourceFiles(apart=("*.png",)), benign=True,
          headline=("logo.png",))  # fmt: skip
def picture(place: Place) -> Iterator[None]:
    place.write("logo.png", b"\x89PNG\r\n\x1a\n" + os.urandom(3000))
    repository(place)
    yield
    place.write("logo.png", b"\x89PNG\r\n\x1a\n" + os.urandom(3100))


@scenario(
    28, "a log grew, a CSV too, and 2,000 results were written",
    GitRefs(), Log("server.log"), CsvRows("data.csv"), benign=True,
    headline=("data.csv", "results/ new directory, 2,000 files"),
)  # fmt: skip
def data_files(place: Place) -> Iterator[None]:
    place.write("data.csv", "id,name\n1,a\n2,b\n")
    repository(place)
    place.write("server.log", "started\n")
    yield
    place.run("printf '3,c\\n4,\"d\\ne\"\\n' >> data.csv; seq 500 >> server.log")
    for number in range(2000):
        place.write(f"results/r{number}.json", f'{{"id": {number}, "text": "{number * number}"}}\n')


@scenario(
    28, "a large binary added", GitRefs(),
    expected={("data.changed", "file", "assets/scene.dat", None, "60.0 MB")},
    benign=True, headline=("scene.dat", "60.0 MB"),
)  # fmt: skip
def large(place: Place) -> Iterator[None]:
    repository(place)
    yield
    place.write("assets/scene.dat", os.urandom(60_000_000))


@scenario(
    28, "ignored files changed", GitRefs(), Generated("ignored", "build"),
    expected={("config.changed", "local.ini", "local.ini", None, None)}, benign=True,
    headline=("local.ini", "ignored files changed (2 files in build)"),
)  # fmt: skip
def ignored(place: Place) -> Iterator[None]:
    repository(place)
    place.run("echo local.ini >> .gitignore && git commit -qam ignore")
    place.write("local.ini", "[a]\nport = 1\n")
    place.write("build/a.txt", "1\n")
    yield
    place.write("local.ini", f"[a]\nport = 2\npassword = {place.canary()}\n")
    place.write("build/a.txt", "2\n")
    place.write("build/b.txt", "2\n")


@scenario(
    28, "a project moved with its repository",
    # git tells of a file that moved within a repository only; the names are the scenario's own
    expected={
        ("git.branch", "git:new", "main", None, None),
        ("code.renamed", "git:new", "new", None, "21"),
        ("config.changed", "new/.gitignore", "new/.gitignore", None, None),
    },
    benign=True, headline=("repository moved from old to new",),
)  # fmt: skip
def project_moved(place: Place) -> Iterator[None]:
    repository(place, "old")
    yield
    place.run("mv old new")


@scenario(
    29, "npm run build", Generated("build", "dist"), SourceFiles(), benign=True,
    headline=("build output added (30 files in dist)",),
)  # fmt: skip
def npm_build(place: Place) -> Iterator[None]:
    place.write("package.json", '{"name": "app", "scripts": {"build": "node build.js"}}\n')
    place.write(
        "build.js",
        "const fs = require('fs');\nfs.mkdirSync('dist/assets', {recursive: true});\n"
        "for (let i = 0; i < 29; i++) fs.writeFileSync(`dist/assets/c${i}.js`, `x(${i})`);\n"
        "fs.writeFileSync('dist/index.html', '<script src=assets/c0.js></script>');\n",
    )
    place.write(".gitignore", "/dist/\nnode_modules/\n")
    place.run("git init -q && git add -A && git commit -qm first")
    yield
    place.run("npm run build")


@scenario(
    29, "pytest", Generated("cache", "__pycache__"), Generated("cache", "tests/__pycache__"),
    Generated("cache", ".pytest_cache"), SourceFiles(), benign=True, headline=("only",),
)  # fmt: skip
def pytest(place: Place) -> Iterator[None]:
    python = place.around / "venv/bin/python"
    place.run(f"python3 -m venv {place.around}/venv && {python} -m pip install -q pytest==8.3.3")
    place.write("app.py", "def double(n):\n    return 2 * n\n")
    place.write(
        "tests/test_app.py",
        "from app import double\n\n\ndef test_it():\n    assert double(2) == 4\n",
    )
    place.write(".gitignore", "__pycache__/\n.pytest_cache/\n")
    place.run("git init -q && git add -A && git commit -qm first")
    yield
    place.run(f"{python} -m pytest -q")


def cargo_build(place: Place) -> Iterator[None]:
    rustup = f"RUSTUP_HOME={Path.home() / '.rustup'}"
    place.run(f"{rustup} cargo init -q --name app && {rustup} cargo generate-lockfile")
    place.run("git add -A && git commit -qm first")
    yield
    place.run(f"{rustup} cargo build -q --offline")


if shutil.which("cargo"):
    scenario(
        29, "cargo build", Generated("build", "target"), SourceFiles(), benign=True,
        headline=("build output added", "in target"),
    )(cargo_build)  # fmt: skip


@scenario(
    34, "no change in a project: python -c, git status, ls", GitRefs(), SourceFiles(), benign=True,
)  # fmt: skip
def only_looked(place: Place) -> Iterator[None]:
    repository(place)
    yield
    place.run(
        "python3 -c 'print(1)'; git status; git log --stat; git diff; ls -laR; touch README.md"
    )
