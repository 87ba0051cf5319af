"""How fast are QRNN and CTRN, compared with LSTMs and with a lower bound?

Measures, for several numbers of units d and lengths L, a training step and
inference of layers that return the states of all time steps:

- on one text of every example: `QRNNLayer`, `keras.layers.LSTM` in one and in
  both directions, `torch.nn.LSTM`, and a lower bound for a QRNN's time, its
  convolution (`Conv1D` of 3 d filters of width 2, causal, without bias);
- on both texts of every example: `QRNNLayer`, `CrossTemporalLayer`, and a
  bidirectional LSTM (d units in each direction) followed by attentive pooling;
- the recurrence alone, from the gates' inputs to the states, and a copy in
  memory, to report the share of the memory's bandwidth that the recurrence
  reaches.

A training step is a forward pass and the gradient to the layer's weights of the
outputs times fixed random numbers. At the headline size (d = 800, L = 50, or
the size nearest to it) there are two more workloads: `inputs`, with the
gradient to the inputs as well, and `masked`, a training step on texts of random
lengths.

Keras and PyTorch run in two processes, on the same cores, in turns: in every
round each contender is measured once, so that other load slows all of them
alike. Each is compiled in every mode that the backend has, and the fastest mode
is reported. Ratios are medians of the ratios within rounds. The backend is
Keras's (`KERAS_BACKEND`); a GPU is used by both processes or by neither.

    python -m devtools.benchmarks.recurrent                  # about 20 minutes
    python -m devtools.benchmarks.recurrent --units 800 --lengths 50 --repeats 9
    KERAS_BACKEND=jax python -m devtools.benchmarks.recurrent --json gpu.json
    python -m devtools.benchmarks.recurrent \
        --read devtools/benchmarks/recurrent.json --picture fig.png
    python -m devtools.benchmarks.recurrent --smoke   # a trial run

The picture is the paper's Figure 3 (Tay et al. 2018, "Cross Temporal
Recurrent Networks", Runtime Comparison), which states that at d = 800 QRNN and
CTRN are 4 times as fast as LSTM and 8 times as fast as AP-BiLSTM.
"""

import json
import math
import os
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.options import option_parser
from benchmarks.results import conclude
from devtools.benchmarks.recurrent_plan import CONTENDERS
from devtools.benchmarks.recurrent_plan import DEFAULT_MODES
from devtools.benchmarks.recurrent_plan import WORKLOADS
from devtools.benchmarks.recurrent_plan import Job
from devtools.benchmarks.recurrent_plan import Settings
from devtools.benchmarks.recurrent_plan import make_jobs
from devtools.benchmarks.recurrent_report import draw
from devtools.benchmarks.recurrent_report import report
from devtools.benchmarks.recurrent_steps import STEPS
from devtools.benchmarks.recurrent_summary import summarise
from devtools.benchmarks.recurrent_workers import WorkerError
from devtools.benchmarks.recurrent_workers import Workers

# A mode this much slower than another, once compiled, is not measured again.
SLOW_MODE = 2.0
MAX_STEPS = 200


def run(settings: Settings, backend: str) -> dict[str, Any]:
    """Measures all cases: seconds per step, and checks of the results."""
    workers = Workers(backend, settings)
    devices = {name: workers.ask(name, "device") for name in workers.pipes}
    if devices["keras"][0] != devices["torch"][0]:
        raise SystemExit(
            "all contenders must run on one device; CUDA_VISIBLE_DEVICES='' "
            f"hides a GPU from all of them. Received: {devices}"
        )
    cases = [
        measure_case(workers, settings, backend, case)
        for case in settings.cases()
    ]
    workers.stop()
    return {"backend": backend, "devices": devices, "cases": cases}


