"""From files as a person gives them to one published pack, and the report of it."""
