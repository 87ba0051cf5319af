"""The settings of QA-LSTM's experiments, with the paper's sections."""

from dataclasses import dataclass
from typing import Any

from reproductions.harness.measures import EVERY
from reproductions.harness.parts.recipes import Recipe
from reproductions.harness.parts.setting_fields import setting
from reproductions.harness.settings import OPTIMIZERS
from reproductions.harness.settings import CommonSettings


@dataclass(frozen=True)
class QALSTMSettings(CommonSettings):
    """The recipe as published."""

    max_question_length: int | None = setting(200, "4.1", "L", above=0)
    max_answer_length: int | None = setting(200, "4.1", "L", above=0)
    trainable_embeddings: bool = setting(True, "4.1", later=True)
    units: int = setting(141, "4.1", "of the LSTM, in each direction", above=0)
    filters: int = setting(400, "Table 3", "c", above=0)
    kernel_size: int = setting(
        3, "Table 3", "of the hybrid models not stated", above=0
    )
    hidden_units: int = setting(
        200, "Feng et al. (2015)", "of Architecture II", above=0
    )
    attention_units: int | None = setting(
        None, "not stated", "null: as many as the states have", above=0
    )
    pooling: str = setting(
        "max", "Table 3", "the best", choices=("max", "avg", "head_tail")
    )
    similarity: str = setting("cosine", "3.1", choices=("cosine", "gesd"))
    dropout: float = setting(
        0.2,
        "3.1",
        "on the representations; the rate is not stated",
        least=0,
        below=1,
    )
    l2: float = setting(0.0, "not stated", least=0)
    negatives: int = setting(50, "4.1", "K", least=1)
    sampler: str = setting(
        "random",
        "3.1",
        "of which the hardest is taken",
        choices=("random", "max", "mix"),
        later=True,
    )
    sampler_pool: str = setting(
        "all", "3.1", '"from the entire answer space"', choices=("own", "all")
    )
    shared_negatives: bool = setting(False, "3.1", "K for each question")
    margin: float = setting(0.2, "4.1", above=0)
    optimizer: str = setting("sgd", "4.1", choices=OPTIMIZERS)
    learning_rate: float = setting(1.1, "4.1", above=0)
    decay: str = setting("none", "4.1", choices=("none", "1/T"))
    batch_size: int = setting(20, "4.1", above=0)
    epochs: int = setting(30, "not stated", "chosen", above=0)
    patience: int = setting(0, "not stated", least=0)
    monitor: str = setting(
        "MAP", "5.2", "on InsuranceQA accuracy", choices=tuple(EVERY)
    )
    pool_size: int = setting(
        500, "4", "candidates of each question of InsuranceQA", above=0
    )
    mu: float = setting(
        2500.0, "Bendersky et al. (2010)", "of term dependence", above=0
    )
    window: int = setting(
        8, "Bendersky et al. (2010)", "of term dependence", above=0
    )
    wsdm_questions: int = setting(
        500, "not stated", "this many choose its weights", above=0
    )


MODELS: dict[str, dict[str, Any]] = {
    "conv-based-lstm": {
        "filters": 282,  # 4.1
        "units": 200,  # row I: |h| = 400 in both directions together
    },
    "feng-cnn": {"filters": 4000, "kernel_size": 2},  # Feng et al. (2015)
}

# Settings of single data sets; those of a row replace them.
_TREC: dict[str, Any] = {
    "units": 300,  # 5.2: 600, in both directions together
    "filters": 600,  # 5.2
    "decay": "1/T",  # 5.2
}
DATASETS: dict[str, dict[str, Any]] = {
    "insuranceqa-v1": {"monitor": "P@1"},
    "insuranceqa-v2": {"monitor": "P@1"},
    **dict.fromkeys(("trecqa-raw", "trecqa-clean", "trecqa-all"), _TREC),
}

# Retuned for a single negative (4.1).
ONE_NEGATIVE: dict[str, Any] = {
    "negatives": 1,
    "margin": 0.1,
    "learning_rate": 0.1,
    "batch_size": 100,
}

