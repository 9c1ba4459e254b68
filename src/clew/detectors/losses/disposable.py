"""Disposable files: what programs write for a while and delete themselves.

Temporary files, caches, sessions, results of test runs, downloads that can be repeated, the trash,
logs, and on a machine the directories of the system.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from clew.detectors.files.logs import is_log
from clew.detectors.losses.data_kinds import DATABASE, OTHER, RECORDS, kind_of
from clew.policy.generated_names import CACHE, DIRECTORIES, NAMES, SUFFIXES

_DIRECTORIES = frozenset((
    *(name for name, kind in DIRECTORIES.items() if kind == CACHE),
    "tmp", "temp", ".tmp", ".temp", "_tmp", "tempfiles", "cache", "caches", "Cache", "Caches",
    "__pycache__", "CacheStorage", "IndexedDB",
    "Trash", ".Trash", "$RECYCLE.BIN", ".trash",
    ".sessions", "flask_session",
    "test-results", "test-result", "test_results", "test-output", "test_output", "test-reports",
    "playwright-report", "allure-results", "allure-report", "__screenshots__", "cypress-results",
    "blob-report", "TestResults", "surefire-reports", "failsafe-reports", "htmlcov", ".nyc_output",
    ".nvm", ".pyenv", ".rbenv", ".rustup", ".cargo", ".npm", ".oh-my-zsh", ".asdf", ".sdkman",
    ".vscode-server", ".cursor-server", ".gradle", ".m2", ".ivy2", ".nuget", ".pub-cache",
    "nltk_data", "scikit_learn_data", "tensorflow_datasets", ".keras", ".torch", ".ipython",
    "google-chrome", "chromium", "BraveSoftware", "microsoft-edge", ".mozilla",
    ".claude", ".codex", ".gemini", ".cursor", ".aider", ".continue", ".opencode", ".windsurf",
    ".idea", ".vs", ".fleet", ".metadata", ".settings",
    "miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".bun", ".deno",
    ".sbt", ".coursier", ".conan", ".conan2", "vcpkg_installed", ".stack", ".cabal", ".ghcup",
    ".opam", ".julia", ".cpan", ".cpanm", "linuxbrew", ".linuxbrew", ".Rproj.user", ".godot",
    "__diff_output__", ".platformio", ".espressif", ".gem", "virtualenvs", "thumbnails", "thumbs", ".thumbs",
    "lcov-report", ".vagrant", ".terraform", ".git", ".hg", ".svn", "ipython", "gvfs-metadata",
))  # fmt: skip
_CACHES = ("_cache", "-cache", ".cache", "_caches", "-caches")
"""Endings of the names of directories that are caches."""
_PAIRS = frozenset((
    ("storage", "framework"), ("bootstrap", "cache"), ("var", "sessions"), ("cypress", "screenshots"),
    ("cypress", "videos"), ("cypress", "downloads"), ("pkg", "mod"), ("share", "Trash"),
))  # fmt: skip
"""Two consecutive directories."""
_TEST_DIRECTORIES = frozenset(
    ("test", "tests", "e2e", "spec", "specs", "__tests__", "cypress", "playwright", "selenium")
)
_RESULTS = frozenset(
    ("screenshots", "videos", "artifacts", "output", "outputs", "results", "reports", "tmp", "diff")
)
"""Directories that hold results of a test run if they are below one of tests."""

_NAMES = frozenset((
    *(name for name, kind in NAMES.items() if kind == CACHE),
    ".coverage", "coverage-final.json", "clover.xml", "lcov.info", "coverage.xml", "nohup.out", "core", ".DS_Store", "celerybeat-schedule", ".lock", "lockfile",
))  # fmt: skip
_ENDINGS = (
    "~", ".tmp", ".temp", ".part", ".partial", ".crdownload", ".download", ".pid", ".sock", ".lock",
    ".orig", ".rej", ".prof", ".lprof", ".pstats", ".cpuprofile", ".heapprofile", ".gcda", ".gcno", *(suffix for suffix, kind in SUFFIXES.items() if kind == CACHE),
)  # fmt: skip
_STARTS = ("~$", ".~lock.", ".#", ".goutputstream-", ".nfs", ".fuse_hidden", ".coverage.", "core.")
_TRIAL = re.compile(r"(?:^|[^a-z])(?:tests?|testing|tmp|temp)(?:$|[^a-z])")
"""A word in the name of a database that is made again for each run."""
_SHOT_OF_TEST = re.compile(r"failed|failure|-actual\.|-diff\.|-received\.|^test[-_]")

_SYSTEM = (
    "usr", "lib", "lib32", "lib64", "libx32", "bin", "sbin", "boot", "proc", "sys", "dev", "run",
    "etc", "snap", "nix/store", "var/cache", "var/tmp", "var/run", "var/lock", "var/spool/anacron",
    "var/lib/dpkg", "var/lib/apt", "var/lib/apk", "var/lib/rpm", "var/lib/docker",
    "var/lib/containerd", "var/lib/systemd", "var/lib/ucf", "var/lib/man-db", "var/lib/snapd",
    "var/lib/command-not-found", "var/lib/PackageKit", "var/lib/fwupd", "var/lib/flatpak",
    "var/log/journal", "var/backups",
)  # fmt: skip
"""Directories of a machine that packages and the system itself fill."""
_OF_PEOPLE = ("usr/local/", "var/lib/docker/volumes/", "etc/ssl/private/", "etc/letsencrypt/", "etc/ssh/", "etc/wireguard/",
              "etc/openvpn/")  # fmt: skip


@lru_cache(maxsize=8192)
def is_disposable_directory(directory: str, *, is_machine: bool) -> bool:
    """Return whether all files in a directory are disposable."""
    words = directory.split("/")
    if not _DIRECTORIES.isdisjoint(words):
        return True
    if any(word.startswith(".Trash-") or word.endswith(_CACHES) for word in words):
        return True
    if not _PAIRS.isdisjoint(pairwise(words)):
        return True
    if not _RESULTS.isdisjoint(words) and not _TEST_DIRECTORIES.isdisjoint(words):
        return True
    return is_machine and _is_of_system(f"{directory}/")


def _is_of_system(rooted: str) -> bool:
    return rooted.startswith(_SYSTEM_BELOW) and not rooted.startswith(_OF_PEOPLE)


_SYSTEM_BELOW = tuple(f"{directory}/" for directory in _SYSTEM)


def is_disposable_name(parent: str, name: str) -> bool:
    """Return whether a file is disposable by its own name; an audit trail must be asked for first."""
    if name in _NAMES or name.endswith(_ENDINGS) or name.startswith(_STARTS):
        return True
    if name.startswith("#") and name.endswith("#"):
        return True
    if kind_of(name) == DATABASE and _TRIAL.search(name.lower()):
        return True
    if parent.rpartition("/")[2] == "sessions" and kind_of(name) in (OTHER, RECORDS):
        return True
    if parent.endswith("screenshots") and _SHOT_OF_TEST.search(name.lower()):
        return True
    return is_log(f"{parent}/{name}" if parent else name)
