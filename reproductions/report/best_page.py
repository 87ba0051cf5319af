"""The page of the recipe `best` of every model, next to the floors."""

from collections import Counter
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from reproductions.harness.parts.floor_names import is_floor
from reproductions.records.papers import Paper
from reproductions.records.seed_groups import Group
from reproductions.report import markdown
from reproductions.report.paper_page import GENERATED
from reproductions.report.rules.floors import METRIC
from reproductions.report.rules.floors import Floors
from reproductions.report.rules.lines import NOT_RUN
from reproductions.report.rules.lines import latest_best
from reproductions.report.rules.marks import about_marks
from reproductions.report.rules.marks import marks_of
from reproductions.report.run_tables import above_floor
from reproductions.report.search_tables import Searches
from reproductions.report.search_tables import minutes
from reproductions.report.sections.fold_gains import fold_gains
from reproductions.report.sections.training_sets import training_sets
from reproductions.report.sections.transfer import transfer_parts

RECIPE = "best"
DATASETS = ("wikiqa", "trecqa-clean", "trecqa-raw")
# Shown if a model was measured on them.
MORE = ("semeval",)
# Its training sets are compared; and that of its questions which have a right
# and a wrong answer.
TWO_SETS = "trecqa-raw", "trecqa-clean"
INTRODUCTION = """\
{metric} on dev, mean over seeds ± the sample standard deviation, and how far it
is above the best floor by the same vectors; if these are a BERT's, by the same
number of its layers. Where a floor was run several times, the run on the
model's training set counts, then that of the model's own paper, since another
paper's tokenizer may differ. `bert:minilm` was tuned on
questions with their answers before, and
[`minilm-static-300d`](../docs/word-vectors.md) was made from it. Trials and
minutes are those of a model's own searches on folds of train, of all data sets
together. {budgets}

The best trial chose the settings, with exceptions. LSTM and CNN have QRNN's,
which were searched before theirs. On `semeval`, Attentive LSTM has QA-LSTM's,
and AP-CNN and AP-BiLSTM have their own of `wikiqa`. Dev chose
between MRNN's two best trials on `wikiqa`. The best trials of QRNN on
`trecqa-clean` and of LogCosineQA on `semeval` read skip-gram vectors, too: the
recipe follows the trials of the same settings by static vectors alone, the
second of QRNN's and the third of LogCosineQA's. HyperQA, CosineQA and
LogCosineQA have one number of epochs on TrecQA, and `trecqa-raw` has the
settings of `trecqa-clean`, from TRAIN-ALL, too. Weights are averaged over
epochs around that of the trial, but over later ones for HyperQA and CosineQA on
`wikiqa`, CosineQA on `semeval`, and CTRN on TrecQA. Of the cross-encoder, the
objective on `wikiqa` alone was searched. On `wikiqa-full` nothing was: HyperQA
has what the data sets share, and a fold chooses its epoch; the cross-encoder
has its number of epochs, on all of train.

`python -m reproductions.study best --data-dir DIR --embeddings FILE` makes five
seeds of the runs on {datasets}, but for the models of References of today;
`--datasets` and `--seeds` choose others. The models' own pages have the command
of each figure."""


