"""What only the Launch page draws."""
