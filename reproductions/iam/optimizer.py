"""How all stages of IAM are trained: the optimizer and its learning rate."""

import keras

from reproductions.iam.settings import IAMSettings

# The settings that both depend on, in addition to the rate.
TRAINING = ("batch_size", "clipnorm", "decay", "decay_epochs")


def build_optimizer(
    name: str, rate: float, clipnorm: float
) -> keras.optimizers.Optimizer:
    """An optimizer with a limit of the gradient's norm.

    Args:
        name: its name, such as `"sgd"`.
        rate: learning rate to start with.
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

    It depends on the epoch's number alone, so that a resumed training goes on
    as if it had never stopped.

    Args:
        settings: `decay`: `"once"`, half after `decay_epochs`; `"each"`, half
            again after each epoch from then on; or `"none"`.
        rate: learning rate to start with.
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
