"""Training and measuring of rankers on a user's own questions."""
