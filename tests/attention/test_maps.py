"""MRNN's attention maps: against NumPy, as a picture and from the command."""

import numpy as np
import pytest

from keras_qa.attention.figure import COLOR
from keras_qa.attention.figure import DPI
from keras_qa.attention.heatmaps import BAR_WIDTH
from keras_qa.attention.heatmaps import CELL
from keras_qa.attention.heatmaps import GAP
from keras_qa.attention.heatmaps import NUMBERS
from keras_qa.attention.maps import AttentionMaps
from keras_qa.attention.maps import attention_maps
from keras_qa.attention.maps import draw_attention_maps
from keras_qa.cli import main as cli
from keras_qa.errors import AttentionError
from keras_qa.errors import RankerError
from keras_qa.models import APCNN
from keras_qa.models import MRNN
from keras_qa.models import HyperQA
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary
from support.mrnn_reference import contextualize
from support.mrnn_reference import dense_maps
from support.mrnn_reference import distance
from support.mrnn_reference import randomize
from support.run_folders import write_run

VOCABULARY = Vocabulary(["who", "wrote", "emma", "jane", "austen", "?"])
READING = TextReading(VOCABULARY)
SIZE, DIM = len(VOCABULARY), 3
QUESTION = "Who wrote Emma?"
ANSWER = "Jane Austen, in 1815"
WORDS = {
    "question": ["who", "wrote", "emma", "?"],
    "answer": ["jane", "austen", ",", "in"],
}
IDS = {"question": [2, 3, 4, 7], "answer": [5, 6, 1, 1]}
ROUNDING = {"rtol": 1e-4, "atol": 1e-6}


def embeddings():
    values = np.random.default_rng(0).normal(size=(SIZE, DIM))
    return values.astype("float32")


def mrnn(vocabulary_size=SIZE, **settings):
    if vocabulary_size is not None:
        settings["embeddings"] = embeddings()
    sizes = {"filters": 4, "blocks": 3, "max_document_length": 3}
    model = MRNN(vocabulary_size, DIM, **{**sizes, **settings})
    for layer in model.duplex, model.question_encoder.get_layer("blocks"):
        randomize(layer, 0.5)
    return model


def expected_maps(model):
    """The score of the pair and its weights, from the equations."""
    layer = model.question_encoder.get_layer("blocks")
    texts = [embeddings()[IDS[side]].astype(float) for side in WORDS]
    (question, q), (answer, a) = (
        contextualize(maps, model.duplex.resolution["question"])
        for maps in dense_maps(texts, layer)
    )
    far, positions = distance(question, answer, model.duplex.matching)
    # The fourth word of the answer is beyond the three that are looked up.
    return -far, q, a, np.pad(positions, ((0, 0), (0, 1)))


def check(maps, model):
    score, question, answer, positions = expected_maps(model)
    assert maps.score == pytest.approx(score, rel=1e-4)
    np.testing.assert_allclose(maps.question_blocks, question, **ROUNDING)
    np.testing.assert_allclose(maps.answer_blocks, answer, **ROUNDING)
    np.testing.assert_allclose(maps.positions, positions, **ROUNDING)
    assert maps.question == tuple(WORDS["question"])
    assert maps.answer == tuple(WORDS["answer"])


@pytest.mark.parametrize(
    ("kernel_size", "grams"), [(2, (1, 2, 3)), (3, (1, 3, 5))]
)
def test_the_maps_are_those_of_the_equations(kernel_size, grams):
    model = mrnn(kernel_size=kernel_size)
    maps = attention_maps(
        model,
        TextReading(VOCABULARY, max_answer_length=4),
        QUESTION,
        ANSWER,
    )
    check(maps, model)
    assert maps.grams == grams
    assert maps.model == "MRNN"
    assert maps.unknown == {",", "in"}
    assert [maps.shown(word) for word in ("jane", "in")] == ["jane", "[in]"]


