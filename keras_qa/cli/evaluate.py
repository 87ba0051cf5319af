"""Measure a ranker on your own questions, and compare it with floors.

FILE has a question, an answer and a label in each row. The table has MAP, MRR
and P@1, and nDCG@10 where labels are grades, of the ranker and of rankers
without a network, with intervals over questions and paired differences. Above
it is said how many answers, and how many of the words, RANKER cannot read.
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from keras_qa.cli.options.models import add_model
from keras_qa.cli.options.models import load_model
from keras_qa.cli.options.models import print_report
from keras_qa.cli.options.tables import add_table_options
from keras_qa.cli.options.tables import refuse_idle
from keras_qa.cli.options.tables import table_options
from keras_qa.cli.options.whole_numbers import positive
from keras_qa.errors import DatasetError
from keras_qa.errors import RunFolderError
from keras_qa.files.whole import check_writable

FILES = {"run.trec", "qrels.trec", "metrics.json"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `keras-qa evaluate`."""
    add_model(parser)
    parser.add_argument(
        "data",
        type=Path,
        metavar="FILE",
        help="labelled candidates: CSV, TSV, JSON lines or Parquet",
    )
    parser.add_argument(
        "--against",
        type=Path,
        metavar="RANKER",
        help="another ranker, for a paired test with RANKER",
    )
    parser.add_argument(
        "--rerank",
        choices=("file", "bm25"),
        help="show the figures before, by the order of FILE or by BM25, and "
        "after RANKER has ordered the candidates anew",
    )
    parser.add_argument(
        "--top",
        type=positive,
        metavar="N",
        help="with --rerank: order only the first N anew; default: all",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FOLDER",
        help="write run.trec and qrels.trec, for trec_eval, and metrics.json",
    )
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="replace what this command wrote there before",
    )
    add_table_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints the table; returns the exit code.

    Raises:
        DatasetError: if the file is missing or bad, or an option has no
            effect.
        ImportError: if a package that a model's format needs is missing.
        OSError: if the output cannot be written to its place.
        RankerError: if there is no model that takes text.
        RunFolderError: if the output exists.
    """
    _check(arguments)
    # Reading first reports a bad file before a model is loaded.
    from keras_qa.datasets.tabular import read_tabular
    from keras_qa.own_data.questions import find_table

    path = find_table(arguments.data)
    questions = list(read_tabular(path, **table_options(arguments)))
    ranker = load_model(arguments)
    against = None
    if arguments.against is not None:
        from keras_qa.ranker import Ranker

        against = Ranker.load(arguments.against)
    from keras_qa.export.target import MODEL as KERAS_MODEL
    from keras_qa.own_data.evaluating import AGAINST
    from keras_qa.own_data.evaluating import MODEL
    from keras_qa.own_data.evaluating import comparison_notes
    from keras_qa.own_data.evaluating import evaluate_ranker
    from keras_qa.own_data.evaluating import tuned_bm25
    from keras_qa.own_data.identity import count_trained_on
    from keras_qa.own_data.identity import run_of
    from keras_qa.own_data.unread import count_unread

    unread = {
        name: count_unread(one.reading, questions)
        for name, one in ((MODEL, ranker), (AGAINST, against))
        if one is not None
    }
    comparison = evaluate_ranker(
        ranker,
        questions,
        against=against,
        rerank=arguments.rerank,
        depth=arguments.top,
        bm25=tuned_bm25(run_of(arguments.model)),
    )
    # `--readable` is of RANKER, and only of a folder with its Keras model.
    options = (arguments.model / KERAS_MODEL).is_file()
    above = [
        line
        for name, counts in unread.items()
        for line in counts.lines(name, fixed=name != MODEL or not options)
    ]
    lines = [*above, *[""] * bool(above), *comparison.lines()]
    print("\n".join([*lines, "", *comparison_notes(comparison)]))
    for name, folder in (MODEL, arguments.model), (AGAINST, arguments.against):
        if folder is None:
            continue
        if trained_on := count_trained_on(run_of(folder), questions):
            print(
                f"Warning: the {name} was trained on {trained_on:,} of the "
                f"{len(questions):,} questions of {path}; its figures are too "
                "high."
            )
    if arguments.output is not None:
        from keras_qa.files.trec_files import write_labels
        from keras_qa.files.trec_files import write_ranking
        from keras_qa.files.whole import write_whole

        evaluation = comparison.evaluation

        def save(folder: Path) -> None:
            folder.mkdir()
            write_ranking(folder / "run.trec", evaluation.run, "keras-qa")
            write_labels(folder / "qrels.trec", evaluation.qrels)
            texts = {name: asdict(counts) for name, counts in unread.items()}
            found = {**comparison.to_json(), "texts": texts}
            text = json.dumps(found, indent=2)
            (folder / "metrics.json").write_text(f"{text}\n", "utf-8")

        write_whole(arguments.output, save)
    if against is not None:
        from keras_qa.ranking.comparison import paired_test

        print(paired_test(comparison, AGAINST))
    print_report(ranker)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    if arguments.rerank is None:
        refuse_idle(arguments, ("top",), "--rerank")
    output = arguments.output
    if output is not None:
        there = {path.name for path in output.glob("*")}
        # A training's folder has such files, too, next to others.
        if output.exists() and not (arguments.overwrite and there == FILES):
            raise RunFolderError(
                "--output must not exist, unless --overwrite is given and it "
                f"has only {', '.join(sorted(FILES))}. Received: {output}"
            )
        check_writable(output)
    for path in (arguments.model, arguments.against):
        if path is not None and not path.exists():
            raise DatasetError(
                f"Expected the folder of a model. Received: {path}, which "
                "does not exist"
            )
