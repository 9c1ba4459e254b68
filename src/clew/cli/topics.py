"""Help topics: `clew help TOPIC`, and the last section of docs/cli.md."""

from __future__ import annotations

_EXCLUDES = """\
Exclude patterns

What matches one of the patterns is not captured, and nothing below a directory that matches:

    clew config set exclude '*.iso
    data/cache/'
    clew init --exclude '*.iso' --exclude data/cache/

One pattern per line, much as in .gitignore:

    *.log          no slash: an entry of this name in any directory
    /dist   a/b    a slash in front or inside: a path from the root of the workspace
    build/         a slash at the end: directories only; it is not a slash inside
    *  ?           any characters of a name, one character; never a slash
    [a-z]  [!x]    one of these characters, one that is none of them ([^x] is the same)
    a/**/b         ** as a whole name: any number of directories, also none
    a/**           everything below a, and not a itself
    \\*  \\[         a backslash takes the next character literally

Upper and lower case differ. Other than in .gitignore there are no negations (!x) and no comments, a
space at the end counts, [[:digit:]] is not understood, and no file in the workspace is read for
patterns.

A restore leaves what is excluded alone: it is not created, overwritten or deleted, whatever the
checkpoint says. Checkpoints saved before keep what they hold.

`clew config set exclude` prints what each pattern matches in the current checkpoint, and warns about
patterns that match everything, a database, an environment file (.env) or a repository (.git).
It refuses a pattern that can match nothing: an empty name (a//b), . or .. as a name, a negation, a
[ that is not closed, a set without characters ([z-a]), a backslash or carriage return at the end.
"""

TOPICS = {"excludes": ("The syntax of exclude patterns", _EXCLUDES)}
"""Summary and text of each topic."""
