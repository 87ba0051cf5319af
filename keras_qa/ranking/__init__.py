"""Scoring of pairs, ranking measures, and rankers without neural training."""
