"""The page of the retrievers."""

from collections.abc import Sequence

from reproductions.records.retrieval import CUTOFFS
from reproductions.records.retrieval import Retrieval
from reproductions.report import markdown
from reproductions.report.paper_page import GENERATED

ABOUT = """\
MRNN's Table 4 prints recall@5 of the paragraphs of SQuAD 1.1, and does not say
among how many; DrQA searched Wikipedia. Here each question of the dev file
looks for its paragraph among those of the articles that are named: the fewer
they are, the easier it is, so that these figures are no verdict on the paper's.
DrQA's retriever is `keras_qa.ranking.hashed_tfidf.HashedTfIdf`; questions with
several best paragraphs of one score have them in a random order."""


def retrieval_page(records: Sequence[Retrieval]) -> str:
    """The page in Markdown.

    Args:
        records: what was measured.
    """
    columns = ["System", "Articles", "Paragraphs", "Questions"]
    columns += [f"recall@{k}" for k in CUTOFFS]
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
            "`python -m reproductions.retrieval` measures them.\n",
        ]
    )
