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
import math
import shutil
import textwrap
from argparse import Namespace
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import TypeVar
from typing import get_args
from typing import get_origin
from typing import get_type_hints

from keras_qa.arguments import did_you_mean
from keras_qa.text.tokenizer import TOKENIZERS
from reproductions.harness.errors import SettingsError

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
class Rule:
    """The allowed values of a setting, and its source.

    Attributes:
        section: the paper's section, equation or table; `"not stated"`, or
            `"ours"` for a setting that no paper could state.
        note: a remark.
        choices: all allowed values; any value if empty.
        least: inclusive lower bound.
        above: exclusive lower bound.
        most: inclusive upper bound.
        below: exclusive upper bound.
        later: True if runs were recorded before there was this setting; they
            did what its default does.
    """

    section: str
    note: str
    choices: tuple[Any, ...]
    least: float | None
    above: float | None
    most: float | None
    below: float | None
    later: bool = False

    @property
    def limits(self) -> str:
        """The bounds as words that follow "must", such as `"be positive"`."""
        if self.above == 0 and self.most is self.below is None:
            return "be positive"
        if self.least == 0 and self.most is self.below is None:
            return "not be negative"
        bounds = {
            "at least": self.least,
            "above": self.above,
            "at most": self.most,
            "below": self.below,
        }
        found = [f"{k} {v:g}" for k, v in bounds.items() if v is not None]
        return f"be {' and '.join(found)}" if found else ""

    def allows(self, value: float) -> bool:
        """Returns True if a number is within the bounds."""
        return not (
            (self.least is not None and value < self.least)
            or (self.above is not None and value <= self.above)
            or (self.most is not None and value > self.most)
            or (self.below is not None and value >= self.below)
        )


def setting(
    default: Any,
    section: str,
    note: str = "",
    *,
    choices: Sequence[Any] = (),
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
    later: bool = False,
) -> Any:
    """Makes a field of a dataclass of settings.

    The field's annotation is its type: `int`, `float`, `bool`, `str` or
    `list[int]`, optionally `| None`. Arguments after `default` are `Rule`'s.
    """
    limits = (least, above, most, below)
    rule = Rule(section, note, tuple(choices), *limits, later)
    metadata = {"rule": rule}
    if isinstance(default, list):
        return dataclasses.field(
            default_factory=default.copy, metadata=metadata
        )
    return dataclasses.field(default=default, metadata=metadata)


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
        "of kl, of the loss of listwise beside it; that of kl is the rest",
        least=0,
        most=1,
        later=True,
    )
    mined: int = setting(
        0,
        "ours",
        "of kl: BM25's best answers of all, which a question gets as further "
        "candidates",
        least=0,
        later=True,
    )
    joint_weight: float | None = setting(
        None,
        "ours",
        "trains the model beside the floor `features`: its score times a "
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
        "0: the epoch that is best on the held-out questions",
        least=0,
        later=True,
    )

    def __post_init__(self) -> None:
        kinds = _kinds(type(self))
        for field in dataclasses.fields(self):
            name = field.name
            value = _checked(field, *kinds[name], getattr(self, name))
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


def check_objective(settings: CommonSettings) -> None:
    """Refuses settings of which one rules out another.

    Raises:
        SettingsError: if a value is not allowed.
    """
    drawn = settings.objective in ("pairwise", "margin-mse")
    if drawn and settings.negatives < 1:
        raise SettingsError(
            "the setting `negatives` must be positive for "
            f"objective={settings.objective}. "
            f"Received: negatives={settings.negatives!r}"
        )
    if settings.joint_weight is not None and settings.objective == PAPER:
        raise SettingsError(
            "the setting `joint_weight` must be null for objective=paper, "
            "whose loss is for the model's score alone. "
            f"Received: joint_weight={settings.joint_weight!r}"
        )
    if not settings.average_last:
        return
    patience = getattr(settings, "patience", 0)
    if patience:
        raise SettingsError(
            "the setting `patience` must be 0 for average_last above 0, which "
            f"is of a fixed number of epochs. Received: patience={patience!r}"
        )
    if settings.average_last > settings.epochs:
        raise SettingsError(
            "the setting `average_last` must be at most `epochs`, "
            f"{settings.epochs}. "
            f"Received: average_last={settings.average_last!r}"
        )


def check_teacher(arguments: Namespace, settings: CommonSettings) -> None:
    """Refuses an objective without its teacher, and a teacher without use.

    Raises:
        SettingsError: if either is missing.
    """
    chosen = (settings.objective, settings.transfer_objective)
    asked = [objective for objective in chosen if objective in DISTILLED]
    if asked and not arguments.teacher:
        raise SettingsError(
            f"objective={asked[0]} needs `--teacher FOLDER`. Received: none"
        )
    if arguments.teacher and not asked:
        raise SettingsError(
            f"`--teacher` must go with objective={' or '.join(DISTILLED)}. "
            f"Received: objective={settings.objective}"
        )


def _kinds(settings: type[CommonSettings]) -> dict[str, tuple[type, bool]]:
    """The type of each setting, and True if it may be `None` as well."""
    found = {}
    for name, hint in get_type_hints(settings).items():
        kinds = get_args(hint) if type(None) in get_args(hint) else (hint,)
        found[name] = (kinds[0], len(kinds) > 1)
    return found


def _checked(
    field: "dataclasses.Field[Any]", kind: type, optional: bool, value: Any
) -> Any:
    """The checked value of a setting; an integer for a float is converted."""
    name, rule = field.name, field.metadata["rule"]
    if value is None and optional:
        return None
    if kind is float and type(value) is int:
        value = float(value)
    expected = get_origin(kind) or kind
    wrong = ""
    if type(value) is not expected:
        wrong = f"be of type {expected.__name__}"
    elif isinstance(value, float) and not math.isfinite(value):
        wrong = "be finite"
    elif rule.choices and value not in rule.choices:
        wrong = f"be one of {rule.choices}"
    elif isinstance(value, list):
        if not all(type(v) is int and rule.allows(v) for v in value):
            wrong = f"be a list of integers, each of which must {rule.limits}"
    elif isinstance(value, int | float) and not rule.allows(value):
        wrong = rule.limits
    if wrong:
        raise SettingsError(
            f"the setting `{name}` must {wrong}. Received: {name}={value!r}"
        )
    return value


def describe_settings(settings: type[CommonSettings]) -> str:
    """The settings for `--help`: default, what is allowed, source, note."""
    defaults, kinds = settings(), _kinds(settings)
    lines = ["settings, changed by --set NAME=VALUE, [place in the paper]:"]
    for field in dataclasses.fields(settings):
        rule = field.metadata["rule"]
        kind, optional = kinds[field.name]
        allowed = " | ".join(map(str, rule.choices))
        if not allowed:
            limits = rule.limits.replace("be ", "")
            allowed = f"{(get_origin(kind) or kind).__name__} {limits}".strip()
        default = json.dumps(getattr(defaults, field.name))
        about = f"{allowed}{' | null' * optional} [{rule.section}] {rule.note}"
        lines += wrapped(f"{field.name}={default}", about)
    return "\n".join(lines)


def wrapped(name: str, about: str, column: int = 34) -> list[str]:
    """One or more lines of `--help` in two columns."""
    width = max(60, shutil.get_terminal_size().columns - 2)
    head = f"  {name:<{column - 3}} "
    return textwrap.wrap(
        head + about,
        width,
        subsequent_indent=" " * column,
        break_on_hyphens=False,
    )
