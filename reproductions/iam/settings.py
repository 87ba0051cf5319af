"""The settings of IAM's experiments, with the paper's sections."""

from dataclasses import dataclass
from typing import Any

from reproductions.harness.measures import EVERY
from reproductions.harness.parts.recipes import Recipe
from reproductions.harness.parts.setting_fields import setting
from reproductions.harness.settings import ACTIVATIONS
from reproductions.harness.settings import OPTIMIZERS
from reproductions.harness.settings import CommonSettings

# Reads the words of questions in their texts.
CONTEXTUAL = "iam-bert-contextual"


@dataclass(frozen=True)
class IAMSettings(CommonSettings):
    """The recipe as published."""

    oov_scale: float = setting(
        0.3, "3.1", "words without a vector: U(-scale, scale)", least=0
    )
    numbers: bool = setting(
        True,
        "Severyn and Moschitti; Table 4",
        "each number is read as one word",
    )
    bert_dim: int | None = setting(
        100, "3.1", "K; null: all dimensions", above=0
    )
    bert_layer: int = setting(-1, "not stated")
    bert_rms: float | None = setting(
        None, "not stated", "size of the vectors; null: as they are", above=0
    )
    units: int = setting(100, "3.1", "in each direction", above=0)
    layers: int = setting(2, "3.1", above=0)
    hidden_units: int = setting(100, "not stated", "H", above=0)
    question_state: bool = setting(True, "eq. 8", "a term")
    answer_state: bool = setting(True, "eq. 8", "a term")
    jump: bool = setting(True, "eq. 8", "a term")
    frequency: bool = setting(True, "eq. 8", "a term")
    match: bool = setting(True, "eq. 8", "a term")
    match_in_logit: bool = setting(
        False, "ours", "adds the term of both texts to the score", later=True
    )
    contextual_answers: bool = setting(
        False,
        "ours",
        "of iam-bert-contextual: that term by the vectors that words have in "
        "their texts; memory grows with the longest text",
        later=True,
    )
    question_term: str = setting(
        "aligned", "eq. 8", "both at the same t", choices=("aligned", "final")
    )
    share_state_vector: bool = setting(True, "eq. 8", "one u_h")
    attention_activation: str = setting("tanh", "eq. 8", choices=ACTIVATIONS)
    input_initializer: str = setting(
        "uniform", "3.1", choices=("uniform", "identity")
    )
    trainable_embeddings: bool = setting(False, "not stated")
    jump_offset: str = setting(
        "mean", "eq. 13", "not in it", choices=("mean", "none")
    )
    jump_temperature: str = setting(
        "deviation", "eq. 13", "not in it", choices=("deviation", "none")
    )
    jump_scale: str = setting("exp", "eq. 13", choices=("exp", "log"))
    jump_max_exponent: float = setting(
        10.0, "eq. 13", "not in it", above=0, below=88
    )
    dropout: float = setting(
        0.5, "3.1", "where, is not stated", least=0, below=1
    )
    question_dropout: float = setting(0.0, "3.1", least=0, below=1)
    initializer_range: float | None = setting(
        0.05, "3.1", "null: Glorot's", least=0
    )
    l2: float = setting(
        1e-5, "2.1", '"regularized"; the strength is not stated', least=0
    )
    optimizer: str = setting("sgd", "3.1", choices=OPTIMIZERS)
    learning_rate: float = setting(0.1, "3.1", above=0)
    decay: str = setting(
        "once",
        "3.1",
        "half after decay_epochs, once or each epoch from then on",
        choices=("none", "once", "each"),
    )
    decay_epochs: int = setting(10, "3.1", least=0)
    clipnorm: float = setting(5.0, "3.1", "0: no limit", least=0)
    batch_size: int = setting(50, "3.1", above=0)
    epochs: int = setting(20, "not stated", "chosen", above=0)
    patience: int = setting(0, "not stated", least=0)
    monitor: str = setting("MAP", "not stated", choices=tuple(EVERY))
    lm_optimizer: str = setting("sgd", "3.1", choices=OPTIMIZERS)
    lm_learning_rate: float = setting(0.1, "3.1", above=0)
    lm_dropout: float = setting(0.5, "3.1", least=0, below=1)
    lm_initializer_range: float = setting(0.05, "3.1", least=0)
    lm_trainable_embeddings: bool = setting(False, "not stated")
    lm_question_epochs: int = setting(20, "not stated", "chosen", above=0)
    lm_answer_epochs: int = setting(20, "not stated", "chosen", above=0)
    lm_patience: int = setting(0, "not stated", least=0)
    lm_min_count: int = setting(
        2, "not stated", "rarer words are <UNK>", above=0
    )
    lm_max_classes: int | None = setting(
        None, "not stated", "null: all other words", least=3
    )
    lm_shared_softmax: bool = setting(False, "eq. 3")
    lm_loss_per: str = setting(
        "sentence",
        "2.6",
        "the likelihood of a sentence",
        choices=("sentence", "word"),
    )
    rbm_initializer_range: float = setting(0.05, "3.1", least=0)
    rbm_learning_rate: float = setting(0.1, "3.1", above=0)
    rbm_epochs: int = setting(10, "not stated", "chosen", above=0)
    rbm_k: int = setting(5, "2.5", '"multiple cycles"', above=0)
    rbm_answers: int = setting(20_000, "2.5", "all; 1 GB of memory", above=0)


_SMALL: dict[str, Any] = {
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

# What the recorded searches chose (`searches`), with shorter stages.
_BEST: dict[str, Any] = {
    **_SMALL,
    "word_norm": "unit",
    "match_in_logit": True,
    "objective": "listwise",
    "joint_weight": 1.0,
    "lm_question_epochs": 20,
    "lm_answer_epochs": 3,
    "rbm_epochs": 3,
    "average_last": 3,
}
_IN_TEXTS: dict[str, Any] = {
    "word_norm": "raw",
    "contextual_answers": True,
    "bert_dim": None,
}
# TrecQA's two versions have the same training questions.
_SEARCHED: dict[tuple[str, str], dict[str, Any]] = {
    (CONTEXTUAL, dataset): {"epochs": epochs}
    for dataset, epochs in (
        ("wikiqa", 7),
        ("trecqa-clean", 8),
        ("trecqa-raw", 8),
    )
}

RECIPES = {
    "paper": Recipe("as published"),
    "small": Recipe("for 2 cores", _SMALL),
    "best": Recipe(
        "as small, and what did best in cross-validation on train",
        _BEST,
        models={CONTEXTUAL: _IN_TEXTS},
        searched=_SEARCHED,
    ),
}

# The settings that switch the terms of equation 8, and the terms' names.
TERMS = {
    "question_state": "question",
    "answer_state": "answer",
    "jump": "jump",
    "frequency": "frequency",
    "match": "match",
}
