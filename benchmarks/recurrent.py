"""How fast are QRNN and CTRN, against LSTMs and against their own floor?

Measures, for several numbers of units d and lengths L, a training step and
inference of layers that give all their states:

- on one text of every example: `QRNNLayer`, `keras.layers.LSTM`, the same in
  both directions, `torch.nn.LSTM`, and the floor of a QRNN, its convolution
  (`Conv1D` of 3 d filters of width 2, causal, without bias);
- on both texts of every example: `QRNNLayer`, `CrossTemporalLayer`, and a
  bidirectional LSTM (d units each way) followed by attentive pooling;
- the recurrence by itself, from the gates' inputs to the states, and a copy in
  memory, to say which part of the memory's bandwidth the recurrence reaches.

A training step is a forward pass and the gradient to the layer's weights, of
the outputs times fixed random numbers. At the headline size (d = 800, L = 50,
or what is nearest to it) two more are measured: `inputs`, with the gradient to
the inputs as well, and `masked`, a training step on texts of random lengths.

Keras and PyTorch run in two processes, on the same cores, which take turns: in
every round each contender is measured once, so that a busy machine slows all
of them alike. Each is compiled in every mode that the backend has, and
reported in its fastest. Ratios are medians of the ratios within rounds. The
backend is Keras's (`KERAS_BACKEND`); a GPU is used by both processes or by
neither.

    python -m benchmarks.recurrent                  # about 20 minutes
    python -m benchmarks.recurrent --units 800 --lengths 50 --repeats 9
    KERAS_BACKEND=jax python -m benchmarks.recurrent --json gpu.json
    python -m benchmarks.recurrent --read benchmarks/recurrent.json \
        --picture fig.png
    python -m benchmarks.recurrent --smoke          # seconds, tells nothing

The picture is the paper's Figure 3 (Tay et al. 2018, "Cross Temporal
Recurrent Networks", Runtime Comparison), which states that at d = 800 QRNN and
CTRN are 4 times as fast as LSTM and 8 times as fast as AP-BiLSTM.
"""

import argparse
import gc
import json
import math
import multiprocessing
import os
import platform
import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.recurrent_steps import STEPS
from benchmarks.recurrent_steps import Step
from keras_qa.atomic import write_whole

HEADLINE = (800, 50)
WORKLOADS = ("training", "inference", "inputs", "masked")
HEADLINE_ONLY = ("inputs", "masked")
FLOAT_BYTES = 4

# The least that a recurrence has to move, in arrays of (batch, length, d): it
# reads z, f and o and writes h; to train it also writes c, and goes back from
# the gradient of h and from z, f, o and c to the gradients of z, f and o.
ARRAYS_MOVED = {"training": 5 + 8, "inference": 4}

# A mode this much slower than another, once compiled, is not measured again.
SLOW_MODE = 2.0
MAX_STEPS = 200


@dataclass(frozen=True)
class Contender:
    """What is measured.

    Attributes:
        label: its name in the table.
        texts: texts of every example that it reads.
        reference: the contender that it is compared with.
        workloads: what it is measured in.
        framework: the process that it runs in.
        paper: times of QRNN that the paper's Figure 3 states for it.
    """

    label: str
    texts: int
    reference: str
    workloads: tuple[str, ...] = WORKLOADS
    framework: str = "keras"
    paper: float | None = None


CONTENDERS = {
    "conv": Contender(
        "convolution (floor)", 1, "qrnn", ("training", "inference", "inputs")
    ),
    "qrnn": Contender("QRNN", 1, "qrnn"),
    "lstm": Contender("LSTM (Keras)", 1, "qrnn", paper=4.0),
    "bilstm": Contender("BiLSTM (Keras)", 1, "qrnn"),
    "torch-lstm": Contender(
        "LSTM (torch.nn)",
        1,
        "qrnn",
        ("training", "inference", "inputs"),
        "torch",
    ),
    "qrnn-pair": Contender("QRNN on both texts", 2, "qrnn-pair"),
    "ctrn": Contender("CTRN", 2, "qrnn-pair"),
    "ap-bilstm": Contender("AP-BiLSTM", 2, "qrnn-pair", paper=8.0),
    "recurrence": Contender(
        "recurrence alone", 1, "qrnn", ("training", "inference")
    ),
    "copy": Contender("copy", 0, "copy", ("inference",), "torch"),
}


