"""A hook starts from one file, if that file can be trusted, and goes on without it if not."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

from clew.agents.hooks import bundle
from tests.agents_hooks.hooking import Hook

FROM_BUNDLE = """
import os, sys
from clew.agents.hooks import bundle
used = bundle.use(bundle.bundle_path(os.environ))
import clew.agents.watch, clew.store.store
print(type(clew.agents.watch.__spec__.loader).__name__, clew.agents.watch.__file__)
"""


def place_of(hook: Hook) -> Path:
    return Path(bundle.bundle_path(hook.environment))


def loader(hook: Hook) -> str:
    """Return what a process that is started now takes its modules from."""
    done = subprocess.run(
        [sys.executable, "-c", FROM_BUNDLE], env=hook.environment, capture_output=True, check=True
    )
    name, _, file = done.stdout.decode().partition(" ")
    assert Path(file.strip()).name == "watch.py"
    return name


def test_the_first_hook_leaves_what_the_next_one_starts_from(hook: Hook) -> None:
    hook.tell("SessionStart")

    assert place_of(hook).stat().st_mode & 0o777 == 0o600
    assert place_of(hook).parent.stat().st_mode & 0o777 == 0o700
    assert loader(hook) == "Bundle"


def test_a_hook_from_the_bundle_keeps_what_one_without_it_keeps(hook: Hook) -> None:
    hook.tell("SessionStart")
    (hook.clew.workspace / "new").write_text("1")
    hook.after("make new")

    assert hook.clew.json("log")["checkpoints"][0]["intent"].endswith("make new")


def test_the_code_in_it_is_the_code_of_the_sources(hook: Hook) -> None:
    hook.tell("SessionStart")
    kept = bundle.load(str(place_of(hook)))
    assert kept is not None

    for name, (place, _) in kept.contents().items():
        plain = SourceFileLoader(name, place[2]).get_code(name)
        assert kept.get_code(name) == plain, name


def test_other_events_add_to_it_and_take_nothing_away(hook: Hook) -> None:
    hook.tell("Stop")
    first = bundle.load(str(place_of(hook)))
    (hook.clew.workspace / "new").write_text("1")
    hook.tell("PreToolUse", tool_name="Bash", tool_input={"command": "rm new"})
    second = bundle.load(str(place_of(hook)))

    assert first is not None
    assert second is not None
    assert set(first.contents()) < set(second.contents())


def test_it_is_written_again_only_where_that_is_worth_it(hook: Hook) -> None:
    for _ in range(3):
        hook.tell("Stop")
    before = place_of(hook).stat()
    hook.tell("Stop")

    assert place_of(hook).stat().st_ino == before.st_ino


def test_a_source_that_changed_is_read_itself(tmp_path: Path) -> None:
    source = tmp_path / "source.py"
    source.write_text("here = 1\n")
    code = (
        "import sys, os\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "from clew.agents.hooks import bundle\n"
        "bundle._STRAYS = 0\n"
        f"used = bundle.use({str(tmp_path / 'bundle')!r})\n"
        "import source\n"
        f"bundle.keep({str(tmp_path / 'bundle')!r}, used)\n"
        "print(type(source.__spec__.loader).__name__, source.here)\n"
    )

    def run() -> bytes:
        return subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout

    assert run() == b"SourceFileLoader 1\n"
    assert run() == b"Bundle 1\n"
    before = source.stat()
    source.write_text("here = 2\n")
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))  # and of the same size

    assert run() == b"SourceFileLoader 2\n"


@pytest.mark.parametrize(
    "content", [b"", b"clew bundle 1\n", b"clew bundle 1\n" + b"\xff" * 100, b"x" * 4096]
)
def test_what_is_no_bundle_is_replaced_by_one(hook: Hook, content: bytes) -> None:
    place_of(hook).parent.mkdir(parents=True)
    place_of(hook).write_bytes(content)
    hook.tell("Stop")

    assert loader(hook) == "Bundle"


@pytest.mark.parametrize("share", [0.001, 0.5, 0.999])
def test_one_that_is_damaged_or_cut_short_is_not_used(hook: Hook, share: float) -> None:
    hook.tell("Stop")
    content = place_of(hook).read_bytes()
    at = int(len(content) * share)
    for broken in (content[:at], content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]):
        place_of(hook).write_bytes(broken)

        assert bundle.load(str(place_of(hook))) is None
        hook.tell("Stop")


def test_one_that_others_may_write_is_not_used(hook: Hook) -> None:
    hook.tell("Stop")
    place_of(hook).chmod(0o666)

    assert loader(hook) == "SourceFileLoader"


@pytest.mark.skipif(os.geteuid() != 0, reason="giving a file away needs root")
def test_one_of_somebody_else_is_not_used(hook: Hook) -> None:
    hook.tell("Stop")
    os.chown(place_of(hook), 12345, 12345)

    assert loader(hook) == "SourceFileLoader"


def test_a_link_is_not_followed(hook: Hook, tmp_path: Path) -> None:
    hook.tell("Stop")
    place_of(hook).rename(tmp_path / "elsewhere")
    place_of(hook).symlink_to(tmp_path / "elsewhere")

    assert loader(hook) == "SourceFileLoader"


def test_where_none_can_be_written_hooks_work_all_the_same(hook: Hook) -> None:
    place_of(hook).parent.parent.mkdir(parents=True)
    place_of(hook).parent.write_text("in the way")
    (hook.clew.workspace / "new").write_text("1")
    hook.after("make new")

    assert hook.clew.json("log")["checkpoints"][0]["intent"].endswith("make new")


def test_what_pythonpath_led_to_once_is_in_no_bundle(hook: Hook, tmp_path: Path) -> None:
    """Otherwise a module of one directory would run in the hooks of every other."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "sitecustomize.py").write_text("import planted\n")
    (elsewhere / "planted.py").write_text("")
    hook.clew.extra["PYTHONPATH"] = f"{elsewhere}:{hook.environment['PYTHONPATH']}"
    hook.tell("SessionStart")
    kept = bundle.load(str(place_of(hook)))

    assert kept is not None
    assert "clew.agents.watch" in kept
    assert "planted" not in kept
    assert not [name for name, (place, _) in kept.contents().items() if str(elsewhere) in place[2]]
