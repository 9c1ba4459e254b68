"""The transcripts of agents: what is in their lines, and how a new session is made of them.

Pure: bytes in, bytes out.
"""
