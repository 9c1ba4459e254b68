"""Values that several commands print: paths, entries, changes, checkpoints, verdicts, stories."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict


class Path(TypedDict):
    path: str
    """its path"""
    path_b64: NotRequired[str]


class PathAndReason(Path):
    reason: str
    """why, in one phrase"""


class EntryName(TypedDict):
    name: str
    """its name in the directory"""
    name_b64: NotRequired[str]


class FileContent(TypedDict):
    content: str
    """the content as text"""
    content_b64: NotRequired[str]


class WorkspacePath(TypedDict):
    workspace_path: str
    """path of its workspace; empty if that has no directory"""
    workspace_path_b64: NotRequired[str]


class OriginalPath(TypedDict):
    original_path: str
    """path of the workspace that was forked; empty for a whole machine"""
    original_path_b64: NotRequired[str]


class OldPath(TypedDict):
    old_path: str | None
    """the path before a rename, or `null`"""
    old_path_b64: NotRequired[str]


class LinkTarget(TypedDict):
    target: NotRequired[str]
    """symlinks: the target"""
    target_b64: NotRequired[str]


class EntryMetadata(TypedDict):
    type: str
    """`file`, `directory`, `symlink`, `fifo`, `socket`, `character device`, `block device`, `uncovered`"""
    mode: NotRequired[str]
    """four octal digits as text"""
    uid: NotRequired[int]
    gid: NotRequired[int]
    """its owner and group"""
    mtime: NotRequired[str]
    """when its content was last changed"""
    flags: NotRequired[list[str]]
    """any of `immutable`, `append`, `nodump`"""
    xattrs: NotRequired[str | None]
    """id of its set of extended attributes, or `null`"""


class Entry(EntryMetadata, LinkTarget):
    size: NotRequired[int]
    """files: the size in bytes"""
    content: NotRequired[str]
    """files: id of the content"""
    major: NotRequired[int]
    minor: NotRequired[int]
    """devices: the device number"""
    reason: NotRequired[str]
    """uncovered entries: why they are not captured"""


class Change(Path, OldPath):
    kind: str
    """`added`, `modified`, `deleted`, `renamed`, `metadata` or `type`"""
    old: Entry | None
    new: Entry | None
    """the entry before and after; `null` if it did not or does not exist"""


class Coverage(TypedDict):
    is_complete: bool
    """whether everything could be read and nothing was unstable; exclusions do not count"""
    entry_count: int
    """number of entries of any kind"""
    total_bytes: int
    """total size of the regular files"""
    uncovered: list[PathAndReason]
    """the first 100 paths that are not captured, each with `path` and `reason`"""
    uncovered_counts: dict[str, int]
    """number of such paths by reason: `excluded`, `mount`, `unreadable`, `store`, `stage`, `pseudo filesystem`, `too large`"""
    unstable: list[Path]
    """files that kept changing while they were read, each with `path`"""
    unreadable_process_count: int
    """number of processes whose memory maps could not be read"""


class LookedTable(TypedDict):
    name: str
    """its name, with its schema unless that is `public`"""
    row_count: int | None
    """about how many rows it has, as the server says; `null` if it does not know"""


class LookedDatabase(TypedDict):
    name: str
    """its name"""
    tables: list[LookedTable]
    """its tables"""


class LookedServer(TypedDict):
    kind: str
    """`postgres`, `mysql` or `mariadb`"""
    directory: str
    """its data directory, relative to the workspace"""
    version: str
    """its version, as it says"""
    problem: str | None
    """why it was not looked at; otherwise `null`"""
    superusers: list[str]
    """roles with all rights; of PostgreSQL only"""
    databases: list[LookedDatabase]
    """its databases"""


class DatabaseLook(TypedDict):
    time: str
    """when the servers were asked, after the checkpoint was taken"""
    servers: list[LookedServer]
    """the servers that ran in the workspace"""


class Verdict(TypedDict):
    status: str
    """`passing`, `failing`, `flaky` if the command both passed and failed on the same state, `inconclusive` if the result depends on where the check ran, or `unknown` if it did not exit by itself"""
    command: str
    """the check, secrets redacted; empty if the verdict was noted by hand"""
    exit_code: int | None
    """its exit code, 128 plus the signal number if it was killed, or `null` if it did not exit; 0 or 1 for a URL"""
    duration_ms: int
    """how long it took"""
    output: str
    """the last 64 KiB of its output, or the note of a verdict noted by hand, secrets redacted"""
    time: str
    """when it ran"""
    ran_in: str
    """where it ran: `workspace`, `private copy`, or `plain copy` if the system provides no namespaces; `by hand` if nothing ran and a person noted the verdict"""
    end_reason: str
    """how it ended: `exited`, `timeout`, `interrupted`, `skipped` if it returned 125 (cannot be judged), `failed` if it could not be started, or `inconclusive`"""
    is_good: bool
    """whether the reference `good` may select the checkpoint: the check passes, is not flaky, and ran on the captured files"""
    has_changed_inputs: bool
    """whether captured paths changed or disappeared while it ran, so that it tested something else"""
    changed_count: int
    """number of these paths"""
    changed_paths: list[Path]
    """the first 100 of them, each with `path`"""
    generated_count: int
    """number of paths that the run added"""
    network: str | None
    """in a copy: `own`, or `host` if the check could reach live servers; otherwise `null`"""
    notes: list[str]
    """what was not isolated, and what the checkpoint does not hold, one sentence each"""
    reason: str | None
    """why it is inconclusive, or `null`"""


class Drill(TypedDict):
    time: str
    """when it was made"""
    outcome: str
    """`proven` if every byte and attribute was restored as recorded, otherwise `failed`"""
    differing_count: int
    """number of paths that differ, or cannot be read from the store"""
    differing_paths: list[PathAndReason]
    """the first 20 of them, each with `path` and `reason`; all in the output of `drill`"""


class Position(TypedDict):
    session: str | None
    """id of the session, 32 digits; `null` if none was attached"""
    agent: str
    version: str
    """the agent and its version"""
    conversation_bytes: int
    """length of the conversation"""
    task_counts: dict[str, int] | None
    """number of tasks by status: `pending`, `in-progress`, `completed`, `failed`, `skipped`; `null` if there is no list or it was not read"""
    last_effect: int
    """number of the workspace's last effect"""
    effects_not_in_history: list[int]
    """numbers of earlier effects that are not in this line of history, because of a restore"""


