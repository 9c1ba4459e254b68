"""The tables of the catalogue; see docs/format.md, 5."""

from __future__ import annotations

OBJECTS = """
-- what the store is, and the generation that gc counts up
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- pack files that hold something; a number is never given twice, because processes remember names
CREATE TABLE packs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL
);

-- where each object is: which pack, which frame (its offset), where in the frame's raw payload
CREATE TABLE objects (
  id BLOB PRIMARY KEY, kind INTEGER NOT NULL, pack INTEGER NOT NULL,
  frame INTEGER NOT NULL, position INTEGER NOT NULL, length INTEGER NOT NULL
) WITHOUT ROWID;
"""

ANNOTATIONS = """
-- directory trees clew watches over; cursor is the place of *here* on the trail
CREATE TABLE workspaces (
  uuid BLOB PRIMARY KEY, path BLOB NOT NULL, inode INTEGER NOT NULL, machine INTEGER NOT NULL,
  sequence INTEGER NOT NULL DEFAULT 0, cursor INTEGER, created INTEGER NOT NULL
) WITHOUT ROWID;

-- every checkpoint there ever was; a deleted one keeps its row as a tombstone, so that its
-- children still find their nearest surviving ancestor, and a rebuild does not bring it back
CREATE TABLE checkpoints (
  id BLOB PRIMARY KEY, workspace BLOB NOT NULL, sequence INTEGER NOT NULL, time INTEGER NOT NULL,
  parent BLOB, state BLOB NOT NULL, origin TEXT NOT NULL, record BLOB, deleted INTEGER
) WITHOUT ROWID;
CREATE INDEX timeline ON checkpoints (workspace, sequence);
CREATE INDEX states ON checkpoints (state);

-- what the author said a checkpoint is
CREATE TABLE labels (
  checkpoint BLOB PRIMARY KEY, intent TEXT NOT NULL, name TEXT NOT NULL, named INTEGER NOT NULL,
  description TEXT NOT NULL, pinned INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX names ON labels (name);
CREATE TABLE meta_values (
  checkpoint BLOB NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (checkpoint, key)
) WITHOUT ROWID;

-- how many paths differ from the parent, by kind
CREATE TABLE counts (
  checkpoint BLOB PRIMARY KEY, added INTEGER, modified INTEGER, deleted INTEGER,
  renamed INTEGER, metadata INTEGER
) WITHOUT ROWID;

-- what verification commands said; keyed by state, so equal states share them
CREATE TABLE verdicts (
  id INTEGER PRIMARY KEY, state BLOB NOT NULL, checkpoint BLOB NOT NULL, command TEXT NOT NULL,
  exit_code INTEGER, duration INTEGER NOT NULL, output TEXT NOT NULL, time INTEGER NOT NULL,
  place TEXT NOT NULL
);
CREATE INDEX verdict_states ON verdicts (state);

-- the way walked by save, restore, undo and redo
CREATE TABLE trail (
  workspace BLOB NOT NULL, position INTEGER NOT NULL, checkpoint BLOB NOT NULL,
  PRIMARY KEY (workspace, position)
) WITHOUT ROWID;

-- choices of the user; workspace is empty for the whole store
CREATE TABLE config (
  workspace BLOB NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (workspace, key)
) WITHOUT ROWID;

-- a restore that has begun and not ended; the next command finishes it
CREATE TABLE restores (
  workspace BLOB PRIMARY KEY, stage TEXT NOT NULL, plan BLOB NOT NULL, phase TEXT NOT NULL,
  started INTEGER NOT NULL
) WITHOUT ROWID;

-- directories opened up for a restore, with the mode and flags to give back
CREATE TABLE opened (
  workspace BLOB NOT NULL, path BLOB NOT NULL, mode INTEGER NOT NULL, flags INTEGER NOT NULL,
  PRIMARY KEY (workspace, path)
) WITHOUT ROWID;
"""

STORIES = """
-- what happened since the parent, in words and facts; made again whenever that can be better
CREATE TABLE stories (
  checkpoint BLOB PRIMARY KEY, since BLOB, version TEXT NOT NULL, headline TEXT NOT NULL,
  severity TEXT NOT NULL, content BLOB NOT NULL
) WITHOUT ROWID;
"""

