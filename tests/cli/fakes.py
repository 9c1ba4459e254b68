"""A library that remembers what it was asked and answers with samples, and streams to watch."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from clew.cli.context import CommandContext
from clew.cli.dispatch import dispatch
from clew.cli.terminal import Terminal
from clew.errors import MergeConflicts, NeedsConfirmation, PruneNeedsConfirmation
from clew.model.bisect_search import BisectResult
from clew.model.change import Change
from clew.model.checkpoint import Checkpoint, WorkspaceInfo
from clew.model.exclude_effects import ExcludeEffects
from clew.model.fork_results import DiscardResult, ForkResult, ForkStatus
from clew.model.grep_results import GrepResult
from clew.model.offer import Offer
from clew.model.overview import Overview
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
from clew.model.sandbox_results import (
    Command,
    Comparison,
    DrillResult,
    Executed,
    TryResult,
    VerifyResult,
)
from clew.model.save_result import SaveResult
from clew.model.search_results import SearchResult
from clew.model.story import Story
from clew.model.workspace_status import WorkspaceStatus
from clew.monitor import Monitor
from clew.operations.sandbox.verify import require_options
from clew.operations.save.commit import require_good_name
from tests.cli import samples, samples_forks, samples_merge, samples_sandbox
from tests.cli.fake_sessions import FakeSessions
from tests.cli.fake_setup import FakeSetup

if TYPE_CHECKING:
    from typing import Self

    from clew.cli.library import Library, Setup
    from clew.workspace.protocol import WorkspaceProtocol

Confirm = Callable[[RestorePreview], bool]


class FakeWorkspace(FakeSessions):
    """Has every verb of a workspace; `asked` holds the calls, the other attributes the answers."""

    def __init__(self) -> None:
        super().__init__()
        self.info: WorkspaceInfo = samples.INFO
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
        self.drilled: DrillResult = samples_sandbox.DRILLED
        self.executed: Executed = samples_sandbox.EXECUTED
        self.board: TryResult = samples_sandbox.BOARD
        self.config: dict[str, str] = dict(samples.CONFIG)
        self.settings = FakeSettings(self)
        self.store = FakeStore(self)
        self.forks = FakeForks(self)
        self.pruned: PruneResult = samples.PRUNED
        self.error: Exception | None = None
        self.discard_error: Exception | None = None
        """What `discard` says without `force`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.is_closed = True

    def save(
        self,
        intent: str | Callable[[], str] | None = None,
        *,
        monitor: Monitor | None = None,
        **options: object,
    ) -> SaveResult:
        self.note("save", intent, options)
        return self.saved

    def log(self, *, limit: int | None = None, **filters: object) -> Log:
        self.note("log", {"limit": limit, **filters})
        return self.timeline._replace(checkpoints=self.timeline.checkpoints[:limit])

    def show(
        self, ref: str, *, paths: bool = False, monitor: Monitor | None = None
    ) -> CheckpointStory:
        self.note("show", ref, paths)
        return samples.TOLD._replace(story=samples.STORY) if paths else samples.TOLD

    def overview(self) -> Overview:
        self.note("overview")
        return samples.OVERVIEW

    def is_changed(self) -> bool:
        self.note("is_changed")
        return True

    def offers(self, kind: str, word: str, *, ref: str | None = None) -> list[Offer]:
        self.note("offers", kind, word, ref)
        return [Offer("latest", checkpoint=samples.NAMED)]

    def resolve(self, ref: str, *, monitor: Monitor | None = None) -> Checkpoint:
        self.note("resolve", ref)
        return samples.NAMED

    def good(self, *, monitor: Monitor | None = None) -> Checkpoint:
        self.note("good")
        return samples.NAMED

    def blame(self, subject: str) -> Blame:
        self.note("blame", subject)
        return samples.BLAME

    def search(
        self, text: str, *, monitor: Monitor | None = None, **options: object
    ) -> SearchResult:
        self.note("search", text, options)
        return samples.FOUND

    def grep(
        self, pattern: str, *, monitor: Monitor | None = None, **options: object
    ) -> GrepResult:
        self.note("grep", pattern, *_given(options))
        return samples.GREPPED

    def status(self, *, story: bool = True, monitor: Monitor | None = None) -> Difference:
        self.note("status")
        return samples.STATUS if story else samples.STATUS._replace(story=None)

    def story(self, difference: Difference, *, seconds: float | None = None) -> Story | None:
        self.note("story", seconds)
        return samples.QUIET_STORY

    def interrupted_restore(self) -> InterruptedRestore | None:
        return None

    def continue_restore(self, *, monitor: Monitor | None = None) -> RestoreResult:
        self.note("continue_restore")
        return self.restored

    def abort_restore(self, *, monitor: Monitor | None = None) -> RestoreResult:
        self.note("abort_restore")
        return self.restored

    def diff(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        paths: Sequence[str] = (),
        guess: bool = False,
        story: bool = False,
        monitor: Monitor | None = None,
    ) -> Difference:
        self.note("diff", a, b, list(paths), story)
        return self.difference._replace(story=samples.KEPT_STORY) if story else self.difference

    def patch(
        self, difference: Difference, *, reveal: bool = False, binary: list[Change] | None = None
    ) -> Iterator[str]:
        self.note("patch", reveal)
        yield from ("--- a/app.py", "+++ b/app.py", "@@ -1 +1 @@", "-\told", "+\tnew \x1b[31m")

    def bisect(
        self,
        good: str | None = None,
        bad: str | None = None,
        *,
        monitor: Monitor | None = None,
        **options: object,
    ) -> BisectResult:
        self.note("bisect", good, bad, options)
        return self.bisected

    def verify(
        self,
        ref: str,
        command: Command | None = None,
        *,
        monitor: Monitor | None = None,
        **options: object,
    ) -> VerifyResult:
        self.note("verify", ref, command, options)
        return self.judged

    def drill(
        self,
        ref: str | None = None,
        *,
        monitor: Monitor | None = None,
        **options: object,
    ) -> DrillResult:
        self.note("drill", ref, options)
        return self.drilled

    def last_drill(self) -> Checkpoint | None:
        return samples_sandbox.DRILLED.checkpoint

    def exec(
        self,
        ref: str,
        command: Command,
        *,
        watch: Callable[[bytes], None] | None = None,
        monitor: Monitor | None = None,
        **options: object,
    ) -> Executed:
        self.note("exec", ref, command, options)
        if watch is not None:
            for piece in ("naïve".encode()[:3], "naïve".encode()[3:], b"\n\x1b[2J"):
                watch(piece)
        return self.executed

    def try_commands(
        self,
        ref: str,
        attempts: Mapping[str, Command],
        *,
        monitor: Monitor | None = None,
        **options: object,
    ) -> TryResult:
        self.note("try_commands", ref, dict(attempts), options)
        return self.board

    def edit(self, ref: str, *, monitor: Monitor | None = None, **labels: object) -> Checkpoint:
        self.note("edit", ref, labels)
        return samples.NAMED

    def note_verdict(
        self, ref: str, status: str, *, note: str = "", monitor: Monitor | None = None
    ) -> Checkpoint:
        self.note("note_verdict", ref, status, note)
        return samples.NAMED

    def preview(
        self,
        ref: str | None = None,
        *,
        paths: Sequence[str] = (),
        monitor: Monitor | None = None,
        **options: object,
    ) -> RestorePreview:
        self.note("preview", ref, list(paths), *_given(options))
        return self.plan

    def restore(
        self,
        ref: str | None = None,
        *,
        paths: Sequence[str] = (),
        confirm: Confirm | None = None,
        monitor: Monitor | None = None,
        keep_mine: bool = False,
        **options: object,
    ) -> RestoreResult:
        self.note("restore", ref, list(paths), *_given({"keep_mine": keep_mine, **options}))
        done = self._confirmed(confirm)
        return samples_merge.WENT_BACK if keep_mine else done

    def undo(
        self, steps: int = 1, *, confirm: Confirm | None = None, monitor: Monitor | None = None
    ) -> RestoreResult:
        self.note("undo", steps)
        return self._confirmed(confirm)

    def redo(
        self, *, confirm: Confirm | None = None, monitor: Monitor | None = None
    ) -> RestoreResult:
        self.note("redo")
        return self._confirmed(confirm)

    def cat(self, ref: str, path: str, *, monitor: Monitor | None = None) -> Iterator[bytes]:
        self.note("cat", ref, path)
        return iter(self.content)

    def ls(self, ref: str, path: str | None = None, *, monitor: Monitor | None = None) -> Listing:
        self.note("ls", ref, path)
        return samples.LISTING

    def delete(
        self, refs: Sequence[str], *, purge: bool = False, monitor: Monitor | None = None
    ) -> DeleteResult:
        self.note("delete", list(refs), purge)
        return samples.PURGED if purge else samples.DELETED

    def prune(
        self,
        *,
        monitor: Monitor | None = None,
        confirm: Callable[[PruneResult], bool] | None = None,
        **policy: object,
    ) -> PruneResult:
        self.note("prune", policy)
        if confirm is not None and self.pruned.made and not confirm(self.pruned):
            raise PruneNeedsConfirmation(self.pruned)
        return self.pruned

    def note(self, *call: object) -> None:
        self.asked.append(call)
        if self.error is not None:
            raise self.error

    def _confirmed(self, confirm: Confirm | None) -> RestoreResult:
        """Ask as the real one does: only if something would be overwritten."""
        if self.plan.needs_confirmation and confirm is not None and not confirm(self.plan):
            raise NeedsConfirmation(self.plan)
        return self.restored


