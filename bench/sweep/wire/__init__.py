"""One request on the wire: what is sent, the bytes of its answer as they arrive, and what they say."""
