"""`make eval`: real changes, described by clew, compared with the ecosystem's own tools.

A scenario runs real commands in a disposable root.
The truth comes from independent tools: dpkg-query, pip, npm, getent, systemctl, sqlite3 and git run
before and after, and clew must report the difference between their outputs.
"""
