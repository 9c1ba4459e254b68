from __future__ import annotations

import json

import pytest

from clew import errors
from clew.cli.exits import ExitCode
from clew.cli.explain import explain, explain_os_error
from tests.cli import samples, samples_merge
from tests.cli.fakes import FakeClew

ERRORS: list[tuple[errors.ClewError, int]] = [
    (errors.BadReference("../x"), ExitCode.USAGE),
    (errors.UnknownReference("x"), ExitCode.USAGE),
    (errors.CheckpointRemoved("01", samples.NO_MORE, "today, by rule", "ab" * 32), ExitCode.USAGE),
    (errors.AmbiguousReference("ab", ["abcd", "abef"]), ExitCode.USAGE),
    (errors.BadName("@", "looks like a reference"), ExitCode.USAGE),
    (errors.BadOption("--since", "not a time: 'x'"), ExitCode.USAGE),
    (errors.OutsideWorkspace("/etc"), ExitCode.USAGE),
    (errors.NoSuchPath("x", "directory"), ExitCode.USAGE),
    (errors.NotAWorkspace("/tmp"), ExitCode.USAGE),
    (errors.UnknownWorkspace("77"), ExitCode.USAGE),
    (errors.AmbiguousWorkspace("api", ["4f2a91c0 /a/api", "00c0ffee /b/api"]), ExitCode.USAGE),
    (errors.ExplicitPathRequired("/"), ExitCode.USAGE),
    (errors.WorkspaceMissing("/x"), ExitCode.USAGE),
    (errors.WorkspaceMoved("/x", "7777", "/y"), ExitCode.USAGE),
    (errors.UsageError("off"), ExitCode.USAGE),
    (errors.NoCommonAncestor(["a", "b"]), ExitCode.USAGE),
    (errors.NoCheckConfigured(), ExitCode.USAGE),
    (errors.BadAgentSettings("/x", "it is not UTF-8"), ExitCode.USAGE),
    (errors.NothingToUndo(), ExitCode.FAILED),
    (errors.NothingToRedo(), ExitCode.FAILED),
    (errors.DirtyWorkspace(), ExitCode.FAILED),
    (errors.GoodNewerThanBad("4f2a91c0", "00c0ffee"), ExitCode.USAGE),
    (errors.NoSession(), ExitCode.USAGE),
    (errors.UnknownSession("ab12"), ExitCode.USAGE),
    (errors.UnknownTask("7"), ExitCode.USAGE),
    (errors.TaskEnded(2, "write tests", "completed"), ExitCode.USAGE),
    (errors.UnknownEffect("7"), ExitCode.USAGE),
    (errors.EffectSettled(2, "deploy web v3", "done"), ExitCode.USAGE),
    (errors.DuplicateEffect(2, "deploy web v3", "Only a time differs"), ExitCode.UNCONFIRMED),
    (errors.MigrationFailed("it timed out"), ExitCode.FAILED),
    (errors.MissingDependency("mcp"), ExitCode.FAILED),
    (errors.NotAStore("/x"), ExitCode.FAILED),
    (errors.StoreWrongOwner("/x", 0), ExitCode.FAILED),
    (errors.StoreReadOnly("/x"), ExitCode.FAILED),
    (errors.StoreTooNew("/x", "9"), ExitCode.FAILED),
    (errors.StoreFull("/x"), ExitCode.FAILED),
    (errors.NoSpaceForSave(3, 5, 2, 1_000, 10), ExitCode.FAILED),
    (errors.StoreError("off"), ExitCode.FAILED),
    (errors.StoreDamaged("off"), ExitCode.DAMAGED),
    (errors.ObjectMissing(bytes(32)), ExitCode.DAMAGED),
    (errors.ObjectCorrupt("packs/x"), ExitCode.DAMAGED),
    (errors.NoSpaceForRestore(5, 3), ExitCode.FAILED),
    (errors.RestoreBlocked("x"), ExitCode.FAILED),
    (errors.WorkspaceReplaced("/x"), ExitCode.FAILED),
    (errors.RestorePending(bytes(32), "the disk is full"), ExitCode.FAILED),
    (errors.NoInterruptedRestore(), ExitCode.FAILED),
    (errors.NoFailedCall(), ExitCode.FAILED),
    (errors.MergeConflicts(samples_merge.BLOCKED), ExitCode.FAILED),
    (errors.CheckpointInUse("4f2a91c0", "it is the current one"), ExitCode.USAGE),
    (errors.RestoreError("off"), ExitCode.FAILED),
    (errors.UnknownFork("x"), ExitCode.USAGE),
    (errors.AmbiguousFork("ab12", ["a", "b"]), ExitCode.USAGE),
    (errors.BadForkName("x", "name in use"), ExitCode.USAGE),
    (errors.BadForkDirectory("/x", "not empty"), ExitCode.USAGE),
    (errors.CannotEnter("a", "it has no directory", has_files=False), ExitCode.USAGE),
    (errors.CannotEnter("a", "it is a whole machine"), ExitCode.USAGE),
    (errors.CommandNotStarted("mak", "No such file or directory"), ExitCode.NOT_STARTED),
    (errors.ForkHasChanges("x"), ExitCode.UNCONFIRMED),
    (errors.UncapturedFiles("x", "1 file", ["y"], 0), ExitCode.UNCONFIRMED),
    (errors.NoSpaceForCopy(5, 3), ExitCode.FAILED),
    (errors.CopyMismatch("x"), ExitCode.FAILED),
    (errors.CopyError("off"), ExitCode.FAILED),
    (errors.NeedsConfirmation(samples.PREVIEW), ExitCode.UNCONFIRMED),
    (errors.NeedsApproval("make deploy"), ExitCode.UNCONFIRMED),
    (errors.PruneNeedsConfirmation(samples.PRUNED._replace(made=1)), ExitCode.UNCONFIRMED),
    (errors.Locked("the store"), ExitCode.FAILED),
    (errors.SandboxUnavailable("user namespaces: Operation not permitted"), ExitCode.FAILED),
    (errors.ScanFailed("A process of the scan died"), ExitCode.FAILED),
    (errors.ClewError("off"), ExitCode.FAILED),
]


