"""Programs and commands of the README and the documents do what they say.

Python is run, page by page, and so are the commands of the guide; of other
commands the program, its subcommand and its options must be there.
"""

import csv
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from gensim.models import FastText
from gensim.models.fasttext import save_facebook_model

from devtools import notebook
from keras_qa.cli import main as cli
from keras_qa.own_data import settings as own_settings
from support import bert_reference
from support import elmo_reference
from support.own_data import TINY
from support.own_data import write_table

ROOT = Path(__file__).parents[2]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text("utf-8")
    for path in (
        ROOT / "README.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "reproductions").rglob("*.md"),
    )
} | {
    str(path.relative_to(ROOT)): notebook.markdown(notebook.read(path))
    for path in (ROOT / "docs").glob("*.ipynb")
}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(
    r"(python -m|keras-qa) ([\w.]+(?:(?:(?<=data)|(?<=\.study)) \w+)?)(.*?)"
    r"(?: [|#]|$)",
    re.MULTILINE,
)
# Pages whose Python other tests run, because it needs what they make.
RUN_ELSEWHERE = {
    "docs/exports.md": "tests/support/export_checks.py",
    "docs/new-model.md": "tests/docs/test_docstring_examples.py",
}
# Pages whose commands are run among their programs.
WITH_COMMANDS = ("docs/guide.md",)
# Pages whose programs take more than ten seconds.
LONG = ("docs/guide.ipynb", "docs/own-data.md", "docs/quickstart.ipynb")
SHELL = ("", "console", "sh", "bash")
# What must hold after the programs of a page.
THEN = {
    "docs/guide.md": """
from pathlib import Path
assert Path("figures/run.trec").is_file()
assert len(Path("mined.csv").read_text().splitlines()) == 1 + 10 * len(faq)
assert len(Path("hard.csv").read_text().splitlines()) == 1 + 10 * len(faq)
assert set(best) == {"index", "relevance_score"}
assert asked["documents"][best["index"]] == "Jane Austen wrote it."
""",
    "docs/guide.ipynb": """
assert run.ranker.engine == ranker.engine == "onnxruntime"
assert {"val_map", "val_ndcg@3", "val_recall@1"} <= history.keys()
from pathlib import Path
assert Path("saved_model/saved_model.pb").is_file()
""",
    "docs/quickstart.ipynb": """
assert ranker.engine == "onnxruntime"
assert 0.5 < mean < 1
""",
    "README.md": """
from pathlib import Path
assert len(vectors) == 3
assert Path("ranker/model.keras").is_file()
assert Path("saved_model/saved_model.pb").is_file()
""",
    "docs/layers-in-your-model.md": """
import numpy as np
ids = np.random.default_rng(0).integers(1, 10_000, (2, 32, 4))
labels = np.arange(32) % 2
model.optimizer.learning_rate = 0.05  # A few steps do.
fitted = model.fit([*ids], labels, epochs=5, verbose=0)
assert fitted.history["loss"][-1] < 0.2
""",
    "docs/own-data.md": """
from pathlib import Path
from pathlib import Path
assert Path("onnx_faq/model.onnx").is_file()
assert "best floor" in run.table
assert {"val_map", "val_recall@5", "val_ndcg@10"} <= history.keys()
assert Path("best.weights.h5").is_file()
""",
    "docs/transfer.md": """
assert trainer.history.history["loss"]
""",
    "docs/vector-databases.md": """
import pytest
from pathlib import Path
from keras_qa.search.build import build_index
from keras_qa.search.index import AnswerIndex
Path("answers.txt").write_text("\\n".join(answers), "utf-8")
build_index(ranker, Path("answers.txt"), Path("index"), show_progress=False)
index = AnswerIndex(Path("index"))
found, scores = index.search(index.encode(question), 10)
# Some answers differ in unknown words only, so that their scores are equal.
for texts in (lance_best, qdrant_best, [text for text, _ in best]):
    assert len(set(texts)) == 10
    found = ranker.scores(question, texts)
    assert found.tolist() == pytest.approx(scores.tolist(), rel=1e-5)
""",
    # Of the BERT four layers of 6 numbers, of the ELMo one of 8.
    "docs/word-vectors.md": """
assert contextual.shape == (2, 4, 4 * 6 + 8 + 6)
assert vectors.index_to_key == ["who", "wrote", "emma"]
""",
}
# Packages of pages that are no dependencies.
PACKAGES = {"docs/vector-databases.md": ("faiss", "lancedb", "qdrant_client")}
# Words of a page whose program would take long, and those that are run.
FEWER = {
    "docs/guide.ipynb": {
        'bundled.questions("train")': 'bundled.questions("train")[:75]',
        'bundled.questions("test")': 'bundled.questions("test")[:30]',
        "epochs=12": "epochs=4",
    },
}
ROWS = [
    ("who wrote emma", "jane austen wrote it", 1),
    ("who wrote emma", "it was written in 1815", 0),
    ("who wrote emma", "emma is a novel", 0),
    ("what is the capital of france", "it is paris", 1),
    ("what is the capital of france", "france is in europe", 0),
    ("what is the capital of france", "it is a country", 0),
]


