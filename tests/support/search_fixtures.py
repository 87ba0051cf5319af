"""Session fixtures: runs, answers and an index.

They import Keras when they are made: the process that starts the workers reads
this module and would keep them waiting.
"""

import pytest


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    import keras

    from keras_qa import models
    from support.run_folders import write_run
    from support.search_runs import SIZE
    from support.search_runs import VOCABULARY

    keras.utils.set_random_seed(0)
    folder = tmp_path_factory.mktemp("runs")
    made = {
        "hyperqa": models.HyperQA(SIZE, 6, 5),
        # Sums that are not clipped.
        "expmap": models.HyperQA(SIZE, 6, 5, projection="expmap"),
        "radius": models.HyperQA(
            *(SIZE, 6, 5),
            projection="radius",
            trainable_curvature=True,
            asymmetric=True,
        ),
        "cosineqa": models.CosineQA(SIZE, 6, 5),
        "qacnn": models.QACNN(SIZE, 6, filters=5),
        "qrnn": models.QRNNRanker(SIZE, 6, 5, 4, hidden_units=3),
    }
    return {
        name: write_run(folder / name, model, VOCABULARY)
        for name, model in made.items()
    }


@pytest.fixture(scope="session")
def answer_file(tmp_path_factory):
    from support.search_runs import ANSWERS

    path = tmp_path_factory.mktemp("answers") / "answers.txt"
    path.write_text("\n".join(ANSWERS) + "\n")
    return path


@pytest.fixture(scope="session")
def hyperqa_index(runs, answer_file, tmp_path_factory):
    from support.search_runs import build

    folder = tmp_path_factory.mktemp("index") / "hyperqa"
    for kind in ("hnsw", "flat"):
        assert build(runs["hyperqa"], answer_file, folder, kind) == 100
    return folder
