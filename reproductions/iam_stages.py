"""IAM's stages before the matcher: two language models, and the jump's RBM.

Each is kept in the folder of the stages, under a fingerprint of all that it
depends on, and used by every run for which that is the same.
"""

from argparse import Namespace
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import keras
import numpy as np

from keras_qa.datasets.base import Question
from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.packing import RaggedTexts
from keras_qa.language_modeling import LanguageModelBatches
from keras_qa.language_modeling import class_sequences
from keras_qa.language_modeling import output_classes
from keras_qa.language_modeling import perplexity
from keras_qa.layers import RBMJumpScore
from keras_qa.models import BidirectionalLanguageModel
from keras_qa.ngrams import BigramModel
from keras_qa.ngrams import UnigramModel
from reproductions.common import Experiment
from reproductions.folder import SETTINGS
from reproductions.folder import RunFolder
from reproductions.folder import keep_only
from reproductions.options import Settings
from reproductions.options import SettingsError
from reproductions.stages import run_stage
from reproductions.training import EpochSeconds
from reproductions.training import EpochSelector
from reproductions.training import ProgressBar
from reproductions.vectors import fingerprint

STAGES = ("all", "lm", "rbm", "match")
SIDES = ("question", "answer")
LM_WEIGHTS = "language-model.weights.h5"
RBM_WEIGHTS = "rbm.npz"

# What a stage depends on, beside the settings that begin with its name.
_TRAINING = ("batch_size", "clipnorm", "decay", "decay_epochs")
_LM = (*_TRAINING, "optimizer", "units", "layers", "dropout",
       "initializer_range")  # fmt: skip
_RBM = (*_TRAINING, "initializer_range", "jump_offset", "jump_temperature")

# Positions of answers whose states are computed at a time.
POSITIONS = 1 << 14


@dataclass(frozen=True)
class Stages:
    """What the matcher starts from.

    Attributes:
        language_models: the trained models of both sides.
        jump: the trained score of jumps, if it was asked for.
        metrics: what the stages are known by: of each, the content of its
            `metrics.json`, and the name of its folder.
    """

    language_models: dict[str, BidirectionalLanguageModel]
    jump: RBMJumpScore | None
    metrics: dict[str, Any]


def run_stages(experiment: Experiment, jump: bool = True) -> Stages:
    """Makes the stages before the matcher, or reuses them.

    With `--stage all` what is missing is made; otherwise only the stage that is
    named, and those before it must be there.

    Args:
        experiment: the experiment.
        jump: whether the jump's stage is needed.

    Raises:
        StageError: if a stage is missing that must be there.
    """
    asked, root = experiment.arguments.stage, stage_root(experiment.arguments)
    folders = {
        f"lm-{side}": run_stage(
            root,
            f"lm-{side}",
            _lm_inputs(experiment, side),
            partial(train_language_model, experiment, side)
            if asked in ("all", "lm")
            else None,
        )
        for side in SIDES
    }
    models = {
        side: _load_language_model(experiment, side, folders[f"lm-{side}"])
        for side in SIDES
    }
    score = None
    if asked != "lm" and (jump or asked == "rbm"):
        folders["rbm"] = run_stage(
            root,
            "rbm",
            _rbm_inputs(experiment, folders["lm-answer"]),
            partial(train_jump, experiment, models["answer"])
            if asked in ("all", "rbm")
            else None,
        )
        score = _load_jump(experiment.settings, folders["rbm"])
    return Stages(
        models,
        score,
        {
            name: {"folder": f.path.name, **f.read_json("metrics.json")}
            for name, f in folders.items()
        },
    )


def stage_root(arguments: Namespace) -> Path:
    """The folder of the stages: `--stage-dir`, or one in the run's folder."""
    return arguments.stage_dir or arguments.output_dir / "stages"


def build_optimizer(
    settings: Settings, rate: float
) -> keras.optimizers.Optimizer:
    """The optimizer of the recipe, with a limit of the gradient's norm.

    Args:
        settings: `optimizer` and `clipnorm`, 0 for no limit.
        rate: learning rate to start with.
    """
    return keras.optimizers.get(
        {
            "class_name": settings["optimizer"],
            "config": {
                "learning_rate": rate,
                # Of all weights together (Pascanu et al., 2013).
                "global_clipnorm": settings["clipnorm"] or None,
            },
        }
    )


