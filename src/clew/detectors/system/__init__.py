"""Detectors for services, scheduled jobs and accounts."""
