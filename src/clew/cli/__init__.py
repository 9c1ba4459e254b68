"""The command line: parse, call one method of the workspace, render.

One file a command, named by its verb; `commands.py` lists them, `dispatch.py` runs one.
Only the module of the command that runs is imported, because hooks run clew on every tool call.
"""
