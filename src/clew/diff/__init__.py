"""Diffs and merges of trees and texts: paths, renames, lines.  Pure: objects come in as bytes."""
