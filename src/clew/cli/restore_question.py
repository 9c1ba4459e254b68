"""The question before a restore overwrites anything, and when it is not asked.

A restore can be undone, so with `restore.ask = unsaved` a person is asked only if that would lose
something: if a path is overwritten that *here* does not hold as it is now, or if a running program
has one open (what it writes afterwards goes to a file without a name).  Without a terminal, and with
--json, nothing is overwritten without --yes.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from clew.errors import NeedsConfirmation
from clew.render import changes, restore_question
from clew.render import restore as restoring

if TYPE_CHECKING:
    from clew.cli.confirm_restore import Act, Choose
    from clew.cli.context import CommandContext
    from clew.model.restore_results import RestorePreview, RestoreResult

_PATCH_LINES = 400
"""Lines of a diff shown at the question; `clew diff` shows all."""

_YES = ("y", "yes")
_CHOOSE = ("i", "interactive")
_DIFF = ("d", "diff")


class RestoreQuestion:
    """Asks at a terminal, and does what the answer says."""

    def __init__(self, context: CommandContext, way_back: str, choose: Choose | None) -> None:
        self._context = context
        self._way_back = way_back
        self._choose = choose
        self._shown: RestorePreview | None = None
        """The preview that is on the screen, without what differs from one moment to the next."""
        self._answer = ""

    def ask_and_run(self, act: Act) -> RestoreResult:
        """Run `act`, which asks; while the answer is another view of it, show that and ask again.

        `act` ends before anything else is done, so no lock is held while a diff is read.
        """
        while True:
            try:
                return act(self._confirm)
            except NeedsConfirmation as error:
                if self._answer in _CHOOSE and self._choose is not None:
                    return self._choose(error.preview)
                if self._answer not in _DIFF or error.preview.merge is not None:
                    raise
                self._show_diff(error.preview)

    def _confirm(self, preview: RestorePreview) -> bool:
        """Return whether to go on; without a terminal that needs --yes."""
        context, self._answer = self._context, ""
        if not context.can_ask:
            return False
        look = context.look()
        if not self._must_ask(preview):
            context.say(restore_question.not_asked(preview, self._way_back))
            return True
        changed = preview._replace(processes=(), needed_bytes=0, free_bytes=0, facts=None)
        if changed != self._shown:
            for line in restoring.preview(preview, look, self._way_back):
                context.say(line)
            for line in restore_question.unsaved_parts(preview, look):
                context.say(line)
            self._shown = changed
        asked = restore_question.question(
            can_choose=self._choose is not None, can_diff=preview.merge is None
        )
        self._answer = context.answer_to(asked).strip().lower()
        return self._answer in _YES

    def _must_ask(self, preview: RestorePreview) -> bool:
        """Return whether `restore.ask` has a person asked about this."""
        context = self._context
        assert context.workspace is not None, "a restore is asked about by an open workspace"
        when = context.workspace.settings.all().get("restore.ask", "always")
        if context.always_asks or when == "always":
            return True
        return when != "never" and (preview.overwrites_unsaved or bool(preview.processes))

    def _show_diff(self, preview: RestorePreview) -> None:
        """Show how the workspace differs from the target, as text."""
        context, target = self._context, preview.target.id.hex()
        assert context.workspace is not None, "it was asked about above"
        difference = context.workspace.diff(target, monitor=context.monitor)
        look = context.look()
        for line in restore_question.diff_heading(preview):
            context.say(line)
        lines = changes.patch(context.workspace.patch(difference), look)
        for line in islice(lines, _PATCH_LINES):
            context.say(line)
        if next(lines, None) is not None:
            context.say(restore_question.diff_goes_on(preview))
