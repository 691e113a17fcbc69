"""What the library holds, as tables and as files, and how it is corrected."""
