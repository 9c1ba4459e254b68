"""Templates in structured files: expressions of Helm and Jinja, replaced so that the rest can be read.

A line that is only an expression or a statement is left out; within a line, a placeholder stands for
the expression.  It differs if the expression does, and is not shown as a value.
"""

from __future__ import annotations

import re
from hashlib import blake2b

_ALONE = re.compile(r"^[ \t]*+(?:\{\{[^{}\n]*+\}\}|\{%[^%\n]*+%\}|\{#[^#\n]*+#\})[ \t]*+$\n?", re.M)
_INLINE = re.compile(r"\{\{[^{}\n]*+\}\}|\{%[^%\n]*+%\}")
_PLACEHOLDER = re.compile(r"‹[0-9a-f]{8}›")


def without_templates(text: str) -> str:
    """Return a text with placeholders instead of expressions."""
    return _INLINE.sub(_placeholder, _ALONE.sub("", text))


def shown_template(text: str) -> str:
    """Return a name with `…` instead of placeholders."""
    return _PLACEHOLDER.sub("…", text)


def _placeholder(found: re.Match[str]) -> str:
    return f"‹{blake2b(found[0].encode('utf-8', 'replace'), digest_size=4).hexdigest()}›"
