"""What `pip install` gives a user: the package keras_qa, and nothing else."""

import csv
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ("setup.cfg", "pyproject.toml", "README.md", "LICENSE")
# A package of the public index with the name of our folder of programs.
OTHER = "embeddings==0.0.8"

pytestmark = pytest.mark.large


def run(*command, **options):
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, **options
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built of a copy: building leaves folders behind."""
    copy = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        shutil.copy(ROOT / name, copy)
    for name in ("keras_qa", "embeddings", "reproductions"):
        shutil.copytree(ROOT / name, copy / name)
    target = tmp_path_factory.mktemp("wheel")
    options = ("--no-deps", "--no-build-isolation", "--wheel-dir", target)
    run(sys.executable, "-m", "pip", "wheel", copy, *options)
    (found,) = target.glob("*.whl")
    return found


def test_the_wheel_holds_keras_qa_alone(wheel):
    names = {
        name
        for name in zipfile.ZipFile(wheel).namelist()
        if "__pycache__" not in name
    }
    folders = {name.split("/")[0] for name in names}
    (information,) = folders - {"keras_qa"}
    assert information.endswith(".dist-info")
    wanted = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "keras_qa").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {
        *("keras_qa/py.typed", "keras_qa/datasets/downloads.json"),
        "keras_qa/datasets/audit/published.json",
        "keras_qa/datasets/sample/WikiQA-train.tsv",
        "keras_qa/datasets/sample/facts/books.tsv",
    } <= wanted
    assert {n for n in names if n.startswith("keras_qa/")} == wanted


def test_it_lives_beside_the_package_embeddings(wheel, tmp_path):
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env/bin/python"
    run(python, "-m", "pip", "install", "--no-deps", wheel, OTHER)
    records = (tmp_path / "env").rglob("*.dist-info/RECORD")
    files = {
        record.parent.name.split("-")[0]: {
            row[0] for row in csv.reader(record.read_text().splitlines())
        }
        for record in records
    }
    ours, theirs = files["keras_qa"], files["embeddings"]
    assert "embeddings/glove.py" in theirs
    assert "keras_qa/embeddings/loaders.py" in ours
    assert not ours & theirs
    # What both depend on is that of this interpreter.
    paths = sysconfig.get_path("purelib")
    shown = run(
        *(python, "-I", "-c"),
        f"import sys; sys.path.append({paths!r})\n"
        "import embeddings, keras_qa\n"
        "from keras_qa import embedding_matrix, open_dataset\n"
        "print(embeddings.GloveEmbedding.__module__)\n"
        "print(embedding_matrix.__module__)\n"
        "print(len(open_dataset('sample').questions('dev')))\n"
        "print(keras_qa.__file__)",
        cwd=tmp_path,
    ).split()
    assert shown[:2] == ["embeddings.glove", "keras_qa.embeddings.matrix"]
    assert int(shown[2]) > 0
    assert shown[3].startswith(str(tmp_path))
