"""The study's conditions are distinct runs that the command accepts."""

from reproductions import study
from reproductions.harness.parts.floor_names import FLOORS
from reproductions.harness.parts.floor_names import WORDLESS
from reproductions.mrnn import experiment as mrnn
from reproductions.records.paper_figures import load_papers
from reproductions.significance.pairs import pairs
from support.study_runs import groups_of
from support.study_runs import identities

SOURCES = ["bert:minilm", "vectors.bin"]
COMMAND = ["--data-dir=data", "--embeddings", *SOURCES]
# MRNN as it is, two attentions, three depths, contextual vectors, other
# negatives, two single sources; QA-LSTM and HyperQA.
CONDITIONS = 1 + 2 + 3 + 1 + 1 + 2 + 2


def run_study(folder, *options):
    return study.main(["mrnn", *COMMAND, f"--output-dir={folder}", *options])


def test_every_condition_is_a_run_of_its_own(calls, tmp_path):
    assert run_study(tmp_path) == 0
    assert len(calls) == 2 * (CONDITIONS * 3 + len(FLOORS))
    assert len({a.output_dir for a, _ in calls}) == len(calls)
    assert len(identities(calls)) == len(calls)
    for arguments, _ in calls:
        assert (arguments.split, arguments.recipe) == ("dev", "small")
        assert arguments.resume
    seeds = [a.seed for a, _ in calls]
    assert seeds == sorted(seeds)


def test_sources(calls, tmp_path):
    assert run_study(tmp_path, "--seeds=1", "--datasets", "wikiqa") == 0
    read = {}
    for arguments, _ in calls:
        vectors = tuple(mrnn.EXPERIMENT.vectors(arguments))
        read.setdefault(arguments.model, set()).add(vectors)
    last = {("vectors.bin",)}
    assert read == {
        **dict.fromkeys((*FLOORS, "qa-lstm", "hyperqa"), last),
        **{floor: {()} for floor in WORDLESS},
        "mrnn": {tuple(SOURCES), *((source,) for source in SOURCES)},
        "mrnn-contextual": {tuple(SOURCES)},
    }


def test_it_can_be_cut_down(calls, tmp_path):
    options = ["--datasets", "wikiqa", "--seeds", "3", "--split=test"]
    assert run_study(tmp_path, *options, "--set", "epochs=2") == 0
    assert {a.split for a, _ in calls} == {"test"}
    # What is changed is changed for MRNN alone.
    changed = {a.model for a, s in calls if s["epochs"] == 2}
    assert changed == set(mrnn.OWN)
    kept = {path.name for path in tmp_path.glob("*/*")}
    assert kept == {"metrics.json", "run.trec"}


def test_all_its_conditions_are_compared(calls, tmp_path):
    run_study(tmp_path, "--seeds=1", "--datasets", "wikiqa")
    groups = groups_of(mrnn.EXPERIMENT, calls, "small")
    wanted = load_papers()["mrnn"].paired_tests
    found = [
        (first.model, second.model, *first.overrides)
        for first, second, _ in pairs(groups, wanted, "mrnn")
    ]
    for name in ("n_gram_attention", "query_attention", "negatives"):
        assert found.count(("mrnn", "mrnn", name)) == 1
    assert found.count(("mrnn", "mrnn", "blocks")) == 3
    # The ensemble and each of its sources.
    assert found.count(("mrnn", "mrnn")) == 2
    assert found.count(("mrnn-contextual", "mrnn")) == 1
    for other in ("qa-lstm", "hyperqa", "bm25", "cosine"):
        assert found.count(("mrnn", other)) == 3
