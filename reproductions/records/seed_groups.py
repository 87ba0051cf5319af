"""Groups runs that differ only in their seed, with mean and deviation."""

import json
import statistics
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from functools import cache
from functools import cached_property
from typing import Any

AFTER = " after "
"""What the name of a training set has before those that were learnt first."""
FIRST = "transfer_"
"""What the settings of that first training begin with."""
FOLD = " less its fold"
"""What the name has at its end where a fold of train chose the epoch."""
NO_FOLD = frozenset(("average_last", "folds"))
"""Settings by which no fold is held out of train."""
UNTRAINED = "untrained"
"""The recipe of rankings without a network."""
TRAIN_SPLIT = "train_split"
"""The setting that chooses a training set of TrecQA: no other condition."""

# Data sets with the dev of another, whose train is the other's, too.
ALIKE = {"trecqa-all": ("trecqa-raw", "TRAIN-ALL")}
# A setting that has no effect unless another has this value.
_ONLY_WITH = {"paper_objective": ("objective", "paper")}
_SUFFIXES = (".gz", ".zip", ".txt", ".bin", ".vec")


@dataclass(frozen=True)
class Statistic:
    """Mean and deviation over the seeds of a group.

    Attributes:
        mean: arithmetic mean.
        deviation: sample standard deviation (n - 1), None for one seed.
        count: number of seeds.
    """

    mean: float
    deviation: float | None
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> "Statistic":
        """The statistic of one value per seed."""
        return cls(
            mean=statistics.fmean(values),
            deviation=_deviation(tuple(values)),
            count=len(values),
        )

    def scaled(self, factor: float) -> "Statistic":
        """The statistic of the values times a positive factor."""
        deviation = self.deviation
        return Statistic(
            mean=self.mean * factor,
            deviation=None if deviation is None else deviation * factor,
            count=self.count,
        )


# It adds fractions, and a page asks for the same figures many times.
@cache
def _deviation(values: tuple[float, ...]) -> float | None:
    return statistics.stdev(values) if len(values) > 1 else None


