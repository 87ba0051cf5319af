"""References of today: small transformers, which the papers did not have."""
