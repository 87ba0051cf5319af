"""The settings of MRNN's experiments, with the paper's sections."""

from dataclasses import dataclass
from typing import Any

from reproductions.harness.measures import EVERY
from reproductions.harness.parts.recipes import Recipe
from reproductions.harness.parts.setting_fields import setting
from reproductions.harness.settings import CommonSettings

# Reads vectors of words that depend on their texts.
CONTEXTUAL = "mrnn-contextual"


@dataclass(frozen=True)
class MRNNSettings(CommonSettings):
    """The recipe as published."""

    bert_order: str = setting(
        "top", "Table 2", "not stated", choices=("top", "bottom")
    )
    bert_layers: int = setting(4, "Table 2", "of m", above=0, later=True)
    w_idf: float = setting(1.0, "Table 2")
    filters: int = setting(1024, "4.3.2", "s", above=0)
    blocks: int = setting(4, "4.3.2", "N on WikiQA and TrecQA", above=0)
    kernel_size: int = setting(3, "4.3.2", "ws", above=0)
    pooling: str = setting("max", "not stated", choices=("max", "avg", "none"))
    pooling_window: int = setting(2, "not stated", above=0)
    momentum: float = setting(
        0.99, "not stated", "of batch normalisation", least=0, below=1
    )
    alpha: float = setting(0.25, "not stated", "of PReLU")
    start: str = setting(
        "random",
        "not stated",
        "of block 1: principal directions of the word vectors",
        choices=("random", "principal"),
        later=True,
    )
    batch_normalization: bool = setting(True, "eq. 3", later=True)
    later_scale: float = setting(
        1.0,
        "not stated",
        "start of the scale units of blocks 2 to N",
        later=True,
    )
    sentence_term: float | None = setting(
        None,
        "ours",
        "start of the weight of a distance of the texts' summed word vectors",
        later=True,
    )
    share_blocks: bool = setting(True, "not stated")
    max_document_length: int = setting(256, "eq. 10", "not stated", above=0)
    hidden_units: list[int] = setting(  # noqa: RUF009
        [], "eq. 7, 10", '"fully connected layers"', above=0
    )
    block_gain: float | None = setting(
        None,
        "eq. 7",
        "not stated, how the softmax block starts: from this many times the "
        "identity; null: at random",
    )
    position_gain: float | None = setting(1.0, "eq. 10", "not stated, the same")
    share_attention: bool = setting(True, "eq. 7", "one f")
    n_gram_attention: bool = setting(True, "eq. 7")
    query_attention: bool = setting(True, "eq. 10")
    without_n_gram_attention: str = setting(
        "mean", "not stated", choices=("mean", "last")
    )
    dropout: float = setting(0.0, "not stated", least=0, below=1)
    trainable_embeddings: bool = setting(False, "not stated")
    margin: float = setting(0.5, "4.3.2", "on WikiQA and TrecQA", above=0)
    mining: str = setting(
        "hard",
        "3.4",
        choices=("hard", "semi-hard", "all", "batch-hard", "schroff-semi-hard"),
    )
    soft_margin: bool = setting(
        False, "Hermans et al. (2017)", "of hard and batch-hard", later=True
    )
    squared: bool = setting(False, "eq. 13", "of the distance")
    reduction: str = setting(
        "sum_over_batch_size",
        "not stated",
        choices=("sum_over_batch_size", "sum"),
    )
    positives: int | None = setting(
        None, "not stated", "null: all of a question", least=1
    )
    negatives: int = setting(
        0, "3.4", "0: those of other questions alone", least=0
    )
    learning_rate: float = setting(1e-4, "4.3.2", above=0)
    weight_decay: float = setting(1e-3, "4.3.2", least=0)
    batch_size: int = setting(512, "4.3.2", above=0)
    chunk: int | None = setting(
        16, "ours", "texts encoded together: bounds the memory", least=1
    )
    epochs: int = setting(25, "not stated", "chosen", above=0)
    patience: int = setting(0, "not stated", least=0)
    monitor: str = setting("MAP", "not stated", choices=tuple(EVERY))
    first_stage: int = setting(
        100, "not stated", "BM25's candidates on SQuAD", above=0
    )
    train_candidates: int = setting(
        0,
        "ours",
        "BM25's candidates of a training question on SQuAD, for losses over a "
        "question's own candidates",
        least=0,
        later=True,
    )
    paragraphs: str = setting(
        "all",
        "4.2",
        '"out all possible documents"',
        choices=("all", "split"),
    )
    contexts: str = setting(
        "short", "4.1.3", "not stated", choices=("short", "long")
    )
    relevance: str = setting(
        "words", "4.1.3", "not stated", choices=("words", "characters")
    )
    pool_size: int = setting(
        500,
        "ours",
        "candidates of a question at most; QUASAR-T has 100",
        above=0,
    )


# Settings of single data sets (4.3.2).
_SQUAD = {"blocks": 6, "margin": 1.0, "monitor": "recall@5"}
DATASETS: dict[str, dict[str, Any]] = {
    "squad": _SQUAD,
    "squad-articles": _SQUAD,
    "quasar-t": {"blocks": 6, "margin": 0.8, "monitor": "recall@5"},
}

# Learning rate and gains are from trials on folds of train. With a gain of 1
# the dot products of large vectors saturate the softmax, and the second
# attention hardly learns.
_SMALL: dict[str, Any] = {
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

# What the recorded searches chose (`searches`), on all data sets and on each.
_BEST: dict[str, Any] = {
    **_SMALL,
    "word_norm": "unit",
    "objective": "listwise",
    "alpha": 1.0,
    "batch_normalization": False,
    "pooling": "none",
    "position_gain": 0.3,
    "learning_rate": 1e-3,
    "sentence_term": 10.0,
    "joint_weight": 1.0,
    "epochs": 6,
    "average_last": 3,
}
_START: dict[str, Any] = {
    "word_norm": "raw",
    "start": "principal",
    "later_scale": 0.05,
}
_SEARCHED: dict[tuple[str, str], dict[str, Any]] = {
    # With the features it is level on folds of train, and worse on dev.
    (CONTEXTUAL, "wikiqa"): {
        **_START,
        "sentence_term": None,
        "joint_weight": None,
    },
    **{
        (CONTEXTUAL, dataset): {
            **_START,
            "blocks": 1,
            "filters": 768,
            "bert_layers": 2,
            "joint_weight": 0.03,
            "epochs": 5,
        }
        for dataset in ("trecqa-clean", "trecqa-raw")
    },
}

RECIPES = {
    "paper": Recipe("as published"),
    "small": Recipe("for 2 cores", _SMALL),
    "best": Recipe(
        "as small, and what did best in cross-validation on train",
        _BEST,
        searched=_SEARCHED,
    ),
}
