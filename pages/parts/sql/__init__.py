"""What only the SQL page draws."""
