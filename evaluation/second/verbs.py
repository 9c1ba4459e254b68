"""Words for what happened, as the claims of this set accept them: any plain wording is enough."""

from evaluation.fresh import verbs

GONE = f"{verbs.GONE}|no longer exists|missing"
EMPTIED = f"{verbs.EMPTIED}|→ 0|-> 0|nothing left|overwritten|no rows|no content"
SHORTER = f"{verbs.SHORTER}|{EMPTIED}|−|shrunk|replaced|reduced"
"""Of a file or of its records: emptied is shorter too."""
DROPPED = f"{verbs.DROPPED}|no longer|missing"
ADDED = verbs.ADDED
CHANGED = f"{verbs.CHANGED}|→|->|~|different"
BROKEN = (
    "broken|invalid|not valid|no longer valid|parse|syntax|cannot be read|unreadable|malformed|damaged"
    "|corrupt|truncated|cut|incomplete|compile"
)
"""Of a file that its program cannot read any more."""
UNFINISHED = (
    "half|incomplete|interrupt|partial|unfinished|not finished|not complete|in progress|under way"
    "|stopped|broken|missing|conflict|pending|left"
)
MOVED = "moved|renamed|→|->"
OFF = (
    "skip|switched off|turned off|disabled|no longer run|not run|ignored|does not run|excluded|pending"
    "|todo|never run|not collected|no longer collected|weakened"
)
"""Of tests and checks."""
WEAKER = f"{OFF}|pass|fail|nothing|always|never|no longer|ignore"
