"""What is installed below node_modules."""
