"""What only the Capacity page draws."""
