"""IAM's first stage: language models of questions and of answers."""

from collections.abc import Sequence
from dataclasses import asdict
from dataclasses import dataclass
from functools import partial
from typing import Any

import keras
import numpy as np

from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Question
from keras_qa.models import BidirectionalLanguageModel
from keras_qa.text.ngrams import BigramModel
from keras_qa.text.ngrams import UnigramModel
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.sides import SIDES
from keras_qa.training.epoch_selection import load_weights
from keras_qa.training.epoch_selection import save_weights
from keras_qa.training.fitting import fit_best_epoch
from keras_qa.training.language_model import LanguageModelBatches
from keras_qa.training.language_model import class_sequences
from keras_qa.training.language_model import output_classes
from keras_qa.training.language_model import perplexity
from keras_qa.training.run_folder import HISTORY
from keras_qa.training.run_folder import RunFolder
from reproductions.harness.parts.runs import Run
from reproductions.harness.vectors import fingerprint
from reproductions.iam.optimizer import TRAINING
from reproductions.iam.optimizer import build_optimizer
from reproductions.iam.optimizer import learning_rates
from reproductions.iam.settings import IAMSettings

WEIGHTS = "language-model.weights.h5"
FILES = (WEIGHTS, HISTORY)

# The settings that the stage depends on, in addition to `lm_*`.
SHARED = (*TRAINING, "units", "layers")


def side_texts(
    corpus: Corpus, questions: Sequence[Question], side: str
) -> np.ndarray:
    """Indices of the distinct questions, or candidates, int `(texts,)`."""
    indexed = corpus.index(questions)
    if side == "question":
        return np.unique(indexed.question_texts)
    return np.unique(np.concatenate(indexed.candidate_texts))


def language_model_texts(run: Run[IAMSettings], side: str) -> list[RaggedTexts]:
    """The texts to train on, and other texts that choose the epoch.

    With `average_last`, by which nothing is held out and no epoch chosen, the
    others are a part of those to train on.

    Args:
        run: the run.
        side: `"question"` or `"answer"`.
    """
    corpus = run.corpus
    fit = side_texts(corpus, run.fit, side)
    select = side_texts(corpus, run.select, side)
    if run.settings.folds:
        # The matcher may be fitted on the questions to select with, too.
        fit = np.setdiff1d(fit, select)
    unseen = np.setdiff1d(select, fit)
    # In a small data set all held-out texts may also be training texts.
    held_out = unseen if len(unseen) else select
    return [corpus.texts.take(chosen) for chosen in (fit, held_out)]


def language_model_inputs(run: Run[IAMSettings], side: str) -> dict[str, Any]:
    """The inputs of the stage of one side, for its fingerprint."""
    texts = [
        fingerprint(part.ids.tobytes() + part.offsets.tobytes())
        for part in language_model_texts(run, side)
    ]
    settings = chosen_settings(run.settings, "lm_", SHARED)
    for each in SIDES:
        settings.pop(f"lm_{each}_epochs")
    return {
        "side": side,
        "seed": run.arguments.seed,
        **settings,
        "epochs": stage_epochs(run, f"lm_{side}_epochs"),
        "texts": texts,
        "vectors": fingerprint(run.matrix.tobytes()),
    }


def chosen_settings(
    settings: IAMSettings, prefix: str, names: Sequence[str]
) -> dict[str, Any]:
    """The settings that a stage depends on.

    Args:
        settings: all settings.
        prefix: the stage depends on all settings whose names begin with it.
        names: names of further settings.
    """
    return {
        name: value
        for name, value in asdict(settings).items()
        if name in names or name.startswith(prefix)
    }


def stage_epochs(run: Run[IAMSettings], name: str) -> int:
    """The number of epochs of a stage: this setting, or `smoke_epochs`."""
    return getattr(
        run.settings, "smoke_epochs" if run.arguments.smoke else name
    )


