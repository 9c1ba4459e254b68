"""A library that remembers what it was asked and answers with samples, and streams to watch."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from clew.cli.context import CommandContext
from clew.cli.dispatch import dispatch
from clew.cli.terminal import Terminal
from clew.errors import MergeConflicts, NeedsConfirmation, PruneNeedsConfirmation
from clew.model.bisect_search import BisectResult
from clew.model.checkpoint import Checkpoint, WorkspaceInfo
from clew.model.fork_results import DiscardResult, ForkResult, ForkStatus
from clew.model.restore_results import InterruptedRestore, RestorePreview, RestoreResult
from clew.model.results import (
    Blame,
    CheckpointStory,
    CheckResult,
    DeleteResult,
    Difference,
    GcResult,
    Listing,
    Log,
    PruneResult,
    Stats,
)
from clew.model.sandbox_results import Command, Comparison, Executed, TryResult, VerifyResult
from clew.model.save_result import SaveResult
from clew.monitor import Monitor
from clew.operations.sandbox.verify import require_options
from clew.operations.save.commit import require_good_name
from tests.cli import samples, samples_forks, samples_merge, samples_sandbox
from tests.cli.fake_sessions import FakeSessions
from tests.cli.fake_setup import FakeSetup

if TYPE_CHECKING:
    from clew.workspace import Workspace

Confirm = Callable[[RestorePreview], bool]


class FakeWorkspace(FakeSessions):
    """Has every verb of a workspace; `asked` holds the calls, the other attributes the answers."""

    def __init__(self) -> None:
        super().__init__()
        self.info: WorkspaceInfo = samples.INFO
        self.store_path = samples.STORE
        self.is_new = False
        self.monitor = Monitor()
        self.continued_restore: RestoreResult | None = None
        self.asked: list[tuple[object, ...]] = []
        self.is_closed = False
        self.saved: SaveResult = samples.SAVED
        self.timeline: Log = samples.LOG
        self.difference: Difference = samples.DIFFERENCE
        self.plan: RestorePreview = samples.PREVIEW
        self.restored: RestoreResult = samples.RESTORED
        self.merge_plan: RestorePreview = samples_merge.PREVIEW
        self.adopted: RestoreResult = samples_merge.ADOPTED
        self.content: list[bytes] = [b"one\n", b"two\n"]
        self.bisected: BisectResult = samples.BISECTED
        self.forked: ForkResult = samples_forks.FORKED
        self.grown: tuple[ForkStatus, ...] = samples_forks.STANDINGS
        self.discarded: DiscardResult = samples_forks.DISCARDED
        self.judged: VerifyResult = samples_sandbox.JUDGED
        self.executed: Executed = samples_sandbox.EXECUTED
        self.board: TryResult = samples_sandbox.BOARD
        self.config: dict[str, str] = dict(samples.CONFIG)
        self.settings = SimpleNamespace(
            all=self._config, set=self._set_config, unset=self._unset_config
        )
        self.forks = SimpleNamespace(
            create=self._fork, list=self._forks, discard=self._discard, compare=self._compare,
            adopt=self._adopt, preview_adopt=self._preview_adopt,
        )  # fmt: skip
        self.pruned: PruneResult = samples.PRUNED
        self.error: Exception | None = None

    def __enter__(self) -> FakeWorkspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.is_closed = True

    def save(self, intent: str | None = None, *, monitor: Monitor, **options: Any) -> SaveResult:
        self._note("save", intent, options)
        return self.saved

    def log(self, **filters: Any) -> Log:
        self._note("log", filters)
        return self.timeline._replace(checkpoints=self.timeline.checkpoints[: filters["limit"]])

    def show(
        self, ref: str, *, paths: bool = False, monitor: Monitor | None = None
    ) -> CheckpointStory:
        self._note("show", ref, paths)
        return samples.TOLD._replace(story=samples.STORY) if paths else samples.TOLD

    def good(self, *, monitor: Monitor) -> Checkpoint:
        self._note("good")
        return samples.NAMED

    def blame(self, thing: str) -> Blame:
        self._note("blame", thing)
        return samples.BLAME

    def status(self, *, monitor: Monitor) -> Difference:
        self._note("status")
        return samples.STATUS

    def interrupted_restore(self) -> InterruptedRestore | None:
        return None

    def continue_restore(self, *, monitor: Monitor) -> RestoreResult:
        self._note("continue_restore")
        return self.restored

    def abort_restore(self, *, monitor: Monitor) -> RestoreResult:
        self._note("abort_restore")
        return self.restored

    def diff(
        self,
        a: str | None,
        b: str | None,
        *,
        paths: Sequence[str],
        story: bool = False,
        monitor: Monitor,
    ) -> Difference:
        self._note("diff", a, b, list(paths), story)
        return self.difference._replace(story=samples.KEPT_STORY) if story else self.difference

    def patch(self, difference: Difference, *, secrets: bool = False) -> Iterator[str]:
        self._note("patch", secrets)
        yield from ("--- a/app.py", "+++ b/app.py", "@@ -1 +1 @@", "-\told", "+\tnew \x1b[31m")

    def bisect(
        self, good: str | None, bad: str | None, *, monitor: Monitor, **options: Any
    ) -> BisectResult:
        self._note("bisect", good, bad, options)
        return self.bisected

    def verify(
        self, ref: str, command: Command | None, *, monitor: Monitor, **options: Any
    ) -> VerifyResult:
        self._note("verify", ref, command, options)
        return self.judged

    def exec(
        self,
        ref: str,
        command: Command,
        *,
        watch: Callable[[bytes], None] | None,
        monitor: Monitor,
        **options: Any,
    ) -> Executed:
        self._note("exec", ref, command, options)
        if watch is not None:
            for piece in ("naïve".encode()[:3], "naïve".encode()[3:], b"\n\x1b[2J"):
                watch(piece)
        return self.executed

    def try_commands(
        self, ref: str, ways: Mapping[str, Command], *, monitor: Monitor, **options: Any
    ) -> TryResult:
        self._note("try_commands", ref, dict(ways), options)
        return self.board

    def _fork(
        self,
        ref: str,
        directory: str | None,
        *,
        name: str | None,
        conversation: bool,
        monitor: Monitor,
    ) -> ForkResult:
        self._note("fork", ref, directory, name, *(["conversation"] if conversation else []))
        return self.forked

    def _forks(self) -> tuple[ForkStatus, ...]:
        self._note("forks")
        return self.grown

    def _discard(self, fork: str, *, files: bool, force: bool, monitor: Monitor) -> DiscardResult:
        self._note("discard", fork, files, force)
        return self.discarded

    def _compare(self, refs: Sequence[str], *, monitor: Monitor) -> Comparison:
        self._note("compare", list(refs))
        return samples_sandbox.COMPARISON

    def edit(self, ref: str, *, monitor: Monitor, **labels: Any) -> Checkpoint:
        self._note("edit", ref, labels)
        return samples.NAMED

    def preview(
        self, ref: str, *, paths: Sequence[str], monitor: Monitor, **options: Any
    ) -> RestorePreview:
        self._note("preview", ref, list(paths), *_given(options))
        return self.plan

    def restore(
        self,
        ref: str,
        *,
        paths: Sequence[str],
        confirm: Confirm | None,
        monitor: Monitor,
        **options: Any,
    ) -> RestoreResult:
        self._note("restore", ref, list(paths), *_given(options))
        done = self._confirmed(confirm)
        return samples_merge.WENT_BACK if options["keep_mine"] else done

    def _preview_adopt(
        self, fork: str, *, paths: Sequence[str], monitor: Monitor, **options: Any
    ) -> RestorePreview:
        self._note("preview_adopt", fork, list(paths), *_given(options))
        return self.merge_plan

    def _adopt(
        self,
        fork: str,
        *,
        paths: Sequence[str],
        confirm: Confirm | None,
        monitor: Monitor,
        **options: Any,
    ) -> RestoreResult:
        self._note("adopt", fork, list(paths), *_given(options))
        if fork == "slow-path":
            raise MergeConflicts(samples_merge.BLOCKED)
        if confirm is not None and not confirm(self.merge_plan):
            raise NeedsConfirmation(self.merge_plan)
        return self.adopted

    def undo(self, steps: int, *, confirm: Confirm | None, monitor: Monitor) -> RestoreResult:
        self._note("undo", steps)
        return self._confirmed(confirm)

    def redo(self, *, confirm: Confirm | None, monitor: Monitor) -> RestoreResult:
        self._note("redo")
        return self._confirmed(confirm)

    def cat(self, ref: str, path: str, *, monitor: Monitor) -> Iterator[bytes]:
        self._note("cat", ref, path)
        return iter(self.content)

    def ls(self, ref: str, path: str | None, *, monitor: Monitor) -> Listing:
        self._note("ls", ref, path)
        return samples.LISTING

    def delete(self, refs: Sequence[str], *, purge: bool, monitor: Monitor) -> DeleteResult:
        self._note("delete", list(refs), purge)
        return samples.PURGED if purge else samples.DELETED

    def prune(
        self,
        *,
        monitor: Monitor,
        confirm: Callable[[PruneResult], bool] | None = None,
        **policy: Any,
    ) -> PruneResult:
        self._note("prune", policy)
        if confirm is not None and self.pruned.made and not confirm(self.pruned):
            raise PruneNeedsConfirmation(self.pruned)
        return self.pruned

    def gc(self, *, purge: bool, monitor: Monitor) -> GcResult:
        self._note("gc", *(["purge"] if purge else []))
        return samples.COLLECTED

    def stats(self) -> Stats:
        self._note("stats")
        return samples.STATS

    def _config(self) -> dict[str, str]:
        return self.config

    def _set_config(self, key: str, value: str) -> None:
        self._note("set_config", key, value)
        self.config[key] = value

    def _unset_config(self, key: str) -> None:
        self._note("unset_config", key)
        del self.config[key]

    def _note(self, *call: object) -> None:
        self.asked.append(call)
        if self.error is not None:
            raise self.error

    def _confirmed(self, confirm: Confirm | None) -> RestoreResult:
        """Ask as the real one does: only if something would be overwritten."""
        if self.plan.overwrites and confirm is not None and not confirm(self.plan):
            raise NeedsConfirmation(self.plan)
        return self.restored


def _given(options: dict[str, Any]) -> list[object]:
    """Return the options that were really given."""
    return [item for item in options.items() if item[1]]


class FakeLibrary:
    """Opens the same workspace, whatever it is asked for."""

    def __init__(self) -> None:
        self.workspace = FakeWorkspace()
        self.checked: CheckResult = samples.WHOLE_STORE
        self.opened: list[tuple[object, ...]] = []

    def open(self, path: str, store: str | None = None, *, create: bool = False) -> Workspace:
        self.opened.append((path, store, create))
        return cast("Workspace", self.workspace)

    def init(
        self,
        path: str | None = None,
        store: str | None = None,
        *,
        machine: bool = False,
        exclude: Sequence[str] = (),
        attach: str | None = None,
    ) -> tuple[Workspace, bool]:
        self.opened.append(("init", path, store, machine, list(exclude), attach))
        return cast("Workspace", self.workspace), True

    def require_name(self, name: str) -> None:
        require_good_name(name)

    def require_check(self, verify: str | None, check: bool, timeout: str | None) -> None:
        require_options(verify, check, timeout)

    def check_store(
        self,
        store: str | None = None,
        *,
        read_data: bool = False,
        rebuild: bool = False,
        monitor: Monitor | None = None,
    ) -> CheckResult:
        self.opened.append(("check", store, read_data, rebuild))
        return self.checked


class Ran(NamedTuple):
    """What a command said, and how it ended."""

    code: int
    out: str
    err: str


class Stream(io.TextIOWrapper):
    """A text stream in memory that may claim to be a terminal."""

    def __init__(self, content: str = "", *, tty: bool = False) -> None:
        self.bytes = io.BytesIO(content.encode())
        self._tty = tty
        super().__init__(self.bytes, encoding="utf-8", errors="backslashreplace", newline="")

    def isatty(self) -> bool:
        return self._tty

    @property
    def text(self) -> str:
        self.flush()
        return self.bytes.getvalue().decode()


class FakeClew:
    """The command line on a fake library, with the clock and the time zone standing still."""

    def __init__(self) -> None:
        self.library = FakeLibrary()
        self.setup = FakeSetup()
        self.environ = {"COLUMNS": "100"}

    @property
    def workspace(self) -> FakeWorkspace:
        return self.library.workspace

    def run(self, *words: str, answer: str | None = None, tty: bool = False) -> Ran:
        """Run one command; an `answer` means that somebody sits at the terminal."""
        asks = answer is not None
        stdin = Stream(answer or "", tty=asks)
        stdout, stderr = Stream(tty=tty or asks), Stream(tty=tty or asks)
        terminal = Terminal(stdin, stdout, stderr, self.environ)
        context = CommandContext(
            terminal, lambda: self.library, lambda: samples.NOW, lambda _: 0, lambda: self.setup
        )
        code = dispatch(words, context)
        return Ran(code, stdout.text, stderr.text)