VERDICTS_AND_FORKS = """
-- how a check ended, how many captured paths changed while it ran, and what else is known of it
ALTER TABLE verdicts ADD COLUMN ended TEXT NOT NULL DEFAULT 'exited';
ALTER TABLE verdicts ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE verdicts ADD COLUMN details BLOB;

-- workspaces grown from a checkpoint of another: what they grew from, and their name.
-- A managed one has its directory in the store; one without a path has no directory at all.
CREATE TABLE forks (
  workspace BLOB PRIMARY KEY, source BLOB NOT NULL, base BLOB NOT NULL, name TEXT NOT NULL,
  managed INTEGER NOT NULL, created INTEGER NOT NULL
) WITHOUT ROWID;
"""

SESSIONS = """
-- runs of agents; `native` is what the agent itself calls it, `state` what it handed over (JSON)
CREATE TABLE sessions (
  id BLOB PRIMARY KEY, workspace BLOB NOT NULL, agent TEXT NOT NULL, version TEXT NOT NULL,
  native TEXT NOT NULL, format TEXT NOT NULL, transcript BLOB, conversation BLOB, length INTEGER NOT NULL,
  state BLOB, attached INTEGER NOT NULL, began INTEGER NOT NULL, seen INTEGER NOT NULL, origin BLOB
) WITHOUT ROWID;
CREATE INDEX session_workspaces ON sessions (workspace, began);

-- what was said since the last checkpoint took the conversation
CREATE TABLE messages (
  session BLOB NOT NULL, number INTEGER NOT NULL, content BLOB NOT NULL,
  PRIMARY KEY (session, number)
) WITHOUT ROWID;

-- the task list as it stands
CREATE TABLE tasks (
  session BLOB NOT NULL, number INTEGER NOT NULL, title TEXT NOT NULL, status TEXT NOT NULL,
  note TEXT NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (session, number)
) WITHOUT ROWID;

-- acts on the outside world, numbered through a workspace; a row before the act, its outcome later
CREATE TABLE effects (
  workspace BLOB NOT NULL, number INTEGER NOT NULL, session BLOB NOT NULL, what TEXT NOT NULL,
  tool TEXT NOT NULL, arguments BLOB, reversible INTEGER NOT NULL, undo TEXT NOT NULL,
  status TEXT NOT NULL, outcome TEXT NOT NULL, time INTEGER NOT NULL, settled INTEGER,
  PRIMARY KEY (workspace, number)
) WITHOUT ROWID;

-- effects that happened and that the present line of history does not know of
CREATE TABLE forgotten (
  workspace BLOB NOT NULL, effect INTEGER NOT NULL, PRIMARY KEY (workspace, effect)
) WITHOUT ROWID;

-- what an agent said it read and changed, and at which checkpoint that was known
CREATE TABLE touched (
  session BLOB NOT NULL, path BLOB NOT NULL, how TEXT NOT NULL, sequence INTEGER NOT NULL,
  time INTEGER NOT NULL, PRIMARY KEY (session, path, how, sequence)
) WITHOUT ROWID;
"""

REMOVALS = """
-- by which rule a checkpoint was removed; NULL while it is there, and where an older clew removed it
ALTER TABLE checkpoints ADD COLUMN rule TEXT;
"""

ADDED = {2: STORIES, 3: VERDICTS_AND_FORKS, 4: SESSIONS, 5: REMOVALS}
"""What each version of the catalogue added; a store of an older one gains it when it is opened."""

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
)
"""What the backup holds; everything else comes back from the packs."""

VERSION = 5

_SINCE = {
    "stories": 2,
    "forks": 3,
    **dict.fromkeys(("sessions", "messages", "tasks", "effects", "forgotten", "touched"), 4),
}


def tables_of(version: int) -> list[str]:
    """Return the annotation tables that a catalogue of some version has."""
    return [table for table in ANNOTATION_TABLES if _SINCE.get(table, 1) <= version]
