"""Models of all kinds score in every form as they do in memory."""

import keras
import pytest

from support import all_models
from support import export_checks

pytest.importorskip("tf2onnx", reason="needs the extra onnx")
pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="models are converted with the TensorFlow backend",
)

# A loop; `tests/test_ranker.py` has HyperQA in all forms.
SOME = ("QRNNRanker",)


def _rows(cells):
    return {name: export_checks.row(name, cells[name]) for name in cells}


def _page():
    return export_checks.rows_of(export_checks.PAGE.read_text("utf-8"))


def _code_of_the_page():
    """It runs in a model's folder, and gives equal scores."""
    blocks = export_checks.PAGE.read_text("utf-8").split("```python\n")[1:]
    code = "\n".join(block.split("```")[0] for block in blocks)
    code = code.replace("who wrote emma", "W1 w2, W3?")
    code = code.replace("Jane Austen wrote it.", "w4 w5 w6.")
    return (
        f"os.chdir({SOME[0]!r})\nexpected = np.load('scores.npy')[0]\n{code}\n"
        "close = lambda *x: np.testing.assert_allclose(*x, atol=1e-5)\n"
        "close(onnx_scores[0], expected)\n"
        "close(lite_scores, onnx_scores[:, 0])\n"
        "assert abs(onnx_scores[0] - onnx_scores[1]) > 1e-3\n"
        "assert not any(m.startswith('keras_qa') for m in sys.modules)\n"
    )


@pytest.mark.slow
def test_scores_and_code_in_processes_without_the_library(tmp_path):
    found = export_checks.check(SOME, tmp_path, _code_of_the_page())
    assert _rows(found).items() <= _page().items()


def test_the_page_has_all_models():
    assert list(_page()) == sorted(all_models.MODELS)


@pytest.mark.large
def test_every_model(tmp_path):
    cells = export_checks.check(all_models.MODELS, tmp_path)
    assert _rows(cells) == _page()
