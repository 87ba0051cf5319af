"""The results page: stages that come before a paper's model."""

from collections.abc import Sequence
from typing import Any

from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import Statistic
from reproductions.report import markdown

REMARK = """\
What the runs above start from: language models of questions and of answers,
judged on texts that choose their epoch and that they have not learnt from, and
the score of the jumps between the states of answers. Perplexities are forwards
and backwards; those of a unigram and a bigram model are of the same words. Runs
share stages: seeds are those of the stages.
"""
DIRECTIONS = ("forward", "backward")

# Of one stage: what tells it from others, and by folder what is known about it.
_Key = tuple[str, ...]


def stages(groups: Sequence[Group]) -> list[str]:
    """The stages of runs whose settings are their recipe's.

    Args:
        groups: the groups of runs of one paper.
    """
    found: dict[_Key, dict[str, dict[str, Any]]] = {}
    for group in groups:
        if group.overrides:
            continue
        place = (f"`{group.dataset}` {group.split}", group.recipe)
        for run in group.runs:
            for name, stage in run.get("stages", {}).items():
                key = (*place, markdown.vectors(group.vectors), name)
                found.setdefault(key, {})[stage["folder"]] = stage
    if not found:
        return []
    rows = [[*key, *_cells(list(made.values()))] for key, made in found.items()]
    columns = ["Data set", "Recipe", "Vectors", "Stage", "Texts", "Classes"]
    columns += ["Perplexity", "Unigram", "Bigram", "Reconstruction error"]
    columns += ["Epochs", "s/epoch", "Seeds"]
    return [
        "### The stages before the matcher\n",
        REMARK,
        markdown.table(columns, rows),
    ]


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
