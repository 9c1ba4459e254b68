"""What runs by itself, and who may log in."""
