"""The settings of the other systems, with the papers that state them.

A default is that of the paper in brackets; `MODELS` has what other systems'
papers state. What is neither is a choice of ours ("ours"): those papers are not
at hand, or do not state it.
"""

from dataclasses import dataclass
from typing import Any

from reproductions.harness.parts.recipes import Recipe
from reproductions.harness.parts.setting_fields import setting
from reproductions.harness.settings import ACTIVATIONS
from reproductions.harness.settings import OPTIMIZERS
from reproductions.harness.settings import CommonSettings

_SEVERYN_MOSCHITTI = "Severyn and Moschitti (2015)"
_HE = "He et al. (2015)"


@dataclass(frozen=True)
class SystemsSettings(CommonSettings):
    """Each system as published, as far as its paper is at hand."""

    # Of the models: each takes those that `classes.CLASSES` lists for it.
    overlap: bool = setting(
        False, _SEVERYN_MOSCHITTI, "four features, of models that take them"
    )
    filters: int = setting(100, _SEVERYN_MOSCHITTI, above=0)
    kernel_size: int = setting(5, _SEVERYN_MOSCHITTI, "in words", above=0)
    activation: str = setting("relu", _SEVERYN_MOSCHITTI, choices=ACTIVATIONS)
    max_width: int = setting(3, _HE, "of filters, in words", above=0)
    per_dimension_filters: int = setting(20, _HE, "numFilter_B", above=0)
    hidden_units: int | None = setting(150, _HE, "null: no layer", above=0)
    ngram: int = setting(
        2, "Yu et al. (2014), 3.2", "1: the bag of words", choices=(1, 2)
    )
    units: int = setting(50, "Wan et al. (2016)", "of an LSTM", above=0)
    blocks: int = setting(
        2, "Yin et al. (2016)", "of convolution and pooling", above=0
    )
    k: int = setting(5, "Wan et al. (2016)", "of k-max pooling", above=0)
    slices: int = setting(5, "Qiu and Huang (2015)", "of a tensor", above=0)
    channels: int = setting(4, "ours", "of MV-LSTM's tensor", above=0)
    hidden_layers: int = setting(1, "ours", "of HD-LSTM", above=0)
    depth: int = setting(
        4,
        "Santoro et al. (2017)",
        "layers of g; stacked LSTMs of the BiLSTM",
        above=0,
        later=True,
    )
    hops: int = setting(2, "ours", "reads of the text", above=0, later=True)
    influence_units: int = setting(
        50, "ours", "of RNN-POA's position vectors", above=0, later=True
    )
    sigma: float = setting(
        25.0, "ours", "width of RNN-POA's kernel", above=0, later=True
    )
    pooling: str = setting(
        "last",
        "Tay et al. (2017)",
        "of LSTM states",
        choices=("last", "mean", "max"),
    )
    bidirectional: bool = setting(False, "Tay et al. (2017)", "of LSTMs")
    bins: int = setting(600, "ours", "of aNMM, of cosines", above=0)
    sets: int | None = setting(
        None, "Yang et al. (2016)", "of aNMM-2's weights; null: aNMM-1", above=0
    )
    similarity: str = setting(
        "tensor",
        "Wan et al. (2016)",
        "of MV-LSTM",
        choices=("cosine", "bilinear", "tensor"),
    )
    comparison: str = setting(
        "multiply",
        "Wang and Jiang (2017)",
        "of CAM, the best of the paper on WikiQA",
        choices=(
            *("nn", "ntn", "euclidean_cosine"),
            *("subtract", "multiply", "submult_nn"),
        ),
        later=True,
    )
    perspectives: int = setting(
        20, "Wang et al. (2017)", "of BiMPM's strategies", above=0, later=True
    )
    attention: int | None = setting(
        3, "Yin et al. (2016)", "ABCNN-1 to 3; null: BCNN", choices=(1, 2, 3)
    )
    shared_feature_maps: bool = setting(
        True,
        "Yin et al. (2016), 4.1, a footnote",
        "of ABCNN: one W for both texts",
        later=True,
    )
    inner_attention: str = setting(
        "gate",
        "Wang, Liu and Zhao (2016)",
        "of IARNN",
        choices=("word", "context", "gate"),
        later=True,
    )
    occam: float | None = setting(
        None,
        "ours",
        "lambda of IARNN-Occam; null: no such loss",
        least=0,
        later=True,
    )
    dropout: float = setting(
        0.0, "ours", "none in most of the papers", least=0, below=1
    )
    l2: float = setting(0.0, "ours", "of all weights", least=0)
    # Of the training.
    paper_objective: str = setting(
        "pointwise",
        _SEVERYN_MOSCHITTI,
        "what objective=paper is",
        choices=("pointwise", "pairwise", "listwise"),
    )
    optimizer: str = setting("adam", "ours", choices=OPTIMIZERS)
    learning_rate: float = setting(1e-3, "ours", above=0)
    batch_size: int = setting(50, _SEVERYN_MOSCHITTI, above=0)
    epochs: int = setting(25, _SEVERYN_MOSCHITTI, above=0)
    patience: int = setting(5, _SEVERYN_MOSCHITTI, least=0)
    margin: float = setting(
        1.0, "Hu et al. (2014), 4", "of pairwise systems", above=0
    )
    negatives: int = setting(1, "ours", "of pairwise systems", least=1)
    sampler: str = setting(
        "random",
        "ours",
        "of pairwise systems; max: the highest scores",
        choices=("random", "max", "mix"),
    )
    sampler_pool: str = setting("own", "ours", choices=("own", "all"))
    stack_folds: int = setting(
        5,
        "ours",
        "of train, whose scores by members that were trained on the others fit "
        "a stacked system",
        least=2,
        later=True,
    )


