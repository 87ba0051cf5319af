"""Tests differences between models, question by question.

    python -m reproductions.significance runs/study

Each paper's `paper.toml` says in `[[paired_tests]]` which models are compared.
The script finds their run folders below the given folders, and compares them
with each other and with the recorded runs whose values of each question it has
kept from earlier folders in `records/question_values.jsonl`. Two conditions are
compared on the same split of the same data set, with the same recipe and,
unless the entry in `paper.toml` says otherwise, the same vectors, and only if
the values of all their recorded seeds are known.

The average precision of each question (or another metric that the entry names)
is averaged over the seeds of each condition. The p value is that of a two-sided
permutation test, which exchanges a question's two values at random, and
describes variation between questions; a small one is computed again from more
permutations, since a page multiplies it by the number of its tests. The
interval of the mean difference is a bootstrap in which questions and the seeds
of each condition are drawn together.

Results are written to `records/paired_tests.jsonl`, where they replace earlier
results of the same two conditions. Of every such condition, the interval of its
own MAP, the checksums of its rankings and what was measured after each epoch
are written to `records/rankings.jsonl`. What is of earlier folders alone, with
the same versions of packages, stays as it is. Runs that `records/runs.jsonl`
does not have are left out, and what is of runs that it no longer has is
removed: no page has their figures.
"""

import argparse
import sys
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.progress import ProgressBar
from keras_qa.ranking.intervals import CONFIDENCE
from keras_qa.ranking.intervals import RESAMPLES
from keras_qa.ranking.intervals import paired_difference
from keras_qa.ranking.intervals import seeds_interval
from reproductions.by_question import METRIC
from reproductions.by_question import Known
from reproductions.by_question import SignificanceError
from reproductions.by_question import ranking_checksum
from reproductions.harness.command import print_error
from reproductions.learning_curves import read_history
from reproductions.records.json_lines import RecordError
from reproductions.records.json_lines import write_records
from reproductions.records.paired_tests import PATH
from reproductions.records.paired_tests import Condition
from reproductions.records.paired_tests import PairedTest
from reproductions.records.paired_tests import current_tests
from reproductions.records.paired_tests import read_paired_tests
from reproductions.records.paper_figures import load_papers
from reproductions.records.papers import WantedTest
from reproductions.records.papers import whose
from reproductions.records.question_values import PATH as QUESTION_VALUES
from reproductions.records.question_values import QuestionValues
from reproductions.records.question_values import read_question_values
from reproductions.records.rankings import PATH as RANKINGS
from reproductions.records.rankings import Ranking
from reproductions.records.rankings import read_rankings
from reproductions.records.runs import RUNS
from reproductions.records.runs import read_all_runs
from reproductions.records.runs import read_metrics
from reproductions.records.seed_groups import AFTER
from reproductions.records.seed_groups import FOLD
from reproductions.records.seed_groups import NO_FOLD
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import Statistic
from reproductions.records.seed_groups import canonical
from reproductions.records.seed_groups import group_runs
from reproductions.records.seed_groups import latest

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
    difference, _, p_value = paired_difference(*means)
    if p_value <= SMALL:
        permutations = MANY
        *_, p_value = paired_difference(*means, 10_000, permutations)
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


def pairs(
    groups: Sequence[Group], wanted: Sequence[WantedTest], paper: str
) -> Iterator[tuple[Group, Group, str]]:
    """Yields the two groups and the metric of each test that a paper wants.

    Args:
        groups: groups of runs of all papers.
        wanted: the wanted tests.
        paper: the paper's key.
    """
    varied = {name for test in wanted for name in test.varied}
    for test in wanted:
        for first in groups:
            for second in groups:
                if (
                    first is not second
                    and _named(test.first, paper, first)
                    and _named(test.second, paper, second)
                    and _fits(test, varied, first, second)
                ):
                    yield first, second, test.metric


def _named(name: str, paper: str, group: Group) -> bool:
    """True if a wanted test's name is that of a group's model or row."""
    owner, model = whose(name, paper)
    if model == "*":
        return group.paper == owner and group.recipe != "untrained"
    return group.paper == owner and model in (group.model, group.row)


def _fits(
    test: WantedTest, varied: set[str], first: Group, second: Group
) -> bool:
    # The second group has its recipe's values of all varied settings. The first
    # may have other values of those that this test varies. Any other setting
    # that was changed must be the same in both.
    return (
        (first.dataset, first.split) == (second.dataset, second.split)
        and varied.intersection(first.overrides) <= set(test.varied)
        and not varied.intersection(second.overrides)
        and (
            second.recipe == "untrained"
            or _trained(first, varied, test) == _trained(second, varied)
        )
        and _vectors_fit(test, first, second)
    )


def _vectors_fit(test: WantedTest, first: Group, second: Group) -> bool:
    if test.fewer_vectors:
        return set() < set(second.vectors) < set(first.vectors)
    return test.other_vectors or second.vectors in (first.vectors, ())


def _trained(
    group: Group, varied: set[str], test: WantedTest | None = None
) -> str:
    changed = {k: v for k, v in group.overrides.items() if k not in varied}
    own = group.training_set
    if test and NO_FOLD.intersection(test.varied, group.overrides):
        own = own.removesuffix(FOLD)
    if test and test.transfer:
        # Without what came before; of one that nothing did, no group's.
        own, found, _ = own.partition(AFTER)
        own = own if found else ""
    return canonical([group.recipe, own, changed])


