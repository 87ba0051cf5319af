"""Tests differences between models, question by question.

    python -m reproductions.significance runs/ctrn-study

Which models are compared stands in `paper_figures.toml`. Their run folders are looked
for below the given ones; two conditions are compared on the same split of the
same data set, with the same recipe and, unless the comparison says otherwise,
the same vectors, as follows.

The average precision of each question (or another metric that the comparison
names), averaged over the seeds of a condition, is paired with the other
condition's. The p value is that of a two-sided permutation test, which
exchanges the two of a pair at random; the interval of the mean difference is a
bootstrap over questions. Both are of the questions: they say what other
questions would change, not what other seeds would.

Results go to `paired_tests.jsonl`, in the place of earlier ones of the same two
conditions. A few seconds.
"""

import argparse
import sys
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
from scipy import stats

from reproductions.harness.measures import EVERY
from reproductions.records.paired_tests import PATH
from reproductions.records.paired_tests import Compared
from reproductions.records.paired_tests import ComparisonsError
from reproductions.records.paired_tests import Side
from reproductions.records.paired_tests import update_comparisons
from reproductions.records.paper_figures import Comparison
from reproductions.records.paper_figures import load_targets
from reproductions.records.runs import read_metrics
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import Statistic
from reproductions.records.seed_groups import canonical
from reproductions.records.seed_groups import group_runs
from reproductions.records.trec_files import read_labels
from reproductions.records.trec_files import read_ranking

RESAMPLES = 10_000
CONFIDENCE = 0.95
RNG_SEED = 0


class SignificanceError(ValueError):
    """The runs that were given cannot be compared."""


def question_metric(folder: Path, metric: str) -> dict[str, float]:
    """A metric of each question that a run scored.

    Args:
        folder: a run's folder with `run.trec` and `qrels.trec`.
        metric: one of `reproductions.harness.measures.EVERY`; `"MAP"` is the
        mean of
            the average precision of questions.

    Returns:
        Its value by question id, of the questions with a correct answer.

    Raises:
        DatasetError: if a file is missing or bad.
    """
    qrels = read_labels(folder / "qrels.trec")
    run = read_ranking(folder / "run.trec")
    scored = {q.query_id for q in qrels if q.relevance > 0}
    return {
        value.query_id: value.value
        for value in ir_measures.iter_calc(
            [EVERY[metric]],
            [q for q in qrels if q.query_id in scored],
            [d for d in run if d.query_id in scored],
        )
    }


def paired_difference(
    first: np.ndarray, second: np.ndarray
) -> tuple[float, tuple[float, float], float]:
    """Tests the mean difference of paired values.

    Args:
        first: values of the one condition, `(questions,)`.
        second: those of the other, in the same order.

    Returns:
        The mean difference, the ends of its bootstrap interval, and the
        two-sided p value of the permutation test.
    """
    differences = first - second
    test = stats.permutation_test(
        (first, second),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(RNG_SEED),
    )
    # Percentiles are defined even where all differences are equal.
    interval = stats.bootstrap(
        (differences,),
        np.mean,
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(RNG_SEED),
    ).confidence_interval
    return (
        float(differences.mean()),
        (float(interval.low), float(interval.high)),
        float(test.pvalue),
    )


def compare(first: Group, second: Group, metric: str = "MAP") -> Compared:
    """Compares two groups of runs whose records name their `folder`.

    Args:
        first: the one group.
        second: the other.
        metric: name of the metric.

    Raises:
        SignificanceError: if their runs did not score the same questions.
    """
    every = [
        question_metric(Path(run["folder"]), metric)
        for group in (first, second)
        for run in group.runs
    ]
    names = sorted(every[0])
    for group, found in zip(
        [*[first] * len(first.runs), *[second] * len(second.runs)],
        every,
        strict=True,
    ):
        if sorted(found) != names:
            raise SignificanceError(
                f"{group.model} on {group.dataset} {group.split}: expected "
                f"scores of the same {len(names)} questions in all runs. "
                f"Received: {len(found)} questions, "
                f"{len(set(names) & set(found))} of them the same"
            )
    values = np.array([[found[name] for name in names] for found in every])
    sides = np.split(values, [len(first.runs)])
    difference, interval, p_value = paired_difference(
        *(side.mean(axis=0) for side in sides)
    )
    return Compared(
        paper=first.paper,
        dataset=first.dataset,
        split=first.split,
        metric=metric,
        questions=len(names),
        first=_side(first, sides[0]),
        second=_side(second, sides[1]),
        difference=difference,
        interval=interval,
        confidence=CONFIDENCE,
        p_value=p_value,
        resamples=RESAMPLES,
        versions={
            name: metadata.version(name)
            for name in ("ir-measures", "numpy", "scipy")
        },
    )


