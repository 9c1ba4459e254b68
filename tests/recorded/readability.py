"""Asks the questions: is there one line with the whole answer on the first screen of a command?

python -m tests.recorded.readability     prints every question with its command, yes or no
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.recorded.opening import Shop, opened
from tests.recorded.questions import QUESTIONS, Part, Question
from tests.recorded.widths import plain

LINES, COLUMNS = 40, 100
UNANSWERED = Path(__file__).with_name("unanswered.txt")
"""The questions without an answer so far; `make transcripts` writes it again."""


class Asked(NamedTuple):
    """A question, what was typed, the parts of the answer, the screen, and the line that answers."""

    question: Question
    command: str
    answer: tuple[str, ...]
    screen: list[str]
    line: str | None


def ask(question: Question, shop: Shop) -> Asked:
    """Run the command of a question, and look for the answer on its first screen."""
    words = [_text(part, shop) for part in question.words]
    answer = tuple(_text(part, shop) for part in question.answer)
    ran = shop.run(*words, width=COLUMNS)
    screen = [plain(line) for line in (ran.out + ran.err).splitlines()[:LINES]]
    line = next((line for line in screen if all(part in line for part in answer)), None)
    return Asked(question, "clew " + " ".join(words), answer, screen, line)


def report(asked: Asked) -> str:
    """Return why a question has no answer."""
    screen = "\n".join(asked.screen)
    return f"{asked.question.text}\nNo line has {asked.answer}:\n$ {asked.command}\n{screen}"


def _text(part: Part, shop: Shop) -> str:
    return part if isinstance(part, str) else part(shop)


def write_unanswered(shop: Shop) -> None:
    """Write the list of questions without an answer."""
    found = [one.text for one in QUESTIONS if ask(one, shop).line is None]
    UNANSWERED.write_text("".join(f"{text}\n" for text in found))


def main() -> None:
    with tempfile.TemporaryDirectory() as place, opened(Path(place)) as shop:
        shop.work_on()
        answers = [ask(question, shop) for question in QUESTIONS]
    for asked in answers:
        print("yes" if asked.line else "no ", f"{asked.question.text}  $ {asked.command}")
    print(f"{sum(asked.line is not None for asked in answers)} of {len(answers)}")


if __name__ == "__main__":
    main()
