from reproductions.records.paper_figures import load_papers
from reproductions.records.seed_groups import group_runs
from reproductions.report.search_tables import search_tables
from support.report_pages import run

PAPER = load_papers()["hyperqa"]


def trial(number, MAP=None, **changes):
    settings = changes.pop("settings", {})
    found = {
        "paper": "hyperqa",
        "model": "hyperqa",
        "dataset": "wikiqa",
        "recipe": "best",
        "seed": 1,
        "trial": str(number),
        "options": ["folds=2", 'word_norm="unit"'],
        "vectors": ["a.bin"],
        "settings": {"word_norm": "unit", **settings},
        "metrics": {},
    }
    if MAP is not None:
        measured = {"metrics": {"MAP": MAP}, "epochs": 3, "seconds": 90.0}
        found.update(measured)
    return {**found, **changes}


def test_trials_are_listed_from_the_best_on():
    searches = {
        "hyperqa-wikiqa": [
            trial(0, 0.5, settings={"margin": 1.0}),
            trial(1, 0.6, vectors=["a.bin", "skipgram"]),
            trial(2, settings={"margin": 9.0}, failed="not finite"),
        ]
    }
    title, _, name, shared, table = search_tables(PAPER, searches)
    assert title == "## Searched settings\n"
    assert name == "### HyperQA, `wikiqa`\n"
    assert "`folds=2` `word_norm=unit`:" in shared
    assert table.splitlines()[2:] == [
        "| – | `a` + `skipgram` | 0.600 | 3 | 1.5 |",
        "| `margin=1.0` | `a` | 0.500 | 3 | 1.5 |",
        "| `margin=9.0` | `a` | failed: not finite |  | 0.0 |",
    ]


def test_a_model_that_reads_a_bert_did_so_in_its_searches():
    searches = {"hyperqa-wikiqa": [trial(0, 0.5)]}
    for vectors, shown in (
        (["bert:minilm"], "| – | `bert:minilm` | 0.500 | 3 | 1.5 |"),
        (["b.bin"], "| – | `a` | 0.500 | 3 | 1.5 |"),
    ):
        groups = group_runs([run(vectors=vectors)])
        *_, table = search_tables(PAPER, searches, groups)
        assert table.splitlines()[-1] == shown
    both = [run(vectors=["bert:minilm"]), run(vectors=["b.bin"])]
    *_, table = search_tables(PAPER, searches, group_runs(both))
    assert table.splitlines()[-1] == shown
    # Where the option named a BERT, the trial read just that.
    searches = {"hyperqa-wikiqa": [trial(0, 0.5, vectors=["bert:minilm"])]}
    more = [*both[:1], run(vectors=["bert:minilm", "b.bin"])]
    *_, table = search_tables(PAPER, searches, group_runs(more))
    assert table.splitlines()[-1] == "| – | `bert:minilm` | 0.500 | 3 | 1.5 |"


def test_a_floor_has_a_row_beside_the_trials_of_its_folds():
    floor = {"model": "features", "settings": {}, "recipe": "best"}
    searches = {
        "features-wikiqa": [
            trial(0, 0.55, **floor, options=["folds=2"]),
            trial(1, 0.57, **floor, options=["folds=5"]),
            trial(2, 0.58, **floor, options=["folds=2"], vectors=["b.bin"]),
            trial(3, 0.59, **floor, options=["folds=2"], seed=2),
        ],
        "hyperqa-wikiqa": [
            trial(0, 0.5, settings={"margin": 1.0}),
            trial(1, 0.6, settings={"margin": 2.0}),
        ],
    }
    _, _, name, _, table = search_tables(PAPER, searches)
    assert name == "### HyperQA, `wikiqa`\n"
    assert table.splitlines()[2:] == [
        "| `margin=2.0` | `a` | 0.600 | 3 | 1.5 |",
        "| the floor `features` | `a` | 0.550 | 3 | 1.5 |",
        "| `margin=1.0` | `a` | 0.500 | 3 | 1.5 |",
    ]


def test_a_paper_without_searches_has_no_section():
    assert search_tables(PAPER, {}) == []


def test_trials_on_other_folds_have_a_table_of_their_own():
    searches = {
        "hyperqa-wikiqa": [
            trial(0, 0.5),
            trial(1, 0.6, options=["folds=5"]),
            trial(2, 0.4),
        ]
    }
    _, _, _, *tables = search_tables(PAPER, searches)
    two, rows, five, row = tables
    assert "`folds=2`" in two
    assert [line.split(" | ")[2] for line in rows.splitlines()[2:]] == [
        "0.500",
        "0.400",
    ]
    assert "`folds=5`" in five
    assert row.splitlines()[2:] == ["| – | `a` | 0.600 | 3 | 1.5 |"]
