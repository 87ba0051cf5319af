"""`keras-qa index`, with runs of small models."""

import bz2
import gzip
import json
import os
import resource
import shlex
import shutil
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import keras
import numpy as np
import pytest

from keras_qa import models
from keras_qa.datasets.columns import Columns
from keras_qa.errors import DatasetError
from keras_qa.errors import ExportError
from keras_qa.errors import SearchError
from keras_qa.ranker import Ranker
from keras_qa.search import answers
from keras_qa.search import encoding
from keras_qa.search.answers import Answer
from keras_qa.search.answers import check_answers
from keras_qa.search.answers import read_answers
from keras_qa.search.encoding import Part
from keras_qa.search.index import AnswerIndex
from keras_qa.search.searchable import space_of
from keras_qa.search.shards.answers import AnswerShards
from keras_qa.text.report import TextReport
from support.search_runs import ANSWERS
from support.search_runs import QUESTION
from support.search_runs import VOCABULARY
from support.search_runs import build
from support.search_runs import command

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "name", ["cosineqa", "expmap", "hyperqa", "qacnn", "radius"]
)
def test_a_flat_index_ranks_as_the_model_does(
    runs, answer_file, tmp_path, name
):
    build(runs[name], answer_file, tmp_path / "index")
    index = AnswerIndex(tmp_path / "index")
    assert (len(index), index.kind) == (100, "flat")
    if name == "hyperqa":
        space = json.loads((tmp_path / "index/answers.json").read_text())
        vectors = Ranker.load(runs[name]).encode(ANSWERS)
        assert space["space"]["center"] == pytest.approx(vectors.mean(0))
    scores = Ranker.load(runs[name]).scores(QUESTION, ANSWERS)
    rows, found = index.search(index.encode(QUESTION), 100)
    assert sorted(rows) == list(range(100))
    np.testing.assert_allclose(found, scores[rows], rtol=1e-4, atol=1e-4)
    assert (np.diff(found) <= 0).all()
    assert [a.text for a in index.answers(rows[:5])] == [
        ANSWERS[row] for row in rows[:5]
    ]
    assert list(index.texts()) == ANSWERS


def test_a_new_index_reuses_an_earlier_one(
    runs, answer_file, tmp_path, monkeypatch
):
    build(runs["cosineqa"], answer_file, tmp_path / "old", size=30)
    answers = tmp_path / "new.txt"
    texts = [*ANSWERS[50:], "w3 w1 w2", *ANSWERS[:40], "w9 w9 w9", ANSWERS[0]]
    answers.write_text("\n".join(texts), "utf-8")
    encoded = []
    encode = encoding.encode_texts

    def counted(model, side, read):
        encoded.append(len(read))
        return encode(model, side, read)

    monkeypatch.setattr(encoding, "encode_texts", counted)
    # Strings are paths, too.
    old = str(tmp_path / "old")
    build(runs["cosineqa"], str(answers), f"{tmp_path}/new", reuse=old)
    assert sum(encoded) == 2
    build(runs["cosineqa"], answers, tmp_path / "other")
    new, other = (AnswerIndex(f"{tmp_path}/{x}") for x in ("new", "other"))
    assert list(new.texts()) == texts
    _, scores = other.search(other.encode(QUESTION), 93)
    _, others = new.search(new.encode(QUESTION), 93)
    np.testing.assert_allclose(others, scores, rtol=1e-5)
    with pytest.raises(SearchError, match=r"to reuse.*another model"):
        build(runs["hyperqa"], answers, tmp_path / "x", reuse=old)
    assert not (tmp_path / "x").exists()
    with pytest.raises(SearchError, match=r"answers\.json"):
        build(runs["cosineqa"], answers, tmp_path / "y", reuse=tmp_path)


