"""The charts of questions: rows and numbers in, a plotly figure out."""
