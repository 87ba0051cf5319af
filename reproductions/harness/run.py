"""The course of a run, the same for every paper.

A run reads the data, numbers the words, loads the vectors, trains with a
held-out part that chooses the epoch, ranks the reported split once, and writes
the results.
"""

import dataclasses
import time
from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

from keras_qa import hosts
from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Dataset
from keras_qa.files.trec_files import write_labels
from keras_qa.files.trec_files import write_ranking
from keras_qa.files.whole import file_digest
from keras_qa.ranking.evaluation import CONVENTION
from keras_qa.ranking.evaluation import Evaluation
from keras_qa.ranking.evaluation import evaluate
from keras_qa.ranking.floors import bag_of_words_scores
from keras_qa.ranking.floors import bm25_scores
from keras_qa.training.run_folder import RunFolder
from reproductions.harness.experiment import Experiment
from reproductions.harness.parts.floor_names import BM25
from reproductions.harness.parts.floor_names import CONTEXTUAL_FLOORS
from reproductions.harness.parts.floor_names import COSINE
from reproductions.harness.parts.floor_names import is_floor
from reproductions.harness.parts.runs import Outcome
from reproductions.harness.parts.runs import Run
from reproductions.harness.parts.versions import commit
from reproductions.harness.parts.versions import versions
from reproductions.harness.questions import SPLIT_PARTS
from reproductions.harness.questions import Parts
from reproductions.harness.questions import fingerprint_parts
from reproductions.harness.questions import fixes_epochs
from reproductions.harness.questions import folds_of
from reproductions.harness.questions import open_for
from reproductions.harness.questions import questions_of
from reproductions.harness.questions import training_set
from reproductions.harness.settings import CommonSettings
from reproductions.harness.settings import recorded
from reproductions.harness.teaching.transfer import Transfer
from reproductions.harness.teaching.transfer import learnt_from
from reproductions.harness.teaching.transfer import read_transfer
from reproductions.harness.vectors import vector_identity
from reproductions.records.runs import append_run
from reproductions.records.runs import read_runs

if TYPE_CHECKING:
    from reproductions.harness.cross_validation import Validation

# So few questions choose an epoch hardly better than chance.
FEW = 100


def run_experiment(
    experiment: Experiment[Any], arguments: Namespace, settings: CommonSettings
) -> dict[str, Any]:
    """Runs one model on one data set with one seed.

    Args:
        experiment: the paper's experiment.
        arguments: what `command.parse_arguments` returned.
        settings: what `experiment.settings_of` returned.

    Returns:
        The content of `metrics.json`.

    Raises:
        DatasetError, VectorsError: if a file is missing or bad.
        RunFolderError: if the output folder contains another run, is in use by
            another process, or cannot be written to.
    """
    started = time.perf_counter()
    commit()
    owner = experiment.owner(arguments.model)
    dataset, parts = _open(arguments, settings)
    transfer = _transfer(owner, arguments, settings, dataset, parts)
    identity = {
        "paper": experiment.name,
        **_identity(owner, arguments, settings, parts, transfer),
    }
    folder = RunFolder(arguments.output_dir, identity, arguments.resume)
    if folder.finished:
        folder.tidy()
        result = folder.read_json("metrics.json")
        _record(arguments, result)
        return result
    run = _prepare(owner, arguments, settings, folder, dataset, parts, transfer)
    with folder.claim():
        outcome = _outcome(owner, run)
        evaluation = evaluate(
            run.report,
            outcome.scores,
            seed=arguments.seed,
            measures=owner.measures(arguments.dataset),
        )
        tag = f"{experiment.name}-{arguments.model}"
        ranking, labels = evaluation.run, evaluation.qrels
        folder.write("run.trec", lambda p: write_ranking(p, ranking, tag))
        folder.write("qrels.trec", lambda p: write_labels(p, labels))
        result = {
            **identity,
            "overrides": _overrides(experiment, arguments, settings),
            **_measured(owner, run, evaluation),
            **_parts_measured(run, evaluation),
            **outcome.details,
            "run_sha256": file_digest(folder.path / "run.trec"),
            # Of this process: a run that was interrupted took longer.
            "seconds": time.perf_counter() - started,
            "versions": versions(),
        }
        # A folder with metrics contains a complete run.
        folder.write_json("metrics.json", result)
        _record(arguments, result)
    return result


def prepare_run(
    experiment: Experiment[Any],
    arguments: Namespace,
    settings: CommonSettings,
    folder: RunFolder,
) -> Run[Any]:
    """Reads what a stage of a run, which ranks nothing, needs.

    Args:
        experiment: the experiment that owns the model.
        arguments: what `command.parse_arguments` returned.
        settings: what `experiment.settings_of` returned.
        folder: the stage's folder.

    Raises:
        DatasetError, VectorsError: if a file is missing or bad.
    """
    dataset, parts = _open(arguments, settings)
    transfer = _transfer(experiment, arguments, settings, dataset, parts)
    return _prepare(
        experiment, arguments, settings, folder, dataset, parts, transfer
    )


