"""Text of the timeline: a graph of checkpoints, newest first, one line for each.

`rows` decides which lines there are, `graph` draws their connections, `lines` lays them out.
"""
