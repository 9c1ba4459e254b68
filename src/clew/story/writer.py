"""The writer: a command of the user's that may put a story into other words.

It is given the facts as JSON on its standard input, in which no value of a secret is, and its
answer is refused if it names or counts anything that is not in them.
The words of the template are always kept; the writer's stand beside them.
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
_LONGEST = 400
_MOST_BYTES = 64 << 10
"""After which a writer is not listened to any more."""
_TOKEN = re.compile(r"[^\W_](?:[\w./:@+~-]*[\w+])?")
_NUMBER = re.compile(r"\d+")


def retell(story: Story, command: str, facts: str) -> str:
    """Return the writer's words, or nothing when it fails or says what is not so."""
    try:
        text = " ".join(_run(command, facts.encode()).decode().split())
    except (OSError, UnicodeDecodeError):
        return ""
    return text if text and len(text) <= _LONGEST and not strangers(text, story) else ""


def strangers(text: str, story: Story) -> list[str]:
    """Return the words of `text` that name or count what the story does not hold."""
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


def _run(command: str, facts: bytes) -> bytes:
    """Return what a command prints; nothing when it fails, or takes or says too much."""
    with os.fdopen(os.memfd_create("facts"), "w+b") as given:  # a pipe could fill up, unread
        given.write(facts)
        given.seek(0)
        process = subprocess.Popen(  # noqa: S602 - a command line that the user configured
            command, shell=True, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
    deadline = time.monotonic() + _SECONDS
    assert process.stdout is not None
    with process.stdout as output:
        printed = _printed(output.fileno(), deadline)
    with suppress(subprocess.TimeoutExpired):
        process.wait(0 if printed is None else max(deadline - time.monotonic(), 0))
    if process.returncode is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return printed if process.returncode == 0 and printed is not None else b""


def _printed(descriptor: int, deadline: float) -> bytes | None:
    """Return what comes out of a pipe until it is closed; None if that takes too long."""
    printed = b""
    while len(printed) <= _MOST_BYTES:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            return None
        piece = os.read(descriptor, _MOST_BYTES)
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
