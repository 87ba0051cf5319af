"""The contenders, sizes and compilation modes that `recurrent` measures."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from devtools.benchmarks.recurrent_steps import STEPS

HEADLINE = (800, 50)
WORKLOADS = ("training", "inference", "inputs", "masked")
HEADLINE_ONLY = ("inputs", "masked")

# PyTorch's compiler takes minutes for a loop over long texts: only on request.
DEFAULT_MODES = {
    "tensorflow": STEPS["tensorflow"].modes,
    "jax": STEPS["jax"].modes,
    "torch": ("eager",),
}


@dataclass(frozen=True)
class Contender:
    """A layer or operation that is measured.

    Attributes:
        label: its name in the table.
        texts: number of texts of every example that it reads.
        reference: the contender that it is compared with.
        workloads: the workloads that it is measured in.
        framework: the process that it runs in, `"keras"` or `"torch"`.
        paper: the ratio of its time to QRNN's in the paper's Figure 3.
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
class Settings:
    """Sizes of the workload and of the measurement."""

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
        """The case nearest to `HEADLINE`, the size that the bounds are for."""
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
    """All jobs of a case; contenders in PyTorch have only one mode."""
    return [
        Job(name, workload, mode, *case)
        for workload in settings.workloads
        if workload not in HEADLINE_ONLY or case == settings.headline()
        for name, contender in CONTENDERS.items()
        if workload in contender.workloads
        for mode in (modes if contender.framework == "keras" else ("eager",))
    ]
