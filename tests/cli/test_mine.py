"""`keras-qa mine`: from pairs and from Yahoo! Answers to data sets."""

import gzip
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from keras_qa.cli import main as cli
from keras_qa.datasets.mined import COLUMNS
from keras_qa.datasets.registry import open_dataset
from keras_qa.datasets.splitting import sample
from keras_qa.datasets.splitting import split_questions
from keras_qa.datasets.tabular import read_tabular
from keras_qa.files.locks import owned_folder
from keras_qa.files.whole import SCRATCH
from keras_qa.own_data.questions import read_questions
from keras_qa.ranking.duplicates import DuplicateReport
from keras_qa.ranking.mining import CandidateMiner
from support.new_process import run_code

CORPUS = Path(__file__).parents[1] / "data/YahooL6"


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.tsv"
    rows = [
        (f"What is number {i} of all?", f"It is the {i}") for i in range(10)
    ]
    lines = ["question\tanswer", *("\t".join(row) for row in rows)]
    path.write_text("\n".join(lines), "utf-8")
    return path


def mine(*arguments):
    return cli.main(["mine", *map(str, arguments)])


def test_pairs_become_one_file(pairs, tmp_path, capsys):
    output = tmp_path / "mined.jsonl"
    assert (
        mine(pairs, "--no-labels", "--output", output, "--candidates", 4) == 0
    )
    printed = capsys.readouterr().out
    assert printed == f"{output}: 10 questions, 40 candidates\n"
    questions = list(read_tabular(output, COLUMNS))
    assert [q.text for q in questions][:1] == ["What is number 0 of all?"]
    for number, question in enumerate(questions):
        assert [c.text for c in question.positives] == [f"It is the {number}"]
        # Its number is of no other answer.
        assert question.candidates[0].label == 1
    # A file of nothing else has right answers alone, as `train` reads it.
    same = tmp_path / "same.jsonl"
    assert mine(pairs, "--output", same, "--candidates", 4) == 0
    assert same.read_bytes() == output.read_bytes()
    # Without the columns' names it is a file like any other.
    assert len(list(read_tabular(output))) == 10


@pytest.mark.parametrize(
    "options",
    [
        ["--output", "pairs.tsv"],
        ["--output", "a.tsv", "--duplicates", "pairs.tsv"],
    ],
)
def test_the_source_is_not_replaced(pairs, capsys, monkeypatch, options):
    monkeypatch.chdir(pairs.parent)
    before = pairs.read_bytes()
    assert mine(pairs, "--no-labels", "--overwrite", *options) == 2
    error = capsys.readouterr().err
    assert f"another file than the source, {pairs}, which" in error
    assert f"{options[-2]} must be" in error
    assert pairs.read_bytes() == before
    assert [*pairs.parent.iterdir()] == [pairs]


@pytest.mark.parametrize("output", ["sub", "sub/train.tsv.gz"])
def test_a_zipped_source_is_not_replaced(
    pairs, tmp_path, capsys, monkeypatch, output
):
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "sub/train.tsv.gz"
    source.parent.mkdir()
    source.write_bytes(gzip.compress(pairs.read_bytes()))
    before = source.read_bytes()
    options = ["--no-labels", "--overwrite", "--output", output]
    # It is found by the name without the ending, too.
    for name in ("sub/train.tsv.gz", "sub/train.tsv"):
        assert mine(name, *options) == 2
        assert "another file than the source" in capsys.readouterr().err
    assert source.read_bytes() == before


def test_other_files_are_not_replaced(pairs, tmp_path, capsys):
    other, folder = tmp_path / "other.csv", tmp_path / "folder"
    other.write_text("precious")
    folder.mkdir()
    (folder / "dev.tsv.gz").write_text("precious")
    words = [pairs, "--no-labels", "--output"]
    for options, path in (
        ([other], other),
        ([folder], folder / "dev.tsv.gz"),
        ([tmp_path / "a.csv", "--duplicates", other], other),
    ):
        assert mine(*words, *options) == 2
        error = capsys.readouterr().err
        assert "must not exist, unless --overwrite is given" in error
        assert error.endswith(f"Received: {path}\n")
        assert path.read_text() == "precious"
    for option in ("--output", "--duplicates"):
        assert mine(*words, tmp_path / "a.csv", option, other / "b.csv") == 2
        error = capsys.readouterr().err
        assert f"{option} must be in a folder" in error
    assert not (tmp_path / "a.csv").exists()
    assert mine(*words, other, "--duplicates", other, "--overwrite") == 2
    assert "another file than --output" in capsys.readouterr().err
    assert mine(*words, other, "--overwrite") == 0
    assert len(list(read_tabular(other, COLUMNS))) == 10


