"""Version 1 of an agent that translates words; its state is two comma-separated strings."""

from __future__ import annotations

import clew

VERSION = "1.0"
WORDS = {"bonjour": "hello", "merci": "thanks", "fromage": "cheese", "nuage": "cloud"}


def work(workspace: clew.Workspace, words: int) -> None:
    """Translate some words, and store the progress as the session's state."""
    session = workspace.sessions.open(agent="translator", version=VERSION, native="dictionary")
    left = list(WORDS)
    for word in left:
        session.add_task(f"translate {word}")
    done: list[str] = []
    for number, word in enumerate(left[:words], 1):
        done.append(f"{word}={WORDS[word]}")
        session.complete_task(number)
        session.say({"role": "assistant", "content": f"{word} is {WORDS[word]}"})
        session.set_state({"left": ",".join(left[number:]), "done": ",".join(done)})
        session.save(f"translated {word}")
