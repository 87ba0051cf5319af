"""The page of all models by family: equation, size, speed, quality."""

import tomllib
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reproductions.records.costs import Cost
from reproductions.records.json_lines import RecordError
from reproductions.records.papers import Paper
from reproductions.records.papers import whose
from reproductions.records.seed_groups import Group
from reproductions.report import markdown
from reproductions.report.paper_page import GENERATED
from reproductions.report.rules.floors import METRIC
from reproductions.report.rules.floors import is_untrained
from reproductions.report.rules.lines import latest_best
from reproductions.report.rules.marks import about_marks
from reproductions.report.rules.marks import marks_of

DATASETS = ("wikiqa", "trecqa-clean", "trecqa-raw", "semeval")
INTRODUCTION = """\
q and a are the vectors of question and answer, q_i and a_j those of their
words, x further features, and an overline is a mean over words. {metric} is
that of dev by the recipe `best`, or without a network where there is none to
train, as on [the page of all models at their best](best.md), which names the
vectors and the floors. The time is that for one of 500 candidates, with the
candidates read anew and, in brackets, with their vectors at hand;
[quality against cost](frontier.md) says how it was measured. Parameters are
those that the recipe trains. A class that is several of the systems has a line
for each, with its name; a system that is not named as its class has its own."""
FIELDS = {"class", "source", "score", "runs"}


def load_families(path: Path) -> list[dict[str, Any]]:
    """The families of models, with the models' equations and records.

    Args:
        path: `models.toml`; without the file there are none.

    Raises:
        RecordError: if a model lacks a field, or has an unknown one.
    """
    if not path.exists():
        return []
    read = tomllib.loads(path.read_text("utf-8"))
    families: list[dict[str, Any]] = read["family"]
    for family in families:
        for model in family["model"]:
            if not FIELDS - {"runs"} <= set(model) <= FIELDS:
                raise RecordError(
                    f"{path}: expected the fields {sorted(FIELDS)}, of which "
                    f"runs may be missing. Received: {model}"
                )
    return families


def models_page(
    families: Sequence[Mapping[str, Any]],
    groups: Sequence[Group],
    costs: Sequence[Cost],
    papers: Mapping[str, Paper],
) -> str:
    """The page in Markdown, with a table for each family.

    Args:
        families: what `load_families` returns.
        groups: the measured runs of all papers.
        costs: the recorded costs.
        papers: the papers by key, which name the systems.
    """
    about = INTRODUCTION.format(metric=METRIC)
    parts = [f"# All models\n\n{GENERATED}\n", markdown.paragraph(about)]
    parts += map(markdown.paragraph, about_marks(filter(_is_shown, groups)))
    for family in families:
        rows = [
            row
            for model in family["model"]
            for row in _rows(model, groups, costs, papers)
        ]
        columns = ["Model", "From", "Score", "Parameters", "µs a pair"]
        columns += [f"`{name}`" for name in DATASETS]
        parts += [f"## {family['name']}\n", markdown.table(columns, rows)]
    return "\n".join(parts)


def systems_of(model: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The systems that a class is, each a paper's key and a name."""
    return [whose(name, "") for name in model.get("runs", [])]


def _rows(
    model: Mapping[str, Any],
    groups: Sequence[Group],
    costs: Sequence[Cost],
    papers: Mapping[str, Paper],
) -> Iterator[list[str]]:
    """A row for each system of a class; one without runs if it is none."""
    systems = systems_of(model)
    for place, key in enumerate(systems or [("", "")]):
        name = f"`{model['class']}`"
        if key[0] in papers:
            system = papers[key[0]].named(key[1])
            if len(systems) > 1 or not _alike(system, model["class"]):
                name += f", {system}"
        score = "" if place else f"${model['score']}$"
        source = "" if place else model["source"]
        yield _row((name, source, score), key, groups, costs)


def _alike(system: str, class_name: str) -> bool:
    """True if one name contains the other, but for case and signs."""
    a, b = (
        "".join(filter(str.isalnum, name.casefold()))
        for name in (system, class_name)
    )
    return a in b or b in a


def _row(
    about: tuple[str, str, str],
    key: tuple[str, str],
    groups: Sequence[Group],
    costs: Sequence[Cost],
) -> list[str]:
    name, source, score = about
    own = [group for group in groups if (group.paper, group.model) == key]
    cost: Mapping[str, Any] = next(
        (c for c in costs if (c["paper"], c["model"]) == key), {}
    )
    time = f"{cost['microseconds_per_pair']:,.1f}" if cost else ""
    if "microseconds_per_encoded_pair" in cost:
        time += f" ({cost['microseconds_per_encoded_pair']:,.1f})"
    shown = [
        latest_best(g for g in own if g.dataset == dataset and _is_shown(g))
        for dataset in DATASETS
    ]
    mark, *marks = marks_of(shown)
    figures = [markdown.number(g.metric(METRIC)) if g else "" for g in shown]
    return [
        name + mark,
        source,
        score,
        markdown.count(cost.get("parameters")),
        time,
        *(f"{a}{b}" for a, b in zip(figures, marks, strict=True)),
    ]


def _is_shown(group: Group) -> bool:
    of_page = group.recipe == "best" or is_untrained(group)
    return of_page and group.split == "dev" and not group.overrides
