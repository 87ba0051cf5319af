"""Why rows of results tables are not run."""

# A sentence each.
REASONS = {
    "above": "The same row is in a table above.",
    "chance": "A random order needs no run.",
    "data": "The data set is not at hand, so no row can be run.",
    "equations": "The paper that quotes it names its papers and prints none of "
    "its equations; they are not at hand.",
    "features": "Which features of the forum it adds, is not said where it is "
    "quoted.",
    "lexicons": "It reads lexical resources and relations of words that its "
    "authors made or licensed, and parses; neither is at hand.",
    "parses": "It compares dependency parses, by edits, kernels or alignments "
    "of trees, and neither its parser nor the parses are at hand.",
    "reader": "Its ranker is trained together with a reader of answers, SR³'s "
    "by reinforcement; neither network, nor the reward, is described where it "
    "is quoted.",
    "retrieval": "What it searched is not said; [ours](../retrieval.md) "
    "searches the paragraphs of SQuAD's dev.",
    "train": "It is trained on SQuAD's training file, which is not at hand; "
    "[ours](../retrieval.md) is trained on three quarters of its dev's "
    "articles.",
    "weights": "Its pre-trained weights are not at hand.",
}