@pytest.mark.parametrize("name", ["hyperqa", "cosineqa"])
def test_a_graph_uses_the_same_encodings(
    runs, answer_file, tmp_path, monkeypatch, name
):
    folder = tmp_path / "index"
    build(runs[name], answer_file, folder)
    exact = AnswerIndex(folder)

    def refuse(*arguments):
        raise AssertionError("encoded again")

    with monkeypatch.context() as patch:
        patch.setattr(Ranker, "encode", refuse)
        build(runs[name], answer_file, folder, "hnsw")
    index = AnswerIndex(folder, "hnsw")
    question = index.encode(QUESTION)
    expected = exact.search(question, 10)
    rows, scores = index.search(question, 10, effort=50)
    np.testing.assert_array_equal(rows, expected[0])
    np.testing.assert_array_equal(scores, expected[1])
    # A search for many is not stopped by the effort.
    every, _ = exact.search(question, 93)
    for effort in (1, None):
        found, _ = index.search(question, 93, effort)
        np.testing.assert_array_equal(found, every)
    for bad in ({"top": 0}, {"top": 1, "effort": 0}):
        with pytest.raises(SearchError, match="must be positive"):
            index.search(question, **bad)
    assert len(index.search(question, 10, effort=2**40)[0]) == 10
    for bad in (np.zeros(4), np.full(5, np.nan)):
        with pytest.raises(SearchError, match="`question` must"):
            exact.search(bad, 10)
    shutil.copy(folder / "hnsw.faiss", folder / "flat.faiss")
    with pytest.raises(SearchError, match=r"flat\.faiss: expected .* flat"):
        AnswerIndex(folder, "flat")


def test_an_index_stands_alone(runs, answer_file, tmp_path):
    run = shutil.copytree(runs["cosineqa"], tmp_path / "run")
    build(run, answer_file, tmp_path / "index")
    shutil.rmtree(run)
    index = AnswerIndex((tmp_path / "index").rename(tmp_path / "moved"))
    assert len(index.search(index.encode("?"), 200)[0]) == 100


def test_why_ask_will_start_slowly_is_said(
    runs, answer_file, tmp_path, capsys, monkeypatch
):
    pytest.importorskip("faiss")

    def export(*arguments, **options):
        raise ExportError("Keras runs on another backend")

    monkeypatch.setattr("keras_qa.export.onnx.export_question_encoder", export)
    given = ("--answers", answer_file, "--output", tmp_path / "index")
    assert command("index", runs["hyperqa"], *given) == 0
    error = capsys.readouterr().err
    assert error.endswith("takes seconds: Keras runs on another backend\n")


@pytest.mark.slow
@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="writes a SavedModel"
)
def test_a_saved_model_can_be_indexed(runs, answer_file, tmp_path, capsys):
    """As the program in the README writes it."""
    pytest.importorskip("faiss")
    saved = tmp_path / "saved"
    Ranker.load(runs["hyperqa"]).export(saved, "saved_model")
    indexed = ("index", saved, "--answers", answer_file, "--output")
    for _ in range(2):
        assert command(*indexed, tmp_path / "index") == 0
        out = capsys.readouterr().out
        assert out == f"{tmp_path / 'index'}: 100 answers, flat\n"
    shutil.rmtree(saved)
    build(runs["hyperqa"], answer_file, tmp_path / "of_run")
    of_saved = AnswerIndex(tmp_path / "index")
    of_run = AnswerIndex(tmp_path / "of_run")
    rows, scores = of_saved.search(of_saved.encode(QUESTION), 10)
    expected = of_run.search(of_run.encode(QUESTION), 10)
    np.testing.assert_array_equal(rows, expected[0])
    np.testing.assert_allclose(scores, expected[1], rtol=1e-5)


