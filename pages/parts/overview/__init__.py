"""What only the Overview page draws."""
