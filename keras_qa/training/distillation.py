"""The scores of a ranker that another model learns from."""

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

import numpy as np

from keras_qa.datasets.corpus import Corpus
from keras_qa.errors import RunFolderError
from keras_qa.files.locks import locked
from keras_qa.files.stored_arrays import DAMAGE
from keras_qa.files.text_files import shorten
from keras_qa.files.whole import write_whole
from keras_qa.progress import ProgressBar
from keras_qa.text.readable import UNREAD_SCORE
from keras_qa.text.reading import TextReading

# Pairs between two steps of the progress bar, and steps after which scores are
# kept: a BERT takes some minutes for these.
CHUNK = 512
KEPT_AFTER = 32


class Teacher(Protocol):
    """What scores texts, such as `keras_qa.Ranker`."""

    reading: TextReading

    def scores(
        self, questions: Sequence[str], answers: Sequence[str]
    ) -> np.ndarray:
        """Scores of pairs, float `(n,)`, higher is better."""

    def weights_digest(self) -> str:
        """A digest of the weights."""


class TeacherScores:
    """The scores of a ranker for pairs of a corpus's texts.

    Each distinct pair of texts is scored once, and known to later runs if there
    is a folder to keep the scores in. The teacher reads the texts as they are
    in the files, whatever its own tokeniser and vocabulary.

    Args:
        teacher: a loaded ranker.
        corpus: the texts.
        folder: where scores are kept, also while more are computed, in a file
            for each teacher, `teacher-DIGEST-TOKENIZER-READABLE.npz`; None
            keeps them in memory only.

    Call arguments:
        questions: indices of questions in the corpus, `(n,)`.
        answers: indices of answers, `(n,)`.

    Output:
        Scores, float32 `(n,)`; NaN for answers that the teacher cannot read.

    Raises:
        RankerError: if there is a folder, and the teacher was not loaded.
        RunFolderError: if the file is damaged.

    Example:
        >>> found = TeacherScores(teacher, corpus)(*indexed.pairs())
        >>> found.shape == indexed.pairs()[0].shape
        True
    """

    def __init__(
        self, teacher: Teacher, corpus: Corpus, folder: Path | None = None
    ):
        self.teacher = teacher
        self.corpus = corpus
        self.file: Path | None = None
        self._known: dict[int, float] = {}
        if folder is not None:
            digest, reading = teacher.weights_digest()[:16], teacher.reading
            name = f"teacher-{digest}-{reading.tokenizer}-{reading.readable}"
            self.file = folder / f"{name}.npz"
            self._read(self.file)

    def __call__(
        self, questions: np.ndarray, answers: np.ndarray
    ) -> np.ndarray:
        """The scores of pairs; those that are new are computed and kept."""
        pairs, rows = np.unique(
            np.stack([questions, answers], axis=1), axis=0, return_inverse=True
        )
        texts = self.corpus.originals
        asked = [(texts[q], texts[a]) for q, a in pairs.tolist()]
        keys = [_key(*pair) for pair in asked]
        new = dict(zip(keys, asked, strict=True))
        self._score({k: p for k, p in new.items() if k not in self._known})
        found = np.array([self._known[key] for key in keys], np.float32)
        return found[rows.reshape(-1)]

    def _score(self, new: dict[int, tuple[str, str]]) -> None:
        if not new:
            return
        keys, pairs = list(new), list(new.values())
        with ProgressBar(total=len(pairs), desc="Teacher", unit="pair") as bar:
            for step, start in enumerate(range(0, len(pairs), CHUNK), start=1):
                part = pairs[start : start + CHUNK]
                questions, answers = map(list, zip(*part, strict=True))
                scores = self.teacher.scores(questions, answers)
                scores = np.where(scores > UNREAD_SCORE, scores, np.nan)
                known = keys[start : start + CHUNK]
                self._known |= zip(known, scores.tolist(), strict=True)
                bar.update(len(part))
                if step % KEPT_AFTER == 0:
                    self._keep()
        self._keep()

    def _keep(self) -> None:
        if self.file is None:
            return
        # Another process may have kept scores since they were read.
        with locked(self.file.with_suffix(".lock")):
            self._read(self.file)
            known = np.array(list(self._known), np.uint64)
            found = np.array(list(self._known.values()), np.float32)

            def save(path: Path) -> None:
                with path.open("wb") as file:
                    np.savez(file, pairs=known, scores=found)

            write_whole(self.file, save)

    def _read(self, path: Path) -> None:
        if not path.exists():
            return
        try:
            with np.load(path) as stored:
                pairs, scores = stored["pairs"], stored["scores"]
            stored_scores = zip(pairs.tolist(), scores.tolist(), strict=True)
            self._known = {**dict(stored_scores), **self._known}
        except (*DAMAGE, OSError) as error:
            raise RunFolderError(
                f"{path}: expected the scores of a teacher; remove it to "
                f"compute them again. Received: {shorten(str(error))}"
            ) from error


def _key(question: str, answer: str) -> int:
    """A number that no other pair of texts has, but for 1 in 2 to the 64."""
    texts = f"{len(question)} {question}{answer}".encode("utf-8", "replace")
    return int.from_bytes(blake2b(texts, digest_size=8).digest())