def learning_rates(
    settings: Settings, rate: float
) -> list[keras.callbacks.Callback]:
    """The callback that sets the learning rate of each epoch, if it decays.

    It depends on the epoch's number alone, so that a resumed training goes on
    as if it had never stopped.

    Args:
        settings: `decay`: `"once"`, half after `decay_epochs`; `"each"`, half
            again after each epoch from then on; or `"none"`.
        rate: learning rate to start with.

    Raises:
        SettingsError: if `decay` is unknown.
    """
    first = settings["decay_epochs"]
    halvings = {
        "none": lambda epoch: 0,
        "once": lambda epoch: int(epoch >= first),
        "each": lambda epoch: max(0, epoch - first + 1),
    }
    if settings["decay"] not in halvings:
        raise SettingsError(
            f"the setting `decay` must be one of {sorted(halvings)}. "
            f"Received: decay={settings['decay']!r}"
        )
    if settings["decay"] == "none":
        return []
    halved = halvings[settings["decay"]]
    return [
        keras.callbacks.LearningRateScheduler(
            lambda epoch, _: rate * 0.5 ** halved(epoch)
        )
    ]


def side_texts(
    corpus: Corpus, questions: Sequence[Question], side: str
) -> np.ndarray:
    """Indices of the different questions, or candidates, of some questions."""
    indexed = corpus.index(questions)
    if side == "question":
        return np.unique(indexed.question_texts)
    return np.unique(np.concatenate(indexed.candidate_texts))


def _lm_texts(experiment: Experiment, side: str) -> list[RaggedTexts]:
    """Texts to train on and, without these, those that choose the epoch."""
    corpus = experiment.corpus
    fit = side_texts(corpus, experiment.fit, side)
    select = side_texts(corpus, experiment.select, side)
    unseen = np.setdiff1d(select, fit)
    # Of a few generated questions all may be in both.
    held_out = unseen if len(unseen) else select
    return [corpus.texts.take(chosen) for chosen in (fit, held_out)]


def _lm_inputs(experiment: Experiment, side: str) -> dict[str, Any]:
    """All that the language model of one side depends on."""
    texts = [
        fingerprint(part.ids.tobytes() + part.offsets.tobytes())
        for part in _lm_texts(experiment, side)
    ]
    return {
        "side": side,
        "seed": experiment.arguments.seed,
        **_chosen(experiment.settings, "lm_", _LM),
        "lm_epochs": _epochs(experiment, "lm_epochs"),
        "texts": texts,
        "vectors": fingerprint(experiment.matrix.tobytes()),
    }


def _chosen(
    settings: Settings, prefix: str, names: Sequence[str]
) -> dict[str, Any]:
    return {
        name: value
        for name, value in settings.items()
        if name in names or name.startswith(prefix)
    }


def _epochs(experiment: Experiment, name: str) -> int:
    smoke = experiment.arguments.smoke
    return experiment.settings["smoke_epochs" if smoke else name]


def build_language_model(
    experiment: Experiment, side: str
) -> BidirectionalLanguageModel:
    """The language model of one side, untrained.

    Args:
        experiment: the experiment.
        side: `"question"` or `"answer"`.
    """
    settings, matrix = experiment.settings, experiment.matrix
    train, _ = _lm_texts(experiment, side)
    words, dim = matrix.shape
    return BidirectionalLanguageModel(
        words,
        dim,
        settings["units"],
        settings["layers"],
        classes=output_classes(
            train,
            words,
            min_count=settings["lm_min_count"],
            max_classes=settings["lm_max_classes"],
        ),
        dropout=settings["dropout"],
        embeddings=matrix,
        shared_softmax=settings["lm_shared_softmax"],
        loss_per=settings["lm_loss_per"],
        initializer_range=settings["initializer_range"],
        name=f"{side}_language_model",
    )


def train_language_model(
    experiment: Experiment, side: str, folder: RunFolder
) -> dict[str, Any]:
    """Trains the language model of one side; keeps its best epoch.

    Args:
        experiment: the experiment.
        side: `"question"` or `"answer"`.
        folder: the stage's folder; an interrupted training goes on.

    Returns:
        What is known about it: perplexities of the texts that choose the epoch,
        its own and those of a unigram and a bigram model that predict the same
        classes, learnt from the same texts.
    """
    arguments, settings = experiment.arguments, experiment.settings
    keras.utils.set_random_seed(arguments.seed)
    model = build_language_model(experiment, side)
    rate = settings["lm_learning_rate"]
    model.compile(build_optimizer(settings, rate))
    train, held_out = _lm_texts(experiment, side)
    batches = LanguageModelBatches(
        train, settings["batch_size"], arguments.seed
    )
    epochs = _epochs(experiment, "lm_epochs")
    selector = EpochSelector(
        folder,
        lambda: _perplexities(model, held_out),
        "log_likelihood",
        settings["lm_patience"],
    )
    done = selector.restore(model)
    bar = ProgressBar(epochs, done, f"lm-{side}", "perplexity")
    model.fit(
        batches,
        **batches.fit_arguments(
            epochs=epochs,
            initial_epoch=epochs if selector.out_of_patience else done,
            callbacks=[*learning_rates(settings, rate), selector, bar],
            verbose=0,
        ),
    )
    selector.load_best(model)
    folder.write(LM_WEIGHTS, model.save_weights)
    keep_only(folder.path, {SETTINGS, LM_WEIGHTS, "history.csv"})
    best = selector.history[selector.best_epoch - 1]
    return {
        "texts": len(train),
        "held_out_texts": len(held_out),
        "classes": model.class_count,
        "epoch": selector.best_epoch,
        "epochs": len(selector.history),
        "perplexity": {name: best[name] for name in ("forward", "backward")},
        **_ngram_perplexities(model, train, held_out),
        "seconds_per_epoch": _median_seconds(
            [row["seconds"] for row in selector.history]
        ),
    }


