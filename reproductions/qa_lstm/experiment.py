"""QA-LSTM (Tan et al., ACL 2016): tables 3 and 4, with their baselines.

    python -m reproductions.qa_lstm --row 3N --dataset insuranceqa-v1 \
        --data-dir DIR --embeddings FILE --seed 1 --split test

`--row` names a row of the tables, its model and its settings; `--model` alone
takes a model as the best row has it. `--model idf-cosine` and `--model wsdm`
are the first two baselines of Table 3; with `--model bm25` and `--model cosine`
they are the floor that every figure needs. Top-1 accuracy is P@1. An epoch of
`--recipe small` takes about a minute on InsuranceQA's 3,437 training questions
and 2 cores, one of the published recipe several times that. All rows with many
seeds: `python -m reproductions.qa_lstm.study`.
"""

import sys
from argparse import Namespace
from collections.abc import Sequence
from functools import partial
from typing import Any

import keras
import numpy as np

from keras_qa.batches.negatives import NegativeSampler
from keras_qa.batches.pairs import HardestNegativeBatches
from keras_qa.datasets.dataset import Question
from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.models import QACNN
from keras_qa.models import QALSTM
from keras_qa.models import AttentiveCNN
from keras_qa.models import AttentiveLSTM
from keras_qa.models import ConvBasedLSTM
from keras_qa.models import ConvPoolingLSTM
from keras_qa.models import FengCNN
from keras_qa.ranking.evaluation import evaluate
from keras_qa.ranking.floors import idf_cosine_scores
from keras_qa.ranking.sequential_dependence import WeightedSequentialDependence
from keras_qa.training.pairwise import HardestNegativeTrainer
from reproductions.harness.experiment import COMMON_SETTINGS
from reproductions.harness.experiment import Experiment
from reproductions.harness.experiment import Outcome
from reproductions.harness.experiment import run_script
from reproductions.harness.fitting import Ranker
from reproductions.harness.fitting import fit_and_rank
from reproductions.harness.settings import Settings
from reproductions.harness.settings import SettingsError
from reproductions.harness.settings import parse_arguments
from reproductions.harness.settings import resolve_settings

# The recipe as published, section 4.1 where nothing else is named.
PAPER: Settings = {
    **COMMON_SETTINGS,
    "max_question_length": 200,  # L
    "max_answer_length": 200,
    "units": 141,  # of the LSTM, in each direction
    "filters": 400,  # Table 3; c
    "kernel_size": 3,  # Table 3; of the hybrid models not stated
    "hidden_units": 200,  # of Architecture II; Feng et al. (2015)
    "attention_units": None,  # not stated: as many as the states have
    "pooling": "max",  # Table 3: the best
    "similarity": "cosine",  # 3.1
    "dropout": 0.2,  # 3.1: on the representations; the rate is not stated
    "l2": 0.0,  # not stated
    "negatives": 50,  # K
    "sampler_pool": "all",  # 3.1: "from the entire answer space"
    "shared_negatives": False,  # 3.1: K for each question
    "margin": 0.2,
    "optimizer": "sgd",
    "learning_rate": 1.1,
    "decay": "none",
    "batch_size": 20,
    "epochs": 30,  # not stated, chosen
    "patience": 0,  # not stated
    "monitor": "MAP",  # 5.2; on InsuranceQA accuracy
    "pool_size": 500,  # 4; candidates of each question of InsuranceQA
    # Of the weighted sequential dependence model; Bendersky et al. (2010)
    "mu": 2500.0,
    "window": 8,
    "wsdm_questions": 500,  # not stated: so many choose its weights
}

# What the models need beside it.
MODEL_SETTINGS: dict[str, Settings] = {
    "conv-based-lstm": {
        "filters": 282,  # 4.1
        "units": 200,  # row I: |h| = 400 in both directions together
    },
    "feng-cnn": {"filters": 4000, "kernel_size": 2},  # Feng et al. (2015)
}

# What the paper does on one data set only.
_TREC: Settings = {
    "units": 300,  # 5.2: 600, in both directions together
    "filters": 600,  # 5.2
    "decay": "1/T",  # 5.2
}
DATASETS: dict[str, Settings] = {
    "insuranceqa-v1": {"monitor": "P@1"},
    "insuranceqa-v2": {"monitor": "P@1"},
    **dict.fromkeys(("trecqa-raw", "trecqa-clean", "trecqa-all"), _TREC),
}

# Retuned for a single negative (4.1).
_ONE_NEGATIVE: Settings = {
    "negatives": 1,
    "margin": 0.1,
    "learning_rate": 0.1,
    "batch_size": 100,
}

