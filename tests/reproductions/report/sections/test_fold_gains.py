from reproductions.records.paper_figures import load_papers
from reproductions.report.sections.fold_gains import fold_gains

DATASETS = ("wikiqa", "trecqa-clean", "trecqa-raw")


def trial(MAP, model="hyperqa", dataset="wikiqa", **changes):
    found = {
        "paper": "hyperqa",
        "model": model,
        "dataset": dataset,
        "seed": 1,
        "options": ["folds=2"],
        "settings": {},
        "vectors": ["a.bin"],
        "metrics": {"MAP": MAP},
    }
    return {**found, **changes}


def test_the_best_trial_stands_next_to_the_best_floor_of_its_folds():
    """By hand: .75 less .625 on WikiQA, .5 less .53125 on TrecQA."""
    searches = {
        "hyperqa": {
            "features-wikiqa": [
                trial(0.625, "features"),
                trial(0.875, "features", vectors=["b.bin"]),
            ],
            "alignment-wikiqa": [trial(0.5, "alignment")],
            "features-trecqa-clean": [
                trial(0.53125, "features", dataset="trecqa-clean")
            ],
            "hyperqa-wikiqa": [trial(0.75), trial(0.5), trial(0, metrics={})],
            "hyperqa-trecqa-clean": [trial(0.5, dataset="trecqa-clean")],
            "cosineqa-wikiqa": [trial(0.75, "cosineqa", options=["folds=5"])],
        }
    }
    title, about, table = fold_gains(load_papers(), [], searches, DATASETS)
    assert title == "## Folds of train\n"
    assert "MAP on the folds of train" in about
    assert table.splitlines() == [
        "| Model | `wikiqa` | `trecqa-clean` |",
        "| --- | --- | --- |",
        "| HyperQA | 0.750 (+0.125) | 0.500 (-0.031) |",
    ]


def test_a_trial_stands_next_to_floors_of_its_own_vectors():
    """By hand: .75 of `a.bin` less .5; `b.bin`, which is best, has no floor."""
    searches = {
        "hyperqa": {
            "features-wikiqa": [trial(0.5, "features")],
            "hyperqa-wikiqa": [trial(0.875, vectors=["b.bin"]), trial(0.75)],
        }
    }
    _, _, table = fold_gains(load_papers(), [], searches, DATASETS)
    assert table.splitlines()[2:] == ["| HyperQA | 0.750 (+0.250) |"]


def test_a_floor_reads_the_layers_that_the_trial_reads():
    """MRNN reads four layers by default."""
    of_mrnn = {"paper": "mrnn", "vectors": ["bert:b"]}
    two, four = {"bert_layers": 2}, {"bert_layers": 4}
    searches = {
        "mrnn": {
            "floors": [
                trial(0.5, "contextual-features", **of_mrnn),
                trial(0.625, "contextual-features", **of_mrnn, settings=two),
            ],
            "models": [
                trial(0.75, "mrnn-contextual", **of_mrnn, settings=four),
                trial(0.7, "mrnn-contextual", **of_mrnn, settings=two),
            ],
        }
    }
    _, _, table = fold_gains(load_papers(), [], searches, DATASETS)
    assert table.splitlines()[2:] == ["| MRNN, contextual | 0.750 (+0.250) |"]


def test_without_a_floor_there_is_no_section():
    searches = {"hyperqa": {"hyperqa-wikiqa": [trial(0.75)]}}
    assert fold_gains(load_papers(), [], searches, DATASETS) == []
