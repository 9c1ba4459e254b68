"""Argument types of the tools, with the descriptions that a model reads."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from clew.filenames import from_utf8

REF_MEANING = (
    "A checkpoint: an id or its first digits, a name, a time, `latest`, `good` (the newest "
    "whose check passes), `@` (current) or `@~N` (N before)"
)

Ref = Annotated[str, Field(description=REF_MEANING)]
OlderRef = Annotated[str, Field(description="The older checkpoint (default: the last one)")]
NewerRef = Annotated[str, Field(description="The newer checkpoint (default: the live workspace)")]
Paths = Annotated[
    list[str],
    Field(description="Only these paths, relative to the root or absolute"),
    AfterValidator(lambda texts: [from_utf8(text) for text in texts]),
]
Favour = Annotated[
    str,
    Field(
        description="Resolve conflicts in favour of `ours` or `theirs` (default: conflicts are an error)"
    ),
]
Command = Annotated[
    str, Field(description="The check, a shell command (default: the workspace's own)")
]
Timeout = Annotated[str, Field(description="Time limit, like 90s or 5m")]
Net = Annotated[str, Field(description="`host` to share the host's network (default: its own)")]
AllowSockets = Annotated[
    list[str],
    Field(
        description="Absolute paths of live unix sockets that it may use; a person must approve them"
    ),
    AfterValidator(lambda texts: [from_utf8(text) for text in texts]),
]
Serve = Annotated[
    str, Field(description="A server to start in the copy first; the check is then a URL")
]
OfSession = Annotated[str, Field(description="Id of another session than the attached one")]
Detail = Annotated[bool, Field(description="Answer with all fields")]
Number = Annotated[int, Field(ge=1, description="Number in the list")]
Limit = Annotated[
    int, Field(ge=1, le=200, description="Maximum number of checkpoints, newest first")
]
