"""Rules about text: shell lines, effects compared, approval, redaction, labels.  Pure."""
