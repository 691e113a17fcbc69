"""Files of points for the readers of a server: so many at once, each by a process of its own."""
