"""The names of the floors."""

# Floors without labels: BM25, and the cosine of the sums of word vectors.
BM25 = "bm25"
COSINE = "cosine"
# `reproductions.harness.floors` says what the others are.
WORDLESS = (BM25, "bm25-tuned", "idf-overlap")
FLOORS = (*WORDLESS, COSINE, "alignment", "idf-alignment", "features")
# These read the vectors that words have in their texts.
CONTEXTUAL_FLOORS = (
    *("contextual-cosine", "contextual-alignment"),
    *("contextual-idf-alignment", "contextual-features"),
)


def is_floor(model: str) -> bool:
    """True if a model of this name is a floor."""
    return model in (*FLOORS, *CONTEXTUAL_FLOORS)
