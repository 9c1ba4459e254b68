"""Catalogue schema: tables and their versions; see docs/format.md, 5."""

from __future__ import annotations

OBJECTS = """
-- uuid and generation of the store, and other single values
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- committed pack files; a number is never reused, because processes cache pack names by number
CREATE TABLE packs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL
);

-- location of each object: pack, frame (its offset), position in the frame's raw payload
CREATE TABLE objects (
  id BLOB PRIMARY KEY, kind INTEGER NOT NULL, pack INTEGER NOT NULL,
  frame INTEGER NOT NULL, position INTEGER NOT NULL, length INTEGER NOT NULL
) WITHOUT ROWID;
"""

ANNOTATIONS = """
-- registered directory trees; cursor is the position of *here* on the trail
CREATE TABLE workspaces (
  uuid BLOB PRIMARY KEY, path BLOB NOT NULL, inode INTEGER NOT NULL, machine INTEGER NOT NULL,
  sequence INTEGER NOT NULL DEFAULT 0, cursor INTEGER, created INTEGER NOT NULL
) WITHOUT ROWID;

-- every checkpoint ever saved; a deleted one keeps its row as a tombstone, so that its children
-- still find their nearest surviving ancestor, and a rebuild does not add it again
CREATE TABLE checkpoints (
  id BLOB PRIMARY KEY, workspace BLOB NOT NULL, sequence INTEGER NOT NULL, time INTEGER NOT NULL,
  parent BLOB, state BLOB NOT NULL, origin TEXT NOT NULL, record BLOB, deleted INTEGER
) WITHOUT ROWID;
CREATE INDEX timeline ON checkpoints (workspace, sequence);
CREATE INDEX states ON checkpoints (state);

-- labels given by the author of a checkpoint
CREATE TABLE labels (
  checkpoint BLOB PRIMARY KEY, intent TEXT NOT NULL, name TEXT NOT NULL, named INTEGER NOT NULL,
  description TEXT NOT NULL, pinned INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX names ON labels (name);
CREATE TABLE meta_values (
  checkpoint BLOB NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (checkpoint, key)
) WITHOUT ROWID;

-- number of paths that differ from the parent, by kind
CREATE TABLE counts (
  checkpoint BLOB PRIMARY KEY, added INTEGER, modified INTEGER, deleted INTEGER,
  renamed INTEGER, metadata INTEGER
) WITHOUT ROWID;

-- results of verification commands; keyed by state, so that equal states share them
CREATE TABLE verdicts (
  id INTEGER PRIMARY KEY, state BLOB NOT NULL, checkpoint BLOB NOT NULL, command TEXT NOT NULL,
  exit_code INTEGER, duration INTEGER NOT NULL, output TEXT NOT NULL, time INTEGER NOT NULL,
  place TEXT NOT NULL
);
CREATE INDEX verdict_states ON verdicts (state);

-- checkpoints visited by save, restore, undo and redo
CREATE TABLE trail (
  workspace BLOB NOT NULL, position INTEGER NOT NULL, checkpoint BLOB NOT NULL,
  PRIMARY KEY (workspace, position)
) WITHOUT ROWID;

-- settings; workspace is empty for the whole store
CREATE TABLE config (
  workspace BLOB NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (workspace, key)
) WITHOUT ROWID;

-- unfinished restores; the next command finishes them
CREATE TABLE restores (
  workspace BLOB PRIMARY KEY, stage TEXT NOT NULL, plan BLOB NOT NULL, phase TEXT NOT NULL,
  started INTEGER NOT NULL
) WITHOUT ROWID;

-- directories made writable for a restore, with their original mode and flags
CREATE TABLE opened (
  workspace BLOB NOT NULL, path BLOB NOT NULL, mode INTEGER NOT NULL, flags INTEGER NOT NULL,
  PRIMARY KEY (workspace, path)
) WITHOUT ROWID;
"""

STORIES = """
-- description of the changes since the parent; recomputed by newer detectors
CREATE TABLE stories (
  checkpoint BLOB PRIMARY KEY, since BLOB, version TEXT NOT NULL, headline TEXT NOT NULL,
  severity TEXT NOT NULL, content BLOB NOT NULL
) WITHOUT ROWID;
"""

VERDICTS_AND_FORKS = """
-- how a check ended, how many captured paths changed while it ran, and details
ALTER TABLE verdicts ADD COLUMN ended TEXT NOT NULL DEFAULT 'exited';
ALTER TABLE verdicts ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE verdicts ADD COLUMN details BLOB;

-- workspaces created from a checkpoint of another: their source, base and name.
-- A managed one has its directory in the store; one without a path has no directory.
CREATE TABLE forks (
  workspace BLOB PRIMARY KEY, source BLOB NOT NULL, base BLOB NOT NULL, name TEXT NOT NULL,
  managed INTEGER NOT NULL, created INTEGER NOT NULL
) WITHOUT ROWID;
"""

