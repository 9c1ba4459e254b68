"""Blind test: whether the headlines of a timeline answer a person's questions.

Timelines with vague intents are made from random events (`events.py`, `timeline.py`).  A program that
sees nothing but the headlines, cut to 72 characters, answers questions about them (`answer.py`).
"""