# The rows of Tables 3 and 4: model, and settings that replace the above.
ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "3-bag-of-word": ("idf-cosine", {}),
    "3-metzler-bendersky": ("wsdm", {}),
    "3-cnn": ("feng-cnn", {}),
    "3-cnn-gesd": ("feng-cnn", {"similarity": "gesd"}),
    "3A": ("qa-lstm", {"pooling": "head_tail"}),  # K is not printed
    "3B": ("qa-lstm", {"pooling": "avg"}),
    "3C": ("qa-lstm", ONE_NEGATIVE),
    "3D": ("qa-lstm", {}),
    "3E": ("conv-pooling-lstm", {"filters": 4000, **ONE_NEGATIVE}),
    "3F": ("conv-pooling-lstm", {"filters": 200}),
    "3G": ("conv-pooling-lstm", {}),
    "3H": ("conv-based-lstm", {"units": 100}),  # |h| = 200
    "3I": ("conv-based-lstm", {}),
    "3J": ("qa-cnn", {}),
    "3K": ("attentive-cnn", {}),
    "3L": ("attentive-lstm", {"pooling": "avg", **ONE_NEGATIVE}),
    "3M": ("attentive-lstm", {"pooling": "avg"}),
    "3N": ("attentive-lstm", {}),
    "4-cnn": ("feng-cnn", {}),
    "4A": ("qa-cnn", {}),
    "4B": ("qa-lstm", {}),
    "4C": ("conv-pooling-lstm", {}),
    "4D": ("conv-based-lstm", {}),
    "4E": ("attentive-lstm", {}),
}

# The settings that the recipe `small` halves.
SIZES = ("units", "filters", "hidden_units")

# All questions of a batch share one draw of negatives, and the optimizer needs
# fewer epochs. A row with one negative changes only their number, so that it
# can be compared with the other rows.
_SMALL: dict[str, Any] = {
    "shared_negatives": True,
    "optimizer": "adam",
    "learning_rate": 3e-4,  # above 1e-3 and SGD 1.1 on folds of train
    "decay": "none",
    "epochs": 10,
}
# With 50 negatives from all answers the loss falls late.
_LATE: dict[str, Any] = {
    key: {"epochs": 20} for key in ("insuranceqa-v1", "insuranceqa-v2")
}

# What the recorded searches chose (`searches`), on all data sets and on each.
_JOINT: dict[str, Any] = {
    "word_norm": "unit",
    "objective": "pairwise",
    "negatives": 4,
    "sampler": "mix",
    "sampler_pool": "own",
    "trainable_embeddings": False,
    "joint_weight": 5.0,
    "margin": 1.0,
}
_SEARCHED: dict[tuple[str, str], dict[str, Any]] = {
    ("qa-lstm", "wikiqa"): {"epochs": 8, "average_last": 3},
    ("attentive-lstm", "wikiqa"): {"epochs": 9, "average_last": 3},
    **{
        (model, dataset): {"epochs": epochs, "average_last": 5, **more}
        for model, epochs, more in (
            ("qa-lstm", 15, {"word_norm": "power"}),
            ("attentive-lstm", 12, {}),
        )
        for dataset in ("trecqa-clean", "trecqa-raw")
    },
    # The posts of a forum are long.
    **{
        (model, "semeval"): {
            "max_question_length": 100,
            "max_answer_length": 100,
            "epochs": 8,
            "average_last": 3,
        }
        for model in ("qa-lstm", "attentive-lstm")
    },
}
# Questions with right answers alone have no negatives of their own.
_RIGHT_ALONE: dict[str, Any] = {
    dataset: {
        **changes,
        **{name: getattr(QALSTMSettings, name) for name in _JOINT},
    }
    for dataset, changes in _LATE.items()
}
# For these nothing was searched: they take what suits the closest model.
CLOSEST = {
    "conv-pooling-lstm": "qa-lstm",
    "conv-based-lstm": "qa-lstm",
    "qa-cnn": "qa-lstm",
    "feng-cnn": "qa-lstm",
    "attentive-cnn": "attentive-lstm",
}
_SEARCHED |= {
    (model, dataset): found
    for model, closest in CLOSEST.items()
    for (searched, dataset), found in _SEARCHED.items()
    if searched == closest
}

RECIPES = {
    "paper": Recipe("as published"),
    "small": Recipe(
        f"for 2 cores: {', '.join(SIZES)} halved", _SMALL, datasets=_LATE
    ),
    "best": Recipe(
        "the sizes of small, and what did best in cross-validation on train",
        {**_SMALL, **_JOINT},
        datasets=_RIGHT_ALONE,
        searched=_SEARCHED,
    ),
}