@pytest.mark.parametrize(("error", "code"), ERRORS, ids=lambda value: type(value).__name__)
def test_every_error_has_its_exit_code_and_a_next_step(error: errors.ClewError, code: int) -> None:
    found, hint = explain(error)

    assert found == code
    assert hint
    assert not hint.endswith(".")
    assert "\n" not in hint


def test_no_error_is_forgotten() -> None:
    known = {
        member
        for member in vars(errors).values()
        if isinstance(member, type) and issubclass(member, errors.ClewError)
    }

    assert {type(error) for error, _ in ERRORS} == known


@pytest.mark.parametrize("number", [1, 2, 13, 20, 28, 30, 122, None])
def test_every_error_of_the_system_has_a_next_step(number: int | None) -> None:
    assert explain_os_error(OSError(number, "x"))


def test_an_error_is_a_line_and_a_hint(fake: FakeClew) -> None:
    fake.workspace.error = errors.UnknownReference("nope\x1b")
    ran = fake.run("show", "nope")

    assert ran.code == ExitCode.USAGE
    assert ran.out == ""
    assert ran.err == (
        "Error: No checkpoint matches: 'nope\\x1b'\nHint: List the checkpoints with `clew log`\n"
    )


def test_an_error_under_json_goes_to_standard_output(fake: FakeClew) -> None:
    fake.workspace.error = errors.ObjectMissing(bytes(32))
    ran = fake.run("--json", "cat", "@", "x")

    assert ran.code == ExitCode.DAMAGED
    assert ran.err == ""
    assert json.loads(ran.out)["error"]["kind"] == "object-missing"
