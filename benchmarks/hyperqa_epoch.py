"""How fast does HyperQA train, against the plain formulation?

Every contender trains the same model on the same batches of synthetic text
of YahooQA's size, each in a process of its own, which takes turns with the
others, so that a busy machine slows all of them alike:

- `packed`: `PairwiseTrainer.fit` on packed `PairwiseBatches`;
- `keras`: gather, dense and masked sum on padded ids with Keras layers, in
  `fit` too; `keras-xla`: the same with `jit_compile=True`;
- `torch`: the same in a plain PyTorch loop.

The plain contenders pad to 50 words, which is the longest text of 99 in 100
batches, keep the embedding frozen and, within a batch, encode a question and
each of its answers once.

There are three workloads: 200 arbitrary triples; 200 triples in which four
negatives share a question and its positive, 50 of these; and 200 questions
with a positive and four negatives each. The plain formulation of the second
takes each triple by itself, and so costs what the first one costs; the form
that encodes what is shared once is measured beside it.

The words follow Zipf's law with exponent 1, which is natural language's: the
word of rank r is drawn with weight 1 / r from 60,000.

    python -m benchmarks.hyperqa_epoch             # about 5 minutes
    python -m benchmarks.hyperqa_epoch --smoke     # seconds, tells nothing

Bounds, on 2 cores: 2.7 times the faster plain Keras step for arbitrary
triples, 4.5 times when four negatives share a pair, and less than the paper's
20 s (on a GTX 1070, table 3) for an epoch of 253,000 pairs.
"""

import argparse
import multiprocessing
import os
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results import paired_ratio
from benchmarks.results import write_results
from keras_qa.datasets.packing import RaggedTexts

CONTENDERS = ("packed", "keras", "keras-xla", "torch")
PLAIN_KERAS = ("keras", "keras-xla")
EPOCH_PAIRS = 253_000
MAX_EPOCH_SECONDS = 20.0
MIN_SPEEDUP = {"triples": 2.7, "shared": 4.5}


@dataclass(frozen=True)
class Workload:
    """Groups of one question, its positive and some negatives.

    Attributes:
        questions: groups per step, as a share of the batch size.
        negatives: negatives per group.
        contenders: who is measured.
    """

    questions: float
    negatives: int
    contenders: tuple[str, ...]


WORKLOADS = {
    "triples": Workload(1, 1, CONTENDERS),
    "shared": Workload(1 / 4, 4, ("packed", "keras")),
    "wide": Workload(1, 4, ("packed", "keras")),
}


@dataclass(frozen=True)
class Settings:
    """What is measured."""

    vocabulary: int = 60_000
    zipf_exponent: float = 1.0
    texts: int = 300_000
    shortest: int = 5
    longest: int = 50
    batch_size: int = 200
    dim: int = 300
    steps: int = 15
    rounds: int = 5
    cores: int = 2
    learning_rate: float = 0.05
    margin: float = 1.0
    seed: int = 0

    def questions(self, workload: str) -> int:
        """The number of questions per step."""
        return round(self.batch_size * WORKLOADS[workload].questions)


def make_texts(settings: Settings) -> RaggedTexts:
    """Texts of uniform length with words by Zipf's law, frequent ids low."""
    rng = np.random.default_rng(settings.seed)
    lengths = rng.integers(
        settings.shortest, settings.longest + 1, settings.texts
    )
    ranks = np.arange(1, settings.vocabulary - 1)
    cumulated = np.cumsum(ranks**-settings.zipf_exponent)
    drawn = rng.random(lengths.sum()) * cumulated[-1]
    ids = 2 + np.searchsorted(cumulated[:-1], drawn).astype(np.int32)
    return RaggedTexts(ids, np.concatenate([[0], np.cumsum(lengths)]))


def make_groups(settings: Settings, workload: str) -> tuple[np.ndarray, ...]:
    """Random `(question, positive, negatives)` for the steps of a round.

    Questions come from the first fifth of the texts, answers from the rest:
    where both are one text, rounding decides the gradient's direction.
    """
    negatives = WORKLOADS[workload].negatives
    rng = np.random.default_rng([settings.seed, negatives])
    size = settings.steps * settings.questions(workload)
    first = settings.texts // 5
    question = rng.integers(first, size=size)
    answers = rng.integers(first, settings.texts, size=(size, 1 + negatives))
    return question, answers[:, 0], answers[:, 1:]


