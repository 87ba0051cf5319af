"""MRNN (Cakaloglu et al., ICAART 2023): Tables 4 to 7, with their baselines.

    python -m reproductions.mrnn --dataset wikiqa --data-dir DIR \
        --embeddings bert:minilm glove.6B.300d.txt --seed 1 --split test

`mrnn` reads the mixture of all vectors of `--embeddings`, of each word alone
(Tables 2 and 3): four layers of a BERT (`bert:SOURCE`), the top of an ELMo
(`elmo:DIR`), and vectors of a file, such as a fastText model, the last two
weighed by idf. `mrnn-contextual` reads those of each word in its text; it is
exported for Keras alone, as it takes no text. `--set n_gram_attention=false`
and `--set query_attention=false` leave out one of the attentions. The models of
other papers have their own settings, as the paper's have.

Of `squad` and `quasar-t` recall@1, @3 and @5 are measured besides; SQuAD has no
test set, so its figures are those of `--split dev`. An epoch of `--recipe
small` takes some seconds on WikiQA and 2 cores; the published sizes need a GPU
(`TripletTrainer` says what memory a step takes).
"""

import sys
from argparse import Namespace
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import keras

from keras_qa.batches.triplets import TripletBatches
from keras_qa.initializers import ScaledIdentity
from keras_qa.losses.triplet import TripletLoss
from keras_qa.models import MRNN
from keras_qa.training.triplets import TripletTrainer
from reproductions.ctrn import experiment as ctrn
from reproductions.harness.experiment import COMMON_SETTINGS
from reproductions.harness.experiment import Experiment
from reproductions.harness.experiment import Outcome
from reproductions.harness.experiment import run_script
from reproductions.harness.fitting import Ranker
from reproductions.harness.fitting import fit_and_rank
from reproductions.harness.settings import Settings
from reproductions.harness.settings import parse_arguments
from reproductions.harness.settings import resolve_settings
from reproductions.harness.vectors import CONTEXTUAL
from reproductions.hyperqa import experiment as hyperqa
from reproductions.mrnn.texts import contextual_texts
from reproductions.qa_lstm import experiment as qa_lstm

# The recipe as published, section 4.3.2 where nothing else is named.
PAPER: Settings = {
    **COMMON_SETTINGS,
    "bert_order": "top",  # Table 2: not stated
    "w_idf": 1.0,  # Table 2
    "filters": 1024,  # s
    "blocks": 4,  # N on WikiQA and TrecQA
    "kernel_size": 3,  # ws
    "pooling": "max",  # not stated
    "pooling_window": 2,  # not stated
    "momentum": 0.99,  # of batch normalisation; not stated
    "alpha": 0.25,  # of PReLU; not stated
    "share_blocks": True,  # not stated
    "max_document_length": 256,  # equation 10; not stated
    "hidden_units": [],  # equations 7, 10: "fully connected layers"
    # Not stated, how the softmax blocks start: from so many times the identity;
    # None: at random.
    "block_gain": None,  # equation 7
    "position_gain": 1.0,  # equation 10
    "share_attention": True,  # equation 7: one f
    "n_gram_attention": True,
    "query_attention": True,
    "without_n_gram_attention": "mean",
    "dropout": 0.0,  # not stated
    "trainable_embeddings": False,  # not stated
    "margin": 0.5,  # on WikiQA and TrecQA
    "mining": "hard",  # 3.4
    "squared": False,  # equation 13: of the distance
    "reduction": "sum_over_batch_size",  # not stated
    "positives": None,  # not stated: all of a question
    "negatives": 0,  # 3.4: those of other questions alone
    "learning_rate": 1e-4,
    "weight_decay": 1e-3,
    "batch_size": 512,
    "chunk": 16,  # texts that are encoded together: bounds the memory
    "epochs": 25,  # not stated, chosen
    "patience": 0,  # not stated
    "monitor": "MAP",  # not stated
    "first_stage": 100,  # not stated: BM25's candidates on SQuAD
    "paragraphs": "all",  # 4.2: "out all possible documents"
    "contexts": "short",  # 4.1.3: not stated
    "relevance": "words",  # 4.1.3: not stated
    "pool_size": 500,  # candidates of a question at most; QUASAR-T has 100
}

# What the paper does on one data set only.
DATASETS: dict[str, Settings] = {
    "squad": {"blocks": 6, "margin": 1.0, "monitor": "recall@5"},
    "quasar-t": {"blocks": 6, "margin": 0.8, "monitor": "recall@5"},
}

# For 2 cores; rate and start from trials on folds of train. From the identity
# itself, whose dot products of so many numbers saturate the softmax, the second
# attention hardly learns.
SMALL: Settings = {
    "filters": 128,
    "max_document_length": 64,
    "block_gain": 0.01,
    "position_gain": 0.03,
    "momentum": 0.9,
    "learning_rate": 1e-3,
    "batch_size": 64,
    "chunk": None,
    "epochs": 15,
}
RECIPES: dict[str, Settings] = {"paper": {}, "small": SMALL}

