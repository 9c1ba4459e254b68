"""What is installed in Python environments."""