def make_weights(settings: Settings) -> tuple[np.ndarray, np.ndarray]:
    """The embedding and the projection that all contenders start from."""
    rng = np.random.default_rng([settings.seed, 0])
    embedding = rng.normal(0, 0.3, (settings.vocabulary, settings.dim))
    kernel = rng.uniform(-0.1, 0.1, (settings.dim, settings.dim))
    return embedding.astype(np.float32), kernel.astype(np.float32)


class KerasContender:
    """Training in `fit`, packed or plain."""

    def __init__(self, name: str, settings: Settings, texts: RaggedTexts):
        import keras
        from keras import ops

        from keras_qa.losses import PairwiseHinge
        from keras_qa.models import HyperQA
        from keras_qa.training import PairwiseBatches
        from keras_qa.training import PairwiseTrainer

        class PaddedBatches(PairwiseBatches):
            """Padded to the longest text there is: one shape to compile."""

            def _padded(self, indices: np.ndarray, index: int) -> np.ndarray:
                return self.texts.padded(indices, settings.longest)

        class PlainTrainer(keras.Model):
            """Encodes each padded text once and scores each pair."""

            def __init__(self, model: HyperQA):
                super().__init__()
                self.model = model
                self.built = True

            def call(self, inputs: Any) -> Any:
                question = self.model.question_encoder(inputs["question"])
                answers = inputs["answers"]
                count = answers.shape[1]
                pair = {
                    "question": ops.repeat(question, count, axis=0),
                    "answer": self.model.answer_encoder(
                        ops.reshape(answers, (-1, answers.shape[2]))
                    ),
                }
                return ops.reshape(self.model.head(pair), (-1, count))

        class Prepared(keras.utils.PyDataset):
            """Batches that were made before."""

            def __init__(self, batches: list):
                super().__init__()
                self.batches = batches

            def __len__(self) -> int:
                return len(self.batches)

            def __getitem__(self, index: int) -> Any:
                return self.batches[index]

        embedding, kernel = make_weights(settings)
        packed = name == "packed"
        trainer_class = PairwiseTrainer if packed else PlainTrainer
        batches_class = PairwiseBatches if packed else PaddedBatches
        self.batches = {}
        self.trainers = {}
        for workload in WORKLOADS:
            groups = make_groups(settings, workload)
            self.batches[workload] = batches_class(
                texts,
                partial(_same, groups),
                settings.questions(workload),
                packed=packed,
            )
            model = HyperQA(
                settings.vocabulary,
                settings.dim,
                settings.dim,
                embeddings=embedding,
            )
            model.word_projection.weights[0].assign(kernel)
            trainer = self.trainers[workload] = trainer_class(model)
            trainer.compile(
                keras.optimizers.Adagrad(settings.learning_rate),
                loss=PairwiseHinge(settings.margin),
                jit_compile=name == "keras-xla",
            )
        self.prepared = Prepared
        self.callback = keras.callbacks.LambdaCallback

    def measure(self, workload: str) -> tuple[float, float]:
        """Seconds per step and mean loss of one `fit`, pipeline included."""
        return self._fit(workload, self.batches[workload])

    def profile(self, workload: str) -> dict[str, float]:
        """Seconds per step of the pipeline alone and of the step alone."""
        batches = self.batches[workload]
        start = time.perf_counter()
        prepared = [batches[index] for index in range(len(batches))]
        pipeline = (time.perf_counter() - start) / len(prepared)
        step, _ = self._fit(workload, self.prepared(prepared))
        return {"pipeline": pipeline, "prepared": step}

    def _fit(self, workload: str, batches: Any) -> tuple[float, float]:
        times: list[float] = []
        clock = self.callback(
            on_epoch_begin=lambda epoch, logs: times.append(
                time.perf_counter()
            ),
            on_epoch_end=lambda epoch, logs: times.append(time.perf_counter()),
        )
        history = self.trainers[workload].fit(
            batches, verbose=0, shuffle=False, callbacks=[clock]
        )
        seconds = (times[1] - times[0]) / len(batches)
        return seconds, history.history["loss"][0]


