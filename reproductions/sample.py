"""Compares two networks and two floors on the bundled questions: a first run.

    python -m reproductions.sample --output-dir runs/sample

The script trains skip-gram vectors on the bundled text, trains HyperQA and
CosineQA, and ranks without a network: by an alignment of the same vectors, and
by BM25. It takes less than two minutes on 2 cores.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.ranking.intervals import mean_interval
from reproductions.by_question import question_metric
from reproductions.hyperqa import experiment as hyperqa
from reproductions.records.paired_tests import PATH
from reproductions.records.paired_tests import read_paired_tests
from reproductions.records.paper_figures import load_papers
from reproductions.records.paper_figures import model_names
from reproductions.records.papers import ResultsTable
from reproductions.records.runs import read_metrics
from reproductions.report.plots import measured_on
from reproductions.report.plots import results_bars

MODELS = ("hyperqa", "cosineqa", "idf-alignment", "bm25")
METRICS = ("MAP", "MRR", "P@1")
NOTE = (
    "The paper's rows are from its own data (WikiQA for HyperQA, YahooCQA for "
    "BM25; it has\nno table with CosineQA). Ours are on a small set of bundled "
    "questions: the data differ,\nso the figures cannot be compared. What they "
    "show is that both networks learn which\nanswers fit a question beyond its "
    "words, which are all that BM25 knows, and beyond\nits word vectors, which "
    "the alignment compares without training."
)
PAPER_TABLES = {"hyperqa": "Table 2", "bm25": "Table 3"}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the models and prints the table."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.sample",
        description=__doc__.split("\n")[0],
    )
    parser.add_argument(
        "--output-dir", type=Path, default=Path("runs/sample"), metavar="DIR"
    )
    folder = parser.parse_args(argv).output_dir
    results = {}
    for model in MODELS:
        run = folder / model
        status = hyperqa.main(
            [
                *("--model", model, "--recipe", "best"),
                *("--output-dir", str(run), "--resume"),
            ]
        )
        if status:
            return status
        results[model] = read_metrics(run)
    print(f"\n{table(results)}\n\n{NOTE}\n{comparison()}\n")
    picture = folder / "results.png"
    first = results[MODELS[0]]
    results_bars(
        {name: result["metrics"] for name, result in results.items()},
        picture,
        measured_on(
            *(first["dataset"], first["split"], first["questions"]),
            [first["seed"]],
            "95% intervals over questions",
        ),
        {name: intervals(folder / name) for name in results},
    )
    print(f"run folder: {folder}\npicture:    {picture}")
    return 0


def intervals(folder: Path) -> dict[str, tuple[float, float]]:
    """The bootstrap interval over questions of each metric of a run."""
    return {
        metric: mean_interval(
            np.array(list(question_metric(folder, metric).values()))
        )
        for metric in METRICS
    }


def table(results: dict[str, dict[str, Any]]) -> str:
    """A table of each model's figures, the paper's below ours."""
    names = model_names()
    lines = [f"{'model':<34}" + "".join(f"{m:>8}" for m in METRICS)]
    for model, result in results.items():
        lines.append(_row(f"{names[model]}, here", result["metrics"]))
        number = PAPER_TABLES.get(model)
        if number is None:
            continue
        paper = load_papers()["hyperqa"].table(number)
        if isinstance(paper, ResultsTable):
            row = next(r for r in paper.rows if r.ours == model)
            lines.append(_row(f"  paper, {paper.dataset}", row.metrics))
    return "\n".join(lines)


def comparison() -> str:
    """The recorded test of the two networks on these questions."""
    for test in read_paired_tests(PATH):
        found = (test.dataset, test.first.model, test.second.model)
        if found == ("sample", *MODELS[:2]):
            low, high = test.interval
            return (
                f"Over {len(test.first.seeds)} seeds HyperQA minus CosineQA is "
                f"{test.difference:+.3f} MAP, {test.confidence:.0%} interval "
                f"over\n{test.resampled} from {low:+.3f} to {high:+.3f}; one "
                "run is no comparison of the two."
            )
    return ""


def _row(name: str, metrics: dict[str, float]) -> str:
    cells = [
        f"{metrics[metric]:8.3f}" if metric in metrics else f"{'-':>8}"
        for metric in METRICS
    ]
    return f"{name:<34}" + "".join(cells)


if __name__ == "__main__":
    sys.exit(main())
