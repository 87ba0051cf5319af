"""The rows of QA-LSTM's Tables 3 and 4 and its Figure 5, by name.

    python -m reproductions.study qa_lstm --rows 3N --data-dir DIR \
        --output-dir DIR --embeddings vectors.bin --record runs.jsonl

`--rows` takes rows (`3A` to `3N`, `4A` to `4E`, the baselines of both tables),
tables (`table3`, `table4`) and `figure5`, which stands for rows 3C, 3E and 3L;
the figure is drawn when these three have run. By default all rows run. A row
runs on the data set of its table, or on those of `--datasets`; all rows have
their first seed before any has its second.

With `--split test` the epoch is chosen on dev, as in the paper; with `--split
dev`, the default, on questions held out of train. `--recipe small` is sized for
2 cores.
"""

import argparse
from collections.abc import Iterator
from collections.abc import Sequence

from keras_qa.cli.options.whole_numbers import positive
from reproductions.harness.studies.plans import PlannedRun
from reproductions.harness.studies.plans import plan_run
from reproductions.harness.studies.plans import study_parser
from reproductions.qa_lstm import figure5
from reproductions.qa_lstm.experiment import EXPERIMENT
from reproductions.qa_lstm.experiment import TERM_DEPENDENCE
from reproductions.qa_lstm.settings import ROWS

TABLES = {"3": "insuranceqa-v1", "4": "trecqa-clean"}
FIGURE5 = ("3C", "3E", "3L")
# Models that run once, not once per seed.
UNTRAINED = (*EXPERIMENT.untrained, TERM_DEPENDENCE)
GROUPS: dict[str, tuple[str, ...]] = {
    **{
        f"table{number}": tuple(r for r in ROWS if r[0] == number)
        for number in TABLES
    },
    "figure5": FIGURE5,
}


def rows_of(names: Sequence[str]) -> list[str]:
    """The rows with given names, which may be names of groups, too."""
    found = [row for name in names for row in GROUPS.get(name, (name,))]
    return list(dict.fromkeys(found))


def runs(arguments: argparse.Namespace) -> Iterator[PlannedRun]:
    """The runs, in order."""
    for seed in arguments.seeds:
        for row in rows_of(arguments.rows):
            untrained = ROWS[row][0] in UNTRAINED
            if untrained and seed != arguments.seeds[0]:
                continue
            for dataset in arguments.datasets or [TABLES[row[0]]]:
                yield _run(arguments, row, dataset, seed)


def _run(
    arguments: argparse.Namespace, row: str, dataset: str, seed: int
) -> PlannedRun:
    parts = [row, dataset, arguments.split, arguments.recipe, f"seed{seed}"]
    return plan_run(
        dataset,
        "",
        arguments.recipe,
        seed,
        arguments.embeddings,
        arguments.set,
        parts=parts,
        row=row,
        epochs=arguments.epochs,
    )


def parser() -> argparse.ArgumentParser:
    """The options that choose among the runs."""
    parser = study_parser(
        EXPERIMENT,
        __doc__,
        "runs/qa-lstm-study",
        datasets=None,
        seeds=(1,),
        recipe="paper",
        changed="row",
    )
    parser.add_argument(
        "--rows",
        nargs="+",
        choices=(*ROWS, *GROUPS),
        default=["table3", "table4"],
        metavar="ROW",
        help=f"rows or groups of rows: {', '.join((*ROWS, *GROUPS))}",
    )
    parser.add_argument("--epochs", type=positive, metavar="N")
    return parser


def finish(arguments: argparse.Namespace, made: Sequence[PlannedRun]) -> int:
    """Draws Figure 5 for each data set when its rows have run."""
    if not set(FIGURE5) <= set(rows_of(arguments.rows)):
        return 0
    for dataset in arguments.datasets or [TABLES["3"]]:
        wanted = tuple(f"{row}-{dataset}-" for row in FIGURE5)
        folders = [
            option
            for run in made
            if run.name.startswith(wanted)
            for option in ("--run", str(arguments.output_dir / run.name))
        ]
        status = figure5.main(
            [
                *folders,
                *("--data-dir", str(arguments.data_dir)),
                *("--output-dir", str(arguments.output_dir)),
            ]
        )
        if status:
            return status
    return 0
