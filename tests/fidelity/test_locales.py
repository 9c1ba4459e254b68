"""Names are bytes: whatever the locale, each file comes back under exactly its own name."""

from __future__ import annotations

import base64
import os
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.kit import locales
from tests.kit.running import Clew, Ran

SINGLE = [bytes([byte]) for byte in range(1, 256) if byte not in b"/."]
HOSTILE = [
    b"caf\xe9",  # ISO-8859-1
    b"caf\xc3\xa9",  # UTF-8
    b"caf\xc3\x83\xc2\xa9",  # UTF-8 read as ISO-8859-1 and written as UTF-8
    b"\x8f\xa2\xb7",  # EUC-JP: Python reads `~` and writes one byte
    b"x\x8f\xa2\xb7y",
    b"x~y",
    b"\xa4\xa2\xa4",  # EUC-JP, cut short
    b"\xa1\xc1",
    b"\x8e\xb1",
    b"\x81\x30\x81\x30",  # GB18030, four bytes
    b"\x81\x30\x81",
    b"\xfe\x39\xfe\x39",
    b"\xed\xb3\xa9",  # a surrogate written as UTF-8
    b"\xf0\x9f\x90\x8d",
    b"\xc0\xaf",
    b" ",
    b"line\nbreak",
]


@pytest.fixture(params=locales.ALL)
def any_locale(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    return _locale(request, tmp_path_factory)


@pytest.fixture(params=["ASCII", *locales.CHARMAPS])
def locale(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """One that Python does not replace by UTF-8."""
    return _locale(request, tmp_path_factory)


def _locale(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    # The parent of a worker's own directory is shared by all workers.
    return locales.environment(request.param, tmp_path_factory.getbasetemp().parent)


@pytest.fixture
def under(locale: dict[str, str], scratch: Path) -> Clew:
    return _clew(locale, scratch)


def _clew(locale: dict[str, str], scratch: Path) -> Clew:
    (scratch / "project").mkdir()
    return Clew(scratch / "project", scratch / "store", extra=locale)


def test_every_name_comes_back_as_it_was(any_locale: dict[str, str], scratch: Path) -> None:
    clew = _clew(any_locale, scratch)
    root = os.fsencode(clew.workspace)
    _build(root)
    before = _bytes_of(root)
    saved = clew.save("names")
    _wreck(root)

    result = clew.restore(saved)

    assert _bytes_of(root) == before
    assert result["is_verified"] is True
    assert result["skipped"] == []


def test_an_edit_is_told_of_the_name_it_was_made_to(under: Clew) -> None:
    root = os.fsencode(under.workspace)
    _build(root)
    saved = under.save("names")
    for name in HOSTILE:
        os.unlink(root + b"/linked " + name)
        _write(root + b"/" + name, b"edited")

    changes = under.json("diff", saved)["changes"]

    assert sorted(_raw(one) for one in changes if one["kind"] == "modified") == sorted(HOSTILE)


def test_a_name_on_the_command_line_is_the_file_of_that_name(under: Clew) -> None:
    root = os.fsencode(under.workspace)
    _build(root)
    saved = under.save("names").encode()
    _write(root + b"/plain", b"edited")
    for name in (b"caf\xe9", b"caf\xc3\xa9", b"x\x8f\xa2\xb7y"):
        content = b"small " + name.hex().encode()
        _write(root + b"/" + name, b"edited")

        assert _run(under, b"cat", saved, name) == (0, content.decode(), "")
        assert _run(under, b"restore", saved, name, b"--yes").code == 0
        assert _read(root + b"/" + name) == content
    assert _read(root + b"/plain") == b"edited"


@pytest.mark.parametrize("name", [b"caf\xc3\xa9", b"x\x8f\xa2\xb7y"])
def test_a_workspace_and_a_store_of_such_a_name(
    locale: dict[str, str], scratch: Path, name: bytes
) -> None:
    base = os.fsencode(scratch)
    project = base + b"/" + name
    os.mkdir(project)
    clew = Clew(scratch, scratch / "unused", extra=locale)
    told = {os.fsencode(key): os.fsencode(value) for key, value in clew.environment().items()}
    told[b"CLEW_HOME"] = base + b"/store-" + name
    _build(project)
    before = _bytes_of(project)

    saved = _run(clew, b"-C", project, b"save", b"first", environment=told)
    again = _run(clew, b"save", b"second", environment=told, cwd=project)
    _wreck(project)
    back = _run(clew, b"-C", project, b"restore", b"here", b"--yes", environment=told)

    assert (saved.code, again.code, back.code) == (0, 0, 0), (saved, again, back)
    assert _bytes_of(project) == before
    assert sorted(os.listdir(base)) == sorted([name, b"store-" + name])


def test_output_never_fails_for_a_character(under: Clew) -> None:
    _build(os.fsencode(under.workspace))
    under.ok("save", "it says \N{SNOWMAN} and caf\N{LATIN SMALL LETTER E WITH ACUTE}")
    os.rename(under.workspace / "plain", under.workspace / "moved")

    for words in (["status"], ["diff"], ["log"], ["show", "latest"], ["ls", "latest"]):
        assert under.ok(*words).err == ""


def test_the_library_in_a_process_of_such_a_locale(under: Clew) -> None:
    root = os.fsencode(under.workspace)
    _build(root)
    before = _bytes_of(root)
    program = (
        "import os, clew\n"
        "ws = clew.init('.')[0]\n"
        "ws.save('names')\n"
        "for name in os.listdir(b'.'):\n"
        "    os.path.isfile(name) and os.unlink(name)\n"
        "ws.restore('here')\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=under.workspace, env=under.environment(),
        capture_output=True,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr.decode(errors="replace")
    assert _bytes_of(root) == before


def _build(root: bytes) -> None:
    """Make one file of each name, and each other kind of file with a few."""
    for name in [*SINGLE, *HOSTILE, b"plain"]:
        _write(root + b"/" + name, b"small " + name.hex().encode())
    for name in HOSTILE:
        os.mkdir(root + b"/in " + name)
        _write(root + b"/in " + name + b"/" + name, b"below")
        os.symlink(name, root + b"/to " + name)
        os.link(root + b"/" + name, root + b"/linked " + name)
    with suppress(OSError):  # a filesystem without attributes
        os.setxattr(root + b"/plain", b"user." + HOSTILE[4], b"value")
    large = root + b"/large " + HOSTILE[4]
    _write(large, os.urandom(1 << 20) * 2)
    connection = sqlite3.connect(os.fsdecode(root + b"/" + HOSTILE[4] + b".db"))
    connection.execute("CREATE TABLE t (x)")
    connection.commit()
    connection.close()


def _wreck(root: bytes) -> None:
    for name in SINGLE[::2]:
        os.unlink(root + b"/" + name)
    for name in HOSTILE[::2]:
        _write(root + b"/" + name, b"edited")
        os.unlink(root + b"/to " + name)
        os.unlink(root + b"/in " + name + b"/" + name)
    os.unlink(root + b"/large " + HOSTILE[4])
    os.unlink(root + b"/plain")


def _bytes_of(root: bytes) -> dict[bytes, bytes]:
    found = {}
    for directory, folders, names in os.walk(root):
        for name in names:
            path = directory + b"/" + name
            found[path] = os.readlink(path) if os.path.islink(path) else _read(path)
            for attribute in os.listxattr(path, follow_symlinks=False):
                found[path + b"@" + os.fsencode(attribute)] = b""
        for name in folders:
            found[directory + b"/" + name] = b""
    return found


def _raw(change: dict[str, str]) -> bytes:
    return (
        base64.b64decode(change["path_b64"]) if change.get("path_b64") else change["path"].encode()
    )


def _run(
    clew: Clew,
    *words: bytes,
    environment: dict[bytes, bytes] | None = None,
    cwd: bytes | None = None,
) -> Ran:
    done = subprocess.run(
        [os.fsencode(sys.executable), b"-P", b"-m", b"clew", *words],
        cwd=cwd or os.fsencode(clew.workspace),
        env=environment or clew.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    return Ran(done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1"))


def _write(path: bytes, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)


def _read(path: bytes) -> bytes:
    with open(path, "rb") as file:
        return file.read()
