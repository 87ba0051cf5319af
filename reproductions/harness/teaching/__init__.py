"""What a model learns from besides the questions of its own data set."""
