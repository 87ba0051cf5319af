"""The course of an experiment, the same for every paper.

Read the data, number the words, load the vectors, train while a held-out part
chooses the epoch, rank the reported split once, write the results.
"""

import dataclasses
import hashlib
import os
import platform
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import keras_qa
from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.registry import collection
from keras_qa.datasets.registry import open_dataset
from keras_qa.embeddings import Coverage
from keras_qa.errors import DatasetError
from keras_qa.errors import RunFolderError
from keras_qa.ranking.evaluation import CONVENTION
from keras_qa.ranking.evaluation import Evaluation
from keras_qa.ranking.evaluation import evaluate
from keras_qa.ranking.evaluation import write_qrels
from keras_qa.ranking.evaluation import write_run
from keras_qa.ranking.first_stage import with_first_stage
from keras_qa.ranking.floors import bm25_scores
from keras_qa.ranking.floors import cosine_scores
from keras_qa.training.run_folder import RunFolder
from reproductions.harness.measures import measures_of
from reproductions.harness.settings import Settings
from reproductions.harness.vectors import chosen_vectors
from reproductions.harness.vectors import vector_identity
from reproductions.harness.vectors import word_matrix
from reproductions.records.runs import append_run
from reproductions.records.runs import read_runs

# Ranked without training; the others are models to build and fit.
BASELINES = ("bm25", "cosine", "idf-cosine")

# What the names of tokenisers that read numbers as one word end with.
NUMBERS = "-num"

# The parts of a split that papers print a figure for each of.
PARTS = {"test": ("test1", "test2")}

# Questions to fit, to select the epoch with, and to report on.
Parts = tuple[list[Question], list[Question], list[Question]]

# What every paper's settings hold beside its own.
COMMON_SETTINGS: Settings = {
    "train_split": "train",  # or "train-all" of TrecQA
    "tokenizer": None,  # None: the one that fits the data set's files
    "max_question_length": None,  # tokens; None: whole
    "max_answer_length": None,
    "oov_scale": 0.25,  # words without a vector: U(-scale, scale)
    "skipgram_dim": 100,
    "skipgram_epochs": 15,
    "skipgram_window": 5,
    "fold_fraction": 0.15,  # of train, held out where no folds file is
    "smoke_questions": 12,
    "smoke_epochs": 1,
}


@dataclasses.dataclass(frozen=True)
class Experiment:
    """Everything that training and ranking need.

    Attributes:
        arguments: the command line.
        settings: the resolved settings.
        folder: where the results go.
        dataset: the data set.
        corpus: texts and vocabulary of the three parts.
        fit: the questions to train on.
        select: the questions that choose the epoch.
        report: the questions of the reported split.
        matrix: word vectors by word id, float32 `(words, dim)`; empty for
            models that need none.
        coverage: how many words have a vector.
    """

    arguments: Namespace
    settings: Settings
    folder: RunFolder
    dataset: Dataset
    corpus: Corpus
    fit: list[Question]
    select: list[Question]
    report: list[Question]
    matrix: np.ndarray
    coverage: Coverage | None


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a model did.

    Attributes:
        scores: for each reported question its candidates' scores.
        details: entries of `metrics.json` that the model adds.
    """

    scores: list[np.ndarray]
    details: dict[str, Any]


def run_experiment(
    paper: str,
    arguments: Namespace,
    settings: Settings,
    train: Callable[[Experiment], Outcome],
    overrides: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Runs one model on one data set with one seed.

    Args:
        paper: short name of the paper.
        arguments: what `options.parse_arguments` returned.
        settings: what `options.resolve_settings` returned.
        train: trains the model and scores the reported questions.
        overrides: those of the settings that were changed from the recipe's.

    Returns:
        The content of `metrics.json`.

    Raises:
        DatasetError, VectorsError: if a file is missing or bad.
        RunFolderError: if the output folder holds another run, is in use by
            another process, or cannot be written to.
    """
    dataset = open_for(arguments.dataset, arguments.data_dir, settings)
    parts = _parts(dataset, arguments, settings)
    identity = _identity(paper, arguments, settings, parts)
    folder = RunFolder(arguments.output_dir, identity, arguments.resume)
    if folder.finished:
        folder.tidy()
        result = folder.read_json("metrics.json")
        _record(arguments, result)
        return result
    experiment = _prepare(arguments, settings, folder, dataset, parts)
    with folder.claim():
        outcome = _outcome(experiment, train)
        evaluation = evaluate(
            experiment.report,
            outcome.scores,
            seed=arguments.seed,
            measures=measures_of(arguments.dataset),
        )
        tag = f"{paper}-{arguments.model}"
        folder.write("run.trec", lambda path: write_run(path, evaluation, tag))
        folder.write("qrels.trec", lambda path: write_qrels(path, evaluation))
        result = {
            **identity,
            "overrides": dict(overrides or {}),
            **_measured(experiment, evaluation),
            **_parts_measured(experiment, evaluation),
            **outcome.details,
            "versions": versions(),
        }
        # A folder with metrics holds a complete run.
        folder.write_json("metrics.json", result)
        _record(arguments, result)
    return result


