"""CTRN (Tay et al., AAAI 2018): tables 4 to 6, with QRNN and other baselines.

    python -m reproductions.ctrn --model ctrn --dataset trecqa-raw \
        --data-dir DIR --embeddings FILE --seed 1 --split test

CTRN, QRNN, LSTM and CNN are trained pointwise, AP-BiLSTM and AP-CNN (dos Santos
et al., 2016) pairwise. `--model overlap` is a logistic regression on the four
features of word overlap alone; with `--model bm25` and `--model cosine`
(untrained) it is the floor that every figure needs. A run of CTRN on TrecQA's
TRAIN takes some minutes on 2 cores. The results page is generated from the
recorded runs by `python -m reproductions.report`.
"""

import sys
from argparse import Namespace
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

import keras
import numpy as np

from keras_qa.batches.pairs import PointwiseBatches
from keras_qa.layers import FeatureStandardization
from keras_qa.models import APCNN
from keras_qa.models import CTRN
from keras_qa.models import APBiLSTM
from keras_qa.models import CNNRanker
from keras_qa.models import LSTMRanker
from keras_qa.models import QRNNRanker
from keras_qa.text.overlap import OverlapFeatures
from reproductions.harness.experiment import COMMON_SETTINGS
from reproductions.harness.experiment import Experiment
from reproductions.harness.experiment import Outcome
from reproductions.harness.experiment import run_script
from reproductions.harness.fitting import Ranker
from reproductions.harness.fitting import fit_and_rank
from reproductions.harness.fitting import pairwise_training
from reproductions.harness.settings import Settings
from reproductions.harness.settings import SettingsError
from reproductions.harness.settings import parse_arguments
from reproductions.harness.settings import resolve_settings

# The recipe as published: one of the values where the section "Implementation
# Details" gives a list, those of Table 2 where it gives sizes.
PAPER: Settings = {
    **COMMON_SETTINGS,
    "projection_dim": 300,  # m of Table 2
    "units": 512,  # d of Table 2; tuned from 128 to 1024 in steps of 128
    "kernel_size": 2,  # k of Table 2
    "crossed_input": "own",  # the prose and figures; the equations: partner
    "alignment": "lengths",  # of the texts, not of their padding
    "pooling": "mean",  # "Temporal Mean Pooling Layer"
    "hidden_layers": 1,  # tuned from 1 to 3
    "hidden_units": 128,  # h of Table 2
    "activation": "relu",  # of the dense layers; not stated
    "overlap": False,  # "Four word overlap features", on TrecQA only
    "dropout": 0.5,  # where, is not stated
    "word_dropout": 0.0,  # not stated
    "zoneout": 0.0,  # not stated; in Bradbury et al. (2016)
    "l2": 4e-6,
    "learning_rate": 1e-3,  # of Adam; one of 1e-3, 1e-4, 1e-5
    "batch_size": 64,  # one of 64, 128, 256, 512
    "epochs": 25,  # on TRAIN
    "patience": 5,  # "doesn't improve after 5 epochs"
    "negatives": 1,  # of the pairwise models; not stated, nor is what follows
    "margin": 0.2,
    "sampler": "max",  # dos Santos et al. (2016): the one that scores highest
    "sampler_pool": "own",
}

# Where the baselines are not CTRN with another encoder.
PAIRWISE: Settings = {
    "dropout": 0.0,  # dos Santos et al. (2016) state none
    "batch_size": 20,  # groups, of which there are far fewer than pairs
}
BASELINES: dict[str, Settings] = {
    "cnn": {"kernel_size": 3, "pooling": "max"},  # not stated, chosen
    "ap-cnn": {**PAIRWISE, "kernel_size": 3},  # not stated, chosen
    # Each way, so that the states have the size of the other models'.
    "ap-bilstm": {**PAIRWISE, "units": 256},
    "overlap": {"overlap": True, "learning_rate": 1e-2},  # four weights
}

# The smallest size of the paper's list, for studies of many runs on 2 cores.
SMALL: dict[str, Settings] = {
    **{name: {"units": 128} for name in ("ctrn", "qrnn", "lstm", "cnn")},
    "ap-cnn": {"units": 128},
    "ap-bilstm": {"units": 64},  # in each direction
}

RECIPES: dict[str, dict[str, Settings]] = {"paper": {}, "small": SMALL}

# What the paper does on one data set only.
DATASETS: dict[str, Settings] = {
    "trecqa-raw": {"overlap": True},
    "trecqa-clean": {"overlap": True},
    "trecqa-all": {"overlap": True, "epochs": 5},
}

# The settings that a model takes as arguments, and its class.
_DENSE = ("hidden_units", "hidden_layers", "activation", "word_dropout")
POINTWISE: dict[str, tuple[type[keras.Model], tuple[str, ...]]] = {
    "ctrn": (
        CTRN,
        (*_DENSE, "kernel_size", "crossed_input", "alignment", "zoneout"),
    ),
    "qrnn": (QRNNRanker, (*_DENSE, "kernel_size", "pooling", "zoneout")),
    "lstm": (LSTMRanker, (*_DENSE, "pooling")),
    "cnn": (CNNRanker, (*_DENSE, "kernel_size", "pooling")),
}
ATTENTIVE: dict[str, tuple[type[keras.Model], tuple[str, ...]]] = {
    "ap-bilstm": (APBiLSTM, ()),
    "ap-cnn": (APCNN, ("kernel_size",)),
}
MODELS = (*POINTWISE, *ATTENTIVE, "overlap", "bm25", "cosine")


