"""A paper's page: how each figure was made."""

import functools
import json
import textwrap
from collections.abc import Sequence
from typing import Any

from reproductions.records.json_lines import RecordError
from reproductions.records.papers import Paper
from reproductions.records.rankings import Ranking
from reproductions.records.seed_groups import Group
from reproductions.report import commands
from reproductions.report import markdown
from reproductions.report.rules.marks import plain_recipe
from reproductions.report.rules.selection import chosen_by

REMARK = """\
The command of the first seed; the others differ in `--seed`. Where a recipe has
changed since, `--set` gives what it was; the options were parsed again and
agree with the record. `KERAS_QA_DATA` is the folder of the data sets, with word
vectors in its folder `embeddings`. Seconds are those of training, of one seed.
A commit ending in `-dirty` had changes that no commit has."""
PACKAGES = ("python", "keras", "backend", "numpy")


def how_made(
    paper: Paper,
    own: Sequence[Group],
    groups: Sequence[Group],
    rankings: Sequence[Ranking],
) -> list[str]:
    """The section; none without runs.

    Args:
        paper: the paper.
        own: the groups that its tables show.
        groups: the groups of all papers.
        rankings: what the folders of runs said.
    """
    if not own:
        return []
    parts = ["## How each figure was made\n", markdown.paragraph(REMARK)]
    ordered = sorted(own, key=lambda g: (g.dataset, g.split, g.recipe))
    for dataset in dict.fromkeys(group.dataset for group in ordered):
        parts.append(f"<details><summary>On <code>{dataset}</code></summary>\n")
        for group in ordered:
            if group.dataset == dataset:
                parts += _one(paper, group, groups, rankings)
        parts.append("</details>\n")
    return parts


def training_seconds(group: Group) -> float | None:
    """Seconds that a seed's training took, None where it is not recorded."""
    found = [
        run["seconds_per_epoch"] * run["epochs"]
        for run in group.runs
        if run.get("seconds_per_epoch") and run.get("epochs")
    ]
    return max(found, default=None)


def _one(
    paper: Paper,
    group: Group,
    groups: Sequence[Group],
    rankings: Sequence[Ranking],
) -> list[str]:
    first = group.runs[0]
    name = paper.named(group.model, group.row)
    changed = markdown.settings(group.overrides)
    recipe = f"{plain_recipe(group)} {changed}".strip()
    chosen = chosen_by(group, groups)
    took = training_seconds(group)
    facts = [
        f"seeds {', '.join(str(run['seed']) for run in group.runs)}",
        f"commit {', '.join(f'`{c}`' for c in group.commits)}"
        if group.commits
        else "",
        markdown.vectors(group.vectors)
        + (
            f" with {group.covered:.1%} of the running words"
            if group.covered is not None
            else ""
        ),
        f"epoch chosen {chosen}" if chosen else "",
        f"{took:,.0f} s" if took else "",
        _versions(first),
        " and ".join(group.machines),
        f"`run.trec` {_checksum(group, rankings)}",
    ]
    return [
        markdown.paragraph(
            f"**{name}**, recipe {recipe}, {group.split}: "
            f"{'; '.join(filter(None, facts))}."
        ),
        # The order of the data sets of --transfer is that of the record.
        _command(json.dumps(first)),
    ]


def _versions(run: dict[str, Any]) -> str:
    found = run.get("versions", {})
    return ", ".join(
        found[name] if name == "backend" else f"{name} {found[name]}"
        for name in PACKAGES
        if name in found
    )


def _checksum(group: Group, rankings: Sequence[Ranking]) -> str:
    """The start of the first seed's checksum, or that there is none."""
    recorded = group.runs[0].get("run_sha256")
    for ranking in rankings:
        if not recorded and ranking.of(group):
            recorded = ranking.run_sha256[0]
    return f"`{recorded[:16]}…`" if recorded else "without a checksum"


@functools.cache
def _command(record: str) -> str:
    """The command of a record, as JSON, in lines that a shell joins."""
    try:
        line = commands.shown(json.loads(record))
    except RecordError as error:
        return markdown.paragraph(f"No command makes it now: {error}.")
    lines = textwrap.wrap(
        line,
        markdown.WIDTH - 2,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "```\n" + " \\\n".join(lines) + "\n```\n"