def _same(groups: tuple, epoch: int) -> tuple:
    return groups


class TorchContender:
    """The plain formulation in a plain PyTorch loop."""

    def __init__(self, name: str, settings: Settings, texts: RaggedTexts):
        import torch

        torch.set_num_threads(settings.cores)
        self.settings = settings
        self.texts = texts
        embedding, kernel = make_weights(settings)
        self.embedding = torch.nn.Embedding.from_pretrained(
            torch.from_numpy(embedding), freeze=True
        )
        self.projection = torch.nn.Linear(settings.dim, settings.dim)
        self.score = torch.nn.Linear(1, 1)
        with torch.no_grad():
            self.projection.weight.copy_(torch.from_numpy(kernel.T))
            self.projection.bias.zero_()
            self.score.weight.fill_(-1)
            self.score.bias.zero_()
        self.optimizer = torch.optim.Adagrad(
            [*self.projection.parameters(), *self.score.parameters()],
            lr=settings.learning_rate,
            initial_accumulator_value=0.1,
            eps=1e-7,
        )

    def measure(self, workload: str) -> tuple[float, float]:
        """Seconds per step and mean loss of one round."""
        groups = make_groups(self.settings, workload)
        # The order in which PairwiseBatches shuffles its first epoch.
        order = np.random.default_rng([0, 0]).permutation(len(groups[0]))
        question, answers = groups[0][order], np.column_stack(groups[1:])[order]
        size, losses = self.settings.questions(workload), []
        start = time.perf_counter()
        for first in range(0, len(question), size):
            chosen = slice(first, first + size)
            losses.append(self._step(question[chosen], answers[chosen]))
        seconds = (time.perf_counter() - start) / len(losses)
        return seconds, sum(losses) / len(losses)

    def _step(self, question: np.ndarray, answers: np.ndarray) -> float:
        import torch

        q = self._encode(question)[:, None]
        a = self._encode(answers.ravel()).reshape(*answers.shape, -1)
        gaps = [
            (1 - x.square().sum(-1, keepdim=True)).clamp(min=2.2e-5)
            for x in (q, a)
        ]
        apart = (q - a).square().sum(-1, keepdim=True)
        distance = 2 * torch.asinh(torch.sqrt(apart / (gaps[0] * gaps[1])))
        scores = self.score(distance)[..., 0]
        hinge = torch.relu(self.settings.margin - scores[:, :1] + scores[:, 1:])
        loss = hinge.sum(1).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def _encode(self, indices: np.ndarray) -> Any:
        import torch

        ids = torch.from_numpy(
            self.texts.padded(indices, self.settings.longest)
        ).long()
        words = torch.relu(self.projection(self.embedding(ids)))
        total = (words * (ids > 0)[..., None]).sum(1)
        norm = total.norm(dim=-1, keepdim=True)
        return total * ((1 - 1e-5) / norm.clamp(min=1 - 1e-5))


