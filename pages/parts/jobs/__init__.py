"""What only the Jobs page draws."""
