"""No file is unpickled, executed or unpacked, and models load in one place."""

import ast
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from keras_qa.datasets.collections.semeval import read_semeval
from keras_qa.datasets.collections.squad import read_squad
from keras_qa.datasets.mined import read_candidates
from keras_qa.datasets.tabular import read_tabular
from keras_qa.errors import DatasetError

ROOT = Path(__file__).parents[1]
SOURCES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("benchmarks", "embeddings", "keras_qa", "reproductions")
    for path in (ROOT / folder).rglob("*.py")
)
UNSAFE = {
    *("eval", "exec", "pickle.load", "pickle.loads", "pickle.Unpickler"),
    *("tarfile.open", "tarfile.TarFile", "shutil.unpack_archive"),
    *("extract", "extractall", "keras.models.load_model"),
    *("keras.saving.load_model", "yaml.load", "torch.load", "joblib.load"),
}
# It checks the file before.
ALLOWED = {("keras_qa/export/keras_file.py", "keras.saving.load_model")}


@pytest.mark.parametrize("source", SOURCES)
def test_no_call_runs_or_unpacks_a_file(source):
    tree = ast.parse((ROOT / source).read_text("utf-8"))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if (source, name) not in ALLOWED:
            assert not UNSAFE & {name, name.rpartition(".")[2]}, node.lineno
        for keyword in node.keywords:
            if keyword.arg == "allow_pickle":
                assert ast.unparse(keyword.value) == "False", node.lineno


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2"])
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("a.csv", read_tabular),
        ("a.jsonl", read_tabular),
        ("a.tsv", read_candidates),
        ("a.json", read_squad),
        ("a.xml", read_semeval),
    ],
)
def test_tar_files_are_refused_and_not_unpacked(tmp_path, name, read, mode):
    folder = tmp_path / "data"
    folder.mkdir()
    suffix = f".{mode[2:]}" if mode[2:] else ""
    path = folder / f"{name}{suffix}"
    with tarfile.open(path, mode) as archive:
        for member in ("../evil", str(tmp_path / "evil"), "plain"):
            info = tarfile.TarInfo(member)
            info.size = 4
            archive.addfile(info, BytesIO(b"evil"))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "../../evil"
        archive.addfile(link)
    with pytest.raises(DatasetError, match="Received: "):
        list(read(path))
    assert sorted(tmp_path.rglob("*")) == [folder, path]