def serve(name: str, settings: Settings, connection: Connection) -> None:
    """A contender's process: answers requests until it is told to stop."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))[: settings.cores]
        os.sched_setaffinity(0, cores)
    os.environ["KERAS_BACKEND"] = "tensorflow"
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    contender = (TorchContender if name == "torch" else KerasContender)(
        name, settings, make_texts(settings)
    )
    while request := connection.recv():
        method, workload = request
        connection.send(getattr(contender, method)(workload))


def run(settings: Settings) -> dict[str, Any]:
    """All rounds of all contenders: seconds per step, losses, profile."""
    context = multiprocessing.get_context("spawn")
    pipes, processes = {}, []
    for name in CONTENDERS:
        pipes[name], end = context.Pipe()
        process = context.Process(
            target=serve, args=(name, settings, end), daemon=True
        )
        process.start()
        processes.append(process)

    def ask(name: str, method: str, workload: str) -> Any:
        pipes[name].send((method, workload))
        return pipes[name].recv()

    # The first round compiles, and shows that all compute the same.
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


def summarise(settings: Settings, measured: dict[str, Any]) -> dict[str, Any]:
    """Ratios, rates and projected epochs from the rounds' times."""
    times = measured["seconds"]
    triples = {n: statistics.median(s) for n, s in times["triples"].items()}
    plain = min(PLAIN_KERAS, key=triples.__getitem__)
    summary: dict[str, Any] = {"plain_keras": plain}
    for workload, seconds in times.items():
        median = {name: statistics.median(s) for name, s in seconds.items()}
        questions = settings.questions(workload)
        negatives = WORKLOADS[workload].negatives
        steps = EPOCH_PAIRS / (questions * (1 + negatives))
        # Triples per step; the plain form takes each by itself.
        size = questions * negatives / settings.batch_size
        summary[workload] = {
            "seconds_per_step": median,
            "triples_per_second": {
                name: questions * negatives / s for name, s in median.items()
            },
            "epoch_seconds": {name: steps * s for name, s in median.items()},
            "speedup": size
            * paired_ratio(times["triples"][plain], seconds["packed"]),
            "speedup_over_shared_keras": paired_ratio(
                seconds[plain if workload == "triples" else "keras"],
                seconds["packed"],
            ),
            "speedup_over_torch": size
            * paired_ratio(times["triples"]["torch"], seconds["packed"]),
            "pipeline_share": measured["profile"][workload]["pipeline"]
            / median["packed"],
        }
    return summary


def report(
    settings: Settings, measured: dict[str, Any], summary: dict[str, Any]
) -> None:
    for name, workload in WORKLOADS.items():
        found = summary[name]
        print(
            f"\n{name}: {settings.questions(name)} questions with 1 positive "
            f"and {workload.negatives} negative(s) each"
        )
        print("            ms/step  triples/s  253,000 pairs  loss, round 1")
        for contender in workload.contenders:
            print(
                f"  {contender:<10}"
                f"{1000 * found['seconds_per_step'][contender]:7.1f}"
                f"{found['triples_per_second'][contender]:11,.0f}"
                f"{found['epoch_seconds'][contender]:13.1f} s"
                f"{measured['losses'][f'{name} {contender}']:15.4f}"
            )
        bound = f" (bound {MIN_SPEEDUP[name]})" if name in MIN_SPEEDUP else ""
        print(
            f"  packed: {found['speedup']:.2f} times the triples of "
            f"{summary['plain_keras']}, each by itself{bound}, and "
            f"{found['speedup_over_torch']:.2f} times those of torch;\n"
            f"  {found['speedup_over_shared_keras']:.2f} times as fast as "
            "keras that encodes what is shared once"
        )
        profile = measured["profile"][name]
        print(
            f"  data pipeline alone: {1000 * profile['pipeline']:.2f} ms per "
            f"batch, {100 * found['pipeline_share']:.1f}% of the step; with "
            f"batches prepared before, a step takes "
            f"{1000 * profile['prepared']:.1f} ms"
        )
    epoch = {w: summary[w]["epoch_seconds"]["packed"] for w in WORKLOADS}
    print(
        f"\nAn epoch of 253,000 pairs (bound {MAX_EPOCH_SECONDS:.0f} s) takes "
        f"{epoch['wide']:.1f} s as 50,600 questions with 5 answers each, which "
        f"YahooQA has, in batches of {settings.questions('wide')} questions "
        f"({epoch['shared']:.1f} s in batches of "
        f"{settings.questions('shared')});\n"
        f"{epoch['triples']:.1f} s as 126,500 triples of two pairs each; "
        f"{2 * epoch['triples']:.1f} s if every pair had a triple of its own."
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Compares HyperQA's training step with the plain form."
    )
    parser.add_argument("--rounds", type=int, default=Settings.rounds)
    parser.add_argument("--steps", type=int, default=Settings.steps)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    parser.add_argument(
        "--smoke", action="store_true", help="tiny sizes, to test the script"
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(__file__).with_suffix(".json"),
        help="JSON file for the figures (default: beside this script)",
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

    start = time.perf_counter()
    load_before = os.getloadavg()
    measured = run(settings)
    summary = summarise(settings, measured)
    report(settings, measured, summary)
    write_results(options.output, settings, load_before, summary, measured)
    print(f"\n{options.output} ({time.perf_counter() - start:.0f} s)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
