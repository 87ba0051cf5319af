"""What a model attends to: as numbers, text and pictures."""
