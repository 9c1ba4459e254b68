"""What tools are given, each with the words that a model reads."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from clew.filenames import from_utf8

_REF_MEANING = (
    "A checkpoint: its id or the first digits of it, its name, a time, `latest`, `good` (the newest "
    "whose check passes), `@` (where the workspace is) or `@~N` (N before that)"
)

Ref = Annotated[str, Field(description=_REF_MEANING)]
OlderRef = Annotated[str, Field(description="The older checkpoint; by default the last one")]
NewerRef = Annotated[str, Field(description="The newer one; by default the workspace as it is now")]
Paths = Annotated[
    list[str],
    Field(description="Only these paths, from the workspace's root or absolute"),
    AfterValidator(lambda texts: [from_utf8(text) for text in texts]),
]
Favour = Annotated[
    str,
    Field(description="`ours` or `theirs`, to decide conflicts; by default they stop everything"),
]
Command = Annotated[
    str,
    Field(description="The check, for the shell; by default the workspace's own (`clew config`)"),
]
Timeout = Annotated[str, Field(description="Give up after so long, like 90s or 5m")]
Net = Annotated[str, Field(description="`host` to share the network; by default it has its own")]
Serve = Annotated[
    str, Field(description="Start this in the copy first; the check is then an HTTP address")
]
OfSession = Annotated[str, Field(description="Another session than the one attached, by its id")]
Number = Annotated[int, Field(ge=1, description="Its number in the list")]
Limit = Annotated[int, Field(ge=1, le=200, description="At most so many, newest first")]
