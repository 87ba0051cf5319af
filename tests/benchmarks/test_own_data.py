"""The trials of the default: cuts, the record, and what is not repeated."""

import gzip
import json
from types import SimpleNamespace

import pytest

from benchmarks import own_data
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question

pytestmark = pytest.mark.once
ROW = {
    "metrics": {"MAP": 0.5},
    "difference": 0.1,
    "difference_interval": [0.02, 0.18],
}


def make(count):
    return [
        Question(str(i), f"question {i}", (Candidate("0", "a", 1),))
        for i in range(count)
    ]


def test_a_cut_shares_nothing_with_its_dev():
    chosen, dev = own_data.cut(make(300), 100, 1)
    assert (len(chosen), len(dev)) == (100, 200)
    assert not {q.id for q in chosen} & {q.id for q in dev}
    assert own_data.cut(make(300), 250, 1) is None
    assert len(own_data.cut(make(900), 100, 1)[1]) == own_data.DEV


def test_files_without_a_header(tmp_path):
    (tmp_path / "SelQA").mkdir()
    (tmp_path / "MedQuAD").mkdir()
    for part in ("dev", "test"):
        path = tmp_path / f"SelQA/selqa-ass-{part}.tsv.gz"
        path.write_bytes(
            gzip.compress(f"{part}?\ta\t0\n{part}?\tb\t1".encode())
        )
    path = tmp_path / "MedQuAD/medquad.tsv.gz"
    path.write_bytes(
        gzip.compress(b'source\tqid\tquestion\tanswer\ns\t1\twhy?\tso "it\n')
    )
    found = own_data.read_selqa(tmp_path)
    assert [[c.label for c in q.candidates] for q in found] == [[0, 1]] * 2
    (question,) = own_data.read_medquad(tmp_path)
    assert question.positives[0].text == 'so "it'


def test_trials_in_the_record_are_not_repeated(tmp_path, monkeypatch, capsys):
    asked = []

    def train(data, folder, **options):
        asked.append((len(data), folder.name))
        rows = [{**ROW, "name": n} for n in (options["model"], "BM25, tuned")]
        found = {"rows": rows, "verdict": "above", "best_floor": "BM25, tuned"}
        metrics = {"parts": {}, "comparison": found, "fitted": {}}
        return SimpleNamespace(metrics=metrics)

    monkeypatch.setattr(own_data.keras_qa, "train", train, raising=False)
    monkeypatch.setitem(
        own_data.COLLECTIONS, "medquad", lambda folder: make(500)
    )
    record = tmp_path / "record.jsonl"
    words = ["--data-dir", "data", "--collections", "medquad"]
    words += ["--record", str(record), "--runs", str(tmp_path)]
    assert own_data.main([*words, "--sizes", "100"]) == 0
    name = "medquad-100-1-skipgram-cosineqa+floors"
    assert asked[0] == (100, name)
    assert len(asked) == len(own_data.VECTORS)
    assert own_data.main([*words, "--sizes", "100", "200", "5000"]) == 0
    assert [size for size, _ in asked] == [100, 100, 200, 200]
    lines = record.read_text().splitlines()
    assert [json.loads(line)["size"] for line in lines] == [100, 100, 200, 200]
    row = "| medquad | 100 | skipgram | cosineqa+floors | 0.500 | 0.500 (BM25"
    assert row in capsys.readouterr().out


def test_the_trials_of_a_cut_were_trained_and_measured_on_the_same():
    found = {}
    for line in own_data.read_record(own_data.RECORD):
        cut = line["collection"], line["size"], line["seed"]
        fit = [line["parts"]["fit"][n] for n in ("questions", "right")]
        assert found.setdefault(cut, fit) == fit, (cut, line["model"])
    assert len(found) > 10
