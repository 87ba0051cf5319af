"""The weights of words: from a model, as text, as JSON and as a picture."""

import json
import sys
from functools import partial

import keras
import numpy as np
import pytest

from keras_qa.attention.figure import COLOR
from keras_qa.attention.weights import attention_weights
from keras_qa.attention.weights import draw_attention
from keras_qa.attention.weights import format_attention
from keras_qa.cli import main as cli
from keras_qa.errors import AttentionError
from keras_qa.errors import RankerError
from keras_qa.models import APCNN
from keras_qa.models import AttentiveLSTM
from keras_qa.models import HyperQA
from keras_qa.ranker import Ranker
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary
from support.run_folders import write_run

VOCABULARY = Vocabulary(["who", "wrote", "emma", "jane", "austen", "?"])
READING = TextReading(VOCABULARY)
QUESTION = "Who wrote Emma?"
ANSWER = "Jane Austen, in 1815"


class Fixed:
    """A model whose weights of words 1 to n are as n to 1."""

    vocabulary_size = len(VOCABULARY)

    def __init__(self, *sides):
        self.sides = sides

    def __call__(self, inputs, training):
        return np.array([[0.25]])

    def attention(self, inputs, training):
        weights = {
            side: np.arange(inputs[side].shape[1], 0, -1.0)[None]
            for side in self.sides
        }
        return {side: w / w.sum() for side, w in weights.items()}


def ap_cnn():
    return APCNN(len(VOCABULARY), 5, projection_dim=None, units=4)


def attentive_lstm():
    return AttentiveLSTM(len(VOCABULARY), 5, units=3)


@pytest.fixture
def run_folder(tmp_path):
    """Makes the files of a run that the viewer reads."""

    return partial(
        write_run, tmp_path, vocabulary=VOCABULARY, max_answer_length=4
    )


def show(folder, *options):
    texts = ["--question", QUESTION, "--answer", ANSWER]
    return cli.main(["attention", str(folder), *texts, *options])


def test_text_has_a_bar_for_each_word():
    seen = attention_weights(
        Fixed("answer", "question"), READING, QUESTION, "Jane bore emma x"
    )
    assert format_attention(seen).splitlines() == [
        "Fixed, score 0.2500",
        "",
        "question, 0.250 if all words weighed the same",
        "  0.400  ████████████████████████  who",
        "  0.300  ██████████████████        wrote",
        "  0.200  ████████████              emma",
        "  0.100  ██████                    ?",
        "",
        "answer, 0.250 if all words weighed the same",
        "  0.400  ████████████████████████  jane",
        "  0.300  ██████████████████        [bore]",
        "  0.200  ████████████              emma",
        "  0.100  ██████                    [x]",
    ]


def test_a_side_without_weights_is_printed_as_it_is():
    seen = attention_weights(
        Fixed("answer"),
        TextReading(VOCABULARY, "whitespace"),
        "Who am I",
        "Jane",
    )
    assert [word.weight for word in seen.question] == [None] * 3
    assert format_attention(seen).splitlines()[1:] == [
        "",
        "question, not weighed",
        "  who [am] [i]",
        "",
        "answer, 1.000 if all words weighed the same",
        "  1.000  ████████████████████████  jane",
    ]


