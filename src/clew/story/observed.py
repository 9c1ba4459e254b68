"""Observed facts: started and stopped processes and ports, from the signals of two checkpoints."""

from __future__ import annotations

from collections.abc import Iterable

from clew.model.fact import Fact, FactBasis, Severity
from clew.model.shorten import shorten
from clew.model.signals import Listening, Signals

_SHOWN = 60


def observed_facts(before: Signals | None, after: Signals | None, root: str = "/") -> list[Fact]:
    """Return facts about processes and ports; none if one checkpoint has no signals.

    Of a workspace, which is not the whole machine, only programs that run in it or name a path in
    it: others are on the same machine by chance.
    """
    if before is None or after is None:
        return []
    old = {(one.protocol, one.place): one for one in before.listening}
    new = {(one.protocol, one.place): one for one in after.listening}
    opened = [new[key] for key in sorted(new.keys() - old.keys()) if _is_about(new[key], root)]
    closed = [old[key] for key in sorted(old.keys() - new.keys()) if _is_about(old[key], root)]
    facts = [_port("port.opened", one) for one in opened]
    facts += [_port("port.closed", one) for one in closed]
    if before.complete and after.complete:  # otherwise unobserved processes would seem stopped
        facts += _processes("process.started", after, before, opened)
        facts += _processes("process.stopped", before, after, closed)
    return facts


def _is_about(one: Listening, root: str) -> bool:
    """Return whether a program runs below `root`, or names a path below it in its command."""
    if root == "/":
        return True
    top = root.rstrip("/")
    if one.directory == top or one.directory.startswith(f"{top}/"):
        return True
    at = one.command.find(top)
    while at >= 0:
        before, after = one.command[:at][-1:], one.command[at + len(top) :][:1]
        is_whole = not before.isalnum() and before not in ("/", ".", "_", "-")
        if is_whole and after in ("", " ", "/", ":"):
            return True
        at = one.command.find(top, at + 1)
    return False


def _processes(kind: str, here: Signals, there: Signals, ports: Iterable[Listening]) -> list[Fact]:
    """Return facts of processes that run here and not there, without those of a port's fact."""
    named = {(one.command, one.directory) for one in ports}
    ones = {
        (one.directory, shorten(one.command, _SHOWN))
        for one in set(here.running) - set(there.running)
        if (one.command, one.directory) not in named
    }
    return [Fact(kind, *one, basis=FactBasis.LIVE) for one in sorted(ones)]


def _port(kind: str, one: Listening) -> Fact:
    is_open = kind == "port.opened"
    program = shorten(one.command, _SHOWN) or None
    return Fact(
        kind,
        one.protocol,
        one.place,
        before=None if is_open else program,
        after=program if is_open else None,
        severity=Severity.NOTE if is_open and one.is_wildcard else Severity.NONE,
        basis=FactBasis.LIVE,
    )
