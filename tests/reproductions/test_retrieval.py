"""Retrievers of SQuAD's paragraphs, on articles written in its format."""

import json

import numpy as np

from keras_qa.datasets.collections.squad import Paragraph
from reproductions import retrieval
from reproductions.records.paper_figures import load_papers
from reproductions.records.retrieval import read_retrievals
from reproductions.records.seed_groups import group_runs
from reproductions.report.sections.retrieval_page import retrieval_page
from support.report_pages import run

TEXTS = ("A whale is white.", "Ships sail the sea.", "Emma is by Austen.")
QUESTIONS = ("Which whale is white?", "What sails?", "Who wrote Emma?")


def squad(folder):
    paragraphs = [
        {"context": text, "qas": [{"id": str(i), "question": question}]}
        for i, (text, question) in enumerate(zip(TEXTS, QUESTIONS, strict=True))
    ]
    articles = [
        {"title": "T", "paragraphs": paragraphs[i : i + 1]} for i in (0, 1)
    ]
    articles += [{"title": "T", "paragraphs": []}]
    articles += [{"title": "T", "paragraphs": paragraphs[2:]}]
    (folder / "SQuAD").mkdir()
    path = folder / "SQuAD/dev-v1.1.json"
    path.write_text(json.dumps({"version": "1.1", "data": articles}))


def test_a_rank_counts_the_better_and_shuffles_the_equal():
    scores = np.array([0.5, 2.0, 0.5, 0.1])
    assert retrieval.ranks([scores, scores], [1, 3]).tolist() == [1, 4]
    equal = retrieval.ranks([scores] * 200, [0] * 200)
    assert set(equal) == {2, 3}
    assert 60 < (equal == 2).sum() < 140


def test_recall_among_all_articles_and_among_those_of_dev(tmp_path, capsys):
    squad(tmp_path)
    record = tmp_path / "retrieval.jsonl"
    options = ["--data-dir", str(tmp_path), "--record", str(record)]
    assert retrieval.main(options) == 0
    found = read_retrievals(record)
    assert [r["pool"] for r in found] == [3, 3, 3, 1, 1, 1]
    assert [r["questions"] for r in found] == [3, 3, 3, 1, 1, 1]
    # No question shares a word with its paragraph but the first and the last.
    assert all(r["recall@1"] >= 2 / 3 for r in found)
    assert all(r["recall@3"] == 1 for r in found)
    rows = retrieval_page(found, {}, []).splitlines()
    assert "| DrQA, words | every fourth article | 1 | 1 | 1.000" in "".join(
        row[:56] for row in rows if row.startswith("| DrQA, words |")
    )


def test_paragraphs_that_differ_in_case_alone_are_one_document():
    asked = [("0", "which whale")], [("1", "which ship")]
    paragraphs = [
        Paragraph("0", "A red whale", asked[0]),
        Paragraph("1", "a red  WHALE", asked[0]),
        Paragraph("2", "a ship", asked[1]),
    ]
    name = next(name for name in retrieval.RETRIEVERS if "BM25" in name)
    found = retrieval.measure(name, paragraphs)
    assert (found["pool"], found["questions"], found["recall@1"]) == (2, 3, 1)


def test_a_missing_file_is_named(tmp_path, capsys):
    assert retrieval.main(["--data-dir", str(tmp_path)]) == 2
    assert "expected dev-v1.1.json" in capsys.readouterr().err


def test_nothing_measured():
    assert "Not measured." in retrieval_page([], {}, [])


def test_rankers_of_the_paragraphs_that_bm25_finds():
    """The best by recall@1 is first; runs on other data sets are not shown."""
    recalls = {"recall@1": 0.5, "recall@3": 0.6, "recall@5": 0.7}
    fields = {
        "paper": "mrnn",
        "dataset": "squad-articles",
        "settings": {"first_stage": 20},
        "questions": 2569,
    }
    runs = [
        run(model="mrnn", metrics=recalls, **fields),
        run(model="bm25", metrics={**recalls, "recall@1": 0.8}, **fields),
        run(model="mrnn", metrics=recalls, paper="mrnn", dataset="quasar-t"),
    ]
    page = retrieval_page([], load_papers(), group_runs(runs))
    rows = [line for line in page.splitlines() if "0.600" in line]
    assert len(rows) == 2
    assert rows[0].startswith("| BM25")
    assert rows[1].endswith("| 20 |  | 2,569 | 0.500 | 0.600 | 0.700 | 1 |")
