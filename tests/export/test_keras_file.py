"""`.keras` files from anywhere: the kit's load, all others are refused."""

import io
import json
import resource
import zipfile
from pathlib import Path

import h5py
import keras
import numpy as np
import pytest

from keras_qa.errors import ModelFileError
from keras_qa.export.keras_file import export_keras
from keras_qa.export.keras_file import load_model
from keras_qa.export.keras_file import stored_word_vectors
from keras_qa.initializers import ScaledIdentity
from keras_qa.optimizers.constraints import PoincareBall
from support import all_models
from support.new_process import run_code


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.keras"
    export_keras(all_models.build("CosineQA"), path)
    return path


def members_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def changed(saved, tmp_path):
    """Writes the file with other members, or another configuration."""

    def write(change=None, **members):
        found = members_of(saved)
        if change is not None:
            config = json.loads(found["config.json"])
            change(config)
            found["config.json"] = json.dumps(config).encode()
        found |= members
        path = tmp_path / "model.keras"
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in found.items():
                archive.writestr(name, data)
        return path

    return write


@pytest.mark.parametrize("name", sorted(all_models.MODELS))
def test_the_models_of_the_kit_load(name, tmp_path):
    model = all_models.build(name)
    export_keras(model, tmp_path / "model.keras")
    loaded = load_model(tmp_path / "model.keras")
    assert type(loaded) is type(model)
    for ours, theirs in zip(loaded.weights, model.weights, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def refused(path, message):
    with pytest.raises(ModelFileError, match=message) as error:
        load_model(path)
    assert str(error.value).startswith(f"{path}: expected ")
    assert len(str(error.value)) < 1000


@pytest.mark.slow
def test_starts_and_constraints_of_the_kit_load_in_a_new_process(tmp_path):
    """Nothing but `load_model` is imported there."""
    models = {
        "MRNN": {"position_initializer": ScaledIdentity(0.1)},
        "HyperQA": {"kernel_constraint": PoincareBall()},
    }
    paths = [str(tmp_path / f"{name}.keras") for name in models]
    for path, (name, settings) in zip(paths, models.items(), strict=True):
        export_keras(all_models.build(name, **settings), path)
    program = (
        "import sys; from keras_qa.export.keras_file import load_model\n"
        "for path in sys.argv[1:]: print(type(load_model(path)).__name__)"
    )
    assert run_code(program, *paths).split() == list(models)


def test_no_model(tmp_path, saved):
    path = tmp_path / "model.keras"
    refused(path, "can load. Received: FileNotFoundError")
    for content in (b"", b"no archive", saved.read_bytes()[:-100]):
        path.write_bytes(content)
        refused(path, "can load. Received: BadZipFile")


def test_code_is_refused(changed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    layer = keras.layers.Lambda(lambda x: (Path("pwned").touch(), x)[1])
    model = keras.Sequential([keras.Input((2,)), layer])
    path = tmp_path / "lambda.keras"
    model.save(path)
    (tmp_path / "pwned").unlink()
    refused(path, "a model without code in it. Received: Lambda")

    def hide(config):
        config["config"]["__lambda__"] = {"class_name": "__lambda__"}

    refused(changed(hide), "without code in it. Received: __lambda__")
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    ("module", "registered", "class_name"),
    [
        ("os", None, "system"),
        ("subprocess", "Popen", "Popen"),
        ("keras_hub.models", None, "Backbone"),
        ("kerasqa", None, "HyperQA"),
        ("os", "keras_qa>system", "system"),
        (None, "mine>HyperQA", "HyperQA"),
        (7, None, "HyperQA"),
    ],
)
def test_classes_of_other_packages(changed, module, registered, class_name):
    def change(config):
        config["module"] = module
        config["registered_name"] = registered
        config["class_name"] = class_name

    refused(changed(change), "expected classes of keras, keras_qa, builtins")


@keras.saving.register_keras_serializable(package="of_the_tests")
class Mine(keras.layers.Layer):
    pass


def test_packages_can_be_added(tmp_path):
    model = keras.Sequential([keras.Input((2,)), Mine()])
    path = tmp_path / "mine.keras"
    model.add(keras.layers.Dense(3))
    model.save(path)
    refused(path, "registered by keras_qa. Received: .*of_the_tests>Mine")
    loaded = load_model(path, ["of_the_tests"])
    assert isinstance(loaded.layers[0], Mine)


def test_functions_that_are_no_layers(changed):
    def change(config):
        config["module"] = "keras.utils"
        config["class_name"] = "get_file"
        config["registered_name"] = None

    refused(changed(change), "can load. Received: ")


@pytest.mark.parametrize("size", [10**12, 1e300, float("nan"), -(10**9)])
def test_sizes_beyond_the_file(changed, size):
    def change(config):
        config["config"]["vocabulary_size"] = size

    refused(changed(change), r"sizes up to \d+ in config\.json")


def test_more_weights_than_the_file_has(changed):
    def change(config):
        config["config"]["vocabulary_size"] = 60_000
        config["config"]["embedding_dim"] = 60_000

    refused(changed(change), r"at most \d+ weights, as .* 3\d{9}")
    # Nor are they made later: the end of any scope fills what waits for it.
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with keras.StatelessScope():
        pass
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 1_000_000  # kilobytes, of 14 GB


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/evil", "assets/x", "model.weights.npz"]
)
def test_other_members_are_refused_and_not_unpacked(changed, tmp_path, name):
    path = changed(**{name: b"x"})
    before = sorted(tmp_path.parent.rglob("*"))
    refused(path, "expected the members config.json, metadata.json, model")
    assert sorted(tmp_path.parent.rglob("*")) == before


