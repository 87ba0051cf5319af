"""How fast does HyperQA train, compared with the plain formulation?

Every contender trains the same model on the same batches of synthetic text of
YahooQA's size. Each has a separate process, and they take turns, so that other
load slows all of them alike:

- `packed`: `PairwiseTrainer.fit` on packed `PairwiseBatches`;
- `keras`: gather, dense and masked sum on padded ids with Keras layers, also in
  `fit`; `keras-xla`: the same with `jit_compile=True`;
- `torch`: the same in a plain PyTorch loop.

The plain contenders pad to 50 words, which is the longest text of 99 in 100
batches, keep the embedding frozen and, within a batch, encode a question and
each of its answers once.

There are three workloads: `triples`, 200 arbitrary triples; `shared`, 200
triples of 50 questions with a positive, each of which four negatives share; and
`wide`, 200 questions with a positive and four negatives each. The plain
formulation of `shared` encodes each triple separately, so its time is that of
`triples`; `keras` on `shared` encodes each text once.

The words follow Zipf's law with exponent 1, as in natural language: the word of
rank r is drawn with weight 1 / r from 60,000.

    python -m benchmarks.hyperqa_epoch             # about 5 minutes
    python -m benchmarks.hyperqa_epoch --smoke     # a trial run of seconds

Bounds, on 2 cores: 2.7 times the faster plain Keras step for arbitrary
triples, 4.5 times when four negatives share a pair, and less than the paper's
20 s (on a GTX 1070, table 3) for an epoch of 253,000 pairs.
"""

import multiprocessing
import statistics
from collections.abc import Sequence
from typing import Any

from benchmarks.hyperqa_epoch_contenders import serve
from benchmarks.hyperqa_epoch_summary import report
from benchmarks.hyperqa_epoch_summary import summarise
from benchmarks.hyperqa_epoch_work import CONTENDERS
from benchmarks.hyperqa_epoch_work import WORKLOADS
from benchmarks.hyperqa_epoch_work import Settings
from benchmarks.options import option_parser
from benchmarks.results import conclude


def run(settings: Settings) -> dict[str, Any]:
    """Measures all rounds: seconds per step, losses, profile."""
    context = multiprocessing.get_context("spawn")
    pipes, processes = {}, []
    for name in CONTENDERS:
        pipes[name], end = context.Pipe()
        process = context.Process(
            target=serve, args=(name, settings, end), daemon=True
        )
        process.start()
        # Without another end, the pipe says when the process has ended.
        end.close()
        processes.append(process)

    def ask(name: str, method: str, workload: str) -> Any:
        try:
            pipes[name].send((method, workload))
            return pipes[name].recv()
        except (EOFError, OSError):
            raise SystemExit(
                f"{name}: expected a result. Received: the process ended, see "
                "above (torch needs pip install 'keras-qa[torch]')"
            ) from None

    # The first round compiles, and its losses can be compared.
    pairs = [(w, name) for w in WORKLOADS for name in WORKLOADS[w].contenders]
    losses = {
        f"{workload} {name}": ask(name, "measure", workload)[1]
        for workload, name in pairs
    }
    seconds: dict[str, dict[str, list[float]]] = {w: {} for w in WORKLOADS}
    parts: dict[str, list[dict[str, float]]] = {w: [] for w in WORKLOADS}
    for _ in range(settings.rounds):
        for workload, name in pairs:
            spent, _ = ask(name, "measure", workload)
            seconds[workload].setdefault(name, []).append(spent)
        for workload in WORKLOADS:
            parts[workload].append(ask("packed", "profile", workload))
    for pipe in pipes.values():
        pipe.send(None)
    for process in processes:
        process.join()
    profile = {
        workload: {
            part: statistics.median(times[part] for times in rounds)
            for part in rounds[0]
        }
        for workload, rounds in parts.items()
    }
    return {"seconds": seconds, "losses": losses, "profile": profile}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = option_parser(
        __file__,
        "Compares HyperQA's training step with the plain form.",
        Settings,
        ("rounds", "steps", "seed"),
    )
    options = parser.parse_args(arguments)
    sizes: dict[str, int] = {"rounds": options.rounds, "steps": options.steps}
    if options.smoke:
        sizes = {
            "rounds": 1,
            "steps": 2,
            "vocabulary": 500,
            "texts": 300,
            "batch_size": 8,
            "dim": 20,
        }
    settings = Settings(**sizes, seed=options.seed)
    conclude(
        options.json, settings, 2, lambda: run(settings), summarise, report
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