@pytest.mark.slow
def test_a_command_owns_its_folder_and_goes_on_when_killed(
    runs, answer_file, tmp_path, monkeypatch, capsys
):
    pytest.importorskip("faiss")
    folder = tmp_path / "index"
    program = """
import sys
from pathlib import Path
import numpy as np
from keras_qa.ranker import Ranker
from keras_qa.search.build import build_index

saved = []
save = np.save

def save_or_wait(path, array):
    save(path, array)
    saved.append(path)
    if len(saved) == 5:
        print("waits", flush=True)
        sys.stdin.read()

np.save = save_or_wait
run, answers, folder = map(Path, sys.argv[1:])
ranker = Ranker.load(run)
build_index(ranker, answers, folder, shard_size=16, show_progress=False)
"""
    paths = [str(p) for p in (runs["hyperqa"], answer_file, folder)]
    first = subprocess.Popen(
        [sys.executable, "-c", program, *paths],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert first.stdout.readline() == "waits\n"
        second = ("index", paths[0], "--answers", paths[1], "--output")
        assert command(*second, folder) == 2
        error = capsys.readouterr().err
        assert f"{folder} is being written to" in error
        assert f"process {first.pid} on {socket.gethostname()} since" in error
        assert shlex.join(paths) in error
    finally:
        first.kill()
        first.communicate()
    # Two arrays a shard: the third was begun and not finished.
    shards = AnswerShards(folder / "shards", 16)
    assert shards.count() == 2
    assert list(shards.folder.glob(".writing-*"))
    with pytest.raises(SearchError, match="a finished index"):
        AnswerIndex(folder)
    encoded = []
    encode = encoding.encode_texts

    def count(model, side, texts):
        encoded.extend(texts[i].tolist() for i in range(len(texts)))
        return encode(model, side, texts)

    monkeypatch.setattr(encoding, "encode_texts", count)
    build(runs["hyperqa"], answer_file, folder)
    assert encoded == [
        VOCABULARY.encode(text.split()).tolist() for text in ANSWERS[32:]
    ]
    assert build(runs["hyperqa"], answer_file, folder) == 100
    assert len(encoded) == 68
    assert not list(shards.folder.glob(".writing-*"))
    assert not (folder / "running.json").exists()


def test_a_folder_of_something_else_is_left_alone(runs, answer_file, tmp_path):
    theirs = tmp_path / "model" / "theirs.keras"
    theirs.parent.mkdir()
    theirs.touch()
    with pytest.raises(SearchError, match="Received: one with model"):
        build(runs["hyperqa"], answer_file, tmp_path)
    assert list(tmp_path.rglob("*")) == [theirs.parent, theirs]
    # Settings of a run are none of an index.
    (tmp_path / "settings.json").write_text("{}")
    theirs.rename(tmp_path / "model.keras")
    theirs.parent.rmdir()
    with pytest.raises(SearchError, match=r"Received: one with model\.keras"):
        build(runs["hyperqa"], answer_file, tmp_path)


def test_other_answers_and_other_models_are_refused(
    runs, answer_file, tmp_path
):
    folder = tmp_path / "index"
    build(runs["hyperqa"], answer_file, folder)
    with pytest.raises(SearchError, match=r"another --output. `model_sha256`"):
        build(runs["cosineqa"], answer_file, folder)
    with pytest.raises(SearchError, match=r"`shard_size` was 16. Received: 8"):
        build(runs["hyperqa"], answer_file, folder, size=8)
    other = tmp_path / "other.txt"
    for lines in (ANSWERS[:90], [*ANSWERS, "w1"], ANSWERS[:32], ANSWERS[::-1]):
        other.write_text("\n".join(lines))
        with pytest.raises(SearchError, match="holds other answers than"):
            build(runs["hyperqa"], other, folder)
    # Nor may an index get more answers once it is made, though its shards are
    # full.
    full = tmp_path / "full"
    for count in (96, 97):
        other.write_text("\n".join(ANSWERS[:count]))
        if count == 96:
            build(runs["hyperqa"], other, full)
            continue
        with pytest.raises(SearchError, match="after answer 96"):
            build(runs["hyperqa"], other, full)
    assert len(AnswerIndex(full)) == 96
    run = shutil.copytree(runs["hyperqa"], tmp_path / "run")
    words = (run / "vocabulary.txt").read_text().split()
    (run / "vocabulary.txt").write_text("\n".join(words[::-1]) + "\n")
    with pytest.raises(SearchError, match=r"another --output\. `vocabulary_"):
        build(run, answer_file, folder)
    other.write_text(" \n\n")
    with pytest.raises(SearchError, match="expected an answer"):
        build(runs["hyperqa"], other, tmp_path / "new")
    with pytest.raises(SearchError, match=r"at least 9,984 .*Received: 100"):
        build(runs["hyperqa"], answer_file, tmp_path / "new", "ivf-pq")
    assert not (tmp_path / "new").exists()


def test_models_without_inner_products_are_refused(runs, answer_file, tmp_path):
    for model, message in [
        (models.QACNN(9, similarity="gesd"), "QACNN with attention or another"),
        (models.AttentiveCNN(9, 4, filters=3), "AttentiveCNN with attention"),
        (
            models.CosineQA(9, concatenate_embeddings=True),
            "CosineQA with `concatenate_embeddings`",
        ),
    ]:
        with pytest.raises(SearchError, match=message):
            space_of(model)
    with pytest.raises(SearchError, match=r"QRNNRanker with another head"):
        build(runs["qrnn"], answer_file, tmp_path / "index")
    assert not (tmp_path / "index").exists()
    model = models.HyperQA(9, 4, 3)
    model.head.get_layer("score").set_weights(
        [np.array([[0.5]]), np.array([0.0])]
    )
    with pytest.raises(SearchError, match=r"negative, .*Received: 0.5"):
        space_of(model)


def test_answers_of_both_forms(tmp_path):
    plain = tmp_path / "a.txt"
    plain.write_bytes("\ufeffone\ttab\r\n \n\nzwei é\n".encode())
    assert [(a.id, a.text) for a in read_answers(plain)] == [
        ("1", "one\ttab"),
        ("4", "zwei é"),
    ]
    plain.write_text("answer\nEmma\n")
    assert [a.text for a in read_answers(plain)] == ["answer", "Emma"]
    table = tmp_path / "a.tsv.gz"
    table.write_bytes(gzip.compress(b"x\tone tab\ny\t \n"))
    assert [(a.id, a.text) for a in read_answers(table)] == [("x", "one tab")]
    table.write_bytes(gzip.compress(b"Frage\tAntwort\tlabel\nq\tone\t1\n"))
    with pytest.raises(
        DatasetError, match=r"a.tsv.gz:1: .*tab and a text, .*--answer-column"
    ):
        list(read_answers(table))
    german = Columns(answer="antwort")
    assert [*read_answers(table, columns=german)] == [Answer("2", "one")]
    table.write_bytes(gzip.compress(b"x\tone\nno tab\n"))
    with pytest.raises(ValueError, match=r"a.tsv.gz:2: expected an id, a tab"):
        list(read_answers(table))
    # The names of two columns are no answer.
    table.write_bytes(gzip.compress(b"Doc_ID\ttext\nx\tone\n"))
    with pytest.raises(DatasetError, match=r"a.tsv.gz:1: .*--answer-column"):
        list(read_answers(table))
    named = Columns(answer="text", answer_id="Doc_ID")
    assert [*read_answers(table, columns=named)] == [Answer("x", "one")]
    (tmp_path / "a.json").write_text('[\n{"answer": "one"}\n]\n')
    with pytest.raises(DatasetError, match=r"one JSON object per .*a\.json"):
        list(read_answers(tmp_path / "a.json"))
    (tmp_path / "b.TSV").write_bytes(b"x\tone\n")
    assert [*read_answers(tmp_path / "b.TSV")] == [Answer("x", "one")]
    packed = tmp_path / "a.tsv.bz2"
    packed.write_bytes(bz2.compress(b"x\tone\n"))
    assert [*read_answers(packed)] == [Answer("x", "one")]
    with pytest.raises(DatasetError, match=r"must be a .*\.Columns"):
        check_answers(packed, columns={"answer": "a"})
    check_answers(packed, columns=None)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'question,Answer,label\nq,"a, b",1\nq,c,0\np,c,1\np, ,0\n'),
        ("a.TSV", "question\tAnswer\tlabel\nq\ta, b\t1\nq\tc\t0\np\tc\t1\n"),
        ("a.csv", "id;answer\n7;a, b\n8;c\n"),
        ("a.tsv", 'id\tanswer \n7\t"a, b"\n8\tc\n'),
        ("a.tsv", '"id"\t"answer"\n"7"\t"a, b"\n"8"\t"c"\n'),
        ("a.jsonl", '\n{"answer": "a, b"}\n{"answer": "c", "label": 0}\n'),
    ],
)
def test_answers_of_a_table(name, text, tmp_path):
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(text.encode()))
    expected = [Answer("2", "a, b"), Answer("3", "c")]
    assert [*read_answers(path)] == expected
    path = tmp_path / name
    path.write_bytes(text.encode("utf-16"))
    assert [*read_answers(path, "utf-16")] == expected


