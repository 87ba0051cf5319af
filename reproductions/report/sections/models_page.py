"""The page of all models by family: equation, size, speed, quality."""

import tomllib
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reproductions.records.costs import Cost
from reproductions.records.costs import with_tuned
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
train, in all columns of a row with the same word vectors: of those that it was
measured with, the ones of most data sets. [The page of all models at their
best](best.md) names those of the recipe{floors}. The time is that for one of
500 candidates, with the candidates read anew and, in brackets, with their
vectors at hand; [quality against cost](frontier.md) says how it was measured.
Parameters are those that the recipe trains. A class that is several of the
systems has a line for each, with its name; a system that is not named as its
class has its own."""
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
    keys = {
        key
        for family in families
        for model in family["model"]
        for key in systems_of(model)
    }
    shown = [
        group
        for key in keys
        for group in _shown(key, groups)
        if group and is_untrained(group) and group.vectors
    ]
    read = sorted({markdown.vectors(group.vectors) for group in shown})
    floors = f"; without a network, they are {' or '.join(read)}" * bool(read)
    about = INTRODUCTION.format(metric=METRIC, floors=floors)
    parts = [f"# All models\n\n{GENERATED}\n", markdown.paragraph(about)]
    parts += map(markdown.paragraph, about_marks(filter(_is_shown, groups)))
    costs = with_tuned(costs)
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
    # One for all systems of a class, or one for each.
    scores = model["score"]
    scores = [scores] if isinstance(scores, str) else scores
    for place, key in enumerate(systems or [("", "")]):
        name = f"`{model['class']}`"
        if key[0] in papers:
            system = papers[key[0]].named(key[1])
            if len(systems) > 1 or not _alike(system, model["class"]):
                name += f", {system}"
        score = f"${scores[place]}$" if place < len(scores) else ""
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
    cost: Mapping[str, Any] = next(
        (c for c in costs if (c["paper"], c["model"]) == key), {}
    )
    time = f"{cost['microseconds_per_pair']:,.1f}" if cost else ""
    if "microseconds_per_encoded_pair" in cost:
        time += f" ({cost['microseconds_per_encoded_pair']:,.1f})"
    shown = _shown(key, groups)
    mark, *marks = marks_of(shown)
    # Those of WikiQA, where the time was taken, if it has a run.
    trained = [
        max(g.values("parameters"), default=None)
        for g in shown
        if g and not is_untrained(g)
    ]
    figures = [markdown.number(g.metric(METRIC)) if g else "" for g in shown]
    return [
        name + mark,
        source,
        score,
        markdown.count(next(iter(trained), None)),
        time,
        *(f"{a}{b}" for a, b in zip(figures, marks, strict=True)),
    ]


def _shown(key: tuple[str, str], groups: Sequence[Group]) -> list[Group | None]:
    """A system's runs by data set, all with the same word vectors."""
    own = [
        group
        for group in groups
        if (group.paper, group.model) == key and _is_shown(group)
    ]
    by_vectors: dict[tuple[str, ...], list[Group]] = {}
    for group in own:
        by_vectors.setdefault(group.vectors, []).append(group)

    def spread(found: Sequence[Group]) -> tuple[int, int]:
        here = [g for g in found if g.dataset in DATASETS]
        return len({g.dataset for g in here}), max(g.position for g in found)

    kept = max(by_vectors.values(), key=spread, default=[])
    return [
        latest_best(g for g in kept if g.dataset == dataset)
        for dataset in DATASETS
    ]


def _is_shown(group: Group) -> bool:
    of_page = group.recipe == "best" or is_untrained(group)
    return of_page and group.split == "dev" and not group.overrides
