"""What settings and experiments are made of."""
