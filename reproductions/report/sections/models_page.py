"""The page of all models by family: equation, size, speed, quality."""

import tomllib
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reproductions.records.costs import Cost
from reproductions.records.reading import RecordError
from reproductions.records.seed_groups import Group
from reproductions.report import markdown
from reproductions.report.paper_page import GENERATED
from reproductions.report.rules.floors import METRIC
from reproductions.report.rules.floors import is_floor
from reproductions.report.rules.lines import latest_best

DATASETS = ("wikiqa", "trecqa-clean", "trecqa-raw")
INTRODUCTION = """\
q and a are the vectors of question and answer, q_i and a_j those of their
words, x further features, and an overline is a mean over words. {metric} is
that of dev by the recipe `best`, or without training where there is nothing to
train, as on [the page of all models at their best](best.md), which names the
vectors and the floors. The time is that for one of 500 candidates, with the
candidates read anew and, in brackets, with their vectors at hand;
[quality against cost](frontier.md) says how it was measured. Parameters are
those that the recipe trains."""
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
) -> str:
    """The page in Markdown, with a table for each family.

    Args:
        families: what `load_families` returns.
        groups: the measured runs of all papers.
        costs: the recorded costs.
    """
    about = INTRODUCTION.format(metric=METRIC)
    parts = [f"# All models\n\n{GENERATED}\n", markdown.paragraph(about)]
    for family in families:
        rows = [_row(model, groups, costs) for model in family["model"]]
        columns = ["Model", "From", "Score", "Parameters", "µs a pair"]
        columns += [f"`{name}`" for name in DATASETS]
        parts += [f"## {family['name']}\n", markdown.table(columns, rows)]
    return "\n".join(parts)


def _row(
    model: Mapping[str, str], groups: Sequence[Group], costs: Sequence[Cost]
) -> list[str]:
    key = tuple(model.get("runs", ":").split(":"))
    own = [group for group in groups if (group.paper, group.model) == key]
    cost: Mapping[str, Any] = next(
        (c for c in costs if (c["paper"], c["model"]) == key), {}
    )
    time = f"{cost['microseconds_per_pair']:,.1f}" if cost else ""
    if "microseconds_per_encoded_pair" in cost:
        time += f" ({cost['microseconds_per_encoded_pair']:,.1f})"
    return [
        f"`{model['class']}`",
        model["source"],
        f"${model['score']}$",
        markdown.count(cost.get("parameters")),
        time,
        *(_quality(own, dataset) for dataset in DATASETS),
    ]


def _quality(own: Sequence[Group], dataset: str) -> str:
    best = latest_best(
        group
        for group in own
        if (group.dataset, group.split) == (dataset, "dev")
        and (group.recipe == "best" or is_floor(group))
        and not group.overrides
    )
    return markdown.number(best.metric(METRIC)) if best else ""
