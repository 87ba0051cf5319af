"""The first stage of retrieval: BM25, which finds candidates for a ranker."""

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.ranking.mining import CandidateMiner

_Stream = Callable[[], Iterator[Question]]
_Documents = Callable[[], list[str]]
_Find = Callable[[Sequence[Question]], Iterator[Question]]


def with_first_stage(
    dataset: Dataset,
    candidates: int = 100,
    *,
    train_candidates: int = 0,
    k1: float = 1.2,
    b: float = 0.75,
    show_progress: bool = True,
) -> Dataset:
    """Adds candidates that BM25 finds to the questions of a retrieval data set.

    The questions of such a data set (SQuAD) have only their right documents as
    candidates, to be found among all of its `documents`. For each question of
    dev and test, BM25 finds the best documents, which a ranker, the second
    stage, orders. Right documents that BM25 does not find are not among the
    candidates; `Question.missed` and the metrics count them.

    Training questions keep only their right documents, for models that draw
    negatives from a batch (MRNN, 3.4) or from `answers`. A fold held out of
    them gets candidates like dev's.

    Args:
        dataset: the data set; one without `documents` is returned unchanged.
        candidates: number of documents that the first stage finds for a
            question; fewer if fewer share a word with the question.
        train_candidates: number of candidates of a training question: the
            right documents and the best others. 0 adds none.
        k1: BM25's saturation of the term frequency.
        b: strength of BM25's length normalisation.
        show_progress: True draws progress bars.

    Returns:
        The data set; documents are indexed and searched when a split is read.

    Raises:
        ValueError: if `candidates` is not positive or `train_candidates` is
            negative.

    Example:
        >>> squad = with_first_stage(open_dataset("squad", folder), 20)
        >>> measures = recall_measures(counting="any")
        >>> evaluate(squad.questions("dev"), scores, measures=measures)
    """
    if candidates < 1:
        raise ValueError(
            f"`candidates` must be positive. Received: candidates={candidates}"
        )
    if train_candidates < 0:
        raise ValueError(
            "`train_candidates` must be at least 0. "
            f"Received: train_candidates={train_candidates}"
        )
    if not dataset.documents:
        return dataset
    stage = _FirstStage(dataset.tokenizer, k1, b, show_progress)
    splits: dict[str, _Stream] = dict(dataset.splits)
    add_pools = dataset.add_pools
    for split, documents in dataset.documents.items():
        stream = dataset.splits[split]
        find = partial(stage.find, documents, candidates, False)
        if not split.startswith("train"):
            splits[split] = partial(_found, find, stream)
            continue
        add_pools = partial(_pools, find)
        if train_candidates:
            mine = partial(stage.find, documents, train_candidates, True)
            splits[split] = partial(_found, mine, stream)
    return replace(
        dataset,
        splits=splits,
        add_pools=add_pools,
        documents={},
        # Questions that were read before lack the candidates.
        _cache={},
    )


class _FirstStage:
    """BM25 over collections of documents, each indexed once, on first use."""

    def __init__(
        self, tokenizer: str, k1: float, b: float, show_progress: bool
    ):
        self._index = partial(
            CandidateMiner,
            tokenizer=tokenizer,
            k1=k1,
            b=b,
            show_progress=show_progress,
        )
        self._show_progress = show_progress
        self._miners: dict[_Documents, CandidateMiner] = {}

    def find(
        self,
        documents: _Documents,
        candidates: int,
        add_right: bool,
        questions: Sequence[Question],
    ) -> Iterator[Question]:
        """The questions, with the documents found as candidates."""
        if documents not in self._miners:
            self._miners[documents] = self._index(documents())
        return self._miners[documents].mine(
            questions, candidates, self._show_progress, add_right
        )


def _found(find: _Find, stream: _Stream) -> Iterator[Question]:
    return find(list(stream()))


def _pools(
    find: _Find,
    questions: Sequence[Question],
    seed: int,
) -> list[Question]:
    """Candidates of a fold, as `Dataset.add_pools`; `seed` has no effect."""
    return list(find(questions))
