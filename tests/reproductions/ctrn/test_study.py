"""The study's conditions are distinct runs that the command accepts."""

import pytest

from reproductions import study
from reproductions.ctrn import experiment as ctrn
from reproductions.harness.parts.floor_names import FLOORS
from reproductions.harness.studies import making
from reproductions.records.paper_figures import load_papers
from reproductions.significance.pairs import pairs
from support.study_runs import groups_of
from support.study_runs import identities

COMMAND = ["--data-dir=data", "--embeddings", "vectors.bin"]


def test_every_condition_is_a_run_of_its_own(calls, tmp_path):
    folder = f"--output-dir={tmp_path}"
    assert study.main(["ctrn", *COMMAND, folder, "--record=runs.jsonl"]) == 0
    # Ten trained conditions with five seeds, the floors with one.
    assert len(calls) == 3 * (10 * 5 + len(FLOORS))
    assert len({a.output_dir for a, _ in calls}) == len(calls)
    assert len(identities(calls)) == len(calls)
    for arguments, settings in calls:
        assert arguments.split == "dev"
        assert arguments.resume
        assert str(arguments.record) == "runs.jsonl"
        if arguments.model not in ("overlap", *FLOORS):
            assert settings["overlap"] == (arguments.dataset != "wikiqa")
    # All conditions have a seed before any has the next.
    seeds = [a.seed for a, _ in calls]
    assert seeds == sorted(seeds)


def test_it_can_be_cut_down(calls, tmp_path):
    options = ["--datasets", "wikiqa", "--seeds", "3", "4", "--set", "units=8"]
    folder = f"--output-dir={tmp_path}"
    assert study.main(["ctrn", *COMMAND, folder, *options]) == 0
    assert len(calls) == 10 * 2 + len(FLOORS)
    for arguments, settings in calls:
        untrained = arguments.model in FLOORS
        assert settings["units"] == (512 if untrained else 8)


@pytest.mark.parametrize("keep", [True, False])
def test_models_stay_if_asked(calls, tmp_path, keep):
    options = ["--datasets=wikiqa", "--seeds=1", f"--output-dir={tmp_path}"]
    options += ["--keep-models"] * keep
    assert study.main(["ctrn", *COMMAND, *options]) == 0
    for folder in tmp_path.iterdir():
        names = {path.name for path in folder.iterdir()}
        models = {"model.keras", "saved_model"} if keep else set()
        assert names == {"metrics.json", "run.trec"} | models
    assert set(making.SMALL) >= {"metrics.json", "run.trec", "qrels.trec"}


def test_all_its_conditions_are_compared(calls, tmp_path):
    study.main(["ctrn", *COMMAND, f"--output-dir={tmp_path}", "--seeds=1"])
    groups = groups_of(ctrn.EXPERIMENT, calls, "paper")
    wanted = load_papers()["ctrn"].paired_tests
    found = [
        (first.model, second.model)
        for first, second, _ in pairs(groups, wanted, "ctrn")
        if first.dataset == "wikiqa"
    ]
    assert found.count(("ctrn", "qrnn")) == 4
    assert found.count(("ctrn", "ctrn")) == 3
    others = {"lstm", "cnn", "ap-cnn", "ap-bilstm", "overlap", "bm25", "cosine"}
    for model in others:
        assert found.count(("ctrn", model)) == 1
    assert found.count(("qrnn", "lstm")) == 1
