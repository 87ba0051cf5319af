"""Marks of figures that are not of one network and one training alone."""

from collections.abc import Iterable
from collections.abc import Sequence

from reproductions.records.seed_groups import UNTRAINED
from reproductions.records.seed_groups import Group
from reproductions.report.rules.floors import FITTED

# Stands next to the recipe or the figure of a sum of network and floor.
SUM = "⊕"
ABOUT_SUMS = f"""\
{SUM}: the score is not the network's alone. It is a weighted sum of that and of
the floor `features`, all of it fitted together (`joint_weight`). Two such sums
have the floor in common, so that networks are likely to differ less here than
alone, and a figure with this mark does not say what its network reaches alone.
A name with "no features" means that none are inside the network."""
# Stands before a recipe that has changed since.
EARLIER = "old"
ABOUT_EARLIER = f"""\
A recipe after the word "{EARLIER}" has had other settings since the row was
measured. The row's own are given by `--set` under "How each figure was made",
on the paper's page in `reproductions`."""
# Stands next to the figure of a model that learnt from other data sets before.
TRANSFERRED = "†"
ABOUT_TRANSFER = f"""\
{TRANSFERRED}: trained before on other data sets, for TrecQA also on its own
TRAIN-ALL (`trecqa-all`), so that it had more to learn from than the models
without this mark."""


def recipe_of(group: Group) -> str:
    """The recipe of some runs, for readers, with `SUM` if it is of one."""
    return plain_recipe(group) + f" {SUM}" * is_sum(group)


def plain_recipe(group: Group) -> str:
    """The recipe of some runs, for readers.

    The records have one for all rankings without a network. Those that fitted
    something to the labels of train, such as weights of features, recorded it.
    """
    if group.recipe == UNTRAINED:
        fitted = any(run.get("fitted") for run in group.runs)
        return FITTED if fitted else UNTRAINED
    return f"{EARLIER} {group.recipe}" if group.earlier else group.recipe


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


def about_earlier(groups: Iterable[Group]) -> list[str]:
    """What `EARLIER` means, if a group's recipe has it; none otherwise."""
    found = any(g.earlier and g.recipe != UNTRAINED for g in groups)
    return [ABOUT_EARLIER] if found else []


def about_marks(groups: Iterable[Group]) -> list[str]:
    """What the marks of `mark_of` mean that some groups have."""
    listed = list(groups)
    first = any(group.learnt_first for group in listed)
    return [*about_sums(listed), *([ABOUT_TRANSFER] if first else [])]
