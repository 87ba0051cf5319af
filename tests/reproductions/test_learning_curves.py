import json

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.image import imread

from reproductions import learning_curves
from reproductions.learning_curves import labels
from reproductions.learning_curves import read_curves
from reproductions.learning_curves import read_history
from reproductions.learning_curves import title
from reproductions.records.json_lines import RecordError


def run(folder, history, seed=1, vectors=(), **changes):
    folder.mkdir()
    settings = {"optimizer": "adam", "epochs": 3, **changes}
    identity = {"model": "qa-lstm", "dataset": "sample", "seed": seed}
    identity["vectors"] = list(vectors)
    content = json.dumps({**identity, "settings": settings})
    (folder / "settings.json").write_text(content)
    if history is not None:
        (folder / "history.csv").write_text(history)
    return folder


HISTORY = "epoch,loss,MAP,seconds\n1,0.5,0.25,3\n2,0.125,0.5,3\n"


def test_runs_are_named_by_what_they_differ_in(tmp_path):
    adam = run(tmp_path / "a", HISTORY)
    sgd = run(tmp_path / "b", HISTORY, optimizer="sgd", momentum=0.5)
    assert labels([adam, sgd]) == [
        "optimizer adam",
        "optimizer sgd, momentum 0.5",
    ]
    assert labels([adam]) == ["QA-LSTM"]
    with pytest.raises(RecordError, match="differ"):
        labels([adam, adam])


def test_every_epoch_is_read_and_drawn(tmp_path):
    folder = run(tmp_path / "a", HISTORY)
    history = read_history(folder, "MAP")
    np.testing.assert_array_equal(history["loss"], [0.5, 0.125])
    np.testing.assert_array_equal(history["MAP"], [0.25, 0.5])
    picture = tmp_path / "pictures" / "curves.png"
    arguments = ["--run", str(folder), "--output", str(picture)]
    assert learning_curves.main(arguments) == 0
    blue = np.array([0x44, 0x77, 0xAA]) / 255
    image = imread(picture)[..., :3]
    rows, columns = np.nonzero(np.abs(image - blue).max(axis=-1) < 0.02)
    plot = rows > image.shape[0] / 6  # below the legend
    rows, columns = rows[plot], columns[plot]
    middle = image.shape[1] / 2
    for side, falls in ((columns < middle, True), (columns > middle, False)):
        x, y = columns[side], rows[side]
        first, last = y[x == x.min()].mean(), y[x == x.max()].mean()
        assert (first < last) == falls  # rows count from the top


def test_runs_of_several_seeds_are_one_line(tmp_path):
    more = HISTORY.replace("0.125,0.5", "0.375,1.0")
    runs = [
        run(tmp_path / f"{name}{seed}", text, seed, optimizer=name)
        for name in ("adam", "sgd")
        for seed, text in ((1, HISTORY), (2, more))
    ]
    curves = read_curves(runs, "MAP")
    assert list(curves) == ["optimizer adam", "optimizer sgd"]
    loss = curves["optimizer sgd"]["loss"]
    np.testing.assert_array_equal(loss, [[0.5, 0.125], [0.5, 0.375]])
    assert "mean and range of seeds 1, 2; MAP of" in title(runs, "MAP")
    # Lines of other seeds than one another would compare seeds, too.
    curves = read_curves(runs[:3], "MAP")
    assert len(curves) == 3
    assert "mean" not in title(runs[:3], "MAP")
    with pytest.raises(RecordError, match="differ"):
        read_curves(runs[:1] * 2, "MAP")
    (tmp_path / "sgd2/history.csv").write_text(HISTORY.rsplit("\n", 2)[0])
    with pytest.raises(RecordError, match="Received: 2, 1"):
        read_curves(runs, "MAP")


def test_runs_of_other_vectors_are_no_seeds(tmp_path):
    runs = [
        run(tmp_path / name, HISTORY, seed, [name])
        for seed, name in enumerate(("glove", "skipgram"), start=1)
    ]
    assert list(read_curves(runs, "MAP")) == [
        "seed 1, vectors glove",
        "seed 2, vectors skipgram",
    ]


def test_runs_after_another_training_are_no_seeds(tmp_path):
    plain, other = (run(tmp_path / f"{seed}", HISTORY, seed) for seed in (1, 2))
    path = other / "settings.json"
    settings = json.loads(path.read_text())
    settings["inputs"] = {"questions": "ab", "transfer": "cd"}
    path.write_text(json.dumps(settings))
    assert list(read_curves([plain, other], "MAP")) == [
        "seed 1",
        "seed 2, transfer cd",
    ]


@pytest.mark.parametrize("history", ["epoch,loss\n1,0.5\n", "epoch,loss,MAP\n"])
def test_what_cannot_be_drawn_is_named(tmp_path, capsys, history):
    folder = run(tmp_path / "a", history)
    picture = tmp_path / "curves.png"
    arguments = ["--run", str(folder), "--output", str(picture)]
    assert learning_curves.main(arguments) == 2
    assert f"{folder / 'history.csv'}: expected" in capsys.readouterr().err
    assert not picture.exists()


def test_a_folder_without_training(tmp_path, capsys):
    folder = run(tmp_path / "a", None)
    arguments = ["--run", str(folder), "--output", str(tmp_path / "c.png")]
    assert learning_curves.main(arguments) == 2
    assert "history.csv" in capsys.readouterr().err
