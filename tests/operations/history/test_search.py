"""Search: words in what is known of checkpoints."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import opening
from clew.errors import BadOption
from clew.model.ids import ObjectId
from clew.model.record import Origin
from clew.model.search_results import SearchHit, SearchResult, Section
from clew.operations.history.search_conversations import search_conversations
from clew.policy.search_words import SearchWords
from clew.workspace import Workspace
from tests.kit.fake_host import FakeHost

TOKEN = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"


def write(project: Path, name: str, text: str) -> None:
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).write_text(text)


def hits(found: SearchResult, section: str) -> list[SearchHit]:
    return [hit for match in found.matches for hit in match.hits if hit.section == section]


def texts(found: SearchResult, section: str) -> list[str]:
    return [hit.excerpt.text for hit in hits(found, section)]


def test_all_words_must_be_in_one_text_in_any_order_and_case(ws: Workspace, project: Path) -> None:
    for intent in ("Add the Discount column", "add a column", "discount only"):
        write(project, "file", intent)
        ws.save(intent)

    found = ws.search("COLUMN discount")

    assert texts(found, Section.INTENTS) == ["Add the Discount column"]
    assert hits(found, Section.INTENTS)[0].excerpt.spans == ((8, 16), (17, 23))


def test_matches_are_newest_first_and_limited(ws: Workspace, project: Path) -> None:
    for number in range(4):
        write(project, "file", str(number))
        ws.save(f"step {number}")

    found = ws.search("step", limit=2)

    assert [one.checkpoint.labels.intent for one in found.matches] == ["step 3", "step 2"]
    assert (found.more, found.searched) == (2, 4)


def test_names_notes_metadata_and_checks_are_found(ws: Workspace, project: Path) -> None:
    write(project, "file", "1")
    ws.save("first", name="launch", verify="echo quality", meta={"ticket": "orchid-7"})
    ws.edit("@", notes=["reviewed by Wilhelmina"])

    assert texts(ws.search("launch"), Section.INTENTS) == ["launch"]
    assert texts(ws.search("wilhelmina"), Section.NOTES) == ["reviewed by Wilhelmina"]
    assert texts(ws.search("orchid"), Section.NOTES) == ["ticket=orchid-7"]
    assert texts(ws.search("quality"), Section.CHECKS) == ["echo quality"]


def test_facts_of_stored_stories_are_found(ws: Workspace, project: Path) -> None:
    write(project, "requirements.txt", "flask==2.0\npydantic==1.9\n")
    ws.save("first")
    write(project, "requirements.txt", "flask==3.0\npydantic==2.0\n")
    ws.save("second")

    found = ws.search("pydantic 2.0", sections=[Section.FACTS])

    assert [one.checkpoint.labels.intent for one in found.matches] == ["second"]
    assert "pydantic" in texts(found, Section.FACTS)[0]


def test_a_story_that_is_not_stored_is_counted_and_not_derived(
    ws: Workspace, project: Path
) -> None:
    write(project, "app.py", "1")
    ws.save("first", origin=Origin.HOOK)

    found = ws.search("app.py", sections=[Section.FACTS, Section.HEADLINES])

    assert found.matches == ()
    assert found.notes == (
        "Facts of 1 checkpoint were not searched: their stories are not stored yet",
    )


def test_changed_paths_are_found_where_they_changed(ws: Workspace, project: Path) -> None:
    write(project, "src/orders.py", "1")
    write(project, "src/users.py", "1")
    ws.save("first")
    write(project, "src/users.py", "2")
    ws.save("second")
    (project / "src" / "orders.py").unlink()
    ws.save("third")

    found = ws.search("orders.py", sections=[Section.PATHS])

    assert [(one.checkpoint.labels.intent, one.hits[0].kind) for one in found.matches] == [
        ("third", "deleted"),
        ("first", "added"),
    ]


def test_paths_below_a_directory_with_the_words_are_counted_together(
    ws: Workspace, project: Path
) -> None:
    ws.save("empty")
    for number in range(5):
        write(project, f"web/node_modules/pkg/{number}.js", "1")
    ws.save("install")

    [hit] = hits(ws.search("NODE_MODULES", sections=[Section.PATHS]), Section.PATHS)

    assert (hit.path, hit.paths) == (b"web/node_modules", 7)


def test_a_message_is_found_once_at_the_first_checkpoint_that_has_it(
    ws: Workspace, project: Path
) -> None:
    session = ws.sessions.open(agent="example")
    session.say({"role": "user", "content": "Please drop the orders table"})
    for number in range(3):
        write(project, "file", str(number))
        session.say({"role": "assistant", "content": f"step {number}"})
        ws.save(f"save {number}")

    found = ws.search("orders drop")

    assert [one.checkpoint.labels.intent for one in found.matches] == ["save 0"]
    [hit] = hits(found, Section.CONVERSATION)
    assert (hit.role, hit.excerpt.text) == ("user", "Please drop the orders table")


def test_messages_are_found_in_any_language_and_whatever_json_escapes(
    ws: Workspace, project: Path
) -> None:
    session = ws.sessions.open(agent="example")
    session.say({"role": "user", "content": 'Größe "C:\\Temp" ändern'})
    ws.save("first")

    for text in ("größe", '"c:\\temp"', "ÄNDERN größe"):
        assert texts(ws.search(text), Section.CONVERSATION) == ['Größe "C:\\Temp" ändern']


def test_a_conversation_that_was_written_anew_does_not_repeat_messages(
    ws: Workspace, project: Path, tmp_path: Path
) -> None:
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text('{"role": "user", "content": "find the needle"}\n')
    session = ws.sessions.open(agent="example", transcript=str(transcript))
    write(project, "file", "1")
    ws.save("first")
    transcript.write_text(
        '{"role": "system", "content": "compacted"}\n{"role": "user", "content": "find the needle"}\n'
    )
    write(project, "file", "2")
    ws.save("second")

    assert session.info.agent == "example"
    found = ws.search("needle")

    assert [one.checkpoint.labels.intent for one in found.matches] == ["first"]


def test_many_messages_of_one_checkpoint_are_counted(ws: Workspace, project: Path) -> None:
    session = ws.sessions.open(agent="example")
    for number in range(8):
        session.say({"role": "user", "content": f"needle {number}"})
    ws.save("first")

    [match] = ws.search("needle").matches

    assert (len(match.hits), match.hidden) == (5, 3)


def test_an_excerpt_of_a_long_message_surrounds_the_match(ws: Workspace, project: Path) -> None:
    session = ws.sessions.open(agent="example")
    session.say({"role": "user", "content": "hay " * 5000 + "needle " + "hay " * 5000})
    ws.save("first")

    [hit] = hits(ws.search("needle"), Section.CONVERSATION)

    start, end = hit.excerpt.spans[0]
    assert hit.excerpt.text[start:end] == "needle"
    assert len(hit.excerpt.text) <= 400
    assert hit.excerpt.text.startswith("…")


def test_secrets_in_messages_are_found_and_not_shown(ws: Workspace, project: Path) -> None:
    session = ws.sessions.open(agent="example")
    session.say({"role": "user", "content": f"the token is {TOKEN} ok"})
    session.say({"role": "user", "content": "x" * 3990 + f" needle {TOKEN}" + " y" * 3000})
    ws.save("first")

    by_token, by_needle = ws.search(TOKEN), ws.search("needle")

    assert by_token.matches[0].hits[0].excerpt.text == "the token is [redacted] ok"
    assert TOKEN not in str(by_token)
    assert "[redacted]" in texts(by_needle, Section.CONVERSATION)[0]
    assert TOKEN[:12] not in str(by_needle)


def test_paths_out_of_time_are_noted_unless_they_were_asked_for(project: Path, store: Path) -> None:
    class Slow(FakeHost):
        """Each look at the clock takes ten seconds."""

        seconds = 0.0

        def monotonic(self) -> float:
            self.seconds += 10
            return self.seconds

    with opening.open(project, store, create=True, host=Slow()) as ws:
        write(project, "needle", "1")
        ws.save("first")

        cut, whole = ws.search("needle"), ws.search("needle", sections=[Section.PATHS])

    assert "Paths of 1 older checkpoint were not searched; --in paths searches all" in cut.notes
    assert hits(cut, Section.PATHS) == []
    assert [hit.path for hit in hits(whole, Section.PATHS)] == [b"needle"]


def test_only_the_named_sections_are_searched(ws: Workspace, project: Path) -> None:
    write(project, "needle", "1")
    ws.save("needle")

    assert {hit.section for hit in ws.search("needle", sections=["intents"]).matches[0].hits} == {
        "intents"
    }


@pytest.mark.parametrize(("text", "sections"), [("", []), ("  ", []), ("x", ["everything"])])
def test_a_search_that_makes_no_sense_is_refused(
    ws: Workspace, text: str, sections: list[str]
) -> None:
    with pytest.raises(BadOption):
        ws.search(text, sections=sections)


def test_all_workspaces_are_searched_from_anywhere(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, "file", name)
        with opening.open(tmp_path / name, tmp_path / "store", create=True) as ws:
            ws.save(f"needle {name}")

    found = opening.search("needle", tmp_path / "store", sections=["intents"])

    assert [Path(match.workspace.path.decode()).name for match in found.matches] == ["two", "one"]


def test_a_long_conversation_in_groups_of_parts_is_read_once(ws: Workspace, project: Path) -> None:
    session = ws.sessions.open(agent="example")
    for number in range(40):
        session.say({"role": "user", "content": f"needle {number}"})
        write(project, "file", str(number))
        ws.save(f"save {number}", origin=Origin.HOOK)

    found = ws.search("needle", sections=[Section.CONVERSATION])

    assert [match.hits[0].excerpt.text for match in found.matches] == [
        f"needle {number}" for number in reversed(range(40))
    ]
    assert {len(match.hits) + match.hidden for match in found.matches} == {1}


def test_the_work_of_a_conversation_search_grows_with_the_messages_and_not_with_their_square(
    ws: Workspace, project: Path
) -> None:
    session = ws.sessions.open(agent="example")
    for number in range(70):
        session.say({"role": "user", "content": f"needle {number}"})
        write(project, "file", str(number))
        ws.save(f"save {number}", origin=Origin.HOOK)
    reads: list[ObjectId] = []

    with ws.reading_context() as context:

        def get(identifier: ObjectId) -> bytes:
            reads.append(identifier)
            return context.store.objects.get(identifier)

        newest_first = list(context.store.checkpoints.newest_first(context.workspace))
        found = search_conversations(get, SearchWords("needle"), newest_first[::-1], lambda: False)

    assert len(found.messages) == 70
    # Its list, the end of the part before and its own part, for each checkpoint; some groups.
    assert len(reads) <= 70 * 3 + 10
