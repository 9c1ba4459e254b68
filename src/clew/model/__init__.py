"""Data model: pure value types and their encodings, without I/O."""