class Checkpoint(TypedDict):
    id: str
    """its id"""
    short_id: str
    """the first eight digits"""
    name: str
    """its name; `checkpoint-N` if none was set"""
    has_name: bool
    """whether a name was set"""
    intent: str
    """what the author says the checkpoint is; not verified"""
    intent_source: str | None
    """`given`, also for checkpoints of versions that did not record it; `git` if it is the subject of the last commit; `null` if there is no intent"""
    description: str
    """a longer text by the author"""
    time: str
    """when the capture began"""
    sequence: int
    """its position in the workspace's history, from 1; this defines the order, not the clock"""
    origin: str
    """`manual`, `automatic`, `hook` or `rescue`"""
    workspace: str
    """id of the workspace, 32 digits"""
    parent: str | None
    """id of the checkpoint that was current before, or `null`"""
    tree: str
    """identifies the files exactly"""
    state: str
    """identifies the files without their mtimes"""
    consistency: str
    """`atomic`, `stable` or `fuzzy`"""
    coverage: Coverage
    """what it holds, see below"""
    change_counts: dict[str, int] | None
    """number of changes since its parent by kind: `added`, `modified`, `deleted`, `renamed`, `metadata`; `null` if not counted yet"""
    headline: str | None
    """what changed since its parent, in at most 100 characters; `null` if not derived yet"""
    verdict: Verdict | None
    """the latest conclusive run on its state, of the workspace's own check or noted by hand if there ever was one, otherwise of any check; see below, or `null`"""
    drill: Drill | None
    """its last restore drill, see below, or `null`"""
    meta: dict[str, str]
    """keys and values set by the author"""
    notes: list[str]
    """texts added later, oldest first"""
    is_pinned: bool
    """whether it is exempt from pruning"""
    is_current: bool
    """whether it is the current checkpoint, the one last saved or restored"""
    position: Position | None
    """the session's position, see below; `null` if no agent ever worked in the workspace"""


class Fact(TypedDict):
    kind: str
    """what happened: `package.added`, `env.changed`, …"""
    scope: str
    """where the subject is: `apt`, `pip:web/.venv`, `sqlite:app.db`"""
    subject: str
    """what changed: a package, a service, a table, a key"""
    before: str | None
    after: str | None
    """the old and new value as text, such as a version or a number of rows; `null` if absent or unknown"""
    is_direct: bool
    """false for what was only pulled in, such as a dependency"""
    severity: str
    """`none`, `note` or `high`"""
    basis: str
    """`disk`: read from two trees; `live`: observed while the checkpoints were taken"""
    evidence: list[str]
    """some of the paths that show it"""
    details: list[str]
    """further details: `downgrade`, `editable`, `+column email`"""


class StoryLine(TypedDict):
    heading: str
    """the category: `Warnings`, `Packages`, `Files`, …"""
    text: str
    """the line"""
    severity: str
    """`none`, `note` or `high`"""
    path_count: int
    """number of changed paths that it covers"""
    paths: NotRequired[list[str]]
    """with `show --paths`: these paths; absent if there are none"""


class Story(TypedDict):
    headline: NotRequired[str]
    """the most important changes, in at most 100 characters"""
    severity: NotRequired[str]
    """the highest severity of its lines: `none`, `note` or `high`"""
    custom_story: NotRequired[str | None]
    """the text written by the command of the setting `story.writer`, or `null`"""
    facts: NotRequired[list[Fact]]
    """what changed, highest severity first, see below"""
    story_lines: NotRequired[list[StoryLine]]
    """the same as lines of text, warnings first, see below"""


class Workspace(Path):
    id: str
    """its id, 32 digits"""
    is_machine: bool
    """whether it is the whole machine"""
    current: str | None
    """id of the current checkpoint, the one last saved or restored, or `null`"""
