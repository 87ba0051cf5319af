"""Rankers after models of sentences for other tasks."""