# The rows of Tables 3 and 4: model, and what differs from the above.
ROWS: dict[str, tuple[str, Settings]] = {
    "3-bag-of-word": ("idf-cosine", {}),
    "3-metzler-bendersky": ("wsdm", {}),
    "3-cnn": ("feng-cnn", {}),
    "3-cnn-gesd": ("feng-cnn", {"similarity": "gesd"}),
    "3A": ("qa-lstm", {"pooling": "head_tail"}),  # K is not printed
    "3B": ("qa-lstm", {"pooling": "avg"}),
    "3C": ("qa-lstm", _ONE_NEGATIVE),
    "3D": ("qa-lstm", {}),
    "3E": ("conv-pooling-lstm", {"filters": 4000, **_ONE_NEGATIVE}),
    "3F": ("conv-pooling-lstm", {"filters": 200}),
    "3G": ("conv-pooling-lstm", {}),
    "3H": ("conv-based-lstm", {"units": 100}),  # |h| = 200
    "3I": ("conv-based-lstm", {}),
    "3J": ("qa-cnn", {}),
    "3K": ("attentive-cnn", {}),
    "3L": ("attentive-lstm", {"pooling": "avg", **_ONE_NEGATIVE}),
    "3M": ("attentive-lstm", {"pooling": "avg"}),
    "3N": ("attentive-lstm", {}),
    "4-cnn": ("feng-cnn", {}),
    "4A": ("qa-cnn", {}),
    "4B": ("qa-lstm", {}),
    "4C": ("conv-pooling-lstm", {}),
    "4D": ("conv-based-lstm", {}),
    "4E": ("attentive-lstm", {}),
}
ROW_MODELS = {name: model for name, (model, _) in ROWS.items()}

# For 2 cores: every size halved, one pool of negatives for all questions of a
# batch, which is the same draw for each, and an optimizer that needs fewer
# epochs. A row with one negative changes nothing but their number, so that it
# can be compared with the others.
SMALL: Settings = {
    "shared_negatives": True,
    "optimizer": "adam",
    "learning_rate": 3e-4,  # above 1e-3 and SGD 1.1 on folds of train
    "decay": "none",
    "epochs": 10,
}
# With 50 negatives from so many answers the loss takes some epochs to fall.
SMALL_DATASETS: dict[str, Settings] = {
    "insuranceqa-v1": {"epochs": 20},
    "insuranceqa-v2": {"epochs": 20},
}
SIZES = ("units", "filters", "hidden_units")

RECIPES: dict[str, Settings] = {"paper": {}, "small": SMALL}

# The settings that a model takes as arguments, beside those of all.
_SHARED = ("similarity", "dropout", "l2")
_CLASSES: dict[str, tuple[type[keras.Model], tuple[str, ...]]] = {
    "qa-lstm": (QALSTM, ("units", "pooling")),
    "conv-pooling-lstm": (ConvPoolingLSTM, ("units", "filters", "kernel_size")),
    "conv-based-lstm": (ConvBasedLSTM, ("units", "filters", "kernel_size")),
    "attentive-lstm": (AttentiveLSTM, ("units", "pooling", "attention_units")),
    "qa-cnn": (QACNN, ("filters", "kernel_size")),
    "attentive-cnn": (
        AttentiveCNN,
        ("filters", "kernel_size", "pooling", "attention_units"),
    ),
    "feng-cnn": (FengCNN, ("hidden_units", "filters", "kernel_size")),
}
UNTRAINED = ("bm25", "cosine", "idf-cosine", "wsdm")
MODELS = (*_CLASSES, "idf-cosine", "wsdm", "bm25", "cosine")


def build_model(
    model: str, settings: Settings, matrix: np.ndarray
) -> keras.Model:
    """A scorer whose word vectors are trained.

    Args:
        model: the model's name.
        settings: the settings.
        matrix: word vectors by word id to start from, float32 `(words, dim)`.
    """
    model_class, names = _CLASSES[model]
    vocabulary_size, embedding_dim = matrix.shape
    return model_class(
        vocabulary_size=vocabulary_size,
        embedding_dim=embedding_dim,
        embeddings=matrix,
        **{name: settings[name] for name in (*names, *_SHARED)},
    )


def build_optimizer(settings: Settings) -> keras.optimizers.Optimizer:
    """The optimizer of the recipe."""
    return keras.optimizers.get(
        {
            "class_name": settings["optimizer"],
            "config": {"learning_rate": settings["learning_rate"]},
        }
    )


def learning_rates(settings: Settings) -> list[keras.callbacks.Callback]:
    """The callback that sets the learning rate of each epoch, if it decays.

    It depends on the epoch's number alone, so that a resumed training goes on
    as if it had never stopped.

    Raises:
        SettingsError: if `decay` is unknown.
    """
    start = settings["learning_rate"]
    if settings["decay"] == "none":
        return []
    if settings["decay"] == "1/T":
        return [
            keras.callbacks.LearningRateScheduler(
                lambda epoch, rate: start / (epoch + 1)
            )
        ]
    raise SettingsError(
        "the setting `decay` must be 'none' or '1/T'. "
        f"Received: decay={settings['decay']!r}"
    )


