"""The settings of an experiment: typed, and checked before a file is read.

A paper's settings are a frozen dataclass of fields that `setting` makes:

    @dataclass(frozen=True)
    class ToySettings(CommonSettings):
        units: int = setting(8, "2.1", "tuned from 4 to 16", above=0)
        pooling: str = setting("max", "not stated", choices=("max", "avg"))

An instance checks its values; `--help` shows each field's default, allowed
values and place in the paper.
"""

import dataclasses
import json
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import TypeVar

from keras_qa.arguments import did_you_mean
from keras_qa.text.tokenizer import TOKENIZERS
from reproductions.harness.errors import SettingsError
from reproductions.harness.parts.setting_fields import checked
from reproductions.harness.parts.setting_fields import kinds_of
from reproductions.harness.parts.setting_fields import setting

# The names that Keras, and the library's vectors, know, listed here so that
# neither is imported.
ACTIVATIONS = (
    *("elu", "exponential", "gelu", "leaky_relu", "linear", "mish", "relu"),
    *("relu6", "selu", "sigmoid", "silu", "softplus", "softsign", "swish"),
    "tanh",
)
OPTIMIZERS = (
    *("adadelta", "adafactor", "adagrad", "adam", "adamax", "adamw", "ftrl"),
    *("lion", "nadam", "rmsprop", "sgd"),
)
WORD_NORMS = ("raw", "unit", "power")


# What a model is fitted by: as in its paper, or as in `harness/objectives.py`.
PAPER = "paper"
# These learn the scores of another ranker.
DISTILLED = ("margin-mse", "kl")
OBJECTIVES = (PAPER, "pointwise", "pairwise", "listwise", *DISTILLED)


