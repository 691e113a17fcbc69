"""Rows of an answer as files for other programs: one module for each format, each with `written`."""
