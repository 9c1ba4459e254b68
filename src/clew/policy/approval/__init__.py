"""Approval rules: which calls require approval before they run."""
