"""A setting: a field with a type, allowed values and a place in the paper."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any
from typing import get_args
from typing import get_origin
from typing import get_type_hints

from reproductions.harness.errors import SettingsError


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


def kinds_of(settings: type[Any]) -> dict[str, tuple[type, bool]]:
    """The type of each setting, and True if it may be `None` as well."""
    found = {}
    for name, hint in get_type_hints(settings).items():
        kinds = get_args(hint) if type(None) in get_args(hint) else (hint,)
        found[name] = (kinds[0], len(kinds) > 1)
    return found


def checked(
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
