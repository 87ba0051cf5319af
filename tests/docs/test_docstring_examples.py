"""Every example (`>>>`) in the docstrings runs and prints what is printed.

Numbers may differ in the last digits; arrays of any backend print as nested
lists, shapes as tuples. A line without an output may print anything. Training
lasts one epoch here, whatever the example says.
"""

import ast
import builtins
import doctest
import importlib
import math
import re
import sys
from pathlib import Path

import keras
import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("keras_qa", "embeddings", "reproductions")
NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
# Examples that do not run here, and why.
CANNOT_RUN = {
    "keras_qa.devices.use_devices": "needs JAX and two devices; "
    "tests/training/test_devices.py starts processes that have both",
    "keras_qa.training.fitting.fit_best_epoch": "trains as long as a "
    "reproduction; tests/reproductions run it",
    "keras_qa.ranker.Ranker": "needs a trained run; tests/test_ranker.py has "
    "some",
    "keras_qa.own_data.training.train": "trains for a minute; "
    "tests/own_data/test_training.py does with tiny settings",
    "keras_qa.own_data.evaluating.evaluate_ranker": "needs a trained run; "
    "tests/own_data/test_evaluating.py has a ranker",
    "keras_qa.embeddings.bert.vectors.bert_word_vectors": "runs a BERT "
    "for half a minute; tests/embeddings/bert/test_minilm.py does",
    "keras_qa.embeddings.mixtures.multi_resolution.MultiResolution": "needs "
    "a published fastText model; "
    "tests/docs/test_programs.py runs it with small files",
}


def examples():
    """The docstrings with examples by their names, without an import."""
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            text = path.read_text("utf-8")
            if ">>> " not in text:
                continue
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ClassDef | ast.FunctionDef):
                    docstring = ast.get_docstring(node) or ""
                    if ">>> " in docstring:
                        found[f"{module}.{node.name}"] = (module, docstring)
    return found


EXAMPLES = examples()


class Checker(doctest.OutputChecker):
    def check_output(self, want, got, optionflags):
        if not want or super().check_output(want, got, optionflags):
            return True
        return _skeleton(want) == _skeleton(got) and all(
            math.isclose(float(a), float(b), rel_tol=1e-4, abs_tol=1e-6)
            for a, b in zip(
                NUMBER.findall(want), NUMBER.findall(got), strict=True
            )
        )


def _skeleton(text):
    return "".join(NUMBER.sub("0", text).split())


def _plain(value):
    if isinstance(value, list):
        return f"[{', '.join(map(_plain, value))}]"
    if hasattr(value, "as_list"):  # TensorFlow's shapes
        return repr(tuple(value.as_list()))
    if isinstance(value, np.ndarray) or keras.ops.is_tensor(value):
        array = keras.ops.convert_to_numpy(value)
        return np.array2string(array, separator=", ")
    return repr(value)


def _show(value):
    if value is not None:
        print(_plain(value))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    fit = keras.Model.fit

    def fit_briefly(self, *args, **kwargs):
        # To trace and compile would take longer than one epoch.
        self.run_eagerly = True
        return fit(self, *args, **{**kwargs, "epochs": 1, "verbose": 0})

    monkeypatch.setattr(keras.Model, "fit", fit_briefly)
    # What doctest has values printed by.
    monkeypatch.setattr(sys, "__displayhook__", _show)
    monkeypatch.chdir(tmp_path)
    keras.utils.set_random_seed(1)
    return tmp_path


def _used(docstring):
    source = "".join(
        example.source
        for example in doctest.DocTestParser().get_examples(docstring)
    )
    names = {
        node.id
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Name)
    }
    return names - set(dir(builtins))


@pytest.mark.parametrize("name", sorted(EXAMPLES.keys() - CANNOT_RUN.keys()))
def test_an_example_prints_what_it_says(name, folder):
    from support import docstring_names

    if keras.backend.backend() != "tensorflow":
        pytest.skip("examples run once, on TensorFlow")
    module, docstring = EXAMPLES[name]
    used = _used(docstring)
    if {"onnxruntime"} & used:
        pytest.importorskip("onnxruntime")
    docstring_names.write_files(folder)
    if "AnswerIndex" in {name.rpartition(".")[2], *used}:
        pytest.importorskip("faiss")
        docstring_names.write_index(folder)
    prepared = docstring_names.Prepared(module)
    names = {
        **docstring_names.public_names(),
        **vars(importlib.import_module(module)),
        **{n: prepared.get(n) for n in used & docstring_names.PREPARED.keys()},
    }
    test = doctest.DocTestParser().get_doctest(docstring, names, name, name, 0)
    printed = []
    runner = doctest.DocTestRunner(
        Checker(), verbose=False, optionflags=doctest.ELLIPSIS
    )
    runner.run(test, out=printed.append)
    assert not runner.failures, "".join(printed)


def test_what_cannot_run_is_still_there():
    assert CANNOT_RUN.keys() <= EXAMPLES.keys()


def test_the_page_on_new_models_runs(folder):
    text = (ROOT / "docs" / "new-model.md").read_text("utf-8")
    names = {"__name__": "new_model"}
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(code, names)
    scores = names["model"](names["pairs"])
    assert np.isfinite(keras.ops.convert_to_numpy(scores)).all()
