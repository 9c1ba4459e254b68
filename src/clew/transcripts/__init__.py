"""Agent transcripts: parsing their lines, and rewriting them as a new session.

Pure: bytes in, bytes out.
"""
