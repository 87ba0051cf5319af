"""The two texts of a pair, by the names of the models' inputs."""

SIDES = ("question", "answer")
