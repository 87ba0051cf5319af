"""The runs of a paper's comparison, or of the recipe `best`.

    python -m reproductions.study iam --workers 2 --data-dir DIR \
        --output-dir DIR --embeddings vectors.bin \
        --record reproductions/records/runs.jsonl
    python -m reproductions.significance DIR

The runs wait in a queue, in the folder `queue` of the output folder. Commands
that are started with the same output folder, by hand or on several machines,
share it: none makes a run that another makes or has made. The run of a process
that was killed is taken up by another and goes on from its last epoch. A run
that fails is tried again after the others; what it printed is in `queue/logs`.
The same command continues a study that was stopped.
"""

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from reproductions.harness.command import with_messages
from reproductions.harness.studies.making import run_all
from reproductions.harness.studies.plans import add_queue

BEST = "best"


def studies() -> dict[str, str]:
    """The modules of the studies, by name."""
    found = sorted(Path(__file__).parent.glob("*/study.py"))
    names = [path.parent.name for path in found]
    return {
        **{name: f"reproductions.{name}.study" for name in names},
        BEST: f"reproductions.{BEST}",
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Makes the runs of a study; returns the exit status."""
    given = list(sys.argv[1:] if argv is None else argv)
    chooser = argparse.ArgumentParser(
        prog="python -m reproductions.study",
        description=(__doc__ or "").split("\n")[0],
        epilog="`python -m reproductions.study NAME --help` shows the options.",
    )
    chooser.add_argument("name", choices=tuple(studies()))
    name = chooser.parse_args(given[:1]).name
    study = importlib.import_module(studies()[name])
    parser: argparse.ArgumentParser = study.parser()
    add_queue(parser)
    arguments = parser.parse_args(given[1:])
    if arguments.hosts:
        parser.error("a queue gives each process its own runs: omit --hosts")
    command = [sys.executable, "-m", "reproductions.study", *given, "--worker"]
    statuses = []

    def make() -> None:
        runs = list(study.runs(arguments))
        statuses.append(run_all(name, runs, arguments, command))
        if hasattr(study, "finish") and not (arguments.worker or statuses[0]):
            statuses.append(study.finish(arguments, runs))

    try:
        return with_messages(make) or max(statuses)
    except KeyboardInterrupt:
        print("stopped; the same command continues", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
