"""`make eval`: real changes, described by clew, compared with the ecosystem's own tools.

A scenario runs real commands in a throw-away root.
The truth is never ours: dpkg-query, pip, npm, getent, systemctl, sqlite3 and git are asked before and
after, and what they say differently is what clew has to say.
"""
