"""Kneepoint's library: benchmark results in, answers out. It never imports streamlit."""

__version__ = "0.1.0"
