"""A site of small rankers, and a browser that all tests share."""

import functools
import os
import threading
from pathlib import Path

import keras
import pytest

from keras_qa import models
from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.registry import open_dataset
from keras_qa.files.locks import locked
from keras_qa.ranker import Ranker
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary
from support.browser import CHROMIUM
from support.browser import DRIVER
from support.browser import MISSING
from support.browser import Page
from support.browser import start_browser

COMMAND = "keras-qa rank RUN --question {question} --candidates {answers}"
OVERLAP, HASHED = "ctrn", "hyperqa"
MODELS = {
    HASHED: (models.HyperQA, {"projection_dim": 5}),
    "mrnn": (models.MRNN, {"filters": 4, "blocks": 2}),
    "iam": (models.IAM, {"units": 4, "layers": 1, "hidden_units": 5}),
    OVERLAP: (
        models.CTRN,
        {
            **{"projection_dim": 5, "units": 4, "hidden_units": 6},
            "overlap_features": 4,
        },
    ),
}


def pytest_collection_modifyitems(items):
    """Says in words why nothing runs where there is no browser."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and not (CHROMIUM and DRIVER):
            item.add_marker(pytest.mark.skip(reason=MISSING))


@pytest.fixture(scope="session")
def questions():
    """The sample questions of the site."""
    return open_dataset("sample").questions("dev")[:40]


@pytest.fixture(scope="session")
def kit_rankers(questions):
    """A function that returns the rankers by their names, made at first use.

    The last questions have unknown words, which one of them tells apart.
    """
    from keras_qa.demo.questions import Shown
    from keras_qa.demo.rankers import load_rankers

    @functools.cache
    def make():
        shown = Shown(questions, "sample", "dev")
        made = {"bm25": load_rankers(["bm25"], shown)[0].ranker}
        corpus = Corpus(questions[:30])
        counts = OverlapFeatures.fit(corpus.tokens)
        for name, (model, sizes) in MODELS.items():
            keras.utils.set_random_seed(2)
            known = corpus.vocabulary.words[2:]
            words = Vocabulary(known, 50 if name == HASHED else 0)
            reading = TextReading(
                words,
                "word-num" if name == OVERLAP else "word",
                max_answer_length=12,
                overlap=counts if name == OVERLAP else None,
            )
            built = model(len(words), 6, **sizes)
            made[name] = Ranker(built, reading)
        return made

    return make


@pytest.fixture(scope="session")
def site(kit_rankers, questions, tmp_path_factory):
    """The folder of the site, with one ranker that is not on the page."""
    from keras_qa.demo.questions import Shown
    from keras_qa.demo.rankers import Figure
    from keras_qa.demo.rankers import ShownRanker
    from keras_qa.demo.site import write_site
    from keras_qa.export.onnx import export_onnx

    folder = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        # All workers use what one of them has written.
        folder = folder.parent
    folder = folder / "demo-site"
    with locked(folder.with_suffix(".lock")):
        if not folder.exists():
            figure = Figure("sample", "dev", "MAP", 0.75, 0.7, 0.8, 40)
            rankers = dict(kit_rankers())
            other = rankers.pop(OVERLAP)
            shown = [
                ShownRanker(name, name.upper(), ranker, figure, COMMAND)
                for name, ranker in rankers.items()
            ]
            write_site(folder, shown, Shown(questions, "sample", "dev"))
            at = folder / "rankers" / OVERLAP
            export_onnx(other.model, other.reading, at)
    return folder


@pytest.fixture(scope="session")
def address(site):
    """The address of the site."""
    from keras_qa.demo.server import make_server

    with make_server(site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def browser_folder(tmp_path_factory):
    """Where the browser keeps its files."""
    return tmp_path_factory.mktemp("browser")


@pytest.fixture(scope="session")
def browser(browser_folder):
    """A headless Chromium."""
    pytest.importorskip("selenium")
    driver = start_browser(browser_folder)
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def page(browser, address):
    """The page of the site."""
    return Page(browser, address).open()
