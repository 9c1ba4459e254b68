"""Settings, sources, logs, and what programs write and can write again."""