@dataclass(frozen=True)
class Bound:
    """A bound on the ratio of two contenders' training steps."""

    slower: str
    faster: str
    at_least: float = 0.0
    at_most: float = math.inf

    def __str__(self) -> str:
        if self.at_most < math.inf:
            return f"at most {self.at_most}"
        return f"at least {self.at_least}"

    def holds(self, ratio: float) -> bool:
        """Whether the ratio is within the bound."""
        return self.at_least <= ratio <= self.at_most


# On 2 cores, at the headline size.
BOUNDS = (
    Bound("lstm", "qrnn", at_least=4.5),
    Bound("torch-lstm", "qrnn", at_least=3.0),
    Bound("qrnn", "conv", at_most=1.35),
    Bound("ctrn", "qrnn-pair", at_most=1.6),
    Bound("ap-bilstm", "ctrn", at_least=8.0),
    Bound("ap-bilstm", "qrnn-pair", at_least=8.0),
)


@dataclass(frozen=True)
class Settings:
    """What is measured."""

    units: tuple[int, ...] = (128, 512, 800)
    lengths: tuple[int, ...] = (25, 50, 200)
    workloads: tuple[str, ...] = WORKLOADS
    modes: tuple[str, ...] = ()
    repeats: int = 5
    batch_size: int = 64
    features: int = 300
    cores: int = 2
    tf32: bool = False
    seconds: float = 0.25
    copied_numbers: int = 1 << 26
    seed: int = 0

    def cases(self) -> list[tuple[int, int]]:
        """Units and lengths, in the order in which they are measured."""
        return [(u, n) for u in self.units for n in self.lengths]

    def headline(self) -> tuple[int, int]:
        """The case nearest to the bounds' own."""
        return min(
            self.cases(),
            key=lambda case: [
                abs(math.log(a / b))
                for a, b in zip(case, HEADLINE, strict=True)
            ],
        )


@dataclass(frozen=True)
class Job:
    """A contender's step, compiled in one mode."""

    contender: str
    workload: str
    mode: str
    units: int
    length: int


def make_jobs(
    settings: Settings, case: tuple[int, int], modes: Sequence[str]
) -> list[Job]:
    """All that is measured of a case; PyTorch's own layers have one mode."""
    return [
        Job(name, workload, mode, *case)
        for workload in settings.workloads
        if workload not in HEADLINE_ONLY or case == settings.headline()
        for name, contender in CONTENDERS.items()
        if workload in contender.workloads
        for mode in (modes if contender.framework == "keras" else ("eager",))
    ]