IDS = [("x 1", "a, b"), ("7", "c")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'answer,Answer_ID\n"a, b",x 1\n" ",x 1\nc,7\n"a, b",8\n'),
        ("a.tsv", "answer_id\tanswer\nx 1\ta, b\n7\tc\n"),
        (
            "a.jsonl",
            '{"answer": "a, b", "answer_id": "x 1"}\n'
            '{"answer": "c", "answer_id": 7}\n',
        ),
    ],
)
def test_ids_of_a_table(name, text, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    assert [(a.id, a.text) for a in read_answers(path)] == IDS
    check_answers(path)


def test_ids_of_a_parquet_file(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    ids, texts = zip(*IDS, strict=True)
    table = pyarrow.table({"answer_id": ids, "answer": texts})
    parquet.write_table(table, path)
    assert [(a.id, a.text) for a in read_answers(path)] == IDS


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.tsv", "x\tone\ny\ttwo\n\nx\tone\n", 4),
        ("a.csv", "answer_id,answer\n0,c\nx,a\n0,c\nx,b\n", 5),
    ],
)
def test_an_id_of_two_answers(name, text, line, runs, tmp_path, capsys):
    path = tmp_path / name
    path.write_text(text)
    given = ("index", runs["hyperqa"], "--answers", path, "--output")
    assert command(*given, tmp_path / "index") == 2
    error = " ".join(capsys.readouterr().err.split())
    first = line - 3 if name == "a.tsv" else line - 2
    assert f"{path}:{line}: expected an id that no other answer has" in error
    assert f"but line {first} has it: change one of the two" in error
    assert "leave out all ids (the column or key answer_id)" in error
    assert error.endswith("Received: 'x'")
    with pytest.raises(DatasetError, match="an id that no other answer has"):
        build(runs["hyperqa"], path, tmp_path / "index")
    assert not (tmp_path / "index").exists()
    # A TREC run would contain a document twice; a table may.
    rank = ("rank", runs["hyperqa"], "--question", QUESTION, "--file", path)
    assert command(*rank, "--format", "trec") == 2
    assert f"{path}:{line}: expected an id" in capsys.readouterr().err
    assert command(*rank) == 0


