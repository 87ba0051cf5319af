"""The stacked systems: a model's score with counts of words or BM25.

How the scores are combined is fitted on all training questions. The model's
score of each is out of fold: by a model that was trained on the others.
"""

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

import keras_qa
from keras_qa.datasets.dataset import Question
from keras_qa.training.run_folder import HISTORY
from keras_qa.training.run_folder import RunFolder
from reproductions.harness.floors import build_floor
from reproductions.harness.parts.runs import Run
from reproductions.systems.counts import COUNTS
from reproductions.systems.counts import PARAGRAPH_VECTORS
from reproductions.systems.counts import counting_model
from reproductions.systems.counts import paragraph_vectors
from reproductions.systems.counts import scores_of

if TYPE_CHECKING:
    import keras

    from keras_qa.ranker import TextScorer
    from keras_qa.stacker import Stacker
    from keras_qa.training.corpus_scorer import CorpusScorer
    from reproductions.harness.experiment import Experiment

BM25 = "bm25-tuned"
"""A floor, here with its parameters as they start."""


@dataclass(frozen=True)
class Stack:
    """A stacked system.

    Attributes:
        member: the model that is trained.
        beside: names of counts or floors, whose scores are combined with its.
        method: one of `keras_qa.ranking.stacking.combining.METHODS`.
    """

    member: str
    beside: Sequence[str] = tuple(COUNTS)
    method: str = "logistic"


STACKS = {
    # Yang et al. (2015)
    "pv-cnt": Stack(PARAGRAPH_VECTORS),
    # Yu et al. (2014); Yang et al. (2015) call the same CNN + Cnt
    "cnn-lr": Stack("bigram-cnn"),
    # Wang and Nyberg (2015)
    "bilstm-bm25": Stack("bilstm", [BM25], "boosted"),
}


def member_of(model: str) -> str:
    """The model that is trained for a model: its member, or itself."""
    return STACKS[model].member if model in STACKS else model


def stack_model(
    experiment: "Experiment[Any]",
    run: Run[Any],
    scorer: "CorpusScorer",
    epochs: int | None,
) -> "tuple[CorpusScorer, dict[str, Any]]":
    """Combines the scores of a trained member with those of others.

    Args:
        experiment: the experiment, which trains the member on each fold.
        run: the run.
        scorer: scores pairs with the member, trained on all that is fitted.
        epochs: the number of epochs of the member on each fold; None if the
            run's held-out questions choose it.

    Returns:
        What scores pairs with one model of all, and what was fitted.
    """
    from keras_qa.ranker import Ranker
    from reproductions.harness.fitting import fit

    def scores(fold: Run[Any]) -> list[np.ndarray]:
        trained, _ = fit(experiment, fold, epochs, fold.folder.path.name)
        return trained.scorer.rank(fold.corpus.index(fold.report))

    # The papers keep every score.
    reading = replace(scorer.reading, readable="any")
    models = [scorer.model, *_beside(run)]
    stacker = _fitted(run, [Ranker(one, reading) for one in models], scores)
    whole = stacker.to_ranker().model
    return replace(scorer, model=whole), {"fitted": _weights(run, stacker)}


def stack_texts(run: Run[Any]) -> "tuple[Stacker, dict[str, Any]]":
    """Combines paragraph vectors with others; there is no model of all.

    Args:
        run: the run of a system whose member is `PARAGRAPH_VECTORS`.

    Returns:
        What scores pairs of texts, and what was fitted.
    """
    from keras_qa.ranker import Ranker

    corpus = run.corpus
    reading = keras_qa.TextReading(
        corpus.vocabulary,
        corpus.tokenizer,
        corpus.max_question_length,
        corpus.max_answer_length,
        readable="any",
    )

    def scores(fold: Run[Any]) -> list[np.ndarray]:
        return scores_of(paragraph_vectors(fold), fold.report)

    beside = [Ranker(model, reading) for model in _beside(run)]
    stacker = _fitted(run, [paragraph_vectors(run), *beside], scores)
    return stacker, {"fitted": _weights(run, stacker)}


def _beside(run: Run[Any]) -> "list[keras.Model]":
    """The models whose scores the member's are combined with."""
    return [
        counting_model(run, name) if name in COUNTS else build_floor(name, run)
        for name in STACKS[run.arguments.model].beside
    ]


def _fitted(
    run: Run[Any],
    rankers: "list[TextScorer]",
    member_scores: Callable[[Run[Any]], list[np.ndarray]],
) -> "Stacker":
    """A stacker that is fitted to out-of-fold scores of the member.

    Args:
        run: the run.
        rankers: the member and the others.
        member_scores: trains the member on the questions that a run fits, and
            scores those that it reports.
    """
    numbers = count(1)

    def trained(
        others: list[Question],
    ) -> Callable[[list[Question]], list[np.ndarray]]:
        return partial(_fold_scores, run, member_scores, next(numbers), others)

    seed, settings = run.arguments.seed, run.settings
    out_of_fold = keras_qa.out_of_fold_scores(
        run.fit, trained, settings.stack_folds, seed
    )
    stack = STACKS[run.arguments.model]
    stacker = keras_qa.Stacker(rankers, stack.method, seed=seed)
    return stacker.fit(run.fit, [out_of_fold, *(None for _ in stack.beside)])


def _fold_scores(
    run: Run[Any],
    member_scores: Callable[[Run[Any]], list[np.ndarray]],
    number: int,
    others: list[Question],
    part: list[Question],
) -> list[np.ndarray]:
    """The scores of one fold; those of a finished one are read."""
    identity = {**run.folder.identity, "stacked_fold": number}
    path = run.folder.path / f"stacked-{number}"
    folder = RunFolder(path, identity, resume=True)

    def make() -> dict[str, Any]:
        fold = replace(run, folder=folder, fit=others, report=part)
        return {"scores": [one.tolist() for one in member_scores(fold)]}

    found = folder.made_once(make, [HISTORY])["scores"]
    return [np.array(one, np.float32) for one in found]


def _weights(run: Run[Any], stacker: "Stacker") -> dict[str, Any]:
    """What was fitted, for the record: trees by their settings alone."""
    from keras_qa.ranking.stacking.combining import WeightedSum

    stack, fitted = STACKS[run.arguments.model], stacker.fitted
    if isinstance(fitted, WeightedSum):
        names = (stack.member, *stack.beside)
        return dict(zip(names, fitted.weights.tolist(), strict=True))
    return {n: stacker.settings[n] for n in ("trees", "depth", "learning_rate")}
