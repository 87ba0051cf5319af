"""The test of two groups of runs, the ranking of one, and earlier ones."""

from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.ranking.intervals import CONFIDENCE
from keras_qa.ranking.intervals import RESAMPLES
from keras_qa.ranking.intervals import paired_difference
from keras_qa.ranking.intervals import seeds_interval
from reproductions.by_question import METRIC
from reproductions.by_question import Known
from reproductions.by_question import ranking_checksum
from reproductions.learning_curves import read_history
from reproductions.records.json_lines import RecordError
from reproductions.records.paired_tests import Condition
from reproductions.records.paired_tests import PairedTest
from reproductions.records.rankings import Ranking
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import Statistic

# A p value of at most SMALL is computed again from MANY permutations, so many
# that the least one, times some thousand tests, is still small.
SMALL = 0.003
MANY = 100_000

# The fields that name a test or a ranking.
Identity = tuple[str, ...]


def paired_test(
    first: Group, second: Group, known: Known, metric: str = METRIC
) -> PairedTest:
    """Tests the difference between two groups of runs.

    Args:
        first: the first group.
        second: the second group.
        known: the values of the groups' runs.
        metric: name of the metric.

    Raises:
        DatasetError: if a run's ranking or labels are missing or bad.
        SignificanceError: if the runs did not score the same questions.
    """
    values = known.values((first, second), metric)
    of_first, of_second = np.split(values, [len(first.runs)])
    means = of_first.mean(axis=0), of_second.mean(axis=0)
    permutations = RESAMPLES
    difference, p_value = paired_difference(*means)
    if p_value <= SMALL:
        permutations = MANY
        _, p_value = paired_difference(*means, 10_000, permutations)
    return PairedTest(
        paper=first.paper,
        dataset=first.dataset,
        split=first.split,
        metric=metric,
        questions=values.shape[1],
        first=_condition(first, of_first),
        second=_condition(second, of_second),
        difference=difference,
        interval=seeds_interval(of_first, of_second),
        confidence=CONFIDENCE,
        p_value=p_value,
        resamples=RESAMPLES,
        versions=_versions(),
        resampled="seeds and questions",
        permutations=permutations,
    )


def recorded_test(
    first: Group,
    second: Group,
    known: Known,
    metric: str,
    recorded: Mapping[Identity, PairedTest],
) -> PairedTest | None:
    """The recorded test of two groups; None if it is to be computed.

    Args:
        first: the first group.
        second: the second group.
        known: the values of the groups' runs.
        metric: name of the metric.
        recorded: the recorded tests by identity.
    """
    if _has_folder(first) or _has_folder(second):
        return None
    conditions = [
        _condition(group, known.values((group,), metric))
        for group in (first, second)
    ]
    place = (first.paper, first.dataset, first.split, metric)
    test = recorded.get((*place, *(c.identity for c in conditions)))
    if test is None or test.versions != _versions():
        return None
    return test if [test.first, test.second] == conditions else None


def recorded_ranking(
    group: Group, known: Known, recorded: Mapping[Identity, Ranking]
) -> Ranking | None:
    """The recorded ranking of a group; None if it is to be computed.

    Args:
        group: the group.
        known: the values of the group's runs.
        recorded: the recorded rankings by identity.
    """
    if _has_folder(group):
        return None
    condition = _condition(group, known.values((group,), METRIC))
    place = (group.paper, group.dataset, group.split, METRIC)
    ranking = recorded.get((*place, condition.identity))
    if ranking is None or ranking.versions != _versions():
        return None
    checksums = [ranking_checksum(run) for run in group.runs]
    if (ranking.condition, ranking.run_sha256) != (condition, checksums):
        return None
    return replace(ranking, history=_history(group.runs))


def _has_folder(group: Group) -> bool:
    return any("folder" in run for run in group.runs)


def ranking_of(group: Group, known: Known) -> Ranking:
    """What the rankings of a group's runs say beyond its records.

    Args:
        group: the group.
        known: the values of the group's runs.

    Raises:
        DatasetError: if a run's ranking or labels are missing or bad.
        SignificanceError: if the runs did not score the same questions.
    """
    values = known.values((group,), METRIC)
    return Ranking(
        paper=group.paper,
        dataset=group.dataset,
        split=group.split,
        metric=METRIC,
        questions=values.shape[1],
        condition=_condition(group, values),
        interval=seeds_interval(values),
        confidence=CONFIDENCE,
        resamples=RESAMPLES,
        run_sha256=[ranking_checksum(run) for run in group.runs],
        history=_history(group.runs),
        versions=_versions(),
    )


def _history(runs: Sequence[dict[str, Any]]) -> dict[str, list[list[float]]]:
    """What all runs measured after each epoch; empty without epochs."""
    if any("folder" not in run for run in runs):
        found = [run.get("history", {}) for run in runs]
        names = set.intersection(*map(set, found))
        return {name: [one[name] for one in found] for name in sorted(names)}
    folders = [Path(run["folder"]) for run in runs]
    if not all((folder / "history.csv").exists() for folder in folders):
        return {}
    columns = {}
    for name in ("loss", METRIC):
        with suppress(RecordError):
            columns[name] = [
                read_history(folder, name)[name].tolist() for folder in folders
            ]
    return columns


def _versions() -> dict[str, str]:
    return {
        name: metadata.version(name)
        for name in ("ir-measures", "numpy", "scipy")
    }


def _condition(group: Group, values: np.ndarray) -> Condition:
    statistic = Statistic.of([float(row.mean()) for row in values])
    return Condition(
        model=group.model,
        row=group.row,
        recipe=group.recipe,
        vectors=list(group.vectors),
        training_set=group.training_set,
        overrides=group.overrides,
        seeds=[run["seed"] for run in group.runs],
        mean=statistic.mean,
        deviation=statistic.deviation,
    )