def _outcome(
    experiment: Experiment, train: Callable[[Experiment], Outcome]
) -> Outcome:
    """Scores the reported questions, by the model or by what needs none."""
    if experiment.arguments.model == "bm25":
        corpus = experiment.corpus
        scores = bm25_scores(
            experiment.report,
            corpus.tokenizer,
            max_question_length=corpus.max_question_length,
            max_answer_length=corpus.max_answer_length,
        )
        return Outcome(scores, {})
    if experiment.arguments.model == "cosine":
        return Outcome(_untrained_cosine(experiment), {})
    return train(experiment)


def prepare_experiment(
    arguments: Namespace, settings: Settings, folder: RunFolder
) -> Experiment:
    """Reads all that a part of a run needs that is not ranked with.

    Args:
        arguments: what `options.parse_arguments` returned.
        settings: what `options.resolve_settings` returned.
        folder: where the part belongs.

    Raises:
        DatasetError, VectorsError: if a file is missing or bad.
    """
    dataset = open_for(arguments.dataset, arguments.data_dir, settings)
    parts = _parts(dataset, arguments, settings)
    return _prepare(arguments, settings, folder, dataset, parts)


def open_for(name: str, data_dir: Path | None, settings: Settings) -> Dataset:
    """Opens a data set with those of the settings that it takes.

    Where candidates are to be found among many documents, BM25 finds them.
    """
    options = collection(name).options
    taken = {n: settings[n] for n in options if n in settings}
    dataset = open_dataset(name, data_dir, **taken)
    return with_first_stage(dataset, settings.get("first_stage", 100))


def _record(arguments: Namespace, result: dict[str, Any]) -> None:
    """Appends the run to the file of runs, unless it is there already."""
    if arguments.record and result not in read_runs(arguments.record):
        append_run(arguments.record, result)


def _identity(
    paper: str, arguments: Namespace, settings: Settings, parts: Parts
) -> dict[str, Any]:
    """What defines a run, apart from the machine it runs on."""
    names, vectors = vector_identity(chosen_vectors(arguments))
    baseline = arguments.model in BASELINES
    return {
        "paper": paper,
        "model": arguments.model,
        **({"row": arguments.row} if arguments.row else {}),
        "dataset": arguments.dataset,
        "split": arguments.split,
        "seed": arguments.seed,
        "recipe": "untrained" if baseline else arguments.recipe,
        "vectors": names,
        "smoke": arguments.smoke,
        "settings": settings,
        "inputs": {
            "questions": _fingerprint_parts(parts),
            "vectors": vectors,
        },
    }


def _fingerprint_parts(parts: Parts) -> str:
    """The fingerprint of `repr(parts)`, which large pools make gigabytes of."""
    digest = hashlib.blake2b(digest_size=8)
    for before, part in zip(("([", "], [", "], ["), parts, strict=True):
        digest.update(before.encode())
        for i, question in enumerate(part):
            digest.update((", " * (i > 0) + repr(question)).encode())
    digest.update(b"])")
    return digest.hexdigest()


def _prepare(
    arguments: Namespace,
    settings: Settings,
    folder: RunFolder,
    dataset: Dataset,
    parts: Parts,
) -> Experiment:
    fit, select, report = parts
    tokenizer = settings["tokenizer"] or dataset.tokenizer
    if settings.get("numbers") and not tokenizer.endswith(NUMBERS):
        tokenizer += NUMBERS
    corpus = Corpus(
        fit,
        select,
        report,
        tokenizer=tokenizer,
        max_question_length=settings["max_question_length"],
        max_answer_length=settings["max_answer_length"],
        answers=dataset.answers() if dataset.answers else None,
    )
    matrix, coverage = np.zeros((0, 0), np.float32), None
    if chosen_vectors(arguments):
        matrix, coverage = word_matrix(arguments, settings, corpus, fit)
    return Experiment(
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
    )


def _parts(dataset: Dataset, arguments: Namespace, settings: Settings) -> Parts:
    """Questions to fit, to select and to report on, never overlapping."""
    if arguments.split not in dataset.splits:
        others = [s for s in ("dev", "test") if s in dataset.splits]
        raise DatasetError(
            f"`--split` must be a split that the data set {dataset.name!r} "
            f"has: {' or '.join(f'--split {s}' for s in others) or 'none'}. "
            f"Received: --split {arguments.split}"
        )
    train_split = settings["train_split"]
    if arguments.split == "dev":
        fit, select = dataset.held_out_fold(
            train_split, settings["fold_fraction"]
        )
    else:
        fit = dataset.questions(train_split)
        select = dataset.questions("dev")
    report = dataset.questions(arguments.split)
    if arguments.smoke:
        count = settings["smoke_questions"]
        fit, select, report = fit[:count], select[:count], report[:count]
    return fit, select, report