def validate(
    experiment: Experiment[Any],
    arguments: Namespace,
    settings: CommonSettings,
    folder: Path,
    dataset: Dataset | None = None,
) -> "Validation":
    """Measures settings on folds of train; dev and test are not read.

    Without the setting `folds` there is one fold: the questions that choose
    the epoch of runs that report on dev.

    Args:
        experiment: the paper's experiment.
        arguments: what `command.parse_arguments` returned.
        settings: what `experiment.settings_of` returned.
        folder: gets a folder for each fold, `fold-1` to `fold-K`; those of an
            interrupted cross-validation are continued.
        dataset: the data set if it is open.

    Raises:
        DatasetError, VectorsError: if a file is missing or bad.
        RunFolderError: if a fold's folder contains another run.
    """
    # Imported here because the floors do not need Keras.
    from reproductions.harness.cross_validation import Fold
    from reproductions.harness.cross_validation import cross_validate

    owner = experiment.owner(arguments.model)
    dataset = dataset or _dataset(arguments, settings)
    folds = []
    for i, parts in enumerate(folds_of(dataset, arguments, settings), start=1):
        transfer = _transfer(owner, arguments, settings, dataset, parts)
        identity = {
            "paper": experiment.name,
            **_identity(owner, arguments, settings, parts, transfer),
            "split": "train",
            "fold": i,
        }
        fold = RunFolder(folder / f"fold-{i}", identity, resume=True)
        own = (owner, arguments, settings, fold, dataset, parts, transfer)
        folds.append(Fold(fold, partial(_prepare, *own)))
    return cross_validate(owner, owner.monitor(settings), folds)


def _dataset(arguments: Namespace, settings: CommonSettings) -> Dataset:
    values = dataclasses.asdict(settings)
    return open_for(arguments.dataset, arguments.data_dir, values)


def _open(
    arguments: Namespace, settings: CommonSettings
) -> tuple[Dataset, Parts]:
    dataset = _dataset(arguments, settings)
    return dataset, questions_of(dataset, arguments, settings)


def _transfer(
    experiment: Experiment[Any],
    arguments: Namespace,
    settings: CommonSettings,
    dataset: Dataset,
    parts: Parts,
) -> Transfer | None:
    tokenizer = experiment.tokenizer(settings, dataset)
    return read_transfer(arguments, settings, dataset, parts, tokenizer)


def _outcome(experiment: Experiment[Any], run: Run[Any]) -> Outcome:
    """Scores the reported questions, with a floor or with the model."""
    if run.arguments.model == BM25:
        scores = bm25_scores(
            run.report,
            run.corpus.tokenizer,
            max_question_length=run.corpus.max_question_length,
            max_answer_length=run.corpus.max_answer_length,
        )
        return Outcome(scores, {})
    if run.arguments.model == COSINE:
        report = run.corpus.index(run.report)
        texts, pairs = run.corpus.texts, report.pairs()
        cosine = bag_of_words_scores(texts, run.matrix, *pairs)
        return Outcome(report.split(cosine), {})
    if is_floor(run.arguments.model):
        from reproductions.harness.fitting import rank_floor

        return rank_floor(experiment, run)
    found = experiment.rank_by_words(run)
    if found is not None:
        return found
    # Imported here because the floors do not need Keras.
    from reproductions.harness.fitting import fit_and_rank

    settings = run.settings
    if not settings.folds:
        if not (fixes_epochs(settings) or run.arguments.smoke):
            _say_if_few(run)
        most = settings.smoke_epochs if run.arguments.smoke else settings.epochs
        fixed = most if settings.average_last else None
        return fit_and_rank(experiment, run, fixed)
    folder = run.folder.path
    validation = validate(
        experiment, run.arguments, settings, folder, run.dataset
    )
    outcome = fit_and_rank(experiment, run, validation.epochs)
    return Outcome(outcome.scores, {**outcome.details, **validation.details})


def _say_if_few(run: Run[Any]) -> None:
    """Says if a few questions choose the epoch, and what helps."""
    if len(run.select) < FEW:
        print(
            f"The epoch is chosen on {len(run.select)} questions, hardly "
            "better than by chance: --set folds=5 chooses the number of epochs "
            "on all questions of train."
        )


def _overrides(
    experiment: Experiment[Any], arguments: Namespace, settings: CommonSettings
) -> dict[str, Any]:
    """The settings that differ from the recipe's."""
    unchanged = {**vars(arguments), "overrides": [], "epochs": None}
    # A recipe has neither; they need settings of their own.
    unchanged |= {"teacher": None, "transfer": []}
    recipe = dataclasses.asdict(experiment.settings_of(Namespace(**unchanged)))
    return {
        name: value
        for name, value in dataclasses.asdict(settings).items()
        if value != recipe[name]
    }


