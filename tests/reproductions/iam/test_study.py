"""The study's conditions are distinct runs that the command accepts."""

from reproductions import study
from reproductions.harness.parts.floor_names import FLOORS
from reproductions.iam import experiment as iam
from reproductions.records.paper_figures import load_papers
from reproductions.significance.pairs import pairs
from support.study_runs import groups_of
from support.study_runs import identities

COMMAND = ["--data-dir=data", "--embeddings", "vectors.bin"]
# Eight models and variants, four terms next to the jump, the question term.
CONDITIONS = 8 + 4 + 1


def run_study(folder, *options):
    return study.main(["iam", *COMMAND, f"--output-dir={folder}", *options])


def test_every_condition_is_a_run_of_its_own(calls, tmp_path):
    assert run_study(tmp_path, "--record=runs.jsonl") == 0
    assert len(calls) == 2 * (CONDITIONS * 3 + len(FLOORS))
    assert len({a.output_dir for a, _ in calls}) == len(calls)
    assert len(identities(calls)) == len(calls)
    for arguments, _ in calls:
        assert arguments.split == "dev"
        assert (arguments.recipe, arguments.resume) == ("small", True)
        assert (arguments.stage, arguments.bert) == ("all", "minilm")
        assert arguments.stage_dir == tmp_path / "stages"
    # All conditions have a seed before any has the next.
    seeds = [a.seed for a, _ in calls]
    assert seeds == sorted(seeds)


def test_it_can_be_cut_down(calls, tmp_path):
    options = ["--datasets", "wikiqa", "--seeds", "3", "--split=test"]
    options += ["--set", "epochs=2", "--models", "iam", "qa-lstm"]
    assert run_study(tmp_path, *options) == 0
    found = [(a.model, s["epochs"], s.get("jump")) for a, s in calls]
    # What is changed is changed for IAM alone.
    assert found == [
        *((floor, 10, True) for floor in FLOORS),
        ("iam", 2, True),
        ("iam", 2, False),
        ("qa-lstm", 10, None),
    ]
    calls.clear()
    options += ["--models", "iam-bert", "--changes", "none", "match=false"]
    assert run_study(tmp_path / "terms", *options) == 0
    found = [s["match"] for a, s in calls if a.model == "iam-bert"]
    assert found == [True, False]


def test_all_its_conditions_are_compared(calls, tmp_path):
    run_study(tmp_path, "--seeds=1", "--recipe=paper")
    groups = groups_of(iam.EXPERIMENT, calls, "paper")
    wanted = load_papers()["iam"].paired_tests
    found = [
        (first.model, second.model)
        for first, second, _ in pairs(groups, wanted, "iam")
        if first.dataset == "wikiqa"
    ]
    # Without each term, and with the question's final state.
    assert found.count(("iam-bert", "iam-bert")) == 5 + 1
    assert found.count(("iam", "iam")) == 1
    for model in ("iam", "qa-lstm", "attentive-lstm", "ap-cnn", "cosine"):
        assert found.count(("iam-bert", model)) == 1
    assert found.count(("iam-bert-contextual", "iam-bert")) == 1
    for model in ("qa-lstm", "attentive-lstm", "ap-cnn"):
        assert found.count(("iam", model)) == 1
