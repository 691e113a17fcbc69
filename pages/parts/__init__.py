"""What only one page draws, a folder for each page."""
