"""Application databases: state of browsers, editors, agents and caches.

Their rows are not user data, so a story only says that they changed.
"""

from __future__ import annotations

from itertools import pairwise

_NAMES = frozenset(
    (
        ".coverage", "Cookies", "Favicons", "History", "Login Data", "Network Action Predictor",
        "QuotaManager", "Safe Browsing Cookies", "Shortcuts", "Top Sites", "Trust Tokens", "Web Data",
        "content-prefs.sqlite", "cookies.sqlite", "favicons.sqlite", "formhistory.sqlite",
        "history.sqlite", "permissions.sqlite", "places.sqlite", "state.vscdb", "storage.sqlite",
        "webappsstore.sqlite",
    )
)  # fmt: skip
_HEADS = (".coverage.",)
_DIRECTORIES = frozenset(
    (
        ".aider", ".cache", ".claude", ".codex", ".continue", ".cursor", ".cursor-server", ".gemini",
        ".git", ".gradle", ".hg", ".idea", ".ipython", ".jupyter", ".local/share/code-server",
        ".mozilla", ".mypy_cache", ".next", ".npm", ".nuxt", ".nx", ".opencode", ".parcel-cache",
        ".pytest_cache", ".ruff_cache", ".svn", ".terraform", ".tox", ".turbo", ".vs", ".vscode",
        ".vscode-server", ".windsurf", ".zed", "BraveSoftware", "Caches", "IndexedDB", "__pycache__",
        "cache", "caches", "chromium", "google-chrome", "microsoft-edge", "storage/default",
    )
)  # fmt: skip


def is_app_state(path: str) -> bool:
    """Return whether a database is application state."""
    *above, name = path.split("/")
    return (
        name in _NAMES
        or name.startswith(_HEADS)
        or not _DIRECTORIES.isdisjoint(above)
        or not _DIRECTORIES.isdisjoint(map("/".join, pairwise(above)))
    )