def build_model(
    model: str,
    settings: Settings,
    matrix: np.ndarray,
    longest: Mapping[str, int],
) -> keras.Model:
    """A ranker over frozen word vectors.

    Args:
        model: the model's name.
        settings: the settings.
        matrix: word vectors by word id, float32 `(words, dim)`.
        longest: lengths of the longest `"question"` and `"answer"`, to which
            texts are padded if padding counts.

    Raises:
        SettingsError: if features of overlap are switched off for the model
            that has nothing else.
    """
    if model == "overlap":
        if not settings["overlap"]:
            raise SettingsError(
                "the setting `overlap` must be true for the model overlap. "
                "Received: overlap=False"
            )
        return overlap_model()
    model_class, names = {**POINTWISE, **ATTENTIVE}[model]
    arguments: dict[str, Any] = {
        name: settings[name]
        for name in (*names, "projection_dim", "units", "dropout", "l2")
    }
    if model in POINTWISE and settings["overlap"]:
        arguments["overlap_features"] = len(OverlapFeatures.names)
    if model == "ctrn" and settings["alignment"] == "padded":
        arguments["question_length"] = longest["question"]
        arguments["answer_length"] = longest["answer"]
    vocabulary_size, embedding_dim = matrix.shape
    return model_class(
        vocabulary_size=vocabulary_size,
        embedding_dim=embedding_dim,
        embeddings=matrix,
        **arguments,
    )


def overlap_model() -> keras.Model:
    """A logistic regression on the features of overlap.

    It has the inputs of the other models and looks at neither text.
    """
    texts = {
        side: keras.Input((None,), dtype="int32", name=side)
        for side in ("question", "answer")
    }
    overlap = keras.Input((len(OverlapFeatures.names),), name="overlap")
    standardize = FeatureStandardization(name="overlap_normalization")
    score = keras.layers.Dense(1, name="score")(standardize(overlap))
    model = keras.Model({**texts, "overlap": overlap}, score, name="overlap")
    model.overlap_normalization = standardize
    return model


def pointwise_training(
    ranker: Ranker, settings: Settings, experiment: Experiment
) -> PointwiseBatches:
    """Compiles a scorer for equation 3 and makes what it is fitted on.

    The features of overlap are standardised by the training pairs.
    """
    corpus, scorer = ranker.corpus, ranker.scorer
    fit = corpus.index(experiment.fit)
    pairs = fit.pairs()
    features = ranker.features(*pairs)
    if features:
        scorer.overlap_normalization.adapt(features["overlap"])
    scorer.compile(
        keras.optimizers.Adam(settings["learning_rate"]),
        # The score is the log-odds of the softmax's two classes.
        loss=keras.losses.BinaryCrossentropy(from_logits=True),
    )
    return PointwiseBatches(
        corpus.texts,
        *pairs,
        np.concatenate(fit.labels),
        batch_size=settings["batch_size"],
        seed=experiment.arguments.seed,
        features=features,
        widths={
            side: scorer.input[side].shape[1] for side in ("question", "answer")
        },
    )


def longest_texts(experiment: Experiment) -> dict[str, int]:
    """The lengths of the longest question and the longest answer."""
    corpus = experiment.corpus
    parts = (experiment.fit, experiment.select, experiment.report)
    questions, answers = zip(
        *(corpus.index(part).pairs() for part in parts), strict=True
    )
    lengths = corpus.texts.lengths
    return {
        side: max(1, int(lengths[np.concatenate(texts)].max()))
        for side, texts in (("question", questions), ("answer", answers))
    }


def train(experiment: Experiment) -> Outcome:
    """Fits the model, loads its best epoch, ranks the reported questions."""
    arguments, settings = experiment.arguments, experiment.settings
    corpus = experiment.corpus
    keras.utils.set_random_seed(arguments.seed)
    scorer = build_model(
        arguments.model,
        settings,
        experiment.matrix,
        longest_texts(experiment),
    )
    if arguments.model in ATTENTIVE:
        ranker = Ranker(scorer, corpus)
        trainer, batches = pairwise_training(
            ranker.scorer,
            keras.optimizers.Adam(settings["learning_rate"]),
            settings,
            corpus.texts,
            corpus.index(experiment.fit),
            ranker.distinct_scores,
            seed=arguments.seed,
        )
        return fit_and_rank(
            experiment, ranker, trainer, batches, settings["patience"]
        )
    overlap = None
    if settings["overlap"]:
        # Document frequencies of the training texts alone.
        overlap = OverlapFeatures.fit(corpus.sentences(experiment.fit))
    ranker = Ranker(scorer, corpus, overlap)
    return fit_and_rank(
        experiment,
        ranker,
        scorer,
        pointwise_training(ranker, settings, experiment),
        settings["patience"],
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one model with one seed and prints its figures."""
    arguments = parse_arguments(
        "ctrn", __doc__.splitlines()[0], MODELS, tuple(RECIPES), argv
    )
    return run_script("ctrn", arguments, settings_of, train)


def settings_of(arguments: Namespace) -> Settings:
    """The settings that a command line asks for."""
    return resolve_settings(
        PAPER,
        DATASETS.get(arguments.dataset, {}),
        BASELINES.get(arguments.model, {}),
        RECIPES[arguments.recipe].get(arguments.model, {}),
        {} if arguments.epochs is None else {"epochs": arguments.epochs},
        overrides=arguments.overrides,
    )


if __name__ == "__main__":
    sys.exit(main())
