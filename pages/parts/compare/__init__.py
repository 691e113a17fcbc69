"""What only the Compare page draws."""
