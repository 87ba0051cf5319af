"""The page of the retrievers, and of rankers of what BM25 retrieves."""

from collections.abc import Mapping
from collections.abc import Sequence

from reproductions.records.papers import Paper
from reproductions.records.retrieval import CUTOFFS
from reproductions.records.retrieval import Retrieval
from reproductions.records.seed_groups import Group
from reproductions.report import markdown
from reproductions.report.paper_page import GENERATED
from reproductions.report.rules.marks import recipe_of

# The data set whose dev is every fourth article.
ARTICLES, POOL = "squad-articles", "every fourth article"
RECALLS = [f"recall@{k}" for k in CUTOFFS]

ABOUT = """\
MRNN's Table 4 prints recall@5 of the paragraphs of SQuAD 1.1, and does not say
among how many; DrQA searched Wikipedia. Here each question of the dev file
looks for its paragraph among those of the articles that are named: the fewer
they are, the easier it is, so that these figures are no verdict on the paper's.
DrQA's retriever is `keras_qa.ranking.hashed_tfidf.HashedTfIdf`; questions with
several best paragraphs of one score have them in a random order."""


RANKED = """\
The questions of the articles that are not among every fourth train a ranker,
which then orders the paragraphs that BM25 finds for the others among those of
every fourth article. "BM25's" is how many of them BM25 finds for a
question; a right one that it does not find is missed."""


def retrieval_page(
    records: Sequence[Retrieval],
    papers: Mapping[str, Paper],
    groups: Sequence[Group],
) -> str:
    """The page in Markdown.

    Args:
        records: what was measured of retrievers.
        papers: the papers by key.
        groups: the measured runs of all papers.
    """
    columns = ["System", "Articles", "Paragraphs", "Questions", *RECALLS]
    rows = [
        [
            record["system"],
            record["articles"],
            f"{record['pool']:,}",
            f"{record['questions']:,}",
            f"{record['recall@1']:.3f}",
            f"{record['recall@3']:.3f}",
            f"{record['recall@5']:.3f}",
        ]
        for record in records
    ]
    measured = markdown.table(columns, rows) if rows else "Not measured.\n"
    return "\n".join(
        [
            f"# Retrieval on SQuAD\n\n{GENERATED}\n",
            markdown.paragraph(ABOUT),
            measured,
            "`python -m reproductions.retrieval --data-dir DIR` measures "
            "them.\n",
            *_ranked(records, papers, groups),
        ]
    )


def _ranked(
    records: Sequence[Retrieval],
    papers: Mapping[str, Paper],
    groups: Sequence[Group],
) -> list[str]:
    """The section of the rankers, nothing without runs of one."""
    pools = [r["pool"] for r in records if r["articles"] == POOL]
    notes = markdown.Notes()
    found = [
        [
            papers[group.paper].named(group.model),
            recipe_of(group),
            markdown.settings(group.overrides),
            f"{group.setting('first_stage')}",
            markdown.span(pools),
            markdown.span(group.values("questions")),
            *(markdown.number(group.metric(name)) for name in RECALLS),
            f"{len(group.runs)}",
        ]
        for group in groups
        if group.dataset == ARTICLES and RECALLS[0] in group.metrics
    ]
    if not found:
        return []
    found.sort(key=lambda row: row[6], reverse=True)
    rows = [[*row[:2], notes.cell(row[2]), *row[3:]] for row in found]
    heads = [
        "Ranker",
        "Recipe",
        "Settings",
        "BM25's",
        "Paragraphs",
        "Questions",
    ]
    return [
        "## Rankers of what BM25 finds\n",
        markdown.paragraph(RANKED),
        markdown.table([*heads, *RECALLS, "Seeds"], rows),
        *notes.listed(),
    ]
