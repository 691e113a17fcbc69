"""The pages: each a short script that presents what a question answers."""