SESSIONS = """
-- agent sessions; `native` is the agent's own session id, `state` the agent's own data (JSON)
CREATE TABLE sessions (
  id BLOB PRIMARY KEY, workspace BLOB NOT NULL, agent TEXT NOT NULL, version TEXT NOT NULL,
  native TEXT NOT NULL, format TEXT NOT NULL, transcript BLOB, conversation BLOB, length INTEGER NOT NULL,
  state BLOB, attached INTEGER NOT NULL, began INTEGER NOT NULL, seen INTEGER NOT NULL, origin BLOB
) WITHOUT ROWID;
CREATE INDEX session_workspaces ON sessions (workspace, began);

-- messages since the last checkpoint that stored the conversation
CREATE TABLE messages (
  session BLOB NOT NULL, number INTEGER NOT NULL, content BLOB NOT NULL,
  PRIMARY KEY (session, number)
) WITHOUT ROWID;

-- current task list
CREATE TABLE tasks (
  session BLOB NOT NULL, number INTEGER NOT NULL, title TEXT NOT NULL, status TEXT NOT NULL,
  note TEXT NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (session, number)
) WITHOUT ROWID;

-- external actions, numbered per workspace; the row is added before the action, its outcome later
CREATE TABLE effects (
  workspace BLOB NOT NULL, number INTEGER NOT NULL, session BLOB NOT NULL, what TEXT NOT NULL,
  tool TEXT NOT NULL, arguments BLOB, reversible INTEGER NOT NULL, undo TEXT NOT NULL,
  status TEXT NOT NULL, outcome TEXT NOT NULL, time INTEGER NOT NULL, settled INTEGER,
  PRIMARY KEY (workspace, number)
) WITHOUT ROWID;

-- effects that happened but are not part of the current line of history
CREATE TABLE forgotten (
  workspace BLOB NOT NULL, effect INTEGER NOT NULL, PRIMARY KEY (workspace, effect)
) WITHOUT ROWID;

-- files an agent reported as read or changed, and the checkpoint at which that was known
CREATE TABLE touched (
  session BLOB NOT NULL, path BLOB NOT NULL, how TEXT NOT NULL, sequence INTEGER NOT NULL,
  time INTEGER NOT NULL, PRIMARY KEY (session, path, how, sequence)
) WITHOUT ROWID;
"""

REMOVALS = """
-- retention rule that removed a checkpoint; NULL if it exists, or if an older clew removed it
ALTER TABLE checkpoints ADD COLUMN rule TEXT;
"""

DRILLS_AND_FAILURES = """
-- when the agent of a session ended (0 while it may run), and its process; `-` if unknown
ALTER TABLE sessions ADD COLUMN ended INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN process TEXT NOT NULL DEFAULT '';
UPDATE sessions SET began = seen WHERE began = 0;
UPDATE sessions SET process = '-'
  WHERE agent IN ('claude-code', 'codex', 'gemini', 'opencode', 'qwen');

-- last restore drill of each checkpoint; `details` has the paths that differed (bencode)
CREATE TABLE drills (
  checkpoint BLOB PRIMARY KEY, time INTEGER NOT NULL, outcome TEXT NOT NULL,
  differing INTEGER NOT NULL, details BLOB
) WITHOUT ROWID;

-- tool calls that failed: the checkpoint with the state before the call, and the one after it,
-- which is the same if the call changed nothing
CREATE TABLE failures (
  id INTEGER PRIMARY KEY, workspace BLOB NOT NULL, session BLOB NOT NULL, before BLOB NOT NULL,
  checkpoint BLOB NOT NULL, call TEXT NOT NULL, reason TEXT NOT NULL, time INTEGER NOT NULL
);
CREATE INDEX failed_calls ON failures (workspace, id);
"""

LOOKS = """
-- what running database servers said after a checkpoint was taken; `content` is bencode
CREATE TABLE looks (
  checkpoint BLOB PRIMARY KEY, time INTEGER NOT NULL, content BLOB NOT NULL
) WITHOUT ROWID;
"""

ADDED = {
    2: STORIES,
    3: VERDICTS_AND_FORKS,
    4: SESSIONS,
    5: REMOVALS,
    6: DRILLS_AND_FAILURES,
    7: LOOKS,
}
"""Schema changes by version; an older catalogue is migrated when it is opened."""

ALL = OBJECTS + ANNOTATIONS + "".join(ADDED.values())

ANNOTATION_TABLES = (
    "workspaces",
    "checkpoints",
    "labels",
    "meta_values",
    "counts",
    "verdicts",
    "trail",
    "config",
    "restores",
    "opened",
    "stories",
    "forks",
    "sessions",
    "messages",
    "tasks",
    "effects",
    "forgotten",
    "touched",
    "drills",
    "failures",
    "looks",
)
"""The tables in the backup; everything else can be rebuilt from the packs."""

VERSION = 7

_SINCE = {
    "stories": 2,
    "forks": 3,
    **dict.fromkeys(("sessions", "messages", "tasks", "effects", "forgotten", "touched"), 4),
    **dict.fromkeys(("drills", "failures"), 6),
    "looks": 7,
}


def tables_of(version: int) -> list[str]:
    """Return the annotation tables of a catalogue version."""
    return [table for table in ANNOTATION_TABLES if _SINCE.get(table, 1) <= version]
