"""Grids laid over the points: their cells by SQL, and what a grid is of when nobody said."""
