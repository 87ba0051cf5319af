"""Imports point one way, and what need not be imported is not."""

import ast
from pathlib import Path

import pytest

import keras_qa
from support.new_process import run_code

ROOT = Path(__file__).parents[1]
# None may import one that stands behind it.
ORDER = (
    *("errors", "version", "quiet", "telemetry", "progress", "arguments"),
    "precision",
    "devices",
    *(
        "vectors",
        "hyperbolic_ops",
        "geometry",
        "hyperboloid",
        "initializers",
        "losses",
        "metrics",
        "files",
        "hosts",
        "optimizers",
        "text",
        "batches",
    ),
    *("datasets", "embeddings", "attention", "layers", "ranking", "models"),
    *("export", "training", "ranker", "stacker", "search", "own_data"),
    *("serving", "demo", "cli"),
)
# Only what writes or reads TensorFlow's own forms may import it.
TENSORFLOW = ("keras_qa.export",)


def parts(path):
    """The names of a module: `("keras_qa", "text", "tokenizer")`."""
    return path.relative_to(ROOT).with_suffix("").parts


def imports(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{a.name}" for a in node.names)


def sources(package):
    return sorted((ROOT / package).rglob("*.py"))


def test_the_library_imports_in_order():
    for path in sources("keras_qa"):
        folder = parts(path)[1]
        if folder == "__init__":
            continue
        for name in imports(path):
            package, _, inner = name.partition(".")
            assert package not in ("reproductions", "embeddings"), path
            if package == "keras_qa" and inner:
                imported = inner.split(".")[0]
                assert ORDER.index(imported) <= ORDER.index(folder), path


def test_no_paper_imports_from_the_harness_upwards():
    papers = {
        path.parent.name
        for path in (ROOT / "reproductions").glob("*/experiment.py")
    }
    papers -= {"harness"}
    order = ("records", "harness", "report")
    for folder in order:
        above = {*papers, *order[order.index(folder) + 1 :]}
        for path in sources(f"reproductions/{folder}"):
            for name in imports(path):
                module = name.split(".")
                if module[0] == "reproductions" and len(module) > 1:
                    assert module[1] not in above, path


def test_no_circles():
    modules = {
        ".".join(parts(path)).removesuffix(".__init__"): path
        for package in ("keras_qa", "embeddings", "reproductions")
        for path in sources(package)
    }
    # A package's face hands names on; what it imports is found by itself.
    seen, done = [], set()

    def visit(name):
        assert name not in seen, f"{seen[seen.index(name) :]}"
        if name in done or modules[name].name == "__init__.py":
            return
        seen.append(name)
        for imported in imports(modules[name]):
            if imported in modules:
                visit(imported)
        seen.pop()
        done.add(name)

    for name in modules:
        visit(name)


def test_only_export_imports_tensorflow():
    for package in ("keras_qa", "embeddings", "reproductions"):
        for path in sources(package):
            if "tensorflow" in {name.split(".")[0] for name in imports(path)}:
                assert ".".join(parts(path)).startswith(TENSORFLOW), path


@pytest.mark.parametrize("folder", ["keras_qa", "reproductions"])
def test_a_folder_can_be_overlooked(folder):
    """No folder but that of the layers has more than some fifteen modules."""
    for parent in {path.parent for path in sources(folder)}:
        modules = [p for p in parent.glob("*.py") if p.name != "__init__.py"]
        assert len(modules) <= 16 or parent.name == "layers", parent


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_the_library_works_without_tensorflow(backend):
    pytest.importorskip(backend)
    code = (
        "import sys\n"
        "sys.modules['tensorflow'] = None\n"
        "import keras_qa, keras_qa.datasets, keras_qa.embeddings\n"
        "for name in keras_qa.__all__: getattr(keras_qa, name)\n"
        "import keras; print(keras.backend.backend())"
    )
    assert run_code(code, KERAS_BACKEND=backend) == backend


def test_what_starts_a_backend_is_imported_at_first_use():
    # The test above uses all names.
    code = (
        "import keras_qa, keras_qa.datasets, keras_qa.embeddings\n"
        "import keras_qa.attention.weights, keras_qa.ranking.floors\n"
        "import keras_qa.ranking.sequential_dependence\n"
        "import keras_qa.cli.main, keras_qa.cli.attention\n"
        "assert set(keras_qa.__all__) <= set(dir(keras_qa))\n"
        "keras_qa.Vocabulary, keras_qa.open_dataset\n"
    )
    heavy = ("keras", "keras_hub", "tensorflow", "jax")
    others = ("bm25s", "faiss", "matplotlib")
    assert run_code(code, without=(*heavy, *others)) == ""


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'model'"):
        keras_qa.model  # noqa: B018
