"""`keras-qa demo` writes a site that its page reads, and serves it."""

import json
import threading
import urllib.error
import urllib.request

import keras
import pytest

from keras_qa.cli.main import main
from keras_qa.demo import rankers
from keras_qa.demo import runs as names
from keras_qa.demo import site
from keras_qa.demo.server import make_server
from keras_qa.models import APCNN
from keras_qa.ranker import Ranker
from keras_qa.text.vocabulary import Vocabulary
from support.own_data import write_table
from support.run_folders import write_run

pytest.importorskip("tf2onnx", reason="needs the extra onnx")
pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="models are converted with the TensorFlow backend",
)
VIEW_KEYS = {
    "weights": {"side", "output"},
    "map": {"output", "title"},
    "points": {"question", "answer", "distance"},
}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A small page in place of the package's."""
    folder = tmp_path_factory.mktemp("demo") / "page"
    (folder / "vendor").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>x</title>")
    for name in ("rank.js", "vendor/runtime.mjs", "vendor/runtime.wasm"):
        (folder / name).write_bytes(b"0")
    with pytest.MonkeyPatch.context() as patch:
        for module in (site, names):
            patch.setattr(module, "PAGE", folder)
        yield folder


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "AP-CNN 1"
    keras.utils.set_random_seed(0)
    words = Vocabulary(["what", "is", "thing", "the", "list", "w1", "w2"])
    model = APCNN(len(words), 5, projection_dim=4, units=4)
    return write_run(folder, model, words)


@pytest.fixture(scope="module")
def written(page, run, tmp_path_factory):
    """The site of a run and of BM25, of a table."""
    folder = tmp_path_factory.mktemp("sites")
    table = write_table(folder / "faq.csv", range(6))
    output = folder / "site"
    words = ["demo", str(run), "bm25", "--answers", str(table)]
    assert main([*words, "--output", str(output), "--limit", "3"]) == 0
    return output


def test_the_site_is_what_the_page_reads(written, run, page):
    content = json.loads((written / "site.json").read_text("utf-8"))
    assert set(content) == {
        *("version", "title", "keras_qa", "rankers", "questions")
    }
    assert content["version"] == 1
    first, second = content["rankers"]
    assert (first["id"], first["label"]) == ("ap-cnn-1", "APCNN")
    assert first["dev"] is None
    texts = "--question {question} --candidates {answers}"
    assert first["command"] == f"keras-qa rank '{run}' {texts}"
    assert (second["id"], second["label"]) == ("bm25", "BM25")
    assert second["command"].startswith("keras-qa rank rankers/bm25 ")
    assert second["views"] == []
    figure = second["dev"]
    assert (figure["dataset"], figure["questions"]) == ("faq.csv", 6)
    assert figure["low"] <= figure["value"] <= figure["high"]
    kinds = [view.pop("kind") for view in first["views"]]
    assert kinds == ["weights", "weights", "map"]
    for kind, view in zip(kinds, first["views"], strict=True):
        assert set(view) == VIEW_KEYS[kind]
    assert len(content["questions"]) == 3
    for file in page.rglob("*.*"):
        copied = written / file.relative_to(page)
        assert copied.read_bytes() == file.read_bytes()


def test_the_rankers_of_a_site_rank_as_the_runs_do(written, run):
    pytest.importorskip("onnxruntime")
    question, answers = "what is the list", ["the thing w1", "w2", "unknown"]
    found = Ranker.load(written / "rankers/ap-cnn-1")
    assert found.engine == "onnxruntime"
    assert found.scores(question, answers) == pytest.approx(
        Ranker.load(run).scores(question, answers), abs=1e-5
    )
    bm25 = Ranker.load(written / "rankers/bm25")
    ((best, score), *_) = bm25.rank("n3", ["n2 is", "the thing n3"])
    assert best == 1 and score > 0
    assert all(
        (written / f"rankers/{name}/{side}_tokenizer.json").is_file()
        for name in ("ap-cnn-1", "bm25")
        for side in ("question", "answer")
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bm25", "bm25"], "different rankers"),
        (["/none"], "/none: expected a run's folder"),
        (["bm25", "--group"], "--group goes with --answers. Rec"),
        (["bm25", "--port", "9"], "--port goes with --serve. Received: no"),
        (["bm25", "--answers", "/none.csv"], "/none.csv, which does not exist"),
    ],
)
def test_errors_come_before_anything_is_written(
    tmp_path, capsys, words, message
):
    output = tmp_path / "site"
    assert main(["demo", *words, "--output", str(output)]) == 2
    assert message in capsys.readouterr().err
    assert not output.exists()


