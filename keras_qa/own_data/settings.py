"""What `keras_qa.train` can be told, with the values that trials chose.

Nothing here imports Keras, so that a command refuses wrong names at once.
"""

from dataclasses import dataclass
from dataclasses import fields
from dataclasses import replace
from typing import Any

from keras_qa.arguments import check_above_zero
from keras_qa.arguments import check_choice
from keras_qa.arguments import check_not_negative
from keras_qa.arguments import check_positive
from keras_qa.text.tokenizer import TOKENIZERS

FLOORS = "floors"
# Floors by their names in tables: BM25 with k1 and b chosen in training, and
# how often an answer was right there, whatever the question.
BM25_TUNED = "BM25, tuned"
POPULARITY = "popular answers"
NETWORKS = ("cosineqa", "hyperqa", "qa-lstm", "qa-cnn", "cam")
DEFAULT_MODEL = "cosineqa+floors"
# Trained from the weights of a BERT, whose word pieces no other part reads.
BERTS = ("cross-encoder", "sentence-encoder")

SKIPGRAM = "skipgram"
MINILM = "minilm"
AUTOMATIC = "auto"


@dataclass(frozen=True)
class TrainSettings:
    """The settings of a training on one's own data.

    Attributes:
        tokenizer: name of the tokeniser.
        max_question_length: number of tokens that questions are cut to.
        max_answer_length: number of tokens that answers are cut to; texts
            are padded to powers of 2.
        oov_buckets: number of ids that words share which the training texts
            lack. Equal ones have one id, by a hash, and so match; 0 makes
            them one unknown word, which matches nothing.
        candidates: how many BM25 finds for a question of pairs alone.
        dev_share: share of the questions that is dev, without a file of it.
        held_out: share of the training questions on which no network is
            trained: they choose the epoch, and fit the weights of a sum.
        most_held_out: the largest number of questions of dev, and held out.
        floor_questions: the largest number of questions that fit a floor.
        bm25_questions: the largest number of these that choose the two
            parameters of BM25, which are 25 passes.
        sum_l2: strength of the regularisation of the weights of a sum. They
            are fitted on few questions if there are few, where a strong one
            gives rankers that agree like weights.
        skipgram_dim: size of the vectors that are trained on the texts.
        skipgram_epochs: passes over the texts.
        epochs: the most epochs of a network.
        patience: a network ends after this number without a better epoch.
        batch_size: questions in a batch.
        group_size: candidates of a question in a batch, drawn each epoch.
        learning_rate: of Adam; of a model of `BERTS` the highest one.

    Raises:
        ValueError: if a number is out of range.
    """

    tokenizer: str = "word"
    max_question_length: int = 64
    max_answer_length: int = 256
    oov_buckets: int = 1000
    candidates: int = 50
    dev_share: float = 0.2
    held_out: float = 0.2
    most_held_out: int = 1000
    floor_questions: int = 1000
    bm25_questions: int = 250
    sum_l2: float = 5.0
    skipgram_dim: int = 100
    skipgram_epochs: int = 15
    epochs: int = 30
    patience: int = 5
    batch_size: int = 20
    group_size: int = 20
    learning_rate: float = 1e-3

    def __post_init__(self) -> None:
        check_positive(
            **{
                f.name: getattr(self, f.name)
                for f in fields(self)
                if isinstance(f.default, int) and f.name != "oov_buckets"
            }
        )
        check_not_negative(oov_buckets=self.oov_buckets)
        if self.group_size < 2:
            raise ValueError(
                "`group_size` must be at least 2, a right and a wrong answer. "
                f"Received: group_size={self.group_size!r}"
            )
        check_above_zero(learning_rate=self.learning_rate, sum_l2=self.sum_l2)
        check_choice("tokenizer", self.tokenizer, TOKENIZERS)
        for name in ("dev_share", "held_out"):
            share = getattr(self, name)
            if not isinstance(share, int | float) or not 0 < share < 1:
                raise ValueError(
                    f"`{name}` must be a number between 0 and 1. "
                    f"Received: {name}={share!r}"
                )


RECIPES: dict[str, dict[str, Any]] = {
    "default": {},
    "quick": {"epochs": 5, "skipgram_epochs": 5, "candidates": 20},
}


# As the recipe `best` of `reproductions.references`. A batch with answers of
# 256 word pieces would take 10 GB.
_BERTS: dict[str, Any] = {
    "max_answer_length": 128,
    "epochs": 3,
    "batch_size": 8,
    "group_size": 8,
    "learning_rate": 5e-5,
}
_FINE_TUNING = {"default": _BERTS, "quick": {**_BERTS, "epochs": 1}}


def settings_of(
    recipe: str, changed: dict[str, Any], model: str = DEFAULT_MODEL
) -> TrainSettings:
    """The settings of a recipe and a model, some of them changed.

    Raises:
        ValueError: if the recipe or a setting is unknown or out of range.
    """
    check_choice("recipe", recipe, tuple(RECIPES))
    known = tuple(f.name for f in fields(TrainSettings))
    for name in changed:
        check_choice("setting", name, known)
    of_model = _FINE_TUNING[recipe] if model in BERTS else {}
    return replace(
        TrainSettings(), **{**RECIPES[recipe], **of_model, **changed}
    )


def networks_of(model: str) -> tuple[str, ...]:
    """The networks in a model, such as `"cosineqa+cam+floors"`.

    Raises:
        ValueError: if a part of the model is unknown, or there twice, or one
            of `BERTS` is a part of a sum.
    """
    if model in BERTS:
        return (model,)
    parts = str(model).split("+")
    known = (*NETWORKS, FLOORS)
    if not set(parts) <= set(known) or len(set(parts)) < len(parts):
        raise ValueError(
            f"`model` must be one or several of {', '.join(known)}, joined by "
            f"'+', such as {DEFAULT_MODEL}, or {' or '.join(BERTS)} alone, "
            f"which no sum can contain. Received: {model!r}"
        )
    return tuple(name for name in parts if name != FLOORS)


def has_floors(model: str) -> bool:
    """Returns True if floors are parts of the model."""
    return FLOORS in model.split("+")
