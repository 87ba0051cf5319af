"""Folders for model servers say what the exported models take and give."""

import os

import keras
import numpy as np
import pytest

from keras_qa.errors import ExportError
from keras_qa.export.servers.tf_serving import export_tf_serving
from keras_qa.export.servers.triton import export_triton
from keras_qa.export.servers.triton import triton_config
from keras_qa.models import CosineQA
from keras_qa.ranker import Ranker
from keras_qa.text.reading import TextReading
from keras_qa.text.sides import SIDES
from keras_qa.text.vocabulary import Vocabulary

tf = pytest.importorskip("tensorflow")
text_format = pytest.importorskip("google.protobuf.text_format")

from support import server_protos  # noqa: E402

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(
        keras.backend.backend() != "tensorflow",
        reason="models are converted with the TensorFlow backend",
    ),
]
WORDS = [f"w{i}" for i in range(60)]
READING = TextReading(Vocabulary(WORDS), max_question_length=6)
PAIRS = (["w1 w2", "w3"], ["w4 w5 w6", "w7 w1"])
SERVING = server_protos.messages("serving", server_protos.SERVING)
TRITON = server_protos.messages("triton", server_protos.TRITON)


@pytest.fixture(scope="module")
def model():
    keras.utils.set_random_seed(0)
    return CosineQA(len(READING.vocabulary), 4, 3)