def _record(arguments: Namespace, result: dict[str, Any]) -> None:
    """Appends the run to the file of runs, unless it contains the run."""
    if not hosts.is_first():
        return
    if arguments.record and result not in read_runs(arguments.record):
        append_run(arguments.record, result)


def _identity(
    experiment: Experiment[Any],
    arguments: Namespace,
    settings: CommonSettings,
    parts: Parts,
    transfer: Transfer | None,
) -> dict[str, Any]:
    """What defines a run, apart from the machine it runs on."""
    names, vectors = vector_identity(experiment.vectors(arguments))
    untrained = arguments.model in experiment.untrained
    first = {}
    if transfer is not None:
        of_others = fingerprint_parts((transfer.questions, [], []))
        first = {"transfer": of_others}
    if arguments.teacher:
        # Imported here because only a teacher needs it.
        from reproductions.harness.teaching.teachers import teacher_digest

        first["teacher"] = teacher_digest(arguments)
    return {
        "model": arguments.model,
        **({"row": arguments.row} if arguments.row else {}),
        "dataset": arguments.dataset,
        "split": arguments.split,
        "seed": arguments.seed,
        "recipe": "untrained" if untrained else arguments.recipe,
        "vectors": names,
        "smoke": arguments.smoke,
        "settings": recorded(settings),
        "inputs": {
            "questions": fingerprint_parts(parts),
            "vectors": vectors,
            **first,
        },
    }


def _prepare(
    experiment: Experiment[Any],
    arguments: Namespace,
    settings: CommonSettings,
    folder: RunFolder,
    dataset: Dataset,
    parts: Parts,
    transfer: Transfer | None,
) -> Run[Any]:
    fit, select, report = parts
    pieces = experiment.word_pieces(arguments, settings)
    tokenizer = experiment.tokenizer(settings, dataset)
    corpus = Corpus(
        *parts,
        transfer.questions if transfer else [],
        tokenizer=tokenizer if pieces is None else pieces.tokenizer,
        max_question_length=settings.max_question_length,
        max_answer_length=settings.max_answer_length,
        answers=dataset.answers() if dataset.answers else None,
        vocabulary=None if pieces is None else pieces.vocabulary,
    )
    matrix, coverage = np.zeros((0, 0), np.float32), None
    by_word = arguments.model not in CONTEXTUAL_FLOORS
    if by_word and experiment.vectors(arguments):
        matrix, coverage = experiment.word_matrix(
            arguments, settings, corpus, fit
        )
    return Run(
        arguments,
        settings,
        folder,
        dataset,
        corpus,
        fit,
        select,
        report,
        matrix,
        coverage,
        transfer,
    )


def _measured(
    experiment: Experiment[Any], run: Run[Any], evaluation: Evaluation
) -> dict[str, Any]:
    fit = run.fit
    entries: dict[str, Any] = {
        "metrics": evaluation.metrics,
        "questions": evaluation.questions,
        "questions_scored": evaluation.questions_scored,
        "candidates": evaluation.candidates,
        "ties": evaluation.ties,
        "convention": CONVENTION,
        "training_set": training_set(run.arguments, run.settings)
        + learnt_from(run.arguments),
        "training": {
            "questions": len(fit),
            "pairs": sum(len(q.candidates) for q in fit),
            "positives": sum(len(q.positives) for q in fit),
        },
        "vocabulary_size": len(run.corpus.vocabulary),
        # Needed to split texts for the run's model.
        "tokenizer": run.corpus.tokenizer,
    }
    if run.arguments.model not in experiment.untrained and not fixes_epochs(
        run.settings
    ):
        # So few questions chose the epoch.
        entries["selection_questions"] = len(run.select)
    if run.transfer is not None:
        entries["transfer"] = run.transfer.details
    if run.coverage is not None:
        entries["coverage"] = dataclasses.asdict(run.coverage)
    return entries


def _parts_measured(run: Run[Any], evaluation: Evaluation) -> dict[str, Any]:
    """The metrics of the parts of the split, where it has parts."""
    splits = run.dataset.splits
    found = {}
    for part in SPLIT_PARTS.get(run.arguments.split, ()):
        if part not in splits:
            return {}
        ids = {q.id for q in run.dataset.questions(part)}
        rows = [m for i, m in evaluation.per_question.items() if i in ids]
        # A smoke test may have no question of this part.
        if rows:
            found[part] = {
                name: float(np.mean([row[name] for row in rows]))
                for name in evaluation.metrics
            }
    return {"parts": found} if found else {}
