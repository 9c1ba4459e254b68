"""Command line: parse, call one method of the workspace, render.

One module per command, with the same name; `commands.py` lists them, `dispatch.py` runs one.
Only the module of the command that runs is imported, because hooks run clew on every tool call.
"""
