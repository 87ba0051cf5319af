"""The contenders of `hyperqa_epoch`, each in a separate process."""

import time
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from benchmarks.hyperqa_epoch_work import WORKLOADS
from benchmarks.hyperqa_epoch_work import Settings
from benchmarks.hyperqa_epoch_work import make_groups
from benchmarks.hyperqa_epoch_work import make_texts
from benchmarks.hyperqa_epoch_work import make_weights
from benchmarks.processes import settle
from keras_qa.text.packing import RaggedTexts


class KerasContender:
    """Training in `fit`, packed or plain."""

    def __init__(self, name: str, settings: Settings, texts: RaggedTexts):
        import keras
        from keras import ops

        from keras_qa.batches.pairs import PairwiseBatches
        from keras_qa.losses.pairwise import PairwiseHinge
        from keras_qa.models import HyperQA
        from keras_qa.training.pairwise import PairwiseTrainer

        class PaddedBatches(PairwiseBatches):
            """Batches padded to the longest text: one shape to compile."""

            def _padded(
                self,
                indices: np.ndarray,
                index: int,
                width: int | None = None,
                rows: int | None = None,
            ) -> np.ndarray:
                return self.texts.padded(indices, settings.longest, rows)

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
            """Batches prepared in advance."""

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
    """Runs a contender's process: answers requests until a None arrives."""
    settle(settings.cores, "tensorflow")
    contender = (TorchContender if name == "torch" else KerasContender)(
        name, settings, make_texts(settings)
    )
    while request := connection.recv():
        method, workload = request
        connection.send(getattr(contender, method)(workload))
