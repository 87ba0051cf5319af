"""The questions of other data sets, to train on before the run's own.

Garg, Vu and Moschitti, "TANDA: Transfer and Adapt Pre-Trained Transformer
Models for Answer Sentence Selection", AAAI 2020, do this with one large set.
"""

from argparse import Namespace
from dataclasses import asdict
from dataclasses import dataclass
from dataclasses import fields
from dataclasses import replace
from typing import Any

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.errors import DatasetError
from keras_qa.ranking.mining import mine_candidates
from keras_qa.ranking.shared_texts import without_shared
from keras_qa.text.tokenizer import tokenize
from reproductions.harness.errors import SettingsError
from reproductions.harness.questions import Parts
from reproductions.harness.questions import open_for
from reproductions.harness.settings import DISTILLED
from reproductions.harness.settings import CommonSettings
from reproductions.harness.settings import resolve_settings
from reproductions.records.seed_groups import AFTER

SPLIT = "train"

# Settings of the training on the run's own questions alone.
_OWN = ("folds", "average_last", "patience")


@dataclass(frozen=True)
class Transfer:
    """The questions of other data sets.

    Attributes:
        questions: those of all sets, one set after another.
        details: by the name of a set, the number of its `questions` and
            `pairs` that are left, and of those `removed`, by kind.
    """

    questions: list[Question]
    details: dict[str, Any]


def read_transfer(
    arguments: Namespace,
    settings: CommonSettings,
    dataset: Dataset,
    parts: Parts,
    tokenizer: str,
) -> Transfer | None:
    """Reads the training questions of the data sets of `--transfer`.

    Questions that the run measures with are removed: those of all splits but
    train, and of folds that are held out of train. A data set of right answers
    alone gets wrong candidates by BM25.

    Args:
        arguments: the command line.
        settings: the settings.
        dataset: the run's own data set.
        parts: its questions.
        tokenizer: the tokeniser of the run.

    Returns:
        The questions; None without `--transfer`.

    Raises:
        DatasetError: if a data set is missing, has no training questions, or
            all are removed.
    """
    if not arguments.transfer:
        return None
    measured = _measured(dataset, parts)
    every: list[Question] = []
    details = {}
    for name in arguments.transfer:
        other = open_for(name, arguments.data_dir, asdict(settings))
        if SPLIT not in other.splits:
            raise DatasetError(
                f"`--transfer` must name data sets with a split {SPLIT!r}. "
                f"Received: {name}, which has {sorted(other.splits)}"
            )
        found = other.questions(SPLIT)
        if arguments.smoke:
            found = found[: settings.smoke_questions]
        kept, removed = without_shared(found, measured)
        if not kept:
            raise DatasetError(
                "`--transfer` must name data sets with questions that the run "
                f"does not measure with. Received: {name}, whose "
                f"{len(found)} questions are all among these"
            )
        if not any(question.negatives for question in kept):
            kept = mine_candidates(
                kept, candidates=settings.transfer_candidates
            )
        details[name] = {
            "questions": len(kept),
            "pairs": sum(len(q.candidates) for q in kept),
            "removed": removed,
        }
        if tokenizer.startswith("whitespace") and other.tokenizer == "word":
            kept = [_tokenized(question) for question in kept]
        every += kept
    return Transfer(every, details)


def _measured(dataset: Dataset, parts: Parts) -> list[Question]:
    """The questions that a run does not train on."""
    fit, select, report = parts
    splits = [name for name in dataset.splits if not name.startswith("train")]
    trained = {(q.id, q.text) for q in fit}
    # Runs of a fixed number of epochs train on those to select with, too.
    held_out = [q for q in select if (q.id, q.text) not in trained]
    every = [q for name in splits for q in dataset.questions(name)]
    return [*every, *held_out, *report]


def _tokenized(question: Question) -> Question:
    """A question of running text in the form of tokenised files."""

    def split(text: str) -> str:
        return " ".join(tokenize(text, "word"))

    candidates = tuple(
        Candidate(c.id, split(c.text), c.label) for c in question.candidates
    )
    return replace(question, text=split(question.text), candidates=candidates)


def transfer_settings(settings: CommonSettings) -> Any:
    """The settings of the training on the other data sets.

    Raises:
        SettingsError: if a value is not allowed.
    """
    names = {field.name for field in fields(settings)}
    rate = settings.transfer_learning_rate
    if rate is not None and "learning_rate" not in names:
        raise SettingsError(
            "the setting `transfer_learning_rate` must be null for a paper "
            "without the setting `learning_rate`. "
            f"Received: transfer_learning_rate={rate!r}"
        )
    own: dict[str, Any] = {"epochs": settings.transfer_epochs}
    if rate is not None:
        own["learning_rate"] = rate
    if settings.transfer_objective is not None:
        own["objective"] = settings.transfer_objective
    # Without a teacher, its data sets have their `transfer_candidates` alone.
    if own.get("objective", settings.objective) not in DISTILLED:
        own["mined"] = 0
    # The default of a paper may be a patience; this stage has none.
    own |= {name: 0 for name in _OWN if name in names}
    defaults = type(settings)()
    own |= {
        name: getattr(defaults, name)
        for name in names
        if name.startswith("transfer_") or name == "train_split"
    }
    return resolve_settings(settings, own)


def learnt_from(arguments: Namespace) -> str:
    """What the name of a training set adds on other data sets and a teacher."""
    names, teacher = arguments.transfer, arguments.teacher
    first = f"{AFTER}{' + '.join(names)}" if names else ""
    return f"{first} by {teacher.name}" if teacher else first
