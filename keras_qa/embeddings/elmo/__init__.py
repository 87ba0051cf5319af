"""Word vectors of an ELMo."""
