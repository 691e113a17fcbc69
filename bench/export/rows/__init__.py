"""Rows of a table as files of other programs, and as people read them; what files of points are written by, too."""