def measure_case(
    workers: Workers, settings: Settings, backend: str, case: tuple[int, int]
) -> dict[str, Any]:
    """Compiles a case's steps, then times them in rounds."""
    start = time.perf_counter()
    modes = settings.modes or DEFAULT_MODES[backend]
    checks: dict[Job, dict[str, float]] = {}
    failures = {}
    for job in make_jobs(settings, case, modes):
        framework = CONTENDERS[job.contender].framework
        try:
            checks[job] = workers.ask(framework, "prepare", job)
        except WorkerError as error:
            failures[f"{job.workload} {job.contender} {job.mode}"] = str(error)
    compiled = time.perf_counter()
    fastest: dict[tuple[str, str], float] = {}
    for job, check in checks.items():
        key = job.workload, job.contender
        fastest[key] = min(fastest.get(key, math.inf), check["seconds"])
    jobs = [
        job
        for job, check in checks.items()
        if check["seconds"] <= SLOW_MODE * fastest[job.workload, job.contender]
    ]
    seconds: dict[str, dict[str, dict[str, list[float]]]] = {}
    for index in range(settings.repeats):
        # Alternating order: no contender always follows the same one.
        for job in jobs[:: -1 if index % 2 else 1]:
            steps = math.ceil(settings.seconds / checks[job]["seconds"])
            spent = workers.ask(
                CONTENDERS[job.contender].framework,
                "measure",
                job,
                min(steps, MAX_STEPS),
            )
            seconds.setdefault(job.workload, {}).setdefault(
                job.contender, {}
            ).setdefault(job.mode, []).append(spent)
    for name in workers.pipes:
        workers.ask(name, "forget")
    print(
        f"d = {case[0]}, L = {case[1]}: {compiled - start:.0f} s to compile, "
        f"{time.perf_counter() - compiled:.0f} s to measure",
        flush=True,
    )
    return {
        "units": case[0],
        "length": case[1],
        "seconds": seconds,
        "checks": [{**asdict(job), **found} for job, found in checks.items()],
        "failures": failures,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    defaults = Settings()
    parser = option_parser(
        __file__,
        "Compares QRNN and CTRN with LSTMs, as ratios in one run.",
        defaults,
        ("repeats", "cores", "seed"),
    )
    parser.add_argument(
        "--units", type=int, nargs="+", default=defaults.units, metavar="D"
    )
    parser.add_argument(
        "--lengths", type=int, nargs="+", default=defaults.lengths, metavar="L"
    )
    parser.add_argument(
        "--workloads",
        nargs="+",
        choices=WORKLOADS,
        default=defaults.workloads,
        help="`inputs` and `masked` are measured at the headline size alone",
    )
    parser.add_argument(
        "--modes",
        nargs="+",
        choices=sorted(
            {mode for steps in STEPS.values() for mode in steps.modes}
        ),
        default=(),
        help="how Keras's steps are compiled (default: every way that the "
        "backend has, but for PyTorch's compiler)",
    )
    parser.add_argument(
        "--tf32",
        action="store_true",
        help="let a GPU multiply in TensorFloat-32, in all frameworks",
    )
    parser.add_argument(
        "--picture", type=Path, metavar="FILE", help="PNG file to draw into"
    )
    parser.add_argument(
        "--read",
        type=Path,
        metavar="FILE",
        help="measure nothing: report and draw the figures of this file",
    )
    options = parser.parse_args(arguments)
    if options.read:
        result = json.loads(options.read.read_text())
        stored: Any = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in result["settings"].items()
        }
        settings = Settings(**stored)
        summary = summarise(settings, result)
        report(settings, result, summary)
        if options.picture:
            draw(summary, result["devices"]["keras"], options.picture)
        return 0

    backend = os.environ.get("KERAS_BACKEND") or "tensorflow"
    if wrong := set(options.modes) - set(STEPS[backend].modes):
        parser.error(
            f"`--modes` must be among {STEPS[backend].modes} on {backend}. "
            f"Received: {sorted(wrong)}"
        )
    sizes: Any = {
        "units": tuple(options.units),
        "lengths": tuple(options.lengths),
        "repeats": options.repeats,
    }
    if options.smoke:
        sizes = {
            "units": (4,),
            "lengths": (3,),
            "repeats": 2,
            "batch_size": 2,
            "features": 3,
            "seconds": 0.001,
            "copied_numbers": 1000,
        }
    settings = Settings(
        **sizes,
        workloads=tuple(options.workloads),
        modes=tuple(options.modes),
        cores=options.cores,
        tf32=options.tf32,
        seed=options.seed,
    )
    # PyTorch's threads wait for each other, and for other load on a core.
    found = conclude(
        options.json,
        settings,
        settings.cores,
        lambda: run(settings, backend),
        summarise,
        report,
    )
    if options.picture:
        device = found["measured"]["devices"]["keras"]
        draw(found["summary"], device, options.picture)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
