"""Static and contextual word vectors of BERT models."""
