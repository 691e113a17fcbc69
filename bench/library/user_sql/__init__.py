"""SQL that people write: what it may say, and the processes that answer it."""
