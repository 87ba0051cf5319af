"""Figure 5 of MRNN, from a run folder as the scripts leave it."""

import json
import shutil
from collections import defaultdict

import keras
import numpy as np
import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.registry import open_dataset
from keras_qa.export.keras_file import export_keras
from keras_qa.models import MRNN
from keras_qa.text.tokenizer import tokenize
from keras_qa.text.vocabulary import Vocabulary
from reproductions.harness import fitting
from reproductions.harness.errors import FigureError
from reproductions.harness.example_pairs import first_found
from reproductions.harness.example_pairs import ranked_ids
from reproductions.harness.parts.runs import Outcome
from reproductions.mrnn import experiment as mrnn
from reproductions.mrnn import figure5 as mrnn_figure5
from support.mrnn_reference import randomize
from support.script_runs import FILES
from support.script_runs import metrics_of
from support.script_runs import smoke_runner

SETTINGS = {
    "skipgram_dim": 6,
    "skipgram_epochs": 1,
    "filters": 4,
    "blocks": 3,
    "max_document_length": 30,
    "max_answer_length": 9,
    "smoke_questions": 30,
}


def untrained(experiment, run, epochs=None):
    """What training and ranking leave, of a model with random weights."""
    scorer = experiment.build_learner(run).scorer
    blocks = scorer.model.question_encoder.get_layer("blocks")
    for layer in blocks, scorer.model.duplex:
        randomize(layer, 0.5)
    fitting.export_run(run, scorer)
    return Outcome(scorer.rank(run.corpus.index(run.report)), {})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fitting, "fit_and_rank", untrained)
        # The model for text takes most of the time and is not read here.
        patch.setattr(
            fitting,
            "export_saved_model",
            lambda scorer, words, path, **reading: path.mkdir(),
        )
        patch.setattr(fitting, "verify_export", lambda *_, **reading: None)
        assert smoke_runner(mrnn, SETTINGS)(path) == 0
    left = FILES - {item.name for item in path.iterdir()}
    assert left <= {"history.csv", "saved_model"}
    return path


def draw(folder, output, *options):
    arguments = [f"--run={folder}", f"--output-dir={output}", *options]
    return mrnn_figure5.main(arguments)


def page_of(output, name):
    pytest.importorskip("matplotlib")
    from matplotlib.image import imread

    assert sorted(path.name for path in output.iterdir()) == [
        f"figure5-{name}.md",
        f"figure5-{name}.png",
    ]
    height, width, _ = imread(output / f"figure5-{name}.png").shape
    assert min(height, width) > 400
    return (output / f"figure5-{name}.md").read_text()


def weights_of(folder, question, answer):
    """The model's own weights of a pair, and the pair's words."""
    model = keras.models.load_model(folder / "model.keras")
    vocabulary = Vocabulary.load(folder / "vocabulary.txt")
    words = {
        "question": tokenize(question, "word"),
        "answer": tokenize(answer, "word")[: SETTINGS["max_answer_length"]],
    }
    ids = {side: vocabulary.encode(w)[None] for side, w in words.items()}
    maps = model.attention_maps(ids)
    found = {k: keras.ops.convert_to_numpy(v)[0] for k, v in maps.items()}
    return float(keras.ops.convert_to_numpy(model(ids))[0, 0]), found, words


def strongest_row(table, rows, columns):
    i, j = np.unravel_index(np.argmax(table), table.shape)
    return f"| {rows[i]} | {columns[j]} | {table[i, j]:.3f} |"