def blocks(page, *languages):
    found = BLOCK.findall(PAGES[page])
    return [code for language, code in found if language in languages]


def commands():
    """The commands of all pages: program to the options that it is given."""
    found = {}
    for page in PAGES:
        text = "\n".join(blocks(page, *SHELL))
        for kind, name, rest in COMMAND.findall(text.replace("\\\n", " ")):
            module = "keras_qa.cli.main " if kind == "keras-qa" else ""
            program = f"-m {module}{name}"
            options = re.findall(r" (--[\w-]+)", rest)
            found.setdefault(program, set()).update(options)
    return found


COMMANDS = commands()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Pairs, a run and encoders of words, where programs look for them."""
    for name in ("train", "dev"):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("question", "answer", "label"), *ROWS])
    write_table(tmp_path / "faq.csv", range(30), labels=False)
    # The defaults train for a minute, and read MiniLM where it is installed.
    monkeypatch.setitem(own_settings.RECIPES, "default", TINY)
    monkeypatch.setattr("keras_qa.own_data.vectors.find_spec", lambda n: None)
    bert_reference.write_bert(tmp_path / "bert", bert_reference.make_weights())
    elmo_reference.write_elmo(tmp_path / "elmo", elmo_reference.make_weights())
    model = FastText([["wrote"]], vector_size=6, min_count=1, bucket=9)
    save_facebook_model(model, str(tmp_path / "wiki.en.bin"))
    run = ROOT / "tests/data/before_move/run_hyperqa"
    shutil.copytree(run, tmp_path / "runs/sample/hyperqa")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KERAS_QA_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def shell(folder):
    """Runs the commands of a block; its servers end with the test.

    `keras-qa` runs in this process, so that it need not import TensorFlow
    anew.
    """
    servers = []

    def run(block):
        for line in block.replace("\\\n", " ").splitlines():
            program, *words = shlex.split(line, comments=True) or [""]
            if words[-1:] == ["&"]:
                module = [sys.executable, "-m", "keras_qa.cli"]
                paths = {**os.environ, "PYTHONPATH": str(ROOT)}
                servers.append(
                    subprocess.Popen([*module, *words[:-1]], env=paths)
                )
            elif program == "keras-qa":
                assert cli.main(words) == 0, line
            elif program:
                subprocess.run(["bash", "-c", line], check=True)

    yield run
    for server in servers:
        server.terminate()
        server.wait(60)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::keras_qa.errors.TextWarning")
@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_commands_run_as_printed(page, shell):
    for name in ("faiss", "onnxruntime", "starlette", "tf2onnx", "uvicorn"):
        pytest.importorskip(name)
    if shutil.which("curl") is None:
        pytest.skip("needs curl")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    names = {}
    for language, code in BLOCK.findall(PAGES[page].replace("8000", port)):
        if language == "python":
            exec(code, names)
        elif language in SHELL:
            shell(code)
    exec(THEN[page], names)


@pytest.mark.filterwarnings("ignore::keras_qa.errors.TextWarning")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(p, marks=pytest.mark.slow) if p in LONG else p
        for p in sorted(PAGES.keys() - {*RUN_ELSEWHERE, *WITH_COMMANDS})
        if blocks(p, "python")
    ],
)
def test_programs_run_as_printed(page, folder):
    for name in ("keras_hub", "safetensors", *PACKAGES.get(page, ())):
        pytest.importorskip(name)
    code = "\n".join([*blocks(page, "python"), THEN[page]])
    for whole, part in FEWER.get(page, {}).items():
        assert code.count(whole) == 1
        code = code.replace(whole, part)
    exec(code, {})


@pytest.mark.parametrize("page", RUN_ELSEWHERE)
def test_programs_that_others_run_are_there(page):
    assert blocks(page, "python")
    assert Path(page).name in (ROOT / RUN_ELSEWHERE[page]).read_text("utf-8")


@pytest.mark.parametrize("program", sorted(COMMANDS))
def test_commands_have_their_options(program):
    done = subprocess.run(
        [sys.executable, *program.split(), "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    known = set(re.findall(r"--[\w-]+", done.stdout))
    assert COMMANDS[program] <= known