def best_page(
    papers: Mapping[str, Paper],
    groups: Sequence[Group],
    searches: Mapping[str, Searches],
) -> str:
    """The page in Markdown.

    Of runs with several versions of the recipe, those are shown that were
    recorded last, and of several word vectors the best.

    Args:
        papers: the papers by key.
        groups: the measured runs of all papers.
        searches: the recorded trials by paper.
    """
    rows, searched, notes = [], [], markdown.Notes()
    there = {g.dataset for g in groups if _is_shown(g)}
    datasets = [*DATASETS, *(name for name in MORE if name in there)]
    for paper in papers.values():
        floors = Floors(groups, paper.key)
        own = [
            group
            for group in groups
            if group.paper == paper.key and _is_shown(group)
        ]
        for model in dict.fromkeys([*paper.models, *(g.model for g in own)]):
            of_model = [group for group in own if group.model == model]
            if not of_model:
                continue
            trials = [
                trial
                for recorded in searches.get(paper.key, {}).values()
                for trial in recorded
                if trial["model"] == model
            ]
            chosen = [
                latest_best(g for g in of_model if g.dataset == name)
                for name in datasets
            ]
            vectors = [markdown.vectors(g.vectors) for g in chosen if g]
            mark, *marks = marks_of(chosen)
            rows.append(
                [
                    paper.named(model) + mark,
                    notes.cell(" or ".join(dict.fromkeys(vectors)), 12),
                    *(
                        _cell(group, floors) + one.strip()
                        for group, one in zip(chosen, marks, strict=True)
                    ),
                    markdown.span([len(g.runs) for g in chosen if g]),
                ]
            )
            if trials:
                searched.append(
                    [
                        paper.named(model),
                        str(len(trials)),
                        f"{minutes(trials):.0f}",
                    ]
                )
    transfer = transfer_parts(papers, groups, "dev")
    if transfer:
        transfer.insert(0, "## Transfer and teachers\n")
    trials_spent = []
    if searched:
        table = markdown.table(["Model", "Trials", "Minutes"], searched)
        trials_spent = ["## Trials of the searches\n", table]
    columns = ["Model", "Vectors", *(f"`{name}`" for name in datasets)]
    return "\n".join(
        [
            f"# Recipe `{RECIPE}`\n\n{GENERATED}\n",
            markdown.paragraph(
                INTRODUCTION.format(
                    metric=METRIC,
                    budgets=_budgets(papers, searches),
                    datasets=", ".join(f"`{name}`" for name in DATASETS),
                )
            ),
            *map(markdown.paragraph, about_marks(filter(_is_shown, groups))),
            markdown.table([*columns, "Seeds"], rows),
            *notes.listed(),
            *trials_spent,
            *training_sets(
                papers, [g for g in groups if _is_of_recipe(g)], *TWO_SETS
            ),
            *transfer,
            *fold_gains(papers, groups, searches, datasets),
        ]
    )


def _is_shown(group: Group) -> bool:
    return _is_of_recipe(group) and not group.overrides


def _is_of_recipe(group: Group) -> bool:
    return (group.recipe, group.split) == (RECIPE, "dev")


def _budgets(
    papers: Mapping[str, Paper], searches: Mapping[str, Searches]
) -> str:
    """A sentence on the numbers of trials of a model on each data set."""
    # Two trials of one outcome had settings of the same effect.
    outcomes = {
        (trial["dataset"], key, trial["model"], _outcome(trial))
        for key, recorded in searches.items()
        for listed in recorded.values()
        for trial in listed
        if not is_floor(trial["model"]) and "failed" not in trial
    }
    trials = Counter(outcome[:3] for outcome in outcomes)
    sizes: dict[str, list[int]] = {}
    of_pages: dict[tuple[str, str], set[int]] = {}
    for (dataset, page, _), count in sorted(trials.items()):
        sizes.setdefault(dataset, []).append(count)
        of_pages.setdefault((page, dataset), set()).add(count)
    if not sizes:
        return "No search is recorded."
    listed = ", ".join(
        f"{markdown.span(found)} trials on `{dataset}`"
        for dataset, found in sizes.items()
    )
    uneven: dict[str, list[str]] = {}
    for (page, dataset), counts in of_pages.items():
        if len(counts) > 1:
            uneven.setdefault(page, []).append(f"`{dataset}`")
    same = "Models of one paper's page have equally many on a data set"
    if uneven:
        same += ", but for " + " and ".join(
            f"those of {papers[page].name} on {', '.join(of_page)}"
            for page, of_page in uneven.items()
        )
    return (
        f"A searched model has {listed}, without those that failed or came out "
        f"as another did. {same}. A model without a number has no recorded "
        "search."
    )


def _outcome(trial: Mapping[str, Any]) -> str:
    return str([trial.get(name) for name in ("metrics", "folds")])


def _cell(group: Group | None, floors: Floors) -> str:
    if group is None:
        return NOT_RUN
    figure = markdown.number(group.metric(METRIC))
    if floors.best(group) is None or floors.easy(group):
        return f"{figure} (no floor)"
    return f"{figure} ({above_floor(group, floors)})"
