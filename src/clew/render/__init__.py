"""How results look: text for people, JSON for programs.

Pure: nothing here reads the clock, the terminal or the disk; what depends on them comes in a `Look`.
"""
