"""What only the Cost page draws."""
