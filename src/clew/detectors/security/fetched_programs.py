"""Programs that a build fetches and runs: from where, and how bad that is."""

from __future__ import annotations

from collections.abc import Sequence

from clew.detectors.locks.origins import host_of
from clew.detectors.security.fetching import RUNS_FETCHED, fetched_addresses, fetching_marks
from clew.detectors.security.known_places import is_known_installer, is_known_owner
from clew.model.fact import Severity
from clew.model.named_tuple import NamedTuple

_RAW = ("raw.githubusercontent.com", "github.com", "gist.githubusercontent.com", "gitlab.com")
_NAMED = 3


class Fetches(NamedTuple):
    """What new lines fetch and run; no mark if nothing."""

    mark: str = ""
    severity: str = Severity.NONE


def fetches(added: Sequence[bytes]) -> Fetches:
    """Return what new lines fetch and run."""
    hosts: dict[str, bool] = {}
    for line in added:
        if RUNS_FETCHED in fetching_marks(line.decode("utf-8", "replace")):
            hosts |= {
                host_of(address) or "an address": _is_known(address)
                for address in fetched_addresses(line)
            } or {"an address": False}
    if not hosts:
        return Fetches()
    severity = Severity.NOTE if all(hosts.values()) else Severity.HIGH
    return Fetches(f"{RUNS_FETCHED} from {', '.join(list(hosts)[:_NAMED])}", severity)


def _is_known(address: str) -> bool:
    """Return whether many projects run what is at an address, and it comes unaltered."""
    host = host_of(address) or ""
    if not address.startswith("https://"):
        return False
    owner = address.removeprefix("https://").partition("/")[2].partition("/")[0]
    return is_known_installer(host) or (host in _RAW and _is_known_author(owner))


def _is_known_author(owner: str) -> bool:
    return is_known_owner(owner) or owner.lower() in ("nvm-sh", "homebrew", "ohmyzsh", "pyenv")
