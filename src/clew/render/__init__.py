"""Rendering of results: text for people, JSON for programs.

Pure: nothing here reads the clock, the terminal or the disk; `Style` carries what depends on them.
"""
