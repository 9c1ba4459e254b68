"""Writer: a user's command that rephrases a story.

It reads the facts as JSON on its standard input, without the values of secrets, and its output is
rejected if it names or counts anything that is not in them.
The template's text is always kept; the writer's text is stored beside it.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import time
from contextlib import suppress

from clew.model.story import Story
from clew.story.plain_words import NUMBER_WORDS, PLAIN_WORDS

_SECONDS = 10
_MAX_LENGTH = 400
_MAX_BYTES = 64 << 10
"""Output above this size is rejected."""
_TOKEN = re.compile(r"[^\W_](?:[\w./:@+~-]*[\w+])?")
_NUMBER = re.compile(r"\d+")


def write_text(story: Story, command: str, facts: str, *, seconds: float = _SECONDS) -> str:
    """Return the writer's text, or an empty one if it fails or contains unknown words."""
    try:
        text = " ".join(_run(command, facts.encode(), seconds).decode().split())
    except (OSError, UnicodeDecodeError):
        return ""
    return text if text and len(text) <= _MAX_LENGTH and not unknown_words(text, story) else ""


def unknown_words(text: str, story: Story) -> list[str]:
    """Return the words of `text` that name or count something not in the story."""
    known, numbers = _known(story)
    found = []
    for word in _TOKEN.findall(text):
        lower = word.lower()
        if lower in NUMBER_WORDS:
            is_known = NUMBER_WORDS[lower] in numbers
        elif _NUMBER.fullmatch(word.replace(",", "")):
            is_known = int(word.replace(",", "")) in numbers
        else:
            is_known = lower in PLAIN_WORDS or lower in known
        if not is_known:
            found.append(word)
    return found


def _run(command: str, facts: bytes, seconds: float) -> bytes:
    """Return the output of a command; empty if it fails, takes too long or prints too much."""
    with os.fdopen(os.memfd_create("facts"), "w+b") as given:  # an unread pipe would fill up
        given.write(facts)
        given.seek(0)
        process = subprocess.Popen(  # noqa: S602 - a command line that the user configured
            command, shell=True, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
    deadline = time.monotonic() + seconds
    assert process.stdout is not None
    with process.stdout as output:
        printed = _read_pipe(output.fileno(), deadline)
    with suppress(subprocess.TimeoutExpired):
        process.wait(0 if printed is None else max(deadline - time.monotonic(), 0))
    if process.returncode is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return printed if process.returncode == 0 and printed is not None else b""


def _read_pipe(descriptor: int, deadline: float) -> bytes | None:
    """Read a pipe until it is closed; return None at the deadline or above the size limit."""
    printed = b""
    while len(printed) <= _MAX_BYTES:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            return None
        piece = os.read(descriptor, _MAX_BYTES)
        if not piece:
            return printed
        printed += piece
    return None


def _known(story: Story) -> tuple[set[str], set[int]]:
    texts = [story.headline, *(line.text for line in story.lines)]
    for fact in story.facts:
        texts += [fact.scope, fact.subject, fact.before or "", fact.after or "", *fact.marks]
        texts += fact.kind.split(".")
        texts += fact.evidence
    words: set[str] = set()
    numbers: set[int] = set()
    for text in texts:
        words.update(word.lower() for word in _TOKEN.findall(text))
        words.update(part.lower() for part in re.split(r"[\W_]+", text))
        numbers.update(int(number[:18]) for number in _NUMBER.findall(text.replace(",", "")))
    return words, numbers
