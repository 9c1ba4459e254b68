"""Those who tell the truth, by what they know."""
