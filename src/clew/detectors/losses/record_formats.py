"""Counts of records in text formats: arrays of JSON and YAML, elements of XML, messages, statements.

Each function returns counts by a label that is the same in both versions of a file: the place of an
array, or the name of an element.  The largest of the old counts is the one to compare.
Content is counted, never stored.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping

Counts = Mapping[str, int]

_DEPTH = 3
_MAX_LABELS = 2_000
_MAP = 50
"""An object with at least this many members is a map of records."""
_TAG = re.compile(rb"<([A-Za-z_][\w:.-]{0,60})")
_ITEM = re.compile(rb"^( {0,40})- ", re.M)
_REFERENCE = re.compile(
    rb"^\s{0,20}@(?!comment|string|preamble)[a-z]{2,30}\s{0,9}[{(]", re.M | re.I
)
_COPY = re.compile(rb"^COPY [^\n]{1,2000} FROM stdin;\n", re.M)


def json_counts(content: bytes) -> Counts | None:
    """Return the lengths of all arrays and maps near the top; None if this is not JSON."""
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError):
        return None
    found: dict[str, int] = {}
    waiting: list[tuple[str, object, int]] = [("", whole, 0)]
    while waiting and len(found) < _MAX_LABELS:
        label, value, depth = waiting.pop()
        if isinstance(value, list):
            found[label] = len(value)
        elif isinstance(value, dict):
            if len(value) >= _MAP or (value and all(isinstance(v, dict) for v in value.values())):
                found[label] = len(value)
            if depth < _DEPTH:
                waiting += [
                    (f"{label}/{key}", child, depth + 1)
                    for key, child in list(value.items())[:_MAX_LABELS]
                    if isinstance(child, (dict, list))
                ]
    return found


def notebook_counts(content: bytes) -> Counts | None:
    """Return the number of cells."""
    counts = json_counts(content)
    return {"/cells": counts["/cells"]} if counts is not None and "/cells" in counts else None


def yaml_counts(content: bytes) -> Counts:
    """Return the numbers of list items by their indentation."""
    counts = Counter(len(indent) for indent in _ITEM.findall(content))
    return {f"{indent}": number for indent, number in counts.items()}


def xml_counts(content: bytes) -> Counts:
    """Return the numbers of elements by name."""
    counts = Counter(_TAG.findall(content))
    return {tag.decode("latin-1"): number for tag, number in counts.most_common(_MAX_LABELS)}


def mail_counts(content: bytes) -> Counts:
    """Return the number of messages of a mailbox in one file."""
    return {"": content.count(b"\nFrom ") + content.startswith(b"From ")}


def calendar_counts(content: bytes) -> Counts:
    """Return the number of events, tasks and notes of a calendar."""
    return {"": sum(content.count(word) for word in (b"BEGIN:VEVENT", b"BEGIN:VTODO",
                                                    b"BEGIN:VJOURNAL"))}  # fmt: skip


def contact_counts(content: bytes) -> Counts:
    """Return the number of contacts."""
    return {"": content.count(b"BEGIN:VCARD")}


def entry_counts(content: bytes) -> Counts:
    """Return the number of entries of a directory export."""
    return {"": content.count(b"\ndn:") + content.startswith(b"dn:")}


def reference_counts(content: bytes) -> Counts:
    """Return the number of entries of a bibliography of BibTeX."""
    return {"": len(_REFERENCE.findall(content))}


def citation_counts(content: bytes) -> Counts:
    """Return the number of entries of a bibliography of reference managers."""
    starts = (b"TY  -", b"%0 ", b"PMID-")
    return {"": sum(content.count(b"\n" + one) + content.startswith(one) for one in starts)}


def sql_counts(content: bytes) -> Counts:
    """Return the number of rows that a dump inserts."""
    rows = content.count(b"INSERT INTO ") + content.count(b"),(") + content.count(b"),\n(")
    for start in _COPY.finditer(content):
        end = content.find(b"\n\\.", start.end() - 1)
        rows += content.count(b"\n", start.end(), end if end >= 0 else len(content))
        rows += 1 if end > start.end() else 0
    return {"": rows}


FORMATS: Mapping[str, tuple[Callable[[bytes], Counts | None], str]] = {
    ".json": (json_counts, "record"),
    ".geojson": (json_counts, "record"),
    ".topojson": (json_counts, "record"),
    ".har": (json_counts, "record"),
    ".ipynb": (notebook_counts, "cell"),
    ".yaml": (yaml_counts, "record"),
    ".yml": (yaml_counts, "record"),
    ".xml": (xml_counts, "element"),
    ".opml": (xml_counts, "element"),
    ".rss": (xml_counts, "element"),
    ".atom": (xml_counts, "element"),
    ".gpx": (xml_counts, "element"),
    ".kml": (xml_counts, "element"),
    ".gnucash": (xml_counts, "element"),
    ".mbox": (mail_counts, "message"),
    ".mbx": (mail_counts, "message"),
    ".ics": (calendar_counts, "event"),
    ".ical": (calendar_counts, "event"),
    ".vcf": (contact_counts, "contact"),
    ".vcard": (contact_counts, "contact"),
    ".ldif": (entry_counts, "entry"),
    ".bib": (reference_counts, "entry"),
    ".ris": (citation_counts, "entry"),
    ".enw": (citation_counts, "entry"),
    ".nbib": (citation_counts, "entry"),
    ".enex": (xml_counts, "element"),
    ".sql": (sql_counts, "row"),
    ".dump": (sql_counts, "row"),
}
"""The function and the noun for a file name suffix."""

PLURALS = {"entry": "entries"}
