"""`keras-qa ask`, with an index of a small model."""

import io
import json
import re
import shutil
import sys
from argparse import Namespace
from types import SimpleNamespace

import numpy as np
import pytest

from keras_qa.cli.ask import _first_stage
from keras_qa.ranker import Ranker
from keras_qa.search.answers import Answer
from keras_qa.search.index import AnswerIndex
from keras_qa.search.two_stages import answer_question
from keras_qa.text.readable import UNREAD_SCORE
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary
from support.search_runs import ANSWERS
from support.search_runs import QUESTION
from support.search_runs import best
from support.search_runs import build
from support.search_runs import command


def test_ask_prints_answers_scores_and_times(hyperqa_index, runs, capsys):
    scores = Ranker.load(runs["hyperqa"]).scores(QUESTION, ANSWERS)
    asked = ("ask", hyperqa_index, "--question", QUESTION, "--top", 3)
    assert command(*asked) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [QUESTION, "  rank       score  answer"]
    rank, score, first = lines[2].split(maxsplit=2)
    assert (rank, first) == ("1", ANSWERS[best(scores, 1)[0]])
    assert float(score) == pytest.approx(scores.max(), abs=1e-3)
    assert len(lines) == 6 and lines[5].startswith(
        "(100 answers, index: search "
    )
    assert command(*asked, "--format", "trec", "--kind", "hnsw") == 0
    printed = capsys.readouterr()
    number = best(scores, 1)[0] + 1
    assert printed.out.startswith(f"1 Q0 {number} 1 ")
    assert re.search(r"search \d+\.\d+ s", printed.err)
    for options, received in [
        (("--kind", "flat"), "--effort 5 with flat"),
        (("--first", "bm25"), "--effort 5 with bm25"),
        (("--kind", "hnsw", "--first", "bm25"), "--first bm25"),
    ]:
        assert command(*asked, "--effort", 5, *options) == 2
        assert f"Received: {received}" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_answers_have_the_ids_of_their_file(runs, tmp_path, capsys, name):
    path = tmp_path / name
    delimiter = "," if name == "a.csv" else "\t"
    head = ["answer_id,answer"] if name == "a.csv" else []
    rows = [f"doc {i}{delimiter}{text}" for i, text in enumerate(ANSWERS[:5])]
    path.write_text("\n".join([*head, *rows]))
    expected = {f"doc {i}": text for i, text in enumerate(ANSWERS[:5])}
    build(runs["hyperqa"], path, tmp_path / "index")
    asked = ("--question", QUESTION, "--format", "jsonl")
    for given in (
        ("ask", tmp_path / "index", "--top", 5),
        ("ask", tmp_path / "index", "--rerank", runs["qrnn"], "--top", 5),
        ("rank", runs["hyperqa"], "--file", path),
    ):
        assert command(*given, *asked) == 0
        rows = map(json.loads, capsys.readouterr().out.splitlines())
        assert {r["answer_id"]: r["answer"] for r in rows} == expected


def test_an_empty_question_is_refused(hyperqa_index, capsys):
    assert command("ask", hyperqa_index, "--question", " ") == 2
    assert "--question must be a text" in capsys.readouterr().err


def test_an_index_of_a_kind_that_is_not_there(hyperqa_index, tmp_path, capsys):
    folder = shutil.copytree(hyperqa_index, tmp_path / "index")
    (folder / "hnsw.faiss").unlink()
    asked = ("ask", folder, "--question", QUESTION)
    assert command(*asked, "--kind", "hnsw") == 2
    error = capsys.readouterr().err
    assert "expected hnsw.faiss; `keras-qa index`" in error
    assert "Received: flat" in error
    # Cells, which older versions made.
    (folder / "flat.faiss").rename(folder / "ivf.faiss")
    assert command(*asked) == 2
    error = capsys.readouterr().err
    assert "expected flat or hnsw or ivf-pq.faiss; `keras-qa index`" in error
    assert "makes it of what is encoded. Received: ivf" in error


def test_words_that_the_model_lacks_are_told_at_the_end(
    hyperqa_index, runs, capsys
):
    asked = ("ask", hyperqa_index, "--question", "w1 new", "--format", "tsv")
    assert command(*asked, "--rerank", runs["qrnn"]) == 0
    lines = capsys.readouterr().err.splitlines()
    lines = [line for line in lines if line.startswith("keras-qa: ")]
    assert len(lines) == 2
    assert lines[0].startswith("keras-qa: 1 of 2 words are not in the model's")


@pytest.mark.parametrize("first", ["bm25", "index"])
def test_two_stages(hyperqa_index, runs, capsys, first):
    """The second stage orders what the first found, and only that."""
    options = ("ask", hyperqa_index, "--question", "w3 w4", "--first", first)
    options += ("--format", "jsonl")
    assert command(*options, "--top", 20) == 0
    printed = capsys.readouterr()
    assert ("bm25: prepare " in printed.err) == (first == "bm25")
    found = [json.loads(line) for line in printed.out.splitlines()]
    if first == "bm25":
        shared = [{"w3", "w4"} & set(row["answer"].split()) for row in found]
        assert all(shared)
    texts = [row["answer"] for row in found]
    rerank = ("--rerank", runs["qrnn"], "--depth", 20)
    assert command(*options, *rerank, "--top", 5) == 0
    rows = [json.loads(x) for x in capsys.readouterr().out.splitlines()]
    scores = Ranker.load(runs["qrnn"]).scores("w3 w4", texts)
    order = best(scores, 5)
    assert [r["answer"] for r in rows] == [texts[i] for i in order]
    assert [r["score"] for r in rows] == pytest.approx(
        scores[order].tolist(), abs=1e-5
    )
    assert [r["rank"] for r in rows] == [1, 2, 3, 4, 5]


