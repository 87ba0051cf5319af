"""An HTTP server of one ranker, in the shape that rerank clients expect."""
