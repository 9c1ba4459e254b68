"""Secrets inside quoted strings: JSON, and JSON inside JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.policy.redaction.quoted import unquoted
from clew.policy.redaction.redact import redact, redact_words

TEXTS = (
    "SetEnv API_SECRET Morgen77",
    'props.put("password", "Morgen77");',
    'os.environ.get("DB_PASSWORD", "Morgen77")',
    'variable "db_password" {\n  default = "Morgen77"\n}',
    "api_token: >-\n  Morgen77",
    "mongosh -u anna -p Morgen77 shop",
    "$db_pass = \"Morgen77\";",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_a_secret_in_a_string_is_replaced_as_it_is_outside(text: str) -> None:
    once = json.dumps({"note": text})
    for said in (once, json.dumps([once])):
        assert "Morgen77" not in redact(said)
        assert "Morgen77" not in redact_words(said)
        json.loads(redact(said))


@given(st.text(st.sampled_from('ab"\\\n\t /'), max_size=40))
def test_each_character_is_found_where_it_was(text: str) -> None:
    numbered = "".join(f"{char}{chr(0x100 + at)}" for at, char in enumerate(text))
    said = json.dumps(json.dumps([numbered], ensure_ascii=False), ensure_ascii=False)

    for reading in unquoted(said):
        for at, char in enumerate(reading.text):
            if char >= "\x80":
                assert said[reading.original(at)] == char


@pytest.mark.parametrize(
    "text",
    ['{"type": "password", "label": "New password"}', '{"token": null, "next": "tokens.py"}',
     'print("the \\"token\\" is read from the file")'],
)  # fmt: skip
def test_other_strings_stay(text: str) -> None:
    assert redact(text) == text
