"""A sweep's plan: the endpoint, what is asked, how hard and how long, and which point comes next."""