def _side(group: Group, values: np.ndarray) -> Side:
    statistic = Statistic.of([float(row.mean()) for row in values])
    return Side(
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
    groups: Sequence[Group], wanted: Sequence[Comparison]
) -> Iterator[tuple[Group, Group, str]]:
    """The groups that a paper's comparisons ask for, with the metric.

    Args:
        groups: groups of runs of that paper.
        wanted: the comparisons.
    """
    readings = {name for comparison in wanted for name in comparison.readings}
    for comparison in wanted:
        for first in groups:
            for second in groups:
                if first is not second and _fits(
                    comparison, readings, first, second
                ):
                    yield first, second, comparison.metric


def _fits(
    comparison: Comparison, readings: set[str], first: Group, second: Group
) -> bool:
    # The second stands as its recipe has it, the first perhaps read otherwise,
    # if that is asked for; what else was changed was changed for both.
    changed = readings.intersection(first.overrides)
    return (
        comparison.first in (first.model, first.row)
        and comparison.second in (second.model, second.row)
        and (first.dataset, first.split) == (second.dataset, second.split)
        and changed <= set(comparison.readings)
        and not readings.intersection(second.overrides)
        and (
            second.recipe == "untrained"
            or _trained(first, readings) == _trained(second, readings)
        )
        and _vectors_fit(comparison, first, second)
    )


def _vectors_fit(comparison: Comparison, first: Group, second: Group) -> bool:
    if comparison.fewer_vectors:
        return set() < set(second.vectors) < set(first.vectors)
    return comparison.other_vectors or second.vectors in (first.vectors, ())


def _trained(group: Group, readings: set[str]) -> str:
    changed = {k: v for k, v in group.overrides.items() if k not in readings}
    return canonical([group.recipe, group.training_set, changed])


def find_runs(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """The metrics of the finished runs below some folders, with `folder`.

    Raises:
        SignificanceError: if a folder holds no finished run.
        RunsError: if the metrics of one are no record.
    """
    runs = []
    for folder in folders:
        found = [
            path
            for path in sorted(folder.rglob("metrics.json"))
            # A stage, which runs share, has metrics too, but ranks nothing.
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


def main(argv: Sequence[str] | None = None) -> int:
    """Compares the runs of some folders; returns the exit status."""
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
        help="default: paired_tests.jsonl beside this script",
    )
    arguments = parser.parse_args(argv)
    try:
        compared = _compare_all(find_runs(arguments.runs))
        update_comparisons(arguments.output, compared)
    except (OSError, ValueError, ComparisonsError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for item in compared:
        low, high = item.interval
        print(
            f"{item.dataset} {item.split}: {_name(item.first)} less "
            f"{_name(item.second)} {item.metric} {item.difference:+.4f} "
            f"[{low:+.4f}, {high:+.4f}] p {item.p_value:.4f}"
        )
    print(arguments.output)
    return 0


def _compare_all(runs: Sequence[Mapping[str, Any]]) -> list[Compared]:
    groups = group_runs(dict(run) for run in runs)
    compared = [
        compare(first, second, metric)
        for key, paper in load_targets().papers.items()
        for first, second, metric in pairs(
            [group for group in groups if group.paper == key],
            paper.comparisons,
        )
    ]
    if not compared:
        raise SignificanceError(
            f"expected runs of two models that paper_figures.toml wants compared. "
            f"Received: {len(groups)} conditions without such a pair"
        )
    return compared


def _name(side: Side) -> str:
    changed = [f"{name}={value}" for name, value in side.overrides.items()]
    return " ".join([side.row or side.model, *changed])


if __name__ == "__main__":
    sys.exit(main())