def test_a_taken_port_is_found_before_anything_is_written(tmp_path, capsys):
    output = tmp_path / "site"
    with make_server(tmp_path) as server:
        words = ["--serve", "--port", str(server.server_port)]
        assert main(["demo", "bm25", "--output", str(output), *words]) == 2
    message = capsys.readouterr().err
    assert "--port must be a free port" in message
    assert "Address already in use" in message
    assert not output.exists()


def test_a_missing_package_is_named_first(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("keras_qa.export.forms.find_spec", lambda name: None)
    output = tmp_path / "site"
    assert main(["demo", "bm25", "--output", str(output)]) == 2
    assert "tf2onnx, tokenizers: pip" in capsys.readouterr().err
    assert not output.exists()


def test_only_a_site_is_replaced(written, tmp_path, capsys):
    words = ["demo", "bm25", "--output"]
    assert main([*words, str(written)]) == 2
    assert main([*words, str(tmp_path), "--overwrite"]) == 2
    assert capsys.readouterr().err.count("`--output` must not exist") == 2
    assert main([*words, str(written / "index.html" / "site")]) == 2
    assert "--output must be in a folder" in capsys.readouterr().err
    for name in ("index.html", "site.json", "thesis.tex"):
        (tmp_path / name).touch()
    assert main([*words, str(tmp_path), "--overwrite"]) == 2
    assert "this form in it. Received: " in capsys.readouterr().err
    assert len(list(tmp_path.iterdir())) == 3


def test_a_model_that_cannot_be_written(
    page, run, tmp_path, capsys, monkeypatch
):
    def fail(*arguments, **options):
        raise RuntimeError("no such operation")

    monkeypatch.setattr(site, "export_onnx", fail)
    output = tmp_path / "site"
    assert main(["demo", str(run), "--output", str(output)]) == 2
    assert "no such operation" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_command_serves_until_it_is_interrupted(
    page, tmp_path, capsys, monkeypatch
):
    def interrupt(server):
        raise KeyboardInterrupt

    monkeypatch.setattr("keras_qa.demo.rankers.load_rankers", lambda *_: [])
    monkeypatch.setattr(
        "keras_qa.demo.server.ThreadingHTTPServer.serve_forever", interrupt
    )
    words = ["demo", "bm25", "--serve", "--port", "0", "--output"]
    assert main([*words, str(tmp_path / "site")]) == 130
    printed = capsys.readouterr().out
    assert "http://127.0.0.1:" in printed and "until Ctrl-C" in printed
    assert (tmp_path / "site/index.html").is_file()


def test_a_site_is_served_with_the_types_that_browsers_ask_for(written):
    types = {
        "": "text/html; charset=utf-8",
        "rank.js": "text/javascript; charset=utf-8",
        "vendor/runtime.mjs": "text/javascript; charset=utf-8",
        "vendor/runtime.wasm": "application/wasm",
        "site.json": "application/json",
        "rankers/bm25/model.onnx": "application/octet-stream",
    }
    with make_server(written) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        host, port = server.server_address
        assert host == "127.0.0.1"
        for name, kind in types.items():
            with urllib.request.urlopen(f"http://{host}:{port}/{name}") as got:
                assert got.headers["Content-Type"] == kind
                assert got.headers["Cache-Control"] == "no-cache"
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"http://{host}:{port}/../faq.csv")
        server.shutdown()


def test_options_are_handed_on(tmp_path, monkeypatch):
    given = []

    def note(path, rankers, shown, **options):
        given.append((path, shown.questions[0].text, options))

    monkeypatch.setattr(rankers, "load_rankers", lambda *_: [])
    monkeypatch.setattr(site, "write_site", note)
    table = write_table(tmp_path / "faq.csv", range(3))
    table.write_text(table.read_text().replace("question,", "Frage,", 1))
    words = ["demo", "bm25", "--output", str(tmp_path / "site")]
    words += ["--answers", str(table), "--question-column", "Frage"]
    assert main([*words, "--title", "Mine", "--limit", "2"]) == 0
    ((path, text, options),) = given
    assert path == tmp_path / "site"
    assert text == "what is thing number n0 of the list"
    assert options == {"title": "Mine", "limit": 2}
