"""Batches of questions with their candidates, right and wrong."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.batches.groups import right_and_wrong
from keras_qa.batches.groups import some
from keras_qa.batches.negatives import POOLS
from keras_qa.batches.pairs import GroupBatches
from keras_qa.batches.triplets import IGNORED
from keras_qa.text.packing import next_size
from keras_qa.text.ragged import Ragged


class ListwiseBatches(GroupBatches):
    """Batches for `PairwiseTrainer` with `ListwiseSoftmax`, drawn each epoch.

    A group is a question with `group_size` of its candidates, or as many as
    there are: its right answers, at random half of `group_size` where there
    are more, and wrong ones, drawn anew for each epoch. A question without a
    right answer is left out, and so is one without a wrong one. Texts are
    named by their index, see `right_and_wrong`.

    A batch is `(inputs, labels)`. The inputs are those of `GroupBatches`, the
    labels, float32 `(batch_size, answers)`, are 1 for right answers, which come
    first, 0 for wrong ones, and -1 where a question with fewer candidates is
    filled up with its own again. To limit that, questions with equally many
    candidates, and of these such with answers of like length, share a batch
    (`window`, as in `PointwiseBatches`).

    With `targets`, these take the place of labels, with NaN where a question is
    filled up, questions without a right or without a wrong answer are not left
    out, and more right answers are drawn where wrong ones are too few. With
    `both` they are `(batch_size, answers, 2)`: targets, labels.

    Args:
        texts: all texts.
        questions: for each question, the index of its text.
        candidates: for each question, the indices of its candidates' texts.
        labels: for each question, its candidates' labels, 0 or 1.
        batch_size: number of questions per batch; one batch may have fewer.
        seed: seed of all draws, which also depend on the epoch.
        group_size: most answers of a group; at least 2.
        pool: `"own"` draws wrong answers from the question's own candidates,
            `"all"` from everywhere.
        everything: the indices of the texts that "everywhere" means; by
            default the candidates of all questions.
        window: number of batches whose questions are sorted together; 1
            leaves the batches to chance.
        both: whether a batch has labels in addition to `targets`.
        **kwargs: further arguments of `GroupBatches`.

    Raises:
        ValueError: if an argument is out of range, or no question has both a
            right and a wrong answer, or with `targets` two candidates.

    Example:
        >>> trainer = PairwiseTrainer(scorer)
        >>> trainer.compile("adam", loss=ListwiseSoftmax())
        >>> batches = ListwiseBatches(
        ...     texts, questions, candidates, labels, batch_size=20,
        ...     packed=trainer.supports_packing,
        ... )
        >>> trainer.fit(batches, epochs=10)
    """

    def __init__(
        self,
        texts: Ragged,
        questions: Sequence[int] | np.ndarray,
        candidates: Sequence[np.ndarray],
        labels: Sequence[np.ndarray],
        batch_size: int,
        seed: int = 0,
        group_size: int = 30,
        pool: str = "own",
        everything: np.ndarray | None = None,
        window: int = 16,
        both: bool = False,
        **kwargs: Any,
    ):
        super().__init__(texts, batch_size, seed, **kwargs)
        check_choice("pool", pool, POOLS)
        check_positive(group_size=group_size, window=window)
        if group_size < 2:
            raise ValueError(
                "`group_size` must be at least 2. "
                f"Received: group_size={group_size}"
            )
        self.group_size = group_size
        self.pool = pool
        self.window = window
        self.both = both
        every = self.targets is not None
        groups = right_and_wrong(questions, candidates, labels, every)
        if everything is None:
            everything = np.concatenate(candidates)
        self._everything = np.unique(everything)
        in_reach = set(self._everything.tolist())
        self._groups = [
            (question, right, wrong)
            for question, right, wrong in zip(*groups, strict=True)
            if (
                len(in_reach) - len(in_reach.intersection(right.tolist()))
                if pool == "all"
                else len(wrong) + len(right) > 1
                if every
                else len(wrong)
            )
        ]
        if not self._groups:
            raise ValueError(
                "`candidates` must hold a wrong answer for some question that "
                f"has a right one. Received: {len(groups[0])} questions that "
                "have right ones alone"
            )

    def _draw(self, rng: np.random.Generator, epoch: int) -> None:
        lists = [
            self._list(rng, right, wrong) for _, right, wrong in self._groups
        ]
        right = np.array([count for _, count in lists])
        self._sizes = np.array([len(answers) for answers, _ in lists])
        # One column more than the longest has, to make even numbers odd.
        columns = np.arange(self._sizes.max() + 1)
        self._labels = np.where(
            columns < self._sizes[:, None], columns < right[:, None], IGNORED
        ).astype(np.float32)
        answers = np.stack([np.resize(a, len(columns)) for a, _ in lists])
        self._set_groups(np.array([q for q, _, _ in self._groups]), answers)
        if self.targets is not None:
            ignored = self._labels == IGNORED
            targets = np.where(ignored, np.float32(np.nan), self._targets)
            both = [targets, self._labels]
            self._labels = np.stack(both, axis=-1) if self.both else targets
        longest = self.texts.lengths[answers].max(axis=1)
        self._batches = self._by_length(
            rng, longest, self._sizes, window=self.window
        )

    def _list(
        self, rng: np.random.Generator, right: np.ndarray, wrong: np.ndarray
    ) -> tuple[np.ndarray, int]:
        """The answers of a group, and how many of them are right."""
        most = self.group_size // 2
        if self.targets is not None and self.pool == "own":
            most = max(most, self.group_size - len(wrong))
        kept = some(rng, right, most)
        count = self.group_size - len(kept)
        if self.pool == "all":
            # Enough of them, even if all right ones should be among these.
            enough = min(count + len(right), len(self._everything))
            wrong = rng.choice(self._everything, enough, replace=False)
            wrong = wrong[~np.isin(wrong, right)][:count]
        return np.concatenate([kept, some(rng, wrong, count)]), len(kept)

    def __len__(self) -> int:
        return -(-len(self._groups) // self.batch_size)

    def __getitem__(self, index: int) -> tuple[dict[str, Any], np.ndarray]:
        """The batch at `index`, `(inputs, labels)`."""
        self._begun()
        rows = self._batches[index]
        count = self._columns(int(self._sizes[rows].max()), index)
        return self._inputs(rows, index, count), self._labels[rows, :count]

    def _columns(self, count: int, index: int) -> int:
        """The answers of the groups of a batch, as the widths in `_padded`."""
        most = int(self._sizes.max())
        if self._round_up:
            return min(next_size(count), most)
        if len(self) == 1:
            return most
        return count + (count + index) % 2
