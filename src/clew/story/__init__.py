"""Stories: facts, lines and a headline derived from two trees; see docs/design/0005-story.md."""
