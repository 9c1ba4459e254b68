"""Detectors: each reads two trees and reports facts; see docs/new-detector.md."""
