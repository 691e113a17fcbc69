"""What is checked, a module each."""
