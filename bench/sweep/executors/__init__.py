"""Places to run load from: one module each, with `run(job)`, `tally` and `close()` as `local.Local` has them."""