def test_different_ids_with_the_same_hash(tmp_path, monkeypatch):
    path = tmp_path / "a.tsv"
    path.write_text("x\tone\ny\ttwo\nz\tone\n")
    monkeypatch.setattr(answers, "hash", len, raising=False)
    check_answers(path)
    path.write_text("x\tone\ny\ttwo\ny\tone\n")
    with pytest.raises(DatasetError, match=r"a.tsv:3: .* line 2 has it"):
        check_answers(path)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.csv",
            "answer,answer_id\nx, \n",
            r"a.csv:2: expected an id in `answer_id`",
        ),
        (
            "a.jsonl",
            '{"answer": "a", "answer_id": 1}\n{"answer": "b"}',
            r"a.jsonl:2: .* 'answer_id', .* --answer-id-column, or a file",
        ),
        (
            "a.csv",
            "reply\nx\n",
            r"a.csv:1: .* 'answer' in the header, .* --answer-column, or",
        ),
        (
            "a.jsonl",
            '{"answer": 3}',
            r"a.jsonl:1: .* `answer` to be a string",
        ),
        (
            "a.jsonl",
            '{"answer": "a"}\n{"answer": "b", "answer_id": "x7"}',
            r"a.jsonl:2: expected no `answer_id`, .* Received: 'x7'",
        ),
        ("a.txt", "question\tanswer\nq\ta\n", r"a.txt:1: .* in \.tsv"),
    ],
)
def test_bad_tables_of_answers(name, text, message, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DatasetError, match=message):
        list(read_answers(path))


def test_a_space_of_other_vectors(hyperqa_index, tmp_path):
    folder = shutil.copytree(hyperqa_index, tmp_path / "index")
    description = json.loads((folder / "answers.json").read_text())
    description["space"]["center"] = [0.1, 0.2]
    (folder / "answers.json").write_text(json.dumps(description))
    with pytest.raises(SearchError, match=r"answers\.json: expected the space"):
        AnswerIndex(folder)


def test_more_shards_than_may_be_open(tmp_path, monkeypatch):
    monkeypatch.setattr("keras_qa.search.shards.mapped.MAPPED", 3)
    shards = AnswerShards(tmp_path, 1)
    for number in range(30):
        vectors = np.full((1, 2), number)
        shards.write(number, [Answer(str(number), "a")], vectors)
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (opened + 10, files[1]))
    try:
        found = shards.vectors(np.arange(30))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, files)
    assert found[:, 0].tolist() == list(range(30))
    # Threads may share them.
    with ThreadPoolExecutor(4) as threads:
        every = [*threads.map(shards.vectors, [np.arange(30)] * 40)]
    assert all((vectors == found).all() for vectors in every)


def test_no_file_may_be_opened(tmp_path):
    shards = AnswerShards(tmp_path, 1)
    shards.write(0, [Answer("x", "a")], np.zeros((1, 2)))
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (opened - 1, files[1]))
    try:
        with pytest.raises(SearchError, match=r"ulimit -n"):
            shards.block(0)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, files)


def test_a_shard_without_its_answers(tmp_path):
    shards = AnswerShards(tmp_path, 1)
    for number in range(2):
        shards.write(number, [Answer(str(number), "a")], np.zeros((1, 2)))
    (shards.path(1) / "answers.jsonl").unlink()
    for read in (lambda: shards.answers([1]), lambda: [*shards.texts()]):
        with pytest.raises(SearchError, match=r"000001.*expected a file"):
            read()
    shutil.rmtree(shards.path(0))
    with pytest.raises(SearchError, match=r"000000.*expected a file"):
        list(shards.texts())


