"""The page of all models: complete, and with the records' figures."""

import pytest

from keras_qa import models
from reproductions.records.paper_figures import load_papers
from reproductions.records.reading import RecordError
from reproductions.records.seed_groups import group_runs
from reproductions.report.pages import ROOT
from reproductions.report.sections.models_page import load_families
from reproductions.report.sections.models_page import models_page

PATH = ROOT / "reproductions" / "records" / "models.toml"
FAMILY = {
    "name": "Sums",
    "model": [{"class": "M", "source": "A", "score": "q", "runs": "p:m"}],
}


def run(MAP, **changes):
    return {
        "paper": "p",
        "model": "m",
        "dataset": "wikiqa",
        "split": "dev",
        "seed": 1,
        "recipe": "best",
        "vectors": [],
        "settings": {},
        "metrics": {"MAP": MAP},
        **changes,
    }


def test_every_model_is_listed_and_every_record_is_named():
    listed = [
        model for family in load_families(PATH) for model in family["model"]
    ]
    # A language model scores no pairs.
    rankers = set(models.__all__) - {"BidirectionalLanguageModel"}
    names = [model["class"] for model in listed]
    assert sorted(names) == sorted(rankers)
    papers = load_papers()
    for model in listed:
        if "runs" in model:
            paper, name = model["runs"].split(":")
            assert papers[paper].named(name)


def test_a_row_has_the_figures_of_the_records():
    runs = [run(0.5), run(0.75, dataset="trecqa-raw"), run(0.9, paper="q")]
    cost = {
        "paper": "p",
        "model": "m",
        "microseconds_per_pair": 2.0,
        "microseconds_per_encoded_pair": 0.5,
        "parameters": 90_300,
    }
    page = models_page([FAMILY], group_runs(runs), [cost])
    row = "| `M` | A | $q$ | 90.3K | 2.0 (0.5) | 0.500 |  | 0.750 |"
    assert row in page
    assert "| `M` | A | $q$ |  |  |  |  |  |" in models_page([FAMILY], [], [])


def test_an_unknown_field_is_refused(tmp_path):
    path = tmp_path / "models.toml"
    path.write_text(
        '[[family]]\nname = "x"\n[[family.model]]\nclass = "M"\nsize = 3\n'
    )
    with pytest.raises(RecordError, match=r"models\.toml: expected the fields"):
        load_families(path)
