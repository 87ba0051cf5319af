"""The programs that make, convert and check files of word vectors."""

import gzip
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from embeddings import arguments
from embeddings import convert
from embeddings import coverage
from embeddings import skipgram
from keras_qa.embeddings import detect_format
from keras_qa.embeddings import load_vectors
from keras_qa.embeddings.formats import writer

ROOT = Path(__file__).parents[2]
TEXT = "who wrote emma\njane austen wrote emma\n"


@pytest.fixture
def glove(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text("emma 0.1 -2.5\nwrote 1e-07 3.0\nof the 1.0 2.0\n")
    return path


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text(TEXT * 3)
    return path


def trained(text, output, *more):
    options = ["--vector-size", "4", "--epochs", "2", *more]
    return skipgram.main(
        ["--text", str(text), "--output", str(output), *options]
    )


def test_skipgram_of_a_text_is_the_same_again(tmp_path, text, capsys):
    for name in ("a.bin", "b.bin"):
        assert trained(text, tmp_path / name) == 0
    assert "a.bin: 5 words of 6 texts" in capsys.readouterr().out
    assert (tmp_path / "a.bin").read_bytes() == (
        tmp_path / "b.bin"
    ).read_bytes()
    assert detect_format(tmp_path / "a.bin") == "word2vec-binary"
    assert load_vectors(tmp_path / "a.bin")["emma"].shape == (4,)


def test_skipgram_of_a_data_set_and_its_coverage(tmp_path, capsys):
    path = tmp_path / "sample.txt.gz"
    command = ["--dataset", "sample", "--split", "dev", "--output", str(path)]
    assert skipgram.main([*command, "--vector-size", "4", "--epochs", "1"]) == 0
    assert gzip.decompress(path.read_bytes()).endswith(b"\n")
    assert detect_format(path) == "word2vec-text"
    capsys.readouterr()
    asked = [str(path), "--dataset", "sample", "--split", "dev"]
    assert coverage.main([*asked, "--missing", "1"]) == 0
    printed = capsys.readouterr().out
    total = len(load_vectors(path))
    assert f"{path}: words {total:,} of " in printed
    assert f"any of them: words {total:,} of " in printed
    assert len(printed.split("Without a vector: ")[1].split()) == 1


@pytest.mark.filterwarnings("ignore:.*words contain blanks")
@pytest.mark.parametrize("kind", ["glove", "word2vec-text", "word2vec-binary"])
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_vectors_stay_the_same_in_every_format(
    tmp_path, glove, capsys, kind, ending
):
    path = tmp_path / f"out{ending}"
    command = [str(glove), "--output", str(path), "--format", kind]
    assert convert.main(command) == 0
    printed = capsys.readouterr().out
    assert f"{glove}: glove\n{path}: {kind}, 2 words\n" in printed
    assert "Left out: 1 words" in printed
    found, before = load_vectors(path), load_vectors(glove)
    assert detect_format(path) == kind
    assert found.index_to_key == ["emma", "wrote"]
    np.testing.assert_array_equal(found.vectors, before.vectors[:2])
    again = tmp_path / "again.vec"
    assert convert.main([str(path), "--output", str(again)]) == 0
    assert detect_format(again) == "word2vec-text"
    np.testing.assert_array_equal(load_vectors(again).vectors, found.vectors)


def test_the_formats_are_those_that_can_be_written():
    assert sorted(arguments.FORMATS) == sorted(writer.FORMATS)


@pytest.mark.filterwarnings("ignore:.*words contain blanks")
def test_words_that_are_kept(tmp_path, glove, capsys):
    words = tmp_path / "words"
    words.write_text("wrote\njane\n")
    path = tmp_path / "out.bin.gz"
    command = [str(glove), "--output", str(path), "--words", str(words)]
    assert convert.main(command) == 0
    assert load_vectors(path).index_to_key == ["wrote"]
    assert "Without a vector: 1 of 2 words, such as 'jane'" in (
        capsys.readouterr().out
    )
    assert detect_format(path) == "word2vec-binary"
    words.write_text("jane\n")
    assert convert.main([*command, "--overwrite"]) == 2
    assert load_vectors(path).index_to_key == ["wrote"]


@pytest.mark.filterwarnings("ignore:.*words contain blanks")
def test_coverage_of_several_files(tmp_path, glove, text, capsys):
    other = tmp_path / "other.txt"
    other.write_text("1 1\njane 4\n")
    command = [str(glove), str(other), "--text", str(text)]
    assert coverage.main(command) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{glove}: words 2 of 5 (40.0%), running 12 of 21 (57.1%)",
        f"{other}: words 1 of 5 (20.0%), running 3 of 21 (14.3%)",
        "any of them: words 3 of 5 (60.0%), running 15 of 21 (71.4%)",
        "Without a vector: who austen",
    ]


def test_bad_requests_are_refused_before_the_work(
    tmp_path, glove, text, capsys, monkeypatch
):
    def refused(main, *command):
        assert main(list(map(str, command))) == 2
        return capsys.readouterr().err

    # Nothing is read, nor trained.
    monkeypatch.setattr("keras_qa.embeddings.skipgram.train_skipgram", None)
    monkeypatch.setattr("keras_qa.embeddings.loaders.load_vectors", None)
    out = tmp_path / "out.txt"
    assert "a new file" in refused(convert.main, glove, "--output", text)
    message = refused(convert.main, glove, "--output", tmp_path / "no/out")
    assert "--output must be in a folder that exists" in message
    for name in ("out", "out.foo", "out.foo.gz"):
        message = refused(convert.main, glove, "--output", tmp_path / name)
        assert "--output must end in .bin, .txt, .vec, or in one" in message
    message = refused(convert.main, tmp_path / "none", "--output", out)
    assert message.startswith("python -m embeddings.convert: ")
    assert "No such file" in message
    options = ["--text", text, "--output", out]
    message = refused(skipgram.main, *options, "--vector-size", "0")
    assert "--vector-size must be at least 1. Received: 0" in message
    message = refused(skipgram.main, *options, "--negative", "0")
    assert "--negative must be at least 1. Received: 0" in message
    options[1] = tmp_path / "none"
    assert "expected a readable file" in refused(skipgram.main, *options)
    message = refused(coverage.main, glove, "--dataset", "simple")
    assert "`name` must be one of" in message
    for option in ("--data-dir", "--split"):
        message = refused(
            skipgram.main, "--text", text, *options[2:], option, "x"
        )
        assert "go with --dataset. Received: --text" in message
    negative = ("--text", text, "--missing", "-1")
    message = refused(coverage.main, glove, *negative)
    assert "--missing must be 0 or more" in message
    text.write_text("\n")
    assert "Received: none" in refused(coverage.main, glove, "--text", text)
    assert not out.exists()


@pytest.mark.parametrize("name", ["skipgram", "convert", "coverage"])
def test_help_is_quick(name):
    command = [sys.executable, "-m", f"embeddings.{name}", "--help"]
    started = time.perf_counter()
    shown = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert time.perf_counter() - started < 3  # idle: 0.2
    assert f"usage: python -m embeddings.{name}" in shown.stdout
