"""Multi-resolution word embedding: mixtures of several encoders (MRNN)."""
