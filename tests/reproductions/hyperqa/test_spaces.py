"""The comparison of spaces: what it plans, searches and tabulates."""

import json
from argparse import Namespace

import numpy as np
import pytest

from keras_qa.errors import SearchError
from reproductions.harness.command import parse_arguments
from reproductions.harness.studies.trials import TRIAL
from reproductions.hyperqa import experiment as hyperqa
from reproductions.hyperqa import spaces
from support.script_runs import settings_of

pytestmark = pytest.mark.once


def given(folder, **changes):
    options = {
        **{"output_dir": folder, "datasets": ["wikiqa"], "seeds": [1, 2]},
        **{"embeddings": ["v.bin"], "data_dir": folder, "set": []},
    }
    return Namespace(**{**options, **changes})


def trial(folder, number, reached, epochs, **settings):
    """Writes the record of a trial."""
    path = folder / "trials" / str(number) / "trial.json"
    path.parent.mkdir(parents=True)
    metrics = {} if reached is None else {"MAP": reached}
    record = {"metrics": metrics, "epochs": epochs, "settings": settings}
    path.write_text(json.dumps(record))


def test_every_candidate_and_run_is_one_that_the_command_accepts(tmp_path):
    chosen = {"epochs": 7, "average_last": 5}
    for dataset in spaces.DATASETS:
        for name, variant in spaces.VARIANTS.items():
            assert len(variant.candidates()) == 6
            for candidate in variant.candidates():
                runs = spaces.planned(
                    dataset, name, {**candidate, **chosen}, given(tmp_path)
                )
                for run in runs:
                    parse_arguments(hyperqa.EXPERIMENT, run.options)
                    settings = settings_of(hyperqa, *run.options)
            for key, value in {**spaces.SHARED, **candidate}.items():
                assert settings.get(key) == value
            assert settings["average_last"] == 5


def test_the_best_trial_chooses(tmp_path):
    trial(tmp_path, 0, 0.6, 9, radius=1.0)
    trial(tmp_path, 1, 0.7, 4, radius=2.0)
    trial(tmp_path, 2, None, 1, radius=4.0)
    best = {"radius": 2.0, "epochs": 6, "average_last": 5}
    assert spaces.best_of(tmp_path) == best
    trial(tmp_path, 3, 0.8, 1, radius=8.0)
    assert spaces.best_of(tmp_path)["epochs"] == 5


def test_a_finished_search_measures_nothing(tmp_path, monkeypatch):
    folder = tmp_path / "searches" / "wikiqa-radius"
    for number in range(5):
        trial(folder, number, number / 10, 3, radius=1.0)
    asked = []

    def trainer(experiment, options, output_dir):
        assert output_dir == folder and "--set=folds=2" in options

        def train(changes, number):
            if not (folder / "trials" / number / TRIAL).exists():
                asked.append(number)
                trial(folder, number, 0.9, 4, **changes)
            return {"MAP": 0.9}

        return train

    monkeypatch.setattr("reproductions.harness.studies.trials.trainer", trainer)
    for _ in range(2):
        found = spaces.searched("wikiqa", "radius", given(tmp_path))
        assert (found["radius"], found["epochs"]) == (8.0, 6)
    assert asked == ["5"]


def test_trials_of_other_vectors_are_not_taken(tmp_path):
    for number in range(6):
        trial(tmp_path / "searches/wikiqa-radius", number, 0.5, 3, radius=1.0)
    (tmp_path / "v.txt").write_text("1 1\nthe 1\n")
    own = given(tmp_path, embeddings=[str(tmp_path / "v.txt")])
    with pytest.raises(SearchError, match="give another --output-dir"):
        spaces.searched("wikiqa", "radius", own)


def test_the_page_compares_with_the_controls(tmp_path, monkeypatch):
    precisions = {
        "cosine": [0.5, 0.6, 0.7, 0.4],
        "radius": [0.7, 0.8, 0.9, 0.6],
    }
    for name in precisions:
        trial(tmp_path / "searches" / f"wikiqa-{name}", 0, 0.65, 3, margin=0.1)
        for seed in (1, 2):
            folder = tmp_path / f"wikiqa-{name}-{seed}"
            folder.mkdir()
            (folder / "metrics.json").write_text("{}")

    def question_metric(folder, metric):
        name, seed = folder.name.split("-")[1:]
        values = np.array(precisions[name]) + 0.02 * (int(seed) - 1)
        return dict(zip("abcd", values.tolist(), strict=True))

    monkeypatch.setattr(
        "reproductions.by_question.question_metric", question_metric
    )
    page = tmp_path / "page.md"
    options = [
        *("--data-dir", str(tmp_path), "--embeddings", "v.bin"),
        *("--output-dir", str(tmp_path), "--page", str(page)),
        *("--datasets", "wikiqa"),
    ]
    assert spaces.main(options) == 0
    text = page.read_text("utf-8")
    assert "| cosine | 0.5600 ± 0.0141 | – | – | 2 |" in text
    assert "| radius | 0.7600 ± 0.0141 | +0.2000 (p " in text
    assert "`margin=0.1` | 0.6500 |" in text
    assert "Of the 1 data sets, the spaces" in text
    assert spaces.main([*options, "--variants", "radius"]) == 0
    assert "| cosine |" not in page.read_text("utf-8")


def test_a_space_has_to_be_above_a_control_on_two_data_sets():
    once = spaces.above_controls(
        {
            ("cosine", "radius"): (0.1, 0.001),
            ("cosine", "sphere"): (-0.1, 0.001),
            ("clip", "radius"): (0.1, 0.04),
            ("clip", "sphere"): (0.1, 0.02),
        }
    )
    # By Holm's correction 0.02 is 0.04, and 0.04 stays.
    assert once == {"cosine": ["radius"], "clip": ["radius", "sphere"]}
    assert "- significantly above `cosine`: `radius`" in spaces.verdicts(once)
    other = {"cosine": [], "clip": ["sphere"]}
    lines = spaces.conclusion([once, other])
    assert lines[2:4] == ["- `cosine`: none", "- `clip`: `sphere`"]
