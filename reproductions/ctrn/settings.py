"""The settings of CTRN's experiments, with the paper's sections."""

from dataclasses import dataclass
from typing import Any

from reproductions.harness.parts.recipes import Recipe
from reproductions.harness.parts.setting_fields import setting
from reproductions.harness.settings import ACTIVATIONS
from reproductions.harness.settings import CommonSettings

_DETAILS = "Implementation Details"


@dataclass(frozen=True)
class CTRNSettings(CommonSettings):
    """The recipe as published.

    Sizes are those of Table 2. Where the section "Implementation Details" gives
    a list, the default is one of its values.
    """

    trainable_embeddings: bool = setting(
        False, _DETAILS, '"non-trainable"', later=True
    )
    projection_dim: int = setting(300, "Table 2", "m", above=0)
    units: int = setting(
        512, "Table 2", "d; tuned from 128 to 1024 in steps of 128", above=0
    )
    kernel_size: int = setting(2, "Table 2", "k", above=0)
    crossed_input: str = setting(
        "own",
        "prose and figures",
        "the equations: partner",
        choices=("own", "partner"),
    )
    alignment: str = setting(
        "lengths",
        "not stated",
        "of the texts, or of their padding",
        choices=("lengths", "padded"),
    )
    pooling: str = setting(
        "mean",
        '"Temporal Mean Pooling Layer"',
        choices=("mean", "last", "max", "attentive"),
    )
    pooled_normalization: bool = setting(
        False, "ours", "of each text's pooled vector", later=True
    )
    projection_layers: int = setting(1, "Table 2", above=0, later=True)
    hidden_layers: int = setting(1, _DETAILS, "tuned from 1 to 3", least=0)
    hidden_units: int = setting(128, "Table 2", "h", above=0)
    activation: str = setting(
        "relu", "not stated", "of the dense layers", choices=ACTIVATIONS
    )
    overlap: bool = setting(
        False,
        '"Four word overlap features"',
        "on TrecQA only; any data set can have them",
    )
    alignment_features: bool = setting(
        False,
        "ours",
        "nine more features, of the words and their vectors",
        later=True,
    )
    dropout: float = setting(
        0.5, _DETAILS, "where, is not stated", least=0, below=1
    )
    word_dropout: float = setting(0.0, "not stated", least=0, below=1)
    zoneout: float = setting(
        0.0, "not stated", "in Bradbury et al. (2016)", least=0, below=1
    )
    l2: float = setting(4e-6, _DETAILS, least=0)
    learning_rate: float = setting(
        1e-3, _DETAILS, "of Adam; one of 1e-3, 1e-4, 1e-5", least=0
    )
    batch_size: int = setting(64, _DETAILS, "one of 64, 128, 256, 512", above=0)
    epochs: int = setting(25, _DETAILS, "on TRAIN", above=0)
    patience: int = setting(
        5, _DETAILS, '"doesn\'t improve after 5 epochs"', least=0
    )
    negatives: int = setting(1, "not stated", "of the pairwise models", least=1)
    margin: float = setting(
        0.2, "not stated", "of the pairwise models", above=0
    )
    sampler: str = setting(
        "max",
        "dos Santos et al. (2016)",
        "max: the highest score",
        choices=("random", "max", "mix"),
    )
    sampler_pool: str = setting("own", "not stated", choices=("own", "all"))


DATASETS: dict[str, dict[str, Any]] = {
    "trecqa-raw": {"overlap": True},
    "trecqa-clean": {"overlap": True},
    "trecqa-all": {"overlap": True, "epochs": 5},
}

# Settings in which the baselines differ from CTRN.
_PAIRWISE: dict[str, Any] = {
    "dropout": 0.0,  # dos Santos et al. (2016) state none
    "batch_size": 20,  # groups, of which there are far fewer than pairs
}
MODELS: dict[str, dict[str, Any]] = {
    "cnn": {"kernel_size": 3, "pooling": "max"},  # not stated, chosen
    "ap-cnn": {**_PAIRWISE, "kernel_size": 3},  # not stated, chosen
    # In each direction, so that states have the size of the other models'.
    "ap-bilstm": {**_PAIRWISE, "units": 256},
    "overlap": {"overlap": True, "learning_rate": 1e-2},  # four weights
}

# The smallest size of the paper's list.
_SMALL: dict[str, Any] = {
    **{
        key: {"units": 128} for key in ("ctrn", "qrnn", "lstm", "cnn", "ap-cnn")
    },
    "ap-bilstm": {"units": 64},  # in each direction
}

# What the recorded searches chose (`searches`) on all data sets.
_FEATURES: dict[str, Any] = {
    "overlap": True,
    "pooled_normalization": True,
    "alignment_features": True,
    "pooling": "max",
}
_JOINT: dict[str, Any] = {
    "objective": "pairwise",
    "negatives": 4,
    "sampler": "mix",
    "sampler_pool": "own",
    "joint_weight": 5.0,
    "margin": 1.0,
}
_PAIRWISE_EPOCHS = {"ap-cnn": 3, "ap-bilstm": 2}  # on WikiQA
_BEST = {
    model: {**size, **(_JOINT if model in _PAIRWISE_EPOCHS else _FEATURES)}
    for model, size in _SMALL.items()
}


def _averaged(epochs: int, average_last: int) -> dict[str, Any]:
    return {"epochs": epochs, "average_last": average_last, "patience": 0}


# What they chose on single ones. The posts of a forum, SemEval's, are long.
_POSTS = {"max_question_length": 100, "max_answer_length": 100}
_SEARCHED: dict[tuple[str, str], dict[str, Any]] = {
    ("ctrn", "wikiqa"): _averaged(9, 3),
    ("qrnn", "wikiqa"): _averaged(5, 3),
    **{
        (model, dataset): {**_averaged(epochs, 3), "pooling": "mean"}
        for model, epochs in (("ctrn", 4), ("qrnn", 5))
        for dataset in ("trecqa-clean", "trecqa-raw")
    },
    **{
        (model, "semeval"): {**_averaged(8, 3), **_POSTS}
        for model in ("ctrn", "qrnn")
    },
    **{
        (model, "wikiqa"): _averaged(epochs, epochs)
        for model, epochs in _PAIRWISE_EPOCHS.items()
    },
    **{
        (model, dataset): {**_averaged(2, 2), "word_norm": "power"}
        for model in _PAIRWISE_EPOCHS
        for dataset in ("trecqa-clean", "trecqa-raw")
    },
    # Not searched: what suits them on WikiQA.
    **{
        (model, "semeval"): {**_averaged(epochs, epochs), **_POSTS}
        for model, epochs in _PAIRWISE_EPOCHS.items()
    },
}
# LSTM and CNN take what suits QRNN. Their own searches (`searches`), which are
# later, chose other epochs, for CNN on WikiQA the mean, and vectors with
# skip-gram for LSTM on TrecQA.
_SEARCHED |= {
    (model, dataset): {**found, **more}
    for model, more in (("lstm", {}), ("cnn", {"pooling": "max"}))
    for (searched, dataset), found in _SEARCHED.items()
    if searched == "qrnn"
}

RECIPES = {
    "paper": Recipe("as published"),
    "small": Recipe("for studies of many runs on 2 cores", models=_SMALL),
    "best": Recipe(
        "the sizes of small, and what did best in cross-validation on train",
        {"word_norm": "unit"},
        models=_BEST,
        searched=_SEARCHED,
    ),
}
