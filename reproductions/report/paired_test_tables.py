"""A paper's page: tested differences between models."""

from collections.abc import Sequence
from itertools import groupby

from reproductions.records.paired_tests import Condition
from reproductions.records.paired_tests import PairedTest
from reproductions.records.paper_figures import Paper
from reproductions.records.seed_groups import Statistic
from reproductions.report import markdown

REMARK = """\
By `python -m reproductions.significance`: the metric of each question, for MAP
its average precision, is averaged over the seeds of a model and paired with the
other model's. The difference is the mean over questions, with a bootstrap
interval; p is that of a two-sided permutation test with {resamples:,}
resamples. Interval and p are of the questions, not of the seeds, whose
deviation is next to each mean; they are not corrected for the number of tests.
"Paper" is the difference of the two figures that it prints, for test."""


def paired_test_tables(paper: Paper, tests: Sequence[PairedTest]) -> list[str]:
    """The tested differences by data set, split, metric, recipe and vectors.

    Args:
        paper: the paper.
        tests: the paired tests of its models.
    """
    if not paper.paired_tests:
        return []
    parts = ["## Differences between models\n"]
    if not tests:
        return [*parts, "No paired test is recorded.\n"]
    resamples = max(test.resamples for test in tests)
    parts.append(markdown.paragraph(REMARK.format(resamples=resamples)))
    # A recorded test that is no longer asked for comes last.
    wanted = [(test.first, test.second) for test in paper.paired_tests]
    order = {pair: place for place, pair in enumerate(wanted)}
    places = list(dict.fromkeys(map(_place, tests)))
    conditions = list(dict.fromkeys(map(_conditions, tests)))
    ordered = sorted(
        tests,
        key=lambda test: (
            places.index(_place(test)),
            conditions.index(_conditions(test)),
            order.get((test.first.name, test.second.name), len(order)),
        ),
    )
    for place, of_place in groupby(ordered, _place):
        parts.append(f"### {place}\n")
        for shared, own in groupby(of_place, _conditions):
            parts.append(markdown.paragraph(shared))
            parts += _table(paper, list(own))
    return parts


def _place(test: PairedTest) -> str:
    return f"`{test.dataset}` {test.split}, differences of {test.metric}"


def _conditions(test: PairedTest) -> str:
    return (
        f"Recipe {test.first.recipe}, {markdown.vectors(test.first.vectors)}; "
        f"{test.questions} questions:"
    )


def _table(paper: Paper, tests: Sequence[PairedTest]) -> list[str]:
    columns = ["First", "Second", "First's", "Second's", "Difference"]
    columns += [f"{tests[0].confidence:.0%} interval", "p", "Paper", "Seeds"]
    notes = markdown.Notes()
    rows = [
        [
            _name(paper, test.first, "", notes),
            _name(paper, test.second, _other_vectors(test), notes),
            _mean(test.first),
            _mean(test.second),
            f"{test.difference:+.3f}",
            "{:+.3f} to {:+.3f}".format(*test.interval),
            f"{test.p_value:.4f}",
            _printed(paper, test),
            f"{len(test.first.seeds)}, {len(test.second.seeds)}",
        ]
        for test in tests
    ]
    return [markdown.dense_table(columns, rows), *notes.listed()]


def _name(
    paper: Paper, condition: Condition, vectors: str, notes: markdown.Notes
) -> str:
    name = paper.named(condition.model, condition.row)
    settings = markdown.settings(condition.overrides)
    differing = notes.cell(f"{settings} {vectors}".strip(), longest=0)
    return f"{name} {differing}".strip()


def _other_vectors(test: PairedTest) -> str:
    """The second's vectors if they differ; a model of words alone has none."""
    second = test.second.vectors
    if second in (test.first.vectors, []):
        return ""
    return f"with {markdown.vectors(second)}"


def _mean(condition: Condition) -> str:
    return markdown.number(
        Statistic(condition.mean, condition.deviation, len(condition.seeds))
    )


def _printed(paper: Paper, test: PairedTest) -> str:
    """The difference of the two figures in the paper's table, if it has both.

    The table that fits is the one on the data set of the test.
    """
    for table in paper.results:
        if table.dataset != test.dataset:
            continue
        rows = {row.name or row.ours: row for row in table.rows if row.ours}
        found = [rows.get(c.name) for c in (test.first, test.second)]
        columns = table.columns_of(test.metric)
        if columns and all(found):
            first, second = (row.metrics for row in found if row)
            differences = [first[name] - second[name] for name in columns]
            unit = 0.01 if table.percent else 1
            return ", ".join(f"{unit * d:+.3f}" for d in differences if d)
    return ""