def test_ask_interactively(hyperqa_index, capsys, monkeypatch):
    stdin = io.BytesIO(b"w1\n\n w2 w3 \n\xff\nw4\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stdin))
    options = ("--interactive", "--top", 1, "--format", "tsv")
    assert command("ask", hyperqa_index, *options) == 2
    printed = capsys.readouterr()
    assert "<stdin>:4: expected UTF-8 text" in printed.err
    lines = printed.out.splitlines()
    assert [line.split("\t")[:3] for line in lines] == [
        ["question_id", "question", "rank"],
        ["1", "w1", "1"],
        ["2", "w2 w3", "1"],
    ]


def test_unread_answers_are_found_last_and_marked(runs, tmp_path, capsys):
    texts = ["w1 w2", "the news", "w7 emma", "?", "w1 w7 Emma?", "w3 news"]
    file = tmp_path / "answers.txt"
    file.write_text("\n".join(texts))
    folder = tmp_path / "index"
    ranker = Ranker.load(runs["hyperqa"])
    expected = ranker.rank(QUESTION, texts)
    assert [place for place, _ in expected[4:]] == [1, 3]
    for kind in ("flat", "hnsw"):
        # Another size of shards than that of the collection.
        assert build(runs["hyperqa"], file, folder, kind, size=4) == 6
        index = AnswerIndex(folder, kind)
        rows, scores = index.search(index.encode(QUESTION), 10)
        assert rows.tolist() == [place for place, _ in expected]
        assert scores == pytest.approx([x for _, x in expected], rel=1e-3)
        assert index.search(index.encode(QUESTION), 5)[0].tolist()[4:] == [1]
    assert index.unknown_share == 5 / 13
    asked = ("ask", folder, "--question", QUESTION, "--format", "jsonl")
    assert command(*asked) == 0
    printed = capsys.readouterr()
    notes = {
        row["answer"]: row["notes"]
        for row in map(json.loads, printed.out.splitlines())
    }
    assert notes == {
        **dict.fromkeys(texts, ""),
        "the news": "not readable; unknown: the news",
        "?": "not readable; unknown: ?",
        "w1 w7 Emma?": "repeats the question; unknown: ?",
        "w3 news": "unknown: news",
    }
    assert "38.5% of the words of the answers are not in" in printed.err
    assert "2 of 6 answers are not readable and come last" in printed.err
    # BM25 would find what shares "the" with the question.
    asked = ("ask", folder, "--question", "the w3", "--first", "bm25")
    assert command(*asked) == 0
    table = capsys.readouterr().out
    assert "the news" not in table
    assert "w3 news  [unknown: news]" in table
    assert table.startswith("the w3  [unknown: the]\n")


def test_a_collection_without_a_readable_answer(runs, tmp_path):
    file = tmp_path / "answers.txt"
    file.write_text("the\n?\n")
    build(runs["hyperqa"], file, tmp_path / "index")
    index = AnswerIndex(tmp_path / "index")
    rows, scores = index.search(index.encode(QUESTION), 1)
    assert rows.tolist() == [0]
    assert scores.tolist() == [UNREAD_SCORE]


def test_effort_and_tag_are_handed_on(hyperqa_index, capsys, monkeypatch):
    efforts = []
    search = AnswerIndex.search

    def noted(self, question, top, effort=None):
        efforts.append(effort)
        return search(self, question, top, effort)

    monkeypatch.setattr(AnswerIndex, "search", noted)
    asked = ("ask", hyperqa_index, "--question", QUESTION, "--kind", "hnsw")
    trec = ("--format", "trec", "--tag", "mine", "--top", 1)
    assert command(*asked, "--effort", 7, *trec) == 0
    assert set(efforts) == {7}
    assert capsys.readouterr().out.split()[5:] == ["mine"]


def test_bm25_splits_text_as_the_model_does():
    """By white space alone, "w1?" is no word of an answer."""
    reading = SimpleNamespace(tokenizer="whitespace")
    index = SimpleNamespace(
        kind="flat",
        ranker=SimpleNamespace(reading=reading),
        texts=lambda: ["w1 w2", "w3"],
        unread=(),
    )
    stage = _first_stage(Namespace(first="bm25", effort=None), index)
    for question, rows in (("w1?", []), ("w1 ?", [0])):
        assert stage.find(question, 1)[0].tolist() == rows


@pytest.mark.parametrize("reranks", [False, True])
def test_notes_are_by_the_ranker_that_orders(reranks):
    first, second = (
        SimpleNamespace(
            reading=TextReading(Vocabulary([word])),
            scores=lambda question, answers: np.zeros(len(answers)),
        )
        for word in ("emma", "jane")
    )
    index = SimpleNamespace(
        ranker=first, answers=lambda rows: [Answer("1", "emma jane")]
    )
    stage = SimpleNamespace(find=lambda *_: (np.zeros(1, int), np.zeros(1)))
    ranking, _ = answer_question(
        *(index, "emma", 1, stage, second if reranks else None),
    )
    (notes,) = ranking.notes
    assert list(notes.unknown) == ["emma" if reranks else "jane"]
