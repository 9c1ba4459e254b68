"""Our hooks in an agent's settings: put in, brought up to date, and taken out.

Text in, text out; no files.  An entry is ours by the command that it runs, so that it is known
again in a file that somebody has sorted, or that came with a clone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from clew.agents.setup import json_edit
from clew.agents.setup.catalogue import Agent, HookedEvent, group, is_of_machine, is_ours
from clew.agents.setup.json_spans import Node, NotJson, read

Path = tuple[str, ...]
HOOKS = "hooks"


class Traces(NamedTuple):
    """What no text can show: which containers we made, and what was in those that we filled."""

    made: tuple[str, ...] = ()
    """Paths of containers, with `/` before each step."""
    blanks: tuple[tuple[str, str], ...] = ()
    """White space that stood between the brackets of an empty container, by its path."""

    def blank(self, path: Path) -> str:
        return dict(self.blanks).get(_pointer(path), "")


NO_TRACES = Traces()


class HookEntry(NamedTuple):
    """Text with our entries in it, and what it takes to undo that."""

    text: str
    traces: Traces


class FoundHooks(NamedTuple):
    """Our entries in a text."""

    events: tuple[str, ...]
    """Events that have one, in the order of the text."""
    current: tuple[str, ...]
    """Those of them which are what this clew would write."""
    machine: bool
    """Whether they keep the whole machine."""
    command: str = ""
    """What the first of them runs."""


class _EntryPath(NamedTuple):
    """A handler of ours: number `handler` of group number `group` of an event."""

    event: str
    group: int
    handler: int
    alone: bool
    """Whether the group has no other."""
    command: str


def add(text: str, agent: Agent, command: str, traces: Traces = NO_TRACES) -> HookEntry:
    """Return the text with our hooks complete and current; unchanged if they are."""
    require_shape(text, agent)
    text = _without_foreign_events(text, agent, traces)
    made, blanks = list(traces.made), dict(traces.blanks)

    def put(path: Path, key: str | None, value: object) -> None:
        nonlocal text
        edit = json_edit.add(text, path, key, value)
        text = edit.text
        if edit.blank is not None:
            blanks.setdefault(_pointer(path), edit.blank)

    if json_edit.find(text, (HOOKS,)) is None:
        made.append(_pointer((HOOKS,)))
        put((), HOOKS, {event.name: [group(event, agent, command)] for event in agent.events})
        made += [_pointer((HOOKS, event.name)) for event in agent.events]
        return HookEntry(text, Traces(tuple(made), tuple(blanks.items())))
    for event in agent.events:
        path = (HOOKS, event.name)
        wanted = group(event, agent, command)
        places = [place for place in _ours(read(text), agent) if place.event == event.name]
        if places:
            text = _brought_up_to_date(text, places, wanted, agent)
        elif json_edit.find(text, path) is None:
            made.append(_pointer(path))
            put((HOOKS,), event.name, [wanted])
        else:
            put(path, None, wanted)
    return HookEntry(text, Traces(tuple(dict.fromkeys(made)), tuple(blanks.items())))


def remove(text: str, agent: Agent, traces: Traces | None = None) -> str:
    """Return the text without our hooks, nor the containers that stand empty for it.

    Without `traces` nobody knows who made those; an empty list of hooks says nothing, so it goes.
    """
    require_shape(text, agent)
    touched: list[str] = []
    while places := list(_ours(read(text), agent)):
        place = places[-1]
        text = _without(text, place, traces or NO_TRACES)
        touched.append(place.event)
    for event in dict.fromkeys(touched):
        text = _without_empty(text, (HOOKS,), event, traces)
    return _without_empty(text, (), HOOKS, traces) if touched else text


def look(text: str, agent: Agent, command: str) -> FoundHooks:
    """Return which of our hooks are there."""
    require_shape(text, agent)
    root = read(text)
    places = list(_ours(root, agent))
    events = {event.name: event for event in agent.events}
    current = [
        place.event
        for place in places
        if place.event in events and _is_current(root, place, events[place.event], agent, command)
    ]
    machine = any(is_of_machine(place.command) for place in places)
    return FoundHooks(
        tuple(dict.fromkeys(place.event for place in places)),
        tuple(dict.fromkeys(current)),
        machine,
        places[0].command if places else "",
    )


def require_shape(text: str, agent: Agent) -> None:
    """Raise NotJson unless hooks can be put in: an object, with lists of groups by event."""
    root = read(text)
    if root.members is None:
        raise NotJson("it is no object", text, root.start)
    hooks = root.member(HOOKS)
    if hooks is None:
        return
    if hooks.node.members is None:
        raise NotJson("hooks is not an object", text, hooks.node.start)
    for event in agent.events:
        listed = hooks.node.member(event.name)
        if listed is not None and listed.node.items is None:
            raise NotJson(f"hooks.{event.name} is not a list", text, listed.node.start)


def _ours(root: Node, agent: Agent) -> Iterator[_EntryPath]:
    hooks = root.member(HOOKS)
    for event in (hooks.node.members or ()) if hooks else ():
        for number, one in enumerate(event.node.items or ()):
            handlers = one.member(HOOKS)
            items = (handlers.node.items or ()) if handlers else ()
            for at, handler in enumerate(items):
                command = handler.member("command")
                if command is not None and is_ours(command.node.value, agent):
                    text = str(command.node.value)
                    yield _EntryPath(event.key, number, at, len(items) == 1, text)


def _is_current(
    root: Node, place: _EntryPath, event: HookedEvent, agent: Agent, command: str
) -> bool:
    wanted = group(event, agent, command)
    hooks = root.member(HOOKS)
    assert hooks is not None
    listed = hooks.node.member(place.event)
    assert listed is not None
    assert listed.node.items is not None
    found = listed.node.items[place.group].value
    assert isinstance(found, dict)
    if place.alone:
        return bool(found == wanted)
    return bool([found[HOOKS][place.handler]] == wanted[HOOKS])


def _brought_up_to_date(
    text: str, places: list[_EntryPath], wanted: dict[str, object], agent: Agent
) -> str:
    """Have exactly one entry of ours for an event, where the first of them is."""
    for place in reversed(places[1:]):
        text = _without(text, place, NO_TRACES)
    first = next(one for one in _ours(read(text), agent) if one.event == places[0].event)
    path: Path = (HOOKS, first.event, str(first.group))
    if not first.alone:
        path = (*path, HOOKS, str(first.handler))
        handlers = wanted[HOOKS]
        assert isinstance(handlers, list)
        wanted = handlers[0]
    node = json_edit.find(text, path)
    assert node is not None
    return text if node.value == wanted else json_edit.replace(text, node, wanted)


def _without_foreign_events(text: str, agent: Agent, traces: Traces) -> str:
    """Take out entries for events that this clew does not ask for."""
    wanted = {event.name for event in agent.events}
    while True:
        places = [place for place in _ours(read(text), agent) if place.event not in wanted]
        if not places:
            return text
        text = _without(text, places[-1], traces)
        text = _without_empty(text, (HOOKS,), places[-1].event, traces)


def _without(text: str, place: _EntryPath, traces: Traces) -> str:
    path: Path = (HOOKS, place.event)
    if place.alone:
        return json_edit.remove(text, path, place.group, traces.blank(path))
    return json_edit.remove(text, (*path, str(place.group), HOOKS), place.handler)


def _without_empty(text: str, above: Path, key: str, traces: Traces | None) -> str:
    """Take out a container that is empty and that we made, as far as anybody knows."""
    path = (*above, key)
    node = json_edit.find(text, path)
    if node is None or node.value:
        return text
    if traces is not None and _pointer(path) not in traces.made:
        return text
    parent = json_edit.find(text, above)
    assert parent is not None
    assert parent.members is not None
    at = next(i for i, member in enumerate(parent.members) if member.key == key)
    return json_edit.remove(text, above, at, (traces or NO_TRACES).blank(above))


def _pointer(path: Path) -> str:
    return "".join(f"/{step}" for step in path)
