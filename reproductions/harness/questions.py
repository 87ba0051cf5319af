"""The questions of a run: to fit, to choose the epoch, and to report on."""

import hashlib
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.registry import collection
from keras_qa.datasets.registry import open_dataset
from keras_qa.datasets.splitting import split_questions
from keras_qa.errors import DatasetError
from reproductions.harness.errors import SettingsError
from reproductions.harness.settings import CommonSettings
from reproductions.records.seed_groups import FOLD

# The parts of a split for which papers print separate figures.
SPLIT_PARTS = {"test": ("test1", "test2")}

# Questions to fit, to select the epoch with, and to report on.
Parts = tuple[list[Question], list[Question], list[Question]]


def open_for(
    name: str, data_dir: Path | None, settings: Mapping[str, Any]
) -> Dataset:
    """Opens a data set with the settings that are options of it.

    In a retrieval data set, BM25 finds `first_stage` candidates for each
    question of dev and test, and `train_candidates` for each one of train.

    Args:
        name: the data set's name.
        data_dir: its folder.
        settings: settings by name; those that are no options are ignored.

    Raises:
        DatasetError: if the files are missing.
    """
    from keras_qa.ranking.first_stage import with_first_stage

    known = collection(name).options
    options = {n: settings[n] for n in known if n in settings}
    return with_first_stage(
        open_dataset(name, data_dir, **options),
        settings.get("first_stage", 100),
        train_candidates=settings.get("train_candidates", 0),
    )


def questions_of(
    dataset: Dataset, arguments: Namespace, settings: CommonSettings
) -> Parts:
    """The questions to fit, to select the epoch with and to report on.

    They are disjoint, except that a run which chooses no epoch with them (see
    `fixes_epochs`) fits on all training questions.

    Raises:
        DatasetError: if the data set lacks the split, or a file is bad.
    """
    if arguments.split not in dataset.splits:
        others = [s for s in ("dev", "test") if s in dataset.splits]
        raise DatasetError(
            f"`--split` must be a split that the data set {dataset.name!r} "
            f"has: {' or '.join(f'--split {s}' for s in others) or 'none'}. "
            f"Received: --split {arguments.split}"
        )
    train_split = settings.train_split
    if arguments.split == "dev":
        fit, select = dataset.held_out_fold(train_split, settings.fold_fraction)
    else:
        select = dataset.questions("dev")
    if arguments.split != "dev" or fixes_epochs(settings):
        fit = dataset.questions(train_split)
    report = dataset.questions(arguments.split)
    if arguments.smoke:
        count = settings.smoke_questions
        fit, select, report = fit[:count], select[:count], report[:count]
    return fit, select, report


def fixes_epochs(settings: CommonSettings) -> bool:
    """Returns True if no question that is held out chooses the epoch."""
    return bool(settings.folds or settings.average_last)


def folds_of(
    dataset: Dataset, arguments: Namespace, settings: CommonSettings
) -> list[Parts]:
    """The folds of the training questions; dev and test are not read.

    Args:
        dataset: the data set.
        arguments: the command line; its seed decides the division.
        settings: the settings; without `folds` there is one fold, the one
            that chooses the epoch of runs that report on dev.

    Returns:
        For each fold, the other folds' questions to fit, and twice its own, to
        measure. Equal texts are in the same fold.

    Raises:
        SettingsError: if a fold has no question with a right answer.
    """
    train_split, count = settings.train_split, settings.folds
    if count:
        train = dataset.questions(train_split)
        if arguments.smoke:
            train = train[: settings.smoke_questions]
        held_out = split_questions(train, [1.0] * count, arguments.seed)
        if dataset.add_pools is not None:
            add = dataset.add_pools
            held_out = [add(part, arguments.seed) for part in held_out]
    else:
        train, part = dataset.held_out_fold(train_split, settings.fold_fraction)
        if arguments.smoke:
            train = train[: settings.smoke_questions]
            part = part[: settings.smoke_questions]
        held_out = [part]
    parts = []
    for part in held_out:
        if not any(question.positives for question in part):
            raise SettingsError(
                "the setting `folds` must leave a question with a right "
                f"answer in each fold. Received: folds={count} for "
                f"{len(train)} questions"
            )
        ids = {question.id for question in part}
        parts.append(([q for q in train if q.id not in ids], part, part))
    return parts


def fingerprint_parts(parts: Parts) -> str:
    """The fingerprint of `repr(parts)`, made piece by piece to save memory."""
    digest = hashlib.blake2b(digest_size=8)
    for before, part in zip(("([", "], [", "], ["), parts, strict=True):
        digest.update(before.encode())
        for i, question in enumerate(part):
            digest.update((", " * (i > 0) + repr(question)).encode())
    digest.update(b"])")
    return digest.hexdigest()


def training_set(arguments: Namespace, settings: CommonSettings) -> str:
    """The name of the training set, as in `paper.toml`."""
    name = settings.train_split
    if arguments.dataset == "trecqa-all":
        name = "train-all"
    if arguments.dataset.startswith("trecqa"):
        name = name.upper()
    if arguments.split == "dev" and not fixes_epochs(settings):
        name += FOLD
    return name
