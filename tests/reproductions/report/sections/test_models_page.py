"""The page of all models: complete, and with the records' figures."""

import itertools
from functools import partial
from types import SimpleNamespace

import pytest

from keras_qa import models
from reproductions.records.json_lines import RecordError
from reproductions.records.paper_figures import load_papers
from reproductions.records.seed_groups import group_runs
from reproductions.report.pages import ROOT
from reproductions.report.sections.models_page import load_families
from reproductions.report.sections.models_page import models_page
from reproductions.report.sections.models_page import systems_of
from reproductions.systems.classes import CLASSES
from support import report_pages

PATH = ROOT / "reproductions" / "records" / "models.toml"
FAMILY = {
    "name": "Sums",
    "model": [{"class": "M", "source": "A", "score": "q", "runs": ["p:m"]}],
}
run = partial(
    report_pages.run, 1, paper="p", model="m", recipe="best", vectors=[]
)


def test_every_model_is_listed_and_every_record_is_named():
    listed = [
        model for family in load_families(PATH) for model in family["model"]
    ]
    # A language model scores no pairs; what scores texts is no Keras model.
    rankers = {*models.__all__, "ParagraphVectors", "Stacker", "HashedTfIdf"}
    rankers -= {"BidirectionalLanguageModel"}
    names = [model["class"] for model in listed]
    assert sorted(names) == sorted(rankers)
    papers = load_papers()
    of_class = {model["class"]: systems_of(model) for model in listed}
    for paper, name in itertools.chain(*of_class.values()):
        assert name in papers[paper].models
    # A class that is several systems has all of them.
    for name, (class_name, _) in CLASSES.items():
        assert ("systems", name) in of_class[class_name]


def test_a_row_has_the_figures_of_the_records():
    runs = [run(0.5), run(0.75, dataset="trecqa-raw"), run(0.9, paper="q")]
    cost = {
        "paper": "p",
        "model": "m",
        "dataset": "wikiqa",
        "recipe": "best",
        "microseconds_per_pair": 2.0,
        "microseconds_per_encoded_pair": 0.5,
    }
    page = models_page([FAMILY], group_runs(runs), [cost], {})
    row = "| `M` | A | $q$ | 90.302K | 2.0 (0.5) | 0.500 |  | 0.750 |  |"
    assert row in page
    empty = models_page([FAMILY], [], [], {})
    assert "| `M` | A | $q$ |  |  |  |  |  |  |" in empty


def test_a_row_has_the_same_vectors_in_all_columns():
    """Others may be higher on one data set."""
    floor = {"recipe": "untrained", "vectors": ["a.bin"]}
    runs = [
        run(0.5, **floor),
        run(0.6, **floor, dataset="trecqa-raw"),
        run(0.9, **{**floor, "vectors": ["a.bin", "b.bin"]}),
    ]
    page = models_page([FAMILY], group_runs(runs), [], {})
    assert "| `M` | A | $q$ |  |  | 0.500 |  | 0.600 |  |" in page
    said = "best](best.md) names those of the recipe; without a network, they"
    assert f"{said} are `a`. The" in " ".join(page.split())


def test_each_system_of_a_class_has_a_row_and_sums_have_a_mark():
    (model,) = FAMILY["model"]
    family = {"name": "S", "model": [{**model, "runs": ["p:m", "p:n", "p:o"]}]}
    beside = {"settings": {"joint_weight": 5.0}}
    runs = [
        run(0.5, **beside),
        run(0.6, dataset="semeval"),
        run(0.7, model="n", **beside),
    ]
    papers = {"p": SimpleNamespace(named=str.upper)}
    page = models_page([family], group_runs(runs), [], papers)
    assert "| `M`, M | A | $q$ | 90.302K |  | 0.500 ⊕ |  |  | 0.600 |" in page
    # All of its figures are sums.
    assert "| `M`, N ⊕ |  |  | 90.302K |  | 0.700 |  |  |  |" in page
    assert "| `M`, O |  |  |  |  |  |  |  |  |" in page
    assert page.count("⊕: the score is not the network's alone.") == 1
    assert "⊕" not in models_page([FAMILY], group_runs(runs[1:2]), [], papers)


def test_a_system_that_is_not_named_as_its_class_is_named():
    (model,) = FAMILY["model"]
    family = {"name": "S", "model": [{**model, "class": "MVLSTMRanker"}]}
    for name, row in (
        ("MV-LSTM", "| `MVLSTMRanker` | A |"),
        ("CNN + LR", "| `MVLSTMRanker`, CNN + LR | A |"),
    ):
        papers = {"p": SimpleNamespace(named={"m": name}.get)}
        assert row in models_page([family], [], [], papers)


def test_an_unknown_field_is_refused(tmp_path):
    path = tmp_path / "models.toml"
    path.write_text(
        '[[family]]\nname = "x"\n[[family.model]]\nclass = "M"\nsize = 3\n'
    )
    with pytest.raises(RecordError, match=r"models\.toml: expected the fields"):
        load_families(path)