def test_a_folder_is_replaced_by_the_same_options_only(pairs, tmp_path, capsys):
    output = tmp_path / "mined"
    words = [pairs, "--no-labels", "--output", output]
    assert mine(*words) == 0
    assert mine(*words) == 0
    assert mine(*words, "--seed", 1) == 2
    assert "must not exist, unless" in capsys.readouterr().err
    (output / "mining.json").write_text("[]")
    assert mine(*words) == 2
    assert mine(*words, "--seed", 1, "--overwrite") == 0
    assert mine(*words, "--seed", 1) == 0


def test_labels_and_names_of_columns(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(
        "doc,q,a,good\n7,Which ant?,an ant,1\n8,Which bee?,a bee,1\n"
        "7,Which ant?,ant and bee,0\n"
    )
    columns = ["--question-column", "q", "--answer-column", "a"]
    columns += ["--label-column", "good", "--question-id-column", "doc"]
    output = tmp_path / "mined.tsv"
    assert mine(path, "--group", *columns, "--output", output) == 0
    questions = list(read_tabular(output, COLUMNS))
    assert {
        q.id: {c.text: c.label for c in q.candidates} for q in questions
    } == {
        "7": {"an ant": 1, "ant and bee": 0},
        "8": {"a bee": 1, "ant and bee": 0},
    }


def test_questions_without_candidates_do_not_count(tmp_path, capsys):
    file, output = tmp_path / "few.csv", tmp_path / "mined.tsv"
    file.write_text(
        "question,answer,label\nwho,an ant,1\nwhat,a bee,1\nzz,a cat,0\n"
    )
    assert mine(file, "--output", output) == 0
    assert "mined.tsv: 2 questions" in capsys.readouterr().out
    assert len(list(read_tabular(output, COLUMNS))) == 2


def test_wrong_answers_alone_are_refused(tmp_path, capsys):
    file, output = tmp_path / "wrong.csv", tmp_path / "mined.tsv"
    file.write_text("question,answer,label\nwho,an ant,0\nwhat,a bee,0\n")
    assert mine(file, "--output", output) == 2
    assert "2 questions with wrong answers alone" in capsys.readouterr().err
    assert not output.exists()


def test_a_folder_of_splits(pairs, tmp_path):
    output = tmp_path / "mined"
    options = ["--no-labels", "--questions", 5, "--split", 3, 1, 1, "--seed", 2]
    assert mine(pairs, *options, "--output", output) == 0
    noted = json.loads((output / "mining.json").read_text("utf-8"))
    assert (noted["seed"], noted["questions"]) == (2, 5)
    first = {p.name: p.read_bytes() for p in output.iterdir()}
    assert sorted(first) == [
        *("dev.tsv.gz", "mining.json", "test.tsv.gz", "train.tsv.gz")
    ]
    sizes = {
        name: len(list(read_tabular(output / name, COLUMNS)))
        for name in first
        if name != "mining.json"
    }
    assert sizes == {"train.tsv.gz": 3, "dev.tsv.gz": 1, "test.tsv.gz": 1}
    # The answers of the questions drawn are the collection of each split.
    texts = {
        c.text
        for name in sizes
        for q in read_tabular(output / name, COLUMNS)
        for c in q.candidates
    }
    assert len(texts) == 5
    # What a killed command left goes with the next one.
    (output / f"{SCRATCH}left").mkdir()
    assert mine(pairs, *options, "--output", output) == 0
    assert {p.name: p.read_bytes() for p in output.iterdir()} == first


def test_two_at_once_do_not_mix_their_splits(pairs, tmp_path, capsys):
    output = tmp_path / "mined"
    with owned_folder(output):
        assert mine(pairs, "--no-labels", "--output", output) == 2
        error = capsys.readouterr().err
        assert f"{output} is being written to" in error
        assert f"Received: process {os.getpid()} on " in error
        assert [path.name for path in output.iterdir()] == ["running.json"]
    assert mine(pairs, "--no-labels", "--output", output) == 0
    assert not (output / "running.json").exists()


def test_limits_and_a_report_of_duplicates(tmp_path, capsys):
    path = tmp_path / "pairs.tsv"
    path.write_text(
        "question\tanswer\nWhich ant?\tthe small ant\n"
        "Which other ant?\tThe small ant!\nWhich bee?\tan ant and a bee\n"
    )
    report, output = tmp_path / "twins.tsv", tmp_path / "mined.tsv"
    options = ["--no-labels", "--output", output, "--overwrite"]
    assert mine(path, *options, "--duplicates", report) == 0
    assert f"{report}: 1 pairs of nearly equal answers, 1 of them a right " in (
        capsys.readouterr().out
    )
    assert [line.split("\t") for line in report.read_text().splitlines()] == [
        ["similarity", "id", "other_id", "questions", "answer", "other_answer"],
        ["1.000", "0", "1", "1 2", "the small ant", "The small ant!"],
    ]
    assert mine(path, *options, "--margin", 0, "--skip", 1) == 0
    assert "answers left out as perhaps right" in capsys.readouterr().out


def test_a_ranker_orders_candidates(runs, pairs, tmp_path, capsys):
    options = ["--no-labels", "--candidates", 3, "--ranker", runs["cosineqa"]]
    outputs = [tmp_path / "some", tmp_path / "all"]
    for output, depth in zip(outputs, (2, 0), strict=True):
        assert mine(pairs, *options, "--output", output, "--depth", depth) == 0
        noted = json.loads((output / "mining.json").read_text("utf-8"))
        assert noted["ranker"] == str(runs["cosineqa"])
        # The words of the pairs are none of the run's.
        assert "words are not in" in capsys.readouterr().err
    assert len(list(read_tabular(outputs[1] / "train.tsv.gz", COLUMNS))) == 8


def test_yahoo_answers_as_a_data_set(tmp_path, capsys):
    folder = tmp_path / "YahooL6"
    shutil.copytree(CORPUS, folder)
    options = ["--split", 1, 1, 1, "--data-dir", tmp_path]
    assert mine("yahoo", *options) == 0
    assert re.findall(
        r"(\w+)\.tsv\.gz: 1 questions", capsys.readouterr().out
    ) == [*("test", "dev", "train")]
    dataset = open_dataset("yahoo", tmp_path)
    assert dataset.tokenizer == "word"
    questions = [q for s in dataset.splits for q in dataset.questions(s)]
    assert {q.id for q in questions} == {"101", "102", "104"}
    assert all(len(q.positives) == 1 for q in questions)
    noted = json.loads((folder / "mining.json").read_text("utf-8"))
    assert noted["questions"] == 10_000
    elsewhere = tmp_path / "spanish.tsv"
    options = ["--data-dir", tmp_path, "--language", "es", "--content"]
    assert mine("yahoo", *options, "--output", elsewhere) == 0
    assert [q.id for q in read_tabular(elsewhere, COLUMNS)] == ["102"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["PAIRS"], "Expected --output"),
        (
            ["none.tsv", "--output", "x"],
            "SOURCE must be 'yahoo' or a file",
        ),
        (
            ["PAIRS", "--output", "x", "--label-column", "l"],
            "expected a column 'l'",
        ),
        (["PAIRS", "--output", "x.json"], "The output must end in .csv, .tsv"),
        (
            ["PAIRS", "--output", "x", "--skip", "-1"],
            "--skip must be at least 0",
        ),
        (["PAIRS", "--output", "x", "--share", "2"], "from 0 to 1. Received"),
        (["PAIRS", "--output", "x", "--depth", "1"], "goes with --ranker"),
        (["yahoo", "--group"], "--group goes with a file of your own. Rec"),
        (["PAIRS", "--content"], "--content goes with `yahoo`. Received: "),
        (
            ["PAIRS", "--output", "x.csv", "--split", "1", "2", "3"],
            "--split goes with a folder as --output. Received: x.csv",
        ),
        (["PAIRS", "--no-labels", "--label-column", "l"], "Received: both"),
        (
            ["PAIRS", "--output", "x", "--split", "0", "0", "0"],
            "Received: [0.0, 0.0, 0.0]",
        ),
        (["yahoo", "--split", "1", "-1", "1"], "Received: [1.0, -1.0, 1.0]"),
        (["yahoo", "--split", "1", "nan", "1"], "--split must be three"),
        (["yahoo", "--data-dir", "/none"], "expected FullOct2007.xml, or"),
        (
            # With an output, where a faulty one would leave no file here.
            [
                *("yahoo", "--data-dir", CORPUS, "--category", "Sports"),
                *("--output", "OUTPUT"),
            ],
            "yahoo: expected at least one question that fits",
        ),
    ],
)
def test_errors_are_messages(pairs, tmp_path, capsys, arguments, message):
    named = {"PAIRS": pairs, "OUTPUT": tmp_path / "a.tsv"}
    arguments = [named.get(word, word) for word in arguments]
    assert mine(*arguments) == 2
    assert message in capsys.readouterr().err


