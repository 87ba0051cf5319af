"""The programs of the README and of the guides run as they are printed."""

import csv
import re
import shutil
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
from gensim.models import FastText
from gensim.models.fasttext import save_facebook_model

from support import bert_reference
from support import elmo_reference

ROOT = Path(__file__).parents[2]

ROWS = [
    ("who wrote emma", "jane austen wrote it", 1),
    ("who wrote emma", "it was written in 1815", 0),
    ("who wrote emma", "emma is a novel", 0),
    ("what is the capital of france", "it is paris", 1),
    ("what is the capital of france", "france is in europe", 0),
    ("what is the capital of france", "it is a country", 0),
]


def programs(page):
    text = (ROOT / page).read_text("utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def run(code):
    names = {}
    exec(code, names)
    return names


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_page_with_programs_is_tried():
    pages = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
        if programs(path)
    ]
    assert sorted(pages) == [
        "README.md",
        "docs/exports.md",  # tests/export/test_exported_forms.py
        "docs/layers-in-your-model.md",
        "docs/new-model.md",  # tests/docs/test_document_parts.py
        "docs/own-data.md",
        "docs/word-vectors.md",
    ]


def test_rank_with_a_model(folder, capsys):
    shutil.copytree(
        ROOT / "tests/data/before_move/run_hyperqa", "runs/sample/hyperqa"
    )
    (code,) = programs("README.md")
    with pytest.warns(UserWarning, match="vocabulary"):
        names = run(code)
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert names["vectors"].shape[0] == 3
    assert (folder / "ranker/model.keras").is_file()
    assert (folder / "saved_model/saved_model.pb").is_file()


def test_train_on_own_data_and_serve(folder):
    for name in ("train", "dev"):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("question", "answer", "label"), *ROWS])
    train, serve = programs("docs/own-data.md")
    run(train)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{serve}\nprint(scores.shape, best_first.shape)",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "(1,) (2,)" in done.stdout


def test_use_a_layer(folder):
    (code,) = programs("docs/layers-in-your-model.md")
    ids = np.arange(12).reshape(3, 4)
    model = run(code)["model"]
    assert isinstance(model, keras.Model)
    history = model.fit([ids, ids], np.ones(3), verbose=0).history
    assert np.isfinite(history["loss"]).all()


def test_vectors_of_several_sources(folder, monkeypatch):
    pytest.importorskip("keras_hub")
    pytest.importorskip("safetensors")
    bert_reference.write_bert(folder / "bert", bert_reference.make_weights())
    elmo_reference.write_elmo(folder / "elmo", elmo_reference.make_weights())
    model = FastText([["wrote"]], vector_size=6, min_count=1, bucket=9)
    save_facebook_model(model, str(folder / "wiki.en.bin"))
    monkeypatch.setenv("KERAS_QA_CACHE", str(folder / "cache"))
    (code,) = programs("docs/word-vectors.md")
    names = run(code)
    # Of the BERT four layers of 6 numbers, of the ELMo one of 8.
    assert names["contextual"].shape == (2, 4, 4 * 6 + 8 + 6)
    assert names["vectors"].vector_size == 4 * 6 + 8 + 6
    assert names["vectors"].index_to_key == ["who", "wrote", "emma"]
