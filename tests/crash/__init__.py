"""Kills, power cuts and full disks."""
