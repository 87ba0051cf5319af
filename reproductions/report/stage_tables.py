"""A paper's page: the stages that are trained before its model."""

from collections.abc import Sequence
from typing import Any

from reproductions.records.papers import Paper
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import Statistic
from reproductions.report import markdown

DIRECTIONS = ("forward", "backward")
COLUMNS = (
    *("Stage", "Texts", "Classes", "Perplexity", "Unigram", "Bigram"),
    *("Reconstruction error", "Epochs", "s/epoch", "Seeds"),
)
PERPLEXITY = COLUMNS.index("Perplexity")

# Records of stages, by name and then by folder.
_Stages = dict[str, dict[str, dict[str, Any]]]


def stage_tables(paper: Paper, groups: Sequence[Group]) -> list[str]:
    """The stages of runs whose settings are their recipe's.

    Args:
        paper: the paper.
        groups: the groups of its runs.
    """
    found: dict[str, _Stages] = {}
    for group in groups:
        for run in [] if group.overrides else group.runs:
            for name, stage in run.get("stages", {}).items():
                place = (
                    f"`{group.dataset}` {group.split}, recipe {group.recipe}, "
                    f"{markdown.vectors(group.vectors)}:"
                )
                stages = found.setdefault(place, {})
                stages.setdefault(name, {})[stage["folder"]] = stage
    if not found:
        return []
    parts = ["## Stages before the model\n", markdown.paragraph(paper.stages)]
    for place, stages in found.items():
        parts.append(markdown.paragraph(place))
        rows = [
            [name, *_cells(list(made.values()))]
            for name, made in stages.items()
        ]
        # Language models have other columns than other stages.
        for of_texts in (True, False):
            alike = [row for row in rows if bool(row[PERPLEXITY]) == of_texts]
            if alike:
                parts.append(markdown.dense_table(COLUMNS, alike))
    return parts


def _cells(made: Sequence[dict[str, Any]]) -> list[str]:
    errors = [stage.get("reconstruction_error", [None])[-1] for stage in made]
    return [
        markdown.span([stage["texts"] for stage in made]),
        markdown.span([s["classes"] for s in made if "classes" in s]),
        *(_both(made, name) for name in ("perplexity", "unigram", "bigram")),
        "" if None in errors else markdown.number(Statistic.of(errors)),
        markdown.span([stage["epochs"] for stage in made]),
        markdown.number(
            Statistic.of([stage["seconds_per_epoch"] for stage in made]), 1
        ),
        str(len(made)),
    ]


def _both(made: Sequence[dict[str, Any]], name: str) -> str:
    """A perplexity in both directions, if the stages have it."""
    if not all(name in stage for stage in made):
        return ""
    return " / ".join(
        markdown.number(
            Statistic.of([stage[name][direction] for stage in made]), 1
        )
        for direction in DIRECTIONS
    )
