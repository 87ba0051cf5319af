"""Scores, rankings and their measures, and rankers that need no training."""
