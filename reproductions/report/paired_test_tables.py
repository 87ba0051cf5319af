"""A paper's page: tested differences between models."""

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from reproductions.records.paired_tests import Condition
from reproductions.records.paired_tests import PairedTest
from reproductions.records.papers import Paper
from reproductions.records.seed_groups import AFTER
from reproductions.records.seed_groups import ALIKE
from reproductions.records.seed_groups import Statistic
from reproductions.records.seed_groups import own_training_set
from reproductions.report import markdown
from reproductions.report.rules.claims import HIGHER
from reproductions.report.rules.claims import LEVEL
from reproductions.report.rules.claims import LOWER
from reproductions.report.rules.claims import NOTHING
from reproductions.report.rules.claims import UNDECIDED
from reproductions.report.rules.claims import claim
from reproductions.report.rules.claims import corrected
from reproductions.report.rules.claims import enough_seeds
from reproductions.report.rules.claims import interval
from reproductions.report.rules.verdicts import LEAST_SEEDS

REMARK = """\
By `python -m reproductions.significance`: the metric of each question, for MAP
its average precision, is averaged over the seeds of a model and paired with
the other model's. The difference is the mean over questions, with a bootstrap
interval for which questions and seeds are drawn together, from {resamples:,}
resamples; * marks an older one that drew questions alone, widened by the
seeds' deviations. p is that of a two-sided permutation test over questions, by
Holm's correction for the {family} tests of this page that may claim something;
of a small one {permutations:,} permutations were drawn. "Says" follows by
rule: "{above}" or "{below}" where the corrected p is at most {level:g} and the
interval is without 0; "{equal}", which means that no difference is shown,
where neither is so; "{undecided}" where one of the two is: most often the
interval, which is not corrected. With fewer than {seeds} seeds of a trained
model, or too few permutations for a smaller p, it says nothing. Seeds with
one `transfer_seed` share their first training, whose own spread is in no
interval. "Paper" is the difference of the two figures that it prints, for test,
by the same training set if it has them."""
WORDS = """\
By the same rule; the seeds, intervals and p values are in the tables below."""
NO_WORDS = """\
No test here has the seeds that a claim needs: what the tables show are means,
and nothing is said of which model is the better one."""


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
    says = _claims(tests)
    parts += [markdown.paragraph(_remark(tests, says)), *_words(paper, says)]
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
            parts += _table(paper, [says[test.identity] for test in own])
    return parts


@dataclass(frozen=True)
class _Said:
    """A test with its corrected p value, None if it may claim nothing."""

    test: PairedTest
    p_value: float | None
    claim: str


def _claims(tests: Sequence[PairedTest]) -> dict[tuple[str, ...], _Said]:
    """What each test says, by its identity."""
    family = [
        test
        for test in tests
        if enough_seeds(test.first) and enough_seeds(test.second)
    ]
    p_values = corrected([test.p_value for test in family])
    said = {
        test.identity: _Said(test, p_value, claim(test, p_value))
        for test, p_value in zip(family, p_values, strict=True)
    }
    return {
        test.identity: said.get(test.identity, _Said(test, None, NOTHING))
        for test in tests
    }


def _remark(
    tests: Sequence[PairedTest], says: Mapping[tuple[str, ...], _Said]
) -> str:
    return REMARK.format(
        resamples=max(test.resamples for test in tests),
        permutations=max(test.permutations for test in tests),
        family=sum(said.p_value is not None for said in says.values()),
        above=HIGHER,
        below=LOWER,
        equal=LEVEL,
        undecided=UNDECIDED,
        level=round(1 - tests[0].confidence, 10),
        seeds=LEAST_SEEDS,
    )


def _words(paper: Paper, says: Mapping[tuple[str, ...], _Said]) -> list[str]:
    """The claims in words, a sentence for each model, data set and recipe."""
    found: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for said in says.values():
        if said.claim == NOTHING:
            continue
        test = said.test
        vectors = markdown.vectors(test.first.vectors)
        key = (
            f"`{test.dataset}` {test.split}, recipe {test.first.recipe}, "
            f"{vectors}, {test.metric}",
            _in_words(paper, test.first, ""),
        )
        second = _in_words(paper, test.second, _other_vectors(test))
        found.setdefault(key, {}).setdefault(said.claim, []).append(second)
    parts = ["### In words\n"]
    if not found:
        return [*parts, markdown.paragraph(NO_WORDS)]
    items = [
        f"{place}: {name} is "
        + "; ".join(
            f"{word}{' against' * (word == UNDECIDED)} "
            + ", ".join(of_word[word])
            for word in (HIGHER, LEVEL, UNDECIDED, LOWER)
            if word in of_word
        )
        + "."
        for (place, name), of_word in found.items()
    ]
    listed = "\n".join(map(markdown.item, items)) + "\n"
    return [*parts, markdown.paragraph(WORDS), listed]


def _in_words(paper: Paper, condition: Condition, vectors: str) -> str:
    name = paper.named(condition.model, condition.row)
    return " ".join(filter(None, (name, _differing(condition), vectors)))


def _differing(condition: Condition) -> str:
    """What a condition has besides a recipe: settings, and what came first."""
    settings = markdown.settings(condition.overrides)
    _, after, first = condition.training_set.partition(AFTER)
    return f"{settings}{after}{first}".strip()


def _place(test: PairedTest) -> str:
    return f"`{test.dataset}` {test.split}, differences of {test.metric}"


def _conditions(test: PairedTest) -> str:
    return (
        f"Recipe {test.first.recipe}, {markdown.vectors(test.first.vectors)}; "
        f"{test.questions} questions:"
    )


def _table(paper: Paper, says: Sequence[_Said]) -> list[str]:
    columns = ["First", "Second", "First's", "Second's", "Difference"]
    columns += [f"{says[0].test.confidence:.0%} interval", "p", "Says"]
    columns += ["Paper", "Seeds"]
    notes = markdown.Notes()
    rows = [
        [
            _name(paper, test.first, "", notes),
            _name(paper, test.second, _other_vectors(test), notes),
            _mean(test.first),
            _mean(test.second),
            f"{test.difference:+.3f}",
            "{:+.3f} to {:+.3f}".format(*interval(test))
            + "*" * (test.resampled == "questions"),
            "" if said.p_value is None else f"{said.p_value:.4f}",
            said.claim,
            _printed(paper, test),
            f"{len(test.first.seeds)}, {len(test.second.seeds)}",
        ]
        for said in says
        for test in [said.test]
    ]
    return [markdown.dense_table(columns, rows), *notes.listed()]


def _name(
    paper: Paper, condition: Condition, vectors: str, notes: markdown.Notes
) -> str:
    name = paper.named(condition.model, condition.row)
    differing = f"{_differing(condition)} {vectors}".strip()
    differing = notes.cell(differing, longest=0)
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

    The table that fits is one on the data set of the test, if there is one by
    the same training set.
    """
    training_set = own_training_set(test.first.training_set)
    tables = [
        table
        for table in paper.results
        if test.dataset in (table.dataset, *ALIKE.get(table.dataset, ())[:1])
    ]
    for table in sorted(tables, key=lambda t: t.training_set != training_set):
        rows = {row.name or row.ours: row for row in table.rows if row.ours}
        found = [rows.get(c.name) for c in (test.first, test.second)]
        columns = table.columns_of(test.metric)
        if columns and all(found):
            first, second = (row.metrics for row in found if row)
            differences = [first[name] - second[name] for name in columns]
            unit = 0.01 if table.percent else 1
            return ", ".join(f"{unit * d:+.3f}" for d in differences if d)
    return ""
