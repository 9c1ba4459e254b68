"""Torture: clew killed, starved and raced at random, and compared with an independent oracle.

`python -m torture` runs it; docs/reliability.md describes it.  Only `torture/server.py` imports
clew: what is expected of a tree comes from `torture/oracle.py`, which shares no code with it.
"""
