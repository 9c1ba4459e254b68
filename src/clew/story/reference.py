"""Generator of docs/facts.md from vocabulary and registry: `python -m clew.story.reference`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from clew.detectors.registry import DETECTORS, SORTERS
from clew.model.vocabulary import FAMILIES, Family

_HEAD = """\
# Facts

<!-- Made by `make docs` from src/clew/model/vocabulary.py; a test keeps it so. -->

A fact is one change between two checkpoints, read from their trees:

| field | meaning |
|---|---|
| `kind` | one of the kinds below, and nothing else |
| `scope` | where the subject is |
| `subject` | what the fact is about |
| `before`, `after` | the old and new value as text; `null` if absent, secret or unknown |
| `is_direct` | false for what was only pulled in, such as a dependency |
| `severity` | `none`, `note`, or `high`: new code runs automatically, a user or program gains rights, or clew is tampered with |
| `basis` | `disk`: two trees; `live`: observed while the checkpoints were taken |
| `evidence` | some of the paths that show it |
| `details` | further details: `downgrade`, `editable`, `+column email` |

Paths in a scope are relative to the root, which is `.`; the root of a machine's tree is its `/`.
A fact never contains the value of a secret.
`facts` and the `headline` are in `clew show --json`, `clew status --json` and `clew diff --json`.
"""


def page() -> Iterator[str]:
    """Yield the lines of docs/facts.md."""
    yield from _HEAD.splitlines()
    for family in FAMILIES:
        yield ""
        yield from _section(family)


def _section(family: Family) -> Iterator[str]:
    yield f"## {family.name}"
    yield ""
    yield f"Scope: {family.scope}."
    yield f"Subject: {family.subject}."
    yield f"Before and after: {family.before_after}."
    yield ""
    yield "| kind | said when | by |"
    yield "|---|---|---|"
    for word, meaning in family.kinds:
        kind = f"{family.name}.{word}"
        yield f"| `{kind}` | {meaning} | {_detectors_of(kind)} |"


def _detectors_of(kind: str) -> str:
    names = [one.name for one in (*DETECTORS, *SORTERS) if kind in one.kinds]
    if kind.startswith(("port.", "process.")):
        names.append("observed live")
    if kind == "detector.failed":
        names.append("whichever failed")
    return ", ".join(f"`{name}`" if "/" in name else name for name in names)


if __name__ == "__main__":
    sys.stdout.write("".join(line + "\n" for line in page()))