def _untrained_cosine(experiment: Experiment) -> list[np.ndarray]:
    """Cosine of the plain sums of word vectors."""
    sums = np.stack(
        [
            experiment.matrix[experiment.corpus.vocabulary.encode(t)].sum(0)
            for t in experiment.corpus.tokens
        ]
    )
    report = experiment.corpus.index(experiment.report)
    questions, answers = report.pairs()
    return report.split(cosine_scores(sums[questions], sums[answers]))


def _measured(experiment: Experiment, evaluation: Evaluation) -> dict[str, Any]:
    fit = experiment.fit
    entries: dict[str, Any] = {
        "metrics": evaluation.metrics,
        "questions": evaluation.questions,
        "questions_scored": evaluation.questions_scored,
        "candidates": evaluation.candidates,
        "ties": evaluation.ties,
        "convention": CONVENTION,
        "training_set": _training_set(
            experiment.arguments, experiment.settings
        ),
        "training": {
            "questions": len(fit),
            "pairs": sum(len(q.candidates) for q in fit),
            "positives": sum(len(q.positives) for q in fit),
        },
        "vocabulary_size": len(experiment.corpus.vocabulary),
        # What a reader of the run's model has to split texts with.
        "tokenizer": experiment.corpus.tokenizer,
    }
    if experiment.coverage is not None:
        entries["coverage"] = dataclasses.asdict(experiment.coverage)
    return entries


def _parts_measured(
    experiment: Experiment, evaluation: Evaluation
) -> dict[str, Any]:
    """The metrics of the parts of the split, where it has parts."""
    splits = experiment.dataset.splits
    found = {}
    for part in PARTS.get(experiment.arguments.split, ()):
        if part not in splits:
            return {}
        ids = {q.id for q in experiment.dataset.questions(part)}
        rows = [m for i, m in evaluation.per_question.items() if i in ids]
        # Of a few questions of a smoke test there may be none.
        if rows:
            found[part] = {
                name: float(np.mean([row[name] for row in rows]))
                for name in evaluation.metrics
            }
    return {"parts": found} if found else {}


def _training_set(arguments: Namespace, settings: Settings) -> str:
    """The name of what was trained on, as the targets of a paper have it."""
    name = settings["train_split"]
    if arguments.dataset == "trecqa-all":
        name = "train-all"
    if arguments.dataset.startswith("trecqa"):
        name = name.upper()
    return f"{name} less its fold" if arguments.split == "dev" else name


def versions() -> dict[str, str]:
    """What the figures were measured with."""
    found = {
        "python": platform.python_version(),
        "keras-qa": keras_qa.__version__,
    }
    for name in ("keras", "numpy", "gensim", "ir-measures"):
        found[name] = metadata.version(name)
    backend = os.environ.get("KERAS_BACKEND", "tensorflow")
    if "keras" in sys.modules:
        backend = sys.modules["keras"].backend.backend()
    found["backend"] = f"{backend} {metadata.version(backend)}"
    found["machine"] = f"{platform.machine()}, {os.cpu_count()} cores"
    # A copy installed from a wheel belongs to no commit of the project.
    if _git("ls-files", __file__):
        found["commit"] = _git("describe", "--always", "--dirty")
    return found


def _git(*arguments: str) -> str:
    """What a git command prints, or nothing where it fails."""
    try:
        return subprocess.run(
            ["git", *arguments],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=False,
        ).stdout.strip()
    except OSError:
        return ""


def run_script(
    paper: str,
    arguments: Namespace,
    settings_of: Callable[[Namespace], Settings],
    train: Callable[[Experiment], Outcome],
) -> int:
    """Runs an experiment from the command line.

    Returns:
        The exit status: 0, or 2 after a message about bad input.
    """
    return with_messages(
        lambda: _run_and_print(paper, arguments, settings_of, train)
    )


def with_messages(action: Callable[[], None]) -> int:
    """Does something on the command line; says what was wrong with its input.

    Returns:
        The exit status: 0, or 2 after a message about bad input.
    """
    try:
        action()
    except (ImportError, OSError, ValueError, RunFolderError) as error:
        # Ours and Keras's errors about values say what was expected, those
        # about missing packages how to install them.
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _run_and_print(
    paper: str,
    arguments: Namespace,
    settings_of: Callable[[Namespace], Settings],
    train: Callable[[Experiment], Outcome],
) -> None:
    settings = settings_of(arguments)
    unchanged = {**vars(arguments), "overrides": [], "epochs": None}
    recipe = settings_of(Namespace(**unchanged))
    overrides = {k: v for k, v in settings.items() if v != recipe[k]}
    result = run_experiment(paper, arguments, settings, train, overrides)
    figures = "  ".join(
        f"{name} {value:.4f}" for name, value in result["metrics"].items()
    )
    print(
        f"{result['model']} on {result['dataset']} {result['split']}: "
        f"{figures}  ({result['questions_scored']} of {result['questions']} "
        f"questions scored, {result['candidates']} candidates, "
        f"{result['ties']} ties)\n{arguments.output_dir}"
    )
