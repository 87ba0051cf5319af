"""Search for answers that are nearly equal, and a report of them."""

import csv
from collections import Counter
from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from math import ceil
from pathlib import Path

from keras_qa.datasets.dataset import Question
from keras_qa.files.text_files import unix_line_ends
from keras_qa.files.whole import write_whole
from keras_qa.ranking.floors import search_terms

_HEADER = (
    *("similarity", "id", "other_id", "questions"),
    *("answer", "other_answer"),
)


def near_duplicates(
    texts: Sequence[str], threshold: float = 0.9, tokenizer: str = "word"
) -> list[tuple[int, int, float]]:
    """Finds all pairs of texts with nearly the same words.

    The similarity is Jaccard's, the number of distinct words in both texts
    divided by the number in either. Tokens without a letter or digit are
    ignored, and texts without any other are equal to none.

    Two texts that are as similar share one of their rarest words, so that few
    pairs have to be compared.

    Args:
        texts: the texts.
        threshold: the least similarity, above 0 and at most 1.
        tokenizer: name of the tokeniser.

    Returns:
        `(first, second, similarity)` for each pair, two positions in `texts`
        in ascending order; the pairs are in the order of their positions.

    Raises:
        ValueError: if `threshold` is out of range or `tokenizer` is unknown.

    Example:
        >>> near_duplicates(["a b c d", "b c d, a!", "a b"], 0.5)
        [(0, 1, 1.0), (0, 2, 0.5), (1, 2, 0.5)]

    Reference: Bayardo et al., 2007, "Scaling Up All Pairs Similarity Search",
    WWW; the prefixes are those of Chaudhuri et al., 2006.
    """
    if not 0 < threshold <= 1:
        raise ValueError(
            "`threshold` must be above 0, at most 1. "
            f"Received: threshold={threshold}"
        )
    words = [set(search_terms(text, tokenizer)) for text in texts]
    counts = Counter(word for own in words for word in own)
    rarest_first = sorted(counts, key=lambda word: (counts[word], word))
    rank = {word: number for number, word in enumerate(rarest_first)}
    texts_of = defaultdict[str, list[int]](list)
    pairs = []
    # A similar text has at least this share of the words, so that the shorter
    # ones are compared first.
    for i in sorted(range(len(texts)), key=lambda i: len(words[i])):
        size = len(words[i])
        least = ceil(threshold * size - 1e-9)
        prefix = sorted(words[i], key=rank.__getitem__)[: size - least + 1]
        near = {j for word in prefix for j in texts_of[word]}
        for j in near:
            both = len(words[i] & words[j])
            similarity = both / (size + len(words[j]) - both)
            if similarity >= threshold:
                pairs.append((min(i, j), max(i, j), similarity))
        for word in prefix:
            texts_of[word].append(i)
    return sorted(pairs)


class DuplicateReport:
    """A report of the nearly equal answers of mined questions.

    An answer that is nearly equal to a right one is probably right as well,
    though mining labels it 0.

    Args:
        texts: the answers, whose candidates have their positions as ids, as
            `CandidateMiner` makes them.
        threshold: see `near_duplicates`.
        tokenizer: name of the tokeniser.

    Attributes:
        pairs: the result of `near_duplicates`.
        questions: the ids of the questions that have the two answers of a pair
            as a right and as a wrong candidate, by the ids of the answers.
    """

    def __init__(
        self,
        texts: Sequence[str],
        threshold: float = 0.9,
        tokenizer: str = "word",
    ):
        self.texts = texts
        self.pairs = near_duplicates(texts, threshold, tokenizer)
        self.questions = defaultdict[tuple[str, str], list[str]](list)
        self._near = defaultdict[str, set[str]](set)
        for i, j, _ in self.pairs:
            self._near[str(i)].add(str(j))
            self._near[str(j)].add(str(i))

    def watch(self, questions: Iterable[Question]) -> Iterator[Question]:
        """Streams questions unchanged and notes the pairs in them."""
        for question in questions:
            wrong = {c.id for c in question.negatives}
            for right in question.positives:
                for other in self._near.get(right.id, set()) & wrong:
                    pair = (
                        min(right.id, other, key=int),
                        max(right.id, other, key=int),
                    )
                    self.questions[pair].append(question.id)
            yield question

    def write(self, path: Path) -> None:
        """Writes the pairs with tabs between the columns, atomically.

        The columns are the similarity, the two ids, the ids of `questions`
        (with a space between them), and the two texts.
        """

        def save(scratch: Path) -> None:
            with scratch.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, delimiter="\t", lineterminator="\n")
                writer.writerow(_HEADER)
                for i, j, similarity in self.pairs:
                    asked = self.questions.get((str(i), str(j)), [])
                    texts = map(unix_line_ends, (self.texts[i], self.texts[j]))
                    shown = f"{similarity:.3f}"
                    writer.writerow((shown, i, j, " ".join(asked), *texts))

        write_whole(path, save)