def test_vectors_in_place_of_texts():
    padded = {
        side: np.pad(embeddings()[ids], ((0, 2), (0, 0)))[None]
        for side, ids in IDS.items()
    }
    maps = attention_maps(mrnn(None), None, *WORDS.values(), inputs=padded)
    check(maps, mrnn())
    assert maps.unknown == set()


def test_a_word_without_a_vector_has_no_weight():
    vectors = {side: embeddings()[ids][None] for side, ids in IDS.items()}
    vectors["question"][:, 1] = 0
    maps = attention_maps(mrnn(None), None, *WORDS.values(), inputs=vectors)
    for weights in maps.question_blocks, maps.positions:
        sums = weights.sum(axis=1)
        np.testing.assert_allclose(sums, [1, 0, 1, 1], rtol=1e-5)


@pytest.mark.parametrize(
    ("question", "inputs", "message"),
    [
        (QUESTION, {}, "`question` must be a list of at least one word"),
        ([], {}, r"`question` must be a list .* Received: \[\]"),
        (["who"], {}, r"the `question` .* of 1 words .* shape=\(0,\)"),
        (["who"], {"question": np.ones((2, 1, DIM))}, r"shape=\(2, 1, 3\)"),
        (["a", "b"], {"question": np.ones((1, 1, DIM))}, "of 2 words"),
        # A third position is no padding.
        (["a", "b"], {"question": np.ones((1, 3, DIM))}, "zeros behind them"),
    ],
)
def test_inputs_that_do_not_fit_the_words(question, inputs, message):
    with pytest.raises(AttentionError, match=message):
        attention_maps(mrnn(None), None, question, ["a"], inputs=inputs)


def test_models_and_texts_without_maps():
    with pytest.raises(
        AttentionError, match=r"of blocks and positions, as MRNN has.*: HyperQA"
    ):
        attention_maps(HyperQA(8), READING, "a", "b")
    with pytest.raises(RankerError, match=r"word ids .* MRNN, which takes"):
        attention_maps(mrnn(None), READING, "a", "b")
    with pytest.raises(AttentionError, match="`answer` must have at least"):
        attention_maps(mrnn(), READING, "a", " ")
    with pytest.raises(AttentionError, match=r"must be texts.*=\['a'\]"):
        attention_maps(mrnn(), READING, ["a"], "b")
    with pytest.raises(AttentionError, match=r"must be texts.*reading=No"):
        attention_maps(mrnn(), None, "a", "b")


def one_hot(rows, columns):
    """Weights of 1, one in each row: in columns 0, 1, ... and 0 again."""
    return np.eye(columns)[np.arange(rows) % columns]


def drawn_maps(question, answer, grams=(1, 3, 5)):
    return AttentionMaps(
        model="MRNN",
        score=-1.5,
        question=tuple(question),
        answer=tuple(answer),
        unknown=frozenset(["$x$"]),
        grams=tuple(grams),
        question_blocks=one_hot(len(question), len(grams)),
        answer_blocks=one_hot(len(answer), len(grams)),
        positions=one_hot(len(question), len(answer)),
    )


def test_the_picture_has_a_cell_for_each_weight(tmp_path):
    pytest.importorskip("matplotlib")
    from matplotlib.colors import to_rgb
    from matplotlib.image import imread

    # 49 words stand in lines of 25 and 24.
    maps = drawn_maps(["who", "$x$", "it"], ["word"] * 49)
    path = tmp_path / "new" / "maps.png"
    draw_attention_maps(maps, path)
    image = imread(path)[..., :3]
    # "1-gram" has the most letters of the labels of rows.
    left = 2 * GAP + 6 * 0.602 * 8 / 72
    width = left + 25 * CELL + GAP + BAR_WIDTH + NUMBERS
    assert image.shape[1] == pytest.approx(width * DPI, abs=1)
    # Below each of five lines of three rows are words of up to five letters.
    five, four = (n * 0.602 * 8 / 72 for n in (5, 4))
    height = GAP + CELL + 5 * (GAP + 3 * CELL + GAP) + 3 * CELL
    height += five + 4 * four + GAP
    assert image.shape[0] == pytest.approx(height * DPI, abs=1)

    def shade(row, column):
        y = 2 * GAP + 2 * CELL + (row + 0.5) * CELL
        x = left + (column + 0.5) * CELL
        return image[int(y * DPI), int(x * DPI)]

    for row in range(3):
        for column in range(3):
            color = COLOR if row == column else "white"
            assert shade(row, column) == pytest.approx(to_rgb(color), abs=0.01)
    dark = np.abs(image - to_rgb(COLOR)).max(axis=-1) < 0.01
    cells = dark.sum() / (CELL * DPI) ** 2
    assert cells == pytest.approx(3 + 49 + 3, rel=0.05)
    again = tmp_path / "again.png"
    draw_attention_maps(maps, again)
    assert again.read_bytes() == path.read_bytes()