# Models of Tables 5 and 7, and HyperQA, that other papers' scripts have, with
# the settings of these.
BASELINES: dict[str, ModuleType] = {
    "qa-lstm": qa_lstm,
    "attentive-lstm": qa_lstm,
    "ap-bilstm": ctrn,
    "ap-cnn": ctrn,
    "hyperqa": hyperqa,
}
OWN = ("mrnn", CONTEXTUAL)
MODELS = (*OWN, *BASELINES, "bm25", "cosine")

# HyperQA's recipe is as small as it needs to be.
RECIPE_OF = {"hyperqa": {"small": "best"}}


def build_model(
    settings: Settings,
    vocabulary_size: int | None,
    embedding_dim: int,
    **arguments: Any,
) -> MRNN:
    """The scorer.

    Args:
        settings: the settings.
        vocabulary_size: number of word ids; None for a model of vectors.
        embedding_dim: size of the word vectors.
        **arguments: further arguments of `MRNN`.
    """
    names = (
        *("filters", "blocks", "kernel_size", "max_document_length"),
        *("momentum", "hidden_units", "n_gram_attention", "query_attention"),
        *("without_n_gram_attention", "share_blocks", "share_attention"),
        *("alpha", "dropout", "trainable_embeddings"),
    )
    pooling = settings["pooling"]
    return MRNN(
        vocabulary_size,
        embedding_dim,
        pooling=None if pooling == "none" else pooling,
        pool_size=settings["pooling_window"],
        block_initializer=_start(settings["block_gain"]),
        position_initializer=_start(settings["position_gain"]),
        **{name: settings[name] for name in names},
        **arguments,
    )


def _start(gain: float | None) -> keras.initializers.Initializer:
    """How the kernels of a softmax block start."""
    if gain is None:
        return keras.initializers.GlorotUniform()
    return ScaledIdentity(gain)


def build_ranker(experiment: Experiment) -> Ranker:
    """The scorer, and the texts that it reads."""
    settings, matrix = experiment.settings, experiment.matrix
    contextual = experiment.arguments.model == CONTEXTUAL
    texts = contextual_texts(experiment) if contextual else None
    # After the vectors: what was computed must not change how weights start.
    keras.utils.set_random_seed(experiment.arguments.seed)
    if texts is None:
        scorer = build_model(settings, *matrix.shape, embeddings=matrix)
    else:
        scorer = build_model(settings, None, texts.vectors.shape[1])
    return Ranker(scorer, experiment.corpus, vectors=texts)


def train(experiment: Experiment) -> Outcome:
    """Fits the model, loads its best epoch, ranks the reported questions."""
    arguments, settings = experiment.arguments, experiment.settings
    if arguments.model in BASELINES:
        return BASELINES[arguments.model].train(experiment)
    ranker = build_ranker(experiment)
    fit = experiment.corpus.index(experiment.fit)
    trainer = TripletTrainer(ranker.scorer)
    trainer.compile(
        keras.optimizers.AdamW(
            settings["learning_rate"], weight_decay=settings["weight_decay"]
        ),
        TripletLoss(
            settings["margin"],
            settings["mining"],
            settings["squared"],
            settings["reduction"],
        ),
    )
    batches = TripletBatches(
        ranker.texts,
        fit.question_texts,
        fit.candidate_texts,
        fit.labels,
        batch_size=settings["batch_size"],
        seed=arguments.seed,
        positives=settings["positives"],
        negatives=settings["negatives"],
        chunk=settings["chunk"],
    )
    return fit_and_rank(
        experiment,
        ranker,
        trainer,
        batches,
        settings["patience"],
        settings["monitor"],
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one model with one seed and prints its figures."""
    arguments = parse_arguments(
        "mrnn", __doc__.splitlines()[0], MODELS, tuple(RECIPES), argv
    )
    return run_script("mrnn", arguments, settings_of, train)


def settings_of(arguments: Namespace) -> Settings:
    """The settings that a command line asks for."""
    if arguments.model in BASELINES:
        recipes = RECIPE_OF.get(arguments.model, {})
        recipe = recipes.get(arguments.recipe, arguments.recipe)
        own = Namespace(**{**vars(arguments), "recipe": recipe})
        return BASELINES[arguments.model].settings_of(own)
    return resolve_settings(
        PAPER,
        DATASETS.get(arguments.dataset, {}),
        RECIPES[arguments.recipe],
        {} if arguments.epochs is None else {"epochs": arguments.epochs},
        overrides=arguments.overrides,
    )


if __name__ == "__main__":
    sys.exit(main())