def test_mining_does_not_import_keras(pairs, tmp_path):
    code = (
        "import sys; from keras_qa.cli.main import main\n"
        "assert not main(['mine', *sys.argv[1:]])"
    )
    words = (pairs, "--no-labels", "--output", tmp_path / "a.csv")
    run_code(code, *words, without=("keras", "tensorflow"))


def test_options_are_handed_on(runs, pairs, tmp_path, monkeypatch):
    given, of_report = {}, {}

    class Miner(CandidateMiner):
        def __init__(self, texts, **options):
            given.update(options)
            super().__init__(texts, **options)

        def mine(self, questions, candidates, **options):
            given.update(options, candidates=candidates)
            return super().mine(questions, candidates, **options)

    def report(texts, **options):
        of_report.update(options)
        return DuplicateReport(texts, **options)

    monkeypatch.setattr("keras_qa.cli.mine.CandidateMiner", Miner)
    monkeypatch.setattr("keras_qa.cli.mine.DuplicateReport", report)
    expected = {"tokenizer": "whitespace", "candidates": 3, "depth": 4}
    expected |= {"skip": 2, "margin": 0.5, "share": 0.75}
    options = [x for k, v in expected.items() for x in (f"--{k}", v)]
    options += ["--ranker", runs["cosineqa"], "--output", tmp_path / "x.tsv"]
    assert mine(pairs, *options, "--duplicates", tmp_path / "twins.tsv") == 0
    assert callable(given.pop("scorer"))
    assert given == expected
    assert of_report == {"tokenizer": "whitespace"}