def build_language_model(
    run: Run[IAMSettings], side: str
) -> BidirectionalLanguageModel:
    """The language model of one side, untrained.

    Args:
        run: the run.
        side: `"question"` or `"answer"`.
    """
    settings, matrix = run.settings, run.matrix
    train, _ = language_model_texts(run, side)
    words, dim = matrix.shape
    return BidirectionalLanguageModel(
        words,
        dim,
        settings.units,
        settings.layers,
        classes=output_classes(
            train,
            words,
            min_count=settings.lm_min_count,
            max_classes=settings.lm_max_classes,
        ),
        dropout=settings.lm_dropout,
        embeddings=matrix,
        trainable_embeddings=settings.lm_trainable_embeddings,
        shared_softmax=settings.lm_shared_softmax,
        loss_per=settings.lm_loss_per,
        initializer_range=settings.lm_initializer_range,
        name=f"{side}_language_model",
    )


def train_language_model(
    run: Run[IAMSettings], side: str, folder: RunFolder
) -> dict[str, Any]:
    """Trains the language model of one side and keeps its best epoch.

    With `average_last` it keeps the last one: no text is held out to choose by.

    Args:
        run: the run.
        side: `"question"` or `"answer"`.
        folder: the stage's folder; an interrupted training is continued.

    Returns:
        Content of the stage's `metrics.json`, with perplexities of the texts
        that choose the epoch: the model's, and those of a unigram and a bigram
        model of the same classes and training texts.
    """
    arguments, settings = run.arguments, run.settings
    fixed = bool(settings.average_last and not settings.folds)
    keras.utils.set_random_seed(arguments.seed)
    model = build_language_model(run, side)
    rate = settings.lm_learning_rate
    model.compile(
        build_optimizer(settings.lm_optimizer, rate, settings.clipnorm)
    )
    train, held_out = language_model_texts(run, side)
    batches = LanguageModelBatches(train, settings.batch_size, arguments.seed)
    selector = fit_best_epoch(
        model,
        batches,
        folder,
        lambda: _perplexities(model, held_out),
        stage_epochs(run, f"lm_{side}_epochs"),
        monitor="log_likelihood",
        patience=0 if fixed else settings.lm_patience,
        average_last=1 if fixed else 0,
        title=f"lm-{side}",
        shown="perplexity",
        callbacks=learning_rates(settings, rate),
    )
    folder.write(WEIGHTS, partial(save_weights, model))
    (epoch,) = selector.chosen_epochs
    best = selector.history[epoch - 1]
    return {
        "texts": len(train),
        "held_out_texts": len(held_out),
        "classes": model.class_count,
        "epoch": epoch,
        "epochs": len(selector.history),
        "perplexity": {name: best[name] for name in ("forward", "backward")},
        **_ngram_perplexities(model, train, held_out),
        "seconds_per_epoch": float(
            np.median([row["seconds"] for row in selector.history])
        ),
    }


@dataclass(frozen=True)
class _Perplexities:
    metrics: dict[str, float]


def _perplexities(
    model: BidirectionalLanguageModel, texts: RaggedTexts
) -> _Perplexities:
    found = perplexity(model, texts)
    # Both directions predict the same number of words.
    likelihood = -float(np.mean(np.log(list(found.values()))))
    return _Perplexities(
        {
            "log_likelihood": likelihood,
            "perplexity": float(np.exp(-likelihood)),
            **found,
        }
    )


def _ngram_perplexities(
    model: BidirectionalLanguageModel, train: RaggedTexts, held_out: RaggedTexts
) -> dict[str, dict[str, float]]:
    """Perplexities of n-gram models of the same classes."""
    found: dict[str, dict[str, float]] = {"unigram": {}, "bigram": {}}
    for direction in ("forward", "backward"):
        known, asked = (
            list(class_sequences(model, texts, direction))
            for texts in (train, held_out)
        )
        for name, kind in (("unigram", UnigramModel), ("bigram", BigramModel)):
            simple = kind(model.class_count).fit(known)
            found[name][direction] = simple.perplexity(asked)
    return found


def load_language_model(
    run: Run[IAMSettings], side: str, folder: RunFolder
) -> BidirectionalLanguageModel:
    """The trained model of a finished stage.

    Raises:
        RunFolderError: if the weights are damaged, or of another model.
    """
    model = build_language_model(run, side)
    load_weights(model, folder.path / WEIGHTS)
    return model