@dataclasses.dataclass(frozen=True)
class CommonSettings:
    """The settings that the experiments of all papers have.

    Raises:
        SettingsError: if a value has the wrong type or is not allowed.
    """

    train_split: str = setting(
        "train",
        "not stated",
        "TrecQA has train-all, too",
        choices=("train", "train-all"),
    )
    tokenizer: str | None = setting(
        None,
        "not stated",
        "null: the one that fits the data set's files",
        choices=TOKENIZERS,
    )
    max_question_length: int | None = setting(
        None, "not stated", "tokens; null: all", above=0
    )
    max_answer_length: int | None = setting(
        None, "not stated", "tokens; null: all", above=0
    )
    oov_scale: float = setting(
        0.25,
        "not stated",
        "words without a vector: U(-scale, scale)",
        least=0,
    )
    skipgram_dim: int = setting(100, "ours", "of own vectors", above=0)
    skipgram_epochs: int = setting(15, "ours", "of own vectors", above=0)
    skipgram_window: int = setting(5, "ours", "of own vectors", above=0)
    random_dim: int = setting(
        100, "ours", "of the vectors `random`", above=0, later=True
    )
    word_norm: str = setting(
        "raw",
        "not stated",
        "lengths of the vectors of each source",
        choices=WORD_NORMS,
        later=True,
    )
    word_length: float = setting(
        3.0, "ours", "of unit; the mean of power", above=0, later=True
    )
    word_norm_power: float = setting(
        0.5, "ours", "exponent of the lengths", least=0, later=True
    )
    idf_weighting: bool = setting(
        False, "ours", "vectors times idf / its mean", later=True
    )
    trainable_embeddings: bool = setting(False, "not stated", later=True)
    fold_fraction: float = setting(
        0.15,
        "ours",
        "of train, held out where there is no file of folds",
        above=0,
        below=1,
    )
    folds: int = setting(
        0,
        "ours",
        "of train, whose mean measure sets the number of epochs for all of "
        "train; 0: held-out questions choose the epoch",
        least=0,
        later=True,
    )
    smoke_questions: int = setting(12, "ours", "of --smoke", above=0)
    smoke_epochs: int = setting(1, "ours", "of --smoke", above=0)
    epochs: int = setting(25, "not stated", above=0)
    # Of the objectives that a paper does not have.
    objective: str = setting(
        PAPER,
        "ours",
        "what the model is fitted by; a batch of pairwise and listwise has "
        "batch_size groups of a question with some answers; margin-mse and kl "
        "are these with the scores of --teacher",
        choices=OBJECTIVES,
        later=True,
    )
    negatives: int = setting(
        4, "ours", "of pairwise, for each right answer", least=1, later=True
    )
    sampler: str = setting(
        "mix",
        "ours",
        "of pairwise",
        choices=("random", "max", "mix"),
        later=True,
    )
    sampler_pool: str = setting(
        "own",
        "ours",
        "of pairwise and listwise",
        choices=("own", "all"),
        later=True,
    )
    margin: float = setting(0.2, "ours", "of pairwise", above=0, later=True)
    candidates: int = setting(
        30, "ours", "of listwise, of a question at most", least=2, later=True
    )
    temperature: float = setting(
        1.0, "ours", "of listwise: divides the scores", above=0, later=True
    )
    right_answers: str = setting(
        "mean",
        "ours",
        "of listwise: every right answer, or the sum of their probabilities",
        choices=("mean", "sum"),
        later=True,
    )
    label_weight: float = setting(
        0.0,
        "ours",
        "of kl, of the loss of listwise next to it; that of kl is the rest",
        least=0,
        most=1,
        later=True,
    )
    mined: int = setting(
        0,
        "ours",
        "BM25's best answers of all, which a question gets as further wrong "
        "candidates; not of objective=paper",
        least=0,
        later=True,
    )
    joint_weight: float | None = setting(
        None,
        "ours",
        "trains the model with the floor `features`: its score times a "
        "weight that starts here is added to the floor's log-odds; null: alone",
        above=0,
        later=True,
    )
    transfer_epochs: int = setting(
        1, "ours", "on the data sets of --transfer", above=0, later=True
    )
    transfer_learning_rate: float | None = setting(
        None, "ours", "on these; null: the same", above=0, later=True
    )
    transfer_objective: str | None = setting(
        None,
        "ours",
        "on these; null: the same",
        choices=OBJECTIVES,
        later=True,
    )
    transfer_seed: int | None = setting(
        None,
        "ours",
        "of the training on these, which runs of several seeds then share "
        "with --transfer-dir; null: the run's",
        least=0,
        later=True,
    )
    transfer_candidates: int = setting(
        10,
        "ours",
        "by BM25, of questions of a data set of right answers alone",
        least=2,
        later=True,
    )
    average_last: int = setting(
        0,
        "ours",
        "the mean of the weights of this many last epochs, of all of train; "
        "with folds, which measure each epoch alone, up to the one they "
        "choose; 0: the epoch that is best on the held-out questions",
        least=0,
        later=True,
    )

    def __post_init__(self) -> None:
        kinds = kinds_of(type(self))
        for field in dataclasses.fields(self):
            name = field.name
            value = checked(field, *kinds[name], getattr(self, name))
            object.__setattr__(self, field.name, value)


def recorded(settings: CommonSettings) -> dict[str, Any]:
    """The settings by name, as records of runs have them.

    A setting that is `later` than some recorded runs is left out where it has
    its default, so that the same run still has the same record.
    """
    defaults = type(settings)()
    return {
        field.name: getattr(settings, field.name)
        for field in dataclasses.fields(settings)
        if not field.metadata["rule"].later
        or getattr(settings, field.name) != getattr(defaults, field.name)
    }


S = TypeVar("S", bound=CommonSettings)


def resolve_settings(
    defaults: S,
    *layers: Mapping[str, Any],
    overrides: Sequence[str] = (),
) -> S:
    """Returns settings with changes; a later change replaces an earlier one.

    Args:
        defaults: the settings to start from.
        layers: new values by name.
        overrides: strings `name=value`, applied last; a value that is not JSON
            is taken as a string.

    Raises:
        SettingsError: if a name is unknown, or a value is not allowed.
    """
    changes = {name: v for layer in layers for name, v in layer.items()}
    for text in overrides:
        name, equals, raw = text.partition("=")
        if not equals:
            raise SettingsError(
                f"`--set` expects name=value. Received: {text!r}"
            )
        try:
            changes[name] = json.loads(raw)
        # RecursionError: JSON that is nested too deeply.
        except (ValueError, RecursionError):
            changes[name] = raw
    known = [field.name for field in dataclasses.fields(defaults)]
    for name in changes:
        if name not in known:
            raise SettingsError(
                f"`--set` expects one of {sorted(known)}."
                f"{did_you_mean(name, known)} Received: {name!r}"
            )
    return dataclasses.replace(defaults, **changes)
