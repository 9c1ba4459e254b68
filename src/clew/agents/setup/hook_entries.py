"""Hook entries: add, update and remove clew's hooks in the text of an agent's settings.

No file access.  An entry is recognised by the command that it runs, also in a file that was
reordered or that came with a clone.
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
    """What the edited text does not show: the containers we created, and the white space in those we filled."""

    made: tuple[str, ...] = ()
    """Paths of created containers, with `/` before each step."""
    blanks: tuple[tuple[str, str], ...] = ()
    """White space between the brackets of empty containers, by path."""

    def blank(self, path: Path) -> str:
        return dict(self.blanks).get(pointer(path), "")


NO_TRACES = Traces()


class HookEntry(NamedTuple):
    """Text with our entries, and what is needed to remove them."""

    text: str
    traces: Traces


class FoundHooks(NamedTuple):
    """Our entries in a text."""

    events: tuple[str, ...]
    """Events with an entry, in the order of the text."""
    current: tuple[str, ...]
    """Events whose entry is what this clew would write."""
    machine: bool
    """Whether they checkpoint the whole machine."""
    commands: tuple[str, ...] = ()
    """Their commands, without repetitions."""


class _EntryPath(NamedTuple):
    """The position of one of our handlers: event, number of the group, number in the group."""

    event: str
    group: int
    handler: int
    alone: bool
    """Whether it is the only handler of its group."""
    command: str


def add(text: str, agent: Agent, command: str, traces: Traces = NO_TRACES) -> HookEntry:
    """Return the text with our hooks complete and current."""
    require_shape(text, agent)
    text = _remove_obsolete_events(text, agent, traces)
    made, blanks = list(traces.made), dict(traces.blanks)

    def put(path: Path, key: str | None, value: object) -> None:
        nonlocal text
        edit = json_edit.add(text, path, key, value)
        text = edit.text
        if edit.blank is not None:
            blanks.setdefault(pointer(path), edit.blank)

    if json_edit.find(text, (HOOKS,)) is None:
        made.append(pointer((HOOKS,)))
        put((), HOOKS, {event.name: [group(event, agent, command)] for event in agent.events})
        made += [pointer((HOOKS, event.name)) for event in agent.events]
        return HookEntry(text, Traces(tuple(made), tuple(blanks.items())))
    for event in agent.events:
        path = (HOOKS, event.name)
        wanted = group(event, agent, command)
        places = [place for place in _own_entries(read(text), agent) if place.event == event.name]
        if places:
            text = _update_entry(text, places, wanted, agent)
        elif json_edit.find(text, path) is None:
            made.append(pointer(path))
            put((HOOKS,), event.name, [wanted])
        else:
            put(path, None, wanted)
    return HookEntry(text, Traces(tuple(dict.fromkeys(made)), tuple(blanks.items())))


def remove(text: str, agent: Agent, traces: Traces | None = None) -> str:
    """Return the text without our hooks and without the containers that we created for them.

    Without `traces` every container that becomes empty is removed: an empty list has no effect.
    """
    require_shape(text, agent)
    touched: list[str] = []
    while places := list(_own_entries(read(text), agent)):
        place = places[-1]
        text = _remove_entry(text, place, traces or NO_TRACES)
        touched.append(place.event)
    for event in dict.fromkeys(touched):
        text = _remove_if_empty(text, (HOOKS,), event, traces)
    return _remove_if_empty(text, (), HOOKS, traces) if touched else text


def find(text: str, agent: Agent, command: str) -> FoundHooks:
    """Return our hooks in a text; current ones run `command`."""
    require_shape(text, agent)
    root = read(text)
    places = list(_own_entries(root, agent))
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
        tuple(dict.fromkeys(place.command for place in places)),
    )


def require_shape(text: str, agent: Agent) -> None:
    """Raise NotJson unless hooks can be added: an object, with lists of groups by event."""
    root = read(text)
    if root.members is None:
        raise NotJson("not a JSON object", text, root.start)
    hooks = root.member(HOOKS)
    if hooks is None:
        return
    if hooks.node.members is None:
        raise NotJson("hooks is not an object", text, hooks.node.start)
    for event in agent.events:
        listed = hooks.node.member(event.name)
        if listed is not None and listed.node.items is None:
            raise NotJson(f"hooks.{event.name} is not a list", text, listed.node.start)


def _own_entries(root: Node, agent: Agent) -> Iterator[_EntryPath]:
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


def _update_entry(
    text: str, places: list[_EntryPath], wanted: dict[str, object], agent: Agent
) -> str:
    """Replace our entries for an event by one current entry, at the position of the first."""
    for place in reversed(places[1:]):
        text = _remove_entry(text, place, NO_TRACES)
    first = next(one for one in _own_entries(read(text), agent) if one.event == places[0].event)
    path: Path = (HOOKS, first.event, str(first.group))
    if not first.alone:
        path = (*path, HOOKS, str(first.handler))
        handlers = wanted[HOOKS]
        assert isinstance(handlers, list)
        wanted = handlers[0]
    node = json_edit.find(text, path)
    assert node is not None
    return text if node.value == wanted else json_edit.replace(text, node, wanted)


def _remove_obsolete_events(text: str, agent: Agent, traces: Traces) -> str:
    """Remove entries for events that this clew does not subscribe to."""
    wanted = {event.name for event in agent.events}
    while True:
        places = [place for place in _own_entries(read(text), agent) if place.event not in wanted]
        if not places:
            return text
        text = _remove_entry(text, places[-1], traces)
        text = _remove_if_empty(text, (HOOKS,), places[-1].event, traces)


def _remove_entry(text: str, place: _EntryPath, traces: Traces) -> str:
    path: Path = (HOOKS, place.event)
    if place.alone:
        return json_edit.remove(text, path, place.group, traces.blank(path))
    return json_edit.remove(text, (*path, str(place.group), HOOKS), place.handler)


def _remove_if_empty(text: str, above: Path, key: str, traces: Traces | None) -> str:
    """Remove a container that is empty, unless `traces` show that we did not create it."""
    path = (*above, key)
    node = json_edit.find(text, path)
    if node is None or node.value:
        return text
    if traces is not None and pointer(path) not in traces.made:
        return text
    parent = json_edit.find(text, above)
    assert parent is not None
    assert parent.members is not None
    at = next(i for i, member in enumerate(parent.members) if member.key == key)
    return json_edit.remove(text, above, at, (traces or NO_TRACES).blank(above))


def pointer(path: Path) -> str:
    """Return a path as text, with `/` before each step."""
    return "".join(f"/{step}" for step in path)
