"""Configuration of a service, and the location of its store.

The store is the storage directory itself.  If that contains PraisonAI's shadow repositories, which
must not be deleted, the store is a directory beside them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from hashlib import sha256

PROTECTED_PATHS = [
    os.path.expanduser("~"),
    os.path.expanduser("~/Desktop"),
    os.path.expanduser("~/Documents"),
    os.path.expanduser("~/Downloads"),
    "/",
    "/tmp",  # noqa: S108 - listed to be refused
    "/var",
    "/etc",
]
"""Directories that are never workspaces; directories below them may be."""

EXCLUDED = [
    ".git", ".praisonai", "__pycache__", "*.pyc", ".env", "node_modules", ".venv", "venv", "*.log",
]  # fmt: skip
"""Default exclude patterns; a restore does not change excluded files."""

OWN_STATE = (".praisonai", ".praison")
"""PraisonAI's own state in a workspace: always excluded, and not changed by a restore."""

USER_NAME = "PraisonAI Checkpoints"
USER_EMAIL = "checkpoints@praison.ai"
MAX_CHECKPOINTS = 100
MAX_FILE_SIZE = 2 * 1024 * 1024

_BESIDE = "clew"
_HASH_DIGITS = 12


@dataclass
class CheckpointConfig:
    """The settings of a service."""

    workspace_dir: str = ""
    """If empty, the service's argument has it."""
    storage_dir: str | None = None
    enabled: bool = True
    auto_checkpoint: bool = True
    max_checkpoints: int = MAX_CHECKPOINTS
    user_name: str = field(
        default_factory=lambda: os.getenv("PRAISONAI_GIT_USER_NAME", USER_NAME),
    )
    user_email: str = field(
        default_factory=lambda: os.getenv("PRAISONAI_GIT_USER_EMAIL", USER_EMAIL),
    )
    max_file_size: int = MAX_FILE_SIZE
    """The size above which files are excluded; 0 for no limit.

    The default is PraisonAI's, and not applied: a file is excluded only on request.
    """
    exclude_patterns: list[str] = field(default_factory=lambda: list(EXCLUDED))

    def __post_init__(self) -> None:
        self.workspace_dir = os.path.expanduser(self.workspace_dir)
        self.storage_dir = os.path.expanduser(self.storage_dir or _default_storage())
        self.exclude_patterns = list(self.exclude_patterns)  # of one configuration alone

    @property
    def store_dir(self) -> str:
        """The directory of the clew store."""
        storage = self.storage_dir or _default_storage()
        beside = os.path.join(storage, _BESIDE)
        if _is_store(storage):
            return storage
        return beside if _is_store(beside) or _has_files(storage) else storage

    def get_checkpoint_dir(self) -> str:
        """Return the directory in the store that represents this workspace."""
        digits = sha256(os.fsencode(self.workspace_dir)).hexdigest()[:_HASH_DIGITS]
        return os.path.join(self.store_dir, digits)

    @property
    def is_protected(self) -> bool:
        """Whether the workspace is a protected directory."""
        found = os.path.realpath(self.workspace_dir)
        return any(found == os.path.realpath(path) for path in PROTECTED_PATHS)


def _default_storage() -> str:
    home = os.environ.get("PRAISONAI_HOME") or os.path.expanduser("~/.praisonai")
    return os.path.join(home, "checkpoints")


def _is_store(path: str) -> bool:
    return os.path.exists(os.path.join(path, "format"))


def _has_files(path: str) -> bool:
    """Return whether a directory has content and is neither a store nor an unfinished one."""
    try:
        names = os.listdir(path)
    except OSError:
        return False
    return bool(names) and "packs" not in names
