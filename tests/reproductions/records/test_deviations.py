import ast
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

from reproductions.harness.command import parse_arguments
from reproductions.records.deviations import load_deviations
from reproductions.records.json_lines import RecordError
from reproductions.records.paper_figures import load_papers
from support.report_pages import write_paper

ROOT = Path(__file__).parents[3]
DEVIATIONS = load_deviations()
ARGUMENTS = sorted({(d.paper, a) for d in DEVIATIONS for a in d.arguments})
TESTS = sorted({test for d in DEVIATIONS for test in d.tests})


def parameters(owner):
    """All that a function, or a class with its bases, can be given."""
    owners = owner.__mro__ if inspect.isclass(owner) else (owner,)
    functions = [getattr(o, "__init__", o) for o in owners if o is not object]
    if not inspect.isclass(owner):
        functions = [owner]
    return {
        name
        for function in functions
        for name in inspect.signature(function).parameters
    }


@pytest.mark.parametrize(("paper", "argument"), ARGUMENTS)
def test_arguments_exist(paper, argument):
    folder = "hyperqa" if paper == "common" else paper
    experiment = importlib.import_module(
        f"reproductions.{folder}.experiment"
    ).EXPERIMENT
    if match := re.fullmatch(r"--set (\w+)", argument):
        assert hasattr(experiment.settings(), match[1])
    elif match := re.fullmatch(r"--([\w-]+)", argument):
        options = parse_arguments(experiment, [])
        assert hasattr(options, match[1].replace("-", "_"))
    else:
        match = re.fullmatch(r"([\w.]+)\((\w+)\)", argument)
        name, parameter = match.groups()
        assert parameter in parameters(pkgutil.resolve_name(name))


@pytest.mark.parametrize("test", TESTS)
def test_tests_exist(test):
    path, name = test.split("::")
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    functions = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
    assert name.startswith("test_")
    assert name in functions


def test_every_entry_says_what_it_must():
    papers = {"common", *load_papers()}
    for deviation in DEVIATIONS:
        assert deviation.paper in papers
        assert deviation.where
        assert deviation.printed
        assert deviation.default
        assert deviation.tests
    places = [(d.paper, d.where) for d in DEVIATIONS]
    assert len(set(places)) == len(places)


def test_every_deviation_from_hyperqa_is_there():
    found = " ".join(d.where for d in DEVIATIONS if d.paper == "hyperqa")
    for place in ("1", "2", "4", "5", "6", "7", "8-9"):
        assert f"Eq. {place}" in found
    for place in ("3.3", "3.6.1", "4.3.3", "4.4.3", "4.5", "Table 1"):
        assert place in found


def test_every_deviation_from_ctrn_is_there():
    found = " ".join(d.where for d in DEVIATIONS if d.paper == "ctrn")
    for place in ("Eq. 1", "Eq. 2", "Eq. 3", "CTRN-Q", "CTRN-A", "t*"):
        assert place in found
    for place in ("Mean Pooling", "Table 2", "TrecQA", "the settings"):
        assert place in found


def test_every_deviation_from_qa_lstm_is_there():
    found = " ".join(d.where for d in DEVIATIONS if d.paper == "qa_lstm")
    for place in ("Eq. 7", "Eq. 8", "Eq. 10", "Eq. 11-13", "3.1, pooling"):
        assert place in found
    for place in ("4.1", "4.2", "Table 3", "Figure 5", "5.1", "5.2"):
        assert place in found


def test_every_deviation_from_iam_is_there():
    found = " ".join(d.where for d in DEVIATIONS if d.paper == "iam")
    for place in ("Eq. 3", "Eq. 4-8", "Eq. 8", "M", "Eq. 9-11", "Eq. 12"):
        assert place in found
    for place in ("Eq. 13", "2.6", "<UNK>", "<EOS>", "Yahoo!", "word vectors"):
        assert place in found


def test_every_deviation_from_mrnn_is_there():
    found = " ".join(d.where for d in DEVIATIONS if d.paper == "mrnn")
    for place in ("CONV", "BN", "PReLU", "POOLS", "FC", "Eq. 5", "Eq. 7"):
        assert place in found
    for place in ("Eq. 9, 12", "Eq. 10", "Eq. 13", "mining", "negatives"):
        assert place in found
    for place in ("4.3.1", "4.3.2", "Table 2", "Table 3", "Figure 5"):
        assert place in found
    for place in ("SQuAD", "QUASAR-T", "TrecQA", "recall@k"):
        assert place in found


def test_entries_belong_to_their_folder(tmp_path):
    write_paper(tmp_path)
    entry = (
        '[[deviations]]\nwhere = "w"\nprinted = "p"\ndefault = "r"\n'
        'arguments = []\ntests = ["t"]\n'
    )
    (tmp_path / "p/deviations.toml").write_text(entry)
    (tmp_path / "records").mkdir()
    (tmp_path / "records/common_deviations.toml").write_text(entry)
    assert [d.paper for d in load_deviations(tmp_path)] == ["common", "p"]


def test_malformed_deviations_are_named(tmp_path):
    write_paper(tmp_path)
    path = tmp_path / "p/deviations.toml"
    path.write_text("[[deviations]\n")
    with pytest.raises(RecordError, match=r"deviations\.toml: expected TOML"):
        load_deviations(tmp_path)
    path.write_text('[[deviations]]\nwhere = "p"\nwhy = "w"\n')
    with pytest.raises(
        RecordError,
        match=r"p/deviations\.toml: .*`deviations\[0\]`.*Received: no printed",
    ):
        load_deviations(tmp_path)
