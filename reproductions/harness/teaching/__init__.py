"""What a model learns from beside the questions of its own data set."""