# Settings of optimizers that Keras has other values of: AdaGrad (Duchi et al.,
# 2011) starts at 0, by which nothing can be divided; Adadelta is Zeiler's
# (2012).
AS_PUBLISHED: dict[str, dict[str, float]] = {
    "adagrad": {"initial_accumulator_value": 1e-8},
    "adadelta": {"epsilon": 1e-6},
}

# What a system's own paper states, as far as it is at hand.
_RANKS: dict[str, Any] = {"paper_objective": "pairwise"}
_MP_CNN: dict[str, Any] = {
    "optimizer": "sgd",
    "learning_rate": 0.01,
    "l2": 5e-5,  # the released code's 1e-4, of half the sum of squares
}
_ADADELTA: dict[str, Any] = {
    "optimizer": "adadelta",
    "learning_rate": 1.0,  # as Zeiler's (2012): no rate of its own
    "l2": 1e-5,
}
_ABCNN: dict[str, Any] = {
    "optimizer": "adagrad",
    "learning_rate": 0.08,
    "l2": 4e-4,
    "filters": 50,
    "kernel_size": 4,
}
_IARNN: dict[str, Any] = {
    **_RANKS,
    "margin": 0.2,
    "units": 100,
    "bidirectional": True,
}
# A margin of 0.2, trained vectors; the size is that of QA-LSTM.
_MULTIHOP: dict[str, Any] = {
    **_RANKS,
    "margin": 0.2,
    "trainable_embeddings": True,
    "units": 141,
}
_BILSTM: dict[str, Any] = {"units": 500, "depth": 3}
MODELS: dict[str, dict[str, Any]] = {
    # He et al. (2015)
    "mp-cnn": _MP_CNN,
    # Rao et al. (2016): the hardest of a question's own; their code has no
    # hidden layer, and another rate.
    "mp-cnn-rank": {
        **_MP_CNN,
        **_RANKS,
        "learning_rate": 0.001,
        "sampler": "max",
        "negatives": 8,
        "hidden_units": None,
        "dropout": 0.5,
    },
    # Yu et al. (2014)
    "bigram-cnn": {"optimizer": "adagrad"},
    # Severyn and Moschitti (2015)
    "severyn-moschitti": {**_ADADELTA, "overlap": True},
    "severyn-moschitti-plain": _ADADELTA,
    # Hu et al. (2014), 4: a large margin, batches of 100 to 200
    "arc-i": {
        **_RANKS,
        "batch_size": 100,
        "filters": 200,
        "kernel_size": 3,
        "hidden_units": 200,
    },
    "arc-ii": {
        **_RANKS,
        "batch_size": 100,
        "filters": 200,
        "kernel_size": 3,
        "blocks": 3,
        "hidden_units": 100,
    },
    # Qiu and Huang (2015): a margin
    "cntn": {
        **_RANKS,
        "trainable_embeddings": True,
        "filters": 50,
        "kernel_size": 3,
        "blocks": 3,
        "activation": "tanh",
    },
    # Tay et al. (2017): as LSTM in CTRN's Table 2; HyperQA 4.4.4 says that
    # HD-LSTM has features
    "ntn-lstm": {"units": 512, "activation": "tanh"},
    "hd-lstm": {"units": 512, "hidden_units": 128, "overlap": True},
    # Wang and Nyberg (2015): three LSTMs of 500
    "bilstm": _BILSTM,
    "bilstm-bm25": _BILSTM,
    # Conneau et al. (2017), 3.3: SGD with 0.1 and batches of 64
    "infersent": {
        "optimizer": "sgd",
        "learning_rate": 0.1,
        "batch_size": 64,
        "units": 2048,
        "hidden_units": 512,
        "activation": "tanh",
        "pooling": "max",
    },
    # Santoro et al. (2017), for pictures
    "relation-network": {
        "learning_rate": 2.5e-4,
        "batch_size": 64,
        "units": 256,
        "depth": 4,
        "hidden_units": 256,
        "hidden_layers": 2,
    },
    # Miller et al. (2016): a softmax over the candidates, a window of 7 words
    "kv-memnn": {"paper_objective": "listwise", "kernel_size": 7},
    # Tran and Niederée (2018)
    "multihop-lstm": _MULTIHOP,
    "self-lstm": _MULTIHOP,
    # Chen et al. (2017), as public re-implementations have it
    "rnn-poa": {"optimizer": "adadelta", "learning_rate": 1.0},
    # Wan et al. (2016), Yang et al. (2016): a margin
    "mv-lstm": {**_RANKS, "trainable_embeddings": True, "hidden_units": 50},
    "anmm": _RANKS,
    # Yin et al. (2016): one setting for all, see the ledger
    "bcnn": {**_ABCNN, "attention": None},
    "abcnn-1": {**_ABCNN, "attention": 1},
    "abcnn-2": {**_ABCNN, "attention": 2},
    "abcnn-3": {**_ABCNN, "attention": 3},
    # Wang, Liu and Zhao (2016): a margin; sizes are ours
    "iarnn-word": {**_IARNN, "inner_attention": "word"},
    "iarnn-occam": {**_IARNN, "inner_attention": "context", "occam": 1e-3},
    "iarnn-gate": _IARNN,
    # Shen, Yang and Deng (2017): sizes are ours
    "iwan": {"units": 150, "hidden_units": 100},
    # Zhang et al. (2017)
    "ai-cnn": {
        "filters": 200,
        "kernel_size": 3,
        "hidden_units": 100,
        "activation": "tanh",
    },
    # Wang, Hamza and Florian (2017)
    "bimpm": {"units": 100, "hidden_units": None, "dropout": 0.1},
    # Wang and Jiang (2017): a softmax over a question's candidates; rate and
    # batch are those of their other data sets, tuned on WikiQA
    "cam": {
        "paper_objective": "listwise",
        "optimizer": "adamax",
        "learning_rate": 0.002,
        "batch_size": 30,
        "units": 150,
        "max_width": 5,
    },
}

