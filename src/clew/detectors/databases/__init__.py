"""Detectors of databases: SQLite files, and the data directories of servers."""
