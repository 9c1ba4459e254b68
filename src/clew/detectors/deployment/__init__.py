"""Detectors for files that declare what is deployed: containers, clusters, clouds, interfaces."""
