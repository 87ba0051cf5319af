"""The processes of `devtools.benchmarks.recurrent`, one for each framework."""

import gc
import math
import multiprocessing
import os
import time
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from benchmarks.processes import settle
from devtools.benchmarks.recurrent_plan import CONTENDERS
from devtools.benchmarks.recurrent_plan import Job
from devtools.benchmarks.recurrent_plan import Settings
from devtools.benchmarks.recurrent_steps import STEPS
from devtools.benchmarks.recurrent_steps import Step
from devtools.benchmarks.recurrent_steps import Work


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
        """Compiles a step, times the next one and checks what it computes.

        Returns:
            `seconds`; except for `copy`, `loss`, the sum of the outputs times
            the random numbers, and for training `gradient`, the norm of all
            gradients. `loss` and `gradient` must not depend on the mode.
        """
        if job.contender == "copy":
            self.ready[job] = self.steps.copy(self.settings.copied_numbers)
            return {"seconds": self._compiled(job)}
        rng = np.random.default_rng([self.settings.seed, job.units, job.length])
        texts, masks = self._texts(job, rng)
        model = self._model(job)
        # Builds the weights and gives the shapes of the outputs.
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
        work = Work(model, texts, masks, job.mode)
        if job.workload == "inference":
            step = self.steps.inference(work)
        else:
            work.upstream = [self.steps.place(array) for array in upstream]
            recurrence = job.contender == "recurrence"
            work.to_inputs = job.workload == "inputs" or recurrence
            step = self.steps.training(work)
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
        """Times some steps; returns the seconds per step."""
        step = self.ready[job]
        if steps > 1:
            self.steps.finish(step())
        start = time.perf_counter()
        for index in range(1, steps + 1):
            result = step()
            # On a CPU, JAX would otherwise run steps in parallel.
            if self.kind == "cpu" or index == steps:
                self.steps.finish(result)
        return (time.perf_counter() - start) / steps

    def forget(self) -> None:
        """Frees all prepared steps and models."""
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
                # Not imported in the process of plain PyTorch.
                import keras

                from devtools.benchmarks.recurrent_models import build

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
    """Runs a framework's process: answers requests until a None arrives."""
    settle(settings.cores, backend)
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
    """A method raised an error in a worker's process."""


class Workers:
    """The two worker processes, by `Contender.framework`."""

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
        """Calls a method of a process's worker and returns the result.

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