@pytest.mark.parametrize("build", [ap_cnn, attentive_lstm])
def test_the_command_shows_what_a_saved_model_computes(
    run_folder, capsys, build
):
    model = build()
    ids = {
        # Of "jane", "austen", ",", "in", "1815" the model reads four.
        "question": np.array([[2, 3, 4, 7]]),
        "answer": np.array([[5, 6, 1, 1]]),
    }
    assert show(run_folder(model), "--format", "json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["model"] == type(model).__name__
    score = keras.ops.convert_to_numpy(model(ids))[0, 0]
    assert printed["score"] == pytest.approx(float(score), abs=1e-6)
    weights = model.attention(ids)
    assert "answer" in weights
    for side, words in (
        ("question", ["who", "wrote", "emma", "?"]),
        ("answer", ["jane", "austen", ",", "in"]),
    ):
        assert [word["word"] for word in printed[side]] == words
        shown = [word["weight"] for word in printed[side]]
        if side in weights:
            expected = keras.ops.convert_to_numpy(weights[side])[0]
            assert shown == pytest.approx(expected, abs=1e-6)
            assert sum(shown) == pytest.approx(1, abs=1e-5)
        else:
            assert shown == [None] * 4
    known = [word["known"] for word in printed["answer"]]
    assert known == [True, True, False, False]


def test_the_command_prints_text_and_draws(run_folder, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "new" / "seen.png"
    folder = run_folder(ap_cnn(), tokenizer="whitespace")
    assert show(folder, "--picture", str(picture)) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("APCNN, score ")
    assert "[emma?]" in printed
    assert picture.read_bytes().startswith(b"\x89PNG")
    # What the run notes can be overruled.
    assert show(folder, "--tokenizer", "word") == 0
    assert "[emma?]" not in capsys.readouterr().out


def test_the_picture_shades_words_by_weight(tmp_path):
    pytest.importorskip("matplotlib")
    from matplotlib.colors import to_rgb
    from matplotlib.image import imread

    seen = attention_weights(Fixed("answer"), READING, "$who$ é", "jane " * 30)
    draw_attention(seen, tmp_path / "a.png")
    image = imread(tmp_path / "a.png")[..., :3]
    # Two columns to the left of each line of 72, one line above: headings in
    # lines 0, 2 and 5, the words in 3 and, 14 of them to a line, 6 to 8.
    column, line = image.shape[1] / 76, image.shape[0] / (9 + 2)

    def shade(row, index):
        y = round((1 + row + 0.15) * line)
        return image[y, round((2 + 5 * index - 0.1) * column)]

    for word in (0, 13, 14, 29):
        share = 0.8 * (30 - word) / 30
        expected = 1 - share * (1 - np.array(to_rgb(COLOR)))
        assert shade(6 + word // 14, word % 14) == pytest.approx(
            expected, abs=0.02
        )
    assert shade(3, 0) == pytest.approx([1, 1, 1])
    again = tmp_path / "again.png"
    draw_attention(seen, again)
    assert again.read_bytes() == (tmp_path / "a.png").read_bytes()
    draw_attention(seen, tmp_path / "a.svg")
    assert "<svg" in (tmp_path / "a.svg").read_text()
    # PostScript has no transparency: each weight is a colour.
    draw_attention(seen, tmp_path / "a.eps")
    lines = (tmp_path / "a.eps").read_text().splitlines()
    assert len({line for line in lines if "setrgbcolor" in line}) > 20
    with pytest.raises(AttentionError, match=r"end in one of .*png.*a\.word"):
        draw_attention(seen, tmp_path / "a.word")


def test_drawing_without_matplotlib(monkeypatch, run_folder, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert show(run_folder(ap_cnn()), "--picture", "x.png") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "pip install 'keras-qa[plots]'" in captured.err


def test_models_and_texts_without_attention():
    message = r"with attention: MRNN.*`keras-qa train` have .* HyperQA$"
    with pytest.raises(AttentionError, match=message):
        attention_weights(HyperQA(9), READING, "a", "b")
    for side, texts in (("question", (" ", "a")), ("answer", ("a", ""))):
        with pytest.raises(
            AttentionError, match=f"`{side}` must have at least"
        ):
            attention_weights(Fixed("answer"), READING, *texts)
    with pytest.raises(RankerError, match=r"the 8 words .* Received: 3"):
        other = TextReading(Vocabulary("a"))
        attention_weights(Fixed("answer"), other, "a", "b")


@pytest.mark.slow
@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="writes a SavedModel"
)
def test_the_command_shows_what_a_saved_model_attends_to(
    run_folder, tmp_path, capsys
):
    model = ap_cnn()
    assert show(run_folder(model)) == 0
    expected = capsys.readouterr().out
    reading = TextReading(VOCABULARY, max_answer_length=4)
    Ranker(model, reading).export(tmp_path / "saved", "saved_model")
    assert show(tmp_path / "saved") == 0
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / "model.keras").unlink(), "Received: no model.keras in"),
        (lambda f: (f / "model.keras").write_text("x"), "can load. Received:"),
        (
            lambda f: (f / "metrics.json").write_text("{}"),
            "metrics.json: expected settings, tokenizer. Received: no ",
        ),
        (
            lambda f: (f / "metrics.json").write_text("x"),
            "metrics.json: expected the metrics of a run",
        ),
        (lambda f: (f / "vocabulary.txt").write_text("a\na\n"), "distinct"),
    ],
)
def test_damaged_runs_are_messages(run_folder, capsys, damage, message):
    folder = run_folder(ap_cnn())
    damage(folder)
    assert show(folder) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("keras-qa: ")
    assert message in captured.err
