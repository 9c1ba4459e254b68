"""Trees to save: one like node_modules, one large file, and small edits of both.

Everything is generated from a seed, so two runs on two machines use the same bytes.
The text was tuned against a real node_modules (webpack, eslint, jest, typescript, vite, MUI and all
they pull in: 30,000 files) by the figures that matter for a store:

| | real | here |
|---|---|---|
| zlib, file by file: git before gc | 3.9 to 1 | 3.5 to 1 |
| zstd over neighbours together, of that | 0.78 | 0.79 |
| git's pack after gc, of that | 0.91 | 0.89 |
| exact copies of another file | 15 % | 14 % |
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.text import PackageText, twin, vocabulary

MEDIAN_BYTES = 1500
SPREAD = 1.4  # of the logarithm; with this median it makes a mean of 4 KB
LARGEST_BYTES = 900_000
FILES_PER_PACKAGE = 50
FILES_PER_DIRECTORY = 7.7
COPIES, TWINS = 0.12, 0.16
REMEMBERED = 400
PARTS = ["dist", "lib", "src", "esm", "cjs", "types", "build", "internal", "utils", "test"]

SEGMENT = 8 << 20
EDIT_BYTES = 4096
LARGE_NAME = "data.bin"


class Edits(NamedTuple):
    """Paths, relative to the root, that one round of edits touched."""

    changed: list[str]
    added: list[str]
    deleted: list[str]

    def __len__(self) -> int:
        return len(self.changed) + len(self.added) + len(self.deleted)


def files_below(root: Path) -> list[str]:
    """Return the paths of all files, relative to `root`, sorted."""
    found: list[str] = []
    for directory, _, names in os.walk(root):
        found.extend(os.path.relpath(os.path.join(directory, name), root) for name in names)
    return sorted(found)


# --- many small files ----------------------------------------------------------------------------


def write_small(root: Path, files: int, seed: int = 1) -> None:
    """Write `files` files of about 4 KB in packages below `root`/node_modules."""
    random = Random(seed)
    words = vocabulary(random)
    past: list[tuple[str, bytes]] = []
    written = 0
    while written < files:
        share = max(3, int(random.lognormvariate(0, 0.9) * FILES_PER_PACKAGE * 0.67))
        share = min(share, files - written)
        _write_package(root / "node_modules", share, written, random, words, past)
        written += share
        del past[:-REMEMBERED]


def _write_package(
    root: Path,
    files: int,
    number: int,
    random: Random,
    words: list[str],
    past: list[tuple[str, bytes]],
) -> None:
    text = PackageText(random, words)
    name = "-".join([*random.sample(words, random.choice([1, 2, 2])), str(number)])
    package = root / f"@{random.choice(words[:40])}" / name if number % 5 == 0 else root / name
    folders = [package]
    for _ in range(round(files / FILES_PER_DIRECTORY)):
        folders.append(random.choice(folders) / f"{random.choice(PARTS)}{len(folders)}")
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    (package / "package.json").write_bytes(text.manifest())
    weights = [weight for _, weight, _ in text.kinds]
    for index in range(files - 1):
        suffix, _, make = random.choices(text.kinds, weights)[0]
        name, content = f"{text.name()}{index}{suffix}", b""
        chance = random.random()
        if past and chance < COPIES:
            content = random.choice(past)[1]
        elif past and chance < COPIES + TWINS:  # the same module for another loader
            name, content = random.choice(past[-20:])
            content = twin(random, content)
        else:
            size = min(LARGEST_BYTES, int(random.lognormvariate(0, SPREAD) * MEDIAN_BYTES))
            content = make(size)
            past.append((name, content))
        path = random.choice(folders) / name
        if path.exists():
            path = path.with_name(f"{index}-{name}")
        path.write_bytes(content)


def edit_small(root: Path, paths: list[str], seed: str, changed: int, others: int) -> Edits:
    """Change `changed` of `paths`, add `others` files and delete as many."""
    random = Random(seed)
    picked = random.sample(paths, changed + others)
    edits = Edits(picked[:changed], [], picked[changed:])
    for index, path in enumerate(edits.changed):
        content = (root / path).read_bytes()
        if index % 2:
            new = content + b"\n// edited in round %s\n" % seed.encode()
        else:  # the size stays as it was, as in a changed digit
            new = content[:-8] + random.randbytes(4).hex().encode()
        (root / path).write_bytes(new)
    for path in edits.deleted:
        (root / path).unlink()
    for index in range(others):
        added = os.path.join(os.path.dirname(random.choice(paths)), f"added-{seed}-{index}.js")
        (root / added).write_bytes(
            b"module.exports = '%s';\n" % random.randbytes(40).hex().encode()
        )
        edits.added.append(added)
    return edits


# --- one large file ------------------------------------------------------------------------------


def write_large(root: Path, size: int, seed: int = 1) -> None:
    """Write one file of `size` bytes: by turns 8 MiB of records and 8 MiB of random bytes."""
    random = Random(seed)
    with open(root / LARGE_NAME, "wb") as file:
        records = _records(random)
        while (left := size - file.tell()) > 0:
            is_noise = file.tell() // SEGMENT % 2
            segment = random.randbytes(SEGMENT) if is_noise else _segment(records)
            file.write(segment[:left])


def edit_large(root: Path, seed: str) -> Edits:
    """Overwrite 4 KiB in three places of the large file and append as much."""
    random = Random(seed)
    with open(root / LARGE_NAME, "r+b") as file:
        size = os.fstat(file.fileno()).st_size
        for _ in range(3):
            file.seek(random.randrange(size // EDIT_BYTES) * EDIT_BYTES)
            file.write(random.randbytes(EDIT_BYTES))
        file.seek(0, os.SEEK_END)
        file.write(random.randbytes(EDIT_BYTES))
    return Edits([LARGE_NAME], [], [])


def _records(random: Random) -> Iterator[bytes]:
    users = [b"user-%05d@mail.example" % random.randrange(99999) for _ in range(5000)]
    number = 0
    while True:
        number += 1
        yield b"%010d,2026-03-%02d,%s,%d,paid\n" % (
            number,
            number % 28 + 1,
            users[random.randrange(5000)],
            random.randrange(100_000),
        )


def _segment(records: Iterator[bytes]) -> bytes:
    parts, length = [], 0
    for record in records:
        parts.append(record)
        length += len(record)
        if length >= SEGMENT:
            break
    return b"".join(parts)[:SEGMENT]
