"""Training: trainers, run folders, and the choice of the epoch."""