@pytest.fixture(scope="module")
def served(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("serving") / "models"
    Ranker(model, READING).export(folder, "tf_serving", name="faq-1.0")
    return folder


@pytest.fixture(scope="module")
def repository(model, tmp_path_factory):
    pytest.importorskip("tf2onnx")
    folder = tmp_path_factory.mktemp("triton") / "models"
    Ranker(model, READING).export(folder, "triton", name="faq")
    return folder


def parsed(messages, name, path):
    return text_format.Parse(path.read_text(), messages[name]())


def test_tf_serving_finds_the_model_and_how_to_batch(served):
    assert sorted(os.listdir(served)) == [
        "batching.config",
        "faq-1.0",
        "models.config",
    ]
    assert os.listdir(served / "faq-1.0") == ["1"]
    config = parsed(SERVING, "ModelServerConfig", served / "models.config")
    (one,) = config.model_config_list.config
    assert (one.name, one.base_path, one.model_platform) == (
        *("faq-1.0", "/models/faq-1.0"),
        "tensorflow",
    )
    batching = parsed(SERVING, "BatchingParameters", served / "batching.config")
    assert batching.max_batch_size.value == 1024
    assert batching.HasField("batch_timeout_micros")
    assert batching.batch_timeout_micros.value == 0


def test_tf_serving_warms_up_by_requests_that_the_model_takes(model, served):
    version = served / "faq-1.0/1"
    path = version / "assets.extra/tf_serving_warmup_requests"
    records = [r.numpy() for r in tf.data.TFRecordDataset(str(path))]
    score = tf.saved_model.load(version).signatures["serving_default"]
    sizes = []
    for record in records:
        log = SERVING["PredictionLog"].FromString(record)
        # What was parsed is all that the record contains.
        assert log.SerializeToString() == record
        request = log.predict_log.request
        assert request.model_spec.name == "faq-1.0"
        assert request.model_spec.signature_name == "serving_default"
        inputs = {
            entry.key: tf.constant(tf.make_ndarray(entry.value))
            for entry in request.inputs
        }
        assert inputs.keys() == {"question", "answer"}
        texts = inputs["answer"].numpy()
        assert set(b" ".join(texts).decode().split()) <= set(WORDS)
        sizes.append(len(texts))
        assert score(**inputs)["score"].shape == len(texts)
    assert sizes == [1, 20]
    scores = score(**dict(zip(SIDES, map(tf.constant, PAIRS), strict=True)))
    np.testing.assert_allclose(
        scores["score"], Ranker(model, READING).scores(*PAIRS), atol=1e-6
    )


def test_tritons_config_is_that_of_the_graph(model, repository):
    onnxruntime = pytest.importorskip("onnxruntime")
    assert os.listdir(repository) == ["faq"]
    assert sorted(os.listdir(repository / "faq")) == ["1", "config.pbtxt"]
    config = parsed(TRITON, "ModelConfig", repository / "faq/config.pbtxt")
    assert (config.name, config.backend) == ("faq", "onnxruntime")
    assert config.max_batch_size == 1024
    assert config.HasField("dynamic_batching")
    kinds = {"tensor(int32)": "TYPE_INT32", "tensor(float)": "TYPE_FP32"}
    session = onnxruntime.InferenceSession(repository / "faq/1/model.onnx")
    for described, values in (
        (config.input, session.get_inputs()),
        (config.output, session.get_outputs()),
    ):
        assert [d.name for d in described] == [v.name for v in values]
        for one, value in zip(described, values, strict=True):
            assert one.data_type == server_protos.DATA_TYPES[kinds[value.type]]
            batch, *sizes = value.shape
            assert batch == "pairs"
            expected = [n if isinstance(n, int) else -1 for n in sizes]
            assert list(one.dims) == expected
    assert [list(d.dims) for d in config.output] == [[1]]
    np.testing.assert_allclose(
        Ranker.load(repository / "faq/1").scores(*PAIRS),
        Ranker(model, READING).scores(*PAIRS),
        atol=1e-6,
    )


def test_triton_takes_further_inputs_but_no_fixed_batch(tmp_path):
    onnx = pytest.importorskip("onnx")
    helper, kind = onnx.helper, onnx.TensorProto

    def saved(*sizes):
        value = helper.make_tensor_value_info("overlap", kind.FLOAT, sizes)
        graph = helper.make_graph([], "g", [value], [value])
        onnx.save(helper.make_model(graph), tmp_path / "x.onnx")
        return tmp_path / "x.onnx"

    config = TRITON["ModelConfig"]()
    text_format.Parse(triton_config(saved("pairs", 4), "x"), config)
    assert list(config.input[0].dims) == [4]
    assert config.input[0].data_type == server_protos.DATA_TYPES["TYPE_FP32"]
    with pytest.raises(ExportError, match="Received: overlap of size 2"):
        triton_config(saved(2, 4), "x")


@pytest.mark.parametrize(
    ("export", "mark"),
    [
        (export_tf_serving, "models.config"),
        (export_triton, "ranker/config.pbtxt"),
    ],
)
@pytest.mark.parametrize(
    "other", ["other/1", "ranker/2", "notes.txt", "ranker/1/notes.txt"]
)
def test_other_models_versions_and_files_stay(
    model, tmp_path, export, mark, other
):
    models = tmp_path / "models"
    for folder in ("ranker/1", other):
        (models / folder).mkdir(parents=True)
    (models / mark).write_text("")
    with pytest.raises(FileExistsError, match="must have nothing but an older"):
        export(model, READING, models, overwrite=True)
    assert (models / other).exists()


def test_a_name_is_not_that_of_the_servers_file(model, tmp_path):
    with pytest.raises(ExportError, match=r"not end in \.config"):
        export_tf_serving(model, READING, tmp_path / "x", name="models.config")


@pytest.mark.parametrize("export", [export_tf_serving, export_triton])
@pytest.mark.parametrize(
    "name", ["", "a b", "../a", ".a", "-a", "a/b", 'a"', None]
)
def test_names_are_folders(model, tmp_path, export, name):
    with pytest.raises(ExportError, match="`name` must consist of"):
        export(model, READING, tmp_path / "x", name=name)
    assert os.listdir(tmp_path) == []


def test_only_such_folders_are_replaced(model, served, repository):
    for form, folder, name in (
        ("tf_serving", served, "other"),
        ("triton", repository, "faq"),
    ):
        ranker = Ranker(model, READING)
        with pytest.raises(FileExistsError, match="`path` must not exist"):
            ranker.export(folder, form, name=name)
    with pytest.raises(FileExistsError, match=r"folder with models\.config"):
        export_tf_serving(model, READING, repository, overwrite=True)
    with pytest.raises(FileExistsError, match=r"ranker/config\.pbtxt"):
        export_triton(model, READING, repository, overwrite=True)
