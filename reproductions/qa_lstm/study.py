"""The rows of QA-LSTM's Tables 3 and 4 and its Figure 5, by name.

    python -m reproductions.qa_lstm.study --rows 3N --data-dir DIR \
        --output-dir DIR --embeddings vectors.bin --record runs.jsonl

`--rows` takes rows (`3A` to `3N`, `4A` to `4E`, the baselines of both), whole
tables (`table3`, `table4`) and `figure5`, which is rows 3C, 3E and 3L, drawn
when they have run. Without it all rows run. A row runs on the data set of its
table, or on those of `--datasets`; all rows have their first seed before any
has its second. Finished runs are skipped, so the command can be given again
after an interruption.

With `--split test` the epoch is chosen on dev, as in the paper; with `--split
dev`, the default, on questions held out of train. `--recipe small` is sized for
2 cores.
"""

import argparse
import sys
from collections.abc import Iterator
from collections.abc import Sequence

from reproductions.harness.study import run_all
from reproductions.harness.study import study_parser
from reproductions.qa_lstm import experiment as qa_lstm
from reproductions.qa_lstm import figure5 as qa_lstm_figure5

TABLES = {"3": "insuranceqa-v1", "4": "trecqa-clean"}
FIGURE5 = ("3C", "3E", "3L")
GROUPS: dict[str, tuple[str, ...]] = {
    **{
        f"table{number}": tuple(r for r in qa_lstm.ROWS if r[0] == number)
        for number in TABLES
    },
    "figure5": FIGURE5,
}


def rows_of(names: Sequence[str]) -> list[str]:
    """The rows that are asked for by their own names and by those of groups."""
    found = [row for name in names for row in GROUPS.get(name, (name,))]
    return list(dict.fromkeys(found))


def runs(
    arguments: argparse.Namespace,
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Folder, options and vectors of each run, in order."""
    for seed in arguments.seeds:
        for row in rows_of(arguments.rows):
            # Without a seed there is nothing to repeat.
            untrained = qa_lstm.ROW_MODELS[row] in qa_lstm.UNTRAINED
            if untrained and seed != arguments.seeds[0]:
                continue
            for dataset in arguments.datasets or [TABLES[row[0]]]:
                yield _run(arguments, row, dataset, seed)


def _run(
    arguments: argparse.Namespace, row: str, dataset: str, seed: int
) -> tuple[str, list[str], list[str]]:
    options = [
        *("--row", row, "--dataset", dataset),
        *("--recipe", arguments.recipe, "--seed", str(seed)),
    ]
    if arguments.epochs:
        options += ["--epochs", str(arguments.epochs)]
    for setting in arguments.set:
        options += ["--set", setting]
    parts = [row, dataset, arguments.split, arguments.recipe, f"seed{seed}"]
    return (
        "-".join([*parts, *arguments.set]).replace("/", "_"),
        options,
        arguments.embeddings,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the rows; stops at the first that fails."""
    parser = study_parser(
        "qa_lstm_study", __doc__.splitlines()[0], "runs/qa-lstm-study"
    )
    parser.add_argument(
        "--rows",
        nargs="+",
        choices=(*qa_lstm.ROWS, *GROUPS),
        default=["table3", "table4"],
        metavar="ROW",
        help=f"rows or groups of rows: {', '.join((*qa_lstm.ROWS, *GROUPS))}",
    )
    parser.add_argument(
        "--datasets",
        nargs="+",
        metavar="NAME",
        help="run the rows on these instead of on their table's data set",
    )
    parser.add_argument(
        "--seeds", nargs="+", type=int, default=[1], metavar="N"
    )
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument(
        "--recipe", choices=tuple(qa_lstm.RECIPES), default="paper"
    )
    parser.add_argument("--epochs", type=int, metavar="N")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change one setting of every row",
    )
    parser.add_argument(
        "--keep-models",
        action="store_true",
        help="keep models and weights in the run folders, some 100 MB each",
    )
    arguments = parser.parse_args(argv)
    every = list(runs(arguments))
    status = run_all(qa_lstm.main, every, arguments, arguments.keep_models)
    if status or not set(FIGURE5) <= set(rows_of(arguments.rows)):
        return status
    return _draw(arguments, [name for name, _, _ in every])


def _draw(arguments: argparse.Namespace, names: Sequence[str]) -> int:
    """Figure 5 of the runs of its rows, for each data set."""
    for dataset in arguments.datasets or [TABLES["3"]]:
        wanted = tuple(f"{row}-{dataset}-" for row in FIGURE5)
        folders = [
            option
            for name in names
            if name.startswith(wanted)
            for option in ("--run", str(arguments.output_dir / name))
        ]
        status = qa_lstm_figure5.main(
            [
                *folders,
                *("--data-dir", str(arguments.data_dir)),
                *("--output-dir", str(arguments.output_dir)),
            ]
        )
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
