"""The load generator: which request is sent when, and the samples it leaves."""
