"""What answers say, recomputed from their points in plain Python: each check gives what is contradicted, or nothing."""