def test_the_first_right_answer_that_is_ranked_first(folder, tmp_path, capsys):
    runs = defaultdict(list)
    for line in (folder / "run.trec").read_text().splitlines():
        question, _, document, _, score, _ = line.split()
        runs[question].append((float(score), document))
    lines = (folder / "qrels.trec").read_text().splitlines()
    judged = [line.split() for line in lines]
    right = {(q, document) for q, _, document, label in judged if label == "1"}
    # In the order of the data set, like the lines of the judgements.
    name = next(q for q, *_ in judged if (q, max(runs[q])[1]) in right)
    score, document = max(runs[name])
    candidate = document.split("-", 1)[1]

    assert draw(folder, tmp_path) == 0
    page = page_of(tmp_path, f"sample-test-{name}-{candidate}")
    printed = capsys.readouterr().out
    assert printed.startswith(page)
    assert f"score {score:.4f}\n" in page
    assert (
        f"sample test, question {name}, right candidate {candidate}, "
        f"ranked 1 of {len(runs[name])}\n"
    ) in page

    found = {q.id: q for q in open_dataset("sample", None).questions("test")}
    question = found[name].text
    answer = next(c.text for c in found[name].candidates if c.id == candidate)
    assert f"> {question}\n>\n> {answer}\n" in page
    again, maps, words = weights_of(folder, question, answer)
    assert score == pytest.approx(again, rel=1e-4)
    grams = ["1-gram", "3-gram", "5-gram"]
    placed = {
        side: [f"{word} ({i})" for i, word in enumerate(w, 1)]
        for side, w in words.items()
    }
    for name, rows, columns in (
        ("question_blocks", placed["question"], grams),
        ("answer_blocks", placed["answer"], grams),
        ("positions", placed["question"], placed["answer"]),
    ):
        assert strongest_row(maps[name], rows, columns) in page
        assert f"\n{1 / len(columns):.3f} if all weighed the same" in page
    _, *tables = page.split("## ")
    assert len(tables) == 3
    for table in tables:
        cells = [r.split("|")[3] for r in table.splitlines() if r[:1] == "|"]
        shown = [float(cell) for cell in cells[2:]]
        assert len(shown) == mrnn_figure5.STRONGEST
        assert shown == sorted(shown, reverse=True)


def test_any_pair_of_the_split_and_any_two_texts(folder, tmp_path, capsys):
    question = open_dataset("sample", None).questions("test")[2]
    wrong = question.negatives[0]
    ids = [f"--question-id={question.id}", f"--candidate-id={wrong.id}"]
    assert draw(folder, tmp_path / "split", *ids) == 0
    name = f"sample-test-{question.id}-{wrong.id}"
    page = page_of(tmp_path / "split", name)
    assert f"wrong candidate {wrong.id}, ranked " in page
    texts = ["--question", "who wrote\nemma", "--answer", "xyzzy wrote it"]
    assert draw(folder, tmp_path / "text", *texts) == 0
    page = page_of(tmp_path / "text", "sample-text")
    assert "> who wrote emma\n>\n> xyzzy wrote it\n" in page
    # The model does not know the word.
    assert "| [xyzzy] (1) | " in page
    capsys.readouterr()


def test_pairs_that_are_not_there(folder, tmp_path, capsys):
    first = open_dataset("sample", None).questions("test")[0]
    for question, candidate, message in (
        ("none", "a", f"run's split, such as {first.id!r}. Received: 'none'"),
        (first.id, "none", f"such as {first.candidates[0].id!r}. Received: 'n"),
    ):
        ids = [f"--question-id={question}", f"--candidate-id={candidate}"]
        assert draw(folder, tmp_path, *ids) == 2
        assert message in capsys.readouterr().err
    for options in (
        ["--question-id=a"],
        ["--answer=a"],
        ["--question-id=a", "--candidate-id=b", "--question=c", "--answer=d"],
    ):
        with pytest.raises(SystemExit):
            draw(folder, tmp_path, *options)
        assert "give " in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_first_question_that_is_found():
    right, wrong = Candidate("b c", "yes", 1), Candidate("a", "no", 0)
    questions = [Question(f"q {i}", "?", (wrong, right)) for i in range(4)]
    rankings = {"q_1": ["a", "b_c"], "q_2": ["b_c", "a"], "q_3": ["b_c", "a"]}
    assert first_found(questions, rankings) == (questions[2], right)
    with pytest.raises(FigureError, match="none among 1 questions"):
        first_found(questions, {"q_1": ["a", "b_c"]})


def test_ids_of_a_ranking_have_lost_the_number_before_them(tmp_path):
    (tmp_path / "run.trec").write_text(
        "q Q0 00002-D1-7 1 0.5 t\nq Q0 00011-D1-0 2 0.25 t\np Q0 123456-x 1 0 t"
    )
    assert ranked_ids(tmp_path) == {"q": ["D1-7", "D1-0"], "p": ["x"]}


def test_runs_without_such_a_picture(folder, tmp_path, capsys):
    assert draw(tmp_path / "none", tmp_path) == 2
    assert "Received: no such folder" in capsys.readouterr().err
    other = tmp_path / "run"
    shutil.copytree(folder, other)
    metrics = {**metrics_of(other), "model": "mrnn-contextual"}
    (other / "metrics.json").write_text(json.dumps(metrics))
    model = MRNN(None, 5, filters=4, blocks=2, max_document_length=9)
    export_keras(model, other / "model.keras")
    assert draw(other, tmp_path / "out") == 2
    message = capsys.readouterr().err
    assert "that reads word ids. Received: mrnn-contextual" in message
    assert not (tmp_path / "out").exists()
