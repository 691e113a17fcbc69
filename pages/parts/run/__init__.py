"""What only the page of a run draws."""
