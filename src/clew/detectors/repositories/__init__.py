"""Git repositories: their changes, and which paths git tracks or ignores."""
