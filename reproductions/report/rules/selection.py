"""What chose the epoch of runs, and how many questions it had."""

from collections.abc import Iterable
from collections.abc import Sequence

from reproductions.records.seed_groups import FOLD
from reproductions.records.seed_groups import UNTRAINED
from reproductions.records.seed_groups import Group


def chosen_by(group: Group, groups: Sequence[Group]) -> str:
    """What chose the epoch of some runs, in words.

    Newer records have the number of questions. For older ones it follows from
    the others: a fold of train is train less what was fitted, and the epoch of
    runs on test was chosen on dev.

    Args:
        group: the runs.
        groups: all measured runs.

    Returns:
        A phrase; empty for a model that is not fitted by epochs.
    """
    if group.recipe == UNTRAINED or not any(
        run.get("epochs") for run in group.runs
    ):
        return ""
    settings = group.settings
    if folds := settings.get("folds"):
        return f"by cross-validation over {folds} folds of train"
    if settings.get("average_last"):
        return "by the recipe, beforehand"
    where = "dev" if group.split == "test" else "a fold of train"
    found = _questions(group, groups)
    if not found:
        return f"on {where}"
    return f"on {where}, {max(found):,} questions"


def epochs_of(own: Iterable[Group], groups: Sequence[Group]) -> str:
    """A sentence on what chose the epochs in a table; empty for floors alone.

    Args:
        own: the groups of the table.
        groups: all measured runs.
    """
    found = dict.fromkeys(chosen_by(group, groups) for group in own)
    phrases = [phrase for phrase in found if phrase]
    return f"Epochs were chosen {'; or '.join(phrases)}." if phrases else ""


def _questions(group: Group, groups: Sequence[Group]) -> list[int]:
    recorded: list[int] = group.values("selection_questions")
    if recorded:
        return recorded
    same = [g for g in groups if g.dataset == group.dataset]
    if group.split == "test":
        return [
            n for g in same if g.split == "dev" for n in g.values("questions")
        ]
    whole = group.training_set.removesuffix(FOLD)
    total = [
        run["training"]["questions"]
        for g in same
        if g.training_set == whole
        for run in g.runs
        if "questions" in run.get("training", {})
    ]
    fitted = [
        run["training"]["questions"]
        for run in group.runs
        if "questions" in run.get("training", {})
    ]
    if not (total and fitted) or whole == group.training_set:
        return []
    return [max(total) - min(fitted)]
