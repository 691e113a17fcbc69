"""What only the Data page draws."""
