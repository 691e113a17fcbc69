"""What only the Memory page draws."""