def test_labels_of_the_picture(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    long = "misunderstandings"
    maps = drawn_maps(["who", "$x$"], [long, "a_b"], (1, 3, 5, 7))
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        draw_attention_maps(maps, tmp_path / "maps.svg")
    text = (tmp_path / "maps.svg").read_text()
    for label in (
        *("MRNN, score -1.5000", "a) question, by block"),
        *("b) answer, by block", "c) what each word of the question looks"),
        *("1-gram", "3-gram", "5-gram", "7-gram", "who", "a_b", "[$x$]"),
        f"{long[:15]}…",
    ):
        assert label in text
    assert long not in text


def test_weights_of_zero_are_white(tmp_path):
    pytest.importorskip("matplotlib")
    maps = drawn_maps(["a"], ["b"])
    maps.positions[:] = 0
    draw_attention_maps(maps, tmp_path / "maps.pdf")
    assert (tmp_path / "maps.pdf").read_bytes().startswith(b"%PDF")


def test_what_cannot_be_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    with pytest.raises(AttentionError, match=r"end in one of .*a\.word"):
        draw_attention_maps(drawn_maps("ab", "c"), tmp_path / "a.word")
    with pytest.raises(AttentionError, match=r"at most 437 inches .*cut the"):
        draw_attention_maps(drawn_maps("a" * 2500, "c"), tmp_path / "a.png")
    assert not list(tmp_path.iterdir())


def show(folder, picture):
    texts = ["--question", QUESTION, "--answer", ANSWER]
    options = ["--maps", str(picture)]
    return cli.main(["attention", str(folder), *texts, *options])


def test_the_command_draws_the_maps_of_a_saved_model(
    tmp_path, capsys, monkeypatch
):
    pytest.importorskip("matplotlib")
    from keras_qa.cli import attention as attention_command

    seen = []
    monkeypatch.setattr(
        attention_command,
        "draw_attention_maps",
        lambda maps, path: seen.append(maps) or draw_attention_maps(maps, path),
    )
    model, picture = mrnn(), tmp_path / "maps.png"
    folder = write_run(tmp_path, model, VOCABULARY, max_answer_length=4)
    assert show(folder, picture) == 0
    check(seen[0], model)
    assert picture.read_bytes().startswith(b"\x89PNG")
    # The weights that it prints are the mean over the question's words.
    printed = capsys.readouterr().out
    assert printed.startswith("MRNN, score -")
    jane = expected_maps(model)[3].mean(axis=0)[0]
    assert f"  {jane:.3f}  " in printed


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: APCNN(SIZE, 5, units=4),
            "of blocks and positions, as MRNN has. Received: APCNN",
        ),
        (
            lambda: mrnn(None),
            "Received: MRNN, which takes question (float32, (",
        ),
    ],
)
def test_the_command_says_which_models_have_no_maps(
    tmp_path, capsys, build, message
):
    picture = tmp_path / "maps.png"
    assert show(write_run(tmp_path, build(), VOCABULARY), picture) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and not picture.exists()
    assert message in captured.err
