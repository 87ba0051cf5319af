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
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path

from keras_qa.progress import ProgressBar
from reproductions.by_question import METRIC
from reproductions.by_question import Known
from reproductions.by_question import SignificanceError
from reproductions.by_question import ranking_checksum
from reproductions.harness.command import print_error
from reproductions.records.json_lines import write_records
from reproductions.records.paired_tests import PATH
from reproductions.records.paired_tests import Condition
from reproductions.records.paired_tests import PairedTest
from reproductions.records.paired_tests import current_tests
from reproductions.records.paired_tests import read_paired_tests
from reproductions.records.paper_figures import load_papers
from reproductions.records.question_values import PATH as QUESTION_VALUES
from reproductions.records.question_values import QuestionValues
from reproductions.records.question_values import read_question_values
from reproductions.records.rankings import PATH as RANKINGS
from reproductions.records.rankings import Ranking
from reproductions.records.rankings import read_rankings
from reproductions.records.runs import RUNS
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import group_runs
from reproductions.records.seed_groups import latest
from reproductions.significance.folders import every_run
from reproductions.significance.folders import find_runs
from reproductions.significance.pairs import pairs
from reproductions.significance.results import Identity
from reproductions.significance.results import paired_test
from reproductions.significance.results import ranking_of
from reproductions.significance.results import recorded_ranking
from reproductions.significance.results import recorded_test


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
        runs = every_run(there, records)
        recorded = {run["folder"] for run in runs if "folder" in run}
        if left_out := len(there) - len(recorded):
            are = "run is" if left_out == 1 else "runs are"
            print(f"{left_out} {are} not recorded: left out")
        known = Known(read_question_values(records / QUESTION_VALUES.name))
        every = group_runs(runs)
        groups = latest(every)
        for group in groups:
            _print_missing(group, known)
        before = {t.identity: t for t in read_paired_tests(arguments.output)}
        tests = _every_test(groups, known, before)
        rankings = _every_ranking(groups, known, records / RANKINGS.name)
        kept = (records / RUNS).exists()
        _write(arguments.output, every, kept, tests, rankings, known)
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


def _print_missing(group: Group, known: Known) -> None:
    """Says why runs of the given folders are in no test."""
    missing = known.missing(group)
    if missing and any("folder" in run for run in group.runs):
        seeds = "seed" if len(missing) == 1 else "seeds"
        print(
            f"{group.paper}, {group.model}, {group.dataset} {group.split}: not "
            f"tested, since the values of {seeds} "
            f"{', '.join(map(str, missing))} are not known; run them again, or "
            "name their folders"
        )


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
    # Several entries of a paper may want one test.
    wanted = {
        (id(first), id(second), metric): (first, second, metric)
        for key, paper in load_papers().items()
        for first, second, metric in pairs(groups, paper.paired_tests, key)
        if known.has(first, metric) and known.has(second, metric)
    }
    if not wanted:
        raise SignificanceError(
            f"expected runs of two models that a paper.toml wants tested. "
            f"Received: {len(groups)} conditions without such a pair"
        )
    return [
        recorded_test(first, second, known, metric, recorded)
        or paired_test(first, second, known, metric)
        for first, second, metric in ProgressBar(
            list(wanted.values()), unit="test"
        )
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
