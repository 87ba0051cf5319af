"""The optimizer that the fine-tuning of a BERT usually has, and its rate."""

from typing import Any

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="keras_qa")
class LinearWarmUp(keras.optimizers.schedules.LearningRateSchedule):
    """Rises from 0 to a peak in a line, and falls to 0 in a line.

    Args:
        peak: the highest rate.
        warm_up: share of the steps until the peak, from 0 to 1.
        steps: number of all steps; `TellSteps` sets it.

    Raises:
        ValueError: if `warm_up` is not from 0 to 1.

    Example:
        >>> LinearWarmUp(1.0, warm_up=0.5, steps=4)(1)
        0.8
    """

    def __init__(self, peak: float, warm_up: float, steps: int = 1):
        if not 0 <= warm_up <= 1:
            raise ValueError(
                f"`warm_up` must be from 0 to 1. Received: warm_up={warm_up!r}"
            )
        self.peak = peak
        self.warm_up = warm_up
        self.steps = steps

    def __call__(self, step: Any) -> Any:
        """The rate of a step, from 0."""
        # The first step has a rate above 0, and so has the last.
        done = (ops.cast(step, "float32") + 1) / (self.steps + 1)
        rising = done / max(self.warm_up, 1e-9)
        falling = (1 - done) / max(1 - self.warm_up, 1e-9)
        return self.peak * ops.clip(ops.minimum(rising, falling), 0.0, 1.0)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            "peak": self.peak,
            "warm_up": self.warm_up,
            "steps": self.steps,
        }


class TellSteps(keras.callbacks.Callback):
    """Sets the number of steps of a `LinearWarmUp` when a training begins.

    Args:
        schedule: the learning rate of the training's optimizer.
    """

    def __init__(self, schedule: LinearWarmUp):
        super().__init__()
        self.schedule = schedule
        self._begun = False

    def on_train_begin(self, logs: Any = None) -> None:
        """Counts the steps of all epochs, those before a resumption too.

        Raises:
            ValueError: if the number of steps is unknown, or the optimizer has
                been trained with before: its rate has fallen to 0, and what
                Keras has compiled keeps the number of steps.
        """
        if self.params["steps"] is None:
            raise ValueError(
                "`fit` must know the number of steps of an epoch: give "
                "`steps_per_epoch`. Received: batches of unknown number"
            )
        if self._begun:
            raise ValueError(
                "`fine_tuning` is for one `fit` over all epochs: compile the "
                "model with a new one. Received: a second `fit`"
            )
        self._begun = True
        self.schedule.steps = self.params["epochs"] * self.params["steps"]


def fine_tuning(
    learning_rate: float, warm_up: float = 0.1, weight_decay: float = 0.01
) -> tuple[keras.optimizers.Optimizer, list[keras.callbacks.Callback]]:
    """AdamW with a rate that rises and falls, and its callbacks.

    Args:
        learning_rate: the highest rate.
        warm_up: share of the steps in which the rate rises.
        weight_decay: of all weights but biases and those of normalisations.

    Returns:
        The optimizer, and the callbacks that `fit` must be given with it.

    Example:
        >>> optimizer, callbacks = fine_tuning(5e-5)
        >>> loss = keras.losses.BinaryCrossentropy(from_logits=True)
        >>> model.compile(optimizer, loss)
        >>> model.fit(batches, epochs=3, callbacks=callbacks)

    Reference: Devlin et al., 2019, "BERT: Pre-training of Deep Bidirectional
    Transformers for Language Understanding", appendix A.
    """
    rate = LinearWarmUp(learning_rate, warm_up)
    optimizer = keras.optimizers.AdamW(
        rate, weight_decay=weight_decay, global_clipnorm=1.0
    )
    optimizer.exclude_from_weight_decay(var_names=["bias", "gamma", "beta"])
    return optimizer, [TellSteps(rate)]
