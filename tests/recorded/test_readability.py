"""Whether the first screen of one command answers a question: 40 lines of 100 columns."""

from __future__ import annotations

import pytest

from tests.recorded.opening import Shop
from tests.recorded.questions import QUESTIONS, Question
from tests.recorded.readability import COLUMNS, LINES, UNANSWERED, ask, report


def test_there_are_enough_questions() -> None:
    assert len(QUESTIONS) >= 20
    assert len({question.text for question in QUESTIONS}) == len(QUESTIONS)
    assert (LINES, COLUMNS) == (40, 100)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.text)
def test_the_first_screen_answers(question: Question, working_shop: Shop) -> None:
    """`unanswered.txt` lists what is still to do; what leaves it may not come back."""
    asked = ask(question, working_shop)

    if question.text in UNANSWERED.read_text().splitlines():
        assert asked.line is None, "It is answered now: `make transcripts`"
    else:
        assert asked.line is not None, report(asked)


def test_a_checkpoint_of_another_step_is_no_answer(working_shop: Shop) -> None:
    """Where the answer is a checkpoint, the one that was saved first does not pass for it."""
    first = working_shop.made_by("enable")
    tried = 0
    for question in QUESTIONS:
        if callable(question.answer[0]) and len(question.answer) > 1:
            wrong = question._replace(answer=(first, *question.answer[1:]))
            assert ask(wrong, working_shop).line is None, question.text
            tried += 1

    assert tried > 10