@dataclass(frozen=True)
class _Perplexities:
    metrics: dict[str, float]


def _perplexities(
    model: BidirectionalLanguageModel, texts: RaggedTexts
) -> _Perplexities:
    found = perplexity(model, texts)
    # Both directions predict as many words.
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
    """The perplexities of simpler models of the same classes."""
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


def _load_language_model(
    experiment: Experiment, side: str, folder: RunFolder
) -> BidirectionalLanguageModel:
    model = build_language_model(experiment, side)
    model.load_weights(folder.path / LM_WEIGHTS)
    return model


def _rbm_inputs(experiment: Experiment, answers: RunFolder) -> dict[str, Any]:
    """All that the jump's stage depends on."""
    return {
        "seed": experiment.arguments.seed,
        **_chosen(experiment.settings, "rbm_", _RBM),
        "rbm_epochs": _epochs(experiment, "rbm_epochs"),
        "states": answers.path.name,
    }


def train_jump(
    experiment: Experiment, model: BidirectionalLanguageModel, folder: RunFolder
) -> dict[str, Any]:
    """Trains the score of jumps on the states of the training answers.

    Args:
        experiment: the experiment.
        model: the trained language model of answers.
        folder: the stage's folder.

    Returns:
        What is known about it: numbers of texts, and by epoch the mean energy
        gap and the error of the reconstructions.
    """
    arguments, settings = experiment.arguments, experiment.settings
    keras.utils.set_random_seed(arguments.seed)
    score = _jump(settings)
    texts, _ = _lm_texts(experiment, "answer")
    most = settings["rbm_answers"]
    if len(texts) > most:
        # The states of all words are kept in memory.
        rng = np.random.default_rng(arguments.seed)
        texts = texts.take(np.sort(rng.permutation(len(texts))[:most]))
    epochs = _epochs(experiment, "rbm_epochs")
    rate = settings["rbm_learning_rate"]
    clock = EpochSeconds()
    history = score.fit(
        text_states(model.encoder, texts),
        epochs=epochs,
        batch_size=settings["batch_size"],
        learning_rate=rate,
        clipnorm=settings["clipnorm"] or None,
        k=settings["rbm_k"],
        seed=arguments.seed,
        callbacks=[
            *learning_rates(settings, rate),
            clock,
            ProgressBar(epochs, 0, "rbm", "reconstruction_error"),
        ],
        verbose=0,
    ).history
    values = {w.name: keras.ops.convert_to_numpy(w) for w in score.weights}
    folder.write(RBM_WEIGHTS, lambda path: np.savez(path, **values))
    return {
        "texts": len(texts),
        "epochs": epochs,
        "energy_gap": history["loss"],
        "reconstruction_error": history["reconstruction_error"],
        "seconds_per_epoch": _median_seconds(clock.seconds),
    }


def jump_arguments(settings: Settings) -> dict[str, Any]:
    """The arguments of `RBMJumpScore` that the settings hold."""
    names = ("offset", "temperature", "scale", "max_exponent")
    return {name: settings[f"jump_{name}"] for name in names}


def _jump(settings: Settings) -> RBMJumpScore:
    score = RBMJumpScore(
        initializer_range=settings["initializer_range"],
        **jump_arguments(settings),
    )
    score.build((None, None, 2 * settings["units"]))
    return score


def _load_jump(settings: Settings, folder: RunFolder) -> RBMJumpScore:
    score = _jump(settings)
    with np.load(folder.path / RBM_WEIGHTS) as values:
        for weight in score.weights:
            weight.assign(values[weight.name])
    return score


def text_states(
    encoder: keras.Model, texts: RaggedTexts
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The states of texts, those of like lengths together.

    Args:
        encoder: a language model's.
        texts: the texts.

    Yields:
        States `(n, length, dim)` and mask `(n, length)`.
    """
    order = np.argsort(-texts.lengths, kind="stable")
    start = 0
    while start < len(order):
        width = int(texts.lengths[order[start]]) + 1
        chosen = order[start : start + max(1, POSITIONS // width)]
        found = encoder.predict_on_batch(texts.padded(chosen))
        yield found["states"], found["mask"]
        start += len(chosen)


def _median_seconds(seconds: Sequence[float]) -> float:
    return float(np.median(seconds))
