"""What the samples of a point come to: its window, telemetry, honesty flags and the file of its requests."""
