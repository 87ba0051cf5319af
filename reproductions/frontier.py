"""Quality against cost: each model's time for a pair, and its size.

    python -m reproductions.frontier --data-dir DIR --embeddings vectors.bin \
        --record reproductions/records/costs.jsonl
    python -m reproductions.frontier --draw     # the pictures of the record
    python -m reproductions.report

The models have the settings of their recipe `best` on one data set, but are
not trained, which changes neither time nor size. Each orders a pool of
candidates of dev for several questions, one question at a time; the figure is
the median over the questions. A model that has the vector of a text alone,
and no floor in its score, is timed with the vectors of the pool at hand, too;
an epoch of a trained one is timed. A model that reads words in their texts is
charged for the BERT that reads the pool. Run it on an otherwise idle machine.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

from keras_qa.quiet import silence_tensorflow
from reproductions.best import CONTEXTUAL
from reproductions.best import FLOORS_OF
from reproductions.best import MODELS
from reproductions.harness.command import parse_arguments
from reproductions.harness.command import with_messages
from reproductions.harness.experiment import Experiment
from reproductions.harness.experiment import experiment_of
from reproductions.harness.memory import forget_models
from reproductions.harness.parts.floor_names import CONTEXTUAL_FLOORS
from reproductions.harness.parts.runs import Run
from reproductions.harness.parts.versions import commit
from reproductions.harness.parts.versions import versions
from reproductions.records.costs import Cost
from reproductions.records.costs import read_costs
from reproductions.records.json_lines import append_line
from reproductions.records.paper_figures import load_papers
from reproductions.records.rankings import read_rankings
from reproductions.records.runs import read_all_runs
from reproductions.records.seed_groups import group_runs
from reproductions.report.rules.systems import find_systems
from reproductions.report.sections.frontier_picture import frontier_picture
from reproductions.systems.stacked import STACKS

if TYPE_CHECKING:
    from keras_qa.training.corpus_scorer import CorpusScorer

FOLDER = Path(__file__).parent
# They read their own BERT.
REFERENCES = ("sentence-encoder", "late-interaction", "cross-encoder")


def systems(names: Sequence[str]) -> Iterator[tuple[str, str, bool]]:
    """Paper, name, and True if a BERT gives the vectors, of each system."""
    for paper, models in MODELS.items():
        floors, _ = FLOORS_OF.get(paper, ((), ()))
        for floor in floors:
            # IAM's and MRNN's read the same vectors.
            if paper != "mrnn" and (not names or floor in names):
                yield paper, floor, floor in CONTEXTUAL_FLOORS
        for model in models:
            # A stacked system costs what its member does, and a floor.
            if model not in STACKS and (not names or model in names):
                yield paper, model, model in CONTEXTUAL
    for model in REFERENCES:
        if not names or model in names:
            yield "references", model, False


def measure(
    paper: str, model: str, contextual: bool, options: argparse.Namespace
) -> dict[str, Any]:
    """The costs of a system, as a record of `reproductions.records.costs`."""
    from keras_qa.models.building import count_parameters
    from keras_qa.training.run_folder import RunFolder
    from reproductions.harness.objectives import training_of
    from reproductions.harness.parts.timing import encoded_seconds
    from reproductions.harness.parts.timing import epoch_seconds
    from reproductions.harness.parts.timing import pool_of
    from reproductions.harness.parts.timing import pool_seconds
    from reproductions.harness.run import prepare_run

    experiment = experiment_of(paper)
    forget_models()
    with tempfile.TemporaryDirectory() as temporary:
        vectors = ["bert:minilm"] if contextual else options.embeddings
        recipe = "paper" if model in experiment.untrained else "best"
        arguments = parse_arguments(
            experiment,
            [
                *("--model", model, "--dataset", options.dataset),
                *("--recipe", recipe, "--split", "dev"),
                *("--data-dir", str(options.data_dir)),
                *("--embeddings", *vectors, "--output-dir", temporary),
            ],
        )
        settings = experiment.settings_of(arguments)
        folder = RunFolder(Path(temporary), {}, resume=False)
        run = prepare_run(experiment, arguments, settings, folder)
        training = None
        if model in experiment.untrained or model in REFERENCES:
            scorer = _untrained(experiment, run)
        else:
            training = training_of(experiment, run)
            scorer = training.scorer
        pairs = len(pool_of(run))
        seconds, encoded = pool_seconds(scorer, run), None
        network = 0
        if contextual:
            taken, network = _bert(experiment, run)
            seconds += taken
        else:
            encoded = encoded_seconds(scorer, run)
        weights = scorer.model.weights
        more = {}
        if encoded is not None:
            more["microseconds_per_encoded_pair"] = encoded / pairs * 1e6
        if training is not None:
            more["parameters"] = count_parameters(scorer.model)
            more["seconds_per_epoch"] = epoch_seconds(training)
        return {
            "paper": paper,
            "model": model,
            "dataset": options.dataset,
            "recipe": "untrained" if recipe == "paper" else recipe,
            "pool": pairs,
            "microseconds_per_pair": seconds / pairs * 1e6,
            "bytes": network
            + sum(4 * int(np.prod(weight.shape)) for weight in weights),
            **more,
            "cores": len(os.sched_getaffinity(0)),
            "versions": versions(),
        }


def _untrained(experiment: Experiment[Any], run: Run[Any]) -> "CorpusScorer":
    """A floor, or a reference as it is."""
    from keras_qa.training.corpus_scorer import CorpusScorer
    from reproductions.harness.floors import fitted_floor

    name = run.arguments.model
    if name in REFERENCES:
        model = experiment.build_model(name, run.settings, run.matrix)
        return CorpusScorer(model, run.corpus)
    vectors = None
    if name in CONTEXTUAL_FLOORS:
        vectors = experiment.text_vectors(run)
    model, _ = fitted_floor(name, run, vectors)
    return CorpusScorer(model, run.corpus, word_vectors=vectors)


def _bert(experiment: Experiment[Any], run: Run[Any]) -> tuple[float, int]:
    """The seconds in which a BERT reads a pool, and the bytes of the BERT."""
    from keras_qa.embeddings.bert.network import Bert
    from keras_qa.embeddings.bert.word_pieces import encode_words
    from reproductions.harness.parts.timing import pool_of

    (name,) = experiment.vectors(run.arguments)
    bert = Bert(name.partition(":")[2])
    texts = [run.corpus.tokens[i] for i in pool_of(run)]
    encode_words(bert, texts)
    start = time.perf_counter()
    encode_words(bert, texts)
    return time.perf_counter() - start, bert.size


def draw() -> None:
    """Draws quality against time on each data set."""
    groups = group_runs(read_all_runs(FOLDER / "records"))
    costs = read_costs(FOLDER / "records" / "costs.jsonl")
    rankings = read_rankings(FOLDER / "records" / "rankings.jsonl")
    papers = load_papers(FOLDER)
    for dataset in dict.fromkeys(cost["dataset"] for cost in costs):
        path = FOLDER / f"frontier-{dataset}.png"
        systems = find_systems(papers, groups, costs, dataset, rankings)
        frontier_picture(systems, path)
        print(path)


def main(argv: Sequence[str] | None = None) -> int:
    """Measures all systems, or those that are named."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.frontier",
        description=(__doc__ or "").splitlines()[0],
    )
    parser.add_argument("--data-dir", type=Path, metavar="DIR")
    parser.add_argument("--embeddings", nargs="+", metavar="FILE")
    parser.add_argument("--dataset", default="wikiqa", metavar="NAME")
    parser.add_argument(
        "--models",
        nargs="+",
        default=[],
        metavar="NAME",
        choices=sorted({name for _, name, _ in systems(())}),
    )
    parser.add_argument("--record", type=Path, metavar="FILE")
    parser.add_argument(
        "--draw",
        action="store_true",
        help="measure nothing; draw the pictures of the page",
    )
    options = parser.parse_args(argv)
    if not options.draw and not (options.data_dir and options.embeddings):
        parser.error("--data-dir and --embeddings are needed to measure")

    def run() -> None:
        if options.draw:
            draw()
            return
        commit()
        for system in systems(options.models):
            cost = measure(*system, options)
            print(
                f"{cost['model']:<28}{cost['microseconds_per_pair']:10.1f} "
                f"µs a pair {cost['bytes'] / 1e6:8.1f} MB",
                flush=True,
            )
            if options.record:
                append_line(options.record, cost, Cost)

    return with_messages(run)


if __name__ == "__main__":
    silence_tensorflow()
    sys.exit(main())
