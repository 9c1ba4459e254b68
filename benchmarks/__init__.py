"""Benchmark: clew compared with git, restic and borg, in one run on one machine; ratios matter."""
