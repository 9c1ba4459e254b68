"""Event handling: apply one event to the workspace in which it occurred."""

from __future__ import annotations

import os
from collections.abc import Callable

from clew.agents.calls import Call
from clew.agents.hooks.events import NOTHING, Event, EventKind, HookAnswer
from clew.agents.watch import Watch
from clew.errors import ClewError, NotAWorkspace
from clew.model.effect import EffectOutcome
from clew.model.session import UNKNOWN_PROCESS
from clew.places import find
from clew.workspace.workspace import Workspace
from clew.worktree.agent_process import calling_process

_UNNAMED = "unnamed"
"""The one session of all events without a session id."""
_INTERRUPTED = (
    "clew: a restore of this workspace was interrupted. Finish it with `clew restore --continue`,"
    " or revert it with `clew restore --abort`."
)


def act(agent: str, event: Event, *, is_machine: bool = False) -> HookAnswer:
    """Apply an event to its workspace and return the answer for the agent."""
    try:
        workspace = Workspace(*find("/" if is_machine else event.cwd or os.getcwd()))
    except NotAWorkspace:
        return _no_workspace_answer(event)
    except ValueError as error:
        raise ClewError(f"The event has no valid directory: {event.cwd!r}") from error
    with workspace:
        if workspace.info.here is None:
            raise ClewError("The workspace has no checkpoint yet; run `clew save`")
        answer = apply_event(_watch(workspace, agent, event), event)
        if event.kind == EventKind.STARTED and workspace.interrupted_restore() is not None:
            answer = answer._replace(notice=_INTERRUPTED)
        return answer


def _watch(workspace: Workspace, agent: str, event: Event) -> Watch:
    session = workspace.sessions.open(
        agent=agent,
        native=event.session or _UNNAMED,
        transcript=event.transcript,
        kind=event.format if event.transcript else None,
        # Of two concurrent agents, the one that started last is attached, not the last to send an event.
        attach=True if event.kind == EventKind.STARTED else None,
        process=calling_process() or UNKNOWN_PROCESS,
    )
    return Watch(workspace, session)


def apply_event(watch: Watch, event: Event) -> HookAnswer:
    """Pass an event to a watch and return the answer for the agent."""
    if event.plan is not None:
        watch.plan(event.plan)
    for task in event.tasks:
        watch.session.set_task(task.number, title=task.title, status=task.status)
    match event.kind:
        case EventKind.STARTED:
            return HookAnswer(context=watch.started())
        case EventKind.PROMPTED:
            return HookAnswer(context=watch.prompted(event.prompt))
        case EventKind.BEFORE if event.call is not None:
            return _before(watch, event)
        case EventKind.FAILED:
            watch.failed(*event.ended)
        case EventKind.AFTER:
            return HookAnswer(
                context=watch.after(
                    *event.ended, settle=_result_waiter(event), find_outcome=_outcome_finder(event)
                )
            )
        case EventKind.STOPPED:
            watch.stopped(background=event.background)
        case EventKind.ENDED:
            watch.ended()
        case _:
            pass
    return NOTHING


def _result_waiter(event: Event) -> Callable[[], None] | None:
    results = event.results
    if results is None:
        return None

    def wait() -> None:
        from clew.agents.hooks.arrival import wait_for_results

        wait_for_results(results, [one.call.id for one in event.ended])

    return wait


def _outcome_finder(event: Event) -> Callable[[Call], str] | None:
    results = event.results
    if results is None:
        return None

    def find(call: Call) -> str:
        from clew.agents.hooks.arrival import has_failed

        found = has_failed(results, call.id)
        if found is None:
            return EffectOutcome.UNKNOWN
        return EffectOutcome.FAILED if found else EffectOutcome.DONE

    return find


def _before(watch: Watch, event: Event) -> HookAnswer:
    assert event.call is not None
    questions: list[str] = []

    def ask(question: str) -> bool:
        questions.append(question)  # the agent asks it, and runs the call only if approved
        return True

    decision = watch.before(event.call, ask=ask if event.can_ask else None)
    if not decision.allowed:
        return HookAnswer(refusal=f"clew: {decision.reason}")
    return HookAnswer(question=f"clew: {questions[0]}") if questions else NOTHING


def _no_workspace_answer(event: Event) -> HookAnswer:
    """Return a notice once a session; other events get no answer."""
    if event.kind != EventKind.STARTED:
        return NOTHING
    return HookAnswer(
        notice="clew takes no checkpoints here: no workspace at or above this directory. Create one with `clew save`."
    )
