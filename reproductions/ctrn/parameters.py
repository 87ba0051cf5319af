"""Counts the weights of our models beside the formulas of CTRN's Table 2.

    python -m reproductions.ctrn.parameters

Builds the four models at the sizes of the table and writes
`parameters.jsonl`, from which the results page takes its column. Seconds.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from keras_qa.models import CTRN
from keras_qa.models import APBiLSTM
from keras_qa.models import LSTMRanker
from keras_qa.models import QRNNRanker
from reproductions.records.paper_figures import ParametersTable
from reproductions.records.paper_figures import load_targets
from reproductions.records.parameters import PATH
from reproductions.records.parameters import Counted
from reproductions.records.parameters import write_parameters

PAPER = "ctrn"


def count() -> list[Counted]:
    """The counts at the sizes of the paper's table.

    Embeddings, their projection and the softmax layer are left out, as in the
    paper.
    """
    table = load_targets().papers[PAPER].table("Table 2")
    if not isinstance(table, ParametersTable):
        raise TypeError(
            f"Table 2 must be one of numbers of weights. Received: {table}"
        )
    d, m, h, k = (table.sizes[name] for name in "dmhk")
    # What an embedding has does not count.
    sizes: dict[str, Any] = {
        "vocabulary_size": 2,
        "embedding_dim": 1,
        "projection_dim": m,
        "units": d,
    }
    qrnn = 3 * k * d * m + 2 * d * h + h
    models: dict[str, tuple[Any, int]] = {
        "lstm": (
            LSTMRanker(**sizes, hidden_units=h),
            4 * (m * d + d**2) + 2 * d * h + h,
        ),
        "ap-bilstm": (APBiLSTM(**sizes), 4 * (m * d + d**2) + 4 * d**2),
        "qrnn": (QRNNRanker(**sizes, hidden_units=h, kernel_size=k), qrnn),
        "ctrn": (CTRN(**sizes, hidden_units=h, kernel_size=k), qrnn),
    }
    return [
        Counted(PAPER, name, table.sizes, formula, model.core_parameters)
        for name, (model, formula) in models.items()
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Writes the counts; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.ctrn.parameters",
        description=__doc__.splitlines()[0],
    )
    parser.add_argument("--output", type=Path, default=PATH, metavar="FILE")
    arguments = parser.parse_args(argv)
    counts = count()
    write_parameters(counts, arguments.output)
    for counted in counts:
        print(
            f"{counted.model:<10} {counted.parameters:>10,}  by the formula "
            f"{counted.formula:>10,}"
        )
    print(arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