def find_runs(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """Reads the metrics of the finished runs below some folders.

    Returns:
        The content of each `metrics.json`, and the run's folder as `folder`.

    Raises:
        SignificanceError: if a folder contains no finished run.
        RecordError: if the metrics of a run are malformed.
    """
    runs = []
    for folder in folders:
        found = [
            path
            for path in sorted(folder.rglob("metrics.json"))
            # A stage that runs share has metrics, too, but no ranking.
            if path.with_name("run.trec").exists()
        ]
        if not found:
            raise SignificanceError(
                f"{folder}: expected folders of finished runs. Received: none"
            )
        for path in found:
            record = read_metrics(path.parent)
            runs.append(record | {"folder": str(path.parent)})
    return runs


def recorded_runs(
    runs: Sequence[dict[str, Any]], records: Path
) -> list[dict[str, Any]]:
    """The runs that a file of runs has, or all if there is no such file.

    Args:
        runs: what `find_runs` returned.
        records: the folder of the file.
    """
    if not (records / RUNS).exists():
        return list(runs)
    known = {
        canonical({k: v for k, v in run.items() if k != "once"})
        for run in read_all_runs(records)
    }
    return [
        run
        for run in runs
        if canonical({k: v for k, v in run.items() if k != "folder"}) in known
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Tests the runs of some folders; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.significance",
        description=__doc__.splitlines()[0],
    )
    parser.add_argument("runs", type=Path, nargs="+", metavar="DIR")
    parser.add_argument(
        "--output",
        type=Path,
        default=PATH,
        metavar="FILE",
        help="default: reproductions/records/paired_tests.jsonl; "
        "`rankings.jsonl` and `question_values.jsonl` are written next to it",
    )
    arguments = parser.parse_args(argv)
    records = arguments.output.parent
    try:
        there = find_runs(arguments.runs)
        found = recorded_runs(there, records)
        if left_out := len(there) - len(found):
            are = "run is" if left_out == 1 else "runs are"
            print(f"{left_out} {are} not recorded: left out")
        known = Known(read_question_values(records / QUESTION_VALUES.name))
        earlier = read_all_runs(records) if (records / RUNS).exists() else []
        every = group_runs([*earlier, *found])
        groups = latest(every)
        before = {t.identity: t for t in read_paired_tests(arguments.output)}
        tests = _every_test(groups, known, before)
        rankings = _every_ranking(groups, known, records / RANKINGS.name)
        _write(arguments.output, every, bool(earlier), tests, rankings, known)
    except (OSError, ValueError) as error:
        print_error(error)
        return 2
    computed = [t for t in tests if t is not before.get(t.identity)]
    for test in computed:
        low, high = test.interval
        print(
            f"{test.dataset} {test.split}: {_shown(test.first)} minus "
            f"{_shown(test.second)} {test.metric} {test.difference:+.4f} "
            f"[{low:+.4f}, {high:+.4f}] p {test.p_value:.4f}"
        )
    print(
        f"{arguments.output}: {len(computed)} computed, "
        f"{len(tests) - len(computed)} of earlier runs"
    )
    return 0


def _write(
    output: Path,
    groups: Sequence[Group],
    recorded: bool,
    tests: Sequence[PairedTest],
    rankings: Sequence[Ranking],
    known: Known,
) -> None:
    """Adds results, and removes those of runs that no group has any more.

    Without a file of recorded runs nothing says which these are.
    """
    made = {ranking_checksum(run) for group in groups for run in group.runs}
    write_records(
        output,
        PairedTest,
        tests,
        lambda test: not recorded or bool(current_tests(groups, [test])),
    )
    write_records(
        output.with_name(RANKINGS.name),
        Ranking,
        rankings,
        lambda ranking: not recorded or any(map(ranking.of, groups)),
    )
    values = [
        value
        for value in known.kept.values()
        if not recorded or value.run_sha256 in made
    ]
    write_records(
        output.with_name(QUESTION_VALUES.name),
        QuestionValues,
        values,
        lambda value: not recorded or value.run_sha256 in made,
    )


def _every_test(
    groups: Sequence[Group],
    known: Known,
    recorded: Mapping[Identity, PairedTest],
) -> list[PairedTest]:
    wanted = [
        (first, second, metric)
        for key, paper in load_papers().items()
        for first, second, metric in pairs(groups, paper.paired_tests, key)
        if known.has(first, metric) and known.has(second, metric)
    ]
    if not wanted:
        raise SignificanceError(
            f"expected runs of two models that a paper.toml wants tested. "
            f"Received: {len(groups)} conditions without such a pair"
        )
    return [
        recorded_test(first, second, known, metric, recorded)
        or paired_test(first, second, known, metric)
        for first, second, metric in ProgressBar(wanted, unit="test")
    ]


def _every_ranking(
    groups: Sequence[Group], known: Known, path: Path
) -> list[Ranking]:
    recorded = {ranking.identity: ranking for ranking in read_rankings(path)}
    wanted = [g for g in groups if METRIC in g.metrics and known.has(g)]
    return [
        recorded_ranking(group, known, recorded) or ranking_of(group, known)
        for group in ProgressBar(wanted, unit="ranking")
    ]


def _shown(condition: Condition) -> str:
    changed = [f"{name}={value}" for name, value in condition.overrides.items()]
    return " ".join([condition.name, *changed])


if __name__ == "__main__":
    sys.exit(main())
