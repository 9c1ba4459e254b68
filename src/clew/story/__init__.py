"""What it means: from two trees to facts, lines and a headline; see docs/design/0005-story.md."""
