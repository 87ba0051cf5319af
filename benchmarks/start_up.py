"""How long is it from the command line to the first answer?

Each command runs in a new process, from its start to its end, with a HyperQA of
random weights in two forms:

- `onnx`: a folder of `Ranker.save` with its ONNX form, as `keras-qa train`
  leaves it, by onnxruntime; for `ask`, an index with the ONNX form of the
  encoder of questions;
- `tensorflow`: its SavedModel; for `ask`, an index without that form, whose
  encoder Keras runs.

`rank` has one question with two candidates, `ask` searches the bundled answers,
and `evaluate` measures the bundled dev questions. `--help` is what no command
can be faster than. The rounds take the commands in turn; the figures are
medians.

    python -m benchmarks.start_up             # three minutes
    python -m benchmarks.start_up --smoke     # one round
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.options import option_parser
from benchmarks.processes import alone
from benchmarks.results import at_most
from benchmarks.results import conclude
from benchmarks.results import print_bounds

FORMS = ("onnx", "tensorflow")
QUESTION = ("--question", "Who wrote Emma?")
# The words behind the model's or index's folder, by command.
COMMANDS = {
    "rank": ("ranker", *QUESTION, "--candidates", "Jane Austen.", "In 1815."),
    "ask": ("index", *QUESTION, "--top", "3"),
    "evaluate": ("ranker", "questions.csv"),
}
HELP = "--help"


@dataclass(frozen=True)
class Settings:
    """Sizes of the model, and the number of rounds."""

    rounds: int = 5
    embedding_dim: int = 100
    projection_dim: int = 200
    cores: int = 2
    seed: int = 0


def make_forms(settings: Settings, folder: Path) -> None:
    """Writes both forms of a ranker and of an index, and the questions."""
    import keras

    import keras_qa
    from keras_qa.datasets.mined import write_candidates
    from keras_qa.search.build import add_question_encoder
    from keras_qa.search.build import build_index

    keras.utils.set_random_seed(settings.seed)
    bundled = keras_qa.open_dataset("sample")
    train, dev = (list(bundled.questions(s)) for s in ("train", "dev"))
    vocabulary = keras_qa.Corpus(train).vocabulary
    model = keras_qa.HyperQA(
        len(vocabulary), settings.embedding_dim, settings.projection_dim
    )
    ranker = keras_qa.Ranker(model, keras_qa.TextReading(vocabulary))
    ranker.export(folder / "ranker-tensorflow", "saved_model")
    saved = folder / "ranker-onnx"
    ranker.save(saved)
    write_candidates(folder / "questions.csv", dev)
    texts = dict.fromkeys(c.text for q in train for c in q.candidates)
    (folder / "answers.txt").write_text("\n".join(texts), "utf-8")
    index = folder / "index-onnx"
    build_index(
        keras_qa.Ranker.load(saved), folder / "answers.txt", index, "flat"
    )
    shutil.copytree(index, folder / "index-tensorflow")
    add_question_encoder(index)
    keras_qa.add_onnx(saved)


def seconds(folder: Path, *words: str) -> float:
    """The seconds of a command in a new process.

    Raises:
        CalledProcessError: if it fails.
    """
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "keras_qa.cli", *words],
        cwd=folder,
        capture_output=True,
        check=True,
    )
    return time.perf_counter() - start


def measure(settings: Settings, folder: Path) -> dict[str, Any]:
    """The seconds of each command and form in each round."""
    found: dict[str, dict[str, list[float]]] = {
        name: {form: [] for form in FORMS} for name in COMMANDS
    }
    helped = []
    for _ in range(settings.rounds):
        helped.append(seconds(folder, HELP))
        for name, (what, *words) in COMMANDS.items():
            for form in FORMS:
                took = seconds(folder, name, f"{what}-{form}", *words)
                found[name][form].append(took)
    return {"seconds": {**found, HELP: helped}}


def run(settings: Settings) -> dict[str, Any]:
    """Measures a ranker that is made for it."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        cores = settings.cores
        alone(make_forms, settings, folder, cores=cores, backend="tensorflow")
        return alone(measure, settings, folder, cores=cores)


def summarise(settings: Settings, measured: dict[str, Any]) -> dict[str, Any]:
    """Medians, the ratio of the two forms, and bounds."""
    found = measured["seconds"]
    medians = {
        name: {form: statistics.median(found[name][form]) for form in FORMS}
        for name in COMMANDS
    }
    ratios = {
        name: row["onnx"] / row["tensorflow"] for name, row in medians.items()
    }
    return {
        "median_seconds": {**medians, HELP: statistics.median(found[HELP])},
        "onnx_against_tensorflow": ratios,
        "bounds": {
            f"{name} with onnx, seconds": at_most(medians[name]["onnx"], 1)
            for name in COMMANDS
        },
    }


def table(result: dict[str, Any]) -> str:
    """The medians of a record, in Markdown."""
    summary = result["summary"]
    medians = summary["median_seconds"]
    lines = [
        "| command | with ONNX | with TensorFlow | ratio |",
        "|---|---|---|---|",
    ]
    for name in COMMANDS:
        row, ratio = medians[name], summary["onnx_against_tensorflow"][name]
        lines.append(
            f"| `{name}` | {row['onnx']:.2f} s | {row['tensorflow']:.2f} s "
            f"| {ratio:.2f} |"
        )
    return "\n".join([*lines, f"| `{HELP}` | {medians[HELP]:.2f} s | | |"])


def report(
    settings: Settings, measured: dict[str, Any], summary: dict[str, Any]
) -> None:
    """Prints the table and the bounds."""
    print(f"median of {settings.rounds}, {settings.cores} cores")
    print(table({"summary": summary}))
    print("\nBounds")
    print_bounds(summary)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = option_parser(
        __file__,
        "Measures how fast commands start.",
        Settings,
        ("rounds", "cores", "seed"),
    )
    options = parser.parse_args(arguments)
    settings = Settings(
        rounds=options.rounds, cores=options.cores, seed=options.seed
    )
    if options.smoke:
        settings = replace(
            settings, rounds=1, embedding_dim=8, projection_dim=6
        )
    conclude(
        options.json,
        settings,
        settings.cores,
        lambda: run(settings),
        summarise,
        report,
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
