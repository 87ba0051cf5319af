"""Rankers that weigh states by positions, hops or a memory."""