class Worker:
    """Prepares and times the steps of one framework."""

    def __init__(self, backend: str, with_keras: bool, settings: Settings):
        self.steps: Any = STEPS[backend](settings.cores, settings.tf32)
        self.kind, self.name = self.steps.device()
        self.with_keras = with_keras
        self.settings = settings
        self.models: dict[tuple[str, int], Any] = {}
        self.ready: dict[Job, Step] = {}

    def device(self) -> tuple[str, str]:
        """The device's kind and name."""
        return self.kind, self.name

    def prepare(self, job: Job) -> dict[str, float]:
        """Compiles a step; gives the seconds of the next and what it computes.

        Of a step that computes something, `loss` is the sum of the outputs
        times the random numbers and `gradient` the norm of all gradients: they
        must not depend on the mode.
        """
        if job.contender == "copy":
            self.ready[job] = self.steps.copy(self.settings.copied_numbers)
            return {"seconds": self._compiled(job)}
        rng = np.random.default_rng([self.settings.seed, job.units, job.length])
        texts, masks = self._texts(job, rng)
        model = self._model(job)
        # Builds the weights, and tells the shapes of the outputs.
        shapes = [
            (self.settings.batch_size, *output.shape[1:])
            for output in model(
                [text[:1] for text in texts],
                [None if mask is None else mask[:1] for mask in masks],
            )
        ]
        upstream = [
            rng.standard_normal(shape, dtype=np.float32) for shape in shapes
        ]
        if job.workload == "inference":
            step = self.steps.inference(model, texts, masks, job.mode)
        else:
            step = self.steps.training(
                model,
                texts,
                masks,
                [self.steps.place(array) for array in upstream],
                job.workload == "inputs" or job.contender == "recurrence",
                job.mode,
            )
        self.ready[job] = step
        found = {"seconds": self._compiled(job)}
        result = step()
        outputs = result if job.workload == "inference" else result[0]
        found["loss"] = sum(
            float(np.vdot(self.steps.array(output), array))
            for output, array in zip(outputs, upstream, strict=True)
        )
        if job.workload != "inference":
            found["gradient"] = math.hypot(
                *(np.linalg.norm(self.steps.array(g)) for g in result[1])
            )
        return found

    def measure(self, job: Job, steps: int) -> float:
        """Seconds per step."""
        step = self.ready[job]
        if steps > 1:
            self.steps.finish(step())
        start = time.perf_counter()
        for index in range(1, steps + 1):
            result = step()
            # A GPU is kept busy; on a CPU, JAX would run steps side by side.
            if self.kind == "cpu" or index == steps:
                self.steps.finish(result)
        return (time.perf_counter() - start) / steps

    def forget(self) -> None:
        """Frees what was prepared."""
        self.ready.clear()
        self.models.clear()
        gc.collect()

    def _compiled(self, job: Job) -> float:
        self.steps.finish(self.ready[job]())
        return self.measure(job, 1)

    def _texts(self, job: Job, rng: np.random.Generator) -> tuple[list, list]:
        size, length = self.settings.batch_size, job.length
        features = self.settings.features
        if job.contender == "recurrence":
            features = 3 * job.units
        texts, masks = [], []
        for _ in range(CONTENDERS[job.contender].texts):
            text = rng.standard_normal(
                (size, length, features), dtype=np.float32
            )
            texts.append(self.steps.place(text))
            lengths = rng.integers(length // 2, length + 1, (size, 1))
            mask = np.arange(length) < np.maximum(lengths, 1)
            masks.append(
                self.steps.place(mask) if job.workload == "masked" else None
            )
        return texts, masks

    def _model(self, job: Job) -> Any:
        key = job.contender, job.units
        if key not in self.models:
            if self.with_keras:
                # Not imported where PyTorch runs by itself.
                import keras

                from benchmarks.recurrent_models import build

                keras.utils.set_random_seed(self.settings.seed)
                self.models[key] = build(*key)
            else:
                self.models[key] = self.steps.lstm(
                    self.settings.features, job.units
                )
        return self.models[key]


def serve(
    backend: str, with_keras: bool, settings: Settings, connection: Connection
) -> None:
    """A framework's process: answers requests until it is told to stop."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))[: settings.cores]
        os.sched_setaffinity(0, cores)
    os.environ["KERAS_BACKEND"] = backend
    os.environ["TF_NUM_INTRAOP_THREADS"] = str(settings.cores)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    # Two processes share the GPU.
    os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    worker = Worker(backend, with_keras, settings)
    while request := connection.recv():
        method, *arguments = request
        try:
            connection.send((getattr(worker, method)(*arguments), None))
        except Exception as error:
            connection.send((None, f"{type(error).__name__}: {error}"))


class WorkerError(RuntimeError):
    """A process could not do what it was asked."""


class Workers:
    """The two processes, by the framework that contenders name."""

    def __init__(self, backend: str, settings: Settings):
        context = multiprocessing.get_context("spawn")
        self.pipes, self.processes = {}, []
        for name, framework in (("keras", backend), ("torch", "torch")):
            self.pipes[name], end = context.Pipe()
            process = context.Process(
                target=serve,
                args=(framework, name == "keras", settings, end),
                daemon=True,
            )
            process.start()
            self.processes.append(process)

    def ask(self, framework: str, method: str, *arguments: Any) -> Any:
        """What the method of a process's worker gives.

        Raises:
            WorkerError: if the method raised an error.
        """
        self.pipes[framework].send((method, *arguments))
        answer, error = self.pipes[framework].recv()
        if error is not None:
            raise WorkerError(error)
        return answer

    def stop(self) -> None:
        """Ends the processes."""
        for pipe in self.pipes.values():
            pipe.send(None)
        for process in self.processes:
            process.join()


def run(settings: Settings, backend: str) -> dict[str, Any]:
    """All rounds of all cases: seconds per step, and what they computed."""
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
        # There and back: no contender always follows the same one.
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


# PyTorch's compiler takes minutes for a loop over long texts: by request only.
DEFAULT_MODES = {
    "tensorflow": STEPS["tensorflow"].modes,
    "jax": STEPS["jax"].modes,
    "torch": ("eager",),
}


def summarise(settings: Settings, measured: dict[str, Any]) -> dict[str, Any]:
    """Fastest modes, medians, ratios and bandwidths from the rounds' times."""
    cases = [_summarise_case(settings, case) for case in measured["cases"]]
    headline = next(
        case
        for case in measured["cases"]
        if (case["units"], case["length"]) == settings.headline()
    )
    bounds = []
    for workload in ("training", "inputs", "masked"):
        times = _fastest(headline["seconds"].get(workload, {}))
        for bound in BOUNDS:
            if {bound.slower, bound.faster} <= set(times):
                ratio = _ratio(times[bound.slower][1], times[bound.faster][1])
                reached = bound.holds(ratio)
                bounds.append(
                    {
                        "workload": workload,
                        "slower": bound.slower,
                        "faster": bound.faster,
                        "bound": str(bound),
                        "ratio": ratio,
                        # The bounds were set for this size alone.
                        "reached": reached
                        if settings.headline() == HEADLINE
                        else None,
                    }
                )
    return {
        "headline": settings.headline(),
        "cases": cases,
        "bounds": bounds,
    }


def _summarise_case(settings: Settings, case: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"units": case["units"], "length": case["length"]}
    for workload, contenders in case["seconds"].items():
        times = _fastest(contenders)
        found[workload] = {}
        for name, (mode, seconds) in times.items():
            quartiles = np.percentile(seconds, (25, 75)).tolist()
            found[workload][name] = {
                "mode": mode,
                "seconds": statistics.median(seconds),
                "quartiles": quartiles,
            }
            reference = CONTENDERS[name].reference
            if reference in times:
                found[workload][name]["relative"] = _ratio(
                    seconds, times[reference][1]
                )
    copy = found.get("inference", {}).get("copy")
    if copy:
        copied = 2 * FLOAT_BYTES * settings.copied_numbers / copy["seconds"]
        found["bandwidth"] = {"copy": copied}
        numbers = settings.batch_size * case["length"] * case["units"]
        for workload, arrays in ARRAYS_MOVED.items():
            if "recurrence" in found.get(workload, {}):
                moved = (
                    FLOAT_BYTES
                    * arrays
                    * numbers
                    / found[workload]["recurrence"]["seconds"]
                )
                found["bandwidth"][workload] = moved
                found["bandwidth"][f"{workload}_share"] = moved / copied
    return found


def _fastest(
    contenders: dict[str, dict[str, list[float]]],
) -> dict[str, tuple[str, list[float]]]:
    """Mode and times of each contender in the mode of the lowest median."""
    return {
        name: min(modes.items(), key=lambda timed: statistics.median(timed[1]))
        for name, modes in contenders.items()
    }


def _ratio(numerator: list[float], denominator: list[float]) -> float:
    """Median of the ratios within rounds, whose times lie side by side."""
    return statistics.median(
        a / b for a, b in zip(numerator, denominator, strict=True)
    )


def report(
    settings: Settings, measured: dict[str, Any], summary: dict[str, Any]
) -> None:
    """Prints the tables."""
    device = measured["devices"]["keras"]
    print(
        f"\nKeras on {measured['backend']}, {device[1]}"
        + (f", {settings.cores} cores" if device[0] == "cpu" else "")
        + f"; batches of {settings.batch_size} texts with {settings.features} "
        f"features; {settings.repeats} rounds.\nMilliseconds: median and "
        "distance of the quartiles. x: times of QRNN on the same texts."
    )
    for case, raw in zip(summary["cases"], measured["cases"], strict=True):
        workloads = [w for w in WORKLOADS if w in case]
        print(f"\nd = {case['units']}, L = {case['length']}")
        print(" " * 20 + "".join(f"{w:^32}" for w in workloads))
        for name, contender in CONTENDERS.items():
            cells = [_cell(case[w].get(name)) for w in workloads]
            if name != "copy" and any(cell.strip() for cell in cells):
                print(f"{contender.label:<20}" + "".join(cells).rstrip())
        if "bandwidth" in case:
            _report_bandwidth(case["bandwidth"])
        for step, error in raw["failures"].items():
            print(f"not measured: {step}: {error.splitlines()[0][:120]}")
    if not summary["bounds"]:
        return
    units, length = summary["headline"]
    print(
        f"\nBounds on the ratio of training steps, set for 2 cores at d = "
        f"{HEADLINE[0]}, L = {HEADLINE[1]}; measured at d = {units}, "
        f"L = {length}"
    )
    verdicts = {True: "reached", False: "NOT reached", None: "another size"}
    for bound in summary["bounds"]:
        pair = (
            f"{CONTENDERS[bound['slower']].label} / "
            f"{CONTENDERS[bound['faster']].label}"
        )
        print(
            f"  {bound['workload']:<9}{pair:<32}{bound['bound']:<14}"
            f"{bound['ratio']:7.2f}  {verdicts[bound['reached']]}"
        )


def _cell(found: dict[str, Any] | None) -> str:
    if found is None:
        return " " * 32
    low, high = found["quartiles"]
    relative = found.get("relative")
    return (
        f"{1000 * found['seconds']:9.2f} ±{1000 * (high - low):6.2f}"
        + (f"{relative:7.2f} x" if relative is not None else " " * 9)
        + f" {found['mode']:<5}"
    )


def _report_bandwidth(bandwidth: dict[str, float]) -> None:
    shares = [
        f"{bandwidth[w] / 1e9:.1f} GB/s in {w} "
        f"({100 * bandwidth[f'{w}_share']:.0f}%)"
        for w in ARRAYS_MOVED
        if w in bandwidth
    ]
    print(
        f"a copy moves {bandwidth['copy'] / 1e9:.1f} GB/s, the recurrence "
        + ", ".join(shares)
    )


def draw(summary: dict[str, Any], device: Sequence[str], path: Path) -> None:
    """Draws the headline's training steps, in QRNN's (CTRN, Figure 3).

    Args:
        summary: what `summarise` gives.
        device: kind and name of the device.
        path: the PNG file to write.
    """
    from matplotlib.figure import Figure

    from reproductions.figures import COLORS
    from reproductions.figures import GREY

    units, length = summary["headline"]
    found = next(
        case
        for case in summary["cases"]
        if [case["units"], case["length"]] == [units, length]
    )["training"]
    names = [
        name
        for name in CONTENDERS
        if "relative" in found.get(name, {})
        and name not in ("qrnn-pair", "copy", "recurrence")
    ]
    figure = Figure((6.4, 0.55 * len(names) + 1.2), dpi=150)
    figure.set_layout_engine("constrained")
    axes = figure.subplots()
    places = np.arange(len(names))
    measured = axes.barh(
        places - 0.2,
        [found[name]["relative"] for name in names],
        0.38,
        color=COLORS[0],
        label=f"measured at d = {units}, L = {length} on a {device[0].upper()}",
    )
    axes.bar_label(measured, fmt="%.2f", padding=3, fontsize=8)
    stated = [
        (place, times)
        for place, name in zip(places, names, strict=True)
        if (times := CONTENDERS[name].paper)
    ]
    paper = axes.barh(
        [place + 0.2 for place, _ in stated],
        [times for _, times in stated],
        0.38,
        color=GREY,
        alpha=0.5,
        label="about, says the paper (d = 800, epochs of TrecQA)",
    )
    axes.bar_label(paper, fmt="%g", padding=3, fontsize=8)
    axes.axvline(1, color=GREY, linestyle="--", linewidth=1, zorder=0)
    axes.set_yticks(places, [CONTENDERS[name].label for name in names])
    axes.invert_yaxis()
    axes.set_xlabel("training step, in times of QRNN's on the same texts")
    axes.margins(x=0.1)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False, ncols=1)
    # Without the program's version the same data give the same file.
    write_whole(path, partial(figure.savefig, metadata={"Software": None}))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.recurrent",
        description="Compares QRNN and CTRN with LSTMs, as ratios in one run.",
    )
    defaults = Settings()
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
    parser.add_argument("--repeats", type=int, default=defaults.repeats)
    parser.add_argument("--cores", type=int, default=defaults.cores)
    parser.add_argument("--seed", type=int, default=defaults.seed)
    parser.add_argument(
        "--tf32",
        action="store_true",
        help="let a GPU multiply in TensorFloat-32, in all frameworks",
    )
    parser.add_argument(
        "--smoke", action="store_true", help="tiny sizes, to test the script"
    )
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        default=Path(__file__).with_suffix(".json"),
        help="for the figures (default: beside this script)",
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

    start = time.perf_counter()
    load_before = os.getloadavg()
    if load_before[0] > settings.cores / 2:
        # PyTorch's threads wait for each other, and for whoever has the core.
        print(f"the machine is busy (load {load_before[0]:.1f}): repeat later")
    measured = run(settings, backend)
    summary = summarise(settings, measured)
    report(settings, measured, summary)
    result = {
        "settings": asdict(settings),
        "machine": {
            "processor": platform.processor() or platform.machine(),
            "load_average_before": load_before,
        },
        "summary": summary,
        **measured,
    }
    text = json.dumps(result, indent=1) + "\n"
    write_whole(options.json, lambda path: path.write_text(text))
    if options.picture:
        draw(summary, measured["devices"]["keras"], options.picture)
    print(f"\n{options.json} ({time.perf_counter() - start:.0f} s)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
