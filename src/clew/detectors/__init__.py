"""What is noticed: each detector reads two trees and states facts; see docs/new-detector.md."""
