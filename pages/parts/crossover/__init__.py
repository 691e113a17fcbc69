"""What only the Crossover page draws."""
