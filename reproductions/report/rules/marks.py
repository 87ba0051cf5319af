"""Marks of figures that are not of one network and one training alone."""

from collections.abc import Iterable
from collections.abc import Sequence

from reproductions.records.seed_groups import Group
from reproductions.report.rules.floors import FITTED
from reproductions.report.rules.floors import UNTRAINED

# Stands next to the recipe or the figure of a sum of network and floor.
SUM = "⊕"
ABOUT_SUMS = f"""\
{SUM}: the score is not the network's alone. It is a weighted sum of that and of
the floor `features`, all of it fitted together (`joint_weight`). Two such sums
have the floor in common, so that networks are likely to differ less here than
alone, and no figure says what its network reaches alone. A name with "no
features" means that none are inside the network."""
# Stands next to the figure of a model that learnt from other data sets before.
TRANSFERRED = "†"
ABOUT_TRANSFER = f"""\
{TRANSFERRED}: trained on other data sets before its own, so that it had more to
learn from than the models without this mark."""


def recipe_of(group: Group) -> str:
    """The recipe of some runs, for readers, with `SUM` if it is of one.

    The records have one for all rankings without a network. Those that fitted
    something to the labels of train, such as weights of features, recorded it.
    """
    if group.recipe == UNTRAINED and any(r.get("fitted") for r in group.runs):
        return FITTED
    return f"{group.recipe} {SUM}" if is_sum(group) else group.recipe


def is_sum(group: Group) -> bool:
    """Returns True if a network was fitted together with the floor `features`.

    Rankings without a network may have the setting, which is of no use there.
    """
    weight = group.settings.get("joint_weight")
    return weight is not None and group.recipe != UNTRAINED


def mark_of(group: Group | None) -> str:
    """What stands after the name or the figure of some runs, if anything."""
    if group is None:
        return ""
    marks = SUM * is_sum(group) + TRANSFERRED * bool(group.learnt_first)
    return f" {marks}" if marks else ""


def marks_of(groups: Sequence[Group | None]) -> list[str]:
    """The mark of a model's name, if all its figures have it, then of each."""
    found = [mark_of(group) for group in groups]
    distinct = {mark_of(group) for group in groups if group is not None}
    if len(distinct) == 1:
        return [*distinct, *("" for _ in found)]
    return ["", *found]


def about_sums(groups: Iterable[Group]) -> list[str]:
    """What `SUM` means, if a group has it; none otherwise."""
    return [ABOUT_SUMS] if any(map(is_sum, groups)) else []


def about_marks(groups: Iterable[Group]) -> list[str]:
    """What the marks of `mark_of` mean that some groups have."""
    listed = list(groups)
    first = any(group.learnt_first for group in listed)
    return [*about_sums(listed), *([ABOUT_TRANSFER] if first else [])]