def build_training(
    experiment: Experiment, scorer: keras.Model
) -> tuple[HardestNegativeTrainer, HardestNegativeBatches]:
    """The compiled trainer of a scorer and the batches to fit it on."""
    settings, corpus = experiment.settings, experiment.corpus
    fit = corpus.index(experiment.fit)
    sampler = NegativeSampler(
        fit.question_texts,
        fit.candidate_texts,
        fit.labels,
        negatives=settings["negatives"],
        strategy="random",
        pool=settings["sampler_pool"],
        seed=experiment.arguments.seed,
        everything=corpus.answer_space,
    )
    trainer = HardestNegativeTrainer(scorer)
    trainer.compile(
        optimizer=build_optimizer(settings),
        loss=PairwiseHinge(settings["margin"]),
    )
    batches = HardestNegativeBatches(
        corpus.texts,
        sampler,
        batch_size=settings["batch_size"],
        seed=experiment.arguments.seed,
        shared=settings["shared_negatives"],
    )
    return trainer, batches


def train(experiment: Experiment) -> Outcome:
    """Fits the model, loads its best epoch, ranks the reported questions."""
    arguments, settings = experiment.arguments, experiment.settings
    if arguments.model in ("idf-cosine", "wsdm"):
        return _rank_words(experiment)
    keras.utils.set_random_seed(arguments.seed)
    callbacks = learning_rates(settings)
    scorer = build_model(arguments.model, settings, experiment.matrix)
    return fit_and_rank(
        experiment,
        Ranker(scorer, experiment.corpus),
        *build_training(experiment, scorer),
        settings["patience"],
        settings["monitor"],
        callbacks,
    )


def _rank_words(experiment: Experiment) -> Outcome:
    """The baselines of words and their vectors: nothing is fitted by epochs."""
    details: dict[str, Any] = {}
    if experiment.arguments.model == "wsdm":
        model = fit_term_dependence(experiment)
        rank, details["weights"] = model.scores, model.weights.tolist()
    else:
        rank = partial(_idf_cosine, experiment)
    chosen = evaluate(
        experiment.select,
        rank(experiment.select),
        seed=experiment.arguments.seed,
    )
    return Outcome(
        rank(experiment.report), {**details, "selection": chosen.metrics}
    )


def _idf_cosine(
    experiment: Experiment, questions: list[Question]
) -> list[np.ndarray]:
    corpus = experiment.corpus
    indexed = corpus.index(questions)
    return indexed.split(
        idf_cosine_scores(
            corpus.texts,
            experiment.matrix,
            *indexed.pairs(),
            documents=corpus.answer_space,
        )
    )


def fit_term_dependence(
    experiment: Experiment,
) -> WeightedSequentialDependence:
    """The term dependence model, weighted on some training questions.

    Questions without wrong candidates are given pools first.
    """
    settings, dataset = experiment.settings, experiment.dataset
    seed = experiment.arguments.seed
    model = WeightedSequentialDependence(
        dataset.answers() if dataset.answers else (),
        mu=settings["mu"],
        window=settings["window"],
        tokenizer=experiment.corpus.tokenizer,
        max_question_length=settings["max_question_length"],
        max_answer_length=settings["max_answer_length"],
    )
    order = np.random.default_rng(seed).permutation(len(experiment.fit))
    chosen = order[: settings["wsdm_questions"]]
    questions = [experiment.fit[i] for i in chosen]
    if dataset.add_pools:
        questions = dataset.add_pools(questions, seed)
    model.fit(questions, settings["monitor"])
    return model


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one model with one seed and prints its figures."""
    arguments = parse_arguments(
        "qa_lstm",
        __doc__.splitlines()[0],
        MODELS,
        tuple(RECIPES),
        argv,
        ROW_MODELS,
    )
    return run_script("qa_lstm", arguments, settings_of, train)


def settings_of(arguments: Namespace) -> Settings:
    """The settings that a command line asks for."""
    _, row = ROWS.get(arguments.row, ("", {}))
    # A model of another width on one data set keeps its row's numbers there.
    published = resolve_settings(
        PAPER,
        MODEL_SETTINGS.get(arguments.model, {}),
        DATASETS.get(arguments.dataset, {}),
        row,
    )
    if arguments.recipe == "small":
        published = small(arguments, published)
    return resolve_settings(
        published,
        {} if arguments.epochs is None else {"epochs": arguments.epochs},
        overrides=arguments.overrides,
    )


def small(arguments: Namespace, published: Settings) -> Settings:
    """The settings of the recipe `small`, made from those of the paper's."""
    _, row = ROWS.get(arguments.row, ("", {}))
    retuned = {name: PAPER[name] for name in _ONE_NEGATIVE if name in row}
    retuned.pop("negatives", None)
    halved = {name: published[name] // 2 for name in SIZES}
    chosen = {**SMALL, **SMALL_DATASETS.get(arguments.dataset, {})}
    return {**published, **retuned, **halved, **chosen}


if __name__ == "__main__":
    sys.exit(main())
