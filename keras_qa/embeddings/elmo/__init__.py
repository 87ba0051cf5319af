"""Contextual word vectors of ELMo models."""
