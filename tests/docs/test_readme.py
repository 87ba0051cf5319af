"""The README's examples run as they are printed."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

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


def code_blocks():
    text = (ROOT / "README.md").read_text("utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


@pytest.fixture
def folder(tmp_path):
    for name in ("train", "dev"):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("question", "answer", "label"), *ROWS])
    return tmp_path


def test_train_and_serve_as_printed(folder):
    train, _, layer, serve = code_blocks()
    fit = """
import numpy as np
ids = np.arange(12).reshape(3, 4)
losses = model.fit([ids, ids], np.ones(3), verbose=0).history["loss"]
assert np.isfinite(losses).all()
"""
    for code in (
        train,
        layer + fit,
        f"{serve}\nprint(scores.shape, best_first.shape)",
    ):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=folder,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "KERAS_BACKEND": "tensorflow",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert "(1,) (2,)" in done.stdout


def test_vectors_of_several_sources_as_printed(tmp_path, monkeypatch):
    pytest.importorskip("keras_hub")
    pytest.importorskip("safetensors")
    bert_reference.write_bert(tmp_path / "bert", bert_reference.make_weights())
    elmo_reference.write_elmo(tmp_path / "elmo", elmo_reference.make_weights())
    model = FastText([["wrote"]], vector_size=6, min_count=1, bucket=9)
    save_facebook_model(model, str(tmp_path / "wiki.en.bin"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KERAS_QA_CACHE", str(tmp_path / "cache"))
    names = {}
    exec(code_blocks()[1], names)
    # Of the BERT four layers of 6 numbers, of the ELMo one of 8.
    assert names["contextual"].shape == (2, 4, 4 * 6 + 8 + 6)
    assert names["vectors"].vector_size == 4 * 6 + 8 + 6
    assert names["vectors"].index_to_key == ["who", "wrote", "emma"]
