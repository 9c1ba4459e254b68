"""Programs that show clew at work, and check what they show."""
