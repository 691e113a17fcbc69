"""What is found out before the load: the machine, the endpoint and its model, and what the sweep will take."""