def test_errors_of_the_commands(
    runs, answer_file, tmp_path, capsys, monkeypatch
):
    pytest.importorskip("faiss")
    output = ("--output", tmp_path / "index")
    run = runs["hyperqa"]
    assert command("index", run, "--answers", tmp_path / "no", *output) == 2
    assert "no:1: expected a readable file" in capsys.readouterr().err
    at_file = ("--answers", answer_file, "--output", answer_file)
    assert command("index", run, *at_file) == 2
    assert "--output must be a folder" in capsys.readouterr().err
    assert command("ask", tmp_path, "--question", "a") == 2
    error = capsys.readouterr().err
    assert f"{tmp_path}: expected the folder of a finished index" in error
    assert "Received: a folder without answers.json" in error
    assert command("ask", tmp_path / "no", "--question", "a") == 2
    assert "Received: no such folder" in capsys.readouterr().err
    part = ("--shards", 2, "--shard", 0, "--kind", "ivf-pq")
    assert command("index", run, "--answers", answer_file, *output, *part) == 2
    assert "--kind goes with `keras-qa index merge`" in capsys.readouterr().err
    assert command("ask", tmp_path, "--question", "a", "--depth", 5) == 2
    assert "--depth goes with --rerank" in capsys.readouterr().err
    assert command("ask", tmp_path) == 2
    assert "--question or --interactive. Received: neither" in (
        capsys.readouterr().err
    )
    monkeypatch.setitem(sys.modules, "faiss", None)
    assert command("index", run, "--answers", answer_file, *output) == 2
    assert "pip install 'keras-qa[search]'" in capsys.readouterr().err


def noted(monkeypatch, name):
    """What the function of this name is given, in place of its result."""
    given = []

    def note(*arguments, **options):
        given.append((arguments, options))
        return 100

    monkeypatch.setattr(f"keras_qa.search.{name}", note)
    return given


def test_options_are_handed_on(runs, answer_file, tmp_path, monkeypatch):
    pytest.importorskip("faiss")
    whole = noted(monkeypatch, "build.build_index")
    part = noted(monkeypatch, "parts.encode.encode_part")
    merged = noted(monkeypatch, "parts.merge.merge_parts")
    monkeypatch.setattr("keras_qa.search.build.add_question_encoder", str)
    ranker = SimpleNamespace(report=TextReport())
    monkeypatch.setattr("keras_qa.cli.index.load_model", lambda _: ranker)
    output = tmp_path / "index"
    index = ("index", runs["hyperqa"], "--answers", answer_file)
    index += ("--output", output, "--half", "--encoding", "latin-1")
    assert command(*index, "--kind", "hnsw", "--reuse", tmp_path) == 0
    ((places, options),) = whole
    assert places == (ranker, answer_file, output, "hnsw")
    assert (options["half"], options["reuse"]) == (True, tmp_path)
    assert options["table"]["encoding"] == "latin-1"
    assert command(*index, "--shards", 3, "--shard", 2) == 0
    ((places, options),) = part
    assert places == (ranker, answer_file, output, Part(2, 3))
    assert options["half"] and options["table"]["encoding"] == "latin-1"
    assert command("index", "merge", output, "--kind", "hnsw") == 0
    assert merged == [((output, "hnsw"), {})]


def test_options_of_workers_are_handed_on(
    runs, answer_file, tmp_path, monkeypatch
):
    pytest.importorskip("faiss")
    encoded = noted(monkeypatch, "parts.ray_actors.encode_parts")
    merged = noted(monkeypatch, "parts.merge.merge_parts")
    monkeypatch.setattr("keras_qa.search.build.add_question_encoder", str)
    output = tmp_path / "index"
    index = ("index", runs["hyperqa"], "--answers", answer_file)
    index += ("--output", output, "--half", "--encoding", "latin-1")
    index += ("--tokenizer", "whitespace", "--readable", "any")
    workers = ("--shards", 3, "--workers", 2, "--kind", "hnsw")
    assert command(*index, *workers) == 0
    ((arguments, options),) = encoded
    assert arguments == (runs["hyperqa"], answer_file, output, 3, 2)
    assert options.pop("table")["encoding"] == "latin-1"
    expected = {"tokenizer": "whitespace", "readable": "any", "half": True}
    assert options == expected
    assert merged == [((output, "hnsw"), {})]