# Posts of a forum: the longest have hundreds of words.
DATASETS: dict[str, dict[str, Any]] = {
    "semeval": {"max_question_length": 100, "max_answer_length": 100},
}

# What the searches of the papers' own models established, one for all models:
# words of one length, all candidates of a question at once, with the floor
# `features`, and the mean of the last weights in place of a chosen epoch.
_BEST: dict[str, Any] = {
    "word_norm": "unit",
    "objective": "listwise",
    "joint_weight": 5.0,
    "trainable_embeddings": False,
    "optimizer": "adam",
    "learning_rate": 1e-3,
    "batch_size": 16,
    "epochs": 8,
    "patience": 0,
    "average_last": 3,
}

# Whose LSTM has 512 units and more in their papers.
_LARGE = ("ntn-lstm", "hd-lstm", "infersent", "multihop-lstm")
# Several LSTMs, one upon the other, and layers for each pair of words.
_SMALL = {"units": 64, "depth": 2}

RECIPES = {
    "paper": Recipe("each system as published, as far as it is at hand"),
    "best": Recipe(
        "what did best for the papers' own models in cross-validation on train",
        _BEST,
        # For 2 cores: the smallest size of CTRN's list.
        models={
            **{key: {"units": 128} for key in _LARGE},
            **dict.fromkeys(("bilstm", "bilstm-bm25"), _SMALL),
            "relation-network": _SMALL,
            # Pairs make the second another system than the first.
            "mp-cnn": {"l2": 1e-4},
            "mp-cnn-rank": {"l2": 1e-4, "objective": "pairwise"},
        },
        datasets={
            name: {"word_norm": "power"}
            for name in ("trecqa-raw", "trecqa-clean", "trecqa-all")
        },
    ),
}
