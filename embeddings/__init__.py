"""Word vectors: gensim loaders, a skip-gram trainer, embedding matrices."""