class FakeForks:
    """The part about forks."""

    def __init__(self, fake: FakeWorkspace) -> None:
        self._fake = fake

    def create(
        self,
        ref: str,
        directory: str | None = None,
        *,
        name: str | None = None,
        conversation: bool = False,
        monitor: Monitor | None = None,
    ) -> ForkResult:
        self._fake.note("fork", ref, directory, name, *(["conversation"] if conversation else []))
        return self._fake.forked

    def list(self) -> tuple[ForkStatus, ...]:
        self._fake.note("forks")
        return self._fake.grown

    def find(self, fork: str) -> ForkStatus:
        self._fake.note("find", fork)
        return self._fake.grown[0]

    def enter(
        self,
        fork: str | None = None,
        command: Command | None = None,
        *,
        directory: str = ".",
        monitor: Monitor | None = None,
    ) -> None:
        self._fake.note("enter", fork, command, directory)

    def discard(
        self, fork: str, *, files: bool = False, force: bool = False, monitor: Monitor | None = None
    ) -> DiscardResult:
        self._fake.note("discard", fork, files, force)
        if self._fake.discard_error is not None and not force:
            raise self._fake.discard_error
        return self._fake.discarded

    def compare(self, refs: Sequence[str], *, monitor: Monitor | None = None) -> Comparison:
        self._fake.note("compare", list(refs))
        return samples_sandbox.COMPARISON

    def preview_adopt(
        self,
        fork: str,
        *,
        paths: Sequence[str] = (),
        monitor: Monitor | None = None,
        **options: object,
    ) -> RestorePreview:
        self._fake.note("preview_adopt", fork, list(paths), *_given(options))
        return self._fake.merge_plan

    def adopt(
        self,
        fork: str,
        *,
        paths: Sequence[str] = (),
        confirm: Confirm | None = None,
        monitor: Monitor | None = None,
        **options: object,
    ) -> RestoreResult:
        self._fake.note("adopt", fork, list(paths), *_given(options))
        if fork == "slow-path":
            raise MergeConflicts(samples_merge.BLOCKED)
        if confirm is not None and not confirm(self._fake.merge_plan):
            raise NeedsConfirmation(self._fake.merge_plan)
        return self._fake.adopted