@pytest.mark.parametrize("seed", [1, 2])
def test_the_seed_draws_and_divides(pairs, tmp_path, seed):
    questions = read_questions(pairs)
    output, given = tmp_path / "drawn.tsv", [pairs, "--seed", seed, "--output"]
    assert mine(*given, output, "--questions", 4) == 0
    drawn = [q.text for q in read_tabular(output, COLUMNS)]
    assert drawn == [q.text for q in sample(questions, 4, seed)]
    assert drawn != [q.text for q in sample(questions, 4, 0)]
    output = tmp_path / "divided"
    assert mine(*given, output, "--split", 2, 1, 1) == 0
    parts = split_questions(questions, (2, 1, 1), seed)
    for name, part in zip(("train", "dev", "test"), parts, strict=True):
        found = read_tabular(output / f"{name}.tsv.gz", COLUMNS)
        assert [q.text for q in found] == [q.text for q in part]


def test_what_is_drawn_of_yahoo_answers(tmp_path):
    output = tmp_path / "a.tsv"
    given = ["yahoo", "--data-dir", CORPUS, "--overwrite", "--output", output]
    found = set()
    for seed in range(6):
        assert mine(*given, "--questions", 1, "--seed", seed) == 0
        found |= {q.id for q in read_tabular(output, COLUMNS)}
    assert len(found) > 1
    assert mine(*given, "--content") == 0
    (koalas, *_) = read_tabular(output, COLUMNS)
    assert koalas.text == (
        "How long do koalas sleep? My son asked me. Any ideas?"
    )
