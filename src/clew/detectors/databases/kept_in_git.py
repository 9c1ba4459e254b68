"""Files whose old content git has: their loss is none."""

from __future__ import annotations

from hashlib import sha1

from clew.detectors.detector import Evidence, TooLarge
from clew.detectors.repositories.git_index import parse_index
from clew.detectors.repositories.repositories import Repositories

_LIMIT = 64 << 20
_INDEX_LIMIT = 16 << 20


def is_kept_in_git(evidence: Evidence, path: str) -> bool:
    """Return whether git has the old content of a file, and is still there."""
    entry = evidence.old.entry(path)
    repository = evidence.once(Repositories).of(path)
    if entry is None or repository is None or entry.size > _LIMIT:
        return False
    if evidence.new.entry(repository.own) is None:
        return False
    try:
        content = evidence.old.read(f"{repository.own}/index", _INDEX_LIMIT)
        staged = parse_index(content or b"").get(repository.relative(path))
    except (TooLarge, ValueError):  # the git detector reports it
        return False
    if staged is None or staged.is_conflict:
        return False
    digest = sha1(b"blob %d\0" % entry.size, usedforsecurity=False)
    for piece in evidence.old.pieces(path):
        digest.update(piece)
    return digest.hexdigest() == staged.id