def test_symbolic_links_are_no_configuration(saved, tmp_path):
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members_of(saved).items():
            link = zipfile.ZipInfo(name)
            if name == "config.json":
                link.external_attr = 0o120777 << 16
                data = b"/etc/passwd"
            archive.writestr(link, data)
    refused(path, "can load. Received: JSONDecodeError")


def test_members_that_unpack_to_far_more(saved, tmp_path):
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members_of(saved).items():
            if name == "metadata.json":
                data = bytes(1 << 27)
            archive.writestr(name, data)
    refused(path, r"metadata\.json of at most 67108864 bytes.* 134217728")


def weights(change, data):
    file = io.BytesIO(data)
    with h5py.File(file, "r+") as opened:
        names = []
        opened.visititems(
            lambda name, item: (
                names.append(name) if isinstance(item, h5py.Dataset) else None
            )
        )
        change(opened, next(name for name in names if "vars" in name))
    return file.getvalue()


def external(file, name):
    del file[name]
    file[name] = h5py.ExternalLink("/etc/passwd", "/x")


def outside(file, name):
    shape = file[name].shape
    del file[name]
    size = 4 * int(np.prod(shape))
    file.create_dataset(name, shape, "f4", external=[("/etc/passwd", 0, size)])


def huge(file, name):
    del file[name]
    file.create_dataset(name, (1 << 20, 1 << 20), "f4", chunks=(64, 64))


def without(file, name):
    del file[name]


@pytest.mark.parametrize("change", [external, outside, huge, without])
def test_weights_elsewhere_or_of_another_shape(saved, changed, change):
    data = weights(change, members_of(saved)["model.weights.h5"])
    path = changed(**{"model.weights.h5": data})
    refused(path, "can load. Received: ")
    assert (
        stored_word_vectors(path, len(word_vectors(load_model(saved)))) is None
    )


def word_vectors(model):
    (rows,) = (w.numpy() for w in model.weights if "embedding" in w.path)
    return rows


def test_word_vectors_are_read_without_keras(saved, changed):
    wanted = word_vectors(load_model(saved))
    np.testing.assert_array_equal(
        stored_word_vectors(saved, len(wanted)), wanted
    )
    assert stored_word_vectors(saved, len(wanted) + 1) is None
    path = changed(**{"model.weights.h5": b"none"})
    with pytest.raises(ModelFileError, match="expected the weights"):
        stored_word_vectors(path, len(wanted))
