"""Text of `clew` alone: where the workspace is, what changed, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.ids import short
from clew.model.setup_results import SetupState
from clew.model.shorten import shorten_to_width
from clew.render import checkpoint_title, timestamps, units
from clew.render.safe import safe_line, safe_path
from clew.render.style import Style, paint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.model.change import ChangeCounts
    from clew.model.checkpoint import Checkpoint
    from clew.model.overview import Overview
    from clew.model.results import Difference
    from clew.model.setup_results import HookStatus
    from clew.model.verdict import Verdict

_LABEL = 9
_COMMAND = 30
_NARROWEST = 30
_AGENTS = 3


def known(found: Overview, hooks: Sequence[HookStatus], look: Style) -> Iterator[str]:
    """Yield what is known without a scan: workspace, here, last good, agents."""
    number = units.count(found.checkpoints, "checkpoint")
    yield _field("workspace", f"{safe_path(found.info.path)}, {number}", look)
    yield from _here(found, look)
    if found.good is not None:
        yield _field("good", _good(found, found.good, look), look)
    elif found.here is not None:
        yield _field("good", "no checkpoint has passed a check", look)
    if hooks:
        yield _field("agents", _agents(found, hooks, look), look)


def changed(difference: Difference, counts: ChangeCounts, look: Style) -> Iterator[str]:
    """Yield what changed since *here*."""
    if difference.old is None:
        return
    if not difference.changes:
        yield _field("changed", "nothing since here", look)
        return
    counted = checkpoint_title.counts_in_words(counts)
    headline = safe_line(difference.story.headline) if difference.story is not None else ""
    yield _field("changed", paint(_cut(headline or counted, look), "yellow", look), look)
    if headline:
        yield _field("", counted, look)


def next_commands(commands: Sequence[tuple[str, str]], look: Style) -> Iterator[str]:
    """Yield the commands that fit the situation, each with what it does."""
    yield ""
    for command, meaning in commands:
        yield f"  {paint(f'{command:<{_COMMAND}}', 'bold', look)}  {meaning}"


def _field(label: str, value: str, look: Style) -> str:
    text = value if "\x1b" in value else _cut(value, look)
    return f"{paint(f'{label:<{_LABEL}}', 'dim', look)}  {text}".rstrip()


def _cut(text: str, look: Style) -> str:
    return shorten_to_width(text, max(look.width - _LABEL - 2, _NARROWEST))


def _here(found: Overview, look: Style) -> Iterator[str]:
    here = found.here
    if here is None:
        yield _field("here", "no checkpoint yet", look)
        return
    yield _field("here", _named(here, look), look)
    if here.headline:
        yield _field("", safe_line(here.headline), look)
    if here.verdict is not None:
        colour = checkpoint_title.verdict_colour(here.verdict)
        yield _field("", paint(_cut(_verdict(here.verdict), look), colour, look), look)


def _verdict(found: Verdict) -> str:
    text = f"{checkpoint_title.verdict(found)}: {found.status}"
    return f"{text}, but its inputs changed" if found.changed_count else text


def _named(checkpoint: Checkpoint, look: Style) -> str:
    when = timestamps.short(checkpoint.record.time_ns, look)
    return f"{short(checkpoint.id)}  {when}  {checkpoint_title.title(checkpoint)}"


def _good(found: Overview, good: Checkpoint, look: Style) -> str:
    if good.is_here:
        return "here"
    when = timestamps.short(good.record.time_ns, look)
    ago = f"{units.count(found.newer_than_good, 'checkpoint')} ago"
    return f"{short(good.id)}  {when}  {ago}: {checkpoint_title.title(good)}"


def _agents(found: Overview, hooks: Sequence[HookStatus], look: Style) -> str:
    heard = {one.agent: one for one in reversed(found.agents)}
    states: dict[str, str] = {}
    for hook in hooks:
        seen = heard.get(hook.agent)
        if hook.state != SetupState.ENABLED:
            states.setdefault(hook.title, f"{hook.state}, see `clew doctor`")
        elif seen is None or not seen.heard_ns:
            states[hook.title] = "no event yet"
        else:
            work = "at work, " if seen.is_at_work else ""
            states[hook.title] = f"{work}last event {timestamps.short(seen.heard_ns, look)}"
    named = [f"{title}: {state}" for title, state in list(states.items())[:_AGENTS]]
    more = len(states) - len(named)
    return "; ".join(named) + (f"; {more} more" if more else "")
