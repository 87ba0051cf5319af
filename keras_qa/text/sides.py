"""The names of the two texts of a pair, which are also those of inputs."""

SIDES = ("question", "answer")
