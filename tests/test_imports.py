"""Dependencies point one way, and only text and export need TensorFlow."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import keras_qa

ROOT = Path(__file__).parents[1]

# What each part may import of the project and of the outside.
ALLOWED = {
    "keras_qa/version.py": set(),
    "keras_qa/files/locks.py": set(),
    "keras_qa/geometry.py": {"keras"},
    "keras_qa/layers/recurrence.py": {"keras"},
    "keras_qa/initializers.py": {"keras"},
    "keras_qa/optimizers/constraints.py": {"keras", "keras_qa.geometry"},
    "keras_qa/optimizers/riemannian.py": {
        "keras",
        "numpy",
        "keras_qa.geometry",
        "keras_qa.optimizers.constraints",
    },
    "keras_qa/losses/pairwise.py": {"keras"},
    "keras_qa/batches/epochs.py": {"keras", "numpy"},
    "keras_qa/batches/pairs.py": {
        "keras",
        "numpy",
        "keras_qa.text.packing",
        "keras_qa.text.ragged",
        "keras_qa.batches.negatives",
        "keras_qa.batches.epochs",
    },
    "keras_qa/training/pairwise.py": {"keras", "keras_qa.batches.pairs"},
    "keras_qa/training/recomputation.py": {"keras"},
    "keras_qa/losses/triplet.py": {"keras"},
    "keras_qa/batches/triplets.py": {
        "keras",
        "numpy",
        "keras_qa.batches.pairs",
        "keras_qa.text.packing",
        "keras_qa.text.ragged",
    },
    "keras_qa/training/triplets.py": {
        "keras",
        "keras_qa.training.recomputation",
        "keras_qa.training.pairwise",
    },
    "keras_qa/text/ngrams.py": {"numpy"},
    "keras_qa/training/language_model.py": {
        "keras",
        "numpy",
        "keras_qa.batches.pairs",
        "keras_qa.text.packing",
        "keras_qa.models.iam.language_model",
    },
    "keras_qa/layers/contrastive_divergence.py": {
        "keras",
        "numpy",
        "keras_qa.batches.epochs",
    },
    "keras_qa/ranking/evaluation.py": {
        "numpy",
        "ir_measures",
        "keras_qa.datasets.dataset",
    },
    "keras_qa/attention/weights.py": {
        "numpy",
        "matplotlib",
        "keras_qa.attention.figure",
        "keras_qa.attention.pair",
        "keras_qa.datasets",
    },
    "keras_qa/attention/pair.py": {"keras", "numpy", "keras_qa.datasets"},
    "keras_qa/attention/figure.py": {
        "matplotlib",
        "keras_qa.files.whole",
        "keras_qa.attention.pair",
    },
    "keras_qa/attention/heatmaps.py": {
        "numpy",
        "matplotlib",
        "keras_qa.attention.figure",
    },
    "keras_qa/attention/maps.py": {
        "numpy",
        "keras_qa.attention.heatmaps",
        "keras_qa.attention.pair",
        "keras_qa.datasets",
    },
    "keras_qa/ranking/floors.py": {"numpy", "bm25s", "keras_qa.datasets"},
    "keras_qa/ranking/mining.py": {
        "numpy",
        "tqdm",
        "keras_qa.ranking.floors",
        "keras_qa.datasets",
    },
    "keras_qa/ranking/first_stage.py": {
        "keras_qa.datasets",
        "keras_qa.ranking.mining",
    },
    "keras_qa/ranking/sequential_dependence.py": {
        "numpy",
        "keras_qa.ranking.floors",
        "keras_qa.datasets",
    },
    "keras_qa/search/": {
        "numpy",
        "tqdm",
        "faiss",
        "tensorflow",
        "keras_qa.files.whole",
        "keras_qa.cli.attention",
        "keras_qa.datasets",
        "keras_qa.layers",
        "keras_qa.files.locks",
        "keras_qa.ranking.mining",
        "keras_qa.models",
        "keras_qa.ranking.scoring",
        "keras_qa.search",
    },
    "keras_qa/layers/": {
        "keras",
        "numpy",
        "keras_qa.layers.contrastive_divergence",
        "keras_qa.geometry",
        "keras_qa.layers.recurrence",
        "keras_qa.layers",
    },
    "keras_qa/models/": {
        "keras",
        "numpy",
        "keras_qa.geometry",
        "keras_qa.layers",
        "keras_qa.models",
    },
    "keras_qa/datasets/": {
        "numpy",
        "pooch",
        "tqdm",
        "keras_qa.files.whole",
        "keras_qa.datasets",
        "keras_qa.files.decompression",
    },
    "embeddings/": {
        "numpy",
        "gensim",
        "tqdm",
        "keras",
        "keras_hub",
        "h5py",
        "embeddings",
        "keras_qa.files.whole",
        "keras_qa.files.decompression",
    },
}


def sources():
    for package in ("keras_qa", "embeddings", "reproductions"):
        yield from sorted((ROOT / package).rglob("*.py"))


def imports(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{a.name}" for a in node.names)


def modules(path):
    """Imported modules outside the standard library."""
    return {
        name
        for name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names
    }


@pytest.mark.parametrize("part", ALLOWED)
def test_imports_point_one_way(part):
    paths = [
        path
        for path in sources()
        if path.relative_to(ROOT).as_posix().startswith(part)
    ]
    assert paths
    for path in paths:
        for name in modules(path):
            parents = {name[:i] for i in range(len(name)) if name[i] == "."}
            assert ({name} | parents) & ALLOWED[part] or any(
                allowed.startswith(f"{name}.") for allowed in ALLOWED[part]
            ), f"{path} imports {name}"


def test_only_networks_import_keras_and_keras_hub_into_vectors():
    users = {
        package: {
            path.name
            for path in (ROOT / "embeddings").rglob("*.py")
            if package in modules(path)
        }
        for package in ("keras", "keras_hub")
    }
    assert users == {
        "keras": {"bert.py", "elmo_network.py"},
        "keras_hub": {"bert.py"},
    }
    code = (
        "import sys, embeddings\n"
        "sys.exit(any(m in sys.modules for m in ('keras', 'keras_hub')))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0
    )


def test_the_library_imports_neither_vectors_nor_scripts():
    for path in (ROOT / "keras_qa").rglob("*.py"):
        tops = {name.split(".")[0] for name in modules(path)}
        assert not tops & {"embeddings", "reproductions"}, path


def test_only_text_and_export_import_tensorflow():
    users = {
        path.relative_to(ROOT).as_posix()
        for path in sources()
        if any(name.split(".")[0] == "tensorflow" for name in imports(path))
    }
    assert users == {
        "keras_qa/export/text_graph.py",
        "keras_qa/export/overlap_graph.py",
        "keras_qa/export/saved_model.py",
        "keras_qa/search/saved_model.py",
        "keras_qa/export/tracing.py",
        "keras_qa/export/tflite.py",
    }


@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_the_package_imports_without_tensorflow(backend):
    pytest.importorskip(backend)
    code = (
        "import sys\n"
        "sys.modules['tensorflow'] = None\n"
        "import keras_qa, keras_qa.models, keras_qa.layers\n"
        "import keras_qa.datasets, keras_qa.optimizers.riemannian, keras_qa.training.pairwise\n"
        "import keras_qa.ranking.evaluation, keras_qa.ranking.scoring, embeddings\n"
        "import keras_qa.ranking.floors, keras_qa.losses.pairwise\n"
        "import keras; print(keras.backend.backend())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "KERAS_BACKEND": backend},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == backend


def test_public_modules_are_attributes_imported_at_first_use():
    code = (
        "import sys, keras_qa\n"
        "assert set(keras_qa.__all__) <= set(dir(keras_qa))\n"
        "keras_qa.datasets.Vocabulary\n"
        "assert not {'keras', 'tensorflow'} & set(sys.modules)\n"
        "for name in keras_qa.__all__: getattr(keras_qa, name)\n"
        "print(keras_qa.models.HyperQA.__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "HyperQA"


def test_every_module_is_an_attribute_or_reached_otherwise():
    names = {
        path.stem if path.is_file() else path.name
        for path in (ROOT / "keras_qa").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    # Helpers, the program, and what `export` uses of TensorFlow.
    others = {"__init__", "atomic", "cli", "attention_command", "mine_command"}
    others |= {"text", "text_overlap", "version"}
    others |= {"locks", "model_files", "unpacking"}
    others |= {"ask_command", "index_command", "rank_command"}
    others |= {"export_command", "export_folder", "ids_function"}
    others |= {"attention_figure", "attention_heatmaps", "attention_pair"}
    assert names - others == set(keras_qa.__all__) - {"__version__"}
    with pytest.raises(AttributeError, match="no attribute 'model'"):
        keras_qa.model  # noqa: B018


def test_reading_data_does_not_import_keras():
    code = (
        "import sys, keras_qa.cli.main, keras_qa.datasets\n"
        "sys.exit(any(m in sys.modules for m in ('keras', 'tensorflow')))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0
    )
