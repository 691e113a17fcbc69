"""Measuring a live endpoint: plans, load, the client, and the journal a sweep leaves."""
