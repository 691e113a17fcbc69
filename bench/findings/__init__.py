"""The sentences of answers too long to be told in their question's own file."""
