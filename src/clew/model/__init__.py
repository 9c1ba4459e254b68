"""What things are: values without behaviour beyond themselves, touching nothing outside."""