class FakeSettings:
    """The part about settings."""

    def __init__(self, fake: FakeWorkspace) -> None:
        self._fake = fake

    def all(self) -> dict[str, str]:
        return self._fake.config

    def own(self) -> frozenset[str]:
        return frozenset({"keep-last"} & self._fake.config.keys())

    def exclude_effects(self) -> ExcludeEffects:
        return samples.EXCLUDE_EFFECTS

    def set(self, key: str, value: str) -> None:
        self._fake.note("set_config", key, value)
        self._fake.config[key] = value

    def unset(self, key: str) -> None:
        self._fake.note("unset_config", key)
        del self._fake.config[key]


class FakeStore:
    """The part about the store."""

    path = samples.STORE

    def __init__(self, fake: FakeWorkspace) -> None:
        self._fake = fake

    def stats(self) -> Stats:
        self._fake.note("stats")
        return samples.STATS

    def warnings(self) -> list[str]:
        return []

    def gc(self, *, purge: bool = False, monitor: Monitor | None = None) -> GcResult:
        self._fake.note("gc", *(["purge"] if purge else []))
        return samples.COLLECTED


def _given(options: dict[str, object]) -> list[object]:
    """Return the options that were really given."""
    return [item for item in options.items() if item[1]]


class FakeLibrary:
    """Opens the same workspace, whatever it is asked for."""

    def __init__(self) -> None:
        self.workspace = FakeWorkspace()
        self.checked: CheckResult = samples.WHOLE_STORE
        self.opened: list[tuple[object, ...]] = []

    def open(self, path: str, store: str | None = None, *, create: bool = False) -> FakeWorkspace:
        self.opened.append((path, store, create))
        return self.workspace

    def open_named(self, name: str, store: str | None = None) -> FakeWorkspace:
        self.opened.append(("named", name, store))
        return self.workspace

    def search(self, text: str, store: str | None = None, **options: object) -> SearchResult:
        self.opened.append(("search", text, store, options))
        return samples.FOUND

    def workspaces(self, store: str | None = None) -> tuple[WorkspaceStatus, ...]:
        self.opened.append(("workspaces", store))
        return samples.WORKSPACES

    def init(
        self,
        path: str | None = None,
        store: str | None = None,
        *,
        machine: bool = False,
        exclude: Sequence[str] = (),
        attach: str | None = None,
    ) -> tuple[FakeWorkspace, bool]:
        self.opened.append(("init", path, store, machine, list(exclude), attach))
        return self.workspace, True

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
        self.environ = {"COLUMNS": "100", "HOME": "/home/me"}

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


if TYPE_CHECKING:

    def _are_held(
        workspace: FakeWorkspace, library: FakeLibrary, setup: FakeSetup
    ) -> tuple[WorkspaceProtocol, Library, Setup]:
        return workspace, library, setup
