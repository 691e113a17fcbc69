"""What one request sees against what the accelerators give: axes, points and frontiers of the Pareto question."""
