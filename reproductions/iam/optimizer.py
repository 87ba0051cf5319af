"""The optimizer of all stages of IAM, and its learning rate."""

import keras

from reproductions.iam.settings import IAMSettings

# The settings that every stage's training depends on.
TRAINING = ("batch_size", "clipnorm", "decay", "decay_epochs")


def build_optimizer(
    name: str, rate: float, clipnorm: float
) -> keras.optimizers.Optimizer:
    """An optimizer with gradient clipping.

    Args:
        name: the optimizer's name, such as `"sgd"`.
        rate: initial learning rate.
        clipnorm: largest norm of the gradient of all weights together (Pascanu
            et al., 2013); 0 for no limit.
    """
    return keras.optimizers.get(
        {
            "class_name": name,
            "config": {
                "learning_rate": rate,
                "global_clipnorm": clipnorm or None,
            },
        }
    )


def learning_rates(
    settings: IAMSettings, rate: float
) -> list[keras.callbacks.Callback]:
    """The callback that sets the learning rate of each epoch, if it decays.

    The rate depends only on the epoch's number, so that a resumed training
    gives the same result as an uninterrupted one.

    Args:
        settings: has `decay_epochs` and `decay`: `"once"` halves the rate after
            `decay_epochs`, `"each"` also after every later epoch, `"none"`
            never.
        rate: initial learning rate.
    """
    if settings.decay == "none":
        return []
    first = settings.decay_epochs
    halvings = {
        "once": lambda epoch: int(epoch >= first),
        "each": lambda epoch: max(0, epoch - first + 1),
    }
    halved = halvings[settings.decay]
    return [
        keras.callbacks.LearningRateScheduler(
            lambda epoch, _: rate * 0.5 ** halved(epoch)
        )
    ]
