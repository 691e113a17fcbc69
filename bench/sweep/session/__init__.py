"""One session of a sweep: its turn, its settling, its run to the end; and sweeps as processes of their own."""