@dataclass(frozen=True)
class Group:
    """Runs that differ only in their seed.

    Attributes:
        paper: the paper's key.
        model: the model's name.
        recipe: the named recipe the settings started from.
        dataset: name of the data set.
        split: the split that was scored.
        training_set: name of what was trained on.
        training_pairs: number of its question-answer pairs.
        vectors: names of the word vectors that were concatenated.
        settings: the settings of the runs. One that was added after other runs
            had been recorded is left out where it has its default.
        overrides: the settings that differ from the recipe's.
        runs: one record per seed, ordered by seed: the last appended of
            several runs with the same seed.
        position: place of the last appended of the runs among all runs.
        earlier: True if later runs of the recipe have other settings.
    """

    paper: str
    model: str
    recipe: str
    dataset: str
    split: str
    training_set: str
    training_pairs: int
    vectors: tuple[str, ...]
    settings: dict[str, Any]
    overrides: dict[str, Any]
    runs: tuple[dict[str, Any], ...]
    position: int = 0
    earlier: bool = False

    @property
    def row(self) -> str | None:
        """The row of a paper's table that the runs are named after, if any."""
        return next((run["row"] for run in self.runs if run.get("row")), None)

    @property
    def changed(self) -> dict[str, Any]:
        """The overrides but the one that chooses the training set."""
        return {k: v for k, v in self.overrides.items() if k != TRAIN_SPLIT}

    @property
    def learnt_first(self) -> str:
        """The other data sets that were trained on before, if any."""
        return self.training_set.partition(AFTER)[2]

    @property
    def fitted_on(self) -> str:
        """The own training set, without a fold that chose the epoch."""
        return self.training_set.partition(AFTER)[0]

    @property
    def trained_on(self) -> str:
        """The own training set, with the fold that chose the epoch."""
        return own_training_set(self.training_set)

    def is_of(self, dataset: str) -> bool:
        """True if the runs' dev is that of a data set, and their train."""
        found = self.dataset, self.trained_on
        return self.dataset == dataset or found == ALIKE.get(dataset)

    def setting(self, name: str, default: Any = None) -> Any:
        """A setting's value; a default may be in neither mapping."""
        return self.settings.get(name, self.overrides.get(name, default))

    @property
    def once(self) -> bool:
        """True if the runs are of `test_runs.jsonl`."""
        return any(run.get("once") for run in self.runs)

    @property
    def commits(self) -> list[str]:
        """The commits that the runs were made at."""
        found = {run.get("versions", {}).get("commit") for run in self.runs}
        return sorted(found - {None})

    @property
    def covered(self) -> float | None:
        """The least share of running words with a vector; None if unknown."""
        found = [
            share["covered"] / share["total"]
            for run in self.runs
            if (share := run.get("coverage", {}).get("any_running"))
        ]
        return min(found, default=None)

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics that every run has."""
        common = set.intersection(*(set(r["metrics"]) for r in self.runs))
        return tuple(name for name in self.runs[0]["metrics"] if name in common)

    def metric(self, name: str) -> Statistic | None:
        """Mean and deviation of a metric, None if a run lacks it."""
        if name not in self.metrics:
            return None
        return Statistic.of([run["metrics"][name] for run in self.runs])

    def part_metric(self, part: str, name: str) -> Statistic | None:
        """Mean and deviation of a metric on a part of the questions.

        Args:
            part: `"selection"`, the questions that chose the epoch, or the
                name of a part of the split, such as `"test1"`.
            name: name of the metric.

        Returns:
            Mean and deviation, None if a run lacks the metric.
        """
        found = [
            run.get("selection", {})
            if part == "selection"
            else run.get("parts", {}).get(part, {})
            for run in self.runs
        ]
        if not all(name in metrics for metrics in found):
            return None
        return Statistic.of([metrics[name] for metrics in found])

    def statistic(self, name: str) -> Statistic | None:
        """Mean and deviation of a number such as `seconds_per_epoch`."""
        values = [run[name] for run in self.runs if run.get(name) is not None]
        return Statistic.of(values) if len(values) == len(self.runs) else None

    @property
    def machines(self) -> list[str]:
        """The machines that the runs were measured on."""
        found = {run.get("versions", {}).get("machine") for run in self.runs}
        return sorted(found - {None})

    def values(self, name: str) -> list[Any]:
        """The distinct values of a field such as `questions`, sorted."""
        return sorted({run[name] for run in self.runs if run.get(name)})


def own_training_set(name: str) -> str:
    """A training set without what came first, or the fold left out of it."""
    return name.partition(AFTER)[0].removesuffix(FOLD)


def vector_name(name: str) -> str:
    """The name of vectors without the folder and the endings of their file.

    >>> vector_name("vectors/glove.840B.300d.txt.gz")
    'glove.840B.300d'
    """
    name = name.rsplit("/", 1)[-1]
    while name.endswith(_SUFFIXES):
        name = name.rsplit(".", 1)[0]
    return name


def group_runs(runs: Iterable[dict[str, Any]]) -> list[Group]:
    """Groups the runs that differ only in their seed.

    Runs made with `--smoke` are left out: their figures mean nothing. Settings
    without effect are left out of the groups: runs that differ in them alone
    are of one condition.

    Args:
        runs: records as `read_runs` returns them.

    Returns:
        The groups, in an order that does not depend on that of the runs.
    """
    grouped: dict[str, dict[str, Any]] = {}
    for position, run in enumerate(runs):
        if run.get("smoke"):
            continue
        settings = run.get("settings") or {}
        identity = {
            "paper": run["paper"],
            "dataset": run["dataset"],
            "split": run["split"],
            "model": run["model"],
            "recipe": run["recipe"],
            "vectors": sorted(map(vector_name, run.get("vectors") or [])),
            "training_set": run.get("training_set") or "",
            "training_pairs": run.get("training", {}).get("pairs", 0),
            "settings": _effective(settings, settings),
            "overrides": _effective(run.get("overrides") or {}, settings),
        }
        seeds = grouped.setdefault(canonical(identity), {"runs": {}})
        seeds["identity"] = {**identity, "position": position}
        seeds["runs"][run["seed"]] = run
    groups = []
    for _, found in sorted(grouped.items()):
        identity = found["identity"]
        identity["vectors"] = tuple(identity["vectors"])
        by_seed = sorted(found["runs"].items(), key=lambda item: item[0])
        groups.append(Group(**identity, runs=tuple(run for _, run in by_seed)))
    return _with_earlier(groups)


def _with_earlier(groups: Sequence[Group]) -> list[Group]:
    """The groups, marked where their recipe has had other settings since."""

    def name(group: Group) -> tuple[str | None, ...]:
        found = (group.paper, group.model, group.dataset, group.row)
        return (*found, group.recipe)

    now = {
        name(group): group.settings
        for group in sorted(groups, key=lambda group: group.position)
        if not group.overrides
    }

    def changed(group: Group) -> bool:
        recipe = now.get(name(group), group.settings)
        names = group.settings.keys() | recipe.keys()
        return any(
            group.settings.get(name) != recipe.get(name)
            for name in names - group.overrides.keys() - _ONLY_WITH.keys()
        )

    return [replace(group, earlier=changed(group)) for group in groups]


def latest(groups: Iterable[Group]) -> list[Group]:
    """Of several forms of a recipe, the one that was measured last."""
    by_name: dict[str, Group] = {}
    for group in sorted(groups, key=lambda group: group.position):
        name = [
            *(group.paper, group.dataset, group.split, group.model, group.row),
            *(group.recipe, group.vectors, group.training_set, group.overrides),
        ]
        by_name[canonical(name)] = group
    return [group for group in groups if group in by_name.values()]


def _effective(
    changed: dict[str, Any], settings: dict[str, Any]
) -> dict[str, Any]:
    """Those of some settings that have an effect, given all settings.

    Another that is not recorded has its default, by which they have one.
    """
    return {
        name: value
        for name, value in changed.items()
        if name not in _ONLY_WITH
        or settings.get(_ONLY_WITH[name][0]) in (None, _ONLY_WITH[name][1])
    }


def one_setting_apart(groups: Sequence[Group]) -> dict[str, list[list[Group]]]:
    """Finds the groups that differ from each other in a single setting.

    Args:
        groups: the groups to look through.

    Returns:
        For every setting, the lists of at least two groups that differ only in
        that setting, each list ordered by the setting's value. The fold that
        `NO_FOLD` decides about belongs to these settings.
    """
    names = sorted({name for group in groups for name in group.settings})
    found: dict[str, list[list[Group]]] = {}
    for name in names:
        alike: dict[str, list[Group]] = {}
        for group in groups:
            alike.setdefault(_all_but(group, name), []).append(group)
        lists = [
            sorted(members, key=lambda group: _order(group.setting(name)))
            for _, members in sorted(alike.items())
            if len({canonical(m.settings.get(name)) for m in members}) > 1
        ]
        if lists:
            found[name] = lists
    return found


def distinctions(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """The settings that distinguish groups that look alike in a table.

    Args:
        groups: the groups of one table.

    Returns:
        For every group those of its settings that differ within the groups of
        the same model, recipe, data set, split, training set and vectors.
    """
    alike: dict[str, list[Group]] = {}
    for group in groups:
        alike.setdefault(_all_but(group), []).append(group)
    return [
        {
            name: value
            for name, value in sorted(group.settings.items())
            if any(
                other.settings.get(name) != value
                for other in alike[_all_but(group)]
            )
        }
        for group in groups
    ]


def canonical(value: Any) -> str:
    """The JSON text of a value with sorted keys: the same for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _all_but(group: Group, name: str | None = None) -> str:
    """The identity of a group without one setting, or without any setting."""
    settings = {k: v for k, v in group.settings.items() if name and k != name}
    training: list[Any] = [group.training_set, group.training_pairs]
    if name in NO_FOLD:
        training = [group.training_set.removesuffix(FOLD)]
    return canonical(
        [
            group.paper,
            group.dataset,
            group.split,
            group.model,
            group.recipe,
            *training,
            group.vectors,
            settings,
        ]
    )


def _order(value: Any) -> tuple[int, float, str]:
    if isinstance(value, int | float):
        return (0, float(value), "")
    return (1, 0.0, canonical(value))
